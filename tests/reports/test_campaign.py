"""A campaign as a page: on a terminal, and as Markdown and HTML are made of it."""

import re
from collections.abc import Sequence

import pytest

from fathom.reports.document.markdown import blocks as markdown
from fathom.reports.page.plain import plain
from fathom.reports.page.terminal import rendered
from fathom.reports.views.campaign import campaign_blocks
from fathom.state.campaign import CellState

from ..support.cells import campaign, cell
from ..support.hostile import ALL_AT_ONCE
from ..support.reports import fits, flat
from ..support.screen import active_characters, shown
from ..support.snapshot import assert_snapshot


def page(states: Sequence[CellState], width: int = 120) -> str:
    return shown(rendered(campaign_blocks(states), width), width)


@pytest.mark.parametrize("width", [80, 160])
def test_the_page(width: int) -> None:
    assert_snapshot(f"campaign_page_{width}", page(campaign(6, 5, 3, over=70), width))


@pytest.mark.parametrize("width", [80, 160])
def test_a_thousand_cells_have_their_place(width: int) -> None:
    states = campaign(50, 20, over=1000)
    text = page(states, width)
    fits(text, width)
    complete = sum(state.status == "complete" for state in states)
    assert len(re.findall(r"\d\.\d\d–\d\.\d\d", text)) == complete, "each figure has its interval"
    assert len(re.findall(r"^EVD by domain and model \(drill\)", text, re.MULTILINE)) == (
        3 if width == 160 else 5
    )


def test_nothing_of_no_cell_and_no_table_of_failures_without_one() -> None:
    assert page([]).strip() == ""
    assert "Failures" not in page([cell()])


def test_states_without_a_result_are_words() -> None:
    states = [
        cell("A", "a", status="running", share=0.457),
        cell("A", "b"),
        cell("A", "c", status="partial"),
    ]
    states += [
        cell("B", "a", status="complete"),
        cell("B", "b", status="failed"),
        cell("B", "c", status="interrupted"),
    ]
    rows = [line.split() for line in page(states).splitlines() if line.startswith(("A ", "B "))]
    assert rows == [
        ["A", "running", "45%", "waiting", "no", "budget"],
        ["B", "complete,", "no", "failed", "interrupted"],
    ]
    text = page([cell(seed=seed, status="failed" if seed else "waiting") for seed in range(3)])
    assert "2 failed" in text
    assert "1 waiting" in text


def test_each_method_has_a_table_in_its_own_unit() -> None:
    states = [
        cell(method=m, status="complete", figure=f)
        for m, f in (("drill", 4.5), ("eqt", 0.71), ("depthqa", 3.8))
    ]
    text = flat(page(states))
    for name, figure in (("EVD", "4.50"), ("accuracy", "71%"), ("mean score", "3.80")):
        assert re.search(rf"{name} by domain and model \(\w+\) .* {figure}", text)


def test_what_is_paid_is_known_or_at_least_so_much() -> None:
    paid, free, unknown = cell(usd=12.4, calls=1200), cell(seed=1), cell(seed=2, usd=None)
    assert "2 cells: 2 waiting · 1,200 calls · USD 12.40\n" in page([paid, free])
    assert "at least USD 12.40 (cost unknown in 1 cell)" in page([paid, unknown])
    assert "· cost unknown in 1 cell" in page([free, unknown])


def test_simulated_cells_are_said_to_be_that() -> None:
    real, made_up = cell(), cell("x", "sim:student", simulated=True)
    assert "SIMULATED" not in page([real])
    assert "SIMULATED: 1 of 2 cells" in page([real, made_up])
    assert "SIMULATED: these numbers" in page([made_up])


def test_failures_stand_under_their_reason_and_no_more_than_ten_are_told() -> None:
    many = [cell(seed=n, status="failed", error="no key", run=f"r-{n}") for n in range(500)]
    rare = cell("Rare", status="failed", error="out of memory", run="r-rare")
    text = page([*many, rare])
    assert len(re.findall(r"· run r-", text)) <= 10
    assert "500 cells: no key" in text
    assert "and 495 more" in text
    assert re.search(r"1 cell: out of memory\n +Rare · openai:gpt-5 · seed 0 · run r-rare", text)
    different = [cell(seed=n, status="failed", error=f"reason {n:02}") for n in range(25)]
    assert "and 15 cells for 15 other reasons" in page(different)


def test_whatever_names_and_reasons_say_is_harmless() -> None:
    hostile = ALL_AT_ONCE + "x" * 10_000
    states = [cell(hostile, hostile, n, status="failed", error=hostile, run="") for n in range(3)]
    for width in (40, 80, 160):
        fits(page([*states, cell("B", "b")], width), width)
    assert not active_characters("".join(markdown(plain(campaign_blocks(states)))))


def test_other_media_have_the_names_whole_and_everything_there_is() -> None:
    text = "".join(markdown(plain(campaign_blocks(campaign(3, 20)))))
    head = next(line for line in text.splitlines() if line.startswith("| domain"))
    assert head.count("|") == 22
    assert "anthropic:claude-opus-4-5-v3" in head
