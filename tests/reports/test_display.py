"""The four displays over their real channels: pipes, a text stream, a pseudo-terminal's escape codes."""

import io
import json
from datetime import datetime, timedelta

import pyte
import pytest

from fathom.reports.live.display import Gauge, LinesDisplay, TreeDisplay, default_display, make_display
from fathom.state.events import EVENT

from ..support.drill.synthetic import START, Plan, events_of, interleaved
from ..support.screen import active_characters, screen, written
from ..support.snapshot import assert_snapshot

PLAN = Plan(n=4, accuracies=(0.75, 0.5))
EVENTS = events_of(PLAN)
OTHER = Plan(run_id="20261120T120000-drill-art-b1b1b1b1", domain="Art", seed=2)
GAUGE = Gauge(1, 2, 0, 4)


def gauge() -> Gauge:
    return GAUGE


def test_events_are_one_json_document_per_line() -> None:
    stdout, console = io.StringIO(), screen(80)
    display = make_display("events", console=console, stdout=stdout, gauge=gauge)
    display.start()
    for event in EVENTS:
        display.handle(event)
    display.stop()
    lines = stdout.getvalue().split("\n")
    assert lines.pop() == ""
    assert [EVENT.validate_json(line) for line in lines] == EVENTS
    assert json.loads(lines[-2])["row"]["pass"] == 2, "the field's public name"
    assert written(console) == ""


def test_none_is_silent() -> None:
    stdout, console = io.StringIO(), screen(80)
    display = make_display("none", console=console, stdout=stdout, gauge=gauge)
    for event in EVENTS:
        display.handle(event)
    assert stdout.getvalue() == written(console) == ""


def test_lines() -> None:
    console, stdout = screen(80), io.StringIO()
    display = make_display("lines", console=console, stdout=stdout, gauge=gauge)
    for event in EVENTS:
        display.handle(event)
    text = written(console)
    assert_snapshot("lines", text)
    assert not active_characters(text)
    judged = sum(event.type == "probe_judged" for event in EVENTS)
    assert sum(" s Aspect" in line for line in text.splitlines()) == judged, "one line per probe, however long"
    assert stdout.getvalue() == ""


def test_lines_are_coloured_on_a_terminal_unless_no_color_is_set() -> None:
    plain, colourful = screen(80, colour=True, environ={"NO_COLOR": "1"}), screen(80, colour=True)
    for console in (plain, colourful):
        for event in EVENTS:
            LinesDisplay(console).handle(event)
    assert "\x1b[3" in written(colourful)
    assert "\x1b[3" not in written(plain)
    assert "\x1b[9" not in written(plain)


@pytest.mark.parametrize("environ", [{}, {"TERM": "dumb"}])
def test_a_tree_without_a_terminal_becomes_lines(environ: dict[str, str]) -> None:
    console = screen(80, colour=bool(environ), environ=environ)
    display = make_display("tree", console=console, stdout=io.StringIO(), gauge=gauge)
    assert isinstance(display, LinesDisplay)


def test_default_display() -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    assert default_display(Terminal(), "xterm-256color") == "tree"
    assert default_display(Terminal(), "dumb") == "lines"
    assert default_display(io.StringIO(), "xterm-256color") == "lines"


@pytest.mark.parametrize(("width", "height"), [(80, 24), (120, 40), (200, 60), (60, 15)])
def test_the_tree_on_an_emulated_terminal(width: int, height: int) -> None:
    events = interleaved(events_of(Plan(n=30, accuracies=(0.9,) * 9)), events_of(OTHER))
    console = screen(width, height, colour=True)
    clock = [START]
    display = TreeDisplay(console, gauge, lambda: clock[0])
    display.start()
    for number, event in enumerate(events):
        display.handle(event)
        clock[0] = START + timedelta(seconds=number / 4)
        if number % 40 == 0:
            display.refresh()
    display.stop()
    terminal = pyte.HistoryScreen(width, height, history=1000)
    terminal.set_mode(pyte.modes.LNM)  # a terminal driver adds the carriage return to each line feed
    pyte.Stream(terminal).feed(written(console))
    rows = [row.rstrip() for row in terminal.display]
    assert not terminal.history.top, "nothing was pushed off the top: the frame never overflowed"
    heads = [row for row in rows if row.startswith("  run ")]
    assert len(heads) == 1, "each frame replaced the one before"
    assert any(row.startswith("calls in flight 1 of 4") for row in rows)
    assert any("Chemical elements" in row for row in rows)
    assert not terminal.cursor.hidden


def test_start_and_stop_may_be_repeated() -> None:
    console = screen(80, 24, colour=True)
    display = make_display("tree", console=console, stdout=io.StringIO(), gauge=gauge, now=lambda: START)
    assert isinstance(display, TreeDisplay)
    display.stop()
    display.start()
    display.start()
    display.handle(EVENTS[0])
    display.stop()
    display.stop()
    assert written(console).count("\x1b[?25l") == written(console).count("\x1b[?25h") == 1


def test_a_run_stays_in_view_for_a_while() -> None:
    console = screen(80, 24, colour=True)
    now = [START]
    first, second = events_of(PLAN), events_of(OTHER)
    display = TreeDisplay(console, gauge, lambda: now[0])

    def shown_at(moment: datetime) -> str:
        now[0] = moment
        before = len(written(console))
        console.print(display)
        return written(console)[before:]

    display.handle(first[0])
    display.handle(second[0])
    assert "Art · sim:student · evaluator" in plain(shown_at(START)), "the most recently active one"
    display.handle(first[1])
    assert "Art · sim:student · evaluator" in plain(shown_at(START + timedelta(seconds=1)))
    later = plain(shown_at(START + timedelta(seconds=5)))
    assert "Chemical elements · sim:student · evaluator" in later
    for event in first[2:]:
        display.handle(event)
    finished = plain(shown_at(START + timedelta(seconds=6)))
    assert "Art · sim:student · evaluator" in finished, "a finished run gives way at once"


def plain(text: str) -> str:
    terminal = pyte.Screen(80, 24)
    terminal.set_mode(pyte.modes.LNM)
    pyte.Stream(terminal).feed(text)
    return "\n".join(terminal.display)
