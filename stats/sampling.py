"""Which answers people review: a sample stratified by tier and verdict.

Each answer has a permanent random number, and a stratum gives those with the lowest ones. So a
larger sample holds the smaller one, and within a stratum every answer is as likely to be drawn as
any other: probability = drawn / answers.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from hashlib import sha256
from math import sqrt

from ..state.review import Sampled
from ..state.rows import ANCHOR, AnswerRow
from ..state.tiers import tier_name

Answer = tuple[str, str, str]
"""(run, item, condition)"""


def answer_of(row: AnswerRow) -> Answer:
    return row.run, row.item, row.condition


def is_reviewable(row: AnswerRow) -> bool:
    """Whether the target answered in words and the answer was scored."""
    return (
        row.score is not None
        and bool(row.texts.get("question"))
        and bool(row.texts.get("answer"))
        and not row.condition.startswith(ANCHOR)
    )


def stratum_of(row: AnswerRow) -> str:
    """Its tier, or without tiers its condition, and the judge's verdict."""
    return f"{tier_name(str(row.tag('tier') or row.condition))} · {row.verdict}"


def strata_of(rows: Sequence[AnswerRow]) -> dict[str, list[AnswerRow]]:
    """The answers that can be reviewed by stratum, each once, by their random numbers."""
    strata: dict[str, dict[Answer, AnswerRow]] = defaultdict(dict)
    for row in filter(is_reviewable, rows):
        strata[stratum_of(row)].setdefault(answer_of(row), row)
    return {
        name: sorted(strata[name].values(), key=lambda row: random_hex("draw", row))
        for name in sorted(strata)
    }


def random_hex(purpose: str, row: AnswerRow) -> str:
    """The answer's permanent random number for a purpose, as hex digits."""
    return sha256("\0".join((purpose, *answer_of(row))).encode()).hexdigest()


def draw(strata: Mapping[str, Sequence[AnswerRow]], size: int) -> dict[Answer, Sampled]:
    """A sample of so many answers, but one of each stratum, or of all there are."""
    sizes = {name: len(rows) for name, rows in strata.items()}
    counts = allocate(sizes, max(size, len(sizes)))
    sample: dict[Answer, Sampled] = {}
    for name, rows in strata.items():
        for row in rows[: counts[name]]:
            sample[answer_of(row)] = Sampled(
                item=row.item,
                condition=row.condition,
                stratum=name,
                probability=counts[name] / len(rows),
                answers=len(rows),
            )
    return sample


def allocate(sizes: Mapping[str, int], size: int) -> dict[str, int]:
    """How many each stratum gives: one each, then in proportion to the root of its size, between
    equal numbers, which are best for the judge's errors by tier, and proportional ones, best for
    the accuracy. Every step adds one, so that no stratum gives less to a larger sample."""
    counts = dict.fromkeys(sizes, 0)
    for _ in range(min(size, sum(sizes.values()))):
        neediest = max(
            (name for name in sizes if counts[name] < sizes[name]),
            key=lambda name: (counts[name] == 0, sqrt(sizes[name]) / (counts[name] + 1), name),
        )
        counts[neediest] += 1
    return counts
