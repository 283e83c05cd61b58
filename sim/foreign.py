"""Rules for texts that somebody else wrote: a question from a passage, an answer from it, a
comparison.

Plain rules, no understanding: enough for the simulated evaluator to work on pages and questions
from elsewhere.
"""

import re
from collections.abc import Iterable

from ..state.text import contains, normalise

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9\"“\[(])")
_WORD = re.compile(r"\w[\w.,'-]*\w|\w")
_FIGURE = re.compile(r"(?<!\w)\d[\d.,]*\d|(?<!\w)\d")
_NAME = re.compile(r"\b[A-Z][\w-]+(?: (?:of |de |von )?[A-Z][\w-]+)*")
SMALL = frozenset(
    re.findall(
        r"\w+",
        """a an the of in on at by for from to with and or as is are was were be been has have had it its that this
        which who what when where how many much name did does do into than then also their there they he she his her
        not""",
    )
)
_ASKED_BY = 3
"""Words of a sentence by which it is asked for."""
ENOUGH = 0.6
"""Share of a reference's own words that an answer must have to assert it."""


def sentences(text: str) -> list[str]:
    """The sentences of a passage."""
    line = " ".join(text.split())
    parts = (part.strip() for part in _SENTENCE.split(line))
    return [part for part in parts if part]


def content(text: str) -> set[str]:
    """Words that carry meaning, in one spelling."""
    return {word for word in _WORD.findall(normalise(text)) if word not in SMALL}


def question(passage: str, title: str) -> tuple[str, str]:
    """A question on a passage, and the sentence that answers it, which is the longest."""
    sentence = max(sentences(passage) or [passage], key=len)
    front = " ".join(sentence.split()[:_ASKED_BY])
    return f"What does the text on {title} say where it begins with “{front}”?", sentence


def answer_in(passage: str, question: str) -> str:
    """The sentence of the passage that such a question asks for; empty where there is none."""
    front = question.partition(" begins with “")[2].removesuffix("”?")
    return next((text for text in sentences(passage) if front and text.startswith(front)), "")


def compared(reference: str, question: str, answer: str) -> tuple[bool, bool]:
    """Whether the answer says what the reference says beyond the question: its figures, or enough
    of its words; and whether it puts other figures in the place of the reference's instead."""
    figures_asked = set(_FIGURE.findall(question))
    wanted, figures_answered = (
        set(_FIGURE.findall(text)) - figures_asked for text in (reference, answer)
    )
    if contains(answer, reference):
        return True, False
    if wanted:
        return wanted <= figures_answered, bool(
            figures_answered
        ) and not wanted <= figures_answered
    new_words = content(reference) - content(question)
    return bool(new_words) and len(new_words & content(answer)) >= ENOUGH * len(
        new_words
    ), False


def names(text: str, names_with_page: Iterable[str]) -> list[str]:
    """Names in the text: those known, and runs of capitalised words inside sentences, in order of
    appearance."""
    positions = [(normalise(text).find(normalise(name)), name) for name in names_with_page]
    positions += [
        (match.start(), match.group())
        for match in _NAME.finditer(text)
        if content(match.group())
    ]
    return list(dict.fromkeys(name for _, name in sorted(positions)))
