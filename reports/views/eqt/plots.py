"""The pictures of Explain-Query-Tests: accuracy against consistency; with a benchmark, the drop and the ranks."""

from collections.abc import Iterator, Mapping, Sequence

from ....state.eqt.result import BenchmarkCell, BenchmarkComparison, EqtCell, EqtComparison, EqtResult
from ....state.worlds import label_of
from ...page import figures
from ...page.chart.axes import PAGE, Axis, Row, Series
from ...page.chart.draw import Drawn, across, chart, interval, room_of
from ...page.chart.names import ALL, MOST_CATEGORIES, category_labels, category_order, labels, left_out, wrap
from ...page.chart.picture import Picture
from ...page.chart.runs import notes, of_models
from ...page.palette import OTHERS, Mark

ACCURACY, DROP, RANKS = "eqt-accuracy-acs", "eqt-benchmark-drop", "eqt-rank-match"
NOWHERE = -0.25
"""Where a mark without an ACS stands on that axis."""
QUARTERS = (0.0, 0.25, 0.5, 0.75, 1.0)
_HALVES = "datum.value < 0 ? 'none' : datum.value * 4 % 2 ? '' : format(datum.value, '{}')"
_SOURCES = {"benchmark": Mark("#b4b4b4", "square", "■"), "EQT": Mark(OTHERS[0], "square", "■")}
_RANKS = {
    "same rank": Mark("#9ecae1", "square", "■"),
    "another rank": Mark("#fdd0a2", "square", "■"),
    "not ranked": Mark("#e4e4e4", "square", "■"),
}


def pictures(results: Sequence[EqtResult], comparison: EqtComparison) -> Iterator[Picture]:
    """Accuracy against ACS always; the drop when the benchmark has scores for any target, and the ranks when it has
    those of two or more in one category. `comparison` is over `results`."""
    told = _notes(results, comparison)
    yield _accuracy(comparison, told)
    benchmark = comparison.benchmark
    if benchmark is not None and benchmark.cells:
        yield _drop(benchmark, comparison.categories, told)
        if len(benchmark.matches) > 1 and any(
            _ranked(own, benchmark) for own in _by_category(benchmark.cells).values()
        ):
            yield _rank_map(benchmark, comparison.categories, told)


def _notes(results: Sequence[EqtResult], comparison: EqtComparison) -> list[str]:
    targets = {cell.run_id: cell.target for cell in comparison.cells}
    said = []
    if comparison.left_out and comparison.concepts:
        every = comparison.concepts + comparison.left_out
        said.append(f"Over {comparison.concepts} of {every} concepts: those that all targets have finished.")
    for result in results:
        if result.open_concepts:
            done, every = len(result.concepts), len(result.concepts) + len(result.open_concepts)
            name = targets.get(result.run_id, label_of(result.spec.target))
            said.append(f"{name}: {done} of {every} concepts are finished.")
    return notes([*results, comparison], [*results, comparison], "", said)  # type: ignore[arg-type]


def _by_category(cells: Sequence[EqtCell] | Sequence[BenchmarkCell]) -> dict[str, dict[str, EqtCell | BenchmarkCell]]:
    found: dict[str, dict[str, EqtCell | BenchmarkCell]] = {}
    for cell in cells:
        found.setdefault(cell.category, {})[cell.target] = cell
    return found


# accuracy against consistency


def _accuracy(comparison: EqtComparison, told: Sequence[str]) -> Picture:
    """A panel per category."""
    cells: dict[str, list[EqtCell]] = {}
    for cell in comparison.cells:
        cells.setdefault(cell.category, []).append(cell)
    if len(cells) == 2 and len({tuple((c.target, c.accuracy, c.acs) for c in own) for own in cells.values()}) == 1:
        cells.pop(ALL, None)  # beside a single category that has the same figures
    every = category_order(comparison.categories, cells)
    drawn = category_labels(every[:MOST_CATEGORIES], 90)
    columns = 2 if len(drawn) == 4 else min(len(drawn), 3) if len(drawn) <= 6 else 4
    side = {1: 360, 2: 260, 3: 220, 4: 160}[columns]
    targets = labels(comparison.targets, 75)
    lacking = any(cell.acs is None and cell.accuracy is not None for cell in comparison.cells)
    rows = [row for name, label in drawn.items() for row in _marks(cells[name], label, targets, side)]
    said = [*(targets.values() if len(targets) == 1 else ())]
    said.append(
        "y: accuracy (exact match of the option set). x: ACS (1 = same answer every time). Lines: 95% intervals."
    )
    said += ["Marks at “none” have no ACS: no question has two readable answers."] if lacking else []
    x_low, ticks = (-0.35, (NOWHERE, *QUARTERS)) if lacking else (-0.04, QUARTERS)
    x = Axis("ACS", low=x_low, high=1.04, values=ticks, labels=_HALVES.format(".1f"))
    y = Axis("accuracy", low=-0.04, high=1.04, values=QUARTERS, labels=_HALVES.format(".0%"))
    series = of_models([*targets.values()])
    return Picture(
        ACCURACY,
        "Accuracy against answer consistency",
        [*told, *said, *left_out(every, drawn)],
        [f"{cell.target}: {_in_words(cell)} over all concepts." for cell in comparison.cells if cell.category == ALL],
        columns * (side + 24) + 40,
        lambda: chart(rows, x, y, series, width=side, height=side, columns=columns),
        series.legend,
    )


def _marks(cells: Sequence[EqtCell], label: str, targets: Mapping[str, str], side: int) -> list[Row]:
    missing = sum(cell.accuracy is None for cell in cells)
    below = f"{missing} of {len(cells)} without answers" if 0 < missing < len(cells) else ""
    below = _in_words(cells[0]) if len(cells) == 1 and not missing else below
    panel = "\n".join([*wrap(label, side // 8, lines=2), *([below] if below else [])])
    rows = [
        {"panel": panel, "series": targets[cell.target], "y": cell.accuracy, **interval(cell.ci)}
        | {"x": NOWHERE if cell.acs is None else cell.acs, **across(cell.acs_ci)}
        for cell in cells
        if cell.accuracy is not None
    ]
    return rows or [{"panel": panel, "note": "no answers"}]


def _in_words(cell: EqtCell) -> str:
    accuracy = "none" if cell.accuracy is None else figures.percent(cell.accuracy)
    return f"accuracy {accuracy}, ACS {'none' if cell.acs is None else figures.score(cell.acs)}"


# beside a benchmark


def _drop(benchmark: BenchmarkComparison, categories: Sequence[str], told: Sequence[str]) -> Picture:
    """Both accuracies side by side, a panel per target."""
    known = {(cell.target, cell.category): cell for cell in benchmark.cells}
    targets = [*dict.fromkeys(cell.target for cell in benchmark.cells)]
    every = category_order(categories, [cell.category for cell in benchmark.cells])
    drawn = category_labels(every[:MOST_CATEGORIES], 34)
    columns, names = min(len(targets), 2), labels(targets, 90)
    width = min(360, (PAGE - 60 - room_of([*drawn.values()])) // columns - 75)
    rows: list[Row] = []
    for target in targets:
        panel = "\n".join(wrap(names[target], width // 8, lines=3))
        for name, label in drawn.items():
            cell = known.get((target, name))
            rows.append({"panel": panel, "y": label, "told": _points(cell.drop) if cell else "–"})
            for source, share in (("benchmark", cell.benchmark), ("EQT", cell.accuracy)) if cell else ():
                rows.append({"panel": panel, "y": label, "series": source, "left": 0, "right": share})
    y = Axis(names=[*drawn.values()], room=room_of([*drawn.values()]), bare=True, apart=0.25)
    said = [
        *told,
        "At the right the drop: the benchmark's score minus the EQT accuracy, in percentage points; below 0 where EQT"
        " is higher.",
        *left_out(every, drawn),
    ]

    def draw() -> Drawn:
        series = Series(_SOURCES, across=True, filled=True)
        x = Axis(values=QUARTERS)
        return chart(
            rows, x, y, series, kind="bar", width=width, height=28 * len(drawn), columns=columns, slots=[*_SOURCES]
        )

    whole = [cell for cell in benchmark.cells if cell.category == ALL]
    words = [f"{c.target}: benchmark {figures.percent(c.benchmark)}, EQT {figures.percent(c.accuracy)}" for c in whole]
    return Picture(
        DROP,
        "Accuracy in the benchmark and in EQT",
        said,
        [f"{each} over all concepts." for each in words],
        columns * (width + 75) + room_of([*drawn.values()]),
        draw,
    )


def _points(share: float) -> str:
    """A share of 1 as percentage points, with one decimal."""
    return figures.number(share * 100, 1)


def _rank_map(benchmark: BenchmarkComparison, categories: Sequence[str], told: Sequence[str]) -> Picture:
    """Where a target's rank in the Explain-Query-Test is its rank in the benchmark: category by target."""
    cells = _by_category(benchmark.cells)
    every = category_order(categories, cells)
    drawn = category_labels(every[:MOST_CATEGORIES], 34)
    room = room_of([*drawn.values()])
    cell = max(76, min(120, (PAGE - room - 40) // len(benchmark.matches)))
    heads = _heads(benchmark, cell)
    rows = [
        {"panel": "", "x": heads[target], "y": label} | _rank(target, cells[name], benchmark)
        for name, label in drawn.items()
        for target in heads
    ]
    said = [
        *told,
        "In each cell: the rank by EQT accuracy, then the rank in the benchmark; = where they are the same, ≠ where "
        "they differ. 1 is the best; ties share the mean of their ranks.",
        *(["–: not ranked, since not every target has both numbers."] if any(r["told"] == "–" for r in rows) else []),
        *left_out(every, drawn),
    ]
    width = max(cell * len(heads), 320)
    kinds = {name: mark for name, mark in _RANKS.items() if any(row["series"] == name for row in rows)}
    x = Axis(names=[*heads.values()], top=max(head.count("\n") for head in heads.values()) + 1, bare=True)
    y = Axis(names=[*drawn.values()], room=room, bare=True)
    return Picture(
        RANKS,
        "Ranks in EQT and in the benchmark",
        said,
        [f"{t}: the same rank in {n} of {benchmark.ranked} categories." for t, n in benchmark.matches.items()],
        width + room,
        lambda: chart(
            rows, x, y, Series(kinds, across=True, filled=True), kind="cell", width=width, height=26 * len(drawn)
        ),
    )


def _heads(benchmark: BenchmarkComparison, width: int) -> dict[str, str]:
    """Target → the head of its column, of as many lines as every other."""
    count = f" of {benchmark.ranked} same" if benchmark.ranked else ""
    heads = {
        target: [*wrap(label, width // 7), *([f"{benchmark.matches[target]}{count}"] if count else [])]
        for target, label in labels(benchmark.matches, 76).items()
    }
    lines = max(map(len, heads.values()))
    return {target: "\n".join([*[""] * (lines - len(head)), *head]) for target, head in heads.items()}


def _ranked(cells: Mapping[str, object], benchmark: BenchmarkComparison) -> bool:
    """Whether the ranks of a category are over all targets that the benchmark knows."""
    return all(target in cells for target in benchmark.matches)


def _rank(target: str, cells: Mapping[str, EqtCell | BenchmarkCell], benchmark: BenchmarkComparison) -> Row:
    cell = cells.get(target)
    if not isinstance(cell, BenchmarkCell) or not _ranked(cells, benchmark):
        return {"series": "not ranked", "told": "–"}
    kind, sign = ("same rank", "=") if cell.match else ("another rank", "≠")
    return {"series": kind, "told": f"{cell.rank:g} {sign} {cell.benchmark_rank:g}"}
