"""Measures over rows of answers as tables, figures and charts."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fathom.reports.page.blocks import Table, value_of
from fathom.reports.page.chart import Axis
from fathom.reports.views.abstention import errors_table
from fathom.reports.views.by_tag import by_part, by_tag, measured, side_by_side
from fathom.reports.views.comparison import measures_blocks
from fathom.reports.views.pictures import picture
from fathom.state.rows import AnswerRow, Measure
from fathom.stats.estimates import share, values_of

RIGHT = Measure(
    "right", "share", "higher", "Right ones.", lambda r: share(values_of(r)), ("size",)
)
NONE = Measure("none", "share", "higher", "Nothing.", lambda r: share([]), ("size",))


def rows(*scores: tuple[Any, float], model: str = "m") -> list[AnswerRow]:
    """A row per (size, score), each in a group of its own."""
    same: dict[str, Any] = {"run": "r", "method": "x", "model": model, "domain": "d"}
    return [
        AnswerRow(
            **same,
            group=f"g{place}",
            item="",
            condition="",
            score=score,
            verdict="right" if score else "wrong",
            tags={"size": size},
        )
        for place, (size, score) in enumerate(scores)
    ]


ROWS = rows((10, 1.0), (2, 1.0), (2, 0.0), (10, 1.0), (None, 0.0))


def column(table: Table, key: str) -> Sequence[Any]:
    return [value_of(row, key) for row in table.rows]


def test_a_line_per_value_in_order_and_one_over_all_rows() -> None:
    table = by_tag("", ROWS, [RIGHT, NONE], "size")
    assert [column.key for column in table.columns] == ["part", "answers", "right"]
    assert column(table, "part") == ["2", "10", "all"]
    assert [text.split()[0] for text in column(table, "right")] == ["50%", "100%", "60%"]


def test_of_many_values_the_weakest_are_shown() -> None:
    table = by_tag("", ROWS, [RIGHT], "size", weakest=1)
    assert column(table, "part") == ["2", "all"]
    assert [text.split()[0] for text in column(table, "right")] == ["50%", "60%"]


def test_models_stand_side_by_side_under_each_measure() -> None:
    other = rows((2, 1.0), model="n")
    table = side_by_side("", {"a.b": ROWS, "n": other}, [RIGHT, NONE], "size")
    assert table.rows[0] == "right"
    made = [row for row in table.rows if not isinstance(row, str)]
    assert [row["part"] for row in made] == ["2", "10", "all"]
    heads = [column.key for column in table.columns]
    assert [[bool(row[key]) for key in heads] for row in made] == [
        [True] * 3,
        [True, True, False],
        [True] * 3,
    ]


def test_a_comparison_has_a_line_per_measure_then_the_first_tag_that_tells_answers_apart() -> (
    None
):
    sides = {"m": ROWS, "n": rows((2, 1.0), model="n")}
    whole, by_size = measures_blocks(sides, [RIGHT, NONE])
    assert isinstance(whole, Table)
    assert column(whole, "part") == ["right"], "NONE has no value"
    assert by_size.title == "By size"
    assert [*measures_blocks({"m": rows((2, 1.0))}, [RIGHT])] == [], "one value tells nothing"


def test_figures_and_charts_leave_out_what_was_not_measured() -> None:
    (figure,) = measured(ROWS, [RIGHT, NONE]).rows
    assert figure.value.startswith("60% (")
    sides = {"m": by_part(ROWS, RIGHT, "size"), "n": by_part(ROWS, NONE, "size")}
    (points,) = picture("p", "", {"": sides}, [], "")
    assert len(points.figures) == 1
    (line,) = picture("c", "", {"": sides}, [], "", x=Axis("size", high=10))
    assert [row["x"] for row in line.chart["data"]["values"]] == [2, 10]
    assert [*picture("p", "", {"": {"n": {}}}, [], "")] == []


def test_errors_are_counted_by_tier_and_by_topic() -> None:
    kinds = ("partial", "partial", "refused")
    wrong = [
        replace(row, tags={"tier": "common", "error": kind}, group=kind)
        for row, kind in zip(rows((1, 0.0), (1, 0.0), (1, 0.0)), kinds, strict=True)
    ]
    (table,) = errors_table([*wrong, *ROWS])
    assert isinstance(table, Table)
    assert [column.head for column in table.columns] == ["", "partial", "refused"]
    assert table.rows == [
        {"part": "common", "partial": 2, "refused": 1},
        {"part": "all", "partial": 2, "refused": 1},
        "by topic",
        {"part": "partial", "partial": 2},
        {"part": "refused", "refused": 1},
    ]
    assert not [*errors_table(ROWS)]
