"""`fathom schema`."""

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any

import typer

from ..state.errors import UsageError


def schema_command(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="result, replay, rejudge, cross, repeats, eqt, eqt_comparison, spec, event, depthqa,"
            " depthqa_comparison, depthqa_build, depthqa_graph, deepquestion, deepquestion_comparison, profile.",
        ),
    ] = "result",
) -> None:
    """Print the JSON schema of a result, a graph of questions, a spec or an event; it describes every field."""
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
    }
    if name not in schemas:
        raise UsageError(f"There is no schema {name!r}; there are {', '.join(schemas)}.")
    typer.echo(orjson.dumps(described(schemas[name]()), option=orjson.OPT_INDENT_2).decode())
