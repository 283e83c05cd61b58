"""DeepQuestion's numbers: accuracy from the original to Q2S and Q2I, what the judge says, and what
was rejected."""

from collections.abc import Iterator, Sequence
from typing import Any

from ....graphs.answers import rows_of
from ....state.deepquestion.items import Kind
from ....state.deepquestion.result import DeepQuestionResult, Drop, InstructionRow, Rejection, Share
from ...page import figures
from ...page.blocks import Block, Cell, Column, Table, Text
from ...page.rows import clip
from ...page.view import How
from ..abstention import abstention_table
from ..findings import SHARE_COLUMNS, shares_of
from .judged import wins_blocks
from .labels import (
    FEW,
    INVALID,
    KIND_NAMES,
    MCNEMAR,
    OTHER_TASK,
    TEXTS,
    WIDE,
    check_words,
    load_words,
)
from .prompts import draft_blocks

STACKED, LONG = 62, 72
"""Width below which an interval stands under its number; and from which rows have their whole
names."""
BARS, PAIRED, BOTH = 108, 118, 138
"""Width from which there is room for bars, for the paired counts instead, and for both."""
EXAMPLE, EXAMPLE_SINCE = 150, 60
"""Cells of an example of what was rejected, and the width from which it has a column."""
DROP = (
    "drop: accuracy on the originals minus on the scenarios, in points, over problems with both; "
    "positive: scenarios"
    " are harder"
)
SEVERAL = "; several loads are tested, and no p is corrected for that"
ONLY = "only orig., only Q2S: problems with only one of the two right; all that p rests on"
Row = dict[str, Any]

ACCURACY_COLUMNS = (
    Column("", "short", until=LONG),
    Column("", "name", since=LONG),
    Column("n", "accuracy.n", "count"),
    Column("right", "accuracy.count", "count", since=50),
    Column("acc. %", "accuracy.share", "whole", "", "ci", STACKED, under=True, style="bold"),
    Column("0 … 100%", "accuracy.share", "bar", interval="ci", since=BARS, until=PAIRED),
    Column("0 … 100%", "accuracy.share", "bar", interval="ci", since=BOTH),
)
PAIRED_COLUMNS = (
    Column("p", "drop.mcnemar_p", "p"),
    Column("pairs", "drop.n", "count", since=PAIRED),
    Column("only orig.", "drop.only_original", "count", since=PAIRED),
    Column("only Q2S", "drop.only_transformed", "count", ONLY, since=PAIRED),
    Column("words", "words", "count", "words: mean length of the scenarios", since=90),
)
REST_COLUMNS = (Column("?", "unscored", "count", since=78),)
INVALID_COLUMNS = (Column("the first reason that applies", "words", fold=True), *SHARE_COLUMNS)
REJECTED_COLUMNS = (
    Column("", "kind"),
    Column("check", "words", fold=True, since=EXAMPLE_SINCE),
    Column("check", "with_example", fold=True, until=EXAMPLE_SINCE),
    Column("n", "problems", "count"),
    Column("for example", "said", fold=True, since=EXAMPLE_SINCE),
)


def blocks(result: DeepQuestionResult, how: How) -> Iterator[Block]:
    """All tables of a result."""
    row = result.q2i
    if measured(result):
        yield _accuracies(result)
        yield from abstention_table(rows_of(result), "task")
        yield from _invalid(row)
        created = row.comparisons if row else None
        if created:
            yield from wins_blocks(created, result.baseline, result.spec.judge)
    yield from draft_blocks(result)
    yield from _rejected(result)
    if result.problems:
        told = "shows a problem with all its texts, questions and answers."
        yield from how.command(result, f"--path {result.problems[0].id}", told)


def measured(result: DeepQuestionResult) -> bool:
    shares = [result.original, *(row.accuracy for row in result.q2s)]
    return any(share.n for share in (*shares, *([result.q2i.accuracy] if result.q2i else [])))


def _accuracies(result: DeepQuestionResult) -> Table:
    """The originals, Q2S at each load and Q2I with their intervals and, where there is any, how far
    they are from the originals: in Q2S over the same problems, in Q2I over another task."""
    rows = [_row("original", "original", result.original, result.original_unscored)]
    for each in result.q2s:
        row = _row(
            f"Q2S, {load_words(each.load)}",
            f"Q2S {each.load}",
            each.accuracy,
            each.unscored,
            each.drop,
        )
        rows.append(row | {"words": None if each.words is None else round(each.words)})
    created = result.q2i
    if created is not None:
        change = {"change": created.distance, "change_ci": created.distance_ci}
        rows.append(_row("Q2I, another task", "Q2I", created.accuracy, created.unscored) | change)
    paired = any(row["drop"] for row in rows)
    columns, said = [*ACCURACY_COLUMNS], list[str]()
    if any(row["change"] is not None for row in rows):
        head = "drop" if paired else "distance"
        columns.append(
            Column(head, "change", "points", "", "change_ci", STACKED, under=True, style="bold")
        )
    if paired:
        columns += PAIRED_COLUMNS
        said += [DROP, f"{MCNEMAR}{SEVERAL if len(result.q2s) > 1 else ''}"]
    said += [f"{OTHER_TASK} (Newcombe) and no p"] if created is not None else []
    said += (
        ["?: lost to faults, neither right nor wrong"]
        if any(row["unscored"] for row in rows)
        else []
    )
    said += [WIDE] if any(0 < row["accuracy"].n < FEW for row in rows) else []
    title = " → ".join(
        ["Original", *(["Q2S"] if result.q2s else []), *(["Q2I"] if created else [])]
    )
    return Table(title, [*columns, *REST_COLUMNS], rows, said)


def _row(name: str, short: str, accuracy: Share, unscored: int, drop: Drop | None = None) -> Row:
    """`change`: accuracy on the originals minus this one; `drop`: the paired figures behind it."""
    ci = None if accuracy.share is None else accuracy.ci
    change = {
        "drop": drop,
        "change": drop.drop if drop else None,
        "change_ci": drop.ci if drop else None,
    }
    return {
        "name": name,
        "short": short,
        "accuracy": accuracy,
        "ci": ci,
        "unscored": unscored,
        **change,
    }


def _invalid(row: InstructionRow | None) -> Iterator[Block]:
    """Attempts at Q2I that are not valid, by reason; nothing without any."""
    if row is None or not row.accuracy.n:
        return
    missed = row.accuracy.n - row.accuracy.count
    attempts = figures.count(row.accuracy.n, "attempt")
    if not missed:
        yield Text([f"All of {attempts} at Q2I are valid."])
        return
    counts = {words: row.invalid[why] for why, words in INVALID.items() if row.invalid.get(why)}
    yield Table(
        f"Q2I: {missed:,} of {attempts} not valid",
        INVALID_COLUMNS,
        shares_of(counts, row.accuracy.n),
    )


# what was rejected


def _rejected(result: DeepQuestionResult) -> Iterator[Block]:
    """Rejected texts by kind and check, each with one example; then those that a fault took.
    Nothing without any."""
    held: dict[tuple[Kind, str], list[Rejection]] = {}
    for each in result.rejected:
        held.setdefault((each.kind, check_words(each.check, each.kind)), []).append(each)
    rows = [_check(*key, found) for key, found in held.items()]
    rows.sort(key=lambda row: (row["kind"] != KIND_NAMES["q2s"], -row["problems"]))
    if rows:
        yield Table(f"Rejected: {_counts(result)}", REJECTED_COLUMNS, rows)
    lost = ", ".join(
        f"{KIND_NAMES[kind]} {number:,}" for kind, number in result.unwritten.items() if number
    )
    if lost:
        yield Text([f"Not written because of a fault, not counted: {lost}."])


def _check(kind: Kind, words: str, found: Sequence[Rejection]) -> Row:
    """All that one check rejected of a kind, with `p17 with 5 distractors: The evaluator reaches
    42.`"""
    example = next((each for each in found if each.reason), found[0])
    load = f" with {load_words(example.load)}" if example.load else ""
    said = figures.joined([f"{example.problem}{load}", example.reason], ": ")
    problems = len({each.problem for each in found})
    row: Row = {
        "kind": KIND_NAMES[kind],
        "words": words,
        "problems": problems,
        "said": clip(said, EXAMPLE),
    }
    return row | {"with_example": Cell(words, more=[clip(said, EXAMPLE)])}


def _counts(result: DeepQuestionResult) -> str:
    """`6 of 40 scenarios, 2 of 40 instructions`."""
    passed: dict[Kind, int] = {
        "q2s": result.q2s[0].scenarios if result.q2s else 0,
        "q2i": result.q2i.instructions if result.q2i else 0,
    }
    said = []
    for kind, name in TEXTS.items():
        rejected = len({each.problem for each in result.rejected if each.kind == kind})
        if rejected:
            said.append(f"{rejected:,} of {figures.count(rejected + passed[kind], name)}")
    return ", ".join(said)
