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
    flawed = fault_of(world, question) if fact is None else None
    return flawed.fact if flawed else fact


def _errs(world: World, key: str, name: tuple[object, ...]) -> bool:
    rate: float = getattr(world.spec, key)
    return rate > 0 and draw(world.spec.seed, key, *name) < rate


def question(world: World, persona: Persona, fields: Given) -> Reply:
    """From the first passage that serves; those before it are refused, and where none serves
    all."""
    refusals = list[str]()
    for position, passage in enumerate(_shown(fields), start=1):
        reply = write(world, {**fields, **passage})
        if not reply["refused"]:
            return {
                **reply,
                "refused": refusals,
                "passage": position,
            }
        refusals.append(f"{position}: {reply['refused']}")
    nothing = dict.fromkeys(("question", "answer", "reference", "quote"), "")
    return {"refused": refusals, "passage": 0, **nothing}


def _shown(fields: Given) -> list[dict[str, str]]:
    """The passages in the order of their numbers, each with its title and concept."""
    return [
        {
            "passage": text,
            "title": fields[tag.replace("passage", "title")],
            "concept": fields[tag.partition(" ")[0].replace("passage", "concept")],
        }
        for tag, text in fields.items()
        if "passage" in tag
    ]


def write(world: World, fields: Given) -> Reply:
    """The question on one passage: about the concept, refused where the passage states nothing
    about it. A passage that states no fact of this world is asked about by plain rules."""
    passage, concept = normalise(fields["passage"]), fields["concept"]
    name = (passage, normalise(concept))
    if _errs(world, "refuses", name):
        return refused(pick(_REASONS, "reason", *name).format(concept=concept))
    parts = [
        (s, fact)
        for s in foreign.sentences(fields["passage"])
        if (fact := world.fact_in(s)) is not None
    ]
    if not parts:
        title = fields["title"].partition(" (")[0] or concept
        text, reference, quote = foreign.question(fields["passage"], title)
        return _asking(text, "", reference, quote)
    on_concept = [
        (s, fact)
        for s, fact in parts
        if concerns(world, fact, concept, fields["title"], fields["passage"])
    ]
    if _errs(world, "drift", name) and (off_line := _elsewhere(world, fields)):
        return _plainly(*pick(off_line, "drift", *name))
    on_concept = [(s, fact) for s, fact in on_concept if not _was_right(fact, fields)]
    if not on_concept:
        return refused(f"in passing: the passage states nothing about {concept}")
    sentence, fact = on_concept[number(passage) % len(on_concept)]
    others = [off_line for _, off_line in on_concept if off_line is not fact]
    for fault in ("lists", "leak"):
        if not _errs(world, fault, name):
            continue
        if flawed := _one_way(
            list(leaks(fact) if fault == "leak" else lists(fact, others)), fault, name
        ):
            return _asking(flawed.question, fact.value, flawed.reference, sentence)
    if world.spec.level:
        flawed = at_another_level(fact, world.spec.level)
        return _asking(flawed.question, fact.value, flawed.reference, sentence)
    return _plainly(sentence, fact)


def _was_right(fact: Fact, fields: Given) -> bool:
    """Whether the page's title or the line has said it."""
    return (
        contains(fields["title"], fact.value)
        or fact.claim in fields.get("references", "").splitlines()
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


def _one_way(flawed: list[Faulty], fault: str, name: tuple[str, ...]) -> Faulty | None:
    """Each way is as likely as the others, however many questions it has."""
    ways = list(dict.fromkeys(question.way for question in flawed))
    if not ways:
        return None
    way = pick(ways, fault, "way", *name)
    return pick([question for question in flawed if question.way == way], fault, "which", *name)


def concerns(world: World, fact: Fact, concept: str, title: str, passage: str) -> bool:
    """Whether a fact is about the concept: its subject or its claim names it, or the passage that
    states it stands on the concept's own page."""
    if not concept.strip() or world.names(f"{fact.subject}; {fact.claim}", concept):
        return True
    return states(passage, fact) and world.names(title, concept)


def states(passage: str, fact: Fact) -> bool:
    """Whether the passage states the fact, in this world's own words."""
    return normalise(fact.sentence) in normalise(passage)


def _elsewhere(world: World, fields: Given) -> list[Part]:
    """What a question that leaves the line could be about: facts, which the passage does not state,
    about what it names in passing."""
    concept, title, passage = fields["concept"], fields["title"], fields["passage"]
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
    by_title: dict[str, list[Fact]] = {}
    for fact in corpus().facts:
        if fact.section is None and fact.tier == "COMMON":
            by_title.setdefault(fact.page, []).append(fact)
    return by_title


def check(world: World, persona: Persona, fields: Given) -> Reply:
    """What a reader of the line, title, passage and question finds."""
    passage, text, spec = fields["passage"], fields["question"], world.spec
    flawed = fault_of(world, text)
    fact, flaw = (flawed.fact, flawed.fault) if flawed else (world.fact_of(text), None)
    if fact is None:
        answer, tier = (
            foreign.best_sentence(passage, text) or "",
            Tier(fields["tier"] or Tier.PROFESSIONAL),
        )
    else:
        answer, tier = (fact.value if states(passage, fact) else ""), fact.tier
    level = shifted(tier, spec.level_said + (flawed.shift if flawed else 0))
    name = (normalise(text),)
    step = "off" if _errs(world, "off", name) else "deeper"
    return {
        "answer": answer,
        "answerable": bool(answer),
        "self_contained": True,
        "gives_answer_away": flaw == "leak",
        "one_thing": flaw != "lists",
        "already_said": fact is not None and contains(fields["title"], fact.value),
        "another_answer": _errs(world, "another", name),
        "doubtful": _errs(world, "doubtful", name),
        "level": level.value.casefold(),
        "step": step if fields["line"] else None,
    }


def same(world: World, persona: Persona, fields: Given) -> Reply:
    """Whether one answer says what the other says."""
    alike, differs = foreign.compared(fields["reference"], fields["question"], fields["answer"])
    return {"same": alike and not differs}


def verdict(world: World, persona: Persona, fields: Given) -> Reply:
    """The whole answer is compared with what is known to be true. With sensitivity se a right
    answer is accepted, with specificity sp a wrong one rejected; an abstention is always
    recognised. The error is drawn for seed, question and answer."""
    text, reference, answer = fields["question"], fields["reference"], fields["answer"]
    fact, spec = fact_of(world, text), world.spec
    if fact is not None:
        marking = mark(fact, world.pool(fact), answer)
    else:
        named, differs = foreign.compared(reference, text, answer)
        marking = Marking(declines(answer) and not named, named, differs)
    limit = spec.sensitivity if marking.correct else spec.specificity
    errs = (
        not marking.abstained
        and draw(spec.seed, "judge", normalise(text), normalise(answer)) >= limit
    )
    asserts, incompatible = (
        (not marking.correct, False) if errs else (marking.asserts, marking.incompatible)
    )
    reasons = {
        "asserts": "The answer states what the reference states.",
        "contradicts": "The answer does not state the reference.",
        "misses": "The answer does not state the reference.",
        "abstains": "The answer says that it does not know.",
    }
    relation = "abstains" if marking.abstained else "asserts" if asserts else "misses"
    relation = "contradicts" if incompatible else relation
    return {"reason": reasons[relation], "verdict": relation}


def aspects(world: World, persona: Persona, fields: Given) -> Reply:
    """Pages within the domain that were not named before; now and then fewer, or some of them
    twice."""
    domain, before = fields["domain"], fields["named"].splitlines()
    count = whole(fields["count"], 10)
    excluded = {normalise(name) for name in (*before, domain)}
    names = dict.fromkeys(title.partition(" (")[0] for title in _titles(world, domain))
    if among := fields["among"].splitlines():
        listed = [name for name in names if name in among]
        names = dict.fromkeys(listed or among)
    new = [name for name in names if normalise(name) not in excluded][:count]
    seed = int(fields["seed"]) if fields["seed"] else None
    call = (domain, count, seed, *sorted(before))
    if not _errs(world, "few", call):
        return {"aspects": new}
    number_kept = number("kept", *call) % (len(new) // 2 + 1)
    first_names = new[:number_kept]
    alike = [_alike(name) for name in first_names]
    twice = [*first_names, *alike, *before[:number_kept]]
    return {"aspects": pick(([], first_names, twice, twice), "few", *call)}


def _alike(name: str) -> str:
    """Another name of the same thing, or another way of writing it."""
    redirects = [
        redirect
        for redirect, title in corpus().redirects.items()
        if title.partition(" (")[0] == name
    ]
    return pick([*redirects, f"The {name}", f"{name}s", name.upper()], "alike", name)


def _titles(world: World, domain: str) -> Sequence[str]:
    """Titles within a domain: for the chemical elements all, those with much to say first; else
    what its page links to and the next; else what a search finds."""
    page, seed = world.look_up(domain.strip()).page, world.spec.seed
    if page is None:
        return [linked.title for linked in world.search(domain, 40)]
    if page.title not in ("Chemical element", "Periodic table"):
        near = shuffled(page.links, seed, page.title)
        far = [title for name in near for title in world.links(name)]
        return [title for title in dict.fromkeys([*near, *far]) if title != page.title]
    pages = [
        linked
        for title in world.titles
        if (linked := world.look_up(title).page) and title != page.title
    ]
    rich, rest = (
        [article.title for article in pages if bool(article.sections) == much]
        for much in (True, False)
    )
    return [*shuffled(rich, seed, "aspects"), *shuffled(rest, seed, "aspects")]


def concepts(world: World, persona: Persona, fields: Given) -> Reply:
    """What an answer names, and what else its concept leads to."""
    text, count = fields["answer"], whole(fields["count"], 5)
    excluded = {
        normalise(x) for x in (*fields["drilled"].splitlines(), fields["concept"], fields["domain"])
    }
    mentions = world.mentioned(text)
    mentioned = mentions if fact_of(world, fields["question"]) else foreign.names(text, mentions)
    links = shuffled(list(world.links(fields["concept"])), fields["concept"])
    spoken = {normalise(name) for name in mentioned}
    named = [name for name in mentioned if normalise(name) not in excluded]
    further = dict.fromkeys(title.partition(" (")[0] for title in links)
    others = [name for name in further if normalise(name) not in excluded | spoken]
    return {
        "concepts": [{"said": name, "name": name} for name in named[:count]],
        "aspects": others[:count],
    }


def titles(world: World, persona: Persona, fields: Given) -> Reply:
    """The title of the page that a name leads to, where it is among those shown."""
    meant = []
    for line in fields["names"].splitlines():
        name, _, near = line.partition(": ")
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
