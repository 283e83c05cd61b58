"""What the steps of a DeepQuestion run come to: in a few words, and word for word."""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from ....state.deepquestion.items import (
    Compared,
    Created,
    DeepItem,
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
from ....state.records import Answer
from ....stats.deepquestion.checks import too_few
from ....stats.deepquestion.marks import reaches_none
from ...page import figures
from ...step import SIGNS, Field, StepStatus
from ..texts import answer_fields

LONGEST = 2000
"""Characters of a text that are looked at for a row."""
TITLES = {
    "prompt_draft": ("a draft of the prompt", "generator"),
    "prompt_score": ("the evaluator scores the draft", "evaluator"),
    "scenario": ("the scenario", "generator"),
    "distractors": ("the distractors", "generator"),
    "scenario_check": ("the evaluator checks the scenario", "evaluator"),
    "instruction": ("the instruction", "generator"),
    "instruction_check": ("the evaluator checks the instruction", "evaluator"),
    "same": ("the judge compares the answers", "judge"),
    "created": ("the target writes a question", "target"),
    "met": ("the evaluator checks whether the question keeps to the instruction", "evaluator"),
    "solution of original": ("the target solves the problem", "target"),
    "solution of scenario": ("the target solves the scenario", "target"),
    "solution of check": ("the evaluator solves the scenario", "evaluator"),
    "solution of created": ("the evaluator solves the written question", "evaluator"),
    "comparison": ("the judge compares", "judge"),
}
"""Type of a step → what it is, and who was asked."""
MARKS: dict[PartMark, StepStatus] = {
    "right": "correct",
    "wrong": "wrong",
    "unscored": "unscored",
    "rejected": "rejected",
}
COLUMNS = {
    "original": "original",
    "q2s-none": "Q2S none",
    "q2s-some": "Q2S some",
    "q2s-many": "Q2S many",
    "q2i": "Q2I",
}
"""Marks of a problem, in their order, and what they are called."""
_IN_THE_TITLE = {
    *DeepItem.model_fields,
    *("type", "kind", "round", "what", "load", "of", "pair", "original_first", "other"),
}
"""Fields of a step that its title, its place or its prompt tells."""


def title_of(item: DeepQuestionItem) -> tuple[str, str]:
    """What the step is, and who was asked."""
    title, role = TITLES[f"{item.type} of {item.what}" if isinstance(item, Solution) else item.type]
    if isinstance(item, Solution) and item.load:
        title += f" with load {item.load}"
    if isinstance(item, Compared):
        created = ("the original", "the written question")
        pair = created if item.pair == "created" else ("this problem", "another")
        first, second = pair if item.original_first else pair[::-1]
        title += f", {first} first, {second} second"
    return title, role


def outcome_of(item: DeepQuestionItem, spec: DeepQuestionSpec) -> tuple[StepStatus, str]:
    """What a step without a fault is worth, and what came of it in a few words."""
    match item:
        case PromptScore():
            accepted = spec.single_pass or (item.score or 0) >= spec.threshold
            return ("correct" if accepted else "rejected"), f"{item.score}/10"
        case ScenarioWritten():
            return "correct", item.question
        case DistractorsWritten():
            shortfall = too_few(item, spec)
            count = figures.count(len(item.distractors), "distractor")
            return ("rejected" if shortfall else "correct"), shortfall or count
        case PromptDraft() | InstructionWritten():
            return "correct", item.text
        case Solution():
            return _solved(item)
        case Created():
            return ("correct", item.text) if item.text.strip() else ("wrong", "nothing written")
        case Compared():
            counts = Counter(item.preferences.values()).items()
            return "correct", ", ".join(f"{number} {choice}" for choice, number in counts)
    failure = failure_of(item)
    words = f"{failure}: {item.reason}" if failure and item.reason else failure
    of_target = isinstance(item, InstructionMet) or (
        isinstance(item, Same) and not item.of.endswith("@solved")
    )
    return ("wrong" if of_target else "rejected") if failure else "correct", words or "passed"


def failure_of(item: ScenarioChecked | InstructionChecked | Same | InstructionMet) -> str:
    """What somebody who looked at a text or an answer has against it; empty: nothing."""
    match item:
        case ScenarioChecked():
            missing = f"quantity lost, {', '.join(item.missing)}" if item.missing else ""
            return missing or "bare problem" * item.bare or "gives away" * item.gives_away
        case InstructionChecked():
            return "gives away" * item.gives_away or "incomplete" * (not item.complete)
        case Same():
            return "" if item.equal else "another answer"
        case InstructionMet():
            return "" if item.met else "instruction not met"


def _solved(item: Solution) -> tuple[StepStatus, str]:
    """What was read of a solution, and what that is worth."""
    answer = item.answer
    words = item.read or (answer.text[:LONGEST].strip() if answer is not None else "")
    if item.equal is None:
        return "open", f"{words or 'no answer'}, for the judge to compare"
    if item.equal:
        return "correct", words
    if item.what in ("original", "scenario"):
        refused = answer is not None and answer.refusal
        return "wrong", "refused" if refused else words or "no answer"
    words = "not solvable" if reaches_none(item) else f"another answer, {words}"
    return ("rejected" if item.what == "check" else "wrong"), words


def fields_of(item: DeepQuestionItem) -> Iterator[Field]:
    """What the step holds, word for word."""
    if not item.prompt:
        yield Field("", "no model was called", "dim")
    in_answer = {"text"} if isinstance(item, Created) else set[str]()
    for name, value in item:
        if name in _IN_THE_TITLE | in_answer or value in (None, "", (), {}):
            continue
        words = name.replace("_", " ")
        if isinstance(value, Answer):
            yield from answer_fields(value, said=title_of(item)[1] == "target")
        elif isinstance(value, dict):
            yield from (Field(key.replace("_", " "), entry) for key, entry in value.items())
        elif isinstance(value, tuple):
            yield from (
                Field(*_listed(words, number, entry)) for number, entry in enumerate(value, 1)
            )
        else:
            yield Field(words, str(value))


def _listed(name: str, number: int, value: Any) -> tuple[str, str]:
    """One of several, by its number; a distractor with where it stands, or why it is dropped."""
    if isinstance(value, str):
        return f"{name} {number}", value
    (_, text), (about, detail) = value
    return f"{name} {number}, {about} {detail}", text


def marks_words(marks: Mapping[str, PartMark]) -> str:
    """`original ✓ right · Q2S some ✗ wrong · Q2I – rejected`."""
    shown_marks = {COLUMNS[name]: marks[name] for name in COLUMNS if name in marks}
    words = [f"{name} {SIGNS[MARKS[mark]][0]} {mark}" for name, mark in shown_marks.items()]
    return figures.joined(words)
