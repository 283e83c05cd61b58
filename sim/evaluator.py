"""The simulated evaluator: its tasks, told apart by what the reply must contain, each done on the
blocks given; and what personas say in prose."""

import re
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import lru_cache

import orjson

from ..state.text import normalise
from ..state.tiers import Tier
from . import drill, foreign
from .answering import answer, unknowing
from .deepquestion import tasks as problems
from .deepquestion.problems import STEPS, read_problem
from .depthqa import tasks as depths
from .eqt import examining
from .facts import DATA, TEXTS
from .personas import PERSONAS, Persona
from .values import draw, pick
from .world import Reply, Task, World

_OPENING = re.compile(r"<(\w+)>\n")
_LOOSE = r"[\s\u00ad\u200b-\u200f\u2060-\u2064\ufeff]*+"
_LESS = r"(?:[<\uff1c\ufe64\u02c2\u2039\u2329\u276e\u2770\u27e8\u3008]|&(?:amp;)*(?:lt|#0*60|#x0*3c);?|\\u003c)"
_DEFUSED = re.compile(rf"({_LESS})\\", re.IGNORECASE)
_SOLVES = re.compile(r"\bsolve\b[^.]{0,20}\bproblem\b", re.IGNORECASE)
_CREATES = re.compile(r"\bwrite (?:one|a) question\b", re.IGNORECASE)
_STEP = re.compile("|".join(map(re.escape, STEPS.values())), re.IGNORECASE)
_REMEMBERED = 50_000
"""Questions about foreign passages that are remembered, so that a persona can be asked for them."""

TASKS = {**drill.TASKS, **examining.TASKS, **depths.TASKS, **problems.TASKS}
PROPERTIES: Mapping[str, list[str]] = orjson.loads((DATA / "tasks.json").read_bytes())
"""Task → the properties by which it is recognised; a reply schema may have more."""


def blocks(text: str) -> dict[str, str]:
    """The tagged blocks of a prompt, with defused tags restored; the second and later ones of a tag
    under its name with their number, "passage 2".

    A block ends where a careless reader would see its end: case, width, spaces and invisible signs
    do not matter.
    """
    by_tag: dict[str, str] = {}
    position = 0
    while opening := _OPENING.search(text, position):
        position = opening.end()
        if closing := _closing(opening[1]).search(text, position):
            tag, count = opening[1], 1
            while tag in by_tag:
                tag, count = f"{opening[1]} {count + 1}", count + 1
            by_tag[tag] = _DEFUSED.sub(r"\1", text[position : closing.start()].removesuffix("\n"))
            position = closing.end()
    return by_tag


@lru_cache(maxsize=256)
def _closing(tag: str) -> re.Pattern[str]:
    name = _LOOSE.join(tag)
    return re.compile(
        rf"(?:[<\uff1c\u2039]|&lt;?){_LOOSE}[/\uff0f]{_LOOSE}{name}{_LOOSE}(?:[>\uff1e\u203a]|&gt;?)",
        re.I,
    )


def task_of(properties: frozenset[str]) -> str | None:
    """The task whose reply has these properties; the one with the most in common where several
    fit."""
    fitting = [name for name, wanted in PROPERTIES.items() if properties.issuperset(wanted)]
    return max(fitting, key=lambda name: len(PROPERTIES[name]), default=None)


class Evaluator:
    """Does the tasks in one world. It remembers what it asked about foreign passages, for the
    personas."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._asked = OrderedDict[str, tuple[str, Tier]]()

    def do(
        self,
        name: str,
        blocks: Mapping[str, str],
        persona: Persona = PERSONAS["omniscient"],
        attempt: int = 0,
        seed: int | None = None,
    ) -> dict[str, object]:
        """The reply to a task. A block that is missing counts as empty. `attempt`: how often it was
        sent back; `seed`: the request's, by which an evaluator that errs does so another time."""
        task = Task(self.world, persona, blocks)
        task["attempt"] = str(attempt)
        task["seed"] = "" if seed is None else str(seed)
        if name == "check":  # of a foreign question the writer's word is all there is
            task["tier"] = self._asked.get(normalise(task["question"]), ("", ""))[1]
        reply = TASKS[name](task)
        if name == "question" and reply["question"]:
            self._remember(task, reply)
        return reply

    def _remember(self, task: Task, reply: Reply) -> None:
        """A question that this world does not know: its reference, and what else the passage
        says."""
        question, quote = str(reply["question"]), str(reply["quote"])
        if drill.fact_of(self.world, question) is not None:
            return
        passage = next((text for text in task.values() if quote in foreign.sentences(text)), "")
        context = " ".join(sentence for sentence in foreign.sentences(passage) if sentence != quote)
        tier = next(
            (tier for tier in Tier if task["tier"].strip().startswith(tier.value)), Tier.COMMON
        )
        self._asked[normalise(question)] = (f"{reply['reference']} {context}".strip(), tier)
        while len(self._asked) > _REMEMBERED:
            self._asked.popitem(last=False)

    def say(
        self,
        purpose: str,
        persona: Persona,
        blocks_of_prompt: Mapping[str, str],
        question: str,
        earlier: Sequence[depths.Turn] = (),
    ) -> str:
        """What a persona replies in prose: an explanation, a choice, a solution, a question by an
        instruction, or an answer to the question alone, with the context given, or behind the
        earlier turns of a conversation."""
        world = self.world
        if purpose == "explanation":
            return examining.explain(world, blocks_of_prompt["concept"])
        if purpose in ("choice", "open_book"):
            return examining.choice(world, persona, question, open_book=purpose == "open_book")
        if purpose in problems.PROSE:
            return problems.PROSE[purpose](world, persona, question) or self.reply(
                persona, question
            )
        if purpose == "answer" and world.fact_of(question) is not None:
            return self.reply(persona, question)
        context = blocks_of_prompt.get("context") if purpose == "with_context" else None
        in_depth = depths.answer_in_depth(world, persona, question, context, earlier)
        return self.reply(persona, question) if in_depth is None else in_depth

    def reply(self, persona: Persona, question: str) -> str:
        """What a persona answers to a bare question."""
        fact = self.world.fact_of(question)
        flawed = drill.fault_of(self.world, question) if fact is None else None
        if (
            fact := flawed.fact if flawed else fact
        ):  # what the question itself tells everybody knows
            leaks, shift = (flawed.fault == "leak", flawed.shift) if flawed else (False, 0)
            return answer(self.world, persona, fact, helped=leaks, shift=shift)
        reference, tier = self._asked.get(normalise(question), ("", Tier.COMMON))
        seed = (self.world.seed, "knows", persona.name, normalise(question))
        if reference and draw(*seed) < persona.chance(tier):
            return f"{pick(TEXTS['answer']['openings'], *seed) and 'To my knowledge: '}{reference}"
        return f"{unknowing(*seed)} It lies outside what I have learnt."


def prose_task(blocks_of_prompt: Mapping[str, str], texts: Sequence[str], system: str) -> str:
    """What a prompt that wants prose sets: `solution` or `created_question`, by the message, else
    by what the system says; `explanation`, `open_book`, `choice`, a question `with_context`, a
    later `turn` of a conversation, or `answer`, a bare question. `texts`: the user's messages."""
    message = texts[-1]
    if not blocks_of_prompt and (_CREATES.search(system) or _STEP.search(message)):
        return "created_question"
    if not blocks_of_prompt and (
        _SOLVES.search(system) or ("(" in message and read_problem(message))
    ):
        return "solution"
    choice = foreign.read_shown(message)
    if choice:
        return "open_book" if "explanation" in blocks_of_prompt else "choice"
    if "concept" in blocks_of_prompt and "language" in blocks_of_prompt:
        return "explanation"
    if "context" in blocks_of_prompt:
        return "with_context"
    return "turn" if len(texts) > 1 else "answer"
