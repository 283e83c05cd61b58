"""What came of the steps of one problem: whether what was written is used, and what an answer
counts as.

Pure rules over the items of a problem. The graph asks them whom to ask next, the result why
something is not there; so both agree.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ...state.deepquestion.items import Solution
from ...state.deepquestion.result import Check, InvalidWhy, Mark
from ...state.deepquestion.spec import DeepQuestionSpec
from ...state.problems import DISTRACTORS, Load, Transformed, woven
from ...state.records import Unscored

Items = Mapping[str, Any]
"""The items of one problem by their place in it: `scenario@check`, `some@solved`, `q2i@first`."""
SAME = "@same"
"""Behind the place of a solution: that of the judge's word on it."""
REFUSED, SILENT = "the model refused", "the model said nothing"


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
class Unwritten:
    """A fault took a step, or one is still to come: neither accepted nor rejected."""

    why: str


Verdict = Accepted | Rejected | Unwritten
PENDING = Unwritten("check: it is missing")
"""Nothing speaks against it so far, and something is still to be asked."""


class CreatedMark(NamedTuple):
    """What an attempt at Q2I counts as."""

    mark: Mark
    invalid: InvalidWhy | None
    """Set exactly where the mark is `wrong`."""
    reason: str


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


def scenario_text(items: Items, load: Load) -> str:
    """The whole text at a load. Without so many distractors: with those that there are."""
    draft, extra = items["scenario"], items.get("distractors")
    usable = extra.distractors if extra is not None else ()
    return woven(draft.sentences, draft.question, usable[: DISTRACTORS[load]])


def scenario_verdict(items: Items, spec: DeepQuestionSpec) -> Verdict:
    """What is known of a scenario that somebody was asked to write. May be asked at any time.

    The first rejection that applies, in the order of `Check`, is the verdict, even beside a fault
    or an open step: nothing that is still to come could undo it. What is rejected at one load is
    rejected at all.
    """
    if items["scenario"].lost:
        return Unwritten(why(items["scenario"].fault))
    for rejected in _rejections(items, spec):
        return rejected
    steps = [items.get("distractors")] if most_distractors(spec) else []
    steps.append(items.get("scenario@check"))
    for load in spec.distractors:
        solution = items.get(f"{load}@solved")
        steps.append(solution)
        if solution is not None and solution.fault is None and solution.equal is None:
            steps.append(items.get(f"{load}@solved{SAME}"))
    texts = {load: scenario_text(items, load) for load in spec.distractors}
    return _unwritten(steps) or Accepted(scenarios=texts)


def instruction_verdict(items: Items) -> Verdict:
    """What is known of an instruction that somebody was asked to write."""
    draft, check = items["instruction"], items.get("instruction@check")
    if not draft.lost and not draft.text.strip():
        return Rejected(
            "not written", why(draft.fault) if draft.fault else "nothing was written"
        )
    if unwritten := _unwritten([draft, check]):
        return unwritten
    assert check is not None
    if check.gives_away:
        return Rejected("gives away", check.reason, text=draft.text)
    if not check.complete:
        return Rejected("incomplete", check.reason, text=draft.text)
    return Accepted(instruction=draft.text)


def _unwritten(steps: Sequence[Any]) -> Unwritten | None:
    """The fault of one of these steps, else that one of them is still to come."""
    for step in steps:
        if step is not None and step.fault is not None:
            return Unwritten(why(step.fault))
    return PENDING if None in steps else None


def most_distractors(spec: DeepQuestionSpec) -> int:
    """Distractors that are asked for."""
    return max(DISTRACTORS[load] for load in spec.distractors)


def _rejections(items: Items, spec: DeepQuestionSpec) -> Iterator[Rejected]:
    """All that speaks against a scenario, in the order of `Check`."""
    draft, text = items["scenario"], scenario_text(items, "none")
    if draft.fault is not None:
        yield Rejected("not written", why(draft.fault))
    if not text:
        yield Rejected("not written", "nothing was written")
    if not "".join(draft.sentences).strip():
        yield Rejected("malformed", "there is no sentence before the question", text=text)
    if not draft.question.strip():
        yield Rejected("malformed", "there is no question at the end", text=text)
    yield from _too_few_distractors(items, spec)
    yield from _solved_otherwise(items, spec)
    check = items.get("scenario@check")
    if check is None or check.fault is not None:
        return
    if check.missing:
        reason = f" ({check.reason})" if check.reason else ""
        yield Rejected(
            "quantity lost", f"missing: {', '.join(check.missing)}{reason}", text=text
        )
    if check.bare:
        yield Rejected("bare problem", check.reason, text=text)
    if check.gives_away:
        yield Rejected("gives away", check.reason, text=text)


def _too_few_distractors(items: Items, spec: DeepQuestionSpec) -> Iterator[Rejected]:
    extra = items.get("distractors")
    if extra is None or extra.lost:
        return
    usable = len(extra.distractors)
    failing = [load for load in spec.distractors if DISTRACTORS[load] > usable]
    if failing:
        check: Check = "not written" if extra.fault else "malformed"
        wanted, came = most_distractors(spec), usable + len(extra.dropped)
        reason = (
            f"{wanted} distractors were asked for, {came} came, {usable} of them are of use"
        )
        reason = why(extra.fault) if extra.fault else reason
        yield Rejected(check, reason, _lowest(failing, spec), scenario_text(items, "many"))


def _solved_otherwise(items: Items, spec: DeepQuestionSpec) -> Iterator[Rejected]:
    """Another answer at a load, or none."""
    failing: dict[Check, list[Load]] = {"answer changed": [], "not solvable": []}
    for load in spec.distractors:
        place = f"{load}@solved"
        if place in items and solution_mark(items, place)[0] == "wrong":
            is_none = reaches_none(items[place])
            failing["not solvable" if is_none else "answer changed"].append(load)
    for check, loads in failing.items():
        if loads:
            reason, text = _reached(items, f"{loads[0]}@solved"), scenario_text(items, loads[0])
            yield Rejected(check, reason, _lowest(loads, spec), text)


def _lowest(failing: Sequence[Load], spec: DeepQuestionSpec) -> Load | None:
    return None if len(failing) == len(spec.distractors) else failing[0]


def why(fault: Unscored) -> str:
    """A fault as results tell it: `judge: no reply within 60 s`."""
    return f"{fault.stage}: {fault.message or fault.kind}"


def solution_mark(items: Items, place: str) -> tuple[Mark, str]:
    """What the solution at a place counts as, and why. Where no rule could compare the answer
    (`equal` is None), the judge's word counts; without it the solution is unscored."""
    solution, word = items.get(place), items.get(f"{place}{SAME}")
    if solution is None:
        return "unscored", "solution: there is none"
    if solution.fault is not None:
        return "unscored", why(solution.fault)
    if solution.equal is not None:
        reason = SILENT if solution.answer is None else REFUSED * solution.answer.refusal
        return ("right" if solution.equal else "wrong"), reason
    if word is None:
        return "unscored", "judge: there is no verdict"
    if word.fault is not None:
        return "unscored", why(word.fault)
    return ("right" if word.equal else "wrong"), word.reason


def created_mark(items: Items) -> CreatedMark:
    """What the question that the target wrote counts as: right when it can be answered, has the
    required answer and meets the instruction. The first that does not hold is the reason.

    A fault in any step that was asked leaves it unscored, even where another step has failed
    already: if only the attempts that hold at that step were lost, the share of valid ones would
    come out too low.
    """
    created, met, place = items["q2i"], items.get("q2i@met"), "q2i@solved"
    if created.fault is not None:
        return CreatedMark("unscored", None, why(created.fault))
    if not created.text.strip():
        refused = created.answer is not None and created.answer.refusal
        return CreatedMark("wrong", "nothing written", REFUSED if refused else SILENT)
    mark, reason = solution_mark(items, place)
    if mark != "unscored" and met is not None and met.fault is not None:
        mark, reason = "unscored", why(met.fault)
    if mark == "unscored":
        return CreatedMark(mark, None, reason)
    if mark == "wrong":
        invalid: InvalidWhy = (
            "not answerable" if reaches_none(items[place]) else "another answer"
        )
        return CreatedMark(mark, invalid, _reached(items, place))
    if met is None:
        return CreatedMark("unscored", None, "check: there is none")
    if not met.met:
        return CreatedMark("wrong", "instruction not met", met.reason)
    return CreatedMark(mark, None, met.reason)


def reaches_none(solution: Solution) -> bool:
    """Whether a solver says that there is no answer, or gives none that could be read. An answer
    that the judge had to compare is one."""
    return solution.equal is False and not solution.read


def _reached(items: Items, place: str) -> str:
    """What the evaluator reaches, in words."""
    solution, word = items[place], items.get(f"{place}{SAME}")
    if reaches_none(solution):
        return "the evaluator reaches no answer"
    reason = f" ({word.reason})" if word is not None and word.reason else ""
    return f"the evaluator reaches {solution.read or 'another answer'}{reason}"
