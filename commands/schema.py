"""`fathom schema`."""

import typer

from ..state.errors import UsageError
from ..state.option import Option
from .declare import Command, Given

NAMES = (
    "result, replay, rejudge, eqt, spec, event, depthqa, depthqa_build, "
    "depthqa_graph, deepquestion, ask, comparison, decision, profile, study"
)


def _schema(values: Given) -> None:
    name = values["name"] or "result"
    import orjson
    from pydantic import BaseModel

    from ..state.comparison import Comparison
    from ..state.decision import Decision
    from ..state.events import EVENT
    from ..state.profile import ProfileDocument
    from ..state.question_graph import QuestionGraph
    from ..state.result import FORMAT
    from ..state.results import RESULTS
    from ..state.spec import SPEC
    from ..tools.described import described
    from .study.model import study_schema

    kinds: dict[str, type[BaseModel]] = {
        **RESULTS,
        "result": RESULTS["drill"],
        "depthqa_graph": QuestionGraph,
        "comparison": Comparison,
        "decision": Decision,
        "profile": ProfileDocument,
    }
    if name == "study":
        schema = study_schema()  # its fields have their options' help
    elif name == "spec":
        schema = described(SPEC.json_schema())
    elif name == "event":
        schema = described(EVENT.json_schema(by_alias=True, mode="serialization"))
    elif name in kinds:
        document = kinds[name].model_json_schema(by_alias=True, mode="serialization")
        if "$ref" in document:  # of a kind that holds another of its kind
            document |= document["$defs"][document.pop("$ref").rpartition("/")[2]]
        schema = {"version": FORMAT, **described(document)}
    else:
        raise UsageError(f"There is no schema {name!r}; there are {NAMES}.")
    typer.echo(orjson.dumps(schema, option=orjson.OPT_INDENT_2).decode())


SCHEMA = Command(
    _schema,
    "Print the JSON schema of a result, a graph of questions, a spec, a study or an event.",
    (Option("", "NAME", f"{NAMES}.", name="name", default="result"),),
)
