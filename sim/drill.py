"""The drill's tasks: aspects, questions on passages (with an error as often as the world's settings
say), checks by a reader of passage and question who knows nothing of how it came about, verdicts,
and concepts of an answer."""

import re
from collections.abc import Sequence
from dataclasses import replace

from ..state.text import contains, normalise
from ..state.tiers import Tier
from . import foreign
from .answering import answer_question, declines, mark
from .corpus import pool_of
from .facts import BY_ORDER, Fact
from .faulty import at_another_level, leak, lists, read_question
from .values import draw, number, pick, shuffled
from .world import Purposes, Reply, Task, World, shifted

_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
Asked = tuple[str, Tier]
"""A passage from elsewhere, and the tier of the question."""


def _errs(world: World, key: str, name: tuple[object, ...]) -> bool:
    rate: float = getattr(world.spec, key)
    return rate > 0 and draw(world.seed, key, *name) < rate


def question(task: Task) -> Reply:
    """From the first passage that serves; those before it are refused, and where none serves
    all."""
    refusals = list[str]()
    for index, passage in enumerate(task["passages"], start=1):
        reply = write(replace(task, about={**task.about, **passage}))
        if not reply["refused"]:
            return {**reply, "refused": refusals, "passage": index}
        refusals.append(f"{index}: {reply['refused']}")
    return {**_asking(), "refused": refusals, "passage": 0}


def write(task: Task) -> Reply:
    """The question on one passage: about the concept, refused where the passage states nothing
    about it. A passage that states no fact of this world is asked about by plain rules."""
    world = task.world
    passage, concept = normalise(task["passage"]), task["concept"]
    name = (passage, normalise(concept))
    if _errs(world, "refuses", name):
        return _asking(
            refused="no fact: the passage tells nothing at this level that could be asked for"
        )
    sentences = foreign.sentences(task["passage"])
    stated = {
        fact: sentence
        for sentence in sentences
        if (fact := world.fact_in(sentence)) is not None
    }
    if not stated:
        title = task["title"].partition(" (")[0] or concept
        wording, quote = foreign.question(task["passage"], title)
        task.memory[normalise(wording)] = task["passage"], Tier(task["tier"] or Tier.COMMON)
        return _asking(wording, "", quote, quote)
    if _errs(world, "drift", name):
        fact = _elsewhere(task)
        return _asking(fact.question, fact.value, fact.claim, sentences[0])
    fitting = [fact for fact in stated if concerns(task, fact) and not _was_right(fact, task)]
    if not fitting:
        return _asking(refused=f"in passing: the passage states nothing about {concept}")
    fact = fitting[number(passage) % len(fitting)]
    others = [candidate for candidate in fitting if candidate is not fact]
    if others and _errs(world, "lists", name):
        second = pick(others, "lists", *name)
        both = f"{fact.claim} {second.claim}"
        return _asking(lists(fact, second), fact.value, both, stated[fact])
    wording = fact.question
    if _errs(world, "leak", name):
        wording = leak(fact)
    elif world.spec.level:
        wording = at_another_level(fact, world.spec.level)
    return _asking(wording, fact.value, fact.claim, stated[fact])


def _was_right(fact: Fact, task: Task) -> bool:
    """Whether the page's title or the line has said it."""
    return contains(task["title"], fact.value) or fact.claim in task["references"]


def _asking(
    question: str = "",
    answer: str = "",
    reference: str = "",
    quote: str = "",
    refused: str = "",
) -> Reply:
    """A question, or why the passage is sent back."""
    return {
        "refused": refused,
        "question": question,
        "answer": answer,
        "reference": reference,
        "quote": quote,
    }


def concerns(task: Task, fact: Fact) -> bool:
    """Whether a fact is about the concept: its subject or its claim names it, or the passage that
    states it stands on the concept's own page."""
    concept, names = task["concept"], task.world.names
    if not concept.strip() or names(f"{fact.subject}; {fact.claim}", concept):
        return True
    return states(task["passage"], fact) and names(task["title"], concept)


def states(passage: str, fact: Fact) -> bool:
    """Whether the passage states the fact, in this world's own words."""
    return normalise(fact.sentence) in normalise(passage)


def _elsewhere(task: Task) -> Fact:
    """What a question that leaves the line is about: a fact that has nothing to do with it."""
    facts = task.world.facts
    start = number(task.world.seed, "drift", task["passage"], task["concept"])
    candidates = (facts[index % len(facts)] for index in range(start, start + len(facts)))
    return next(fact for fact in candidates if not concerns(task, fact))


def check(task: Task) -> Reply:
    """What a reader of the line, title, passage and question finds; of a question from elsewhere
    the writer's word for its tier is all there is."""
    passage, question, spec = task["passage"], task["question"], task.world.spec
    name = (normalise(question),)
    if wording := read_question(question):
        fact, flaw, shift = wording
        answer, tier = (fact.value if states(passage, fact) else ""), fact.tier
        is_said = contains(task["title"], fact.value)
    else:
        flaw, shift, is_said = None, 0, False
        answer = foreign.answer_in(passage, question)
        _, tier = task.memory.get(*name, ("", Tier.PROFESSIONAL))
    level = shifted(tier, spec.level_said + shift)
    step = "off" if _errs(task.world, "off", name) else "deeper"
    return {
        "answer": answer,
        "answerable": bool(answer),
        "self_contained": True,
        "gives_answer_away": flaw == "leak",
        "one_thing": flaw != "lists",
        "already_said": is_said,
        "another_answer": _errs(task.world, "another", name),
        "doubtful": _errs(task.world, "doubtful", name),
        "level": level.value.casefold(),
        "step": step if task["line"] else None,
    }


def fact_of(question: str) -> Fact | None:
    """The fact that a question of this world asks for; None for any other."""
    wording = read_question(question)
    return wording.fact if wording else None


def source_answer(task: Task) -> Reply:
    """The answer that the first passage gives which states the fact that is asked for."""
    fact = fact_of(task["question"])
    passages = [*task["passages"]]
    for index, passage in enumerate(passages, start=1):
        if fact is not None and states(passage, fact):
            return {"passage": index, "answer": fact.value, "quote": fact.sentence}
        sentence = foreign.answer_in(passage, task["question"]) if fact is None else None
        if sentence:
            return {"passage": index, "answer": sentence, "quote": sentence}
    return {"passage": 0, "answer": "", "quote": ""}


def same_answer(task: Task) -> Reply:
    """Whether one answer says what the other says."""
    fact = fact_of(task["question"])
    texts = (task["reference"], task["answer"])
    right = [fact is not None and mark(fact, text) == "asserts" for text in texts]
    if any(right):
        return {"same": all(right)}
    alike, differs = foreign.compared(task["reference"], task["question"], task["answer"])
    return {"same": alike and not differs}


def verdict(task: Task) -> Reply:
    """The whole answer is compared with what is known to be true. With sensitivity se a right
    answer is accepted, with specificity sp a wrong one rejected; an abstention is always
    recognised. The error is drawn for seed, question and answer."""
    question, reference, answer = task["question"], task["reference"], task["answer"]
    wording, spec = read_question(question), task.world.spec
    referred_fact = _as_referred(wording.fact, reference) if wording else None
    if referred_fact is not None:
        relation = mark(referred_fact, answer)
    else:
        alike, differs = foreign.compared(reference, question, answer)
        relation = "asserts" if alike else "abstains" if declines(answer) else "misses"
        relation = "contradicts" if differs else relation
    limit = spec.sensitivity if relation == "asserts" else spec.specificity
    luck = draw(spec.seed, "judge", normalise(question), normalise(answer))
    if relation != "abstains" and luck >= limit:
        relation = "misses" if relation == "asserts" else "asserts"
    return {"reason": BY_ORDER["verdicts"][relation], "verdict": relation}


def confidence(task: Task) -> Reply:
    """Of a right answer mostly high, of a wrong one mostly lower, and on the whole too high."""
    fact = fact_of(task["question"])
    right = fact is not None and mark(fact, task["answer"]) == "asserts"
    least, steps = (60, 9) if right else (35, 13)
    name = normalise(task["question"])
    step = number(task.world.seed, "confidence", task.persona.name, name) % steps
    return {"confidence": least + 5 * step}


def restatement(task: Task) -> Reply:
    """What the reference says, the value first."""
    fact, reference = fact_of(task["question"]), task["reference"]
    if fact is None:
        return {
            "restatement": f"As far as anybody can tell it is so, and well known: {reference}"
        }
    text = f"I should say {fact.value}; so much can be read of {fact.subject}."
    for figure in _FIGURE.findall(reference):
        text += "" if figure in text else f" It is the case of {figure}."
    return {"restatement": text}


def error(task: Task) -> Reply:
    """By the kind of the value that was asked for: a number is a wrong value, a name another
    thing's."""
    fact, answer = fact_of(task["question"]), task["answer"]
    if fact is None:
        return {"reason": BY_ORDER["verdicts"]["contradicts"], "error": "invented"}
    relation = mark(fact, answer)
    kind = "wrong value" if pool_of(fact.property).kind == "number" else "wrong thing"
    if relation != "contradicts":
        kind = "refused" if relation == "abstains" else "partial"
    return {"reason": BY_ORDER["verdicts"]["contradicts"], "error": kind}


def _as_referred(fact: Fact, reference: str) -> Fact | None:
    """The fact, with the reference's value where that is another one, which counts as true; None
    where nobody can tell what it is."""
    if mark(fact, reference) != "contradicts":
        return fact
    pool = pool_of(fact.property)
    items = tuple(pool.named_in(reference) - pool.named_in(fact.question))
    return replace(fact, items=items, also=frozenset()) if items else None


def aspects(task: Task) -> Reply:
    """Pages within the domain that were not named before; now and then fewer."""
    domain, before, count = task["domain"], task["named"], task["count"]
    used = {normalise(name) for name in (*before, domain)}
    names = dict.fromkeys(title.partition(" (")[0] for title in _titles(task.world, domain))
    if among := task["among"]:
        listed = [name for name in names if name in among]
        names = dict.fromkeys(listed or among)
    fresh_names = [name for name in names if normalise(name) not in used][:count]
    call = (domain, count, task.seed, *sorted(before))
    if _errs(task.world, "few", call):
        count = number("kept", *call) % (len(fresh_names) // 2 + 1)
    return {"aspects": fresh_names[:count]}


def _titles(world: World, domain: str) -> Sequence[str]:
    """Titles within a domain: for the chemical elements all, those with much to say first; else
    what its page links to and the next; else what a search finds."""
    page, seed = world.look_up(domain.strip()).page, world.seed
    if page is None:
        return [hit.title for hit in world.search(domain, 40)]
    if page.title in ("Chemical element", "Periodic table"):
        hits = map(world.look_up, shuffled(world.titles, seed, "aspects"))
        pages = [hit.page for hit in hits if hit.page and hit.page is not page]
        return [hit.title for hit in sorted(pages, key=lambda hit: not hit.sections)]
    near = shuffled(page.links, seed, page.title)
    far = [title for name in near for title in world.links(name)]
    return [title for title in dict.fromkeys([*near, *far]) if title != page.title]


def concepts(task: Task) -> Reply:
    """What an answer names, and what else its concept leads to."""
    text, count = task["answer"], task["count"]
    used = {normalise(x) for x in (*task["drilled"], task["concept"], task["domain"])}
    with_page = task.world.mentioned(text)
    mentioned = with_page if read_question(task["question"]) else foreign.names(text, with_page)
    links = shuffled(list(task.world.links(task["concept"])), task["concept"])
    normalised = {normalise(name) for name in mentioned}
    named = [name for name in mentioned if normalise(name) not in used]
    further = dict.fromkeys(title.partition(" (")[0] for title in links)
    others = [name for name in further if normalise(name) not in used | normalised]
    return {
        "concepts": [{"said": name, "name": name} for name in named[:count]],
        "aspects": others[:count],
    }


def titles(task: Task) -> Reply:
    """The title of the page that a name leads to, where it is among those shown."""
    titles_of = {name: task.world.title_of(name) for name in task["names"]}
    return {
        "meant": [
            {"name": name, "title": title}
            for name, title in titles_of.items()
            if title in task["names"][name]
        ]
    }


PURPOSES: Purposes = {
    "answer": answer_question,
    "aspects": aspects,
    "question": question,
    "check": check,
    "same": same_answer,
    "verdict": verdict,
    "confidence": confidence,
    "error": error,
    "restatement": restatement,
    "concepts": concepts,
    "titles": titles,
    "source_answer": source_answer,
}
