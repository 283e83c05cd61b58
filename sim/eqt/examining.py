"""The examiner's side of Explain-Query-Test: explanations, multi-select questions, paraphrases,
causes of errors."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from ...state.eqt.items import KINDS
from ...state.text import normalise
from ...state.tiers import TIERS, Tier
from .. import foreign
from ..answering import facts_in, read_claim, wrong_claims
from ..corpus import corpus
from ..facts import BY_ORDER, TEXTS, Fact
from ..personas import Persona
from ..values import draw, number, pick, shuffled
from ..world import Purposes, Reply, Task, World

FORESIGHT = 5
"""With the explanation at hand a persona errs this many times more rarely."""

_SAID = TEXTS["choice"]
"""Forms of a reply: {l} letters with commas, {s} small ones from the last, {b} each in brackets,
{a} joined by and."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of a question: its name, its options in an order of its own, the right ones,
    and the hardest tier among these. Both are None for a question that is not of this world."""

    name: int
    options: tuple[str, ...]
    right: frozenset[str] | None
    tier: Tier | None


@lru_cache(maxsize=16_384)
def known_question(options: frozenset[str]) -> Known:
    """What this world knows of the question with these options: all, or, when one of them is not
    its own, nothing."""
    ordered = tuple(sorted(options))
    name = number(*ordered)
    claims = {option: read_claim(option) for option in ordered}
    right = [claim for claim in claims.values() if claim is not None and claim.true]
    if not right or None in claims.values():
        return Known(name, ordered, None, None)
    tier = max((claim.fact.tier for claim in right), key=TIERS.index)
    return Known(
        name,
        ordered,
        frozenset(option for option, claim in claims.items() if claim and claim.true),
        tier,
    )


def _accuracy(persona: Persona, question: Known) -> float:
    """The chance that a choice of this persona is exactly the right one; for a question from
    elsewhere, that it is the one it takes for right."""
    return persona.chance(question.tier or Tier.COMMON)


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
    return _choose_with(
        _accuracy(persona, question), world, persona, question, *name, asking if anew else "base"
    )


def choose_open_book(world: World, persona: Persona, options: Sequence[str]) -> frozenset[str]:
    """The options chosen with the explanation at hand, whatever was chosen without."""
    question = known_question(frozenset(options))
    accuracy = 1.0 - (1.0 - _accuracy(persona, question)) / FORESIGHT
    name = (world.seed, "choice", persona.name, question.name, "open book")
    return _choose_with(accuracy, world, persona, question, *name)


def _choose_with(
    accuracy: float, world: World, persona: Persona, question: Known, *name: object
) -> frozenset[str]:
    right = question.right
    if right is None:
        # whom nobody told what is right takes some options for right, always the same ones
        seed = (world.seed, "takes for right", persona.name, question.name)
        liked = frozenset(option for option in question.options if draw(*seed, option) < 0.3)
        right = liked or frozenset((pick(question.options, *seed),))
    return (
        right
        if draw(*name, "right") < accuracy
        else right ^ {pick(question.options, *name, "wrong")}
    )


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
        s=" and ".join(letter.lower() for letter in reversed(letters)),
        b=", ".join(f"({letter})" for letter in letters),
        a=" and ".join((", ".join(letters[:-1]), letters[-1])) if letters[1:] else letters[0],
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
        page.links, key=lambda title: (title.startswith(f"{page.title} ("), len(facts_of(title)))
    )


@lru_cache(maxsize=4096)
def _explained(title: str, seed: int) -> tuple[Fact, ...]:
    """What is told of an article's subject, in the article's order, then of what it links to."""
    on_page = facts_of(title)
    chosen = {fact.id for fact in on_page}
    if len(on_page) > MOST_FACTS:
        chosen = set(shuffled(sorted(chosen), seed, "told", title)[:MOST_FACTS])
    by_id = {fact.id: fact for fact in on_page if fact.id in chosen}
    for neighbour in sorted(
        corpus().pages[title].links, key=lambda name: len(facts_of(name)) < _RICH
    ):
        if len(by_id) >= MOST_FACTS:
            break
        by_id.update({fact.id: fact for fact in facts_of(neighbour)[:_FROM_NEIGHBOUR]})
    return tuple(by_id.values())[:MOST_FACTS]


def facts_of(title: str) -> tuple[Fact, ...]:
    """The facts an article states, in its order."""
    return corpus().pages[title].facts


@cache
def _rich_titles() -> tuple[str, ...]:
    return tuple(title for title, page in corpus().pages.items() if len(page.facts) >= _RICH)


def choice_question(task: Task) -> Reply:
    """The question ordered: from one to four right options (the claims of facts that the
    explanation states, of one tier as far as they reach), the others wrong in any reading, in mixed
    order.

    With the persona's share it is malformed, drawn anew for each attempt. It depends on the order
    and the explanation, never on what was written before.
    """
    kind, attempt, count = task["kind"], task.attempt, task["count"]
    turn = _first_number(task["point"])
    concept = " ".join(task["concept"].casefold().split())
    order = (concept, kind, turn, attempt)
    name = (task.world.seed, "question", *order)
    facts = facts_in(task["explanation"])
    if facts:
        subject = facts[0].page
        # questions of one concept that are ordered one after the other have places one after the
        # other
        turn_of_kind = turn * len(KINDS) + (
            KINDS.index(kind) if kind in KINDS else number(kind) % len(KINDS)
        )
        right, wrong = _of_facts(task.world, task["concept"], turn_of_kind, count, facts, name)
    else:
        subject = task["concept"]
        right, wrong = _of_prose(task["explanation"], count, name)
    of_no_topic = f"an account of {{s}} that is a matter of {kind or 'choice'}"
    topic = BY_ORDER["topics"].get(kind, of_no_topic)
    about = topic.format(s=" ".join(subject.partition(" (")[0].split()))
    if turn:
        about += f", part {turn + 1}"
    stem = f"In {about}{', seen afresh' * attempt}, which of these statements would be true?"
    marks = {**dict.fromkeys(wrong, False), **dict.fromkeys(right, True)}
    options: list[dict[str, object]] = [
        {"text": t, "correct": marks[t]} for t in shuffled(list(marks), *name)
    ]
    spoilt = (task.world.seed, "malformed question", task.persona.name, *order)
    if draw(*spoilt) < task.persona.malformed_questions:
        options = _spoilt(options, number(*spoilt, "how") % 3)
    return {"question": stem, "options": options}


def _of_facts(
    world: World,
    concept: str,
    turn_of_kind: int,
    count: int,
    facts: tuple[Fact, ...],
    name: tuple[object, ...],
) -> tuple[list[str], list[str]]:
    """Right and wrong options from what an explanation states."""
    by_id = {fact.id: fact for fact in facts}
    mixed = [by_id[id] for id in shuffled(sorted(by_id), world.seed, "question", concept)]
    lead = turn_of_kind % len(mixed)
    by_tier = sorted(
        mixed[lead:] + mixed[:lead], key=lambda fact: fact.tier is not mixed[lead].tier
    )
    right = by_tier[: min(pick(_RIGHT_OPTIONS, *name, "right"), count - 1)]
    around = sorted(by_tier[len(right) :], key=lambda fact: number(*name, fact.id)) + right
    return [fact.claim for fact in right], wrong_claims(world, around, count - len(right), name)


def _of_prose(
    explanation: str, count: int, name: tuple[object, ...]
) -> tuple[list[str], list[str]]:
    """The same from a text of which this world knows nothing: its sentences, and their denials."""
    texts = shuffled(list(dict.fromkeys(foreign.sentences(explanation))), *name)
    right = texts[: max(1, min(2, count - 1, len(texts) - 1))]
    denied = [*texts[len(right) :], *right][: count - len(right)]
    return right, [f"It is untrue that {sentence[:1].lower()}{sentence[1:]}" for sentence in denied]


def _spoilt(options: list[dict[str, object]], how: int) -> list[dict[str, object]]:
    """One option too few, none of them right, or two that are the same."""
    if how == 1:
        return [{**option, "correct": False} for option in options]
    return options[:-1] if how == 0 else [*options[:-1], options[0]]


def paraphrase(task: Task) -> Reply:
    """The question in other words: one wording for each manner and round of it, none of them among
    those taken."""
    manner, forms = task["manner"], list(_FORMS.values())
    turn = _first_number(manner) + _APART * task.attempt
    form = next((form for words, form in _FORMS.items() if words in manner), pick(forms, manner))
    question = task["question"]
    texts = (question, *task["taken"])
    used = {normalise(text) for text in texts}
    core = form.format(p=_core(question))
    wording = _in_front(turn) + core
    while normalise(wording) in used:
        turn += _APART
        wording = _in_front(turn) + core
    return {"paraphrase": wording}


def _first_number(text: str) -> int:
    """The round that a setting names; 0 where it names none."""
    return next((int(word) for word in text.split() if word.isdecimal()), 0)


def _in_front(turn: int) -> str:
    """Phrases for a round: none for 0, and no two rounds the same."""
    if turn == 0:
        return ""
    return _in_front((turn - 1) // len(_IN_FRONT)) + _IN_FRONT[(turn - 1) % len(_IN_FRONT)]


def _core(question: str) -> str:
    """What remains of a question without phrases in front and forms around it: the same for all its
    paraphrases."""
    text = " ".join(question.split())
    if phrase := next((phrase for phrase in _IN_FRONT if text.startswith(phrase)), None):
        return _core(text.removeprefix(phrase))
    for form in _FORMS.values():
        before, after = form.split("{p}")
        if (
            text.startswith(before)
            and text.endswith(after)
            and len(text) > len(before) + len(after)
        ):
            return _core(text.removeprefix(before).removesuffix(after))
    return text


def same_question(task: Task) -> Reply:
    """What the judge says of two wordings."""
    original, reworded = task["question"], task["paraphrase"]
    is_same = normalise(_core(original)) == normalise(_core(reworded))
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
