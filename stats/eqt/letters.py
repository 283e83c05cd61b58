"""Whether a model favours a letter: how often each is chosen, against how often it is right."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import sqrt

from ...state.eqt.items import Choice
from ...state.eqt.result import LetterBias, LetterRow
from ..consistency import t_quantile
from .items import ConceptItems

ERROR = 0.05
"""How often at most a letter is named although the model favours none."""


@dataclass(slots=True)
class _Counts:
    """Letter → how often it was chosen, and how often it was right, over the answers to one
    question or to all."""

    chosen: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)


def letter_bias(concepts: Iterable[ConceptItems], options: int) -> LetterBias:
    """Over closed-book answers with a readable selection; `options`: letters there are, A and so
    on.

    With c_i the share of all choices that fell on letter i and r_i the share of all right options
    that stood there, the distance is ½·Σ|c_i − r_i| (total variation). The letter with the largest
    c_i − r_i, the first of equals, is named only where that is beyond `bound`: one of the
    differences is always the largest, by chance alone.
    """
    by_question: dict[tuple[int, int], _Counts] = {}
    whole, answers = _Counts(), 0
    for concept in concepts:
        for choice in concept.choices.values():
            if choice.reading != "letters":
                continue
            answers += 1
            for counts in (
                whole,
                by_question.setdefault((choice.concept, choice.question), _Counts()),
            ):
                counts.chosen.update(choice.letters)
                counts.right.update(_right(choice, concept))
    letters = [chr(65 + place) for place in range(options)]
    rows = tuple(
        LetterRow(letter=name, chosen=whole.chosen[name], right=whole.right[name])
        for name in letters
    )
    if answers == 0:
        return LetterBias(answers=0, letters=rows, distance=None, largest=None)
    excess = {name: _excess(name, whole) for name in letters}
    largest = max(letters, key=lambda name: excess[name])
    beyond = bound(largest, list(by_question.values()), whole, options)
    return LetterBias(
        answers=answers,
        letters=rows,
        distance=sum(abs(part) for part in excess.values()) / 2,
        largest=largest if beyond is not None and excess[largest] > beyond else None,
    )


def bound(letter: str, questions: Sequence[_Counts], whole: _Counts, options: int) -> float | None:
    """The excess c − r that a letter must exceed so that chance takes any of them so far in one of
    twenty runs at most; None with fewer than two questions.

    The answers to a question are not independent (they share options, and in a fixed order the
    letters, too), so that K questions are the clusters. With x_q of n_q choices and y_q of m_q
    right options on the letter in question q, X and Y the choices and right options in all, u_q =
    (x_q − c·n_q)/X − (y_q − r·m_q)/Y is what the question adds to the excess (the ratio estimator,
    linearised) and K/(K−1)·Σu_q² its variance. By chance that may come out far too small, so that
    it is at least p(1 − p)(1/X + 1/Y) with p = (Σx + Σy)/(X + Y), the variance of two independent
    shares. The bound is √V times the one-sided quantile of Student's t at K − 1 degrees of freedom
    for .05 divided by the number of letters, all of which are looked at (Bonferroni).
    """
    if len(questions) < 2:
        return None
    n, m = whole.chosen.total(), whole.right.total()
    c, r = whole.chosen[letter] / n, whole.right[letter] / m
    parts = [
        (one.chosen[letter] - c * one.chosen.total()) / n
        - (one.right[letter] - r * one.right.total()) / m
        for one in questions
    ]
    pooled = (whole.chosen[letter] + whole.right[letter]) / (n + m)
    clustered = len(parts) / (len(parts) - 1) * sum(part**2 for part in parts)
    variance = max(clustered, pooled * (1 - pooled) * (1 / n + 1 / m))
    return t_quantile(len(parts) - 1, 1 - ERROR / options) * sqrt(variance)


def _excess(letter: str, counts: _Counts) -> float:
    return (
        counts.chosen[letter] / counts.chosen.total() - counts.right[letter] / counts.right.total()
    )


def _right(choice: Choice, concept: ConceptItems) -> list[str]:
    """The letters under which the right options were shown."""
    options = concept.questions[choice.question].options
    return [chr(65 + place) for place, option in enumerate(choice.order) if options[option].correct]
