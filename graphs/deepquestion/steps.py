"""DeepQuestion step by step: prompts are drafted and scored; problems are solved, put into
scenarios, written anew, checked and compared."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...reports.page import figures
from ...reports.progress import RunProgress
from ...reports.step import (
    SIGNS,
    Count,
    Field,
    PartName,
    RunContext,
    StepStatus,
    StepView,
    view_of,
)
from ...reports.views.steps import Figure, Steps, measured
from ...reports.views.texts import answer_fields, option_fields
from ...state.deepquestion.items import Compared, DeepItem, PromptScore, Solution
from ...state.deepquestion.result import PromptHistory
from ...state.deepquestion.spec import DeepQuestionSpec
from ...state.events import PartMark, ProblemClosed
from ...state.items import DeepQuestionItem
from ...state.problems import KINDS, LOADS
from ...state.records import Answer
from ..planned import planned
from .prompts import prompt_history

LONGEST = 2000
"""Characters of a text that are looked at for a row."""
MARKS: dict[PartMark, StepStatus] = {
    "right": "correct",
    "wrong": "wrong",
    "unscored": "unscored",
    "rejected": "rejected",
}
TITLES: dict[str, str] = {
    "prompt_draft": "a draft of the prompt",
    "prompt_score": "the evaluator scores the draft",
    "scenario": "the scenario",
    "distractors": "the distractors",
    "scenario_check": "the evaluator checks the scenario",
    "instruction": "the instruction",
    "instruction_check": "the evaluator checks the instruction",
    "same": "the judge compares the answers",
    "created": "the target writes a question",
    "met": "the evaluator checks whether the question keeps to the instruction",
    "original": "the target solves the problem",
    "scenario of a load": "the target solves the scenario",
    "check": "the evaluator solves the scenario",
    "created question": "the evaluator solves the written question",
    "comparison": "the judge compares",
}
"""By the type of an item, of solutions by what is solved: what it is."""
SOLVED = {"scenario": "scenario of a load", "created": "created question"}
PASSING = {
    "missing": (),
    "bare": False,
    "gives_away": False,
    "complete": True,
    "equal": True,
    "met": True,
}
"""What a check says of something that passes, by field."""
IN_TITLE = {
    *DeepItem.model_fields,
    *("type", "kind", "round", "what", "load", "of", "pair", "original_first", "other"),
}
"""Fields of a step that its title, its place or its prompt tells."""


def _outcome(item: Any, spec: DeepQuestionSpec) -> tuple[StepStatus, str]:
    """What a step without a fault is worth, and what came of it in a few words."""
    if isinstance(item, Solution):
        return _solved(item)
    if isinstance(item, PromptScore):
        accepted = spec.single_pass or (item.score or 0) >= spec.threshold
        return ("correct" if accepted else "rejected"), f"{item.score}/10"
    for name, passing in PASSING.items():
        if getattr(item, name, passing) != passing:
            return ("wrong" if item.type in ("same", "met") else "rejected"), item.reason
    text = getattr(item, "text", getattr(item, "question", "done"))
    return ("correct", text) if text.strip() else ("wrong", "nothing written")


def _solved(item: Solution) -> tuple[StepStatus, str]:
    """What was read of a solution, and what that is worth."""
    words = item.read or (item.answer.text.strip() if item.answer else "") or "no answer"
    if item.equal is None:
        return "open", f"{words}, for the judge to compare"
    if item.equal:
        return "correct", words
    return ("rejected" if item.what == "check" else "wrong"), words


def _step(item: DeepQuestionItem, scene: RunContext) -> StepView:
    kind: str = item.type
    if isinstance(item, Solution):
        kind = SOLVED.get(item.what, item.what)
    title = TITLES[kind]
    is_there = item.fault is None
    mark, words = _outcome(item, scene.spec) if is_there else ("unscored", "")
    if isinstance(item, Compared):
        title += f", the original {'first' if item.original_first else 'second'}"
    if isinstance(item, Solution) and item.load:
        title += f", load {item.load}"
    return view_of(
        item,
        mark,
        title=title,
        said=words[:LONGEST],
        text=getattr(item, "feedback", "") or _named(scene, item.problem).text,
        fields=lambda: _fields(item) if is_there else (),
        seen="everywhere" if isinstance(item, PromptScore) else "screen",
    )


def _fields(item: DeepQuestionItem) -> Iterator[Field]:
    """What the step holds, word for word."""
    if not item.prompt:
        yield Field("", "no model was called", "dim")
    for name, value in item:
        if isinstance(value, Answer):
            yield from answer_fields(value)
        elif isinstance(value, dict):
            for criterion, preferred in value.items():
                yield Field(criterion.replace("_", " "), preferred)
        elif value and name not in IN_TITLE:
            for entry in value if isinstance(value, tuple) else (value,):
                yield Field(name.replace("_", " "), str(getattr(entry, "text", entry)))


# a problem


def _named(scene: RunContext, index: int) -> PartName:
    problems = scene.problems.problems if scene.problems else ()
    if 0 <= index < len(problems):
        return PartName(problems[index].id, "", problems[index].question)
    return PartName("prompts")


def prompt_words(history: PromptHistory, spec: DeepQuestionSpec) -> str:
    """How the transformation prompt of a kind comes about: `Q2S prompt 3 → 5 → 9 of 10, accepted
    from 8`."""
    name = f"{history.kind.upper()} prompt"
    if history.source == "given":
        return f"{name} given"
    if not history.rounds:
        return f"{name} without a draft"
    scores = [str(entry.score or figures.NONE) for entry in history.rounds]
    way = "a single pass" if spec.single_pass else f"accepted from {spec.threshold}"
    return f"{name} {' → '.join(scores)} of 10, {way}"


def _head(scene: RunContext, part: str) -> Iterator[Field]:
    """The problem, its answer and what it came to; or how the prompt of a kind came about."""
    for kind in KINDS:
        if kind == part:
            history = prompt_history(scene.spec, kind, scene.items.values())
            words = "texts given" if scene.spec.given else prompt_words(history, scene.spec)
            yield Field("", words, "bold")
    for index, problem in enumerate(scene.problems.problems if scene.problems else ()):
        if problem.id != part:
            continue
        yield Field(part, problem.domain)
        yield Field("question", problem.question, "bold")
        options = enumerate(problem.options)
        yield from option_fields(
            (text, chr(65 + place) == problem.answer) for place, text in options
        )
        yield Field("answer", problem.answer)
        closed = scene.closed.get(index)
        if isinstance(closed, ProblemClosed):
            yield Field("", marks_words(closed.marks))


def marks_words(marks: Mapping[str, PartMark]) -> str:
    """`original ✓ right · Q2S some ✗ wrong · Q2I – rejected`."""
    return figures.joined(
        [f"{_column(name)} {SIGNS[MARKS[mark]][0]} {mark}" for name, mark in marks.items()]
    )


def _column(name: str) -> str:
    return name.replace("q2s-", "Q2S ").replace("q2i", "Q2I")


def _closed(event: ProblemClosed, scene: RunContext) -> tuple[str, Sequence[Count]]:
    counts = [Count(column, MARKS[mark]) for column, mark in event.marks.items()]
    return marks_words(event.marks), counts


# a run


def _figures(run: RunProgress) -> list[Figure]:
    """Accuracy so far on originals, in Q2S with the most distractors and in Q2I."""
    loads = run.scene.spec.distractors if run.scene else LOADS
    columns = {"orig.": "original", "Q2S": f"q2s-{loads[-1]}", "Q2I": "q2i"}
    shares = [
        measured(_column(column), figures.percent(run.tallies[column].accuracy), head)
        for head, column in columns.items()
    ]
    lost = f"{run.lost:,} lost to faults" if run.lost else ""
    return [*shares, Figure(figures.count(run.steps, "step")), Figure(lost)]


def _size(scene: RunContext) -> list[str]:
    """`60 problems`, `Q2S, Q2I`."""
    kinds = ", ".join(kind.upper() for kind in scene.spec.kinds)
    return [figures.count(scene.spec.problems, "problem"), kinds]


STEPS = Steps(
    step=_step,
    part="problem",
    named=_named,
    parts=lambda scene: scene.spec.problems,
    planned=lambda scene, index: planned(scene, index) if scene.problems else 0.0,
    figures=_figures,
    size=_size,
    closed=_closed,
    ending=lambda spec: {
        "all_asked": "every problem was asked",
        "no_questions": "nothing could be scored",
        "not_converged": "no draft of a transformation prompt was good enough",
    },
    head=lambda scene, part: [*_head(scene, part)],
)
