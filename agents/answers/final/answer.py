"""Final answers: read from a solver's free prose, and compared with the reference without asking
anybody.

A number is read from the last line "Answer: …", from \\boxed{…}, behind #### or "the answer is …",
or from a JSON object; without any of these, from the last sentence that has a number. What leaves
two numbers open is unreadable. Every step takes time in proportion to the text.
"""

import re
from collections.abc import Sequence
from itertools import dropwhile, takewhile

from ....state.deepquestion.items import AnswerKind, Problem
from ....state.text import contains
from ..lines import Behind, behind_label, labelled, lines_of, plain
from ..numbers.compare import equal_quantity, same_quantity
from ..numbers.read import Quantity, numbers_in, read_forms, read_number
from ..numbers.text import UNREAD, plain_math, raised
from ..numbers.units import conversion, is_unit
from .choice import read_choice
from .phrase import number_of

_SHORT = 12  # words of an answer in one clause
_STOPS = " .,;:?"
_FONT = re.compile(r"\\(?:text|math)(?:bf|rm|it|sf|tt|up|normal)? ?\{([^{}]*+)\}")
_FRACTION = re.compile(r"\\[dtc]?frac(?![A-Za-z]) ?(?:([0-9]) ?(?=[0-9{])([0-9]?)|(?=\{))")
_SET = re.compile(r"\{([^{},;]*+[,;][^{}]*+)\}")
_ONE = re.compile(rf"(?<![\^_√])\{{ ?([^\s{{}}]|{UNREAD}[A-Za-z]++) ?\}}")
_RAISED = re.compile(
    rf"(?<=[\^_√])\{{ ?([-+]?(?:[0-9]+(?:\.[0-9]+)?|[^\s{{}}]|{UNREAD}[A-Za-z]++)) ?\}}"
)
_LISTED = re.compile(r"[(\[⦃][^()\[\]⦃⦄]*+[)\]⦄]")
_WHOLE = re.compile(r"\{([^{}]*)\}|\(([^(),]*)\)|\"([^\"]*)\"|'([^']*)'")
_APART = re.compile(r" +(?=[\^_])")
_TOKEN = re.compile(rf"[0-9]+(?:[.,][0-9]+)*|{UNREAD}?[^\W\d_]+|\S")


def answer_kind(problem: Problem) -> AnswerKind:
    """How a problem's answers are compared: by letters where it has options, as numbers where its
    reference is one number with nothing but a unit, else in words."""
    if problem.options:
        return "choice"
    return "text" if read_number(problem.answer) is None else "number"


def read_final(reply: str, kind: AnswerKind, options: Sequence[str] = ()) -> str:
    """The final answer that a reply gives; empty when none can be found.

    A number in plain signs, with what stands at it; of multiple choice the letters that it chooses,
    all of them; of a text what follows the last "Answer:", else the last paragraph.
    """
    if kind == "choice":
        return read_choice(reply, options)
    return (
        _text(lines_of(raised(reply))) if kind == "text" else number_of(lines_of(reply, plain_math))
    )


def same_answer(
    read: str, problem_answer: str, kind: AnswerKind, *, tolerance: float | None = None
) -> bool | None:
    """Whether a final answer as it was read is the reference. None: no rule can tell, so that
    somebody has to say: nothing was read, texts that are not plainly the same, or equal numbers of
    what may be different things.

    Numbers: see `same_quantity`; a unit, currency or percent sign that only one of them has does
    not count, but 25 % is also 0.25. `tolerance`: a relative difference between numbers that is
    allowed besides, 0 … 1.
    """
    if not read.strip():
        return None
    if kind == "choice":
        return read.strip().upper() == problem_answer.strip().upper()
    if kind == "text":
        return True if _tokens(read) == _tokens(problem_answer) != [] else None
    forms, reference = read_forms(read), read_number(problem_answer)
    if not forms or reference is None:
        return None
    first, *others = (same_quantity(form, reference, tolerance) for form in forms)
    if first is not False or others in ([], [False]):
        return first
    # 0.100 mol (5.84 g) is 5.84 g
    return others[0] if _two_measures(*forms) else None


def _two_measures(one: Quantity, other: Quantity) -> bool:
    """Whether two forms of an answer are different measures of it, and so no contradiction."""
    both_are_units = is_unit(one.unit) and is_unit(other.unit)
    return both_are_units and conversion(one.unit, other.unit) is None


def _tokens(text: str) -> list[str]:
    """The words, numbers and signs of a text, in plain signs, without case but in formulas and
    symbols: CO is not Co.

    Blanks count where they part two of them. Braces are left out around the whole, around one sign,
    and around a number that is raised, lowered or under a root: x^{10} is x^10, but a{10} is not
    a10, nor \\frac{1}{23} \\frac{12}{3}.
    """
    said = plain_math(
        _FRACTION.sub(_fraction, _FONT.sub(r" \1 ", text)).replace("{,}", ","), grouped=True
    )
    for _ in range(3):  # groups within groups
        said = _SET.sub(r"⦃\1⦄", _ONE.sub(r" \1 ", _RAISED.sub(r"\1 ", said)))
    said = " ".join(plain(_APART.sub("", said)).split()).replace("^°", "°")
    said = _LISTED.sub(lambda listed: listed[0].replace(",", ", "), said).rstrip(
        _STOPS + "!" * (UNREAD not in said)
    )
    if whole := _WHOLE.fullmatch(said):
        said = "".join(whole.groups("")).strip(_STOPS)
    return [_case(token.lstrip(UNREAD) or token) for token in _TOKEN.findall(said)]


def _fraction(command: re.Match[str]) -> str:
    r"""\frac12 as \frac{1}{2}, of whatever size."""
    return "\\frac" + "".join(f"{{{digit}}}" for digit in command.groups() if digit)


def _case(word: str) -> str:
    symbol = len(word) == 1 or any(sign.isupper() for sign in word[1:]) or not word.isalpha()
    return word if symbol else word.casefold()


def final_stands_in(text: str, answer: str) -> bool:
    """Whether a text, such as an instruction, states a final answer: of a number its value, in
    figures or words and in whatever unit; of other answers their words."""
    wanted = read_number(answer)
    if wanted is None:
        return contains(text, answer) or contains(plain_math(text), plain_math(answer))
    stated = numbers_in(" ".join(plain(plain_math(text)).split()), words=True)
    return any(
        number.quantity is not None and equal_quantity(number.quantity, wanted) for number in stated
    )


def _text(lines: Sequence[str]) -> str:
    said = labelled(lines, _text_behind, "")
    return _paragraph(lines) if said is None else said


def _text_behind(behind: Behind, below: Sequence[str]) -> str | None:
    """What a heading says; a conclusion says it in the last paragraph."""
    if behind.clause:
        return None
    if not behind.said:
        paragraph = list(takewhile(bool, dropwhile(lambda line: not line, below)))
        return "\n".join(paragraph) if paragraph and not behind_label(paragraph[0]) else None
    return "\n".join([behind.said, *below]).strip() if behind.said.endswith(":") else behind.said


def _paragraph(lines: Sequence[str]) -> str:
    """The last paragraph; of "So the answer is …" in its last line only what follows, of a bare
    label nothing."""
    end = max((index + 1 for index, line in enumerate(lines) if line), default=0)
    start = max((index + 1 for index, line in enumerate(lines[:end]) if not line), default=0)
    behind = behind_label(lines[end - 1]) if end else None
    if behind and behind.concludes and len(behind.said.split()) <= _SHORT:
        return behind.said
    return "\n".join(lines[start:end])
