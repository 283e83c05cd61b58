"""DeepQuestion's numbers: accuracy from the original to Q2S and Q2I, what the judge says, and what
was rejected."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from ....graphs.answers import measures_of, rows_of
from ....state.deepquestion.result import Check, Comparisons, DeepQuestionResult, Rejection
from ....state.problems import Kind
from ....state.rows import Measure
from ...page import figures
from ...page.blocks import Block, Column, Table, Text
from ...page.rows import clip
from ...page.sanitise import model_name
from ...page.view import PageOptions
from ..abstention import abstention_table
from ..by_tag import by_tag, measured, parts_of
from ..texts import with_interval
from .labels import KIND_NAMES, TEXTS, prompt_words

FEW = 30
"""Below so many problems an accuracy is hardly more than a guess."""
WIDE = f"Intervals over fewer than {FEW} problems are wide."
CHANGES = (
    "drop: original minus scenario over problems with both, positive where scenarios are harder; "
    "distance: original minus Q2I, another task, so that there is no test of it"
)
ACCURACIES, OWN = ("original", "q2s", "q2i"), ("original", "q2s", "q2i", "drop", "distance")
"""How the names of measures begin: of accuracies, and of all but abstention."""
EXAMPLE = 150
"""Cells of an example of what was rejected."""
WINS = (
    "win: the written question is preferred in both orders, loss: the original is; win %: (wins + "
    "ties/2)/pairs"
)
WIN_COLUMNS = (
    Column("", "name"),
    Column("win", "row.wins", "count"),
    Column("tie", "row.ties", "count"),
    Column("loss", "row.losses", "count"),
    Column("win %", "row.win_rate", "whole", interval="row.ci", style="bold"),
    Column("contrad.", "row.contradictory", "count", "contrad.: the same place in both orders"),
)
REJECTED_COLUMNS = (
    Column("", "kind"),
    Column("check", "check", fold=True),
    Column("n", "problems", "count"),
    Column("for example", "example", fold=True, since=60),
)


def shown(begins: tuple[str, ...] = OWN) -> list[Measure]:
    """The measures whose names begin so."""
    return [entry for entry in measures_of("deepquestion") if entry.name.startswith(begins)]


def blocks(result: DeepQuestionResult, how: PageOptions) -> Iterator[Block]:
    """All tables of a result."""
    rows = rows_of(result)
    if any(row.score is not None for row in rows):
        yield measured(rows, shown(), "Original → Q2S → Q2I")
        yield Text(_tests(result))
        if len(parts_of(rows, "category")) > 1:
            yield by_tag("By category", rows, shown(ACCURACIES), "category")
        yield from abstention_table(rows, measures_of("deepquestion"), "task")
        yield from _invalid(result)
        if result.q2i is not None and result.q2i.comparisons.pairs:
            yield _wins(result.q2i.comparisons, result.baseline, result.spec.judge)
    if result.prompts:
        used = {True: "used", False: "not used"}
        lines = [
            f"{prompt_words(entry, result.spec)}, {used[entry.used]}" for entry in result.prompts
        ]
        yield Text(lines, "Transformation prompts")
    yield from _rejected(result)
    if result.problems:
        hint = "shows a problem with all its texts, questions and answers."
        yield from how.command(result, f"--path {result.problems[0].id}", hint)


def _tests(result: DeepQuestionResult) -> list[str]:
    """McNemar's test of each drop, each load for itself, and what the figures mean."""
    lines = [CHANGES]
    for row in result.q2s:
        drop = row.drop
        if drop is not None:
            lines.append(
                f"McNemar's exact test of {row.load} alone: p {figures.p_value(drop.mcnemar_p)} over "
                f"{figures.count(drop.n, 'problem')}, {drop.only_original} only right as the "
                f"original, {drop.only_transformed} only in the scenario"
            )
    return [*lines, *([WIDE] if result.original.n < FEW else [])]


def _invalid(result: DeepQuestionResult) -> Iterator[Block]:
    """Attempts at Q2I that are not valid, by the first reason that applies; nothing without any."""
    row = result.q2i
    if row is not None and row.invalid:
        why = figures.joined([f"{reason} {number}" for reason, number in row.invalid.items()], ", ")
        attempts = figures.count(row.accuracy.n, "attempt")
        yield Text([f"{sum(row.invalid.values())} of {attempts} at Q2I are not valid: {why}."])


def _wins(comparisons: Comparisons, baseline: Comparisons | None, judge: str) -> Table:
    """Written questions against the originals, by criterion, and how the judge leans to a place, in
    these and between two originals (`baseline`)."""
    rows = [{"name": row.criterion.replace("_", " "), "row": row} for row in comparisons.criteria]
    lines = [f"judged by {model_name(judge)}", WINS]
    for words, entry in (("these pairs", comparisons), ("pairs of originals", baseline)):
        if entry is not None and entry.position:
            overall = entry.position[-1]
            share = with_interval(overall.first_share, overall.ci, "percent")
            lines.append(f"the first position is preferred in {share} of {words}, whoever is there")
    pairs = figures.count(comparisons.pairs, "pair")
    title = f"Written questions against the originals, {pairs} in both orders"
    return Table(title, WIN_COLUMNS, rows, lines)


def _rejected(result: DeepQuestionResult) -> Iterator[Block]:
    """Rejected texts by kind and check, each with one example; then those that a fault took.
    Nothing without any."""
    by_check: dict[tuple[Kind, Check], list[Rejection]] = defaultdict(list)
    for entry in result.rejected:
        by_check[entry.kind, entry.check].append(entry)
    if by_check:
        rows = [_check(rejections) for rejections in by_check.values()]
        yield Table("Rejected", REJECTED_COLUMNS, rows)
    faulty = [f"{TEXTS[kind]} {number:,}" for kind, number in result.unwritten.items()]
    if faulty:
        yield Text([f"Not written because of a fault, not counted: {', '.join(faulty)}."])


def _check(rejections: Sequence[Rejection]) -> dict[str, object]:
    """All that one check rejected of a kind, with `p17 many: The evaluator reaches 42.`"""
    example = next((entry for entry in rejections if entry.reason), rejections[0])
    where = figures.joined([example.problem, example.load or ""], " ")
    return {
        "kind": KIND_NAMES[example.kind],
        "check": example.check,
        "problems": len({entry.problem for entry in rejections}),
        "example": clip(figures.joined([where, example.reason], ": "), EXAMPLE),
    }
