"""DeepQuestion in the simulated world: which of its tasks a prompt sets, and who does it."""

import re
from collections.abc import Callable, Mapping

from ..personas import Persona
from ..world import World
from . import checking as stoich_checking
from . import comparing as stoich_comparing
from . import solving as stoich_solving
from . import writing as stoich_writing
from .instructions import read_instruction
from .reading import read_problem
from .writing import stem_of

Reply = dict[str, object]
Given = Mapping[str, str]

TASKS: dict[str, frozenset[str]] = {
    "prompt_draft": frozenset({"instructions"}),
    "prompt_score": frozenset({"feedback", "score"}),
    "scenario": frozenset({"sentences", "question"}),
    "distractors": frozenset({"distractors"}),
    "scenario_check": frozenset({"missing", "bare"}),
    "instruction": frozenset({"instruction"}),
    "instruction_check": frozenset({"gives_away", "complete"}),
    "independent_solution": frozenset({"solvable", "answer"}),
    "instruction_met": frozenset({"met"}),
    "comparison": frozenset({"clarity", "reasoning_demand", "realism", "no_giveaway"}),
}
"""Tasks with a structured reply, by the properties it must have. Later drafts are the task of the first one."""
PROSE: Mapping[str, Callable[[World, Persona, str], str | None]] = {
    "solution": stoich_solving.say_solution,
    "created_question": stoich_solving.say_question,
}
"""Tasks with a reply in prose; None: it is no problem of this part of the world."""

_SOLVES = re.compile(r"\bsolve\b[^.]{0,20}\bproblem\b", re.IGNORECASE)
_CREATES = re.compile(r"\bwrite (?:one|a) question\b", re.IGNORECASE)
_COUNT = re.compile(r"\bexactly (\d{1,3}) distractors\b")


def do(world: World, task: str, given: Given, persona: Persona) -> Reply:
    """The reply to a task of `TASKS`; blocks that are not given are empty."""
    return _DO[task](world, persona, given)


def prose_task(given: Given, message: str, system: str) -> str | None:
    """`solution` or `created_question`, by the message, else by what the system says; None where it is neither."""
    if given:
        return None
    if _CREATES.search(system) or read_instruction(message).path:
        return "created_question"
    return "solution" if _SOLVES.search(system) or read_problem(stem_of(message)) else None


def with_count(given: Given, text: str) -> Given:
    """The blocks of a prompt, with the number of distractors that it asks for outside of them."""
    found = _COUNT.findall(text)
    return {"count": found[-1], **given} if found else given


_DO: Mapping[str, Callable[[World, Persona, Given], Reply]] = {
    "prompt_draft": stoich_writing.draft,
    "prompt_score": stoich_checking.score,
    "scenario": stoich_writing.scenario,
    "distractors": stoich_writing.write_distractors,
    "scenario_check": stoich_checking.scenario_check,
    "instruction": stoich_writing.write_instruction,
    "instruction_check": stoich_checking.instruction_check,
    "independent_solution": stoich_checking.solution,
    "instruction_met": stoich_checking.instruction_met,
    "comparison": stoich_comparing.compare,
}
