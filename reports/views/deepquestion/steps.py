"""What each step of a DeepQuestion run says in a few words, and the signs of its marks."""

from collections import Counter
from dataclasses import dataclass

from ....state.deepquestion.items import (
    Compared,
    Created,
    Criterion,
    DistractorsWritten,
    InstructionChecked,
    InstructionMet,
    InstructionWritten,
    PromptDraft,
    PromptScore,
    Same,
    ScenarioChecked,
    ScenarioWritten,
    Solution,
)
from ....state.deepquestion.spec import DeepQuestionSpec
from ....state.events import PartMark
from ....state.items import DeepQuestionItem
from ....stats.deepquestion.checks import too_few
from ....stats.deepquestion.marks import reaches_none
from ...page import figures
from ...page.sanitise import one_line
from .labels import KIND_NAMES

DONE, FAILED, REJECTED, LOST, OPEN = "correct", "wrong", "warning", "unscored", "quiet"
"""Styles of a step that went well, of what counts against the target, of what does not pass a check, of what came to
nothing for a fault, and of an answer that the judge has still to compare."""
SIGNS = {DONE: "✓", FAILED: "✗", REJECTED: "–", LOST: "?", OPEN: "○"}
MARKS: dict[PartMark, str] = {"right": DONE, "wrong": FAILED, "unscored": LOST, "rejected": REJECTED}
"""Mark → its style."""
DEEPQUESTION_LEGEND = "✓ right, passed ✗ wrong – rejected ? lost to a fault"
COLUMNS = ("original", "q2s-none", "q2s-some", "q2s-many", "q2i")
"""Marks of a problem, in their order."""
NAMES = {str(kind): name for kind, name in KIND_NAMES.items()}
LONGEST = 2000
"""Signs of a text that are looked at for a row."""


Looked = ScenarioChecked | InstructionChecked | Same | InstructionMet


@dataclass(frozen=True, slots=True)
class Step:
    """A finished step, as one line shows it; harmless to a terminal."""

    id: str
    style: str
    said: str
    elapsed_s: float


def column_words(column: str) -> str:
    """`original`, `Q2S some`, `Q2I`."""
    kind, _, load = column.partition("-")
    return f"{NAMES.get(kind, kind)} {load}".strip()


def step_of(item: DeepQuestionItem, spec: DeepQuestionSpec) -> Step:
    """The step in words."""
    if item.fault is not None:
        style, said = LOST, f"{item.fault.stage}: {item.fault.kind} ({item.fault.message})"
    elif isinstance(item, PromptDraft | PromptScore | ScenarioWritten | DistractorsWritten | InstructionWritten):
        style, said = _written(item, spec)
    elif isinstance(item, Solution):
        style, said = solution_words(item)
    elif isinstance(item, Created):
        style, said = (DONE, item.text) if item.text.strip() else (FAILED, "nothing written")
    elif isinstance(item, Compared):
        style, said = DONE, compared_words(item)
    else:
        style, said = verdict_of(item)
        said += f": {item.reason}" if item.reason and style != DONE else ""
    return Step(item.id, style, one_line(said[:LONGEST]), item.elapsed_s)


def _written(
    item: PromptDraft | PromptScore | ScenarioWritten | DistractorsWritten | InstructionWritten, spec: DeepQuestionSpec
) -> tuple[str, str]:
    match item:
        case PromptDraft():
            return DONE, f"drafted: {item.text}"
        case PromptScore():
            return (DONE if passes(item.score, spec) else REJECTED), f"{score_words(item.score, spec)} {item.feedback}"
        case ScenarioWritten():
            return DONE, f"{figures.count(len(item.sentences), 'sentence')} and the question: {item.question}"
        case DistractorsWritten():
            lacking = too_few(item, spec)
            there = figures.count(len(item.distractors), "distractor")
            return (REJECTED, f"malformed: {lacking}") if lacking else (DONE, there)
        case InstructionWritten():
            return DONE, item.text


def passes(score: int | None, spec: DeepQuestionSpec) -> bool:
    """Whether a draft with this score is used without further ado."""
    return spec.single_pass or (score is not None and score >= spec.threshold)


def score_words(score: int | None, spec: DeepQuestionSpec) -> str:
    """`4/10`, `9/10 accepted`, `4/10 single pass`."""
    said = "no score" if score is None else f"{score}/10"
    if spec.single_pass:
        return f"{said} single pass"
    return f"{said} accepted" if passes(score, spec) else said


def verdict_of(item: Looked) -> tuple[str, str]:
    """What somebody has found who looked at a text or an answer: its style and its words, the reason apart."""
    match item:
        case ScenarioChecked():
            if item.missing:
                return REJECTED, f"quantity lost: {', '.join(item.missing)}"
            if item.bare:
                return REJECTED, "bare problem"
            return (REJECTED, "gives away") if item.gives_away else (DONE, "nothing is missing")
        case InstructionChecked():
            found = (("gives away", item.gives_away), ("incomplete", not item.complete))
            said = ", ".join(name for name, holds in found if holds)
            return (REJECTED, said) if said else (DONE, "path and answer are there, the question is not")
        case Same():
            wrong = REJECTED if item.of.endswith("@solved") and not item.of.endswith("@q2i@solved") else FAILED
            return (DONE, "the same answer") if item.equal else (wrong, "another answer")
        case InstructionMet():
            return (DONE, "instruction met") if item.met else (FAILED, "instruction not met")


def solution_words(item: Solution) -> tuple[str, str]:
    """What was read of a solution without a fault, and what that is worth: its style and its words."""
    if item.equal is None:
        return OPEN, f"{item.read or _start(item)}, for the judge to compare"
    if item.what in ("original", "scenario"):
        return (DONE if item.equal else FAILED), item.read or _start(item)
    if item.equal:
        return DONE, f"solved independently: {item.read}"
    if item.what == "check":
        return REJECTED, "not solvable" if reaches_none(item) else f"answer changed: {item.read}"
    return FAILED, "not answerable" if reaches_none(item) else f"another answer: {item.read}"


def _start(item: Solution) -> str:
    """What stands in the place of an answer that could not be read."""
    if item.answer is not None and item.answer.refusal:
        return "refused"
    if item.answer is None or not item.answer.text.strip():
        return "no answer"
    return f"no final answer in “{item.answer.text[:LONGEST].strip()}”"


def preferred(item: Compared) -> dict[Criterion, str]:
    """Who is preferred, by criterion: `original`, `created` or `tie`; of a baseline pair `own`, `other` or `tie`."""
    own, other = ("original", "created") if item.pair == "created" else ("own", "other")
    first, second = (own, other) if item.original_first else (other, own)
    names = {"first": first, "second": second, "tie": "tie"}
    return {criterion: names[preference] for criterion, preference in item.preferences.items()}


def compared_words(item: Compared) -> str:
    """`original first: 3 original, 1 created, 1 tie`."""
    counted = Counter(preferred(item).values())
    own, other = ("original", "created") if item.pair == "created" else ("own", "other")
    said = ", ".join(f"{counted[name]} {name}" for name in (own, other, "tie") if counted[name])
    return f"{own if item.original_first else other} first: {said}"
