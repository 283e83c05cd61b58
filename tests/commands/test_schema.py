"""`fathom schema`: the docstrings of fields are in it; events and results carry their format."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from fathom.state import events, result

from ..support.command_line import Caller

NAMES = (
    *(
        "result",
        "replay",
        "rejudge",
        "spec",
        "event",
        "profile",
        "comparison",
        "decision",
        "eqt",
        "ask",
    ),
    *(
        "depthqa",
        "depthqa_build",
        "depthqa_graph",
        "deepquestion",
        "study",
    ),
)


def fields(schema: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """All fields at any depth, with what is said of each."""
    for part in (schema, *schema.get("$defs", {}).values()):
        yield from (
            (f"{part.get('title')}.{name}", field)
            for name, field in part.get("properties", {}).items()
        )


@pytest.mark.parametrize("name", NAMES)
def test_what_a_field_means_stands_in_the_schema(call: Caller, name: str) -> None:
    texts = [
        said.get("description") for _, said in fields(json.loads(call("schema", name).out))
    ]
    assert texts.count(None) < len(texts)


def test_these_are_all_schemas(call: Caller) -> None:
    told = call("schema", "nosuch").err.partition("there are ")[2]
    assert set(" ".join(told.split()).rstrip(".").split(", ")) == set(NAMES)


def test_a_run_and_its_result_carry_the_version_of_their_format(call: Caller) -> None:
    sim = (
        "-t",
        "sim:student",
        "-e",
        "sim:evaluator",
        "-n",
        "2",
        "--max-depth",
        "1",
        "--display",
        "none",
    )
    assert call("drill", "Chemical elements", *sim).code == 0
    (run,) = call.runs
    started = json.loads((run / "events.jsonl").read_text().splitlines()[0])
    assert list(started.items())[-1] == ("format", events.FORMAT)
    assert (
        json.loads((run / "result.json").read_text())["provenance"]["format"] == result.FORMAT
    )
    assert json.loads(call("schema", "result").out)["version"] == result.FORMAT == 2
