"""The world's problems: a fixed list with answers from real atomic weights, and how their texts are
known again.

An exercise is what a problem consists of without its words. To each problem of the list belong a
twin, which has the same path to the same answer, and a detour, which has another path to it.
"""

import re
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
_MEDDLES = tuple(text.partition("{v}")[0] for text in TABLE["meddling"])
"""How sentences begin after which no one answer follows any more."""
_HINT = re.compile(
    r"\b(?:molar mass (?:is|of [^?]* is)|g/mol\b|(?:divide|multiply) )", re.IGNORECASE
)
_PRECISE = re.compile(r"\bsignificant (?:digits|figures)\b")
_NUMBER = re.compile(r"(?<![\w.^/])(\d+(?:\.\d+)?)(?![\w,]*\d)\s?(g/mol|mol/L|g|mol|mL|%)?(?!\w)")
_AMOUNT = re.compile(r"([\d.]+) (\S+) of ")
_ANSWER = re.compile(r"([\d.]+)(?: × 10\^(\d+))?(.*)")


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
        matches = (_AMOUNT.match(words) for _, words in self.stated)
        return [(float(amount[1]), amount[2]) for amount in matches if amount and amount[2] != "mL"]


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
    """Sentences that give a molar mass or a step of the solution."""
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
    hints = [sentence for sentence in others if _HINT.search(sentence)]
    rest = [
        sentence
        for sentence in others
        if sentence not in hints and not sentence.startswith(_MEDDLES)
    ]
    distractors = tuple(sentence for sentence in rest if _NUMBER.search(sentence))
    missing_words = missing(exercise, text)
    reason = f"{missing_words[0]} is not stated" if missing_words else ""
    if any(sentence.startswith(_MEDDLES) for sentence in others):
        reason = "more is stated than goes together"
    is_asked = any(words in text for words in exercise.asks)
    return Reading(
        exercise=exercise,
        answer="" if reason else exercise.answer if is_asked else exercise.alternative[1],
        path=() if reason or not is_asked else exercise.path,
        reason=reason,
        distractors=distractors,
        story=sum(
            sentence not in distractors and not _PRECISE.search(sentence) for sentence in rest
        ),
        hints=len(hints),
        precise=bool(_PRECISE.search(text)),
    )


def _belongs(sentence: str, exercise: Exercise) -> bool:
    words_of_exercise = (
        *(words for _, words in exercise.stated),
        *exercise.asks,
        exercise.alternative[0],
    )
    return any(words and words in sentence for words in words_of_exercise)


def misread(exercise: Exercise, sentence: str) -> str | None:
    """The answer with the number of a sentence that does not belong: in the place of an amount with
    its unit, else as a share, else as a factor. None where that is the right answer, or too close
    to it."""
    match = _NUMBER.search(sentence)
    if match is None:
        return None
    number, unit = float(match[1]), match[2] or ""
    ratios = [number / value for value, of in exercise.amounts if of == unit]
    factor = (ratios or [number / 100 if unit == "%" else number])[0]
    return None if factor <= 0 or abs(factor - 1) <= 0.02 else _times(exercise.answer, factor)


def _times(answer: str, factor: float) -> str | None:
    """An answer times a factor; None for a share of more than the whole."""
    parts = _ANSWER.fullmatch(answer)
    assert parts is not None
    value = float(parts[1]) * 10 ** int(parts[2] or 0) * factor
    return None if parts[3] == "%" and value >= 100 else f"{three_digits(value)}{parts[3]}"


def three_digits(value: float) -> str:
    """A positive number with three significant digits, trailing zeros included; large ones with a
    power of ten."""
    if value >= 1e6:
        power = floor(log10(float(f"{value:.3g}")))
        return f"{value / 10**power:.2f} × 10^{power}"
    rounded = float(f"{value:.3g}")
    return f"{rounded:.{max(0, 2 - floor(log10(rounded))) if rounded else 2}f}"
