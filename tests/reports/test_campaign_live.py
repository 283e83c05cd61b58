"""A campaign while it runs: the screen at every size, and the few lines in its place."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from fathom.reports.live.campaign import (
    Campaign,
    CampaignLines,
    campaign_frame,
    make_campaign_display,
)
from fathom.state.campaign import CellState

from ..support.cells import NOON, STATUSES, campaign, cell
from ..support.hostile import ALL_AT_ONCE
from ..support.reports import GAUGE
from ..support.screen import active_characters, screen, shown, written
from ..support.snapshot import assert_snapshot


class Clock:
    """A time that only goes on when it is told to."""

    at = NOON

    def __call__(self) -> datetime:
        return self.at

    def wait(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


def frame(states: Sequence[CellState], width: int, height: int, **gauge: Any) -> str:
    """Twelve and a half minutes after the beginning."""
    clock = Clock()
    campaign = Campaign(states, lambda: replace(GAUGE, **gauge), clock)
    clock.wait(750)
    text = shown(campaign_frame(campaign, height), width, height)
    return "\n".join(line.rstrip() for line in text.splitlines())


def test_the_screen() -> None:
    few, many = frame(campaign(7, 5, 3), 100, 30, refused=12), frame(campaign(50, 20), 100, 30)
    assert_snapshot("campaign_screen", f"{few}\n═════\n{many}")


TEXTS = st.sampled_from(
    ["", "Physics", ALL_AT_ONCE, "超流動ヘリウム" * 9, "الهيليوم", "x" * 10_000]
) | st.text(max_size=30)
KINDS = st.fixed_dictionaries(
    {
        "status": st.sampled_from(STATUSES),
        "figure": st.none() | st.floats(0, 1000),
        "share": st.floats(0, 1),
        "error": TEXTS,
        "method": st.sampled_from(["drill", "eqt"]),
    }
)


@st.composite
def any_states(draw: st.DrawFn) -> list[CellState]:
    kinds, names = (
        draw(st.lists(KINDS, min_size=1, max_size=9)),
        draw(st.lists(TEXTS, min_size=1, max_size=4)),
    )
    cells, domains, models = (
        draw(st.integers(0, 90)),
        draw(st.integers(1, 40)),
        draw(st.integers(1, 60)),
    )
    called = [f"{names[n % len(names)]}{n}" for n in range(60)]
    return [
        cell(called[n % domains], called[n % models], n, **kinds[n % len(kinds)])
        for n in range(cells)
    ]


@settings(max_examples=12)
@given(any_states(), st.integers(20, 220), st.integers(3, 70), st.booleans())
def test_the_screen_fits_whatever_there_is(
    states: list[CellState], width: int, height: int, stopping: bool
) -> None:
    text = frame(states, width, height, stopping=3 if stopping else None, refused=2)
    lines = text.splitlines()
    assert 0 < len(lines) <= height
    assert max(map(cell_len, lines)) <= width
    assert not active_characters(text)


def test_what_was_cut_off_is_not_complete() -> None:
    states = [cell(seed=n, status=status, share=0.5) for n, status in enumerate(STATUSES)]
    assert "  58%  1 of 6 cells complete · 12 min elapsed" in frame(states, 120, 20)


def test_what_is_spent_is_told_beside_what_may_be() -> None:
    paid = cell(usd=12.4, calls=1200)
    assert "\nUSD 12.40 · 1,200 calls" in frame([paid], 80, 24)
    assert "\nUSD 12.40 of USD 200.00 · 1,200 of 9,000 calls" in frame(
        [paid], 80, 24, budget_usd=200, max_calls=9000
    )


def test_a_stop_is_said_first_and_not_when_all_is_over() -> None:
    last = frame(campaign(3, 3), 80, 24, stopping=9).splitlines()[-1]
    assert last.startswith("stopping: 5 cells in flight, Ctrl-C again to leave now")
    for over in ("complete", "interrupted"):
        assert "stopping" not in frame([cell(status=over), cell(seed=1)], 80, 24, stopping=0)


# how long it may take


def test_time_left_and_calls_are_of_this_session() -> None:
    clock = Clock()
    earlier = [cell(seed=n, status="complete", calls=1000) for n in range(50)]
    cut = [cell(seed=50, share=0.5, calls=500), cell(seed=51, calls=500)]
    states = [*earlier, *cut, *(cell(seed=n) for n in range(52, 60))]
    display: Any = make_campaign_display(
        "tree",
        states,
        console=screen(9, colour=True),
        gauge=lambda: GAUGE,
        now=clock,
    )
    display.handle(cut[0].model_copy(update={"status": "running"}))
    display.handle(cut[1].model_copy(update={"status": "running", "share": 0.2}))
    clock.wait(60)
    assert " left" not in shown(display, 120, 30), "nothing is known yet"
    display.handle(cut[0].model_copy(update={"status": "complete", "share": 1.0, "calls": 800}))
    display.handle(cut[1].model_copy(update={"status": "failed", "share": 1.0, "calls": 800}))
    # .5 + .8 of a cell in a minute, and 8 cells left: 8 / 1.3 minutes
    text = shown(display, 120, 30)
    assert "1 min elapsed · about 6 min left" in text
    assert "51,600 calls" in text


# lines


def played(states: Sequence[CellState], error: str = "") -> list[str]:
    """The lines of a campaign in which every tenth cell fails, each for its own reason."""
    clock, console = Clock(), screen(120)
    display = make_campaign_display(
        "lines",
        states,
        console=console,
        gauge=lambda: replace(GAUGE, refused=3),
        now=clock,
    )
    display.start()
    for number, state in enumerate(states):
        display.handle(
            state.model_copy(update={"status": "running", "share": 0.5, "figure": 3.0})
        )
        clock.wait(7)
        ended = (
            {"status": "complete"}
            if number % 10
            else {"status": "failed", "error": f"reason {number} {error}"}
        )
        display.handle(
            state.model_copy(update={"share": 1.0, "calls": 175, "usd": 0.003, **ended})
        )
    display.stop()
    display.stop()
    return written(console).splitlines()


def test_the_lines() -> None:
    assert_snapshot("campaign_lines", "\n".join(played(campaign(25, 4, over=-10))))


@pytest.mark.parametrize("cells", [1, 100])
def test_each_line_is_one(cells: int) -> None:
    lines = played([cell(seed=n) for n in range(cells)], ALL_AT_ONCE + "x" * 10_000)
    assert len(lines) <= 3 + cells / 4
    assert all(line.startswith("12:") and len(line) < 1000 for line in lines)
    assert not active_characters("\n".join(lines))
    assert f"0 of {cells:,} cell" in lines[0]
    assert f"{cells:,} cell{'s' * (cells > 1)} complete" in lines[-1]


def test_a_screen_without_a_terminal_becomes_lines_and_none_is_silent() -> None:
    console = screen(80)
    assert isinstance(
        make_campaign_display("tree", [cell()], console=console, gauge=lambda: GAUGE),
        CampaignLines,
    )
    silent = make_campaign_display("none", [cell()], console=console, gauge=lambda: GAUGE)
    silent.start()
    silent.handle(cell(status="failed"))
    silent.stop()
    assert written(console) == ""
