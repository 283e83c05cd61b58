"""Explain-Query-Test in the simulated world: explanations, multi-select questions and what is chosen
of them, paraphrases, causes of errors."""

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from ..state.text import contains, normalise
from ..state.tiers import TIERS, Tier
from .answering import facts_in, read_claim, wrong_claims
from .corpus import corpus
from .facts import BY_ORDER, Fact
from .personas import Persona
from .values import draw, number, pick, shuffled
from .world import Purposes, Reply, Task, World

FORESIGHT = 5
"""With the explanation at hand a persona errs this many times more rarely."""
MOST_FACTS = 24
"""Facts of one explanation."""
_RICH = 20
"""Facts that an article must have to stand in for one that is missing."""
_RIGHT_OPTIONS = (1, 2, 2, 3, 3, 4)
"""How many options are right, each as often as it stands here; one less than there are options at
most."""
_AGAIN = "Once more, and in another way: "
"""In front of a paraphrase for each round of its manner, and each time that it was sent back."""


class ChoiceQuestion(NamedTuple):
    """What is known of a question: its name, its options in an order of its own, the right ones,
    and the hardest tier among these. Of a question that is not of this world one option counts as
    right, always the same."""

    name: int
    options: tuple[str, ...]
    right: frozenset[str]
    tier: Tier


@lru_cache(maxsize=16_384)
def known_question(options: frozenset[str]) -> ChoiceQuestion:
    """What this world knows of the question with these options."""
    ordered = tuple(sorted(options))
    name, claims = number(*ordered), {option: read_claim(option) for option in ordered}
    right = {
        option: claim.fact.tier for option, claim in claims.items() if claim and claim.true
    }
    if not right or None in claims.values():
        right = {pick(ordered, name): Tier.COMMON}
    return ChoiceQuestion(name, ordered, frozenset(right), max(right.values(), key=TIERS.index))


def choose(
    world: World, persona: Persona, options: Sequence[str], asking: str
) -> frozenset[str]:
    """The options chosen closed book. `asking` is the whole text shown."""
    question = known_question(frozenset(options))
    name = (world.seed, "choice", persona.name, question.name)
    anew = draw(*name, "unstable", asking) < persona.instability
    return _settle(question, persona.chance(question.tier), *name, asking if anew else "base")


def choose_open_book(world: World, persona: Persona, options: Sequence[str]) -> frozenset[str]:
    """The options chosen with the explanation at hand, whatever was chosen without."""
    question = known_question(frozenset(options))
    accuracy = 1.0 - (1.0 - persona.chance(question.tier)) / FORESIGHT
    return _settle(question, accuracy, world.seed, "open book", persona.name, question.name)


def _settle(question: ChoiceQuestion, accuracy: float, *name: object) -> frozenset[str]:
    if draw(*name, "right") < accuracy:
        return question.right
    return question.right ^ {pick(question.options, *name, "wrong")}


def say(options: Sequence[str], chosen: frozenset[str]) -> str:
    """The reply that makes this choice."""
    letters = [chr(65 + index) for index, option in enumerate(options) if option in chosen]
    return (
        f"I have looked at each statement on its own.\nAnswer: {', '.join(letters) or 'none'}"
    )


def choice(task: Task) -> str:
    """The reply to a multi-select question."""
    options = task["question"]["options"]
    return say(options, choose(task.world, task.persona, options, task.message))


def open_book(task: Task) -> str:
    """The reply with the explanation at hand."""
    options = task["question"]["options"]
    return say(options, choose_open_book(task.world, task.persona, options))


def selection(task: Task) -> Reply:
    """The capital letters behind the last label of a reply."""
    _, label, line = task["reply"].rpartition("Answer:")
    letters = re.findall(r"\b[A-Z]\b", line) if label else []
    return {"reason": "", "selected": letters, "taken_back": False}


def explain(task: Task) -> str:
    """The explanation of a concept. For one without an article here, that of another, which the
    first sentence says.

    Whether the wiki lacks a page today plays no part: a model has learnt what it has learnt.
    """
    name, opening = " ".join(task["concept"].split()), ""
    title = task.world.title_of(name)
    if title is None:
        title = pick(_rich_titles(), task.world.seed, "explains", name.casefold())
        opening = (
            f"About {name or 'this'} nothing is known here, so that this is about {title}. "
        )
    return opening + " ".join(fact.sentence for fact in _explained(title))


@lru_cache(maxsize=4096)
def _explained(title: str) -> tuple[Fact, ...]:
    """What an article says of its subject, then what those it links to say of theirs."""
    articles = [corpus().pages[name] for name in (title, *corpus().pages[title].links)]
    facts = dict.fromkeys(fact for article in articles for fact in article.facts)
    return tuple(facts)[:MOST_FACTS]


@cache
def _rich_titles() -> tuple[str, ...]:
    return tuple(title for title, page in corpus().pages.items() if len(page.facts) >= _RICH)


def choice_question(task: Task) -> Reply:
    """The question ordered: from one to four right options (the claims of facts that the
    explanation states), the others wrong in any reading, in mixed order. A text from elsewhere is
    asked about like that of an article here.

    It depends on the order and the explanation, never on what was written before.
    """
    world, kind, count, turn = (
        task.world,
        task["kind"],
        task["count"],
        _first_number(task["point"]),
    )
    name = (world.seed, "question", task["concept"].casefold(), kind, turn, task.attempt)
    facts = facts_in(task["explanation"]) or _explained(_rich_titles()[0])
    mixed = sorted(facts, key=lambda fact: number(*name, fact.id))
    right = mixed[: min(pick(_RIGHT_OPTIONS, *name), count - 1)]
    others = [*mixed[len(right) :], *right]
    marks = dict.fromkeys(wrong_claims(world, others, count - len(right), name), False)
    marks |= {fact.claim: True for fact in right}
    subject = facts[0].page.partition(" (")[0]
    part = f" in part {turn + 1}" if turn else ""
    attempts = ", seen afresh" * task.attempt
    return {
        "question": f"As to {kind}{part}{attempts}: which statements on {subject} would be true?",
        "options": [
            {"text": text, "correct": marks[text]} for text in shuffled(list(marks), *name)
        ],
    }


def paraphrase(task: Task) -> Reply:
    """The question with other words around it: one wording for each manner and round of it."""
    manner = task["manner"]
    form = next(form for words, form in BY_ORDER["paraphrases"].items() if words in manner)
    front = _AGAIN * (_first_number(manner) + task.attempt)
    return {"paraphrase": front + form.format(p=" ".join(task["question"].split()))}


def _first_number(text: str) -> int:
    """The round that a setting names; 0 where it names none."""
    return next((int(word) for word in text.split() if word.isdecimal()), 0)


def same_question(task: Task) -> Reply:
    """What the judge says of two wordings."""
    original, reworded = task["question"], task["paraphrase"]
    is_same = contains(reworded, original)
    return {
        "same_meaning": is_same,
        "self_contained": is_same,
        "reworded": normalise(original) != normalise(reworded),
    }


def attribution(task: Task) -> Reply:
    """What a wrong choice comes from: the question, where an option is marked against what is true;
    else the answer. What this world cannot tell is in order."""
    for index, option in enumerate(task["question"]["options"]):
        letter, claim = chr(65 + index), read_claim(option)
        if claim is not None and claim.true != (letter in task["right"]):
            return {
                "cause": "question",
                "reason": f"Option {letter} is marked against the truth.",
            }
    return {
        "cause": "answer",
        "reason": "Text and marks are in order, and the choice is another.",
    }


PURPOSES: Purposes = {
    "explanation": explain,
    "choice": choice,
    "open_book": open_book,
    "choice_question": choice_question,
    "paraphrase": paraphrase,
    "same_question": same_question,
    "selection": selection,
    "attribution": attribution,
}
