"""The pictures of an Explain-Query-Test show every number, load nothing, and cut nothing off."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from fathom.reports.page.chart.names import ALL, category_labels, category_order, cut, labels, wrap
from fathom.reports.views.eqt import plots
from fathom.state.eqt.result import EqtComparison

from ...support.depthqa.pictures import SVG, spans, texts
from ...support.plot_data import MMLU_PRO, benchmark_cell, benchmark_of, cell, comparison, result
from ...support.reports import Drawn, plotted

ACCURACY, DROP, RANKS = (f"{name}.svg" for name in (plots.ACCURACY, plots.DROP, plots.RANKS))
LONG = (
    "openai@https://inference.example.com:8443/v1:meta-llama/Llama-3.3-70B-Instruct-Turbo "
    "(examiner openai:gpt-5, fixed order, seed 42)"
)
SIX = ("openai:gpt-5", "anthropic:claude-opus-4-5-20251101", LONG, f"{LONG[:-4]} 43)", "sim:student", "模型" * 30)


CATEGORIES = MMLU_PRO[:10]


def drawn(compared: EqtComparison) -> Drawn:
    return Drawn("eqt", [], compared)


@pytest.fixture(scope="module")
def crowd() -> Drawn:
    """Six targets with long names in ten categories, with gaps."""
    missing = [(SIX[0], "law"), *((target, "math") for target in SIX)]
    compared = comparison(SIX, CATEGORIES, with_benchmark=True, missing=missing, without_acs=[(SIX[1], "biology")])
    return drawn(compared)


@pytest.fixture(scope="module")
def pair() -> Drawn:
    """Two simulated targets with known figures in two categories."""
    made = comparison(["sim:a", "sim:b"], ["law", "math"], simulated=True)
    cells = (
        *(cell("sim:a", "law", 0.5, 0.9), cell("sim:b", "law", 0.5, 0.9)),
        *(cell("sim:a", "math", 0.25, 0.8), cell("sim:b", "math", 0.75, None)),
        *(cell("sim:a", "all", 0.375, 0.85), cell("sim:b", "all", 0.625, 0.9)),
    )
    rows = [
        benchmark_cell("sim:a", "law", 0.5, 0.8125, 1.5, 1.0),
        benchmark_cell("sim:b", "law", 0.5, 0.4, 1.5, 2.0),
        benchmark_cell("sim:a", "math", 0.25, 0.25, 2.0, 2.0),
        benchmark_cell("sim:b", "math", 0.75, 1.0, 1.0, 1.0),
    ]
    compared = made.model_copy(update={"cells": cells, "benchmark": benchmark_of(["sim:a", "sim:b"], rows)})
    return drawn(compared)


@pytest.mark.parametrize("name", [ACCURACY, DROP, RANKS])
def test_a_picture_loads_nothing_and_has_words_for_those_who_cannot_see_it(crowd: Drawn, name: str) -> None:
    svg = crowd[name]
    root = ElementTree.fromstring(svg)
    assert re.findall(r'(?:xmlns|href|src)[^=\s]*="([^"]*)"|url\(', svg) == ["http://www.w3.org/2000/svg"]
    assert not [node for node in root.iter() if node.tag in {f"{SVG}{tag}" for tag in ("image", "script", "style")}]
    assert set(re.findall(r'font-family="([^"]*)"', svg)) == {"sans-serif"}
    title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert description is not None
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"
    assert title.text in texts(svg)
    assert "openai:gpt-5" in (description.text or "")


@pytest.fixture(scope="module")
def narrow() -> Drawn:
    """Long names around a single panel, column and row."""
    return drawn(comparison(SIX[1:4], [], simulated=True, with_benchmark=True))


@pytest.mark.parametrize("name", [ACCURACY, DROP, RANKS])
def test_nothing_is_cut_off_at_the_sides(crowd: Drawn, pair: Drawn, narrow: Drawn, name: str) -> None:
    for svg in (crowd[name], pair[name], narrow[name]):
        root = ElementTree.fromstring(svg)
        written = list(spans(root))
        assert len(written) > 10
        assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
        assert float(root.get("width", "0")) < 1100
        assert [line for start, end, line in written if start < 0 or end > float(root.get("width", "0"))] == []


def test_every_target_and_category_is_named(crowd: Drawn) -> None:
    for category in {*CATEGORIES, "all concepts"}:
        assert any(text.startswith(category) for text in texts(crowd[ACCURACY]))
        assert (category in texts(crowd[DROP])) is (category != "math")  # nobody has a figure there
    legend = [text for text in texts(crowd[ACCURACY]) if "Turbo" in text or "seed" in text]
    assert len(set(legend)) == 2
    assert any("模型" in text for text in texts(crowd[RANKS]))


def test_what_is_missing_is_said(crowd: Drawn) -> None:
    assert "no answers" in texts(crowd[ACCURACY])
    assert any(text.endswith("1 of 6 without answers") for text in texts(crowd[ACCURACY]))
    assert "none" in texts(crowd[ACCURACY])
    assert texts(crowd[DROP]).count("–") == 1
    assert texts(crowd[RANKS]).count("–") == 6
    assert "not ranked" in texts(crowd[RANKS])


def test_marks_stand_where_the_figures_are(pair: Drawn) -> None:
    """Panels, from the top left: law, math, all concepts; each has a mark per target."""
    places = re.findall(
        r'<path transform="translate\(([\d.]+),([\d.]+)\)" d="[^"]*" stroke="(#[0-9a-f]{6})"', pair[ACCURACY]
    )
    points = [(float(x), float(y), colour) for x, y, colour in places][:6]
    (x_a, y_a, blue), (x_b, y_b, red) = points[:2]
    assert blue != red
    assert (x_a, y_a) == (x_b, y_b)  # both are at 0.9 and 50 %
    (x_low, y_low, _), (x_none, y_high, _) = points[2:4]
    assert x_none < x_low < x_a
    assert y_low - y_a == pytest.approx(y_a - y_high)  # 25, 50 and 75 %


def test_bars_stand_beside_their_category(pair: Drawn) -> None:
    bars = re.findall(r'<path d="M0,([\d.]+)h([\d.]+)v[\d.]+h-[\d.]+Z" fill="(#[0-9a-f]{6})"', pair[DROP])
    wide = {(round(float(y)), fill): float(width) for y, width, fill in bars[:4]}
    assert len(wide) == 4, (
        "law and math of the first target, each with a bar for the benchmark and one below it for EQT"
    )
    shares = [wide[key] / 360 for key in sorted(wide)]
    assert shares == pytest.approx([0.8125, 0.5, 0.25, 0.25], rel=0.2)


def test_drops_are_in_points(pair: Drawn) -> None:
    # 81.25 − 50, 25 − 25; 40 − 50, 100 − 75
    assert [text for text in texts(pair[DROP]) if re.fullmatch(r"−?\d+\.\d", text)] == ["31.2", "0.0", "−10.0", "25.0"]


def test_ranks_are_told_apart_by_a_sign_and_not_by_colour_alone(pair: Drawn) -> None:
    cells = [text for text in texts(pair[RANKS]) if "=" in text or "≠" in text]
    assert [text for text in cells if len(text) < 9] == ["1.5 ≠ 1", "1.5 ≠ 2", "2 = 2", "1 = 1"]
    assert "sim:a1 of 2 same" in texts(pair[RANKS])


@pytest.mark.parametrize("name", [ACCURACY, DROP, RANKS])
def test_simulated_numbers_say_so(pair: Drawn, crowd: Drawn, name: str) -> None:
    assert any("SIMULATED" in text for text in texts(pair[name]))
    assert "SIMULATED" in pair[name].partition("</desc>")[0]
    assert "SIMULATED" not in crowd[name]


def test_without_a_counterpart_there_is_no_picture() -> None:
    alone = comparison(["a"], [])
    assert list(drawn(alone)) == [ACCURACY]
    nothing = alone.model_copy(update={"benchmark": benchmark_of([], [])})
    assert list(drawn(nothing)) == [ACCURACY]
    one = alone.model_copy(update={"benchmark": benchmark_of(["a"], [benchmark_cell("a", "all", 0.5, 0.6, 1, 1)])})
    assert list(drawn(one)) == [ACCURACY, DROP]


def test_one_category_is_drawn_once_unless_there_is_more_beside_it() -> None:
    same = (cell("a", "law", 0.5, 0.9), cell("a", "all", 0.5, 0.9))
    made = comparison(["a"], ["law"]).model_copy(update={"cells": same})
    alone = drawn(made)[ACCURACY]
    assert "lawaccuracy 50%, ACS .90" in texts(alone), "in two lines"
    assert "all concepts" not in " ".join(texts(alone))
    beside = made.model_copy(update={"cells": (same[0], cell("a", "all", 0.6, 0.9))})
    headings = {text.partition("accuracy")[0] for text in texts(drawn(beside)[ACCURACY])}
    assert {"law", "all concepts"} <= headings


def test_an_unfinished_run_is_told(tmp_path: Path) -> None:
    compared = comparison(["a", "b"], [])
    (path,) = plotted(tmp_path, "eqt", [result("a", unfinished=3), result("b")], compared)
    assert "a: 0 of 4 concepts are finished." in path.read_text(encoding="utf-8")
    assert "b: " not in " ".join(texts(path.read_text(encoding="utf-8")))


def test_names_are_text_whatever_they_hold() -> None:
    targets = ["<script>\"&'", "\x1b[2J\u202etegrat", " ", "__proto__"]
    categories = ["</text>", "007", "all concepts", "2020-01-01", "{'expr': '1'}"]
    for svg in drawn(comparison(targets, categories, with_benchmark=True)).values():
        written = texts(svg)
        assert not re.search("[\x00-\x08\x1b\u202e]", svg)
        assert {"</text>", "007", "all concepts", "all concepts (2)", "2020-01-01", "{'expr': '1'}"} <= set(written)
        assert any(text.startswith("<script>\"&'") for text in written)
        assert any("(no name)" in text for text in written)


def test_the_first_sixty_categories_are_drawn() -> None:
    names = [f"c{number}" for number in range(61)]
    rows = [benchmark_cell("a", name, 0.5, 0.6, 1, 1) for name in names]
    made = comparison(["a"], []).model_copy(update={"categories": tuple(names), "benchmark": benchmark_of(["a"], rows)})
    svg = drawn(made)[DROP]
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
    assert category_order(["law", "math"], [ALL, "math", "law", "art"]) == ["law", "math", "art", ALL]
    assert category_order(["law", "math"], ["math"]) == ["math"]
    assert category_labels(["all concepts", ALL], 30) == {"all concepts": "all concepts", ALL: "all concepts (2)"}
