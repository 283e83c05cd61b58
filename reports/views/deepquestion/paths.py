"""Parts of a DeepQuestion run by the ids it shows (a problem, the prompt of a kind), and what stands above their
steps."""

from collections.abc import Iterator, Mapping, Sequence

from ....state.deepquestion.items import (
    KINDS,
    LOADS,
    Created,
    DistractorsWritten,
    InstructionChecked,
    InstructionMet,
    InstructionWritten,
    Kind,
    PromptDraft,
    PromptScore,
    Same,
    ScenarioChecked,
    ScenarioWritten,
    Solution,
)
from ....state.deepquestion.spec import DeepQuestionSpec
from ....state.events import ProblemClosed
from ....state.items import DeepQuestionItem
from ....stats.deepquestion.checks import Rejected, Verdict, instruction_verdict, scenario_verdict
from ....stats.deepquestion.marks import Solved, created_mark
from ...page import figures
from ...page.rows import STYLES
from ...page.sanitise import model_name
from ...step import Field, Scene
from .labels import INVALID, KIND_NAMES, TEXTS, check_words
from .texts import options_fields, scenario_fields
from .words import marks_words, prompt_words

_SOLVED, _ASKED = ("@solved", "@solved@same"), ("", "@same")
_Q2S = ("scenario", "scenario@check", "distractors")
_Q2I = ("instruction", "instruction@check", *(f"q2i{end}" for end in ("", *_SOLVED, "@met", "@first", "@second")))
_STEPS = (
    *("original", "original@same", *_Q2S),
    *(f"{load}{end}" for load in LOADS for end in (*_SOLVED, *_ASKED)),
    *(*_Q2I, "baseline", "baseline@first", "baseline@second"),
)
"""All places that steps of a problem can have, in the order in which they are shown."""
Items = Mapping[str, DeepQuestionItem]


def names(scene: Scene) -> dict[str, str]:
    problems = scene.problems.problems if scene.problems else ()
    return {kind: kind for kind in scene.spec.kinds} | {problem.id: problem.id for problem in problems}


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
    known = scene.problems.problems if scene.problems else ()
    index = next((number for number, problem in enumerate(known) if problem.id == part), None)
    if index is None:
        return [*_prompt_head(scene, next(kind for kind in KINDS if kind == part), step)]
    own = {place.partition("@")[2]: item for place, item in scene.items.items() if place.startswith(f"{part}@")}
    closed = scene.closed.get(index)
    marks = [Field("", marks_words(closed.marks), "", 0)] if isinstance(closed, ProblemClosed) and closed.marks else []
    fields = [*_problem(scene, index), *marks, *_failures(own, step, scene.spec), *_before(scene, part, own, step)]
    written = step.partition("@")[0] in ("scenario", "distractors", "instruction")
    if not found and scene.spec.given and written:
        fields.append(Field("", "What was written is given: nothing was written or checked.", "", 0))
    elif not found and closed is not None:
        fields.append(Field("", "The problem was closed without such a step.", "", 0))
    return fields


def _prompt_head(scene: Scene, kind: Kind, step: str) -> Iterator[Field]:
    spec: DeepQuestionSpec = scene.spec
    title = f"{KIND_NAMES[kind]} prompt"
    if spec.given:
        yield Field("", f"What was written is given: no prompt for {KIND_NAMES[kind]} was drafted.", "", 0)
    elif kind in spec.guides:
        yield Field("", f"{title} · given", "bold", 0)
        yield Field("prompt", spec.guides[kind], "", 0)
    else:
        rounds = f"accepted from {spec.threshold}/10, at most {spec.rounds} rounds"
        by = f"drafted by {model_name(spec.generator)}, scored by {model_name(spec.evaluator)}"
        yield Field("", figures.joined([title, by, "a single pass" if spec.single_pass else rounds]), "bold", 0)
        drafts = [item for item in scene.items.values() if isinstance(item, PromptDraft | PromptScore)]
        if drafts and not step:
            yield Field("", figures.joined(prompt_words(drafts, kind, spec)), "", 0)


def _problem(scene: Scene, index: int) -> Iterator[Field]:
    assert scene.problems is not None  # it was found among them
    spec, known = scene.spec, scene.problems.problems
    problem = known[index]
    notes = figures.joined([f"problem {index + 1:,} of {len(known):,}", problem.domain])
    yield Field(problem.id, notes, "", 0)
    yield Field("question", problem.question, "bold", 0)
    yield from options_fields(problem)
    yield Field("answer", problem.answer, "", 0)
    if problem.solution.strip():
        yield Field("solution", problem.solution, "", 0)
    written = "texts given" if spec.given else f"written by {model_name(spec.generator)}"
    checked, judged = f"checked by {model_name(spec.evaluator)}", f"judged by {model_name(spec.judge)}"
    yield Field("", f"asked {model_name(spec.target)}, {written}, {checked}, {judged}", "dim", 0)


def _failures(own: Items, step: str, spec: DeepQuestionSpec) -> Iterator[Field]:
    """Why scenario or instruction were not put to the target, and why the question that it wrote is no valid one."""
    verdicts: dict[Kind, Verdict | None] = {"q2s": _scenario_verdict(own, spec), "q2i": _instruction_verdict(own)}
    for kind, verdict in verdicts.items():
        if isinstance(verdict, Rejected) and _concerns(kind, step):
            load = f" with load {verdict.load}" if verdict.load else ""
            name = f"{TEXTS[kind]} rejected{load}, {check_words(verdict.check, kind)}"
            yield Field(name, verdict.reason, STYLES["warning"], 0)
    created, met = own.get("q2i"), own.get("q2i@met")
    if isinstance(created, Created) and _concerns("q2i", step):
        solution, same = _solved(own, "q2i") or (None, None)
        mark = created_mark(created, solution, same, met if isinstance(met, InstructionMet) else None)
        if mark.invalid is not None:
            yield Field(f"written question not valid, {INVALID[mark.invalid]}", mark.reason, STYLES["wrong"], 0)


def _solved(own: Items, place: str) -> Solved | None:
    """The evaluator's solution, and the judge's word on it."""
    solution, same = own.get(f"{place}@solved"), own.get(f"{place}@solved@same")
    return (solution, same if isinstance(same, Same) else None) if isinstance(solution, Solution) else None


def _concerns(kind: Kind, step: str) -> bool:
    """Whether a path that names the step asks about this kind."""
    first = step.partition("@")[0]
    return not step or (first not in ("original", "baseline") and (first in ("instruction", "q2i")) == (kind == "q2i"))


def _scenario_verdict(own: Items, spec: DeepQuestionSpec) -> Verdict | None:
    written, check, distractors = own.get("scenario"), own.get("scenario@check"), own.get("distractors")
    if not isinstance(written, ScenarioWritten):
        return None
    return scenario_verdict(
        written,
        check if isinstance(check, ScenarioChecked) else None,
        distractors if isinstance(distractors, DistractorsWritten) else None,
        {load: found for load in spec.distractors if (found := _solved(own, load)) is not None},
        spec,
    )


def _instruction_verdict(own: Items) -> Verdict | None:
    written, check = own.get("instruction"), own.get("instruction@check")
    if not isinstance(written, InstructionWritten):
        return None
    return instruction_verdict(written, check if isinstance(check, InstructionChecked) else None)


def _before(scene: Scene, part: str, own: Items, step: str) -> Iterator[Field]:
    """What the steps below are about and is not among them: the text that was solved, the instruction that was
    followed."""
    first, spec = step.partition("@")[0], scene.spec
    load = next((load for load in spec.distractors if load == first), None)
    scenario, drawn = own.get("scenario"), own.get("distractors")
    if load is not None and isinstance(scenario, ScenarioWritten):
        yield from scenario_fields(scenario, drawn if isinstance(drawn, DistractorsWritten) else None, (load,))
    written = own.get("instruction")
    if first == "q2i" and isinstance(written, InstructionWritten) and written.text:
        yield Field("instruction", written.text, "", 0)
    given = scene.problems.given.get(part) if spec.given and scene.problems else None
    if given is not None and (first in ("", "scenario", "q2s") or load is not None):
        texts = {name: text for name, text in given.scenarios.items() if load in (None, name)}
        yield from (Field(f"scenario given, load {name}", text, "", 0) for name, text in texts.items())
    if given is not None and first in ("", "instruction", "q2i") and given.instruction:
        yield Field("instruction given", given.instruction, "", 0)
