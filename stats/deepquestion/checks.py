"""What came of the steps of one problem: whether what was written is used, and what an answer
counts as.

Pure rules over items. The graph asks them whom to ask next, the tables why something is not there;
so both agree.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ...state.deepquestion.items import (
    DeepItem,
    DistractorsWritten,
    InstructionChecked,
    InstructionWritten,
    ScenarioChecked,
    ScenarioWritten,
)
from ...state.deepquestion.result import Check
from ...state.deepquestion.spec import DeepQuestionSpec
from ...state.problems import DISTRACTORS, Load, Transformed, woven
from .marks import CreatedMark as CreatedMark
from .marks import Solved, reached, reaches_none, solution_mark, why
from .marks import created_mark as created_mark


@dataclass(frozen=True)
class Accepted:
    """It has passed every check: the texts that the target is asked."""

    scenarios: dict[Load, str] = field(default_factory=dict)
    instruction: str = ""


@dataclass(frozen=True)
class Rejected:
    """It did not pass. Certain, whatever is still to be asked."""

    check: Check
    reason: str
    load: Load | None = None
    """The lowest load at which a scenario failed; None: at all of them."""
    text: str = ""
    """What was rejected; empty where nothing was written."""


@dataclass(frozen=True)
class Fault:
    """A fault of the infrastructure, or of who checks, took it: neither accepted nor rejected."""

    why: str


@dataclass(frozen=True)
class Pending:
    """Nothing speaks against it so far, and something is still to be asked."""


Verdict = Accepted | Rejected | Fault | Pending

_DROPPED: dict[Literal["gives away", "repeats"], str] = {
    "gives away": "would give the answer away",
    "repeats": "would repeat what is there",
}


def given_texts(spec: DeepQuestionSpec, texts: Transformed | None) -> Accepted:
    """What is asked of a problem whose texts are given. Without a text at every load there is no
    scenario at any, so that all loads have the same problems."""
    if texts is None:
        return Accepted()
    whole = "q2s" in spec.kinds and all(texts.scenarios.get(load) for load in spec.distractors)
    return Accepted(
        scenarios={load: texts.scenarios[load] for load in spec.distractors} if whole else {},
        instruction=texts.instruction if "q2i" in spec.kinds else "",
    )


def scenario_text(
    draft: ScenarioWritten, distractors: DistractorsWritten | None, load: Load
) -> str:
    """The whole text at a load. Without so many distractors: with those that there are."""
    usable = distractors.distractors if distractors is not None else ()
    return woven(draft.sentences, draft.question, usable[: DISTRACTORS[load]])


def scenario_verdict(
    draft: ScenarioWritten,
    check: ScenarioChecked | None,
    distractors: DistractorsWritten | None,
    solved: Mapping[Load, Solved],
    spec: DeepQuestionSpec,
) -> Verdict:
    """What is known of a scenario. May be asked at any time: what is not there yet is None, or
    missing in `solved` (load → the evaluator's solution).

    The first rejection that applies, in the order of `Check`, is the verdict, even beside a fault
    or an open step: nothing that is still to come could undo it. What is rejected at one load is
    rejected at all.
    """
    if draft.lost:
        return _fault([draft])
    rejected = (
        _unwritten(draft, distractors, spec)
        or _unfit(draft, distractors, spec)
        or _otherwise_solved(draft, distractors, solved, spec)
        or _wanting(draft, check)
    )
    if rejected is not None:
        return rejected
    needed = [distractors] if _wanted(spec) else []
    solutions = [item for load in spec.distractors for item in _steps_of(solved.get(load))]
    steps: list[DeepItem | None] = [draft, *needed, check, *solutions]
    if any(item is not None and item.fault is not None for item in steps):
        return _fault(steps)
    if None in steps:
        return Pending()
    return Accepted(
        scenarios={load: scenario_text(draft, distractors, load) for load in spec.distractors}
    )


def instruction_verdict(draft: InstructionWritten, check: InstructionChecked | None) -> Verdict:
    """What is known of an instruction; `check` is None while it is still to come."""
    if draft.lost:
        return _fault([draft])
    if draft.fault is not None or not draft.text.strip():
        return Rejected("not written", why(draft.fault) if draft.fault else "nothing was written")
    if check is None:
        return Pending()
    if check.fault is not None:
        return _fault([check])
    if check.gives_away:
        return Rejected("gives away", check.reason, text=draft.text)
    if not check.complete:
        return Rejected("incomplete", check.reason, text=draft.text)
    return Accepted(instruction=draft.text)


def _wanted(spec: DeepQuestionSpec) -> int:
    """Distractors that are asked for."""
    return max(DISTRACTORS[load] for load in spec.distractors)


def _unwritten(
    draft: ScenarioWritten, distractors: DistractorsWritten | None, spec: DeepQuestionSpec
) -> Rejected | None:
    """The generator replied, and gave nothing usable."""
    if draft.fault is not None:
        return Rejected("not written", why(draft.fault))
    if not (draft.question.strip() or "".join(draft.sentences).strip()):
        return Rejected("not written", "nothing was written")
    if (
        _wanted(spec)
        and distractors is not None
        and distractors.fault is not None
        and not distractors.lost
    ):
        failing = [load for load in spec.distractors if DISTRACTORS[load]]
        text = scenario_text(draft, None, "none")
        return Rejected("not written", why(distractors.fault), _at(failing, spec.distractors), text)
    return None


def _unfit(
    draft: ScenarioWritten, distractors: DistractorsWritten | None, spec: DeepQuestionSpec
) -> Rejected | None:
    """What cannot be put together."""
    text = scenario_text(draft, distractors, "none")
    if not "".join(draft.sentences).strip():
        return Rejected("malformed", "there is no sentence before the question", text=text)
    if not draft.question.strip():
        return Rejected("malformed", "there is no question at the end", text=text)
    if distractors is None or distractors.fault is not None:
        return None
    failing = [
        load for load in spec.distractors if DISTRACTORS[load] > len(distractors.distractors)
    ]
    if not failing:
        return None
    reason = too_few(distractors, spec)
    return Rejected(
        "malformed",
        reason,
        _at(failing, spec.distractors),
        scenario_text(draft, distractors, "many"),
    )


def too_few(distractors: DistractorsWritten, spec: DeepQuestionSpec) -> str:
    """Why there are fewer distractors than were asked for; empty where there are not."""
    wanted, usable_count, dropped = _wanted(spec), len(distractors.distractors), distractors.dropped
    if usable_count >= wanted:
        return ""
    message = f"{wanted} distractors were asked for, and {usable_count + len(dropped)} came"
    if not dropped:
        return message
    whys = Counter(item.why for item in dropped)
    reasons = " and ".join(f"{whys[why]} {words}" for why, words in _DROPPED.items() if whys[why])
    return f"{message}, of which {reasons}: “{dropped[0].text}”"


def _otherwise_solved(
    draft: ScenarioWritten,
    distractors: DistractorsWritten | None,
    solved: Mapping[Load, Solved],
    spec: DeepQuestionSpec,
) -> Rejected | None:
    """Another answer at a load, or none."""
    failing_by_check: dict[Check, list[Load]] = {"answer changed": [], "not solvable": []}
    for load in spec.distractors:
        if load in solved and solution_mark(*solved[load])[0] == "wrong":
            failing_by_check[
                "not solvable" if reaches_none(solved[load][0]) else "answer changed"
            ].append(load)
    for check, failing in failing_by_check.items():
        if failing:
            text = scenario_text(draft, distractors, failing[0])
            return Rejected(
                check, reached(*solved[failing[0]]), _at(failing, spec.distractors), text
            )
    return None


def _wanting(draft: ScenarioWritten, check: ScenarioChecked | None) -> Rejected | None:
    """What the check of the scenario without distractors has found."""
    if check is None or check.fault is not None:
        return None
    text = scenario_text(draft, None, "none")
    if check.missing:
        message = f"missing: {', '.join(check.missing)}"
        return Rejected(
            "quantity lost", f"{message} ({check.reason})" if check.reason else message, text=text
        )
    if check.bare:
        return Rejected("bare problem", check.reason, text=text)
    return Rejected("gives away", check.reason, text=text) if check.gives_away else None


def _at(failing: Sequence[Load], loads: Sequence[Load]) -> Load | None:
    return None if len(failing) == len(loads) else failing[0]


def _steps_of(solved: Solved | None) -> list[DeepItem | None]:
    """A solution and the judge's word where one is needed; None for each that is not there."""
    if solved is None:
        return [None]
    solution, same_answer = solved
    return (
        [solution]
        if solution.fault is not None or solution.equal is not None
        else [solution, same_answer]
    )


def _fault(items: Sequence[DeepItem | None]) -> Fault:
    return next(
        Fault(why(item.fault)) for item in items if item is not None and item.fault is not None
    )
