"""Parts of runs in full, by `fathom show --path` and `--wrong`: which steps a path names, what is
refused, and what is said of steps that are unlike others."""

import json

import pytest

from ..contracts.recordings import METHODS, recordings
from ..support.command_line import Caller
from ..support.reports import events_of
from .conftest import Trace

RUN = {method: recordings(method)["complete"].name for method in METHODS}
HELD: list[tuple[str, str, str]] = [
    (
        "eqt",
        "c003",
        "c003 .q1 .q1.a0 .q1.open .q1.p1 .q1.a1 .q2 .q2.a0 .q2.open .q2.p1 .q2.a1 .q2.a1.why",
    ),
    ("eqt", "c003.q2", "c003.q2 .a0 .open .p1 .a1 .a1.why"),
    ("eqt", "c003.q2.a1", "c003.q2.a1 .why"),
    *(
        ("eqt", f"{run}C003.Q2.open", "c003.q2.open")
        for run in (" ", f"{RUN['eqt']}/", f"runs/{RUN['eqt']}/")
    ),
    ("depthqa", " COOLANT@Zero-Shot ", "coolant@zero-shot @score"),
    ("depthqa", "coolant.1.1", "coolant.1.1@zero-shot @score"),
    ("depthqa", "spreader@multi-turn@spreader.1@score", "spreader@multi-turn@spreader.1@score"),
    ("depthqa_build", "coolant@depth", "coolant@depth"),
    ("depthqa_build", "coolant.1@more", "coolant.1@more"),
    ("depthqa_build", "sift-f34efbb1bf8f", "sift-f34efbb1bf8f"),
    ("deepquestion", " CHEM-04@Original ", "chem-04@original"),
    ("deepquestion", "chem-04@many", "chem-04@many @solved"),
    ("deepquestion", "chem-21@q2i@first", "chem-21@q2i@first"),
    ("deepquestion", "chem-21@baseline", "chem-21@baseline@first ;chem-21@baseline@second"),
    ("deepquestion", "chem-49@orig", "chem-49@original"),
    ("deepquestion", "q2i@draft2", "q2i@draft2"),
    *(("drill", name, "d01.s02.r0 ;d02.s02.r0") for name in ("d02.s02.r0", " D02.S02 ")),
    ("replay", "d02.s01", "d01.s01.r0 ;d02.s01.r0"),
    ("rejudge", "d02.s01.r0.old", "d01.s01.r0.old ;d02.s01.r0.old"),
]
"""A path, and the ids of its steps: those without a semicolon without what the first begins with.
"""


@pytest.mark.parametrize(("method", "path", "ids"), HELD)
def test_what_a_path_has(trace: Trace, method: str, path: str, ids: str) -> None:
    first, *rest = ids.split() or [""]
    items = json.loads(trace(method, path, "--json", events=events_of(method)).out)["items"]
    wanted = [
        first,
        *(each.removeprefix(";") if each.startswith(";") else first + each for each in rest),
    ]
    assert [item["id"].partition("/")[2] for item in items] == [name for name in wanted if name]


@pytest.mark.parametrize("method", METHODS)
def test_what_is_not_there_is_refused_with_what_is(trace: Trace, method: str) -> None:
    for path in ("", "nothing", "zz.q1", f"ffffffff/{'d01.s00'}"):
        said = trace(method, path)
        assert (said.code, said.out) == (2, "")
        assert "such as " in said.err or "is of the run ffffffff" in said.err


@pytest.mark.parametrize("method", ["drill", "rejudge", "eqt", "depthqa", "deepquestion"])
def test_wrong_answers_of_every_method(trace: Trace, call: Caller, method: str) -> None:
    trace(method, "nothing")
    whole = json.loads(call("show", "last", "--wrong", "--limit", "99", "--json").out)
    shown = call("show", "last", "--wrong", "--limit", "1").out
    assert whole["wrong"] == len(whole["items"]) > 0
    assert shown.count("\n✗ ") == 1
    assert f"{whole['wrong']} wrong answer" in shown
    assert whole["items"][0]["id"].partition("/")[2] in shown
    assert "    question: " in shown
