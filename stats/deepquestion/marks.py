"""What a solution counts as, and a question that the target wrote. Pure rules over items."""

from typing import NamedTuple

from ...state.deepquestion.items import Created, InstructionMet, Same, Solution
from ...state.deepquestion.result import InvalidWhy, Mark
from ...state.records import Unscored

REFUSED = "the model refused"
Solved = tuple[Solution, Same | None]
"""A solution, and the judge's word on it where there is one."""


class CreatedMark(NamedTuple):
    """What an attempt at Q2I counts as."""

    mark: Mark
    invalid: InvalidWhy | None
    """Set exactly where the mark is `wrong`."""
    reason: str


def why(fault: Unscored) -> str:
    """A fault as results tell it: `judge: no reply within 60 s`."""
    return f"{fault.stage}: {fault.message or fault.kind}"


def solution_mark(solution: Solution, same_answer: Same | None) -> tuple[Mark, str]:
    """What a solution counts as, and why. Where no rule could compare the answer (`equal` is None),
    the judge's word counts; without it the solution is unscored."""
    if solution.fault is not None:
        return "unscored", why(solution.fault)
    if solution.equal is not None:
        return ("right" if solution.equal else "wrong"), _silence(solution)
    if same_answer is None:
        return "unscored", "judge: there is no verdict"
    if same_answer.fault is not None:
        return "unscored", why(same_answer.fault)
    return ("right" if same_answer.equal else "wrong"), same_answer.reason


def _silence(solution: Solution) -> str:
    if solution.answer is None:
        return "the model said nothing"
    return REFUSED if solution.answer.refusal else ""


def created_mark(
    created: Created, solved: Solution | None, same_answer: Same | None, met: InstructionMet | None
) -> CreatedMark:
    """What the question that the target wrote counts as: right when it can be answered, has the
    required answer and meets the instruction. The first that does not hold is the reason.

    A fault in any step that was asked leaves it unscored, even where another step has failed
    already: if only the attempts that hold at that step were lost, the share of valid ones would
    come out too low.
    """
    if created.fault is not None:
        return CreatedMark("unscored", None, why(created.fault))
    if not created.text.strip():
        refused = created.answer is not None and created.answer.refusal
        return CreatedMark(
            "wrong", "nothing written", REFUSED if refused else "the model said nothing"
        )
    if solved is None:
        return CreatedMark("unscored", None, "solution: there is none")
    mark, reason = solution_mark(solved, same_answer)
    if mark == "unscored":
        return CreatedMark("unscored", None, reason)
    if met is not None and met.fault is not None:
        return CreatedMark("unscored", None, why(met.fault))
    if mark == "wrong":
        invalid: InvalidWhy = "not answerable" if reaches_none(solved) else "another answer"
        return CreatedMark("wrong", invalid, reached(solved, same_answer))
    if met is None:
        return CreatedMark("unscored", None, "check: there is none")
    return CreatedMark(
        "right" if met.met else "wrong", None if met.met else "instruction not met", met.reason
    )


def reaches_none(solution: Solution) -> bool:
    """Whether a solver says that there is no answer, or gives none that could be read. An answer
    that the judge had to compare is one."""
    return solution.equal is False and not solution.read


def reached(solution: Solution, same_answer: Same | None) -> str:
    """What the evaluator reaches, in words."""
    if reaches_none(solution):
        return "the evaluator reaches no answer"
    outcome = (
        f"the evaluator reaches {solution.read}"
        if solution.read
        else "the evaluator reaches another answer"
    )
    return (
        f"{outcome} ({same_answer.reason})"
        if same_answer is not None and same_answer.reason
        else outcome
    )
