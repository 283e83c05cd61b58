"""`fathom schema`."""

from collections.abc import Callable
from functools import partial
from typing import Any

import typer

from ..state.errors import UsageError
from ..state.option import Option
from .declare import Command, Given


def _schema(given: Given) -> None:
    name = given["name"] or "result"
    import orjson
    from pydantic import BaseModel, create_model

    from ..state.deepquestion.result import DeepQuestionComparison, DeepQuestionResult
    from ..state.depthqa.build import DepthQABuildResult
    from ..state.depthqa.items import QuestionGraph
    from ..state.depthqa.result import Agreement, DepthQAComparison, DepthQAResult
    from ..state.eqt.result import EqtComparison, EqtResult
    from ..state.events import EVENT
    from ..state.profile import ProfileDocument
    from ..state.repeats import RepeatsResult
    from ..state.replay import CrossResult, RejudgeResult, ReplayResult
    from ..state.result import DrillResult
    from ..state.spec import SPEC
    from ..tools.described import described
    from .study.model import study_schema

    results: dict[str, type[BaseModel]] = {
        "result": DrillResult,
        "replay": ReplayResult,
        "rejudge": RejudgeResult,
        "cross": CrossResult,
        "repeats": RepeatsResult,
        "eqt": EqtResult,
        # the document of a launch also holds its runs; one that has no result is told by its status
        "eqt_comparison": create_model(
            "EqtComparison", __base__=EqtComparison, runs=(tuple[EqtResult | dict[str, Any], ...], ...)
        ),
    }

    graphs: dict[str, type[BaseModel]] = {
        # with --human the document of a run also holds how far people and judge agree
        "depthqa": create_model("DepthQAResult", __base__=DepthQAResult, agreement=(Agreement | None, None)),
        "depthqa_comparison": create_model(
            "DepthQAComparison", __base__=DepthQAComparison, runs=(tuple[DepthQAResult | dict[str, Any], ...], ...)
        ),
        "depthqa_build": DepthQABuildResult,
        "depthqa_graph": QuestionGraph,
        "deepquestion": DeepQuestionResult,
        "deepquestion_comparison": create_model(
            "DeepQuestionComparison",
            __base__=DeepQuestionComparison,
            runs=(tuple[DeepQuestionResult | dict[str, Any], ...], ...),
        ),
        "profile": ProfileDocument,
    }

    def schema_of(kind: type[BaseModel]) -> Callable[[], dict[str, Any]]:
        return partial(kind.model_json_schema, by_alias=True, mode="serialization")

    schemas: dict[str, Callable[[], dict[str, Any]]] = {
        **{key: schema_of(kind) for key, kind in results.items()},
        "spec": lambda: SPEC.json_schema(),
        "event": lambda: EVENT.json_schema(by_alias=True, mode="serialization"),
        **{key: schema_of(kind) for key, kind in graphs.items()},
        "study": study_schema,
    }
    if name not in schemas:
        raise UsageError(f"There is no schema {name!r}; there are {', '.join(schemas)}.")
    schema = schemas[name]()  # a study's fields have their options' help
    typer.echo(orjson.dumps(schema if name == "study" else described(schema), option=orjson.OPT_INDENT_2).decode())


SCHEMA = Command(
    _schema,
    "Print the JSON schema of a result, a graph of questions, a spec, a study or an event; it describes every field.",
    (
        Option(
            "",
            "NAME",
            "result, replay, rejudge, cross, repeats, eqt, eqt_comparison, spec, event, depthqa, depthqa_comparison,"
            " depthqa_build, depthqa_graph, deepquestion, deepquestion_comparison, profile, study.",
            name="name",
            default="result",
        ),
    ),
)
