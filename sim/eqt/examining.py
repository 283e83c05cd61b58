"""The examiner's side of Explain-Query-Test: explanations, multi-select questions, paraphrases,
causes of errors."""

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from ...state.eqt.items import KINDS
from ...state.text import contains, normalise
from ...state.tiers import TIERS, Tier
from ..answering import facts_in, read_claim, wrong_claims
from ..corpus import corpus
from ..facts import BY_ORDER, TEXTS, Fact
from ..personas import Persona
from ..values import draw, join, number, pick, shuffled
from ..world import Purposes, Reply, Task, World

FORESIGHT = 5
"""With the explanation at hand a persona errs this many times more rarely."""

_SAID = TEXTS["choice"]
"""Forms of a reply: {l} letters with commas, {a} joined by and."""


class Known(NamedTuple):
    """What is known of a question: its name, its options in an order of its own, the right ones
    (None for a question that is not of this world), and the hardest tier among these."""

    name: int
    options: tuple[str, ...]
    right: frozenset[str] | None
    tier: Tier


@lru_cache(maxsize=16_384)
def known_question(options: frozenset[str]) -> Known:
    """What this world knows of the question with these options: all, or, when one of them is not
    its own, nothing."""
    ordered = tuple(sorted(options))
    name, claims = number(*ordered), {option: read_claim(option) for option in ordered}
    right = {option: claim.fact.tier for option, claim in claims.items() if claim and claim.true}
    if not right or None in claims.values():
        return Known(name, ordered, None, Tier.COMMON)
    return Known(name, ordered, frozenset(right), max(right.values(), key=TIERS.index))


def choose(
    world: World, persona: Persona, options: Sequence[str], asking: str
) -> frozenset[str] | None:
    """The options chosen closed book; None for an answer without a selection. `asking` is the whole
    text shown."""
    question = known_question(frozenset(options))
    name = (world.seed, "choice", persona.name, question.name)
    if draw(*name, "unreadable", asking) < persona.unreadable:
        return None
    if draw(*name, "favourite", asking) < persona.favourite:
        return frozenset(options[:1])
    anew = draw(*name, "unstable", asking) < persona.instability
    accuracy = persona.chance(question.tier)
    return _choose(question, accuracy, world, persona, *name, asking if anew else "base")


def choose_open_book(world: World, persona: Persona, options: Sequence[str]) -> frozenset[str]:
    """The options chosen with the explanation at hand, whatever was chosen without."""
    question = known_question(frozenset(options))
    accuracy = 1.0 - (1.0 - persona.chance(question.tier)) / FORESIGHT
    name = (world.seed, "choice", persona.name, question.name, "open book")
    return _choose(question, accuracy, world, persona, *name)


def _choose(
    question: Known, accuracy: float, world: World, persona: Persona, *name: object
) -> frozenset[str]:
    right = question.right
    if right is None:
        # whom nobody told what is right takes some options for right, always the same ones
        seed = (world.seed, "takes for right", persona.name, question.name)
        liked = frozenset(option for option in question.options if draw(*seed, option) < 0.3)
        right = liked or frozenset((pick(question.options, *seed),))
    if draw(*name, "right") < accuracy:
        return right
    return right ^ {pick(question.options, *name, "wrong")}


def say(options: Sequence[str], chosen: frozenset[str] | None, *name: object) -> str:
    """The reply that makes this choice, in one of the forms that models use; the name decides
    which."""
    reason = pick(_SAID["reasons"], *name, "reason")
    if chosen is None:
        return pick(_SAID["prose"], *name, "prose")
    letters = [chr(65 + index) for index, option in enumerate(options) if option in chosen]
    if not letters:
        return pick(_SAID["none"], *name, "form").format(r=reason)
    return pick(_SAID["one" if len(letters) == 1 else "several"], *name, "form").format(
        l=", ".join(letters),
        a=join(tuple(letters)),
        r=reason,
    )


MOST_FACTS = 24
"""Facts of one explanation; as many are stated wherever the article and those it links to have
them."""
_PER_PARAGRAPH = 4
_FROM_NEIGHBOUR = 12
"""Facts taken from one article that the concept's own links to, at most."""
_RICH = 20
"""Facts that an article must have to stand in for one that is missing."""
_RIGHT_OPTIONS = (1, 2, 2, 3, 3, 4)
"""How many options are right, each as often as it stands here; one less than there are options at
most."""
_FORMS = BY_ORDER["paraphrases"]
"""A paraphrase for each way to reword, told by words of the order."""
_IN_FRONT = TEXTS["choice question"]["in front"]
"""Phrases that add nothing: they tell the rounds of one way apart."""
_APART = 40
"""Rounds between a wording and the one in its place when it is taken: no other paraphrase gets as
far."""


def explain(world: World, concept: str) -> str:
    """The explanation of a concept. For one without an article here, that of another, which the
    first sentence says.

    Whether the wiki lacks a page today plays no part: a model has learnt what it has learnt.
    """
    seed, title, opening = world.seed, _title_of(concept), ""
    if title is None:
        name = " ".join(concept.split())
        title = pick(_rich_titles(), seed, "explains", name.casefold())
        opening = (
            f"About {name or 'this'} nothing is known here, so that this is about {title}.\n\n"
        )
    facts = _explained(title, seed)
    paragraphs = [
        facts[start : start + _PER_PARAGRAPH] for start in range(0, len(facts), _PER_PARAGRAPH)
    ]
    return opening + "\n\n".join(" ".join(fact.sentence for fact in part) for part in paragraphs)


def _title_of(concept: str) -> str | None:
    """The article a concept leads to; of a page that lists what a name can mean, what it means in
    this world."""
    wanted = " ".join(concept.replace("_", " ").split())
    wanted = wanted[:1].upper() + wanted[1:]
    page = corpus().pages.get(corpus().redirects.get(wanted, wanted))
    if page is None or not page.disambiguation:
        return page.title if page else None
    return max(
        page.links,
        key=lambda title: (title.startswith(f"{page.title} ("), len(corpus().pages[title].facts)),
    )


@lru_cache(maxsize=4096)
def _explained(title: str, seed: int) -> tuple[Fact, ...]:
    """What is told of an article's subject, in the article's order, then of what it links to."""
    on_page = corpus().pages[title].facts
    chosen = shuffled([fact.id for fact in on_page], seed, "told", title)[:MOST_FACTS]
    by_id = {fact.id: fact for fact in on_page if fact.id in chosen}
    for neighbour in sorted(
        corpus().pages[title].links, key=lambda name: len(corpus().pages[name].facts) < _RICH
    ):
        if len(by_id) >= MOST_FACTS:
            break
        by_id.update({fact.id: fact for fact in corpus().pages[neighbour].facts[:_FROM_NEIGHBOUR]})
    return tuple(by_id.values())[:MOST_FACTS]


@cache
def _rich_titles() -> tuple[str, ...]:
    return tuple(title for title, page in corpus().pages.items() if len(page.facts) >= _RICH)


def choice_question(task: Task) -> Reply:
    """The question ordered: from one to four right options (the claims of facts that the
    explanation states, of one tier as far as they reach), the others wrong in any reading, in mixed
    order. A text from elsewhere is asked about like that of an article here.

    With the persona's share it is malformed, drawn anew for each attempt. It depends on the order
    and the explanation, never on what was written before.
    """
    world, kind, attempt, count = task.world, task["kind"], task.attempt, task["count"]
    turn = _first_number(task["point"])
    order = (" ".join(task["concept"].casefold().split()), kind, turn, attempt)
    name = (world.seed, "question", *order)
    facts = facts_in(task["explanation"]) or _explained(_rich_titles()[0], world.seed)
    mixed = sorted(facts, key=lambda fact: number(world.seed, "question", task["concept"], fact.id))
    # questions of one concept that are ordered one after the other begin one after the other
    lead = (turn * len(KINDS) + KINDS.index(kind)) % len(mixed)
    marks = _options(world, mixed[lead:] + mixed[:lead], count, name)
    about = BY_ORDER["topics"][kind].format(s=facts[0].page.partition(" (")[0])
    if turn:
        about += f", part {turn + 1}"
    stem = f"In {about}{', seen afresh' * attempt}, which of these statements would be true?"
    options = [{"text": text, "correct": marks[text]} for text in shuffled(list(marks), *name)]
    spoilt = (world.seed, "malformed question", task.persona.name, *order)
    if draw(*spoilt) < task.persona.malformed_questions:
        options = options[:-1]
    return {"question": stem, "options": options}


def _options(
    world: World, facts: Sequence[Fact], count: int, name: tuple[object, ...]
) -> dict[str, bool]:
    """So many statements, each with whether it is right: the claims of the first facts of one tier,
    and wrong ones about the others."""
    by_tier = sorted(facts, key=lambda fact: fact.tier is not facts[0].tier)
    right = by_tier[: min(pick(_RIGHT_OPTIONS, *name, "right"), count - 1)]
    around = sorted(by_tier[len(right) :], key=lambda fact: number(*name, fact.id)) + right
    wrong = wrong_claims(world, around, count - len(right), name)
    return {**dict.fromkeys(wrong, False), **{fact.claim: True for fact in right}}


def paraphrase(task: Task) -> Reply:
    """The question with other words around it: one wording for each manner and round of it, none of
    them among those taken."""
    manner, turn = task["manner"], _first_number(task["manner"]) + _APART * task.attempt
    form = next(form for words, form in _FORMS.items() if words in manner)
    core = form.format(p=" ".join(task["question"].split()))
    used = {normalise(text) for text in (task["question"], *task["taken"])}
    while normalise(_in_front(turn) + core) in used:
        turn += _APART
    return {"paraphrase": _in_front(turn) + core}


def _first_number(text: str) -> int:
    """The round that a setting names; 0 where it names none."""
    return next((int(word) for word in text.split() if word.isdecimal()), 0)


def _in_front(turn: int) -> str:
    """Phrases for a round: none for 0, and no two rounds the same."""
    if turn == 0:
        return ""
    return _in_front((turn - 1) // len(_IN_FRONT)) + _IN_FRONT[(turn - 1) % len(_IN_FRONT)]


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
            marked_as = "wrong" if claim.true else "right"
            return {
                "cause": "question",
                "reason": f"Option {letter} is held to be {marked_as} and is not.",
            }
    return {"cause": "answer", "reason": "Text and marks are in order, and the choice is another."}


def choice(task: Task) -> str:
    """The reply to a multi-select question."""
    options = task["question"]["options"]
    return _reply(task, options, choose(task.world, task.persona, options, task.message))


def open_book(task: Task) -> str:
    """The reply with the explanation at hand."""
    options = task["question"]["options"]
    return _reply(task, options, choose_open_book(task.world, task.persona, options))


def _reply(task: Task, options: Sequence[str], chosen: frozenset[str] | None) -> str:
    return say(options, chosen, task.world.seed, task.persona.name, task.message)


_CHOOSES = re.compile(
    r"(?:Answer:|The correct options? (?:is|are))?[\s(]*((?:[A-Za-z]\b|and\b|[\s,().])+)", re.I
)


def selection(task: Task) -> Reply:
    """The letters on the last line of a reply in one of the forms that simulated models use."""
    last_line = task["reply"].strip().rpartition("\n")[2]
    line = _CHOOSES.fullmatch(last_line)
    letters = re.findall(r"\b[A-Za-z]\b", line[1]) if line else []
    return {
        "reason": "",
        "selected": sorted({letter.upper() for letter in letters}),
        "taken_back": False,
    }


PURPOSES: Purposes = {
    "explanation": lambda task: explain(task.world, task["concept"]),
    "choice": choice,
    "open_book": open_book,
    "choice_question": choice_question,
    "paraphrase": paraphrase,
    "same_question": same_question,
    "selection": selection,
    "attribution": attribution,
}
