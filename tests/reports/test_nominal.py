"""A tier in name only is called so wherever its name stands."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fathom.graphs.method import result_of as result_of_record
from fathom.graphs.run.record import record_of
from fathom.state.events import EVENT
from fathom.state.tiers import Tier

from ..contracts.recordings import recordings
from ..support.command_line import Caller
from ..support.html_pages import held_in, texts_of
from ..support.reports import (
    fits,
    flat,
    framed,
    lined,
    printed,
    result_of,
    write_run,
)

PLAIN = re.compile(r"professional(?!\s+\(nominal\))")
CHECK = {"level": "textbook", "step": "level", "doubtful": True}


def _journal() -> list[Any]:
    """The recorded drill, its depth 4 at PROFESSIONAL, from a folder, put to an anchor too."""
    events = []
    for line in recordings("drill")["complete"].journal:
        event = json.loads(line.replace('"tier":"TEXTBOOK"', '"tier":"PROFESSIONAL"'))
        if event["type"] == "run_started":
            event["spec"]["facts"]["PROFESSIONAL"] = ["folder:/notes"]
        if event["type"] == "probe_judged" and event["probe"]["depth"] == 4:
            event["probe"]["check"] = CHECK
        if event["type"] == "depth_closed":
            event["row"]["anchors"] = {"sim:expert": [4, 5]}
        events.append(EVENT.validate_python(event))
    return events


JOURNAL = _journal()
RESULT: Any = result_of_record(record_of(JOURNAL))


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Caller:
    files = recordings("drill")["complete"].files
    write_run(tmp_path / "runs", RESULT, JOURNAL, files)
    monkeypatch.setenv("COLUMNS", "140")
    return Caller(tmp_path, monkeypatch, capsys)


@pytest.mark.parametrize(
    "shown",
    [
        lambda: printed(RESULT),
        lambda: framed(JOURNAL[:-2]),
        lambda: "\n".join(lined(JOURNAL)),
    ],
)
def test_on_the_terminal(shown: Callable[[], str]) -> None:
    text = shown()
    assert "professional (nominal)" in text
    assert not PLAIN.search(text)


def test_in_full_in_a_report_and_in_a_profile(call: Caller, tmp_path: Path) -> None:
    run = RESULT.run_id
    shown = [call("show", run, "--path", "d04.s01.r0").out, call("profile", run).out]
    for file in ("r.html", "r.md"):
        assert call("report", run, "-o", file).code == 0
    shown += texts_of(held_in(tmp_path / "r.html"))
    shown.append((tmp_path / "r.md").read_text(encoding="utf-8"))
    assert sum("professional (nominal)" in flat(text) for text in shown) > 5
    cells = "professional"  # in a column of a table beside that of `nominal`
    assert [text for text in map(flat, shown) if PLAIN.search(text) and text != cells] == []


def test_in_a_replay() -> None:
    for method in ("replay", "rejudge"):
        text = printed(result_of(method, source__nominal=(Tier.TEXTBOOK,)))
        assert "textbook (nominal)" in text
        assert not re.search(r"textbook(?! \(nominal\))", text)


def test_the_ruler_fits_every_screen() -> None:
    for width in (40, 60, 80, 100, 140):
        text = printed(RESULT, width)
        fits(text, width)
        assert width < 60 or not re.search(r"[\d.%–]…", text)
    assert "(0 of 5)" in printed(RESULT), "that follow-ups do not go deeper stands beside EVD"
