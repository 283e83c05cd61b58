"""DepthQA in the simulated world: the tasks of its judge and of the evaluator that builds its graphs."""

import re
from collections.abc import Callable, Mapping

from ...state.text import normalise
from ..personas import Persona
from ..world import World
from . import foreign as deep_foreign
from .nodes import DeepQuestion
from .planting import Sub, plain, with_fault
from .questions import fitting, recognise
from .rating import rate

Reply = dict[str, object]
Given = Mapping[str, str]

TASKS: dict[str, frozenset[str]] = {
    "rating": frozenset({"reason", "score"}),
    "classification": frozenset({"reason", "depth"}),
    "reference_answer": frozenset({"reference"}),
    "deconstruction": frozenset({"reasoning", "questions"}),
    "augmentation": frozenset({"additions"}),
    "open_question": frozenset({"rewritten"}),
    "relation": frozenset({"comprehensive", "implicit"}),
}
"""Tasks with a structured reply, by the properties it must have."""

_NUMBERED = re.compile(r"^(\d+)\. (.*?)\nAnswer: (.*?)(?=\n+\d+\. |\Z)", re.DOTALL | re.MULTILINE)
_MOST = 8


def do(world: World, task: str, given: Given, persona: Persona) -> Reply:
    """The reply to a task of `TASKS`; blocks that are not given are empty."""
    return _DO[task](world, persona, given)


def _rating(world: World, persona: Persona, given: Given) -> Reply:
    return rate(world, given["question"], given["reference"], given["answer"])


def _classification(world: World, persona: Persona, given: Given) -> Reply:
    known = recognise(given["question"])
    depth = known.depth if known else deep_foreign.depth_of(given["question"])
    return {"reason": f"A good answer takes what depth {depth} describes.", "depth": depth}


def _reference_answer(world: World, persona: Persona, given: Given) -> Reply:
    known = recognise(given["question"])
    return {
        "reference": known.reference if known else deep_foreign.reference(given["question"], given["key_points"]),
    }


def _deconstruction(world: World, persona: Persona, given: Given) -> Reply:
    known, depth, count = recognise(given["question"]), _number(given["depth"], 1), _number(given["count"], 4)
    if known is None:
        subs = deep_foreign.questions(given["question"], given["reference"], depth)[:count]
        return {"reasoning": deep_foreign.reasoning(given["question"]), "questions": _written(subs)}
    needs = known.needs if known.depth == depth + 1 else fitting(known, depth)
    subs = with_fault(world.spec.seed, persona, known, depth, needs[:count], count)
    return {"reasoning": list(known.reasoning) or ["other"], "questions": _written(subs)}


def _augmentation(world: World, persona: Persona, given: Given) -> Reply:
    """What it rests on and is not asked for yet, then what else fits."""
    known, depth, count = recognise(given["question"]), _number(given["depth"], 1), _number(given["count"], 1)
    there = [*given["kept"].splitlines(), *given["removed"].splitlines()]
    if known is None:
        asked = {normalise(line) for line in there}
        subs = deep_foreign.questions(given["question"], given["reference"], depth, further=True)
        return {"additions": _written([sub for sub in subs if normalise(sub[0]) not in asked][:count])}
    taken = {found.id for line in there if (found := recognise(line)) is not None}
    needs = known.needs if known.depth == depth + 1 else ()
    further = {question.id: question for question in (*needs, *fitting(known, depth)) if question.id not in taken}
    return {"additions": _written([plain(question) for question in further.values()][:count])}


def _open_question(world: World, persona: Persona, given: Given) -> Reply:
    known = recognise(given["question"])
    return {"rewritten": known.question if known else deep_foreign.opened(given["question"])}


def _relation(world: World, persona: Persona, given: Given) -> Reply:
    listed = [
        (int(place), asked.strip(), said.strip()) for place, asked, said in _NUMBERED.findall(given["predecessors"])
    ]
    known = recognise(given["question"])
    if known is None:
        return deep_foreign.relation(given["question"], given["reference"], listed)
    asked = {place: recognise(question) for place, question, _ in listed}
    have = {question.id for question in asked.values() if question is not None}
    missing = [need for need in known.needs if need.id not in have]
    share = 1 - len(missing) / len(known.needs) if known.needs else 1.0
    return {
        "comprehensive": "comprehensive" if share == 1 else "partial" if share >= 0.5 else "insufficient",
        "missing": f"It is not asked: {missing[0].question}" if missing else "",
        "implicit": [{"number": place, "rating": _implicit(known, asked[place], said)} for place, _, said in listed],
    }


def _implicit(known: DeepQuestion, asked: DeepQuestion | None, said: str) -> str:
    if asked is not None and asked.id == known.id:
        return "revealing"
    conclusion = known.parts[0 if known.depth == 3 else -1].text if known.parts else known.reference
    return "partial" if normalise(conclusion) in normalise(said) else "implicit"


def _written(subs: list[Sub]) -> list[dict[str, str]]:
    return [{"question": question, "reference": reference} for question, reference in subs]


def _number(text: str, default: int) -> int:
    return min(_MOST, int(text)) if text.strip().isdecimal() else default


_DO: Mapping[str, Callable[[World, Persona, Given], Reply]] = {
    "rating": _rating,
    "classification": _classification,
    "reference_answer": _reference_answer,
    "deconstruction": _deconstruction,
    "augmentation": _augmentation,
    "open_question": _open_question,
    "relation": _relation,
}
