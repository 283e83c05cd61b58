"""What `input` of each embedded method takes is typed, and is what its spec has."""

from typing import Any

import pytest
from pydantic import TypeAdapter

import fathom
from fathom.state import options
from fathom.state.deepquestion.spec import DeepQuestionSpec
from fathom.state.depthqa.spec import DepthQABuildSpec, DepthQASpec
from fathom.state.spec import DrillSpec, EqtSpec

ROLES = {"target", "evaluator", "judge", "examiner", "generator"}
BOUND = {"method", "facts", "graph", "material", "benchmark", "given", "similarity"}
CASES: list[tuple[type, Any, set[str]]] = [
    (options.DrillOptions, DrillSpec, {"domain"}),
    (options.EqtOptions, EqtSpec, {"concepts"}),
    (options.DepthQAOptions, DepthQASpec, {"modes"}),
    (options.DepthQABuildOptions, DepthQABuildSpec, {"questions"}),
    (options.DeepQuestionOptions, DeepQuestionSpec, {"problems"}),
]


@pytest.mark.parametrize(("kind", "spec", "about"), CASES)
def test_options_are_all_fields_of_the_spec_that_are_not_bound(
    kind: type, spec: Any, about: set[str]
) -> None:
    fields = {
        name: field for name, field in spec.model_fields.items() if name not in BOUND | ROLES
    }
    assert TypeAdapter(kind).json_schema()["properties"].keys() == fields.keys() - about
    usual = {
        name: field.get_default(call_default_factory=True) for name, field in fields.items()
    }
    usual = {
        name: usual[name] for name in fields.keys() - about if not fields[name].is_required()
    }
    TypeAdapter(kind).validate_python(usual)


async def types_alone() -> None:
    """Read by mypy, which refuses an `ignore` that is not needed; never run."""
    async with fathom.embed("eqt", {}) as eqt:
        eqt.input(["Gold"], questions=2)
        eqt.input(["Gold"], question=2)  # type: ignore[call-arg]
        eqt.input(["Gold"], questions="2")  # type: ignore[arg-type]
    async with fathom.embed("deepquestion", {}) as deep:
        deep.input(kinds="q2s", distractors=["none", "some"])
        deep.input(kinds="q2x")  # type: ignore[arg-type]
    async with fathom.embed("depthqa", {}) as depthqa:
        depthqa.input(["zero-shot", "multi-turn"], logprobs=True)
        depthqa.input("zero")  # type: ignore[arg-type]
    async with fathom.embed("depthqa_build", {}) as build:
        build.input(["Why?"], width="4")  # type: ignore[arg-type]
    async with fathom.embed("drill", {}) as drill:
        drill.input("Gold", n=3)
        drill.input("Gold", m=3)  # type: ignore[call-arg]
