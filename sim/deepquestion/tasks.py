"""DeepQuestion's tasks: the evaluator's checks, which really compare the texts, its judge, and the
table of all."""

import re
from collections.abc import Callable, Mapping

from ...state.problems import CRITERIA, Criterion, Preference
from ...state.text import contains, normalise
from ..foreign import read_shown, sentences
from ..personas import Persona
from ..values import draw
from ..world import Reply, Task, Tasks, World
from . import solving, writing
from .problems import Reading, missing, read_problem, stem_of
from .solving import letter_of, read_instruction

UNKNOWN = "This is not known in the simulated world."
_SUBSTANCE = 15
"""Words beyond those of the problem from which a scenario is more than it."""
_COPIED = 8
"""Words of the problem in a row by which an instruction gives it away."""
_LONG = 60
"""Words from which a text is harder to follow."""
_ANY_ANSWER = re.compile(rf"{writing.LAST}\s+(.+?)\.?$", re.MULTILINE)
_COUNT = re.compile(r"\bexactly (\d{1,3}) distractors\b")


def with_count(blocks: Mapping[str, str], text: str) -> Mapping[str, str]:
    """The blocks of a prompt, with the number of distractors that it asks for outside of them."""
    counts = _COUNT.findall(text)
    return {"count": counts[-1], **blocks} if counts else blocks


def _score(task: Task) -> Reply:
    return writing.score(task["criteria"], task["draft"], task.world.seed)


def _solution(task: Task) -> Reply:
    """The answer from what the text states, and from nothing else."""
    reading = read_problem(task["problem"])
    if reading is None:
        return _as_reply(UNKNOWN, "")
    if not reading.answer:
        return _as_reply(f"It cannot be solved: {reading.reason}.", "")
    choice = read_shown(task["problem"])
    answer = letter_of(reading.answer, choice.options) if choice else reading.answer
    return _as_reply(" ".join(reading.exercise.solution), answer)


def _as_reply(working: str, answer: str) -> Reply:
    return {
        "working": working,
        "solvable": bool(answer),
        "answer": answer,
    }


def _scenario_check(task: Task) -> Reply:
    """What the problem states and the scenario does not, whether there is more to read than the
    problem, and whether the answer stands in the scenario and not in the problem."""
    problem, scenario = (stem_of(task[where]) for where in ("problem", "scenario"))
    reading, figures = read_problem(problem), task["figures"].strip()
    if reading is None:
        missing_words = (
            [] if figures in ("", "(none)") else [figure.strip() for figure in figures.split(", ")]
        )
    else:
        missing_words = missing(reading.exercise, " ".join(scenario.split()))
    stated = {normalise(sentence) for sentence in sentences(problem)}
    more = [sentence for sentence in sentences(scenario) if normalise(sentence) not in stated]
    bare = sum(len(sentence.split()) for sentence in more) < _SUBSTANCE
    gives_away = contains(scenario, task["answer"]) and not contains(problem, task["answer"])
    reason = "The answer stands in it." if gives_away else "All that is needed is there."
    if missing_words or bare:
        reason = (
            f"Not stated: {missing_words[0]}."
            if missing_words
            else "It is hardly more than the problem."
        )
    return {
        "reason": reason,
        "missing": missing_words,
        "bare": bare,
        "gives_away": gives_away,
    }


def _instruction_check(task: Task) -> Reply:
    """Whether the problem, or a question, stands in the instruction, and whether path and answer
    do."""
    problem, text = stem_of(task["problem"]), task["instruction"]
    reading, stated = read_problem(problem), read_instruction(text)
    gives_away = _holds(problem, text) or "?" in text or _gives_values(reading, text)
    final_answer = _ANY_ANSWER.search(text)
    answer = stated.answer or (final_answer[1].strip() if final_answer else "")
    has_answer = bool(answer) and normalise(answer) == normalise(task["answer"])
    has_path = bool(stated.path) and (reading is None or stated.path == reading.path)
    reason = "Path and answer are there, and the question is not."
    if gives_away:
        reason = "The question is there already."
    elif not has_path:
        reason = "The path to the answer is not stated." if reading else UNKNOWN
    elif not has_answer:
        reason = "The final answer is not stated."
    return {
        "reason": reason,
        "gives_away": gives_away,
        "complete": has_path and has_answer,
    }


def _holds(problem: str, text: str) -> bool:
    words = normalise(problem).split()
    runs = (
        " ".join(words[start : start + _COPIED])
        for start in range(max(1, len(words) - _COPIED + 1))
    )
    return any(contains(text, run) for run in runs)


def _gives_values(reading: Reading | None, text: str) -> bool:
    values = (
        [" ".join(words.split()[:2]) for _, words in reading.exercise.stated if words[0].isdigit()]
        if reading
        else []
    )
    return bool(values) and all(value in text for value in values)


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


PROSE: Mapping[str, Callable[[World, Persona, str], str | None]] = {
    "solution": solving.say_solution,
    "created_question": solving.say_question,
}
"""Tasks with a reply in prose; None: it is no problem of this part of the world."""

TASKS: Tasks = {
    "prompt_draft": writing.draft,
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
