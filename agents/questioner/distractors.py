"""Which of the distractors that came are of use: not one that tells the answer, and nothing twice."""

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction

from ...state.deepquestion.items import Distractor, Dropped, Problem
from ...state.text import normalise
from ..answers.final.answer import final_stands_in
from ..answers.numbers.read import read_number

_WORD = re.compile(r"[^\W\d_]{4}")


def usable(
    problem: Problem, sentences: Iterable[str], question: str, written: Sequence[Distractor]
) -> tuple[list[Distractor], list[Dropped]]:
    """Distractors in their order, and those that are dropped: where the final answer stands, unless it stands in the
    problem or is too plain to say anything (`is_telling`); what is there already, among the scenario's sentences, in
    its question or before."""
    kept, dropped = list[Distractor](), list[Dropped]()
    there = {normalise(text) for text in (*sentences, question)}
    answer = problem.final_answer
    tells = is_telling(answer) and not final_stands_in(problem.question, answer)
    for each in written:
        plain = normalise(each.text)
        if plain in there:
            dropped.append(Dropped(text=each.text, why="repeats"))
        elif tells and final_stands_in(each.text, answer):
            dropped.append(Dropped(text=each.text, why="gives away"))
        else:
            kept.append(each)
        there.add(plain)
    return kept, dropped


def is_telling(answer: str) -> bool:
    """Whether an answer hardly stands anywhere by chance: a number of at least two significant digits, zeros at the end
    not counted, or words of which one has at least four letters."""
    number = read_number(answer)
    if number is None:
        return _WORD.search(answer) is not None
    return _significant(number.value) >= 2


def _significant(value: Fraction) -> int:
    """Digits of a number without the zeros around them; of 1/3 very many."""
    return len(str(abs(round(value * 10**40))).strip("0"))
