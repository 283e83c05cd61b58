"""The simulated evaluator: its tasks, told apart by what the reply must contain, each done on the blocks given."""

import re
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..state.text import normalise
from ..state.tiers import Tier
from . import foreign
from .answering import IGNORANCE, OPENINGS, answer
from .deepquestion import tasks as stoich_tasks
from .depthqa import tasks as deep_tasks
from .depthqa.answers import Turn, answer_in_depth
from .draws import draw, pick, shuffled
from .drill import questioning
from .drill.verdicts import judge
from .eqt import tasks as examining
from .personas import PERSONAS, Persona
from .world import World

_OPENING = re.compile(r"<(\w+)>\n")
_LOOSE = r"[\s\u00ad\u200b-\u200f\u2060-\u2064\ufeff]*+"
_LESS = r"(?:[<\uff1c\ufe64\u02c2\u2039\u2329\u276e\u2770\u27e8\u3008]|&(?:amp;)*(?:lt|#0*60|#x0*3c);?|\\u003c)"
_DEFUSED = re.compile(rf"({_LESS})\\", re.IGNORECASE)
_REMEMBERED = 50_000
"""Questions about foreign passages that are remembered, so that a persona can be asked for them."""

TASKS: dict[str, frozenset[str]] = {
    "aspects": frozenset({"aspects"}),
    "question": frozenset({"question", "reference", "quote"}),
    "check": frozenset({"answerable", "answer"}),
    "verdict": frozenset({"abstained", "asserts_reference", "asserts_incompatible"}),
    "concepts": frozenset({"concepts", "aspects"}),
    **examining.TASKS,
    **deep_tasks.TASKS,
    **stoich_tasks.TASKS,
}
"""The properties by which a task is recognised; a reply schema may have more."""


def blocks(text: str) -> dict[str, str]:
    """The tagged blocks of a prompt, with defused tags restored; the second and later ones of a tag under its
    name with their number, "passage 2".

    A block ends where a careless reader would see its end: case, width, spaces and invisible signs do not matter.
    """
    found: dict[str, str] = {}
    position = 0
    while opening := _OPENING.search(text, position):
        position = opening.end()
        if closing := _closing(opening[1]).search(text, position):
            tag, count = opening[1], 1
            while tag in found:
                tag, count = f"{opening[1]} {count + 1}", count + 1
            found[tag] = _DEFUSED.sub(r"\1", text[position : closing.start()].removesuffix("\n"))
            position = closing.end()
    return found


@lru_cache(maxsize=256)
def _closing(tag: str) -> re.Pattern[str]:
    name = _LOOSE.join(tag)
    return re.compile(
        rf"(?:[<\uff1c\u2039]|&lt;?){_LOOSE}[/\uff0f]{_LOOSE}{name}{_LOOSE}(?:[>\uff1e\u203a]|&gt;?)", re.I
    )


def task_of(properties: frozenset[str]) -> str | None:
    """The task whose reply has these properties; the one with the most in common where several fit."""
    fitting = [name for name, wanted in TASKS.items() if wanted <= properties]
    return max(fitting, key=lambda name: len(TASKS[name])) if fitting else None


@dataclass(frozen=True, slots=True)
class _Remembered:
    reference: str
    context: str
    tier: Tier


class Evaluator:
    """Does the tasks in one world. It remembers what it asked about foreign passages, for the personas."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._asked: OrderedDict[str, _Remembered] = OrderedDict()
        self._tasks: Mapping[str, Callable[[Mapping[str, str]], dict[str, object]]] = {
            "question": self._question,
            "check": self._check,
            "verdict": self._verdict,
            "concepts": self._concepts,
        }

    def do(
        self,
        task: str,
        given: Mapping[str, str],
        persona: Persona = PERSONAS["omniscient"],
        attempt: int = 0,
        seed: int | None = None,
    ) -> dict[str, object]:
        """The reply to a task. A block that is missing counts as empty. `attempt`: how often it was sent back; `seed`:
        the request's, by which an evaluator that errs does so another time."""
        if task in examining.TASKS:
            return examining.do(self._world, task, _Blank(given), persona, attempt)
        if task in deep_tasks.TASKS:
            return deep_tasks.do(self._world, task, _Blank(given), persona)
        if task in stoich_tasks.TASKS:
            return stoich_tasks.do(self._world, task, _Blank(given), persona)
        if task == "aspects":
            return self._aspects(_Blank(given), seed)
        return self._tasks[task](_Blank(given))

    @property
    def seed(self) -> int:
        """The world's."""
        return self._world.spec.seed

    def say(
        self, purpose: str, persona: Persona, given: Mapping[str, str], question: str, earlier: Sequence[Turn] = ()
    ) -> str:
        """What a persona replies in prose: to one of `examining.PROSE` or `stoich_tasks.PROSE`, else to the question
        alone, with the context given, or behind the earlier turns of a conversation."""
        if purpose in examining.PROSE:
            return examining.PROSE[purpose](self._world, persona, _Blank(given), question)
        if purpose in stoich_tasks.PROSE:
            return stoich_tasks.PROSE[purpose](self._world, persona, question) or self.reply(persona, question)
        context = given.get("context") if purpose == "with_context" else None
        said = answer_in_depth(self._world, persona, question, context, earlier)
        return self.reply(persona, question) if said is None else said

    def reply(self, persona: Persona, question: str) -> str:
        """What a persona answers to a bare question."""
        fact, made = self._world.fact_of(question), self._world.spoilt(question)
        if fact is not None:  # what the question itself tells everybody knows
            return answer(self._world, persona, fact, helped=made is not None and made.fault == "leak")
        known = self._asked.get(normalise(question))
        seed = (self._world.spec.seed, "knows", persona.name, normalise(question))
        if known is not None and draw(*seed) < persona.chance(known.tier):
            opening = pick(OPENINGS, *seed)
            return f"{opening and 'To my knowledge: '}{known.reference} {known.context}".strip()
        return f"{pick(IGNORANCE, *seed)} It lies outside what I have learnt."

    def _aspects(self, given: Mapping[str, str], seed: int | None) -> dict[str, object]:
        domain, before = given["domain"], given["named"].splitlines()
        count = int(given["count"]) if given["count"].strip().isdigit() else 10
        taken = {normalise(name) for name in (*before, domain)}
        names = dict.fromkeys(title.partition(" (")[0] for title in self._titles(domain))
        found = [name for name in names if normalise(name) not in taken][:count]
        return {"aspects": questioning.as_named(self._world, found, before, (domain, count, seed))}

    def _titles(self, domain: str) -> list[str]:
        """Titles within a domain: all of them for the chemical elements, else what its page links to and the next."""
        page = self._world.look_up(domain.strip()).page
        if page is None:
            return [found.title for found in self._world.search(domain, 40)]
        if page.title in ("Chemical element", "Periodic table"):
            return self._whole_field(page.title)
        near = shuffled(page.links, self._world.spec.seed, page.title)
        far = [title for name in near for title in self._world.links(name)]
        return [title for title in dict.fromkeys([*near, *far]) if title != page.title]

    def _whole_field(self, own: str) -> list[str]:
        """Pages with much to say first: elements and the parts of the periodic table, then people, places and uses."""
        rich: list[str] = []
        rest: list[str] = []
        for title in self._world.titles:
            page = self._world.look_up(title).page
            if page is not None and title != own:
                (rich if page.sections else rest).append(title)
        seed = self._world.spec.seed
        return [*shuffled(rich, seed, "aspects"), *shuffled(rest, seed, "aspects")]

    def _question(self, given: Mapping[str, str]) -> dict[str, object]:
        """From the first passage that serves; where none does, the refusal of the first."""
        first = self._question_from(given, "")
        if not first["refused"]:
            return first
        others = (self._question_from(given, number) for number in (" 2", " 3") if f"passage{number}" in given)
        return next((reply for reply in others if not reply["refused"]), first)

    def _question_from(self, given: Mapping[str, str], number: str) -> dict[str, object]:
        given = _Blank({**given, **{name: given[name + number] for name in ("title", "passage")}})
        written = questioning.write(self._world, given)
        if written is not None:
            return written
        title = given["title"].partition(" (")[0] or given["concept"]
        return self._foreign_question(given["passage"], title, given["tier"])

    def _foreign_question(self, passage: str, title: str, tier: str) -> dict[str, object]:
        found = foreign.statements(passage, title)
        if found:
            made = pick(found, normalise(passage))
        else:
            first = (foreign.sentences(passage) or [passage])[0]
            made = foreign.Statement(f"What is the first thing to know about {title}?", first, first)
        context = " ".join(s for s in foreign.sentences(passage) if s != made.quote)
        level = next((t for t in Tier if tier.strip().startswith(t.value)), Tier.COMMON)
        self._asked[normalise(made.question)] = _Remembered(made.reference, context, level)
        while len(self._asked) > _REMEMBERED:
            self._asked.popitem(last=False)
        return {"refused": "", "question": made.question, "reference": made.reference, "quote": made.quote}

    def _check(self, given: Mapping[str, str]) -> dict[str, object]:
        return questioning.check(self._world, given)

    def _verdict(self, given: Mapping[str, str]) -> dict[str, object]:
        return judge(self._world, given["question"], given["reference"], given["answer"])

    def _concepts(self, given: Mapping[str, str]) -> dict[str, object]:
        world, text = self._world, given["answer"]
        taken = {normalise(x) for x in (*given["drilled"].splitlines(), given["concept"], given["domain"])}
        count = int(given["count"]) if given["count"].strip().isdigit() else 5
        known = world.mentioned(text)
        mentioned = known if world.fact_of(given["question"]) else foreign.names(text, known)
        links = shuffled(list(world.links(given["concept"])), given["concept"])
        said = {normalise(name) for name in mentioned}
        concepts = [name for name in mentioned if normalise(name) not in taken]
        further = dict.fromkeys(title.partition(" (")[0] for title in links)
        aspects = [name for name in further if normalise(name) not in taken | said]
        return {"concepts": [{"said": name, "name": name} for name in concepts[:count]], "aspects": aspects[:count]}


class _Blank(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return ""
