"""Parts of a DeepQuestion run by the ids it shows (a problem, the prompt of a kind), and what
stands above their steps."""

from collections.abc import Iterator, Sequence

from ....state.deepquestion.items import (
    KINDS,
    LOADS,
    Kind,
    Problem,
    PromptDraft,
    PromptScore,
    Transformed,
)
from ....state.deepquestion.spec import DeepQuestionSpec
from ....state.events import ProblemClosed
from ....state.items import DeepQuestionItem
from ....stats.deepquestion.items import ProblemItems
from ....stats.deepquestion.rows import ProblemOutcome, problem_outcome
from ...page import figures
from ...page.rows import STYLES
from ...page.sanitise import model_name
from ...step import Field, Scene
from ..texts import option_fields
from .labels import INVALID, KIND_NAMES, TEXTS, check_words
from .prompts import prompt_words
from .texts import marks_words, scenario_fields

_SOLVED, _ASKED = ("@solved", "@solved@same"), ("", "@same")
_Q2S = ("scenario", "scenario@check", "distractors")
_Q2I = (
    "instruction",
    "instruction@check",
    *(f"q2i{end}" for end in ("", *_SOLVED, "@met", "@first", "@second")),
)
_STEPS = (
    *("original", "original@same", *_Q2S),
    *(f"{load}{end}" for load in LOADS for end in (*_SOLVED, *_ASKED)),
    *(*_Q2I, "baseline", "baseline@first", "baseline@second"),
)
"""All places that steps of a problem can have, in the order in which they are shown."""


def names(scene: Scene) -> dict[str, str]:
    problems = scene.problems.problems if scene.problems else ()
    return {kind: kind for kind in scene.spec.kinds} | {
        problem.id: problem.id for problem in problems
    }


def at(item: DeepQuestionItem, scene: Scene) -> Iterator[tuple[str, str]]:
    """The problem or kind, and the step; all about a scenario is also at `q2s`."""
    name, _, step = figures.place(item.id).partition("@")
    yield name, step
    if step.partition("@")[0] in ("scenario", "distractors", *LOADS):
        yield name, "q2s"


def spelling(path: str) -> str:
    """`q2s-some`, as marks are called, is `some`."""
    name, sign, step = path.partition("@")
    return f"{name}{sign}{step.lower().removeprefix('q2s-')}"


def order(item: DeepQuestionItem, scene: Scene, part: str) -> tuple[int, int]:
    if isinstance(item, PromptDraft | PromptScore):
        return item.round, isinstance(item, PromptScore)
    step = figures.place(item.id).partition("@")[2]
    return _STEPS.index(step) if step in _STEPS else len(_STEPS), 0


def head(scene: Scene, part: str, step: str, found: Sequence[str]) -> list[Field]:
    """The problem, its answer, who takes part, what it came to, and why something was rejected."""
    known, spec = scene.problems.problems if scene.problems else (), scene.spec
    index = next((number for number, problem in enumerate(known) if problem.id == part), None)
    if index is None:
        return [*_prompt_head(scene, next(kind for kind in KINDS if kind == part), step)]
    own = ProblemItems()
    for item in scene.items.values():
        if item.problem == index:
            own.add(item)
    given = scene.problems.given.get(part) if spec.given and scene.problems else None
    fields = [
        Field(
            part,
            figures.joined([f"problem {index + 1:,} of {len(known):,}", known[index].domain]),
            "",
            0,
        )
    ]
    fields += _problem(known[index], spec)
    closed = scene.closed.get(index)
    if isinstance(closed, ProblemClosed) and closed.marks:
        fields.append(Field("", marks_words(closed.marks), "", 0))
    fields += [
        *_failures(problem_outcome(spec, known[index], own, "text", given), step),
        *_before(spec, own, given, step),
    ]
    if (
        not found
        and spec.given
        and step.partition("@")[0] in ("scenario", "distractors", "instruction")
    ):
        fields.append(
            Field("", "What was written is given: nothing was written or checked.", "", 0)
        )
    elif not found and closed is not None:
        fields.append(Field("", "The problem was closed without such a step.", "", 0))
    return fields


def _prompt_head(scene: Scene, kind: Kind, step: str) -> Iterator[Field]:
    spec: DeepQuestionSpec = scene.spec
    title = f"{KIND_NAMES[kind]} prompt"
    if spec.given:
        yield Field(
            "", f"What was written is given: no prompt for {KIND_NAMES[kind]} was drafted.", "", 0
        )
    elif kind in spec.guides:
        yield Field("", f"{title} · given", "bold", 0)
        yield Field("prompt", spec.guides[kind], "", 0)
    else:
        rounds = f"accepted from {spec.threshold}/10, at most {spec.rounds} rounds"
        by = f"drafted by {model_name(spec.generator)}, scored by {model_name(spec.evaluator)}"
        yield Field(
            "",
            figures.joined([title, by, "a single pass" if spec.single_pass else rounds]),
            "bold",
            0,
        )
        drafts = [
            item for item in scene.items.values() if isinstance(item, PromptDraft | PromptScore)
        ]
        if drafts and not step:
            yield Field("", figures.joined(prompt_words(drafts, kind, spec)), "", 0)


def _problem(problem: Problem, spec: DeepQuestionSpec) -> Iterator[Field]:
    yield Field("question", problem.question, "bold", 0)
    yield from option_fields(
        (text, chr(65 + place) == problem.answer) for place, text in enumerate(problem.options)
    )
    yield Field("answer", problem.answer, "", 0)
    if problem.solution.strip():
        yield Field("solution", problem.solution, "", 0)
    written = "texts given" if spec.given else f"written by {model_name(spec.generator)}"
    checked, judged = (
        f"checked by {model_name(spec.evaluator)}",
        f"judged by {model_name(spec.judge)}",
    )
    yield Field("", f"asked {model_name(spec.target)}, {written}, {checked}, {judged}", "dim", 0)


def _failures(outcome: ProblemOutcome, step: str) -> Iterator[Field]:
    """Why scenario or instruction were not put to the target, and why the question that it wrote is
    no valid one."""
    for each in outcome.rejected:
        if _concerns(each.kind, step):
            load = f" with load {each.load}" if each.load else ""
            name = f"{TEXTS[each.kind]} rejected{load}, {check_words(each.check, each.kind)}"
            yield Field(name, each.reason, STYLES["warning"], 0)
    created = outcome.row.created
    if created is not None and created.invalid is not None and _concerns("q2i", step):
        name = f"written question not valid, {INVALID[created.invalid]}"
        yield Field(name, created.reason, STYLES["wrong"], 0)


def _concerns(kind: Kind, step: str) -> bool:
    """Whether a path that names the step asks about this kind."""
    first = step.partition("@")[0]
    return not step or (
        first not in ("original", "baseline")
        and (first in ("instruction", "q2i")) == (kind == "q2i")
    )


def _before(
    spec: DeepQuestionSpec, own: ProblemItems, given: Transformed | None, step: str
) -> Iterator[Field]:
    """What the steps below are about and is not among them: the text that was solved, the
    instruction that was followed."""
    first = step.partition("@")[0]
    load = next((load for load in spec.distractors if load == first), None)
    if load is not None and own.scenario is not None:
        yield from scenario_fields(own.scenario, own.distractors, (load,))
    if first == "q2i" and own.instruction is not None and own.instruction.text:
        yield Field("instruction", own.instruction.text, "", 0)
    if given is not None and (first in ("", "scenario", "q2s") or load is not None):
        texts = {name: text for name, text in given.scenarios.items() if load in (None, name)}
        yield from (
            Field(f"scenario given, load {name}", text, "", 0) for name, text in texts.items()
        )
    if given is not None and first in ("", "instruction", "q2i") and given.instruction:
        yield Field("instruction given", given.instruction, "", 0)
