"""The simulated evaluator of DeepQuestion: scores, independent solutions, and checks that really compare the texts."""

from collections.abc import Mapping

from ...state.text import contains, normalise
from .. import foreign
from ..facts import Fact
from ..options import read_shown
from ..personas import Persona
from ..world import World
from . import guides as stoich_guides
from .core import Core, Unsolvable, answer_of, path_of
from .instructions import read_instruction, stated_answer
from .reading import Reading, read_problem
from .stories import told
from .worked import worked
from .writing import stem_of

Reply = dict[str, object]
Given = Mapping[str, str]

UNKNOWN = "This is not known in the simulated world."
_SUBSTANCE = 15
"""Words beyond those of the problem from which a scenario is more than it."""
_COPIED = 8
"""Words of the problem in a row by which an instruction gives it away."""


def score(world: World, persona: Persona, given: Given) -> Reply:
    return stoich_guides.score(given["criteria"], given["draft"], world.spec.seed)


def solution(world: World, persona: Persona, given: Given) -> Reply:
    """The answer from what the text states, and from nothing else."""
    known = read_problem(stem_of(given["problem"]))
    if known is None:
        fact = fact_asked(world, given["problem"])
        if fact is not None:
            return {"working": fact.claim, "solvable": True, "answer": fact.value}
        return {"working": UNKNOWN, "solvable": False, "answer": ""}
    try:
        answer, lines = answer_of(known.core), worked(known.core)
    except Unsolvable as why:
        return {"working": f"It cannot be solved: {why}.", "solvable": False, "answer": ""}
    shown = read_shown(given["problem"])
    if shown is not None:
        letter = letter_of(answer, shown.options)
        return {"working": " ".join(lines), "solvable": bool(letter), "answer": letter}
    return {"working": " ".join(lines), "solvable": True, "answer": answer}


def letter_of(answer: str, options: tuple[str, ...]) -> str:
    """The letter of the option with this answer; empty where there is none."""
    wanted = normalise(answer)
    return next((chr(65 + place) for place, option in enumerate(options) if normalise(option) == wanted), "")


def fact_asked(world: World, text: str) -> Fact | None:
    """The fact of this world that a text asks for, in the whole of it or in its last question."""
    asking = [sentence for sentence in foreign.sentences(text) if sentence.endswith("?")]
    return next((fact for said in (text, *asking[-1:]) if (fact := world.fact_of(said)) is not None), None)


def scenario_check(world: World, persona: Persona, given: Given) -> Reply:
    """What the problem states and the scenario does not, whether there is more to read than the problem, and whether
    the answer stands in the scenario and not in the problem."""
    problem, scenario = read_problem(stem_of(given["problem"])), read_problem(stem_of(given["scenario"]))
    if problem is None:
        figures = given["figures"].strip()
        missing = [] if figures in ("", "(none)") else [figure.strip() for figure in figures.split(", ")]
    else:
        missing = _missing(problem.core, scenario, given["scenario"])
    bare = _is_bare(stem_of(given["problem"]), given["scenario"])
    told = [stem_of(given[where]) for where in ("scenario", "problem")]
    gives_away = [contains(text, given["answer"]) for text in told] == [True, False]
    reason = "The answer stands in it." if gives_away else "All that is needed is there."
    if missing or bare:
        reason = f"Not stated: {missing[0]}." if missing else "It is hardly more than the problem."
    return {"reason": reason, "missing": missing, "bare": bare, "gives_away": gives_away}


def _missing(core: Core, scenario: Reading | None, text: str) -> list[str]:
    there = scenario.core if scenario else Core(core.asks, "")
    stated = {(each.number, each.unit, each.formula) for each in there.given}
    missing = [told(each) for each in core.given if (each.number, each.unit, each.formula) not in stated]
    if core.equation and core.equation != there.equation:
        missing.append("the equation")
    if core.excess and not there.excess:
        missing.append("that there is an excess")
    if core.formula and not missing and f"({core.formula})" not in text and core.formula not in text.split():
        missing.append(f"the formula {core.formula}")
    return missing


def _is_bare(problem: str, scenario: str) -> bool:
    known = {normalise(sentence) for sentence in foreign.sentences(problem)}
    more = [sentence for sentence in foreign.sentences(scenario) if normalise(sentence) not in known]
    return sum(len(sentence.split()) for sentence in more) < _SUBSTANCE


def instruction_check(world: World, persona: Persona, given: Given) -> Reply:
    """Whether the problem, or a question, stands in the instruction, and whether path and answer do."""
    problem, text = stem_of(given["problem"]), given["instruction"]
    known, stated = read_problem(problem), read_instruction(text)
    gives_away = _holds(problem, text) or "?" in text or _gives_values(known, text)
    answer = stated.answer or stated_answer(text)
    has_answer = bool(answer) and normalise(answer) == normalise(given["answer"])
    has_path = bool(stated.path) and (known is None or stated.path == path_or_none(known.core))
    reason = "Path and answer are there, and the question is not."
    if gives_away:
        reason = "The question is there already."
    elif not has_path:
        reason = "The path to the answer is not stated." if known else UNKNOWN
    elif not has_answer:
        reason = "The final answer is not stated."
    return {"reason": reason, "gives_away": gives_away, "complete": has_path and has_answer}


def _holds(problem: str, text: str) -> bool:
    words = normalise(problem).split()
    runs = (" ".join(words[start : start + _COPIED]) for start in range(max(1, len(words) - _COPIED + 1)))
    return any(contains(text, run) for run in runs)


def _gives_values(known: Reading | None, text: str) -> bool:
    return known is not None and bool(known.core.given) and all(str(each) in text for each in known.core.given)


def path_or_none(core: Core) -> tuple[str, ...] | None:
    """The path to the answer; None where there is none."""
    try:
        return path_of(core)
    except Unsolvable:
        return None


def instruction_met(world: World, persona: Persona, given: Given) -> Reply:
    """Whether the instruction's path is the one by which the question is solved; what is missing counts elsewhere."""
    stated, question = read_instruction(given["instruction"]), read_problem(stem_of(given["question"]))
    if not stated.path or question is None:
        return {"reason": UNKNOWN, "met": False}
    if stated.answer and contains(given["question"], stated.answer):
        return {"reason": "The question states its own answer.", "met": False}
    path = path_or_none(question.core)
    if path is None:
        return {"reason": "No path leads to an answer.", "met": False}
    met = path == stated.path
    return {"reason": "It is solved along the path." if met else "It is solved along another path.", "met": met}
