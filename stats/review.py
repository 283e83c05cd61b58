"""Rows of answers with what people said of them, as tags of the row:

`human`: right, wrong, abstained, cannot say, or `raters differ`; `question_sound`: sound or the
fault that was named, or `raters differ`; `review_probability`: with which the answer was drawn, 0
beside the sample; `raters`: how many; `rated_by`: who, in the order of their names, and `votes`:
what each says of the answer; `rated_at`: the day of the last label.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from statistics import multimode

from ..state.review import AnswerKey, Label, Review
from ..state.rows import AnswerRow, Tag

DIFFER = "raters differ"


def latest(labels: Iterable[Label]) -> dict[AnswerKey, dict[str, Label]]:
    """Answer → rater → the label that counts."""
    by_answer: dict[AnswerKey, dict[str, Label]] = defaultdict(dict)
    for label in labels:
        by_answer[label.key][label.rater] = label
    return by_answer


def with_review(rows: Sequence[AnswerRow], review: Review) -> list[AnswerRow]:
    """The rows of one run; those that were reviewed have the tags."""
    probabilities = {sampled.key: sampled.probability for sampled in review.sample}
    labels = latest(review.labels)
    tagged = []
    for row in rows:
        key = row.item, row.condition
        if key in labels:
            of_answer = [labels[key][rater] for rater in sorted(labels[key])]
            row = _tagged(row, probabilities.get(key, 0.0), of_answer)
        tagged.append(row)
    return tagged


def _tagged(row: AnswerRow, probability: float, labels: Sequence[Label]) -> AnswerRow:
    tags: dict[str, Tag] = {
        "human": _common(label.answer for label in labels),
        "question_sound": _common(label.question for label in labels),
        "review_probability": probability,
        "raters": len(labels),
        "rated_by": ", ".join(label.rater for label in labels),
        "votes": ", ".join(label.answer or "skipped" for label in labels),
        "rated_at": max(f"{label.at.date()}" for label in labels),
    }
    return replace(row, tags={**row.tags, **tags})


def _common(values: Iterable[str | None]) -> str | None:
    """What most raters say; None where nobody says anything."""
    most = multimode(value for value in values if value)
    return most[0] if len(most) == 1 else DIFFER if most else None
