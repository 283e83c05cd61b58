"""One problem of a DeepQuestion run: what was written, why something was not, and what came of the
answers."""

from dataclasses import dataclass
from typing import Literal

from ...state.deepquestion.items import (
    CRITERIA,
    AnswerKind,
    Compared,
    Created,
    Criterion,
    Kind,
    Problem,
    Solution,
    Transformed,
)
from ...state.deepquestion.result import AnswerRow, BaselineCase, CreatedRow, ProblemRow, Rejection
from ...state.deepquestion.spec import DeepQuestionSpec
from .checks import (
    Accepted,
    Fault,
    Rejected,
    Verdict,
    given_texts,
    instruction_verdict,
    scenario_verdict,
)
from .items import ProblemItems
from .marks import created_mark, solution_mark
from .pairs import Outcome, created_pair

_PREFERRED: dict[Outcome, Literal["created", "original", "tie"]] = {
    "win": "created",
    "loss": "original",
    "tie": "tie",
}


@dataclass(frozen=True)
class ProblemOutcome:
    """What came of a problem."""

    row: ProblemRow
    verdicts: dict[Kind, Verdict]
    """By kind; none of a kind for which nothing was to be written."""
    texts: Transformed
    """What has passed; of given texts all that is given."""
    own: ProblemItems

    @property
    def rejected(self) -> tuple[Rejection, ...]:
        return tuple(
            Rejection(
                problem=self.row.id,
                kind=kind,
                check=verdict.check,
                load=verdict.load,
                reason=verdict.reason,
                text=verdict.text,
            )
            for kind, verdict in self.verdicts.items()
            if isinstance(verdict, Rejected)
        )

    @property
    def instruction(self) -> str:
        """The one that the target was to write a question by; empty where there is none."""
        return _accepted(self.verdicts, "q2i").instruction


def problem_outcome(
    spec: DeepQuestionSpec,
    problem: Problem,
    own: ProblemItems,
    answer_kind: AnswerKind,
    given: Transformed | None = None,
) -> ProblemOutcome:
    """Everything about one problem. `given`: its texts where they are given."""
    verdicts = _given_verdicts(spec, given) if spec.given else _verdicts(spec, own)
    scenarios, instruction = (
        _accepted(verdicts, "q2s").scenarios,
        _accepted(verdicts, "q2i").instruction,
    )
    answers = {load: _answer_row(own.solved[load], own) for load in scenarios if load in own.solved}
    row = ProblemRow(
        id=problem.id,
        question=problem.question,
        answer=problem.answer,
        answer_kind=answer_kind,
        domain=problem.domain,
        original=_answer_row(own.original, own) if own.original is not None else None,
        scenarios=scenarios,
        solved=answers,
        created=_created_row(own.created, instruction, own)
        if own.created is not None and instruction
        else None,
        unwritten={
            kind: verdict.why if isinstance(verdict, Fault) else "check: it is missing"
            for kind, verdict in verdicts.items()
            if not isinstance(verdict, Accepted | Rejected)
        },
    )
    made = Transformed(problem=problem.id, scenarios=scenarios, instruction=instruction)
    return ProblemOutcome(row, verdicts, given if given is not None and spec.given else made, own)


def baseline_cases(outcome: ProblemOutcome, names: tuple[str, ...]) -> tuple[BaselineCase, ...]:
    """The comparisons of the problem's question with another one, without those that a fault took.
    `names`: the ids of all problems."""
    held = (outcome.own.baseline.get(order) for order in (True, False))
    return tuple(_case(item, names) for item in held if item is not None and item.fault is None)


def _case(item: Compared, names: tuple[str, ...]) -> BaselineCase:
    pair = (item.problem, item.problem if item.other is None else item.other)
    first, second = pair if item.original_first else pair[::-1]
    return BaselineCase(first=names[first], second=names[second], preferences=item.preferences)


def _verdicts(spec: DeepQuestionSpec, own: ProblemItems) -> dict[Kind, Verdict]:
    found: dict[Kind, Verdict] = {}
    if "q2s" in spec.kinds and own.scenario is not None:
        found["q2s"] = scenario_verdict(
            own.scenario, own.scenario_check, own.distractors, own.checks, spec
        )
    if "q2i" in spec.kinds and own.instruction is not None:
        found["q2i"] = instruction_verdict(own.instruction, own.instruction_check)
    return found


def _given_verdicts(spec: DeepQuestionSpec, given: Transformed | None) -> dict[Kind, Verdict]:
    asked = given_texts(spec, given)
    there: dict[Kind, bool] = {"q2s": bool(asked.scenarios), "q2i": bool(asked.instruction)}
    return {kind: asked for kind, held in there.items() if held}


def _accepted(verdicts: dict[Kind, Verdict], kind: Kind) -> Accepted:
    verdict = verdicts.get(kind)
    return verdict if isinstance(verdict, Accepted) else Accepted()


def _answer_row(solution: Solution, own: ProblemItems) -> AnswerRow:
    mark, reason = solution_mark(solution, own.word_on(solution))
    return AnswerRow(
        id=solution.id,
        mark=mark,
        said=solution.answer.text if solution.answer is not None else "",
        read=solution.read,
        reason=reason,
    )


def _created_row(created: Created, instruction: str, own: ProblemItems) -> CreatedRow:
    counted = created_mark(created, own.answered, own.word_on(own.answered), own.met)
    return CreatedRow(
        id=created.id,
        instruction=instruction,
        mark=counted.mark,
        question=created.text,
        invalid=counted.invalid,
        reason=counted.reason,
        preferences=_preferences(own),
    )


def _preferences(own: ProblemItems) -> dict[Criterion, Literal["created", "original", "tie"]]:
    pair = created_pair(own)
    return {
        each: _PREFERRED[outcome]
        for each in CRITERIA
        if (outcome := pair.outcome(each)) is not None
    }
