"""The world's problems: a fixed list with answers from real atomic weights, and how their texts are
known again.

An exercise is what a problem consists of without its words. To each problem of the list belong a
twin, which has the same path to the same answer, and a detour, which has another path to it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from math import floor, log10
from pathlib import Path
from typing import Any

import orjson

from ..foreign import sentences

TABLE: Mapping[str, Any] = orjson.loads(
    (Path(__file__).parent.parent / "data" / "problems.json").read_bytes()
)
"""The problems, and the sentences that stories and instructions are made of."""
STEPS: Mapping[str, str] = TABLE["steps"]
"""The steps that paths consist of, as instructions have them; none is part of another."""
_PRECISE = "significant digits"
HELP = "As a help: find the molar mass, then divide or multiply by it."
"""Gives a step of the solution away."""


@dataclass(frozen=True, slots=True)
class Exercise:
    """`stated`: everything a text of it has to state, by the kind of sentence and the words that
    count; `asks`: how it asks in a story, then how the benchmark does; `slips`: wrong answers;
    `alternative`: what else could be asked about the same, and the answer to that."""

    id: str
    path: tuple[str, ...]
    stated: tuple[tuple[str, str], ...]
    asks: tuple[str, ...]
    answer: str
    solution: tuple[str, ...]
    slips: tuple[str, ...]
    alternative: tuple[str, str] = ("", "")

    @property
    def amounts(self) -> list[tuple[float, str]]:
        """The masses and amounts of substance that are given, with their units."""
        texts = [words.split() for _, words in self.stated]
        return [(float(w[0]), w[1]) for w in texts if w[2:3] == ["of"] and w[1] != "mL"]


@dataclass(frozen=True, slots=True)
class Reading:
    """A text of an exercise. `answer` and `path` are empty where the text determines none, and
    `reason` says why."""

    exercise: Exercise
    answer: str
    path: tuple[str, ...]
    reason: str
    distractors: tuple[str, ...]
    """Sentences with a number that does not belong to the exercise, in their order."""
    story: int
    """Sentences without a number that do not belong to it."""
    hints: int
    """Sentences that give a step of the solution."""
    precise: bool
    """Whether it says how many digits the answer is to have."""


@cache
def exercises() -> dict[str, Exercise]:
    """Every exercise: each problem of the list, its twin and its detour, under their own names."""
    rows = TABLE["exercises"]
    return {row["id"]: Exercise(**{name: _fixed(row[name]) for name in row}) for row in rows}


def _fixed(value: Any) -> Any:
    """Lists as tuples, all the way down."""
    return tuple(map(_fixed, value)) if isinstance(value, list) else value


@lru_cache(maxsize=8192)
def read_problem(text: str) -> Reading | None:
    """The exercise that a text is about; None for what is no problem of this world."""
    plain = " ".join(text.split())
    if "(" not in plain:  # every substance has its formula behind it
        return None
    best, rank = None, (False, False, 0)
    for exercise in exercises().values():
        statements = [
            words for kind, words in exercise.stated if kind != "excess" and words in plain
        ]
        is_asked = any(
            words in plain for words in (*exercise.asks, exercise.alternative[0]) if words
        )
        if statements and is_asked:
            asks_own = any(words in plain for words in exercise.asks)
            this_rank = (not missing(exercise, plain), asks_own, sum(map(len, statements)))
            best, rank = (exercise, this_rank) if this_rank > rank else (best, rank)
    return _read(best, plain) if best else None


def missing(exercise: Exercise, text: str) -> list[str]:
    """What the answer needs and a text does not state."""
    return [words for _, words in exercise.stated if words not in text]


def _read(exercise: Exercise, text: str) -> Reading:
    others = [sentence for sentence in sentences(text) if not _belongs(sentence, exercise)]
    rest = [sentence for sentence in others if sentence != HELP]
    distractors = tuple(sentence for sentence in rest if _figure_in(sentence))
    missing_words = missing(exercise, text)
    reason = f"{missing_words[0]} is not stated" if missing_words else ""
    is_asked = any(words in text for words in exercise.asks)
    return Reading(
        exercise=exercise,
        answer="" if reason else exercise.answer if is_asked else exercise.alternative[1],
        path=() if reason or not is_asked else exercise.path,
        reason=reason,
        distractors=distractors,
        story=sum(s not in distractors and _PRECISE not in s for s in rest),
        hints=others.count(HELP),
        precise=_PRECISE in text,
    )


def _belongs(sentence: str, exercise: Exercise) -> bool:
    words_of_exercise = (
        *(words for _, words in exercise.stated),
        *exercise.asks,
        exercise.alternative[0],
    )
    return any(words and words in sentence for words in words_of_exercise)


def _figure_in(sentence: str) -> tuple[float, str] | None:
    """The first number that stands alone, and its unit or the next word."""
    words = sentence.split()
    for word, following in zip(words, [*words[1:], ""], strict=True):
        number = word.strip("%.,")
        if number.replace(".", "", 1).isdecimal():
            return float(number), "%" if "%" in word else following.strip(".,")
    return None


def misread(exercise: Exercise, sentence: str) -> str | None:
    """The answer with the number of a sentence that does not belong: in the place of an amount with
    its unit, else as a share, else as a factor. None where that is the right answer, or too close
    to it."""
    number, unit = _figure_in(sentence) or (0.0, "")
    ratios = [number / value for value, of in exercise.amounts if of == unit]
    factor = (ratios or [number / 100 if unit == "%" else number])[0]
    return None if factor <= 0 or abs(factor - 1) <= 0.02 else _times(exercise.answer, factor)


def _times(answer: str, factor: float) -> str | None:
    """An answer times a factor; None for a share of more than the whole."""
    if answer.endswith("%"):
        value = float(answer[:-1]) * factor
        return None if value >= 100 else f"{three_digits(value)}%"
    number, *rest = answer.split()
    power = int(rest[1].removeprefix("10^")) if rest[0] == "×" else 0
    return f"{three_digits(float(number) * 10**power * factor)} {rest[-1]}"


def three_digits(value: float) -> str:
    """A positive number with three significant digits, trailing zeros included; large ones with a
    power of ten."""
    if value >= 1e6:
        power = floor(log10(float(f"{value:.3g}")))
        return f"{value / 10**power:.2f} × 10^{power}"
    rounded = float(f"{value:.3g}")
    return f"{rounded:.{max(0, 2 - floor(log10(rounded))) if rounded else 2}f}"
