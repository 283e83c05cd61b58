"""DeepQuestion's tasks: which problems simulated models solve and where they are led astray, questions
they write, the evaluator's checks, which really compare the texts, and its judge.

For each exercise there is one draw by which it is solved or not, the same in whatever words it is
put; in the persona's unsteady share of the exercises there is one for every text. Each distractor
of a text then has a draw of its own.
"""

from dataclasses import dataclass, replace
from functools import cache
from typing import Literal, NamedTuple

from ...state.problems import CRITERIA, Criterion, Preference
from ...state.text import contains, normalise
from ..answering import answer_question
from ..facts import TEXTS
from ..foreign import sentences
from ..personas import Persona
from ..values import draw, pick
from ..world import Purposes, Reply, Task, World
from . import writing
from .problems import HELP, Exercise, exercises, misread, missing, read_problem
from .writing import EXAMPLE, SETTINGS, rounded, stated_sentences, without_one

_SAID = TEXTS["solution"]
"""Forms of the last lines: {a} the answer, {t} the same in LaTeX."""
UNABLE = "I do not know how to solve this."
UNWRITTEN = "I do not know how to write a question by this."
Fate = Literal["valid", "another answer", "not answerable", "instruction not met"]
"""What comes of writing a question by an instruction."""
_HINTED, _UNROUNDED = 0.2, 0.2
"""Shares of the questions that hold a help, and that do not say how the answer is to be rounded."""


@dataclass(frozen=True, slots=True)
class Solved:
    """What a persona makes of a text. `misled`: the distractor whose number it used."""

    answer: str
    right: bool
    misled: str = ""


def solve(world: World, persona: Persona, text: str) -> Solved | None:
    """What this persona answers to a problem in these words, without its options; None for a text
    that has no answer in this world."""
    reading = read_problem(text)
    if reading is None or not reading.answer:
        return None
    exercise = reading.exercise
    name = (world.seed, "solves", persona.name, exercise.id)
    wording = normalise(text) if draw(*name, "unsteady") < persona.unsteady else ""
    if draw(*name, wording) >= persona.solving:
        return Solved(pick(exercise.slips, *name, wording, "slip"), right=False)
    misled = next(
        (sentence for sentence in reading.distractors if draw(*name, sentence) < persona.mislead),
        "",
    )
    if not misled:
        return Solved(reading.answer, right=True)
    return Solved(
        misread(exercise, misled) or pick(exercise.slips, *name, misled, "slip"),
        right=False,
        misled=misled,
    )


def solution(task: Task) -> str:
    """The reply to a problem, with the steps and the final answer on the last line."""
    world, persona, text = task.world, task.persona, task["problem"]["stem"]
    reading, solved = read_problem(text), solve(world, persona, text)
    if reading is None:
        return answer_question(replace(task, about={"question": task.message}))
    if solved is None:
        return UNABLE
    name = (world.seed, "says", persona.name, normalise(task.message))
    lines = list(reading.exercise.solution if solved.right else reading.exercise.solution[:-1])
    if solved.misled:
        lines.append(f"The text also says this, which I use here: {solved.misled}")
    ends = pick(_SAID["forms"], *name, "form").format(a=solved.answer, t=_latex(solved.answer))
    return "\n".join((pick(_SAID["openings"], *name, "opening"), *lines, "", ends)).lstrip()


def _latex(final: str) -> str:
    number, _, unit = final.replace("%", " \\%").partition(" ")
    power, _, rest = unit.removeprefix("× 10^").partition(" ")
    if rest:
        return f"{number} \\times 10^{{{power}}}\\ \\text{{{rest}}}"
    return f"{number}\\ {unit}" if unit == "\\%" else f"{number}\\ \\text{{{unit}}}"


class Instruction(NamedTuple):
    """What an instruction states; path and answer are empty where it states none that is known
    here."""

    path: tuple[str, ...] = ()
    answer: str = ""


@cache
def _instructions() -> dict[str, Instruction]:
    """Every instruction that is written here, whole or with a part missing."""
    stated = list[Instruction]()
    for exercise in exercises().values():
        whole = Instruction(exercise.path, exercise.answer)
        stated += [whole, whole._replace(path=()), whole._replace(answer="")]
    return {normalise(writing.instruction(*parts)): parts for parts in stated}


def read_instruction(text: str) -> Instruction:
    """The path and the answer that an instruction of this world states."""
    return _instructions().get(normalise(text.partition(EXAMPLE)[0]), Instruction())


def fate_of(world: World, persona: Persona, text: str) -> Fate:
    """What becomes of the question that this persona writes by an instruction of this world."""
    name = (world.seed, "creates", persona.name, normalise(text))
    if draw(*name) < persona.creating:
        return "valid"
    return pick(("another answer", "not answerable", "instruction not met"), *name, "fate")


@cache
def _wanted() -> dict[Instruction, str]:
    """Path and answer → the problem of the list that has them."""
    listed = [exercise for exercise in exercises().values() if "." not in exercise.id]
    return {Instruction(exercise.path, exercise.answer): exercise.id for exercise in listed}


def created_question(task: Task) -> str:
    """The question that a persona writes by an instruction: the twin of the problem that it was
    made from, another problem of the kind, the twin with something missing, or the detour."""
    world, persona, text = task.world, task.persona, task["instruction"]
    problem = _wanted().get(read_instruction(text))
    if problem is None:
        return UNWRITTEN
    fate, listed = fate_of(world, persona, text), exercises()
    name = (world.seed, "writes a question", persona.name, normalise(text))
    exercise = listed[f"{problem}.{'detour' if fate == 'instruction not met' else 'twin'}"]
    if fate == "another answer":
        alike = [
            candidate
            for candidate in listed.values()
            if candidate.path == exercise.path and candidate.answer != exercise.answer
        ]
        exercise = pick(alike, *name, "another")
    return _question(exercise, *name, cut=fate == "not answerable")


def _question(exercise: Exercise, *name: object, cut: bool) -> str:
    """The question with up to two sentences on the situation; `cut`: what it needs is not all
    there."""
    setting = pick(SETTINGS, *name, "setting")
    stated = (
        without_one(exercise, setting.person, *name)
        if cut
        else stated_sentences(exercise, setting.person, *name)
    )
    parts = [*setting.story[: int(3 * draw(*name, "story"))], *stated]
    if not cut and draw(*name, "hint") < _HINTED and "weights" in exercise.path[:-1]:
        parts.append(HELP)
    parts.append(exercise.asks[0])
    if draw(*name, "unrounded") >= _UNROUNDED:
        parts.append(rounded(*name))
    return " ".join(parts)


UNKNOWN = "This is not known in the simulated world."
_SUBSTANCE = 15
"""Words beyond those of the problem from which a scenario is more than it."""
_LONG = 60
"""Words from which a text is harder to follow."""


def _score(task: Task) -> Reply:
    return writing.score(task["task"], task["draft"], task.world.seed)


def _solution(task: Task) -> Reply:
    """The answer from what the text states, and from nothing else."""
    reading = read_problem(task["problem"]["stem"])
    if reading is None or not reading.answer:
        working = f"It cannot be solved: {reading.reason}." if reading else UNKNOWN
        return {"working": working, "solvable": False, "answer": ""}
    working = " ".join(reading.exercise.solution)
    return {"working": working, "solvable": True, "answer": reading.answer}


def _scenario_check(task: Task) -> Reply:
    """What the problem states and the scenario does not, whether there is more to read than the
    problem, and whether the answer stands in the scenario and not in the problem."""
    problem, scenario = task["problem"]["stem"], task["scenario"].strip()
    reading, missing_words = read_problem(problem), task["figures"]
    if reading is not None:
        missing_words = missing(reading.exercise, " ".join(scenario.split()))
    stated = {normalise(sentence) for sentence in sentences(problem)}
    more = [sentence for sentence in sentences(scenario) if normalise(sentence) not in stated]
    bare = sum(len(sentence.split()) for sentence in more) < _SUBSTANCE
    gives_away = contains(scenario, task["answer"]) and not contains(problem, task["answer"])
    reason = "The answer stands in it." if gives_away else "All that is needed is there."
    if bare:
        reason = "It is hardly more than the problem."
    if missing_words:
        reason = f"Not stated: {missing_words[0]}."
    return {"reason": reason, "missing": missing_words, "bare": bare, "gives_away": gives_away}


def _instruction_check(task: Task) -> Reply:
    """Whether a question stands in the instruction, and whether path and answer do."""
    reading, stated = read_problem(task["problem"]["stem"]), read_instruction(task["instruction"])
    gives_away = "?" in task["instruction"]
    has_answer = normalise(stated.answer) == normalise(task["answer"])
    has_path = bool(stated.path) and (reading is None or stated.path == reading.path)
    reason = "Path and answer are there, and the question is not."
    if gives_away:
        reason = "The question is there already."
    elif not has_path:
        reason = "The path to the answer is not stated." if reading else UNKNOWN
    elif not has_answer:
        reason = "The final answer is not stated."
    return {"reason": reason, "gives_away": gives_away, "complete": has_path and has_answer}


def _instruction_met(task: Task) -> Reply:
    """Whether the instruction's path is the one by which the question is solved; what is missing
    counts elsewhere."""
    stated, question = read_instruction(task["instruction"]), read_problem(task["question"])
    if not stated.path or question is None:
        return {"reason": UNKNOWN, "met": False}
    if stated.answer and contains(task["question"], stated.answer):
        return {"reason": "The question states its own answer.", "met": False}
    if not question.path:
        return {"reason": "No path leads to an answer.", "met": False}
    met = question.path == stated.path
    return {
        "reason": "It is solved along the path." if met else "It is solved along another path.",
        "met": met,
    }


def _compare(task: Task) -> Reply:
    preferred_by = preferences(
        task.world, task.persona, task["first"], task["second"], task["instruction"]
    )
    differences = [
        f"{name}: {preferred}" for name, preferred in preferred_by.items() if preferred != "tie"
    ]
    reason = f"By what the texts have: {', '.join(differences) or 'no difference'}."
    reply: Reply = {"reason": reason}
    return reply | {str(name): preferred for name, preferred in preferred_by.items()}


def preferences(
    world: World, persona: Persona, first: str, second: str, instruction: str
) -> dict[Criterion, Preference]:
    """What is preferred in one comparison. In the persona's share of leaning that is the first,
    whatever stands there; which comparisons those are is decided by the two texts in their order.
    The same text twice is a tie."""
    true = true_preferences(first, second, instruction)
    if normalise(first) == normalise(second):
        return true
    name = (world.seed, "leans", persona.name, normalise(first), normalise(second))
    counts = {
        name: name != "instruction_following" or bool(read_instruction(instruction).path)
        for name in CRITERIA
    }
    return {
        criterion: "first"
        if counts[criterion] and draw(*name, criterion) < persona.leans
        else preferred
        for criterion, preferred in true.items()
    }


def true_preferences(first: str, second: str, instruction: str = "") -> dict[Criterion, Preference]:
    """What is preferred by a judge that does not lean: by each criterion the text with the higher
    figure."""
    first_figures, second_figures = _figures(first, instruction), _figures(second, instruction)
    preferences = dict[Criterion, Preference]()
    for name in CRITERIA:
        if first_figures[name] == second_figures[name]:
            preferences[name] = "tie"
        elif first_figures[name] > second_figures[name]:
            preferences[name] = "first"
        else:
            preferences[name] = "second"
    return preferences


def _figures(text: str, instruction: str) -> dict[Criterion, int]:
    reading, wanted = read_problem(text), read_instruction(instruction)
    path, answer = (reading.path, reading.answer) if reading else ((), "")
    return {
        # whether it is solvable, then whether it says how to round, then whether it is short
        "clarity": 4 * bool(path)
        + 2 * bool(reading and reading.precise)
        + (len(text.split()) <= _LONG),
        "reasoning_demand": len(path),
        "realism": min(2, reading.story) if reading else 0,
        "instruction_following": bool(wanted.path and path == wanted.path)
        + bool(wanted.answer and answer == wanted.answer),
        "no_giveaway": -reading.hints if reading else 0,
    }


PURPOSES: Purposes = {
    "solution": solution,
    "created_question": created_question,
    "prompt_draft": writing.draft,
    "prompt_redraft": writing.draft,
    "prompt_score": _score,
    "scenario": writing.scenario,
    "distractors": writing.write_distractors,
    "scenario_check": _scenario_check,
    "instruction": writing.write_instruction,
    "instruction_check": _instruction_check,
    "independent_solution": _solution,
    "instruction_met": _instruction_met,
    "comparison": _compare,
}
