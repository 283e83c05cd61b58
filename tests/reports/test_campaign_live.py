"""A campaign while it runs: the screen at every size, and the few lines in its place."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pyte
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.reports.live.campaign import CampaignLines, CampaignScreen, make_campaign_display
from fathom.reports.live.campaign_frame import campaign_frame
from fathom.reports.live.pace import Tempo
from fathom.reports.page.rows import row_width
from fathom.state.campaign import CellState

from ..support.cells import DOMAINS, NOON, STATUSES, campaign, cell
from ..support.hostile import ALL_AT_ONCE
from ..support.reports import GAUGE
from ..support.screen import active_characters, screen, shown, written
from ..support.snapshot import assert_snapshot

GOING: dict[str, Any] = {"status": "running", "share": 0.3, "figure": 0.71}
TEMPO = Tempo(elapsed_s=750, left_s=740, calls_per_s=175)


class Clock:
    """A time that only goes on when it is told to."""

    at = NOON

    def __call__(self) -> datetime:
        return self.at

    def wait(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


def frame(states: Sequence[CellState], width: int, height: int, **gauge: Any) -> str:
    rows = campaign_frame(states, TEMPO, replace(GAUGE, **gauge), width, height)
    return "\n".join("".join(text for text, _ in row).rstrip() for row in rows)


@pytest.mark.parametrize(
    ("name", "states"),
    [
        ("few", campaign(5, 4)),
        ("repeats", campaign(7, 5, 3)),
        ("thousand", campaign(50, 20)),
        ("methods", [*campaign(4, 3), *(cell(d, "openai:gpt-5", method="eqt", **GOING) for d in DOMAINS[:4])]),
    ],
)
def test_the_screen(name: str, states: list[CellState]) -> None:
    sizes = [frame(states, width, height, refused=12) for width, height in ((80, 24), (160, 50))]
    assert_snapshot(f"campaign_screen_{name}", "\n═════\n".join(sizes))


@st.composite
def any_states(draw: st.DrawFn) -> list[CellState]:
    texts = st.sampled_from(["", "Physics", ALL_AT_ONCE, "超流動ヘリウム" * 9, "الهيليوم", "x" * 10_000]) | st.text(
        max_size=30
    )
    names = draw(st.lists(texts, min_size=1, max_size=4)), draw(st.lists(texts, min_size=1, max_size=4))
    sizes = draw(st.tuples(st.integers(0, 40), st.integers(1, 60), st.integers(1, 3)))
    figures = st.none() | st.floats(0, 1000)
    made = [
        cell(
            f"{names[0][d % len(names[0])]}{d // len(names[0])}",
            f"{names[1][m % len(names[1])]}{m // len(names[1])}",
            seed,
            method=("drill", "eqt")[d % 5 == 4],
        )
        for d in range(sizes[0])
        for m in range(sizes[1])
        for seed in range(sizes[2])
    ][:600]
    kinds = draw(
        st.lists(st.tuples(st.sampled_from(STATUSES), figures, st.floats(0, 1), texts), min_size=1, max_size=9)
    )
    changes = [dict(zip(("status", "figure", "share", "error"), kind, strict=True)) for kind in kinds]
    return [each.model_copy(update=changes[n % len(changes)]) for n, each in enumerate(made)]


@given(any_states(), st.integers(1, 220), st.integers(1, 70), st.booleans())
def test_the_screen_fits_whatever_there_is(states: list[CellState], width: int, height: int, stopping: bool) -> None:
    rows = campaign_frame(states, TEMPO, replace(GAUGE, stopping=3 if stopping else None, refused=2), width, height)
    assert 0 < len(rows) <= height
    assert max(map(row_width, rows)) <= width
    assert not active_characters("".join(text for row in rows for text, _ in row))


def test_each_frame_replaces_the_one_before_and_the_last_one_stays() -> None:
    states, clock, console = campaign(30, 8), Clock(), screen(80, 24, colour=True)
    display: Any = make_campaign_display("tree", states, console=console, gauge=lambda: GAUGE, now=clock)
    assert isinstance(display, CampaignScreen)
    display.start()
    for state in states:
        display.handle(state.model_copy(update={"status": "complete", "share": 1.0}))
        clock.wait(1)
        if state.target == states[0].target:
            display.refresh()
    display.stop()
    terminal = pyte.HistoryScreen(80, 24, history=1000)
    terminal.set_mode(pyte.modes.LNM)
    pyte.Stream(terminal).feed(written(console))
    assert not terminal.history.top
    assert sum("240 of 240 cells finished" in row for row in terminal.display) == 1


def test_where_something_goes_on_is_shown_and_the_rest_is_counted() -> None:
    states = [
        cell(f"Domain {n}", status="running" if n == 37 else "complete" if n < 20 else "waiting") for n in range(60)
    ]
    text = frame(states, 80, 20)
    assert "Domain 37 " in text
    assert "Domain 50" not in text
    assert "more domains: " in text


def test_short_figures_are_still_what_they_are() -> None:
    shares = [1.0, 0.714, 0.004, 0.0]
    states = [cell("A", f"m{n}", method="eqt", figure=shares[n % 4], status="complete") for n in range(12)]
    states += [cell("B", f"m{n}", figure=10.25, status="complete") for n in range(12)]
    rows = [line.split() for line in frame(states, 80, 24).splitlines() if line[:2] in ("A ", "B ")]
    assert rows[0][3:7] == ["✓100", "✓71%", "✓<1%", "✓0%"]
    assert rows[1][3:5] == ["✓10", "✓10"]


def test_a_stop_is_said_first_and_not_when_all_is_over() -> None:
    last = frame(campaign(3, 3), 80, 24, stopping=9).splitlines()[-1]
    assert last.startswith("stopping: 5 cells in flight, Ctrl-C again to leave now")
    assert "stopping" not in frame([cell(status="complete")], 80, 24, stopping=0)


# how long it may take


def test_time_left_and_calls_a_second_are_of_this_session() -> None:
    clock = Clock()
    earlier = [cell(seed=n, status="complete", calls=1000) for n in range(50)]
    cut = [cell(seed=50, status="interrupted", share=0.5, calls=500), cell(seed=51, status="failed", calls=500)]
    new = [cell(seed=n) for n in range(52, 60)]
    display = CampaignScreen([*earlier, *cut, *new], screen(120, 30, colour=True), lambda: GAUGE, clock)
    clock.wait(600)
    display.start()
    display.handle(cut[0].model_copy(update={"status": "running"}))
    display.handle(cut[1].model_copy(update={"status": "running", "share": 0.2}))
    for _ in range(60):
        clock.wait(1)
        assert " left" not in shown(display, 120, 30), "nothing is known yet"
    assert " · 0.0 calls/s" in shown(display, 120, 30)
    display.handle(cut[0].model_copy(update={"status": "complete", "share": 1.0, "calls": 800}))
    display.handle(cut[1].model_copy(update={"status": "failed", "share": 1.0, "calls": 800}))
    text = shown(display, 120, 30)
    # .5 + .8 of a cell in a minute, and 8 cells left: 8 / 1.3 minutes; 600 calls in the last 30 seconds
    assert "1:00 · about 6 min left" in text
    assert " · 20 calls/s" in text
    for _ in range(31):
        clock.wait(1)
        text = shown(display, 120, 30)
    assert " · 0.0 calls/s" in text
    display.stop()


# lines


def played(states: Sequence[CellState], error: str = "", *, environ: dict[str, str] | None = None) -> list[str]:
    """The lines of a campaign in which every second takes a cell and every tenth fails, each for its own reason."""
    clock, console = Clock(), screen(120, colour=bool(environ), environ=environ)
    display = make_campaign_display(
        "lines", states, console=console, gauge=lambda: replace(GAUGE, refused=3), now=clock
    )
    display.start()
    for number, state in enumerate(states):
        display.handle(state.model_copy(update={"status": "running", "share": 0.5, "figure": 3.0}))
        clock.wait(1)
        ended = {"status": "complete"} if number % 10 else {"status": "failed", "error": f"reason {number} {error}"}
        display.handle(state.model_copy(update={"share": 1.0, "calls": 175, "usd": 0.003, **ended}))
    display.stop()
    display.stop()
    return written(console).splitlines()


def test_the_lines() -> None:
    assert_snapshot("campaign_lines", "\n".join(played(campaign(25, 4, over=-10))))


@pytest.mark.parametrize("cells", [1, 7, 100, 1000])
def test_lines_are_few_and_each_is_one(cells: int) -> None:
    lines = played([cell(seed=n) for n in range(cells)], ALL_AT_ONCE + "x" * 10_000)
    assert len(lines) <= 35
    assert all(line.startswith("12:") and len(line) < 1000 for line in lines)
    assert not active_characters("\n".join(lines))
    assert f"0 of {cells:,} cell" in lines[0]
    assert f"{cells:,} cell{'s' * (cells > 1)}: " in lines[-1]


def test_lines_have_no_colour_where_none_is_wanted() -> None:
    for environ, coloured in ({"NO_COLOR": "1"}, False), ({"TERM": "xterm"}, True):
        assert ("\x1b[1;31m" in "".join(played(campaign(3, 3), environ=environ))) is coloured


def test_a_screen_without_a_terminal_becomes_lines_and_none_is_silent() -> None:
    console = screen(80)
    assert isinstance(make_campaign_display("tree", [cell()], console=console, gauge=lambda: GAUGE), CampaignLines)
    silent = make_campaign_display("none", [cell()], console=console, gauge=lambda: GAUGE)
    silent.start()
    silent.handle(cell(status="failed"))
    silent.stop()
    assert written(console) == ""
