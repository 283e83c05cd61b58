"""What was written for a DeepQuestion run and did not pass its checks, and what was not written at all."""

from dataclasses import dataclass

from rich.console import RenderableType
from rich.text import Text

from ....state.deepquestion.items import Kind
from ....state.deepquestion.result import DeepQuestionResult, Rejection
from ...page import figures
from ...page.rows import clip
from ...page.sanitise import one_line
from ...page.tables import Column, table_of, under
from .labels import KIND_NAMES, TEXTS, check_words, load_words

EXAMPLE, EXAMPLE_SINCE = 150, 60
"""Cells of an example at most, and the width below which it stands under the table's line and not in a column."""


@dataclass(frozen=True, slots=True)
class _Check:
    """All that one check rejected of a kind."""

    kind: Kind
    words: str
    problems: int
    example: Rejection

    @property
    def said(self) -> str:
        """`p17 with 5 distractors: The evaluator reaches 42.`"""
        load = f" with {load_words(self.example.load)}" if self.example.load else ""
        where = f"{one_line(self.example.problem)}{load}"
        return clip(figures.joined([where, one_line(self.example.reason[: 8 * EXAMPLE])], ": "), EXAMPLE)


def rejected_part(result: DeepQuestionResult, *, width: int) -> list[RenderableType]:
    """Rejected texts by kind and check, each with one example; then those that a fault took. Nothing without any."""
    parts: list[RenderableType] = []
    rows = _rows(result)
    if rows:
        narrow = width < EXAMPLE_SINCE
        columns: tuple[Column[_Check], ...] = (
            Column("", lambda r: KIND_NAMES[r.kind], text=True, fixed=True),
            Column("check", lambda r: f"{r.words}\n{r.said}" if narrow else r.words, text=True),
            Column("n", lambda r: f"{r.problems:,}"),
            Column("for example", lambda r: r.said, text=True, since=EXAMPLE_SINCE),
        )
        parts += ["", *under(f"Rejected: {_counts(result)}", table_of(columns, rows, width=width))]
    lost = ", ".join(f"{KIND_NAMES[kind]} {number:,}" for kind, number in result.unwritten.items() if number)
    if lost:
        lead: list[RenderableType] = [] if rows else [""]
        parts += [*lead, Text(f"Not written because of a fault, not counted: {lost}.")]
    return parts


def _rows(result: DeepQuestionResult) -> list[_Check]:
    """By kind, the check that rejects most first."""
    held: dict[tuple[Kind, str], list[Rejection]] = {}
    for each in result.rejected:
        held.setdefault((each.kind, check_words(each.check, each.kind)), []).append(each)
    rows = [
        _Check(kind, words, len({each.problem for each in found}), next((e for e in found if e.reason), found[0]))
        for (kind, words), found in held.items()
    ]
    return sorted(rows, key=lambda row: (row.kind != "q2s", -row.problems))


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
