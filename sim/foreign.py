"""Rules for text that is not of this world: a question from a sentence, an answer from a passage, a comparison.

Plain rules, no understanding: enough for the simulated evaluator to work on pages that somebody else wrote.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ..state.text import contains, normalise

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9\"“\[(])")
_STATEMENT = re.compile(r"^(?P<who>.{2,90}?) (?P<verb>is|was|are|were|has|have|had) (?P<what>.{3,})$", re.DOTALL)
_DEFINITION = re.compile(r"^(?P<who>[^:]{2,120}): (?P<what>.{3,})$", re.DOTALL)
_POINTS_BACK = re.compile(r"^(?:it|its|they|their|he|his|she|her|this|these|that|those|such)\b", re.IGNORECASE)
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
ENOUGH = 0.6
"""Share of a reference's own words that an answer must have to assert it."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A question and its answer, drawn from one sentence."""

    question: str
    reference: str
    quote: str


def sentences(text: str) -> list[str]:
    """The sentences of a passage."""
    return [part.strip() for part in _SENTENCE.split(" ".join(text.split())) if part.strip()]


def content(text: str) -> set[str]:
    """Words that carry meaning, in one spelling."""
    return {word for word in _WORD.findall(normalise(text)) if word not in SMALL}


def statements(passage: str, title: str) -> list[Statement]:
    """What the passage states in sentences of the form "X is Y" or "X: Y", with X named outright."""
    return [made for sentence in sentences(passage) if (made := _statement(sentence, title)) is not None]


def _statement(sentence: str, title: str) -> Statement | None:
    if defined := _DEFINITION.match(sentence):
        return Statement(f"What is {defined['who']}?", defined["what"], sentence)
    match = _STATEMENT.match(sentence.rstrip(".!? "))
    if match is None:
        return None
    who = title if _POINTS_BACK.match(match["who"]) else match["who"]
    who = who[:1].lower() + who[1:] if who.startswith(("The ", "A ", "An ")) else who
    verb = match["verb"]
    asked = f"What {verb} {who}?" if verb in ("is", "was", "are", "were") else f"What {verb} {who} got?"
    reference = f"{who[:1].upper()}{who[1:]} {verb} {match['what']}."
    return Statement(asked, reference, sentence)


def best_sentence(passage: str, question: str) -> str | None:
    """The sentence that shares most with the question, if it shares at least half of the question's words."""
    wanted = content(question)
    ranked = sorted(sentences(passage), key=lambda s: -len(wanted & content(s)))
    if not ranked or not wanted or len(wanted & content(ranked[0])) < 0.5 * len(wanted):
        return None
    return ranked[0]


def asserts(reference: str, question: str, answer: str) -> bool:
    """Whether the answer says what the reference says beyond the question: its figures, or enough of its words."""
    if contains(answer, reference):
        return True
    asked = set(_FIGURE.findall(question))
    wanted = set(_FIGURE.findall(reference)) - asked
    if wanted:
        return wanted <= set(_FIGURE.findall(answer))
    own = content(reference) - content(question)
    return bool(own) and len(own & content(answer)) >= ENOUGH * len(own)


def contradicts(reference: str, question: str, answer: str) -> bool:
    """Whether the answer puts other figures in the place of the reference's."""
    asked = set(_FIGURE.findall(question))
    wanted = set(_FIGURE.findall(reference)) - asked
    said = set(_FIGURE.findall(answer)) - asked
    return bool(wanted) and bool(said) and not wanted <= said


def names(text: str, known: Iterable[str]) -> list[str]:
    """Names in the text: those known, and runs of capitalised words inside sentences, in order of appearance."""
    found = [(normalise(text).find(normalise(name)), name) for name in known]
    found += [(match.start(), match.group()) for match in _NAME.finditer(text) if content(match.group())]
    return list(dict.fromkeys(name for _, name in sorted(found)))
