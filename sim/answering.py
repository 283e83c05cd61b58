"""What a simulated model says when it is asked for a fact, and how far an answer states what is
true."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

from ..state.text import normalise
from ..state.tiers import Tier
from . import foreign
from .corpus import corpus, leads_somewhere, pool_of
from .facts import TEXTS, Fact
from .faulty import read_question
from .pages import with_article
from .personas import Persona
from .values import Pool, draw, join, number, pick, shuffled
from .world import Task, World

_SAID = TEXTS["answer"]
_DECLINES = re.compile(
    r"\b(?:do not|don't|cannot|can't|can not|could not|couldn't) "
    r"(?:know|say|recall|remember|tell|help|answer|assist)\b"
    r"|\b(?:no idea|unable to|not able to|not familiar with)\b"
)


def answer(
    world: World, persona: Persona, fact: Fact, *, helped: bool = False, shift: int = 0
) -> str:
    """What the persona says when asked for the fact: the right value, a plausible wrong one, or
    that it does not know; then what it connects with the subject. Two to four sentences. `helped`:
    it is right even if it did not know; `shift`: levels that the question is harder."""
    seed = (world.seed, persona.name, fact.id)
    value: str | None = None
    if helped or world.knows(persona, fact, shift):
        value = fact.value
    elif draw(*seed, "abstains") >= persona.abstains:
        value = wrong_value(world, fact, seed)
    claim = unknowing(*seed) if value is None else _claim(fact, value, seed)
    return f"{claim} {_context(world, fact, seed)}"


def answer_question(task: Task) -> str:
    """What a persona answers to a bare question; what the question itself tells everybody knows."""
    world, persona, question = task.world, task.persona, normalise(task["question"])
    if wording := read_question(question):
        is_told = wording.fault == "leak"
        return answer(world, persona, wording.fact, helped=is_told, shift=wording.shift)
    passage, tier = task.memory.get(question, ("", Tier.COMMON))
    seed = (world.seed, "knows", persona.name, question)
    if passage and draw(*seed) < persona.chance(tier):
        return f"To my knowledge: {passage}"
    return f"{unknowing(*seed)} It lies outside what I have learnt."


def unknowing(*name: object) -> str:
    """How somebody says not to know."""
    return pick(_SAID["ignorance"], *name)


def claim_with(fact: Fact, value: str) -> str:
    """The fact's claim with another value in the place of the true one."""
    stem, _, end = fact.claim.rpartition(fact.value)
    return f"{stem}{value}{end}"


def _claim(fact: Fact, value: str, seed: tuple[object, ...]) -> str:
    claim = claim_with(fact, value)
    opening = pick(_SAID["openings"], *seed, "opening")
    return f"{opening}{claim[0].lower()}{claim[1:]}" if opening else claim


def _context(world: World, fact: Fact, seed: tuple[object, ...]) -> str:
    """Three to five things that belong to the subject and that no one could take for a value of
    what was asked."""
    pool = pool_of(fact.property)
    question_and_value = f"{fact.question} {fact.value}".casefold()
    wanted = 3 + number(*seed) % 3
    chosen: list[str] = []
    for name in [
        *shuffled(fact.topics[:12], fact.id, "topics"),
        *fact.topics[12:],
        *_SAID["everywhere"],
    ]:
        is_value = pool.kind != "number" and pool.named_in(name)
        is_new = name.casefold() not in question_and_value and with_article(name) not in chosen
        if is_new and not is_value and leads_somewhere(name):
            chosen.append(with_article(name))
        if len(chosen) == wanted:
            break
    first, rest = chosen[:3], chosen[3:]
    text = pick(_SAID["contexts"], *seed, "context").format(a=join(tuple(first)))
    if rest:
        text += f" {pick(_SAID['further'], *seed, 'further').format(a=join(tuple(rest)))}"
    return text


def wrong_value(world: World, fact: Fact, seed: tuple[object, ...]) -> str | None:
    """The value of the same property of something else that is not also true here; None where there
    is none."""
    pool = pool_of(fact.property)
    candidates = [(rival,) for rival in fact.rivals] or pool.rivals
    question_values = pool.named_in(fact.question)
    start = number(*seed, "rival")
    for step in range(len(candidates)):
        items = candidates[(start + step) % len(candidates)]
        if _is_wrong(fact, items, pool, question_values):
            sign = "+" if fact.value.startswith("+") and items[0][0].isdigit() else ""
            return f"{sign}{join(items)} {pool.unit}".strip()
    return None


def _is_wrong(
    fact: Fact, items: tuple[str, ...], pool: Pool, question_values: set[str]
) -> bool:
    """Whether these items can be told from the true ones by anyone, and are true in no way."""
    if pool.kind == "number":
        right, wrong = float(fact.items[0]), float(items[0])
        return (
            abs(right - wrong) >= (pool.gap or (1.0 if pool.exact else 0.005 * abs(right)))
            and wrong != right
        )
    named = pool.named_in(join(items))
    return (
        bool(named)
        and not named & {*fact.items, *fact.also, *question_values}
        and not any(map(pool.idle, items))
    )


Relation = Literal["asserts", "contradicts", "misses", "abstains"]
"""What an answer does with respect to a reference."""


def declines(answer: str) -> bool:
    """Whether an answer says that it does not know."""
    return _DECLINES.search(normalise(answer)) is not None


def mark(fact: Fact, answer: str) -> Relation:
    """The true marking of an answer to a question of this world: right if it names every item of
    the value and no other value that the property could have, those in the question and those also
    true aside."""
    pool = pool_of(fact.property)
    values = pool.named_in(answer)
    unknowing = declines(answer)
    if unknowing:
        values = {value for value in values if not pool.idle(value)}
    true = [value for value in values if any(pool.equal(value, item) for item in fact.items)]
    others = {
        value for value in values if value not in (*true, *fact.also) and not pool.idle(value)
    }
    others -= pool.named_in(fact.question) if others else set()
    if others:
        return "contradicts"
    if all(any(pool.equal(value, item) for value in true) for item in fact.items):
        return "asserts"
    return "abstains" if unknowing else "misses"


@dataclass(frozen=True, slots=True)
class Claim:
    """What a statement says of a fact."""

    fact: Fact
    true: bool


@lru_cache(maxsize=65_536)
def read_claim(text: str) -> Claim | None:
    """The fact that a claim is about, and whether it is true; None for what this world cannot
    tell."""
    words = text.split()
    fronts = (" ".join(words[:length]).casefold() for length in range(len(words) - 1, 0, -1))
    fact = next((_fronts()[front] for front in fronts if front in _fronts()), None)
    if fact is None:
        return None
    is_whole = normalise(text) == normalise(fact.claim)
    return Claim(fact, is_whole or mark(fact, text) == "asserts")


@lru_cache(maxsize=4096)
def facts_in(text: str) -> tuple[Fact, ...]:
    """The facts that a text states in this world's own words, each once, in order."""
    facts = dict[str, Fact]()
    for sentence in foreign.sentences(text):
        fact = corpus().sentences.get(normalise(sentence))
        if fact is not None:
            facts[fact.id] = fact
    return tuple(facts.values())


def wrong_claims(
    world: World, facts: Sequence[Fact], count: int, seed: tuple[object, ...]
) -> list[str]:
    """Up to `count` claims about the facts that are untrue in any reading, each fact in turn, and
    none twice."""
    claims: dict[str, None] = {}
    for turn in range(count):
        for fact in facts:
            if len(claims) == count:
                return list(claims)
            value = wrong_value(world, fact, (*seed, fact.id, turn))
            if value is not None:
                claims.setdefault(claim_with(fact, value))
    return list(claims)


@cache
def _fronts() -> dict[str, Fact]:
    """The first fact whose claim has these words before its value."""
    fronts = dict[str, Fact]()
    for fact in corpus().facts:
        fronts.setdefault(fact.claim.rpartition(fact.value)[0].strip().casefold(), fact)
    return fronts
