"""A problem of a DeepQuestion run, or how a prompt came about: all that was written, asked, said and checked."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from rich.console import Group, RenderableType
from rich.text import Text

from ....state.deepquestion.items import (
    Compared,
    Created,
    DistractorsWritten,
    InstructionChecked,
    InstructionMet,
    InstructionWritten,
    Kind,
    Load,
    Problem,
    ProblemSet,
    PromptDraft,
    PromptScore,
    Same,
    ScenarioChecked,
    ScenarioWritten,
    Solution,
    Transformed,
)
from ....state.deepquestion.spec import DeepQuestionSpec
from ....state.events import PartMark
from ....state.items import DeepQuestionItem
from ....stats.deepquestion.checks import Rejected, Verdict, instruction_verdict, scenario_verdict
from ....stats.deepquestion.marks import Solved, created_mark
from ...page import figures
from ...page.rows import STYLES
from ...page.sanitise import model_name, one_line
from ...trace import field
from .labels import INVALID, KIND_NAMES, TEXTS, check_words
from .paths import SAME, Place, items_at, place_of
from .progress import PromptLoop
from .step_traces import compared_lines, options_lines, scenario_lines, step_lines
from .steps import COLUMNS, MARKS, SIGNS, column_words

Q2I = ("instruction", "q2i")
"""What the places of Q2I's steps begin with."""


@dataclass(frozen=True, slots=True)
class _Scene:
    """What the trace of a problem is drawn from."""

    spec: DeepQuestionSpec
    problems: ProblemSet
    index: int
    place: Place
    every: Mapping[str, DeepQuestionItem]
    """Place within the problem → its step, whether it is shown or not."""
    prompts: bool

    @property
    def problem(self) -> Problem:
        return self.problems.problems[self.index]

    @property
    def given(self) -> Transformed | None:
        return self.problems.given.get(self.problem.id) if self.spec.given else None


def deepquestion_trace(
    spec: DeepQuestionSpec,
    problems: ProblemSet,
    items: Sequence[DeepQuestionItem],
    part: str,
    *,
    marks: Mapping[str, PartMark] | None = None,
    prompts: bool = False,
) -> RenderableType:
    """The part of a run that `part` names (see `place_of`), as far as there is of it.

    `marks`: what the problem came to (column → mark), once it is closed. `prompts`: show every prompt word for word as
    it was first sent. Raises UsageError for a path that names nothing.
    """
    found = items_at(spec, problems.problems, items, part)
    place = place_of(spec, problems.problems, part)
    if place.kind is not None:
        return Group(*_prompt_head(spec, place), *_prompt_rounds(spec, place, found, prompts=prompts))
    index = next(i for i, problem in enumerate(problems.problems) if problem.id == place.name)
    own = items_at(spec, problems.problems, items, place.name)
    every = {figures.place(item.id).partition("@")[2]: item for item in own}
    scene = _Scene(spec, problems, index, place, every, prompts)
    parts = [*_head(scene), *_closing(marks), *_failures(scene), *_before(scene, found)]
    for _, group in groupby(found, key=lambda item: item.pair if isinstance(item, Compared) else item.id):
        parts += _shown(list(group), scene)
    return Group(*parts, *([] if found else [_nothing(scene, closed=marks is not None)]))


def _nothing(scene: _Scene, *, closed: bool) -> RenderableType:
    """Why there is no step here."""
    if scene.spec.given and scene.place.step.partition("@")[0] in ("scenario", "distractors", "instruction"):
        return Text("What was written is given: nothing was written or checked.")
    if closed:
        return Text("The problem was closed without such a step.")
    return Text("There is no step of it yet: the run has not come to it.")


def _prompt_head(spec: DeepQuestionSpec, place: Place) -> list[RenderableType]:
    assert place.kind is not None  # the caller has looked
    if spec.given:
        text = f"What was written is given: no prompt for {KIND_NAMES[place.kind]} was drafted."
        return [Text(text)]
    kind = place.kind
    head = Text.assemble((f"{KIND_NAMES[kind]} prompt", "bold"))
    if kind in spec.guides:
        return [head.append(" · given"), field("prompt", spec.guides[kind], depth=0)]
    rounds = "a single pass" if spec.single_pass else f"accepted from {spec.threshold}/10, at most {spec.rounds} rounds"
    by = f"drafted by {model_name(spec.generator)}, scored by {model_name(spec.evaluator)}"
    return [head.append(f" · {by} · {rounds}")]


def _prompt_rounds(
    spec: DeepQuestionSpec, place: Place, found: Iterable[DeepQuestionItem], *, prompts: bool
) -> list[RenderableType]:
    steps = [item for item in found if isinstance(item, PromptDraft | PromptScore)]
    if not steps:
        drafted = place.kind in spec.drafted
        return [Text("There is no draft yet: the run has not come to it.")] if drafted else []
    loop = PromptLoop(steps[0].kind)
    for item in steps:
        loop.take(item, spec)
    parts: list[RenderableType] = [] if place.step else [Text(figures.joined(loop.words(spec)))]
    for item in steps:
        parts += ["", *step_lines(item, spec, prompts=prompts)]
    return parts


def _head(scene: _Scene) -> list[RenderableType]:
    """The problem, its answer, and who takes part."""
    spec, problem = scene.spec, scene.problem
    where = f"problem {scene.index + 1:,} of {len(scene.problems.problems):,}"
    head = Text.assemble((one_line(problem.id), "bold"), f" · {figures.joined([where, one_line(problem.domain)])}")
    written = "texts given" if spec.given else f"written by {model_name(spec.generator)}"
    checked, judged = f"checked by {model_name(spec.evaluator)}", f"judged by {model_name(spec.judge)}"
    by = f"asked {model_name(spec.target)}, {written}, {checked}, {judged}"
    parts: list[RenderableType] = [head, field("question", problem.question, "bold", 0)]
    parts += [*options_lines(problem), field("answer", problem.answer, depth=0)]
    parts += [field("solution", problem.solution, depth=0)] if problem.solution.strip() else []
    return [*parts, Text(by, "dim")]


def _closing(marks: Mapping[str, PartMark] | None) -> list[RenderableType]:
    """`original ✓ right · Q2S some ✗ wrong · Q2I – rejected`."""
    if marks is None:
        return []
    text = Text()
    for column in (column for column in COLUMNS if column in marks):
        style = MARKS[marks[column]]
        text.append(f"{' · ' if text.plain else ''}{column_words(column)} ")
        text.append(f"{SIGNS[style]} {marks[column]}", STYLES[style])
    return [text] if text.plain else []


def _failures(scene: _Scene) -> list[RenderableType]:
    """Why scenario or instruction were not put to the target, and why the question that it wrote is no valid one."""
    parts: list[RenderableType] = []
    verdicts: dict[Kind, Verdict | None] = {"q2s": _scenario_verdict(scene), "q2i": _instruction_verdict(scene)}
    for kind, verdict in verdicts.items():
        if isinstance(verdict, Rejected) and _concerns(kind, scene.place.step):
            at = f" with load {verdict.load}" if verdict.load else ""
            name = f"{TEXTS[kind]} rejected{at}, {check_words(verdict.check, kind)}"
            parts.append(field(name, verdict.reason, STYLES["warning"], 0))
    return [*parts, *(_invalid(scene) if _concerns("q2i", scene.place.step) else [])]


def _invalid(scene: _Scene) -> list[RenderableType]:
    created, met = scene.every.get("q2i"), scene.every.get("q2i@met")
    if not isinstance(created, Created):
        return []
    solution, same = _solved(scene, "q2i") or (None, None)
    mark = created_mark(created, solution, same, met if isinstance(met, InstructionMet) else None)
    if mark.invalid is None:
        return []
    return [field(f"written question not valid, {INVALID[mark.invalid]}", mark.reason, STYLES["wrong"], 0)]


def _solved(scene: _Scene, place: str) -> Solved | None:
    """The evaluator's solution, and the judge's word on it."""
    solution, same = scene.every.get(f"{place}@solved"), scene.every.get(f"{place}@solved{SAME}")
    return (solution, same if isinstance(same, Same) else None) if isinstance(solution, Solution) else None


def _concerns(kind: Kind, step: str) -> bool:
    """Whether a path that names the step asks about this kind."""
    head = step.partition("@")[0]
    return not step or (head not in ("original", "baseline") and (head in Q2I) == (kind == "q2i"))


def _scenario_verdict(scene: _Scene) -> Verdict | None:
    written, check = scene.every.get("scenario"), scene.every.get("scenario@check")
    distractors = scene.every.get("distractors")
    if not isinstance(written, ScenarioWritten):
        return None
    solved = {load: found for load in scene.spec.distractors if (found := _solved(scene, load)) is not None}
    return scenario_verdict(
        written,
        check if isinstance(check, ScenarioChecked) else None,
        distractors if isinstance(distractors, DistractorsWritten) else None,
        solved,
        scene.spec,
    )


def _instruction_verdict(scene: _Scene) -> Verdict | None:
    written, check = scene.every.get("instruction"), scene.every.get("instruction@check")
    if not isinstance(written, InstructionWritten):
        return None
    return instruction_verdict(written, check if isinstance(check, InstructionChecked) else None)


def _before(scene: _Scene, found: Sequence[DeepQuestionItem]) -> list[RenderableType]:
    """What the steps below are about and is not among them: the text that was solved, the instruction that was
    followed."""
    head = scene.place.step.partition("@")[0]
    parts: list[RenderableType] = []
    load = next((load for load in scene.spec.distractors if load == head), None)
    if load is not None and not scene.spec.given:
        parts += _scenario(scene, (load,))
    if head == "q2i" and isinstance(written := scene.every.get("instruction"), InstructionWritten) and written.text:
        parts.append(field("instruction", written.text, depth=0))
    given = scene.given
    if given is not None and (head in ("", "scenario", "q2s") or load is not None):
        texts = {name: text for name, text in given.scenarios.items() if load in (None, name)}
        parts += [field(f"scenario given, load {name}", text, depth=0) for name, text in texts.items()]
    if given is not None and head in ("", *Q2I) and given.instruction:
        parts.append(field("instruction given", given.instruction, depth=0))
    return parts


def _scenario(scene: _Scene, loads: Sequence[Load]) -> list[RenderableType]:
    written, drawn = scene.every.get("scenario"), scene.every.get("distractors")
    if not isinstance(written, ScenarioWritten) or not written.question:
        return []
    return scenario_lines(written, drawn if isinstance(drawn, DistractorsWritten) else None, loads)


def _shown(group: Sequence[DeepQuestionItem], scene: _Scene) -> list[RenderableType]:
    """One step, or the two comparisons of a pair of questions."""
    parts: list[RenderableType] = [""]
    for item in group:
        parts += step_lines(item, scene.spec, prompts=scene.prompts)
        if isinstance(item, ScenarioWritten):
            parts += _scenario(scene, scene.spec.distractors)
    compared = [item for item in group if isinstance(item, Compared)]
    other = _other(compared, scene)
    parts += [field(f"the other, {one_line(other.id)}", other.question)] if other is not None else []
    return [*parts, *compared_lines(compared, scene.problem.id, other.id if other is not None else "the other")]


def _other(compared: Sequence[Compared], scene: _Scene) -> Problem | None:
    """The other problem of a baseline pair."""
    index, known = compared[0].other if compared else None, scene.problems.problems
    return known[index] if index is not None and 0 <= index < len(known) else None
