"""The simulated evaluator's work on passages of its world: it writes questions, with a fault where it is told to err,
and checks a question as a reader of passage and question who knows nothing of how it came about."""

import re
from collections.abc import Mapping
from functools import cache
from itertools import pairwise

from ...state.text import contains, normalise
from .. import foreign
from ..corpus import corpus
from ..draws import draw, number, pick
from ..facts import Fact
from ..world import World
from .spoilt import Fault, Spoilt, in_other_words, leaks, lists

Part = tuple[str, Fact]
"""A sentence of a passage, and the fact it states or is quoted for."""
_REASONS = (
    "no fact: the passage tells nothing at this level that could be asked for",
    "other sense: the passage seems to mean something else by {concept}",
    "in passing: {concept} stands in the passage as an example only",
)


def write(world: World, given: Mapping[str, str]) -> dict[str, object] | None:
    """The reply to the task `question`; None for a passage that states no fact of this world.

    It asks about the concept, and refuses a passage that states nothing about it.
    """
    passage, concept = normalise(given["passage"]), given["concept"]
    name = (passage, normalise(concept))
    if _errs(world, "refuses", name):
        return refused(pick(_REASONS, "reason", *name).format(concept=concept))
    parts = [(s, fact) for s in foreign.sentences(given["passage"]) if (fact := world.fact_in(s)) is not None]
    if not parts:
        return None
    own = [(s, fact) for s, fact in parts if concerns(world, fact, concept, given["title"], given["passage"])]
    if _errs(world, "drift", name):
        other = [found for found in _elsewhere(world, given, parts) if found]
        if other:
            return _asking(*pick(pick(other, "drift", "way", *name), "drift", "which", *name))
    if not own:
        return refused(f"in passing: the passage states nothing about {concept}")
    sentence, fact = own[number(passage) % len(own)]
    for fault, ways in (("lists", lists(fact, [f for _, f in own if f is not fact])), ("leak", leaks(fact))):
        if _errs(world, fault, name) and (made := _one_way(list(ways), fault, name)):
            return {"refused": "", "question": made.question, "reference": made.reference, "quote": sentence}
    return _asking(sentence, fact)


def refused(reason: str) -> dict[str, object]:
    """A passage sent back."""
    return {"refused": reason, "question": "", "reference": "", "quote": ""}


def planted(world: World, question: str, concept: str, title: str, passage: str) -> tuple[Fault, str] | None:
    """The truth about a written question: its fault and the way of it; None for a good one, or one of elsewhere."""
    made = world.spoilt(question)
    if made is not None:
        return made.fault, made.way
    fact = world.fact_of(question)
    if fact is None or concerns(world, fact, concept, title, passage):
        return None
    return "drift", "another entry" if states(passage, fact) else "named in passing"


def concerns(world: World, fact: Fact, concept: str, title: str, passage: str) -> bool:
    """Whether a fact is about the concept: its subject or its claim names it, or the passage that states it stands on
    the concept's own page."""
    if not concept.strip() or world.names(f"{fact.subject}; {fact.claim}", concept):
        return True
    return states(passage, fact) and world.names(title, concept)


def states(passage: str, fact: Fact) -> bool:
    """Whether the passage states the fact, in this world's own words."""
    return normalise(fact.sentence) in normalise(passage)


def _errs(world: World, key: str, name: tuple[object, ...]) -> bool:
    rate: float = getattr(world.spec, key)
    return rate > 0 and draw(world.spec.seed, key, *name) < rate


def _asking(sentence: str, fact: Fact) -> dict[str, object]:
    return {"refused": "", "question": fact.question, "reference": fact.claim, "quote": sentence}


def _one_way(made: list[Spoilt], fault: str, name: tuple[str, ...]) -> Spoilt | None:
    """Each way is as likely as the others, however many questions it has."""
    ways = list(dict.fromkeys(one.way for one in made))
    if not ways:
        return None
    way = pick(ways, fault, "way", *name)
    return pick([one for one in made if one.way == way], fault, "which", *name)


def _elsewhere(world: World, given: Mapping[str, str], parts: list[Part]) -> tuple[list[Part], list[Part]]:
    """What a question that leaves the line could be about: the passage's facts about something else, and facts, which
    it does not state, about what it names in passing."""
    concept, title, passage = given["concept"], given["title"], given["passage"]
    passing = [
        (sentence, fact)
        for sentence in foreign.sentences(passage)
        for name in world.mentioned(sentence)
        for fact in _lead_facts().get(world.title_of(name) or "", ())
        if not states(passage, fact) and not world.names(title, name)
    ]
    entries, named = (
        [part for part in some if not concerns(world, part[1], concept, title, passage)] for some in (parts, passing)
    )
    return entries, named


@cache
def _lead_facts() -> dict[str, list[Fact]]:
    """What the leads of the encyclopedia's pages state, by title."""
    found: dict[str, list[Fact]] = {}
    for fact in corpus().facts:
        if fact.section is None and fact.tier == "COMMON":
            found.setdefault(fact.page, []).append(fact)
    return found


def as_named(world: World, names: list[str], before: list[str], call: tuple[object, ...]) -> list[str]:
    """The aspects as one call names them: all, or by an error fewer, none, or some of them under two names beside some
    that were named `before`."""
    name = (*call, *sorted(before))
    if not _errs(world, "few", name):
        return names
    kept = names[: number("kept", *name) % (len(names) // 2 + 1)]
    twice = [*kept, *(_alike(one) for one in kept), *before[: len(kept)]]
    return pick(([], kept, twice, twice), "few", *name)


def _alike(name: str) -> str:
    """Another name of the same thing, or another way of writing it."""
    titles = corpus().redirects
    others = [other for other in titles if titles[other].partition(" (")[0] == name]
    return pick([*others, f"The {name}", f"{name}s", name.upper()], "alike", name)


_SEVERAL = re.compile(
    r"^besides\b|^(?:name|list) .+ and |^what are .+ and |, and (?:(?:in(?:to)?|for) )?(?:what|which|who|how)\b", re.I
)
"""Words of a question that asks for several things, or for what else there is."""


def check(world: World, given: Mapping[str, str]) -> dict[str, object]:
    """The reply to the task `check`, from title, passage and question alone."""
    passage, question = given["passage"], given["question"]
    fact = world.fact_of(question)
    if fact is None:
        answer = foreign.best_sentence(passage, question) or ""
    else:
        answer = fact.claim if states(passage, fact) and not _SEVERAL.search(question) else ""
    return {
        "self_contained": True,
        "gives_answer_away": fact is not None and tells(world, fact, question),
        "answerable": bool(answer),
        "answer": answer,
    }


def tells(world: World, fact: Fact, question: str) -> bool:
    """Whether a reader who knows the answer meets it in the question: a value that is it, a figure close to it, the
    value in other words as this world knows them, one of its words or the letters it begins and ends with, where the
    plain question has none of them. No other description is read."""
    pool, plain = world.pool(fact), {word.casefold() for word in re.findall(r"\w+", fact.question)}
    said = pool.found(question)
    if any(pool.same(value, item) for value in said for item in fact.items):
        return True
    if (other := in_other_words(fact)) and other in question:
        return True
    if pool.kind == "number":
        right = float(fact.items[0])
        return any(abs(float(value) - right) <= 0.05 * abs(right) for value in said)
    added = [word for word in re.findall(r"\w+", question) if word.casefold() not in plain]
    if any(contains(fact.value, word) for word in added if len(word) > 1 and word.casefold() not in foreign.SMALL):
        return True
    letters = re.findall(r"\b\w\b", question)
    ends = (fact.value[0].casefold(), fact.value[-1].casefold())
    return any((one.casefold(), two.casefold()) == ends for one, two in pairwise(letters))
