"""Parts of a DeepQuestion run by the ids it shows (a problem, the prompt of a kind), and what
stands above their steps."""

from collections.abc import Iterator, Sequence

from ....state.deepquestion.items import PromptDraft, PromptScore
from ....state.deepquestion.spec import DeepQuestionSpec
from ....state.events import ProblemClosed
from ....state.items import DeepQuestionItem
from ....state.problems import KINDS, LOADS, Problem
from ....stats.deepquestion.prompts import prompt_history
from ....stats.deepquestion.rows import ProblemOutcome, by_problem, problem_outcome
from ...page import figures
from ...page.rows import STYLES
from ...page.sanitise import model_name
from ...step import Field, RunContext
from ..texts import option_fields
from .labels import TEXTS, prompt_words
from .texts import marks_words

PLACES = ("original", "scenario", "distractors", *LOADS, "instruction", "q2i", "baseline")
WITHIN = ("", "check", "solved", "solved@same", "met", "same", "first", "second")
"""Steps of a problem in the order in which they are shown: places, and what follows at one."""


def names(scene: RunContext) -> dict[str, str]:
    problems = scene.problems.problems if scene.problems else ()
    ids = [*scene.spec.kinds, *(problem.id for problem in problems)]
    return dict(zip(ids, ids, strict=True))


def at(item: DeepQuestionItem, scene: RunContext) -> Iterator[tuple[str, str]]:
    """The problem or kind, and the step; all about a scenario is also at `q2s`."""
    name, _, step = figures.place(item.id).partition("@")
    yield name, step
    if step.partition("@")[0] in ("scenario", "distractors", *LOADS):
        yield name, "q2s"


def spelling(path: str) -> str:
    """`q2s-some`, as marks are called, is `some`."""
    name, sign, step = path.partition("@")
    return f"{name}{sign}{step.lower().removeprefix('q2s-')}"


def order(item: DeepQuestionItem, scene: RunContext, part: str) -> tuple[int, ...]:
    """By round, or by place; a scenario is checked before the target is asked it."""
    if isinstance(item, PromptDraft | PromptScore):
        return item.round, isinstance(item, PromptScore)
    position, _, within = figures.place(item.id).partition("@")[2].partition("@")
    of_target = position in LOADS and not within.startswith("solved")
    return PLACES.index(position), of_target, WITHIN.index(within)


def head(scene: RunContext, part: str, step: str, _: Sequence[str]) -> list[Field]:
    """The problem, its answer, who takes part, what it came to, and why something was rejected; or
    how the prompt of a kind came about."""
    problems = scene.problems.problems if scene.problems else ()
    index = next(
        (position for position, problem in enumerate(problems) if problem.id == part), None
    )
    if index is None or scene.problems is None:
        kind = next(kind for kind in KINDS if kind == part)
        history = prompt_history(scene.spec, kind, scene.items.values())
        title = "texts given" if scene.spec.given else prompt_words(history, scene.spec)
        guide = history.guide if history.source == "given" else ""
        fields = [Field("", title, "bold", 0)]
        if guide:
            fields.append(Field("prompt", guide, "", 0))
        return fields
    problem = problems[index]
    items = by_problem(scene.items.values(), [index])[index]
    prepared = scene.problems.given.get(part) if scene.spec.given else None
    outcome = problem_outcome(scene.spec, problem, items, "text", prepared)
    closed = scene.closed.get(index)
    marks = marks_words(closed.marks) if isinstance(closed, ProblemClosed) else ""
    texts = {str(load): scenario for load, scenario in outcome.row.scenarios.items()}
    texts["q2i"] = outcome.texts.instruction
    text = texts.get(step.partition("@")[0])
    count = f"problem {index + 1:,} of {len(problems):,}"
    return [
        Field(part, figures.joined([count, problem.domain]), "", 0),
        *_problem(problem, scene.spec),
        *([Field("", marks, "", 0)] if marks else []),
        *_failures(outcome),
        *([Field("asked", text, "", 0)] if text else []),
    ]


def _problem(problem: Problem, spec: DeepQuestionSpec) -> Iterator[Field]:
    yield Field("question", problem.question, "bold", 0)
    yield from option_fields(
        (text, chr(65 + position) == problem.answer)
        for position, text in enumerate(problem.options)
    )
    yield Field("answer", problem.answer, "", 0)
    if problem.solution.strip():
        yield Field("solution", problem.solution, "", 0)
    roles = (f"{role} {model_name(name)}" for role, name in spec.models.items())
    yield Field("", ", ".join(roles), "dim", 0)


def _failures(outcome: ProblemOutcome) -> Iterator[Field]:
    """Why scenario or instruction were not put to the target, and why the question that it wrote is
    no valid one."""
    for rejection in outcome.rejected:
        load = f" with load {rejection.load}" if rejection.load else ""
        name = f"{TEXTS[rejection.kind]} rejected{load}, {rejection.check}"
        yield Field(name, rejection.reason, STYLES["warning"], 0)
    created = outcome.row.created
    if created is not None and created.invalid is not None:
        name = f"written question not valid, {created.invalid}"
        yield Field(name, created.reason, STYLES["wrong"], 0)
