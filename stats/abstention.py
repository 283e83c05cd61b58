"""Knowing that it does not know (METHODS: Numbers for the drill): what a model does where it is not
right, over answers of any method."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import Literal, NamedTuple

from ..state.rows import AnswerRow, Estimate, Measure, RowVerdict
from .estimates import Value, mean, share

Answers = Sequence[tuple[Hashable, RowVerdict]]
"""(group, verdict) of each answer; unscored ones count nowhere."""
Counted = Callable[[Sequence[AnswerRow]], Sequence[AnswerRow]]
"""Which of its rows are a method's own answers."""
BLUFF = 5
"""A model bluffs where more than one answer in so many is wrong and not abstained."""
SCORED: tuple[RowVerdict, ...] = ("right", "wrong", "abstained", "unreadable")
"""An answer that nobody can read is scored and none of the other three."""


class Share(NamedTuple):
    """Of the answers with one of some verdicts, the share with one verdict."""

    verdict: RowVerdict
    among: tuple[RowVerdict, ...]
    better: Literal["higher", "lower"]
    says: str


SHARES: Mapping[str, Share] = {
    "right": Share("right", SCORED, "higher", "Share of answers that are right."),
    "wrong": Share("wrong", SCORED, "lower", "Share of answers that are wrong."),
    "abstained": Share(
        "abstained", SCORED, "lower", "Share of answers that say they do not know."
    ),
    "precision_when_answering": Share(
        "right",
        ("right", "wrong"),
        "higher",
        "Share that is right of the answers that do not abstain.",
    ),
    "hallucination_rate": Share(
        "wrong",
        ("wrong", "abstained"),
        "lower",
        'Of the questions that are not answered rightly, the share answered wrongly in place of "I do not know".',
    ),
}
INDEX = "index"
_POINTS: Mapping[str, float] = {"right": 100.0, "wrong": -100.0}


def abstention(name: str, answers: Answers) -> Estimate:
    """One of `SHARES`, or the index 100·(right − wrong)/scored. Intervals are clustered by group."""
    if name == INDEX:
        points = [(group, _POINTS.get(verdict, 0.0)) for group, verdict in _of(answers, SCORED)]
        return mean(points, -100, 100)
    figure = SHARES[name]
    return mean(_marks(_of(answers, figure.among), figure.verdict))


def abstention_measures(counted: Counted, by: tuple[str, ...]) -> tuple[Measure, ...]:
    """The measures over a method's own answers."""

    def estimate(name: str, rows: Sequence[AnswerRow]) -> Estimate:
        return abstention(
            name, [((row.domain, row.group), row.verdict) for row in counted(rows)]
        )

    shares = [
        Measure(name, "share", figure.better, figure.says, partial(estimate, name), by)
        for name, figure in SHARES.items()
    ]
    says = "Right minus wrong answers, per 100."
    return (*shares, Measure(INDEX, "index", "higher", says, partial(estimate, INDEX), by))


def first_bluff(by_depth: Mapping[int, Answers], max_depth: int) -> Estimate:
    """The first depth at which more than a fifth of the answers are wrong and not abstained; the one
    after those asked, as a lower limit, where there is none. Its interval is from the first depth at
    which the interval of that share reaches above a fifth to the first at which it lies above it;
    one more than `max_depth` where it does at none."""
    shares = {
        depth: share(_marks(_of(by_depth[depth], SCORED), "wrong"))
        for depth in sorted(by_depth)
    }
    scored = {
        depth: estimate for depth, estimate in shares.items() if estimate.value is not None
    }
    if not scored:
        return Estimate(None)
    after = max(scored) + 1

    def first(end: Callable[[Estimate], float | None], otherwise: int) -> int:
        for depth, estimate in scored.items():
            if BLUFF * (end(estimate) or 0.0) > 1:
                return depth
        return otherwise

    return Estimate(
        value := first(lambda estimate: estimate.value, after),
        first(lambda estimate: estimate.high, after),
        first(lambda estimate: estimate.low, max_depth + 1),
        n=sum(estimate.n for estimate in scored.values()),
        groups=max(estimate.groups for estimate in scored.values()),
        at_least=value == after,
    )


def _of(answers: Answers, verdicts: Sequence[RowVerdict]) -> Answers:
    return [answer for answer in answers if answer[1] in verdicts]


def _marks(answers: Answers, wanted: RowVerdict) -> list[Value]:
    return [(group, float(verdict == wanted)) for group, verdict in answers]
