"""`fathom schema`."""

from typing import Annotated

import typer

from ..state.errors import UsageError


def schema_command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="result, spec or event.")] = "result",
) -> None:
    """Print the JSON schema of a result, a spec or an event."""
    import orjson

    from ..state.events import EVENT
    from ..state.result import DrillResult
    from ..state.spec import DrillSpec

    schemas = {
        "result": lambda: DrillResult.model_json_schema(by_alias=True, mode="serialization"),
        "spec": lambda: DrillSpec.model_json_schema(),
        "event": lambda: EVENT.json_schema(by_alias=True, mode="serialization"),
    }
    if name not in schemas:
        raise UsageError(f"There is no schema {name!r}; there are {', '.join(schemas)}.")
    typer.echo(orjson.dumps(schemas[name](), option=orjson.OPT_INDENT_2).decode())
