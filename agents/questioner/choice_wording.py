"""What the wording of a question and its options gives away: a text that nobody sees, other
options, the options."""

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction

from ...state.problems import Distractor, Dropped, Problem
from ...state.text import contains, normalise
from ..answers.final_answer import final_stands_in
from ..answers.quantity import read_quantity

_OF_TEXT = re.compile(
    r"\b(?:according to|based on|(?:described|stated|mentioned|explained|discussed) (?:in|by)) "
    r"(?:the|this) (?:given |provided |above )?(?:text|passage|excerpt|explanation)\b"
    r"(?! (?:of|from|box)\b)",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{4,}|\b[A-Z][a-z]{2}\b|\b[A-Z][a-z](?= )|^[A-Z](?= [a-z])")


def same_text(text: str) -> str:
    """What two options share that are the same. The case of short names counts, as in Co and CO, mW
    and MW."""
    plain = " ".join(text.split()).rstrip(".")
    return _WORD.sub(lambda word: word[0].casefold(), plain)


def speaks_of_text(text: str) -> bool:
    """Whether a question or an option speaks of a text that candidates do not see."""
    return _OF_TEXT.search(text) is not None


TELLING_WORDS = 3
"""Words from which an option's text is told from a name or a term that a question may well hold."""


def holds_any(wording: str, options: Iterable[str]) -> bool:
    """Whether the wording holds the text of one of these options, of three words or more, word for
    word."""
    return any(
        len(option.split()) >= TELLING_WORDS and contains(wording, option) for option in options
    )


_LONG_WORD = re.compile(r"[^\W\d_]{4}")


def usable(
    problem: Problem, sentences: Iterable[str], question: str, distractors: Sequence[Distractor]
) -> tuple[list[Distractor], list[Dropped]]:
    """Distractors in their order, and those that are dropped: where the final answer stands, unless
    it stands in the problem or is too plain to say anything (`is_telling`); what is there already,
    among the scenario's sentences, in its question or before."""
    usable_ones, dropped = list[Distractor](), list[Dropped]()
    texts = {normalise(text) for text in (*sentences, question)}
    answer = problem.final_answer
    tells = is_telling(answer) and not final_stands_in(problem.question, answer)
    for distractor in distractors:
        plain = normalise(distractor.text)
        if plain in texts:
            dropped.append(Dropped(text=distractor.text, why="repeats"))
        elif tells and final_stands_in(distractor.text, answer):
            dropped.append(Dropped(text=distractor.text, why="gives away"))
        else:
            usable_ones.append(distractor)
        texts.add(plain)
    return usable_ones, dropped


def is_telling(answer: str) -> bool:
    """Whether an answer hardly stands anywhere by chance: a number of at least two significant
    digits, zeros at the end not counted, or words of which one has at least four letters."""
    number = read_quantity(answer)
    if number is None:
        return _LONG_WORD.search(answer) is not None
    return _significant(number.value) >= 2


def _significant(value: Fraction) -> int:
    """Digits of a number without the zeros around them; of 1/3 very many."""
    return len(str(abs(round(value * 10**40))).strip("0"))
