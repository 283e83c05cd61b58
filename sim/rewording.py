"""Questions in other words, and whether two wordings are of one question: by a stock of forms, without understanding.

A form has one place. For a question of this world that is what its statements are to stand in, and otherwise the whole
question; either can have phrases in front that add nothing. Whatever leads back to the same place is the same question.
"""

import re
from collections.abc import Collection

from ..state.text import normalise
from .draws import number

_STEM = "In {p}, which of these statements would be true?"
_FORMS = (
    "Given these statements, which would be true in {p}?",
    "Which of the claims put forward here would hold good in {p}?",
    "Name every statement that would be true in {p}.",
    "Somebody is at work on {p}. Which of these statements would be true there?",
    "True in {p}: which?",
)
"""One for each way to reword, in the order of `_MANNERS`."""
_FORMS_OF_ANY = (
    "{p} That is what has to be settled here by a choice among the options.",
    "What has to be found out by a choice among the options is just this: {p}",
    "Choose whatever options answer the question that now follows, and only those. {p}",
    "There is a question to settle, and there are options to settle it with. This is the question. {p}",
    "Settle this one by nothing but the options, in as few words as you can: {p}",
)
_IN_FRONT = (
    "Take your time over this one before you choose. ",
    "This is put to you once again, and in another way. ",
    "Think of whatever you have learnt about the subject. ",
    "Imagine that a colleague wants to know this from you. ",
    "Suppose that the matter comes up in a conversation. ",
    "Here is the task as some other examiner would put it. ",
    "What follows asks for your knowledge and for no more. ",
)
_MANNERS = ("build the sentence anew", "other everyday words", "instruction", "two sentences", "briefly")
"""What tells the ways to reword apart."""
_ROUND = re.compile(r"(\d+) times?\b")
_APART = 40
"""Rounds between a wording and the one in its place when it is taken: no other paraphrase gets as far."""


def stem_about(place: str) -> str:
    """The question of this world whose statements are to stand in `place`."""
    return _STEM.format(p=place)


def reword(question: str, manner: str, taken: Collection[str], attempt: int) -> str:
    """The question in other words: one wording for each manner and round of it, none of them among `taken`.

    `attempt` counts from 0 the times it was sent back.
    """
    found = re.search(_ROUND, manner)
    turn = int(found[1]) if found else 0
    form = next((i for i, words in enumerate(_MANNERS) if words in manner), number(manner) % len(_MANNERS))
    place = _place(question, (_STEM, *_FORMS))
    pattern = _FORMS_OF_ANY[form] if place is None else _FORMS[form]
    filled = pattern.format(p=_bare(question) if place is None else place)
    gone = {normalise(text) for text in (question, *taken)}
    turn += _APART * attempt
    while normalise(made := _in_front(turn) + filled) in gone:
        turn += _APART
    return made


def compare(question: str, reworded: str) -> dict[str, object]:
    """What the simulated judge says of two wordings."""
    same = core(question) == core(reworded)
    return {
        "same_meaning": same,
        "self_contained": same,
        "reworded": normalise(question) != normalise(reworded),
    }


def core(question: str) -> tuple[str, str]:
    """What remains of a question without its wording: where it is from, and what it asks."""
    place = _place(question, (_STEM, *_FORMS))
    if place is not None:
        return "here", normalise(place)
    return "elsewhere", normalise(_place(question, _FORMS_OF_ANY) or _bare(question))


def _in_front(turn: int) -> str:
    """Phrases for a round: none for 0, and no two rounds the same."""
    if turn == 0:
        return ""
    return _in_front((turn - 1) // len(_IN_FRONT)) + _IN_FRONT[(turn - 1) % len(_IN_FRONT)]


def _bare(question: str) -> str:
    text = " ".join(question.split())
    while phrase := next((phrase for phrase in _IN_FRONT if text.startswith(phrase)), None):
        text = text.removeprefix(phrase)
    return text


def _place(question: str, forms: tuple[str, ...]) -> str | None:
    """What stands in the place of one of the forms."""
    text = _bare(question)
    for form in forms:
        before, after = form.split("{p}")
        if text.startswith(before) and text.endswith(after) and len(text) > len(before) + len(after):
            return text[len(before) : len(text) - len(after)]
    return None
