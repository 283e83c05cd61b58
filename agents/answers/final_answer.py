"""Final answers of problems: the line that gives one, whether it is the reference, and whether a text
states it. What form cannot tell is None, and the judge says it."""

import re
from collections.abc import Iterator, Sequence

from ...state.problems import AnswerKind, Problem
from ...state.text import contains
from .choice import letters_in
from .line import answer_line
from .quantity import leading_number, numbers_in, read_quantity, same_quantity

_FIGURE = re.compile(r"(?<![\w.,])\d[\d,]*(?:\.\d+)?(?![\w])")


def answer_kind(problem: Problem) -> AnswerKind:
    """How a problem's answers are compared: by letters where it has options, as numbers where its
    reference is one plain number, else in words."""
    if problem.options:
        return "choice"
    return "text" if read_quantity(problem.answer) is None else "number"


def read_final(reply: str, kind: AnswerKind, options: Sequence[str] = ()) -> str:
    """The final answer that a reply gives: letters, a number with its unit, or words; empty where
    its last line has another form."""
    line = answer_line(reply)
    if kind == "choice":
        places = letters_in(line, len(options)) or ()
        return "".join(chr(65 + place) for place in sorted(places))
    if line is None:
        return ""
    is_readable = kind == "text" or read_quantity(line) is not None
    return line if is_readable else ""


def same_answer(
    final: str, reference: str, kind: AnswerKind, *, tolerance: float | None = None
) -> bool | None:
    """Whether a final answer as it was read is the reference; None where the judge has to say so:
    nothing was read, words that differ, or see `same_quantity`."""
    if not final:
        return None
    if kind == "choice":
        return final == reference.strip().upper()
    if kind == "text":
        return True if _plain(final) == _plain(reference) else None
    number, wanted = read_quantity(final), read_quantity(reference)
    if number is None or wanted is None:
        return None
    return same_quantity(number, wanted, tolerance)


def _plain(text: str) -> str:
    return " ".join(text.split()).strip(" .\"'$")


def final_stands_in(text: str, answer: str) -> bool:
    """Whether a text, such as an instruction, states a final answer: its number, or its words."""
    wanted = leading_number(answer)
    if wanted is None:
        return contains(text, answer)
    return wanted in numbers_in(text)


def lost_figures(text: str, reworded: str) -> list[str]:
    """The figures of a text that another wording lacks, each once; 1,000 is 1000."""
    there = {figure for _, figure in _figures(reworded)}
    return list(
        dict.fromkeys(written for written, figure in _figures(text) if figure not in there)
    )


def _figures(text: str) -> Iterator[tuple[str, str]]:
    for figure in _FIGURE.finditer(text):
        yield figure[0].rstrip(","), figure[0].replace(",", "")
