"""Whether a model favours a letter: how often each is chosen, against how often it is right."""

from collections import Counter
from collections.abc import Iterable

from ..state.eqt import Choice
from ..state.eqt_result import LetterBias, LetterRow
from .eqt_items import ConceptItems


def letter_bias(concepts: Iterable[ConceptItems], options: int) -> LetterBias:
    """Over closed-book answers with a readable selection; `options`: letters there are, A and so on.

    With c_i the share of all choices that fell on letter i and r_i the share of all right options that stood there, the
    distance is ½·Σ|c_i − r_i| (total variation). The letter with the largest c_i − r_i is named, the first of equals;
    none when no share differs.
    """
    chosen: Counter[str] = Counter()
    right: Counter[str] = Counter()
    answers = 0
    for concept in concepts:
        for choice in concept.choices.values():
            if choice.reading == "letters":
                answers += 1
                chosen.update(choice.letters)
                right.update(_right(choice, concept))
    letters = [chr(65 + place) for place in range(options)]
    rows = tuple(LetterRow(letter=letter, chosen=chosen[letter], right=right[letter]) for letter in letters)
    if answers == 0:
        return LetterBias(answers=0, letters=rows, distance=None, largest=None)
    excess = {row.letter: row.chosen / chosen.total() - row.right / right.total() for row in rows}
    largest = max(letters, key=lambda letter: excess[letter])
    return LetterBias(
        answers=answers,
        letters=rows,
        distance=sum(abs(part) for part in excess.values()) / 2,
        largest=largest if excess[largest] > 0 else None,
    )


def _right(choice: Choice, concept: ConceptItems) -> list[str]:
    """The letters under which the right options were shown."""
    options = concept.questions[choice.question].options
    return [chr(65 + place) for place, option in enumerate(choice.order) if options[option].correct]
