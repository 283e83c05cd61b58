"""The picture of an Explain-Query-Test: where the marks stand, and what is said of them. What holds
for every picture is tested in `test_every_picture`. Names in pictures are short and told apart."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from fathom.reports.page.chart.names import cut, labels, wrap

from ...support.depthqa.pictures import description, marks, texts
from ...support.reports import Drawn, changed, plotted
from .test_compare import CATEGORIES, TARGETS, comparison, run

ACCURACY = "eqt-accuracy-acs.svg"
NO_FIGURE = {"accuracy": None, "ci": None, "acs": None, "acs_ci": None}


def test_marks_stand_where_the_figures_are_over_all_concepts() -> None:
    """The first target at 60 % and an ACS of .9, the second at 80 % without an ACS, the third
    without an answer."""
    made, figures = comparison(3), [(0.6, 0.9), (0.8, None)]
    own = {
        target: {"accuracy": accuracy, "acs": acs, "ci": None, "acs_ci": None}
        for target, (accuracy, acs) in zip(TARGETS, figures, strict=False)
    }
    cells = tuple(
        changed(cell, **own.get(cell.target, NO_FIGURE)) if cell.category == "all" else cell
        for cell in made.cells
    )
    svg = Drawn("eqt", [], changed(made, cells=cells))[ACCURACY]
    (x_a, y_a, _, blue), (x_b, y_b, _, red) = marks(svg)[:2]
    assert blue != red
    assert x_a / 360 == pytest.approx((0.9 + 0.35) / 1.39, abs=0.01)
    assert x_b / 360 == pytest.approx((-0.25 + 0.35) / 1.39, abs=0.01)
    assert (y_a - y_b) / 360 == pytest.approx(0.2 / 1.08, abs=0.01)
    assert "none" in texts(svg)
    assert "Marks at “none” have no ACS" in description(svg)
    assert f"{TARGETS[0]}: accuracy 60%, ACS .90." in description(svg)


def test_without_an_accuracy_there_is_no_picture() -> None:
    made = comparison(1)
    nothing = tuple(changed(cell, **NO_FIGURE) for cell in made.cells)
    assert list(Drawn("eqt", [], changed(made, cells=nothing))) == []


def test_an_unfinished_run_is_told(tmp_path: Path) -> None:
    runs = [changed(run(0), concepts=(), open_concepts=CATEGORIES), run(1)]
    (path,) = plotted(tmp_path, "eqt", runs, comparison(2))
    assert "openai:gpt-5: 0 of 4 concepts are finished." in path.read_text(encoding="utf-8")


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
