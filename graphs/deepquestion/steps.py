"""DeepQuestion step by step: prompts are drafted and scored; problems are solved, put into
scenarios, written anew, checked and compared."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ...reports.page import figures
from ...reports.progress import RunProgress
from ...reports.step import SIGNS, Count, Field, PartName, RunContext, StepStatus, StepView, view_of
from ...reports.views.steps import Figure, Steps, measured
from ...reports.views.texts import answer_fields, option_fields
from ...state.deepquestion.items import (
    Compared,
    DeepItem,
    DistractorsWritten,
    PromptScore,
    Solution,
)
from ...state.deepquestion.result import PromptHistory
from ...state.deepquestion.spec import DeepQuestionSpec
from ...state.events import PartMark, ProblemClosed
from ...state.items import DeepQuestionItem
from ...state.problems import KINDS, LOADS
from ...state.records import Answer
from ..planned import planned
from .checks import reaches_none, too_few
from .prompts import prompt_history

LONGEST = 2000
"""Characters of a text that are looked at for a row."""
MARKS: dict[PartMark, StepStatus] = {
    "right": "correct",
    "wrong": "wrong",
    "unscored": "unscored",
    "rejected": "rejected",
}
Outcome = tuple[StepStatus, str]
"""What a step without a fault is worth, and what came of it in a few words."""


def _text(item: Any, spec: DeepQuestionSpec) -> Outcome:
    return ("correct", item.text) if item.text.strip() else ("wrong", "nothing written")


def _score(item: PromptScore, spec: DeepQuestionSpec) -> Outcome:
    accepted = spec.single_pass or (item.score or 0) >= spec.threshold
    return ("correct" if accepted else "rejected"), f"{item.score}/10"


def _distractors(item: DistractorsWritten, spec: DeepQuestionSpec) -> Outcome:
    if shortfall := too_few(item, spec):
        return "rejected", shortfall
    return "correct", figures.count(len(item.distractors), "distractor")


def _solved(item: Solution, spec: DeepQuestionSpec) -> Outcome:
    """What was read of a solution, and what that is worth."""
    words = item.read or (item.answer.text[:LONGEST].strip() if item.answer else "") or "no answer"
    if item.equal is None:
        return "open", f"{words}, for the judge to compare"
    if item.equal:
        return "correct", words
    if item.what in ("original", "scenario"):
        return "wrong", words
    words = "not solvable" if reaches_none(item) else f"another answer, {words}"
    return ("rejected" if item.what == "check" else "wrong"), words


def _compared(item: Compared, spec: DeepQuestionSpec) -> Outcome:
    counts = Counter(item.preferences.values()).items()
    return "correct", ", ".join(f"{number} {choice}" for choice, number in counts)


def _checked(failing: StepStatus, **failures: Callable[[Any], object]) -> Callable[..., Outcome]:
    """What somebody who looked at a text or an answer has against it: the first of these."""

    def outcome(item: Any, spec: DeepQuestionSpec) -> Outcome:
        words = [name.replace("_", " ") for name, fails in failures.items() if fails(item)]
        return (failing, f"{words[0]}: {item.reason}") if words else ("correct", "passed")

    return outcome


STEP_KINDS: dict[str, tuple[str, str, Callable[[Any, DeepQuestionSpec], Outcome]]] = {
    "prompt_draft": ("a draft of the prompt", "generator", _text),
    "prompt_score": ("the evaluator scores the draft", "evaluator", _score),
    "scenario": (
        "the scenario",
        "generator",
        lambda item, spec: ("correct", item.question),
    ),
    "distractors": ("the distractors", "generator", _distractors),
    "scenario_check": (
        "the evaluator checks the scenario",
        "evaluator",
        _checked(
            "rejected",
            quantity_lost=lambda item: item.missing,
            bare_problem=lambda item: item.bare,
            gives_away=lambda item: item.gives_away,
        ),
    ),
    "instruction": ("the instruction", "generator", _text),
    "instruction_check": (
        "the evaluator checks the instruction",
        "evaluator",
        _checked(
            "rejected",
            gives_away=lambda item: item.gives_away,
            incomplete=lambda item: not item.complete,
        ),
    ),
    "same": (
        "the judge compares the answers",
        "judge",
        _checked("wrong", another_answer=lambda item: not item.equal),
    ),
    "created": ("the target writes a question", "target", _text),
    "met": (
        "the evaluator checks whether the question keeps to the instruction",
        "evaluator",
        _checked("wrong", instruction_not_met=lambda item: not item.met),
    ),
    "solution of original": ("the target solves the problem", "target", _solved),
    "solution of scenario": ("the target solves the scenario", "target", _solved),
    "solution of check": ("the evaluator solves the scenario", "evaluator", _solved),
    "solution of created": (
        "the evaluator solves the written question",
        "evaluator",
        _solved,
    ),
    "comparison": ("the judge compares", "judge", _compared),
}
"""By the type of an item, of solutions also by what is solved: what it is, who was asked, and what
comes of it."""
IN_TITLE = {
    *DeepItem.model_fields,
    *("type", "kind", "round", "what", "load", "of", "pair", "original_first", "other"),
}
"""Fields of a step that its title, its place or its prompt tells."""


def _step(item: DeepQuestionItem, scene: RunContext) -> StepView:
    key = f"solution of {item.what}" if isinstance(item, Solution) else item.type
    title, role, outcome = STEP_KINDS[key]
    is_there = item.fault is None
    mark, words = outcome(item, scene.spec) if is_there else ("unscored", "")
    if isinstance(item, Compared):
        title += f", the original {'first' if item.original_first else 'second'}"
    if isinstance(item, Solution):
        title += f", load {item.load}" if item.load else ""
    return view_of(
        item,
        mark,
        title=title,
        said=words[:LONGEST],
        text=getattr(item, "feedback", "") or _named(scene, item.problem).text,
        fields=lambda: _fields(item) if is_there else (),
        sent_to=role,
        seen="everywhere" if isinstance(item, PromptScore) else "screen",
    )


def _fields(item: DeepQuestionItem) -> Iterator[Field]:
    """What the step holds, word for word."""
    if not item.prompt:
        yield Field("", "no model was called", "dim")
    in_answer = {"text"} if item.type == "created" else set[str]()
    for name, value in item:
        if isinstance(value, Answer):
            yield from answer_fields(value)
        elif value and name not in IN_TITLE | in_answer:
            entries = tuple(value.items()) if isinstance(value, dict) else value
            for entry in entries if isinstance(entries, tuple) else (entries,):
                yield Field(name.replace("_", " "), _words(entry))


def _words(entry: Any) -> str:
    """A text, a distractor, or what is preferred by a criterion."""
    return " ".join(entry) if isinstance(entry, tuple) else str(getattr(entry, "text", entry))


# a problem


def _problems(scene: RunContext) -> Sequence[Any]:
    return scene.problems.problems if scene.problems else ()


def _named(scene: RunContext, index: int) -> PartName:
    problems = _problems(scene)
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
            yield Field("", words, "bold", 0)
            return
    problems = list(_problems(scene))
    index = next((n for n, problem in enumerate(problems) if problem.id == part), None)
    if index is None:
        return
    problem = problems[index]
    count = f"problem {index + 1:,} of {len(problems):,}"
    yield Field(part, figures.joined([count, problem.domain]), "", 0)
    yield Field("question", problem.question, "bold", 0)
    options = enumerate(problem.options)
    yield from option_fields((text, chr(65 + place) == problem.answer) for place, text in options)
    yield Field("answer", problem.answer, "", 0)
    closed = scene.closed.get(index)
    if isinstance(closed, ProblemClosed):
        yield Field("", marks_words(closed.marks), "", 0)


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
    faults = [Figure(f"{run.lost:,} lost to faults")] if run.lost else []
    return [*shares, Figure(figures.count(run.steps, "step")), *faults]


def _size(scene: RunContext) -> list[str]:
    """`60 problems`, `Q2S (none, some), Q2I`."""
    spec = scene.spec
    loads = {"q2s": f" ({', '.join(spec.distractors)})"}
    kinds = ", ".join(f"{kind.upper()}{loads.get(kind, '')}" for kind in spec.kinds)
    return [figures.count(spec.problems, "problem"), kinds]


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
