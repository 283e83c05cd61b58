"""The pictures of Explain-Query-Tests: accuracy against consistency; with a benchmark, the drop and
the ranks."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar

from ....state.eqt.result import (
    BenchmarkCell,
    BenchmarkComparison,
    EqtCell,
    EqtComparison,
    EqtResult,
)
from ....state.worlds import label_of
from ...page import figures
from ...page.chart.axes import PAGE, Axis, Row, Series
from ...page.chart.draw import across, interval, room_of
from ...page.chart.names import (
    ALL,
    MOST_CATEGORIES,
    category_labels,
    category_order,
    labels,
    left_out,
    wrap,
)
from ...page.chart.picture import Picture
from ...page.chart.runs import notes, of_models
from ...page.palette import OTHERS, Mark
from ..pictures import QUARTERS, picture

ACCURACY, DROP, RANKS = "eqt-accuracy-acs", "eqt-benchmark-drop", "eqt-rank-match"
NOWHERE = -0.25
"""Where a mark without an ACS stands on that axis."""
_HALVES = "datum.value < 0 ? 'none' : datum.value * 4 % 2 ? '' : format(datum.value, '{}')"


def _areas(**colours: str) -> Series:
    """What areas of these colours stand for."""
    marks = {
        name.replace("_", " "): Mark(colour, "square", "■") for name, colour in colours.items()
    }
    return Series(marks, across=True, filled=True)


_SOURCES = _areas(benchmark="#b4b4b4", EQT=OTHERS[0])
_MATCHES = _areas(same_rank="#9ecae1", another_rank="#fdd0a2", not_ranked="#e4e4e4")
CellT = TypeVar("CellT", EqtCell, BenchmarkCell)


def pictures(results: Sequence[EqtResult], comparison: EqtComparison) -> Iterator[Picture]:
    """Accuracy against ACS always; the drop when the benchmark has scores for any target, and the
    ranks when it has those of two or more in one category. `comparison` is over `results`."""
    told = _notes(results, comparison)
    yield _accuracy(comparison, told)
    benchmark = comparison.benchmark
    if benchmark is not None and benchmark.cells:
        cells = _by_category(benchmark.cells)
        every = category_order(comparison.categories, cells)
        drawn = category_labels(every[:MOST_CATEGORIES], 34)
        told = [*told, *left_out(every, drawn)]
        yield _drop(benchmark, cells, drawn, told)
        if len(benchmark.matches) > 1 and any(
            benchmark.matches.keys() <= own.keys() for own in cells.values()
        ):
            yield _ranks(benchmark, cells, drawn, told)


def _notes(results: Sequence[EqtResult], comparison: EqtComparison) -> list[str]:
    targets = {cell.run_id: cell.target for cell in comparison.cells}
    said = []
    if comparison.left_out and comparison.concepts:
        every = comparison.concepts + comparison.left_out
        said.append(
            f"Over {comparison.concepts} of {every} concepts: those that all targets have finished."
        )
    for result in results:
        if result.open_concepts:
            done, every = len(result.concepts), len(result.concepts) + len(result.open_concepts)
            name = targets.get(result.run_id, label_of(result.spec.target))
            said.append(f"{name}: {done} of {every} concepts are finished.")
    return notes([*results, comparison], {str(n): n for n in range(len(results) + 1)}, "", said)


def _by_category(cells: Sequence[CellT]) -> dict[str, dict[str, CellT]]:
    """Category → target → cell."""
    found: dict[str, dict[str, CellT]] = {}
    for cell in cells:
        found.setdefault(cell.category, {})[cell.target] = cell
    return found


# accuracy against consistency


def _accuracy(comparison: EqtComparison, told: Sequence[str]) -> Picture:
    """A panel per category."""
    cells = {name: list(own.values()) for name, own in _by_category(comparison.cells).items()}
    if (
        len(cells) == 2
        and len({tuple((c.target, c.accuracy, c.acs) for c in own) for own in cells.values()}) == 1
    ):
        cells.pop(ALL, None)  # beside a single category that has the same figures
    every = category_order(comparison.categories, cells)
    drawn = category_labels(every[:MOST_CATEGORIES], 90)
    columns = 2 if len(drawn) == 4 else min(len(drawn), 3) if len(drawn) <= 6 else 4
    side = {1: 360, 2: 260, 3: 220, 4: 160}[columns]
    targets = labels(comparison.targets, 75)
    lacking = any(cell.acs is None and cell.accuracy is not None for cell in comparison.cells)
    axes = (
        "y: accuracy (exact match of the option set). x: ACS (1 = same answer every time). Lines: "
        "95% intervals."
    )
    said = [*told, *(targets.values() if len(targets) == 1 else ()), axes]
    said += (
        ["Marks at “none” have no ACS: no question has two readable answers."] if lacking else []
    )
    x_low, ticks = (-0.35, (NOWHERE, *QUARTERS)) if lacking else (-0.04, QUARTERS)
    x = Axis("ACS", low=x_low, high=1.04, values=ticks, labels=_HALVES.format(".1f"))
    return picture(
        ACCURACY,
        "Accuracy against answer consistency",
        [*said, *left_out(every, drawn)],
        [row for name, label in drawn.items() for row in _marks(cells[name], label, targets, side)],
        (x, Axis("accuracy", low=-0.04, high=1.04, values=QUARTERS, labels=_HALVES.format(".0%"))),
        of_models([*targets.values()]),
        width=side,
        height=side,
        columns=columns,
    )


def _marks(
    cells: Sequence[EqtCell], label: str, targets: Mapping[str, str], side: int
) -> list[Row]:
    missing = sum(cell.accuracy is None for cell in cells)
    below = f"{missing} of {len(cells)} without answers" if 0 < missing < len(cells) else ""
    below = _in_words(cells[0]) if len(cells) == 1 and not missing else below
    panel = "\n".join([*wrap(label, side // 8, lines=2), *([below] if below else [])])
    rows = [
        {
            "panel": panel,
            "series": targets[cell.target],
            "of": f"{label}, {cell.target}",
            "y": cell.accuracy,
        }
        | {
            "x": NOWHERE if cell.acs is None else cell.acs,
            **across(cell.acs_ci),
            **interval(cell.ci),
        }
        | {"words": _in_words(cell)}
        for cell in cells
        if cell.accuracy is not None
    ]
    return rows or [{"panel": panel, "note": "no answers"}]


def _in_words(cell: EqtCell) -> str:
    acs = "none" if cell.acs is None else figures.score(cell.acs)
    return f"accuracy {figures.percent(cell.accuracy)}, ACS {acs}"


# beside a benchmark

Cells = Mapping[str, Mapping[str, BenchmarkCell]]
"""Category → target → cell."""


def _drop(
    benchmark: BenchmarkComparison, cells: Cells, drawn: Mapping[str, str], told: Sequence[str]
) -> Picture:
    """Both accuracies side by side, a panel per target."""
    targets = labels(dict.fromkeys(cell.target for cell in benchmark.cells), 90)
    columns, room = min(len(targets), 2), room_of([*drawn.values()])
    width = min(360, (PAGE - 60 - room) // columns - 75)
    rows: list[Row] = []
    for target, label in targets.items():
        panel = "\n".join(wrap(label, width // 8, lines=3))
        for name, category in drawn.items():
            cell, at = cells[name].get(target), {"panel": panel, "y": category}
            rows.append(at | {"told": figures.number(cell.drop * 100, 1) if cell else figures.NONE})
            for source, share in (
                (("benchmark", cell.benchmark), ("EQT", cell.accuracy)) if cell else ()
            ):
                said = {
                    "of": f"{category}, {target}",
                    "words": f"{source} {figures.percent(share)}",
                }
                rows.append(at | {"series": source, "slot": source, **across((0, share)), **said})
    drop = (
        "At the right the drop: the benchmark's score minus the EQT accuracy, in percentage "
        "points; below 0 where EQT"
    )
    return picture(
        DROP,
        "Accuracy in the benchmark and in EQT",
        [*told, f"{drop} is higher."],
        rows,
        (Axis(values=QUARTERS), Axis(names=[*drawn.values()], room=room, bare=True, apart=0.25)),
        _SOURCES,
        kind="bar",
        width=width,
        height=28 * len(drawn),
        columns=columns,
        beside=75,
        slots=_SOURCES.names,
    )


def _ranks(
    benchmark: BenchmarkComparison, cells: Cells, drawn: Mapping[str, str], told: Sequence[str]
) -> Picture:
    """Where a target's rank in the Explain-Query-Test is its rank in the benchmark: category by
    target."""
    room = room_of([*drawn.values()])
    wide = max(76, min(120, (PAGE - room - 40) // len(benchmark.matches)))
    heads = _heads(benchmark, wide)
    rows: list[Row] = [
        {"panel": "", "x": heads[target], "y": label, "of": target}
        | _rank(target, cells[name], benchmark, label)
        for name, label in drawn.items()
        for target in heads
    ]
    said = [
        *told,
        "In each cell: the rank by EQT accuracy, then the rank in the benchmark; = where they are "
        "the same, ≠ where "
        "they differ. 1 is the best; ties share the mean of their ranks.",
    ]
    if any(row["told"] == figures.NONE for row in rows):
        said.append("–: not ranked, since not every target has both numbers.")
    marks = {
        name: mark
        for name, mark in _MATCHES.marks.items()
        if any(row["series"] == name for row in rows)
    }
    lines = max(head.count("\n") for head in heads.values()) + 1
    return picture(
        RANKS,
        "Ranks in EQT and in the benchmark",
        said,
        rows,
        (
            Axis(names=[*heads.values()], top=lines, bare=True),
            Axis(names=[*drawn.values()], room=room, bare=True),
        ),
        Series(marks, across=True, filled=True),
        kind="cell",
        width=max(wide * len(heads), 320),
        height=26 * len(drawn),
    )


def _heads(benchmark: BenchmarkComparison, width: int) -> dict[str, str]:
    """Target → the head of its column, of as many lines as every other."""
    heads = {
        target: wrap(label, width // 7) for target, label in labels(benchmark.matches, 76).items()
    }
    for target, head in heads.items() if benchmark.ranked else ():
        head.append(f"{benchmark.matches[target]} of {benchmark.ranked} same")
    lines = max(map(len, heads.values()))
    return {
        target: "\n".join([*[""] * (lines - len(head)), *head]) for target, head in heads.items()
    }


def _rank(
    target: str, own: Mapping[str, BenchmarkCell], benchmark: BenchmarkComparison, label: str
) -> dict[str, Any]:
    """Ranked are only categories of which all targets have both numbers."""
    cell = own.get(target) if benchmark.matches.keys() <= own.keys() else None
    if cell is None:
        return {"series": "not ranked", "told": figures.NONE}
    told = f"{cell.rank:g} {'=' if cell.match else '≠'} {cell.benchmark_rank:g}"
    return {
        "series": "same rank" if cell.match else "another rank",
        "told": told,
        "words": f"{label} {told}",
    }
