"""The drill's tasks: aspects, questions on passages (with an error as often as the world's settings
say), checks by a reader of passage and question who knows nothing of how it came about, verdicts,
and concepts of an answer."""

from collections.abc import Sequence
from functools import cache

from ..state.records import Tier
from ..state.text import contains, normalise
from . import foreign
from .answering import Marking, declines, mark
from .corpus import corpus
from .facts import Fact
from .faulty import Faulty, at_another_level, faulty, leaks, lists
from .personas import Persona
from .values import draw, number, pick, shuffled, whole
from .world import Given, Reply, Tasks, World, shifted

Part = tuple[str, Fact]
"""A sentence of a passage, and the fact it states or is quoted for."""
_REASONS = (
    "no fact: the passage tells nothing at this level that could be asked for",
    "other sense: the passage seems to mean something else by {concept}",
    "in passing: {concept} stands in the passage as an example only",
)


def fault_of(world: World, question: str) -> Faulty | None:
    """What is wrong with a question's words; None in a world whose evaluator writes no such
    questions."""
    spec = world.spec
    return faulty(question) if spec.leak or spec.lists or spec.level else None


def fact_of(world: World, question: str) -> Fact | None:
    """The fact a question asks for, well or with a fault; None for a question that is not of this
    world."""
    fact = world.fact_of(question)
    made = fault_of(world, question) if fact is None else None
    return made.fact if made else fact


def _errs(world: World, key: str, name: tuple[object, ...]) -> bool:
    rate: float = getattr(world.spec, key)
    return rate > 0 and draw(world.spec.seed, key, *name) < rate


def question(world: World, persona: Persona, given: Given) -> Reply:
    """From the first passage that serves; those before it are refused, and where none serves
    all."""
    refusals = list[str]()
    for place, shown in enumerate(_shown(given), start=1):
        reply = write(world, {**given, **shown})
        if not reply["refused"]:
            return {
                **reply,
                "refused": refusals,
                "passage": place,
            }
        refusals.append(f"{place}: {reply['refused']}")
    nothing = dict.fromkeys(("question", "answer", "reference", "quote"), "")
    return {"refused": refusals, "passage": 0, **nothing}


def _shown(given: Given) -> list[dict[str, str]]:
    """The passages in the order of their numbers, each with its title and concept."""
    return [
        {
            "passage": text,
            "title": given[tag.replace("passage", "title")],
            "concept": given[tag.partition(" ")[0].replace("passage", "concept")],
        }
        for tag, text in given.items()
        if "passage" in tag
    ]


def write(world: World, given: Given) -> Reply:
    """The question on one passage: about the concept, refused where the passage states nothing
    about it. A passage that states no fact of this world is asked about by plain rules."""
    passage, concept = normalise(given["passage"]), given["concept"]
    name = (passage, normalise(concept))
    if _errs(world, "refuses", name):
        return refused(pick(_REASONS, "reason", *name).format(concept=concept))
    parts = [
        (s, fact)
        for s in foreign.sentences(given["passage"])
        if (fact := world.fact_in(s)) is not None
    ]
    if not parts:
        title = given["title"].partition(" (")[0] or concept
        asked, reference, quote = foreign.question(given["passage"], title)
        return _asking(asked, "", reference, quote)
    own = [
        (s, fact)
        for s, fact in parts
        if concerns(world, fact, concept, given["title"], given["passage"])
    ]
    if _errs(world, "drift", name) and (other := _elsewhere(world, given)):
        return _plainly(*pick(other, "drift", *name))
    own = [(s, fact) for s, fact in own if not _was_right(fact, given)]
    if not own:
        return refused(f"in passing: the passage states nothing about {concept}")
    sentence, fact = own[number(passage) % len(own)]
    others = [other for _, other in own if other is not fact]
    for fault in ("lists", "leak"):
        if not _errs(world, fault, name):
            continue
        if made := _one_way(
            list(leaks(fact) if fault == "leak" else lists(fact, others)), fault, name
        ):
            return _asking(made.question, fact.value, made.reference, sentence)
    if world.spec.level:
        made = at_another_level(fact, world.spec.level)
        return _asking(made.question, fact.value, made.reference, sentence)
    return _plainly(sentence, fact)


def _was_right(fact: Fact, given: Given) -> bool:
    """Whether the page's title or the line has said it."""
    return (
        contains(given["title"], fact.value)
        or fact.claim in given.get("references", "").splitlines()
    )


def refused(reason: str) -> Reply:
    """A passage sent back."""
    return {
        "refused": reason,
        "question": "",
        "answer": "",
        "reference": "",
        "quote": "",
    }


def _plainly(sentence: str, fact: Fact) -> Reply:
    return _asking(fact.question, fact.value, fact.claim, sentence)


def _asking(question: str, answer: str, reference: str, quote: str) -> Reply:
    return {
        "refused": "",
        "question": question,
        "answer": answer,
        "reference": reference,
        "quote": quote,
    }


def _one_way(made: list[Faulty], fault: str, name: tuple[str, ...]) -> Faulty | None:
    """Each way is as likely as the others, however many questions it has."""
    ways = list(dict.fromkeys(one.way for one in made))
    if not ways:
        return None
    way = pick(ways, fault, "way", *name)
    return pick([one for one in made if one.way == way], fault, "which", *name)


def concerns(world: World, fact: Fact, concept: str, title: str, passage: str) -> bool:
    """Whether a fact is about the concept: its subject or its claim names it, or the passage that
    states it stands on the concept's own page."""
    if not concept.strip() or world.names(f"{fact.subject}; {fact.claim}", concept):
        return True
    return states(passage, fact) and world.names(title, concept)


def states(passage: str, fact: Fact) -> bool:
    """Whether the passage states the fact, in this world's own words."""
    return normalise(fact.sentence) in normalise(passage)


def _elsewhere(world: World, given: Given) -> list[Part]:
    """What a question that leaves the line could be about: facts, which the passage does not state,
    about what it names in passing."""
    concept, title, passage = given["concept"], given["title"], given["passage"]
    return [
        (sentence, fact)
        for sentence in foreign.sentences(passage)
        for name in world.mentioned(sentence)
        for fact in _lead_facts().get(world.title_of(name) or "", ())
        if not states(passage, fact)
        and not world.names(title, name)
        and not concerns(world, fact, concept, title, passage)
    ]


@cache
def _lead_facts() -> dict[str, list[Fact]]:
    """What the leads of the encyclopedia's pages state, by title."""
    found: dict[str, list[Fact]] = {}
    for fact in corpus().facts:
        if fact.section is None and fact.tier == "COMMON":
            found.setdefault(fact.page, []).append(fact)
    return found


def check(world: World, persona: Persona, given: Given) -> Reply:
    """What a reader of the line, title, passage and question finds."""
    passage, asked, spec = given["passage"], given["question"], world.spec
    made = fault_of(world, asked)
    fact, flaw = (made.fact, made.fault) if made else (world.fact_of(asked), None)
    if fact is None:
        answer, tier = (
            foreign.best_sentence(passage, asked) or "",
            Tier(given["tier"] or Tier.PROFESSIONAL),
        )
    else:
        answer, tier = (fact.value if states(passage, fact) else ""), fact.tier
    level = shifted(tier, spec.level_said + (made.shift if made else 0))
    name = (normalise(asked),)
    step = "off" if _errs(world, "off", name) else "deeper"
    return {
        "answer": answer,
        "answerable": bool(answer),
        "self_contained": True,
        "gives_answer_away": flaw == "leak",
        "one_thing": flaw != "lists",
        "already_said": fact is not None and contains(given["title"], fact.value),
        "another_answer": _errs(world, "another", name),
        "doubtful": _errs(world, "doubtful", name),
        "level": level.value.casefold(),
        "step": step if given["line"] else None,
    }


def same(world: World, persona: Persona, given: Given) -> Reply:
    """Whether one answer says what the other says."""
    alike, other = foreign.compared(given["reference"], given["question"], given["answer"])
    return {"same": alike and not other}


def verdict(world: World, persona: Persona, given: Given) -> Reply:
    """The whole answer is compared with what is known to be true. With sensitivity se a right
    answer is accepted, with specificity sp a wrong one rejected; an abstention is always
    recognised. The error is drawn for seed, question and answer."""
    asked, reference, answer = given["question"], given["reference"], given["answer"]
    fact, spec = fact_of(world, asked), world.spec
    if fact is not None:
        found = mark(fact, world.pool(fact), answer)
    else:
        named, other = foreign.compared(reference, asked, answer)
        found = Marking(declines(answer) and not named, named, other)
    limit = spec.sensitivity if found.correct else spec.specificity
    errs = (
        not found.abstained
        and draw(spec.seed, "judge", normalise(asked), normalise(answer)) >= limit
    )
    asserts, incompatible = (
        (not found.correct, False) if errs else (found.asserts, found.incompatible)
    )
    reasons = {
        "asserts": "The answer states what the reference states.",
        "contradicts": "The answer does not state the reference.",
        "misses": "The answer does not state the reference.",
        "abstains": "The answer says that it does not know.",
    }
    relation = "abstains" if found.abstained else "asserts" if asserts else "misses"
    relation = "contradicts" if incompatible else relation
    return {"reason": reasons[relation], "verdict": relation}


def aspects(world: World, persona: Persona, given: Given) -> Reply:
    """Pages within the domain that were not named before; now and then fewer, or some of them
    twice."""
    domain, before = given["domain"], given["named"].splitlines()
    count = whole(given["count"], 10)
    taken = {normalise(name) for name in (*before, domain)}
    names = dict.fromkeys(title.partition(" (")[0] for title in _titles(world, domain))
    if among := given["among"].splitlines():
        listed = [name for name in names if name in among]
        names = dict.fromkeys(listed or among)
    found = [name for name in names if normalise(name) not in taken][:count]
    seed = int(given["seed"]) if given["seed"] else None
    call = (domain, count, seed, *sorted(before))
    if not _errs(world, "few", call):
        return {"aspects": found}
    number_kept = number("kept", *call) % (len(found) // 2 + 1)
    kept = found[:number_kept]
    alike = [_alike(name) for name in kept]
    twice = [*kept, *alike, *before[:number_kept]]
    return {"aspects": pick(([], kept, twice, twice), "few", *call)}


def _alike(name: str) -> str:
    """Another name of the same thing, or another way of writing it."""
    others = [
        other for other, title in corpus().redirects.items() if title.partition(" (")[0] == name
    ]
    return pick([*others, f"The {name}", f"{name}s", name.upper()], "alike", name)


def _titles(world: World, domain: str) -> Sequence[str]:
    """Titles within a domain: for the chemical elements all, those with much to say first; else
    what its page links to and the next; else what a search finds."""
    page, seed = world.look_up(domain.strip()).page, world.spec.seed
    if page is None:
        return [found.title for found in world.search(domain, 40)]
    if page.title not in ("Chemical element", "Periodic table"):
        near = shuffled(page.links, seed, page.title)
        far = [title for name in near for title in world.links(name)]
        return [title for title in dict.fromkeys([*near, *far]) if title != page.title]
    there = [
        found
        for title in world.titles
        if (found := world.look_up(title).page) and title != page.title
    ]
    rich, rest = (
        [one.title for one in there if bool(one.sections) == much] for much in (True, False)
    )
    return [*shuffled(rich, seed, "aspects"), *shuffled(rest, seed, "aspects")]


def concepts(world: World, persona: Persona, given: Given) -> Reply:
    """What an answer names, and what else its concept leads to."""
    text, count = given["answer"], whole(given["count"], 5)
    taken = {
        normalise(x) for x in (*given["drilled"].splitlines(), given["concept"], given["domain"])
    }
    known = world.mentioned(text)
    mentioned = known if fact_of(world, given["question"]) else foreign.names(text, known)
    links = shuffled(list(world.links(given["concept"])), given["concept"])
    said = {normalise(name) for name in mentioned}
    named = [name for name in mentioned if normalise(name) not in taken]
    further = dict.fromkeys(title.partition(" (")[0] for title in links)
    others = [name for name in further if normalise(name) not in taken | said]
    return {
        "concepts": [{"said": name, "name": name} for name in named[:count]],
        "aspects": others[:count],
    }


def titles(world: World, persona: Persona, given: Given) -> Reply:
    """The title of the page that a name leads to, where it is among those shown."""
    meant = []
    for shown in given["names"].splitlines():
        name, _, near = shown.partition(": ")
        title = world.title_of(name)
        if title in near.partition(" (after: ")[0].split("; "):
            meant.append({"name": name, "title": title})
    return {"meant": meant}


TASKS: Tasks = {
    "aspects": (frozenset({"aspects"}), aspects),
    "question": (frozenset({"question", "reference", "quote"}), question),
    "check": (frozenset({"answerable", "answer"}), check),
    "same": (frozenset({"same"}), same),
    "verdict": (frozenset({"reason", "verdict"}), verdict),
    "concepts": (frozenset({"concepts", "aspects"}), concepts),
    "titles": (frozenset({"meant"}), titles),
}
