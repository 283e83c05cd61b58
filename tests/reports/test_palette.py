"""A model has one colour and one mark in all pictures of a launch, also where another has nothing
to be drawn."""

import re
from collections.abc import Callable
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from fathom.reports.page.palette import COLOURS, model_marks

from ..support.reports import changed, plotted, result_of

EMPTY, STUDENT, TUTOR = MODELS = ("sim:expert", "sim:student", "sim:tutor")
"""The first by name has a run in every launch, and lacks something in some picture of it."""
LEGEND = re.compile(
    r'role-legend-symbol"[^>]*><path[^>]* d="([^"]*)"(.*?)/></g>.*?<text[^>]*>([^<]*)</text>'
)
SHAPES = {"A": "circle", "h": "square", "L": "triangle-up"}
"""What a mark's path is drawn with; the first three are enough here."""


def of_each(method: str, **changes: Any) -> list[Any]:
    """The recorded result as of each model; the first by name with these changes."""
    runs = [
        result_of(method, run_id=f"run-{n}", spec__target=model)
        for n, model in enumerate(MODELS)
    ]
    return [changed(runs[0], **changes), *runs[1:]]


def drill(folder: Path) -> list[Path]:
    """The first has closed no depth."""
    return plotted(folder, "drill", of_each("drill", depths=()))


def eqt(folder: Path) -> list[Path]:
    """The first has no figure."""
    nothing = {"accuracy": None, "scored": 0, "correct": 0, "ci_clustered": None}
    changes = {f"numbers__all__{name}": value for name, value in nothing.items()}
    return plotted(folder, "eqt", of_each("eqt", **changes))


def depthqa(folder: Path) -> list[Path]:
    """The first has no score."""
    return plotted(folder, "depthqa", of_each("depthqa", answers=()))


def deepquestion(folder: Path) -> list[Path]:
    nothing = {
        "original__share": None,
        "original__n": 0,
        "q2s": (),
        "q2i": None,
        "baseline": None,
    }
    return plotted(folder, "deepquestion", of_each("deepquestion", **nothing))


@pytest.mark.parametrize("draw", [drill, eqt, depthqa, deepquestion])
def test_a_model_looks_the_same_in_every_picture_of_a_launch(
    draw: Callable[[Path], list[Path]], tmp_path: Path
) -> None:
    wanted, listed = model_marks(MODELS), set()
    for path in draw(tmp_path):
        svg = path.read_text(encoding="utf-8")
        legend = {label: (shape, style) for shape, style, label in LEGEND.findall(svg)}
        models = [model for model in MODELS if model in legend]
        for model in models:
            shape, style = legend[model]
            assert f'stroke="{wanted[model].colour}"' in style, (path.name, model)
            assert "fill=" not in style, f"{path.name}: drawn hollow, so hollow in the legend"
            assert (
                SHAPES[next(sign for sign in shape if sign in SHAPES)] == wanted[model].shape
            ), (
                path.name,
                model,
            )
        listed |= {*models}
        # without a legend the one model that is drawn is named above, and what is no model has no
        # model's colour
        alone = [TUTOR] if f"Target: {TUTOR}." in svg else []
        drawn = {wanted[model].colour for model in (models or alone)}
        assert {colour for colour in COLOURS if colour in svg} == drawn, path.name
    assert {STUDENT, TUTOR} <= listed


def test_colours_are_seen_on_white_and_on_black_and_marks_differ_where_colours_come_again() -> (
    None
):
    def light(colour: str) -> float:
        """Relative luminance, by WCAG 2."""
        shares = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
        linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    assert all(1.05 / (light(colour) + 0.05) >= 3 for colour in COLOURS)
    assert all((light(colour) + 0.05) / 0.05 >= 3 for colour in COLOURS)
    marks = model_marks(f"model {number:02}" for number in range(42)).values()
    assert all((a.colour, a.shape) != (b.colour, b.shape) for a, b in combinations(marks, 2))
