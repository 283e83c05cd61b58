"""A run in which every text of a model or a page is hostile, through every display: nothing acts on
a terminal."""

import io
import json
import logging
import re
import unicodedata
from collections.abc import Callable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from fathom import cli
from fathom.commands import launch
from fathom.graphs.method import METHODS, figure_of, steps_of
from fathom.reports.live.display import EventsDisplay, Gauge, LinesDisplay, TreeDisplay
from fathom.reports.live.screen import frame, progress_of
from fathom.reports.page.listing import runs_listing
from fathom.reports.page.sanitise import inert_json, one_line, paragraphs
from fathom.reports.page.terminal import rendered
from fathom.reports.page.view import PageOptions, page
from fathom.reports.step import RunContext
from fathom.reports.trace import find, path_blocks, wrong_blocks, wrong_steps
from fathom.reports.views.unfinished import unfinished
from fathom.state.events import EVENT, Event, Notice
from fathom.state.result import DrillResult
from fathom.tools.runs.folders import Figure, RunEntry
from fathom.tools.runs.log import get_logger

from ..support.drill.recorded import Plan, events_of, result_of
from ..support.hostile import ALL_AT_ONCE, STRINGS
from ..support.reports import launched, on_terminal
from ..support.screen import active_characters, screen, shown, written

pytestmark = pytest.mark.xdist_group("hostile_text")  # one worker makes each hostile run once
FREE = {
    *(
        "run_id",
        "domain",
        "target",
        "evaluator",
        "judge",
        "version",
        "aspects",
        "roots",
        "probe_id",
        "chain",
        "text",
    ),
    *(
        "question",
        "id",
        "root",
        "parent",
        "concept",
        "concepts",
        "reference",
        "quote",
        "title",
        "url",
        "source",
    ),
    *(
        "section",
        "revision",
        "reason",
        "message",
        "kind",
        "finish",
        "model",
        "failure",
        "stop_detail",
    ),
    *("notes", "conformance", "evd_note", "caveats"),
}
"""Fields that hold text from outside: of a model, a page, a person, or an error. `stop_reason` is
Fathom's own."""
ESCAPES = re.compile(r"\x1b\[[?0-9;]*[mhlHJKABCDG]|\r(?=\x1b\[2K|\n)")
"""What rich itself writes to a terminal: styles, cursor, erasing."""
NOW = datetime(2026, 11, 20, 12, 1, tzinfo=UTC)
GAUGE = Gauge(in_flight=1, peak=2, queued=0, capacity=4)


def spoiled(value: Any, bad: str, field: str = "") -> Any:
    """The document with the hostile text around each free text, and in the names of the
    sub-topics."""
    if isinstance(value, dict):
        names = {key: f"{key} {bad}" if field == "by_root" else key for key in value}
        return {names[key]: spoiled(item, bad, key) for key, item in value.items()}
    if isinstance(value, list):
        return [spoiled(item, bad, field) for item in value]
    return f"{bad} {value} {bad}" if field in FREE and isinstance(value, str) else value


@cache
def events(bad: str) -> list[Event]:
    made = [
        EVENT.validate_python(_spoiled(event, bad)) for event in events_of(Plan(kind="faults"))
    ]
    return [
        *made[:-1],
        Notice(run_id=made[0].run_id, seq=0, at=made[-1].at, level="error", message=bad),
        made[-1],
    ]


@cache
def result(bad: str, number: int = 1) -> DrillResult:
    plain = result_of(Plan(stop_reason="max_depth", kind="faults"))
    spec = plain.spec.model_copy(update={"repeats": 3, "repeat": number, "seed": number})
    return DrillResult.model_validate(
        _spoiled(plain.model_copy(update={"spec": spec, "evd_note": "Odd."}), bad)
    )


def _spoiled(record: BaseModel, bad: str) -> Any:
    return spoiled(json.loads(record.model_dump_json(by_alias=True)), bad)


def assert_harmless(text: str) -> None:
    assert not active_characters(text)
    assert not set(text) & set("\u200b\u200e\u200f\u061c\u2028\u2029\ufeff")
    assert not any(0xE0000 <= ord(sign) <= 0xE007F for sign in set(text))
    marks = "".join(sign for sign in set(text) if unicodedata.category(sign) in ("Mn", "Me"))
    assert not marks or not re.search(f"[{marks}]{{9}}", text)


DRILL = METHODS["drill"].page
Printed = Callable[[str], str]


def _lines(bad: str) -> str:
    console = screen(100)
    display = LinesDisplay(console, steps_of)
    for event in events(bad):
        display.handle(event)
    return written(console)


def _frames(bad: str) -> str:
    """The screen at three moments: while asking, at the end of a depth, when all is over."""
    stream = events(bad)
    progresses = [
        progress_of(stream[:stop], steps_of) for stop in (6, len(stream) // 2, len(stream))
    ]
    return "".join(shown(frame(b, GAUGE, NOW, 40), 100) for b in progresses)


def _many_frames(bad: str) -> str:
    other = [event.model_copy(update={"run_id": f"other{bad}"}) for event in events(bad)]
    progress = progress_of([*events(bad), *other], steps_of)
    return shown(frame(progress, GAUGE, NOW, 40), 60)


def _traces(bad: str) -> str:
    held, steps = result(bad).probes, steps_of("drill")
    scene = RunContext(
        result(bad).spec, items={probe.id.rpartition("/")[2]: probe for probe in held}
    )
    by_outcome = {probe.outcome.status: probe for probe in held} | {
        "deep": max(held, key=lambda p: p.depth)
    }
    places = [probe.id.rpartition("/")[2] for probe in by_outcome.values()]
    paths = [path_blocks(steps, scene, find(scene, place)) for place in places]
    wrong = wrong_blocks(steps, scene, wrong_steps(steps, scene), 9)
    return "".join(on_terminal(blocks, 100) for blocks in [*paths, wrong])


def _listing(bad: str) -> str:
    entry = RunEntry(
        path=Path("runs"), id=bad, method=bad, domain=bad, target=bad, status=bad,
        censored=True, simulated=True, when=NOW, figures=(Figure("evd", 1.0, (0.5, 2.0)),),
    )  # fmt: skip
    return on_terminal([runs_listing([entry], figure_of)], 120)


def _unfinished(bad: str) -> str:
    (progress,) = progress_of(events(bad)[:-1], steps_of).runs.values()
    (over,) = progress_of(events(bad), steps_of).runs.values()
    return shown(
        rendered(unfinished(progress, kept=Path(f"runs/{bad[:40]}")), 100), 100
    ) + shown(rendered(unfinished(over), 60), 60)


DISPLAYS: dict[str, Printed] = {
    "lines": _lines,
    "tree": _frames,
    "tree of two": _many_frames,
    "summary": lambda bad: on_terminal(
        page(DRILL, result(bad), PageOptions(Path(f"runs/{bad[:40]}"))), 100
    ),
    "narrow summary": lambda bad: on_terminal(page(DRILL, result(bad), PageOptions()), 60),
    "combined": lambda bad: launched([result(bad), result(bad)], 140),
    "unfinished": _unfinished,
    "trace": _traces,
    "listing": _listing,
}


@pytest.mark.parametrize("clean", [one_line, paragraphs])
def test_the_door_makes_each_hostile_text_harmless(clean: Callable[[str], str]) -> None:
    for text in STRINGS.values():
        assert_harmless(clean(text))


SHORT = ("colour", "bidi", "lines", "stack", "markup")
"""One of each kind, that no column cuts; and all at once."""


@pytest.mark.parametrize("display", DISPLAYS)
@pytest.mark.parametrize("name", [*SHORT, "all"])
def test_a_display_shows_hostile_text_harmlessly(display: str, name: str) -> None:
    text = DISPLAYS[display](STRINGS.get(name, ALL_AT_ONCE))
    assert text.strip()
    assert_harmless(text)


def test_every_free_text_of_an_event_was_spoiled() -> None:
    """The test above is worth something: the hostile text is in nearly every event, and in the
    result's own texts."""
    assert all("\x07" in event.run_id for event in events("\x07"))
    judged = [event.probe for event in events("\x07") if event.type == "probe_judged"]
    assert all(p.answer and "\x07" in p.answer.text and "\x07" in p.concept for p in judged)
    spoilt = result("\x07")
    places = (
        spoilt.spec.domain,
        spoilt.aspects[0],
        spoilt.notes[0],
        spoilt.conformance[0],
        *spoilt.by_root,
    )
    assert all("\x07" in text for text in places)
    assert all("\x07" in probe.question.text for probe in spoilt.probes if probe.question)


def test_the_live_screen_sends_nothing_but_its_own_sequences() -> None:
    console = screen(100, 40, colour=True)
    display = TreeDisplay(console, lambda: GAUGE, steps_of, lambda: NOW)
    display.start()
    for event in events(ALL_AT_ONCE):
        display.handle(event)
        if event.type in ("depth_planned", "depth_closed", "run_finished"):
            display.refresh()
    display.stop()
    sent = written(console)
    assert "\x1b[" in sent  # it is a terminal, and rich speaks to it
    assert_harmless(ESCAPES.sub("", sent))


def test_events_as_json_are_raw_and_act_on_nothing() -> None:
    stream = io.StringIO()
    display = EventsDisplay(stream)
    made = events(ALL_AT_ONCE)
    for event in made:
        display.handle(event)
    lines = stream.getvalue().splitlines()  # splits at U+2028 and U+0085 too
    assert [EVENT.validate_json(line) for line in lines] == made
    assert not active_characters(stream.getvalue())
    assert (
        inert_json(json.dumps("\x9b\u202e\u2028", ensure_ascii=False))
        == '"\\u009b\\u202e\\u2028"'
    )


@pytest.mark.parametrize("say", [cli._say, launch.say], ids=["error", "end of a launch"])
def test_sentences_of_the_command_line(
    say: Callable[[str], None], capsys: pytest.CaptureFixture[str]
) -> None:
    say(f"The endpoint said: {ALL_AT_ONCE}.")
    printed = capsys.readouterr().err
    assert "The endpoint said" in printed
    assert_harmless(printed.rstrip("\n"))


def test_a_log_line_is_one_line_of_json(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="fathom"):
        get_logger().warning("a reply could not be read", reply=ALL_AT_ONCE)
    (line,) = [record.getMessage() for record in caplog.records]
    assert json.loads(line)["reply"] == ALL_AT_ONCE
    assert not active_characters(line)


@pytest.mark.parametrize("clean", [one_line, paragraphs])
def test_heaps_of_marks_are_cut_and_counted(clean: Callable[[str], str]) -> None:
    assert clean("e" + "\u0301" * 300 + "x") == "e" + "\u0301" * 8 + "<+292 marks>x"
    assert clean("e" + "\u0301\u200d" * 20).count("\u0301") == 8
    for sound in ("Việt Nam".encode().decode(), "ก็ที่นี่", "שָׁלוֹם", "हिन्दी", "e\u0301\u0323\u0302"):
        assert clean(sound) == sound
