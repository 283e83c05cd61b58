"""The four displays over their real channels: pipes, a text stream, a terminal's escape codes."""

import io
from typing import Any

import pytest
from rich.console import Console

from fathom.graphs.method import steps_of
from fathom.reports.live.display import TreeDisplay, make_display
from fathom.reports.page.rows import clip
from fathom.state.events import EVENT

from ..contracts.recordings import METHODS
from ..support.reports import GAUGE, events_of, hostile
from ..support.screen import active_characters, screen, shown, written


def display_of(
    kind: Any, console: Console, stdout: io.StringIO | None = None, **options: Any
) -> Any:
    return make_display(
        kind,
        console=console,
        stdout=stdout or io.StringIO(),
        gauge=lambda: GAUGE,
        steps_of=steps_of,
        **options,
    )


def run_through(display: Any, events: list[Any]) -> None:
    display.start()
    for event in events:
        display.handle(event)
    display.stop()


@pytest.mark.parametrize("method", METHODS)
def test_events_are_one_json_document_per_line_whatever_others_have_written(
    method: str,
) -> None:
    stdout, console, events = io.StringIO(), screen(80), events_of(method, change=hostile)
    run_through(display_of("events", console, stdout), events)
    lines = stdout.getvalue().split("\n")
    assert lines.pop() == ""
    assert [EVENT.validate_json(line) for line in lines] == events
    assert not active_characters(stdout.getvalue())
    assert written(console) == ""
    if method == "drill":
        assert any('"row":{' in line and '"pass":2' in line for line in lines), (
            "the field's public name"
        )


def test_none_is_silent_and_lines_write_nothing_to_stdout() -> None:
    stdout, console = io.StringIO(), screen(80)
    run_through(display_of("none", console, stdout), events_of("drill"))
    assert stdout.getvalue() == written(console) == ""
    run_through(display_of("lines", console, stdout), events_of("drill"))
    assert stdout.getvalue() == ""
    assert written(console) != ""


def test_start_and_stop_may_be_repeated() -> None:
    console = screen(80, 24, colour=True)
    display = display_of("tree", console)
    assert isinstance(display, TreeDisplay)
    display.stop()
    display.start()
    run_through(display, events_of("drill")[:1])
    display.stop()
    assert written(console).count("\x1b[?25l") == written(console).count("\x1b[?25h") == 1


def test_a_run_stays_in_view_until_it_ends() -> None:
    first, second = events_of("drill"), events_of("eqt")
    display = display_of("tree", screen(80, 24, colour=True), now=lambda: first[0].at)

    def in_view() -> str:
        rows = shown(display, 80, 24).splitlines()
        return next(row.split("  ")[1].split(" ·")[0] for row in rows if " SIMULATED " in row)

    for event in (first[0], second[0], *second[1:9]):
        display.handle(event)
        assert in_view() == "Chemical elements", "whoever else is active"
    for event in first[1:]:
        display.handle(event)
    assert in_view() == "Iron, Gold, Argon", "at once"
    for event in second[9:]:
        display.handle(event)
    assert in_view() == "Iron, Gold, Argon", "the last one stays"


def test_clipping_counts_cells_not_characters() -> None:
    assert clip("超流動ヘリウム", 7) == "超流動…"
    assert clip("helium", 6) == "helium"
