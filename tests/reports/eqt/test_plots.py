"""The pictures of an Explain-Query-Test show every number, load nothing, and cut nothing off."""

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from fathom.reports.page.chart.names import ALL, category_labels, category_order, cut, labels, wrap
from fathom.reports.views.eqt import plots
from fathom.state.eqt.result import EqtComparison

from ...support.depthqa.pictures import SVG, marks, spans, texts
from ...support.reports import Drawn, changed, plotted
from .test_compare import CATEGORIES, TARGETS, comparison, run

ACCURACY, DROP, RANKS = (f"{name}.svg" for name in (plots.ACCURACY, plots.DROP, plots.RANKS))
NO_FIGURE = {"accuracy": None, "ci": None, "acs": None, "acs_ci": None}


def drawn(compared: EqtComparison) -> Drawn:
    return Drawn("eqt", [], compared)


@pytest.fixture(scope="module")
def crowd() -> Drawn:
    """Six targets with gaps: nobody has a figure in math, the first has none in law, the second no
    ACS in health."""
    made, gone = comparison(6), {(TARGETS[0], "law"), *((target, "math") for target in TARGETS)}
    assert made.benchmark is not None
    cells = [
        changed(cell, **NO_FIGURE)
        if (cell.target, cell.category) in gone
        else changed(cell, acs=None, acs_ci=None)
        if (cell.target, cell.category) == (TARGETS[1], CATEGORIES[2])
        else cell
        for cell in made.cells
    ]
    beside = tuple(
        cell for cell in made.benchmark.cells if (cell.target, cell.category) not in gone
    )
    return drawn(changed(made, cells=tuple(cells), benchmark__cells=beside))


@pytest.fixture(scope="module")
def pair() -> Drawn:
    """The second target is less consistent in math than it is right."""
    made, odd = comparison(2), (TARGETS[1], "math")
    cells = (
        changed(cell, acs=0.3) if (cell.target, cell.category) == odd else cell
        for cell in made.cells
    )
    return drawn(changed(made, cells=tuple(cells)))


@pytest.mark.parametrize("name", [ACCURACY, DROP, RANKS])
def test_a_picture_can_be_read_alone_and_nothing_of_it_is_cut_off(crowd: Drawn, name: str) -> None:
    svg = crowd[name]
    root = ElementTree.fromstring(svg)
    assert re.findall(r'(?:xmlns|href|src)[^=\s]*="([^"]*)"|url\(', svg) == [
        "http://www.w3.org/2000/svg"
    ]
    assert not [
        node
        for node in root.iter()
        if node.tag in {f"{SVG}{tag}" for tag in ("image", "script", "style")}
    ]
    assert not re.search("[\x00-\x08\x1b\u202e]", svg)
    title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert description is not None
    assert (root.get("role"), root.get("aria-labelledby")) == (
        "img",
        f"{title.get('id')} {description.get('id')}",
    )
    assert title.text in texts(svg)
    assert "openai:gpt-5" in (description.text or "")
    width, written = float(root.get("width", "0")), list(spans(root))
    assert len(written) > 10
    assert width < 1100
    assert [line for start, end, line in written if start < 0 or end > width] == []
    assert any("超流動" in text for text in texts(svg))
    for category in CATEGORIES[:3]:
        assert (category in " ".join(texts(svg))) is (name == ACCURACY or category != "math"), (
            "none has a figure there"
        )


def test_what_is_missing_is_said(crowd: Drawn) -> None:
    assert "no answers" in texts(crowd[ACCURACY])
    (below,) = (text for text in texts(crowd[ACCURACY]) if text.endswith(" without answers"))
    assert below.endswith("1 of 6 without answers"), (
        "where nobody has any there is no panel of marks"
    )
    assert "none" in texts(crowd[ACCURACY])
    assert texts(crowd[DROP]).count("–") == 1
    assert "not ranked" in texts(crowd[RANKS])


def test_marks_stand_where_the_figures_are(pair: Drawn) -> None:
    """In the first panel, math, 100 and 75 % with an ACS of 1 and .3; in the second, law, 50 and
    100 %, .75 and 1."""
    (x_a, y_a, _, blue), (x_b, y_b, _, red), (x_c, y_c, *_), (x_d, y_d, *_) = marks(pair[ACCURACY])[
        :4
    ]
    assert blue != red
    assert (x_a, y_a) == (x_d, y_d)
    assert (x_a - x_b) / (x_a - x_c) == pytest.approx(0.7 / 0.25, abs=0.01)
    assert y_c - y_b == pytest.approx(y_b - y_a)


def test_bars_and_drops_stand_beside_their_category(pair: Drawn) -> None:
    """Benchmark and exam of the first target: 25 and 100 % in math, 30 and 50 % in law, 35 and 25 %
    in health."""
    bars = re.findall(
        r'<path d="M0,([\d.]+)h([\d.]+)v[\d.]+h-[\d.]+Z" fill="(#[0-9a-f]{6})"', pair[DROP]
    )
    wide = {(float(y), fill): float(width) for y, width, fill in bars[:6]}
    whole = max(wide.values())
    assert [wide[key] / whole for key in sorted(wide)] == pytest.approx(
        [0.25, 1.0, 0.3, 0.5, 0.35, 0.25], abs=0.01
    )
    told = [text for text in texts(pair[DROP]) if re.fullmatch(r"−?\d+\.\d", text)]
    assert told[:3] == ["−75.0", "−20.0", "10.0"]


def test_ranks_are_told_apart_by_a_sign_and_not_by_colour_alone(pair: Drawn) -> None:
    cells = [text for text in texts(pair[RANKS]) if "=" in text or "≠" in text]
    assert [text for text in cells if len(text) < 9][:4] == ["1 ≠ 2", "2 ≠ 1", "2 = 2", "1 = 1"]
    assert "openai:gpt-52 of 3 same" in texts(pair[RANKS])


@pytest.mark.parametrize("name", [ACCURACY, DROP, RANKS])
def test_simulated_numbers_say_so(pair: Drawn, name: str) -> None:
    simulated = drawn(comparison(3))[name]
    assert any("SIMULATED" in text for text in texts(simulated))
    assert "SIMULATED" in simulated.partition("</desc>")[0]
    assert "SIMULATED" not in pair[name]


def test_without_a_counterpart_there_is_no_picture() -> None:
    assert list(drawn(comparison(1, benchmark=False))) == [ACCURACY]
    assert list(drawn(changed(comparison(1), benchmark__cells=(), benchmark__ranked=0))) == [
        ACCURACY
    ]
    assert list(drawn(comparison(1))) == [ACCURACY, DROP]


def test_one_category_is_drawn_once_unless_there_is_more_beside_it() -> None:
    made = changed(comparison(1, benchmark=False), categories=("math",))
    same = tuple(cell for cell in made.cells if cell.category == "math")
    whole = changed(same[0], category="all")
    alone = drawn(changed(made, cells=(*same, whole)))[ACCURACY]
    assert "mathaccuracy 100%, ACS 1.00" in texts(alone), "in two lines"
    assert "all concepts" not in " ".join(texts(alone))
    beside = drawn(changed(made, cells=(*same, changed(whole, accuracy=0.6))))[ACCURACY]
    assert {"math", "all concepts"} <= {text.partition("accuracy")[0] for text in texts(beside)}


def test_an_unfinished_run_is_told(tmp_path: Path) -> None:
    runs = [changed(run(0), concepts=(), open_concepts=CATEGORIES), run(1)]
    (path, *_) = plotted(tmp_path, "eqt", runs, comparison(2))
    assert "openai:gpt-5: 0 of 4 concepts are finished." in path.read_text(encoding="utf-8")
    assert f"{TARGETS[1]}: " not in " ".join(texts(path.read_text(encoding="utf-8")))


def test_names_of_categories_are_text_whatever_they_hold() -> None:
    odd = dict(zip(CATEGORIES, ["</text>", "007", "all concepts", "{'expr': '1'}"], strict=True))

    def renamed(rows: Any) -> Any:
        return tuple(changed(row, category=odd.get(row.category, row.category)) for row in rows)

    made = comparison(2)
    assert made.benchmark is not None
    own = {"categories": tuple(odd.values()), "cells": renamed(made.cells)}
    for name, svg in drawn(
        changed(made, **own, benchmark__cells=renamed(made.benchmark.cells))
    ).items():
        wanted = {"</text>", "007", "all concepts", "all concepts (2)"}
        said = " ".join(texts(svg))
        assert [text for text in wanted if text not in said] == [], name


def test_the_first_sixty_categories_are_drawn() -> None:
    names, made = [f"c{number}" for number in range(61)], comparison(1)
    assert made.benchmark is not None
    rows = tuple(changed(made.benchmark.cells[0], category=name) for name in names)
    svg = drawn(changed(made, categories=tuple(names), benchmark__cells=rows))[DROP]
    assert "c59" in texts(svg)
    assert "c60" not in texts(svg)
    assert any("The first 60 of 61 categories" in text for text in texts(svg))


NAMES = st.text(st.characters(codec="utf-8"), max_size=60)


@given(st.lists(NAMES, max_size=8), st.integers(10, 40))
def test_labels_are_short_and_tell_names_apart(names: list[str], width: int) -> None:
    found = labels(names, width)
    assert list(found) == list(dict.fromkeys(names))
    assert len(set(found.values())) == len(found)
    assert all(found.values())
    assert all(cell_len(label) <= width for label in found.values())


@given(NAMES, st.integers(4, 40))
def test_wrapped_lines_fit_and_hold_everything(text: str, width: int) -> None:
    plain = cut(text, 1000)
    lines = wrap(plain, width)
    assert all(cell_len(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(plain.split())
    assert len(wrap(plain, width, lines=2)) <= 2
    assert all(cell_len(line) <= width for line in wrap(plain, width, lines=2))


def test_names_are_cut_in_the_middle_and_wrapped_at_their_marks() -> None:
    assert cut("openai:a-very-long-name-with-2025", 21) == "openai:a-v…-with-2025"
    assert wrap("openrouter:qwen/qwen3-235b-a22b", 16) == ["openrouter:qwen/", "qwen3-235b-a22b"]
    assert wrap("a b", 16) == ["a b"]


def test_categories_keep_their_order_and_all_of_them_come_last() -> None:
    assert category_order(["law", "math"], [ALL, "math", "law", "art"]) == [
        "law",
        "math",
        "art",
        ALL,
    ]
    assert category_order(["law", "math"], ["math"]) == ["math"]
    assert category_labels(["all concepts", ALL], 30) == {
        "all concepts": "all concepts",
        ALL: "all concepts (2)",
    }
