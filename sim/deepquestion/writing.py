"""The simulated generator: drafts of transformation prompts, scenarios, distractors and instructions.

What is written follows from the problem's text and the prompt; a problem that is not of this world is told word for
word in a story, and no way to its answer is known.
"""

import re
from collections.abc import Mapping

from ...state.text import contains, normalise
from .. import foreign
from ..draws import number, pick
from ..options import read_shown
from ..personas import Persona
from ..world import World
from .core import Core, Unsolvable, answer_of, path_of
from .guides import Fault, fault_of, fault_planted, first_draft, met_by, next_draft
from .instructions import instruction
from .reading import Reading, read_problem
from .stories import PLAIN, SETTINGS, asked, asks_otherwise, distractors, meddling, pieces, rounded, without_one

Reply = dict[str, object]
Given = Mapping[str, str]

_NUMBERED = re.compile(r"^\d+\. ", re.MULTILINE)
_METHOD = "To get there, one starts from the atomic masses."
"""A help that no prompt wants."""
_SPARE = 3
"""Distractors beyond those that are wanted, for some that would state the answer by chance."""


def stem_of(text: str) -> str:
    """A problem without its lettered options."""
    shown = read_shown(text)
    return shown.stem if shown else text.strip()


def draft(world: World, persona: Persona, given: Given) -> Reply:
    """The first draft of a prompt, or the next one where the last one's feedback is given."""
    if given["feedback"]:
        return {"instructions": next_draft(persona, given["criteria"], given["draft"], given["feedback"])}
    name = (world.spec.seed, persona.name, given["criteria"], given["samples"])
    return {"instructions": first_draft(persona, given["criteria"], *name)}


def fault_in(world: World, persona: Persona, kind: str, guide: str, problem: str) -> Fault | None:
    """What goes wrong with what this persona writes from a problem by this prompt; None: nothing. Of a problem from
    elsewhere nothing is spoilt."""
    known = _solvable(problem)
    return fault_of(world.spec.seed, persona, kind, guide, known.core.key) if known else None


def _solvable(problem: str) -> Reading | None:
    known = read_problem(stem_of(problem))
    try:
        return known if known and answer_of(known.core) else None
    except Unsolvable:
        return None


def scenario(world: World, persona: Persona, given: Given) -> Reply:
    known = _solvable(given["problem"])
    if known is None:
        return _retold(given["problem"], world.spec.seed)
    core, guide = known.core, given["guide"]
    fault = fault_in(world, persona, "q2s", guide, given["problem"])
    if fault == "bare":
        return _bare(given["problem"])
    name = (world.spec.seed, "story", persona.name, core.key)
    met = met_by("q2s", guide)
    setting = pick(SETTINGS, *name) if "Realism" in met else PLAIN
    told = without_one(core, setting.who, *name) if fault == "lost" else pieces(core, setting.who, *name)
    sentences = [*setting.story, *(piece.text for piece in told), setting.closing]
    if "No help" not in met and "weights" in path_of(core):
        sentences.append(_METHOD)
    question = asked(_other(core) if fault == "changed" else core, *name)
    return {"sentences": sentences, "question": f"{question} {rounded(*name)}"}


def _other(core: Core) -> Core:
    try:
        return asks_otherwise(core)
    except Unsolvable:
        return core


def _bare(problem: str) -> Reply:
    told = foreign.sentences(stem_of(problem))
    return {"sentences": ["Here is something to work out.", *told[:-1]], "question": told[-1]}


def _retold(problem: str, seed: int) -> Reply:
    """A problem from elsewhere, word for word, in a story."""
    told = foreign.sentences(stem_of(problem)) or [problem.strip() or "What is asked?"]
    setting = pick(SETTINGS, seed, "retold", normalise(problem))
    start = max([place for place, sentence in enumerate(told) if "?" in sentence], default=len(told) - 1)
    story = [*setting.story, "On the table lies a sheet with a problem that a visitor has left behind."]
    return {"sentences": [*story, *told[:start]], "question": " ".join(told[start:])}


def write_distractors(world: World, persona: Persona, given: Given) -> Reply:
    """As many as are wanted, at places that the problem decides."""
    known = _solvable(given["problem"])
    wanted = int(given["count"]) if given["count"].strip().isdecimal() else 5
    key = known.core.key if known else normalise(given["problem"])
    name = (world.spec.seed, "distracts", persona.name, key)
    texts = distractors(known.core if known else None, wanted + _SPARE, *name)
    answer = answer_of(known.core).partition(" ")[0] if known else ""
    texts = [text for text in texts if not contains(text, answer)][:wanted]
    # what a transformation prompt demands does not reach this step: only what is planted goes wrong in it
    fault = fault_planted(world.spec.seed, persona, "q2s", key) if known else None
    if fault == "too few":
        texts = texts[:-1]
    if fault == "meddling" and known and texts:
        texts[0] = meddling(known.core, *name)
    places = max(1, len(_NUMBERED.findall(given["scenario"])))
    return {
        "distractors": [
            {"text": text, "after": 1 + number(*name, text, "place") % places} for text in texts
        ]
    }  # fmt: skip


def write_instruction(world: World, persona: Persona, given: Given) -> Reply:
    known = _solvable(given["problem"])
    if known is None:
        told = (
            f"{instruction((), given['answer'].strip())}\nHow it is solved is not known to the writer of these lines."
        )
        return {"instruction": told}
    fault = fault_in(world, persona, "q2i", given["guide"], given["problem"])
    path = () if fault == "no path" else path_of(known.core)
    text = instruction(path, "" if fault == "no answer" else given["answer"].strip())
    if fault == "given away":
        text += f"\nFor example: {stem_of(given['problem'])}"
    return {"instruction": text}
