"""A campaign as a page: on a terminal, and as Markdown and HTML are made of it."""

import re
from collections.abc import Sequence

import pytest

from fathom.graphs.method import figure_of
from fathom.reports.document.markdown import blocks as markdown
from fathom.reports.page.plain import plain
from fathom.reports.page.terminal import rendered
from fathom.reports.views.campaign import campaign_blocks
from fathom.state.campaign import CellState

from ..support.cells import campaign, cell
from ..support.hostile import ALL_AT_ONCE
from ..support.reports import fits
from ..support.screen import active_characters, shown
from ..support.snapshot import assert_snapshot


def page(states: Sequence[CellState], width: int = 120) -> str:
    return shown(rendered(campaign_blocks(states, figure_of), width), width)


def test_the_page() -> None:
    assert_snapshot("campaign_page", page(campaign(6, 5, 3, over=70), 100))


@pytest.mark.parametrize("width", [80, 160])
def test_a_thousand_cells_have_their_place(width: int) -> None:
    states = campaign(50, 20, over=1000)
    text = page(states, width)
    fits(text, width)
    complete = sum(state.status == "complete" for state in states)
    assert len(re.findall(r"\d\.\d\d–\d\.\d\d", text)) == complete, (
        "each figure has its interval"
    )


def test_what_is_paid_is_known_or_at_least_so_much() -> None:
    paid, free, unknown = cell(usd=12.4, calls=1200), cell(seed=1), cell(seed=2, usd=None)
    assert "0 of 2 cells complete · 1,200 calls · USD 12.40\n" in page([paid, free])
    assert "at least USD 12.40 (cost unknown in 1 cell)" in page([paid, unknown])
    assert "· cost unknown in 1 cell" in page([free, unknown])


def test_whatever_names_and_reasons_say_is_harmless() -> None:
    hostile = ALL_AT_ONCE + "x" * 10_000
    states = [
        cell(hostile, hostile, n, status="failed", error=hostile, run="") for n in range(3)
    ]
    for width in (40, 80, 160):
        fits(page([*states, cell("B", "b")], width), width)
    assert not active_characters("".join(markdown(plain(campaign_blocks(states, figure_of)))))
