"""DeepQuestion in the simulated world: problems of stoichiometry, what is written from them, who
solves it, and the evaluator's checks, which read the texts.

An exercise is what a problem consists of without its words. To each problem of the list belong a
twin, which has the same path to the same answer, and a detour, which has another path to it. For
each exercise there is one draw by which it is solved or not, the same in whatever words it is put;
in the persona's unsteady share of the exercises there is one for every text. Each distractor of a
text then has a draw of its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, Literal, NamedTuple

import orjson

from ..state.problems import Criterion
from ..state.text import contains, normalise
from .facts import DATA
from .foreign import sentences
from .personas import Persona
from .values import draw, number, pick, shuffled
from .world import Purposes, Reply, Task, World

TABLE: Mapping[str, Any] = orjson.loads((DATA / "problems.json").read_bytes())
"""The problems, and the sentences that stories and instructions are made of."""
Fault = Literal["lost", "changed", "bare", "no path", "no answer", "given away"]
"""What can be wrong with what is written from a problem. A scenario: a quantity is lost; another
thing is asked; it is the bare problem. An instruction: it has no path; it has no answer; it gives
the question away."""
CRITERIA: Mapping[str, Mapping[str, tuple[str, Fault | None]]] = TABLE["criteria"]
"""By kind and by the name that stands in front of the colon in a prompt: how the world's own drafts
meet it, and what happens where it is not met."""
FORGOTTEN = 0.3
"""Share of the problems that go wrong for each criterion whose fault the prompt does not rule out.
"""
FIRST = 2
"""Criteria that a first draft meets."""
Fate = Literal["valid", "another answer", "not answerable", "instruction not met"]
"""What comes of writing a question by an instruction."""
_FAILURES: tuple[Fate, ...] = ("another answer", "not answerable", "instruction not met")
UNKNOWN = "I do not know this: it is not of the simulated world."
_SUBSTANCE = 15
"""Words beyond those of the problem from which a scenario is more than it."""
_PATH = "It has to be solved along this path: "
_EXACTLY = "The final answer of the question has to be exactly "


@dataclass(frozen=True, slots=True)
class Exercise:
    """`stated`: everything a text of it has to state, by the kind of sentence and the words that
    count; `asks`: how it asks in a story, then how the benchmark does; `slips`: wrong answers;
    `alternative`: what else could be asked about the same, and the answer to that."""

    id: str
    path: tuple[str, ...]
    stated: tuple[tuple[str, str], ...]
    asks: tuple[str, ...]
    answer: str
    solution: tuple[str, ...]
    slips: tuple[str, ...]
    alternative: tuple[str, str] = ("", "")

    @property
    def questions(self) -> list[str]:
        """All that can be asked of it."""
        return [text for text in (*self.asks, self.alternative[0]) if text]

    def missing(self, text: str) -> list[str]:
        """What the answer needs and a text does not state."""
        return [words for _, words in self.stated if words not in text]

    def sentences(self, person: str) -> list[str]:
        """What it states, each thing in a sentence of its own."""
        return [TABLE["told"][kind].format(who=person, v=words) for kind, words in self.stated]


@dataclass(frozen=True, slots=True)
class Reading:
    """A text of an exercise. `answer` and `path` are empty where the text determines none;
    `distractors`: sentences with a number that does not belong to the exercise, in their order."""

    exercise: Exercise
    answer: str
    path: tuple[str, ...]
    distractors: tuple[str, ...]


@cache
def exercises() -> dict[str, Exercise]:
    """Every exercise: each problem of the list, its twin and its detour, under their own names."""
    rows = TABLE["exercises"]
    return {row["id"]: Exercise(**{name: _fixed(row[name]) for name in row}) for row in rows}


def _fixed(value: Any) -> Any:
    """Lists as tuples, all the way down."""
    return tuple(map(_fixed, value)) if isinstance(value, list) else value


@lru_cache(maxsize=8192)
def read_problem(text: str) -> Reading | None:
    """The exercise that a text is about; None for what is no problem of this world."""
    plain = " ".join(text.split())
    ranks = dict[tuple[bool, bool, int], Exercise]()
    for exercise in exercises().values():
        length = sum(len(words) for _, words in exercise.stated if words in plain)
        if length and any(question in plain for question in exercise.questions):
            is_asked = any(question in plain for question in exercise.asks)
            ranks.setdefault((not exercise.missing(plain), is_asked, length), exercise)
    if not ranks:
        return None
    (is_whole, is_asked, _), exercise = max(ranks.items(), key=lambda ranked: ranked[0])
    answer = exercise.answer if is_asked else exercise.alternative[1]
    needed = (*(words for _, words in exercise.stated), *exercise.questions)
    return Reading(
        exercise,
        answer if is_whole else "",
        exercise.path if is_whole and is_asked else (),
        tuple(
            sentence
            for sentence in sentences(plain)
            if any(map(str.isdigit, sentence))
            and not any(words in sentence for words in needed)
        ),
    )


class Solved(NamedTuple):
    """What a persona makes of a text."""

    answer: str
    right: bool
    working: tuple[str, ...]


def solve(world: World, persona: Persona, text: str) -> Solved | None:
    """What this persona answers to a problem in these words, without its options; None for a text
    that has no answer in this world."""
    reading = read_problem(text)
    if reading is None or not reading.answer:
        return None
    exercise = reading.exercise
    name = (world.seed, "solves", persona.name, exercise.id)
    wording = normalise(text) if draw(*name, "unsteady") < persona.unsteady else ""
    is_able = draw(*name, wording) < persona.solving
    if is_able and not any(
        draw(*name, words) < persona.mislead for words in reading.distractors
    ):
        return Solved(reading.answer, True, exercise.solution)
    return Solved(pick(exercise.slips, *name, wording, "slip"), False, exercise.solution[:-1])


def solution(task: Task) -> str:
    """The reply to a problem, with the steps and the final answer on the last line."""
    solved = solve(task.world, task.persona, task["problem"]["stem"])
    if solved is None:
        return UNKNOWN
    return "\n".join((*solved.working, "", f"Answer: {solved.answer}"))


class Instruction(NamedTuple):
    """What an instruction states; path and answer are empty where it states none that is known
    here."""

    path: tuple[str, ...] = ()
    answer: str = ""


def instruction(path: tuple[str, ...], answer: str) -> str:
    """The instruction; without a path, or without an answer, it lacks that sentence."""
    lines = ["Write one question from chemistry in which something has to be worked out."]
    if path:
        lines.append(f"{_PATH}{_steps(path)}.")
    if answer:
        lines.append(f"{_EXACTLY}{answer}.")
    lines += [
        "Which substances occur and which values are given is for you to decide, as long as the "
        "question can be solved from its own text.",
        "The text must state neither the path nor the answer nor any result on the way.",
    ]
    return "\n".join(lines)


def _steps(path: tuple[str, ...]) -> str:
    return "; then ".join(TABLE["steps"][step] for step in path)


def read_instruction(text: str) -> Instruction:
    """The path and the answer that an instruction of this world states."""
    lines = [line.strip().removesuffix(".") for line in text.splitlines()]
    steps = next((line[len(_PATH) :] for line in lines if line.startswith(_PATH)), "")
    answers = (line[len(_EXACTLY) :] for line in lines if line.startswith(_EXACTLY))
    return Instruction(_paths().get(steps, ()), next(answers, ""))


@cache
def _paths() -> dict[str, tuple[str, ...]]:
    return {_steps(exercise.path): exercise.path for exercise in exercises().values()}


def fate_of(world: World, persona: Persona, text: str) -> Fate:
    """What becomes of the question that this persona writes by an instruction of this world."""
    name = (world.seed, "creates", persona.name, normalise(text))
    return "valid" if draw(*name) < persona.creating else pick(_FAILURES, *name, "fate")


@cache
def _wanted() -> dict[Instruction, str]:
    """Path and answer → the problem of the list that has them."""
    listed = [exercise for exercise in exercises().values() if "." not in exercise.id]
    return {Instruction(exercise.path, exercise.answer): exercise.id for exercise in listed}


def created_question(task: Task) -> str:
    """The question that a persona writes by an instruction: the twin of the problem that it was
    made from, another problem of the kind, the twin with something missing, or the detour."""
    text, listed = task["instruction"], exercises()
    problem = _wanted().get(read_instruction(text))
    if problem is None:
        return UNKNOWN
    fate = fate_of(task.world, task.persona, text)
    name = (task.world.seed, "writes a question", task.persona.name, normalise(text))
    exercise = listed[f"{problem}.{'detour' if fate == 'instruction not met' else 'twin'}"]
    if fate == "another answer":
        path, answer = exercise.path, exercise.answer
        alike = [
            candidate
            for candidate in listed.values()
            if candidate.path == path and candidate.answer != answer
        ]
        exercise = pick(alike, *name, "another")
    setting = pick(TABLE["settings"], *name, "setting")
    stated = exercise.sentences(setting["who"])
    if fate == "not answerable":
        stated = stated[:-1]
    return " ".join((setting["story"][0], *stated, exercise.asks[0], TABLE["rounded"]))


def met_by(kind: str, guide: str) -> list[str]:
    """The criteria that a prompt meets."""
    return [name for name, (words, _) in CRITERIA[kind].items() if words in guide]


def draft(task: Task) -> Reply:
    """The first draft of a prompt, or the last one with so many of the criteria mended, the last in
    the list first."""
    kind, before = task["task"], task["draft"]
    count = len(met_by(kind, before)) + int(task.persona.mends) if before else FIRST
    texts = [words for words, _ in CRITERIA[kind].values()]
    return {"instructions": " ".join(texts[-count:])}


def _score(task: Task) -> Reply:
    """The score by how many criteria are not met, and which they are."""
    met = met_by(task["task"], task["draft"])
    unmet = [name for name in CRITERIA[task["task"]] if name not in met]
    feedback = " ".join(f"{name}: the instructions do not say it." for name in unmet)
    return {
        "feedback": feedback or "All criteria are met.",
        "score": max(1, 10 - 3 * len(unmet)),
    }


def fault_in(
    world: World, persona: Persona, kind: str, guide: str, exercise: Exercise
) -> Fault | None:
    """What goes wrong when this persona writes from a problem by this prompt; None: nothing.

    In the persona's share of `spoils` something does, whatever the prompt says, each kind of fault
    as often as the others; else each criterion that is not met spoils its share, and of several the
    first happens.
    """
    name = (world.seed, "writes", persona.name, kind, exercise.id)
    faults = [fault for _, fault in CRITERIA[kind].values() if fault]
    if draw(*name) < persona.spoils:
        return pick(faults, *name, "which")
    unmet = [fault for words, fault in CRITERIA[kind].values() if fault and words not in guide]
    return next((fault for fault in unmet if draw(*name, fault) < FORGOTTEN), None)


def _solvable(task: Task) -> Exercise | None:
    reading = read_problem(task["problem"]["stem"])
    return reading.exercise if reading and reading.path else None


def scenario(task: Task) -> Reply:
    """The problem in a story, by the prompt and with the fault that is drawn; one from elsewhere
    word for word."""
    exercise, texts = _solvable(task), sentences(task["problem"]["stem"])
    setting = pick(TABLE["settings"], task.world.seed, "story", task["problem"]["stem"])
    if exercise is None:
        return {"sentences": [*setting["story"], *texts[:-1]], "question": texts[-1]}
    fault = fault_in(task.world, task.persona, "q2s", task["guide"], exercise)
    if fault == "bare":
        return {
            "sentences": ["Here is something to work out.", *texts[:-1]],
            "question": texts[-1],
        }
    stated = exercise.sentences(setting["who"])
    if fault == "lost":
        stated = stated[:-1]
    question = exercise.alternative[0] if fault == "changed" else exercise.asks[0]
    return {
        "sentences": [*setting["story"], *stated, setting["closing"]],
        "question": f"{question} {TABLE['rounded']}",
    }


def write_distractors(task: Task) -> Reply:
    """As many sentences as are wanted that state a number and change nothing, at places that the
    problem decides."""
    name = (task.world.seed, "distracts", task.persona.name, task["problem"]["stem"])
    places = max(1, len(task["scenario"]))
    return {
        "distractors": [
            {
                "text": text.format(v=3 + number(*name, text, "figure") % 90),
                "after": 1 + number(*name, text, "place") % places,
            }
            for text in shuffled(TABLE["distractors"], *name)[: task["count"]]
        ]
    }


def write_instruction(task: Task) -> Reply:
    """The instruction, by the prompt and with the fault that is drawn; to a problem from elsewhere
    no path is known."""
    exercise, answer = _solvable(task), task["answer"].strip()
    if exercise is None:
        return {"instruction": instruction((), answer)}
    fault = fault_in(task.world, task.persona, "q2i", task["guide"], exercise)
    path = () if fault == "no path" else exercise.path
    text = instruction(path, "" if fault == "no answer" else answer)
    if fault == "given away":
        text += f"\nFor example: {task['problem']['stem']}"
    return {"instruction": text}


def _solution(task: Task) -> Reply:
    """The answer from what the text states, and from nothing else."""
    reading = read_problem(task["problem"]["stem"])
    if reading is None or not reading.answer:
        return {"working": UNKNOWN, "solvable": False, "answer": ""}
    working = " ".join(reading.exercise.solution)
    return {"working": working, "solvable": True, "answer": reading.answer}


def _scenario_check(task: Task) -> Reply:
    """What the problem states and the scenario does not, whether there is more to read than the
    problem, and whether the answer stands in the scenario and not in the problem."""
    problem, text = task["problem"]["stem"], task["scenario"].strip()
    reading, missing = read_problem(problem), task["figures"]
    if reading is not None:
        missing = reading.exercise.missing(" ".join(text.split()))
    stated = {normalise(sentence) for sentence in sentences(problem)}
    more = [sentence for sentence in sentences(text) if normalise(sentence) not in stated]
    return {
        "reason": "By what the texts state.",
        "missing": missing,
        "bare": len(" ".join(more).split()) < _SUBSTANCE,
        "gives_away": contains(text, task["answer"]) and not contains(problem, task["answer"]),
    }


def _instruction_check(task: Task) -> Reply:
    """Whether a question stands in the instruction, and whether path and answer do."""
    stated = read_instruction(task["instruction"])
    has_answer = normalise(stated.answer) == normalise(task["answer"])
    return {
        "reason": "By what it states.",
        "gives_away": "?" in task["instruction"],
        "complete": bool(stated.path) and has_answer,
    }


def _instruction_met(task: Task) -> Reply:
    """Whether the instruction's path is the one by which the question is solved; what is missing
    counts elsewhere."""
    path, question = read_instruction(task["instruction"]).path, read_problem(task["question"])
    met = bool(path) and question is not None and question.path == path
    return {"reason": "By the path of its solution.", "met": met}


def _compare(task: Task) -> Reply:
    """By each criterion the text with the higher figure is preferred; in the persona's share of
    leaning the first, whatever stands there."""
    first, second = task["first"], task["second"]
    name = (task.world.seed, "leans", task.persona.name, normalise(first), normalise(second))
    second_figures = _figures(second, task["instruction"])
    reply: Reply = {"reason": "By what the texts have."}
    for criterion, figure in _figures(first, task["instruction"]).items():
        difference = figure - second_figures[criterion]
        if difference > 0 or draw(*name, criterion) < task.persona.leans:
            reply[criterion] = "first"
        else:
            reply[criterion] = "second" if difference else "tie"
    return reply


def _figures(text: str, instruction: str) -> dict[Criterion, int]:
    """By criterion, what a text has of it."""
    reading, wanted = read_problem(text), read_instruction(instruction)
    path, answer = (reading.path, reading.answer) if reading else ((), "")
    is_wanted = bool(path) and path == wanted.path
    return {
        "clarity": bool(answer),
        "reasoning_demand": len(path),
        "realism": len(sentences(text)),
        "instruction_following": is_wanted,
        "no_giveaway": 0,
    }


PURPOSES: Purposes = {
    "solution": solution,
    "created_question": created_question,
    "prompt_draft": draft,
    "prompt_redraft": draft,
    "prompt_score": _score,
    "scenario": scenario,
    "distractors": write_distractors,
    "scenario_check": _scenario_check,
    "instruction": write_instruction,
    "instruction_check": _instruction_check,
    "independent_solution": _solution,
    "instruction_met": _instruction_met,
    "comparison": _compare,
}
