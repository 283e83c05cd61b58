"""Rules for texts that somebody else wrote: a question from a passage, an answer from it, a
comparison, options.

Plain rules, no understanding: enough for the simulated evaluator to work on pages and questions
from elsewhere.
"""

import re
from collections.abc import Iterable

from ..state.text import contains, normalise
from .values import pick

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z0-9\"“\[(])")
_STATEMENT = re.compile(
    r"^(?P<who>.{2,90}?) (?P<verb>is|was|are|were|has|have|had) (?P<what>.{3,})$", re.DOTALL
)
_DEFINITION = re.compile(r"^(?P<who>[^:]{2,120}): (?P<what>.{3,})$", re.DOTALL)
_POINTS_BACK = re.compile(
    r"^(?:it|its|they|their|he|his|she|her|this|these|that|those|such)\b", re.IGNORECASE
)
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


def sentences(text: str) -> list[str]:
    """The sentences of a passage."""
    line = " ".join(text.split())
    parts = (part.strip() for part in _SENTENCE.split(line))
    return [part for part in parts if part]


def content(text: str) -> set[str]:
    """Words that carry meaning, in one spelling."""
    return {word for word in _WORD.findall(normalise(text)) if word not in SMALL}


def question(passage: str, title: str) -> tuple[str, str, str]:
    """A question on a passage, its answer, and the sentence they are from: one of the form "X is Y"
    or "X: Y", with X named outright; else the first sentence."""
    texts = sentences(passage) or [passage]
    questions = [
        asking for sentence in texts if (asking := _question_on(sentence, title)) is not None
    ]
    return (
        pick(questions, normalise(passage))
        if questions
        else (f"What is the first thing to know about {title}?", texts[0], texts[0])
    )


def _question_on(sentence: str, title: str) -> tuple[str, str, str] | None:
    if defined := _DEFINITION.match(sentence):
        return f"What is {defined['who']}?", defined["what"], sentence
    match = _STATEMENT.match(sentence.rstrip(".!? "))
    if match is None:
        return None
    subject = title if _POINTS_BACK.match(match["who"]) else match["who"]
    subject = (
        subject[:1].lower() + subject[1:] if subject.startswith(("The ", "A ", "An ")) else subject
    )
    verb = match["verb"]
    wording = (
        f"What {verb} {subject}?"
        if verb in ("is", "was", "are", "were")
        else f"What {verb} {subject} got?"
    )
    return wording, f"{subject[:1].upper()}{subject[1:]} {verb} {match['what']}.", sentence


def best_sentence(passage: str, question: str) -> str | None:
    """The sentence that shares most with the question, if it shares at least half of the question's
    words."""
    wanted = content(question)
    ranked = sorted(sentences(passage), key=lambda s: -len(wanted & content(s)))
    if not ranked or not wanted or len(wanted & content(ranked[0])) < 0.5 * len(wanted):
        return None
    return ranked[0]


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
        return wanted <= figures_answered, bool(figures_answered) and not wanted <= figures_answered
    new_words = content(reference) - content(question)
    return bool(new_words) and len(new_words & content(answer)) >= ENOUGH * len(new_words), False


def names(text: str, names_with_page: Iterable[str]) -> list[str]:
    """Names in the text: those known, and runs of capitalised words inside sentences, in order of
    appearance."""
    positions = [(normalise(text).find(normalise(name)), name) for name in names_with_page]
    positions += [
        (match.start(), match.group()) for match in _NAME.finditer(text) if content(match.group())
    ]
    return list(dict.fromkeys(name for _, name in sorted(positions)))
