"""What people say of the judge and of the questions, as measures of any method."""

from collections.abc import Callable, Sequence
from functools import partial

from ..state.review import Rate
from ..state.rows import AnswerRow, Estimate, Measure
from ..stats.correction import corrected_share, estimate_of, faulty, judge_error

Counted = Callable[[Sequence[AnswerRow]], Sequence[AnswerRow]]
SAYS = {
    "judge_sensitivity": "Of answers that people call right, the share that the judge calls right.",
    "judge_specificity": "Of answers that people call wrong, the share that the judge calls wrong.",
    "faulty_questions": "Share of the questions that people find a fault with.",
}
RATES: dict[str, Callable[[Sequence[AnswerRow]], Rate]] = {
    "judge_sensitivity": lambda rows: judge_error(rows).sensitivity,
    "judge_specificity": lambda rows: judge_error(rows).specificity,
    "faulty_questions": lambda rows: faulty(rows)[0],
}


def review_measures(counted: Counted, by: tuple[str, ...]) -> tuple[Measure, ...]:
    """`counted`: which rows are the target's own answers; `by`: what they may be told apart by."""

    def estimate(name: str, rows: Sequence[AnswerRow]) -> Estimate:
        return estimate_of(RATES[name](counted(rows)))

    return tuple(
        Measure(
            name,
            "share",
            "lower" if name == "faulty_questions" else "higher",
            says,
            partial(estimate, name),
            by,
        )
        for name, says in SAYS.items()
    )


def share_measures(counted: Counted, by: tuple[str, ...]) -> tuple[Measure, ...]:
    """The same of methods whose questions do not lead to each other, with their share right."""
    corrected = Measure(
        "corrected_accuracy",
        "share",
        "higher",
        "Share of answers that are right, corrected for the judge's errors (PPI++).",
        lambda rows: corrected_share(counted(rows)),
        by,
    )
    return (corrected, *review_measures(counted, by))
