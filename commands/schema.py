"""`fathom schema`."""

from collections.abc import Callable
from functools import partial
from typing import Annotated

import typer

from ..state.errors import UsageError


def schema_command(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="result, replay, rejudge, cross, repeats, spec, event.")
    ] = "result",
) -> None:
    """Print the JSON schema of a result, a spec or an event."""
    import orjson
    from pydantic import BaseModel

    from ..state.events import EVENT
    from ..state.repeats import RepeatsResult
    from ..state.replay import CrossResult, RejudgeResult, ReplayResult
    from ..state.result import DrillResult
    from ..state.spec import SPEC

    results: dict[str, type[BaseModel]] = {
        "result": DrillResult,
        "replay": ReplayResult,
        "rejudge": RejudgeResult,
        "cross": CrossResult,
        "repeats": RepeatsResult,
    }

    schemas: dict[str, Callable[[], object]] = {
        **{key: partial(kind.model_json_schema, by_alias=True, mode="serialization") for key, kind in results.items()},
        "spec": lambda: SPEC.json_schema(),
        "event": lambda: EVENT.json_schema(by_alias=True, mode="serialization"),
    }
    if name not in schemas:
        raise UsageError(f"There is no schema {name!r}; there are {', '.join(schemas)}.")
    typer.echo(orjson.dumps(schemas[name](), option=orjson.OPT_INDENT_2).decode())
