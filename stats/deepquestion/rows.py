"""One problem of a DeepQuestion run: what was written, why something was not, and what came of the
answers."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ...state.deepquestion.result import AnswerRow, BaselineCase, CreatedRow, ProblemRow, Rejection
from ...state.deepquestion.spec import DeepQuestionSpec
from ...state.items import DeepQuestionItem
from ...state.problems import CRITERIA, AnswerKind, Criterion, Kind, Problem, Transformed
from .checks import (
    Accepted,
    Fault,
    Rejected,
    Verdict,
    given_texts,
    instruction_verdict,
    scenario_verdict,
)
from .marks import Solved, created_mark, solution_mark
from .pairs import Outcome, created_pair

Items = Mapping[str, Any]
"""The items of one problem by their place in it: `scenario@check`, `some@solved`, `q2i@first`."""
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
    items: Items

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


def by_problem(
    items: Iterable[DeepQuestionItem], closed: Collection[int]
) -> dict[int, dict[str, Any]]:
    """Index → items of each finished problem, ascending; a problem without any item is there too.
    Of items with the same place the last one counts: it was asked for again. `closed`: indices of
    the problems that are finished."""
    problems: dict[int, dict[str, Any]] = {index: {} for index in sorted(set(closed))}
    for item in items:
        if item.problem in problems:
            problems[item.problem][item.id.partition("@")[2]] = item
    return problems


def problem_outcome(
    spec: DeepQuestionSpec,
    problem: Problem,
    items: Items,
    answer_kind: AnswerKind,
    prepared: Transformed | None = None,
) -> ProblemOutcome:
    """Everything about one problem. `prepared`: its texts where they are given."""
    verdicts = _given_verdicts(spec, prepared) if spec.given else _verdicts(spec, items)
    accepted = {
        kind: verdict for kind, verdict in verdicts.items() if isinstance(verdict, Accepted)
    }
    scenarios = accepted.get("q2s", Accepted()).scenarios
    instruction = accepted.get("q2i", Accepted()).instruction
    row = ProblemRow(
        id=problem.id,
        question=problem.question,
        answer=problem.answer,
        answer_kind=answer_kind,
        domain=problem.domain,
        original=_answer_row(items, "original") if "original" in items else None,
        scenarios=scenarios,
        solved={load: _answer_row(items, load) for load in scenarios if load in items},
        created=_created_row(items, instruction) if "q2i" in items and instruction else None,
        unwritten={
            kind: verdict.why if isinstance(verdict, Fault) else "check: it is missing"
            for kind, verdict in verdicts.items()
            if not isinstance(verdict, Accepted | Rejected)
        },
    )
    passed = Transformed(
        problem=problem.id,
        scenarios=scenarios,
        instruction=instruction,
    )
    texts = prepared if prepared is not None and spec.given else passed
    return ProblemOutcome(row, verdicts, texts, items)


def baseline_cases(items: Items, names: tuple[str, ...]) -> list[BaselineCase]:
    """The comparisons of the problem's question with another one, without those that a fault took.
    `names`: the ids of all problems."""
    cases = []
    for step in ("baseline@first", "baseline@second"):
        item = items.get(step)
        if item is not None and item.fault is None:
            pair = (item.problem, item.problem if item.other is None else item.other)
            first, second = pair if item.original_first else pair[::-1]
            preferences = item.preferences
            cases.append(
                BaselineCase(
                    first=names[first],
                    second=names[second],
                    preferences=preferences,
                )
            )
    return cases


def _verdicts(spec: DeepQuestionSpec, items: Items) -> dict[Kind, Verdict]:
    verdicts: dict[Kind, Verdict] = {}
    if "q2s" in spec.kinds and "scenario" in items:
        solved = {
            load: _solved(items, f"{load}@solved")
            for load in spec.distractors
            if f"{load}@solved" in items
        }
        checked, distractors = items.get("scenario@check"), items.get("distractors")
        verdicts["q2s"] = scenario_verdict(items["scenario"], checked, distractors, solved, spec)
    if "q2i" in spec.kinds and "instruction" in items:
        verdicts["q2i"] = instruction_verdict(items["instruction"], items.get("instruction@check"))
    return verdicts


def _given_verdicts(spec: DeepQuestionSpec, prepared: Transformed | None) -> dict[Kind, Verdict]:
    texts = given_texts(spec, prepared)
    kinds: dict[Kind, bool] = {"q2s": bool(texts.scenarios), "q2i": bool(texts.instruction)}
    return {kind: texts for kind, has_any in kinds.items() if has_any}


def _solved(items: Items, step: str) -> Solved:
    return items[step], items.get(f"{step}@same")


def _answer_row(items: Items, step: str) -> AnswerRow:
    solution, same_answer = _solved(items, step)
    mark, reason = solution_mark(solution, same_answer)
    return AnswerRow(
        id=solution.id,
        mark=mark,
        said=solution.answer.text if solution.answer is not None else "",
        read=solution.read,
        reason=reason,
    )


def _created_row(items: Items, instruction: str) -> CreatedRow:
    created, pair = items["q2i"], created_pair(items)
    answered = (items.get(f"q2i@{step}") for step in ("solved", "solved@same", "met"))
    counted = created_mark(created, *answered)
    outcomes: dict[Criterion, Outcome | None] = {name: pair.outcome(name) for name in CRITERIA}
    return CreatedRow(
        id=created.id,
        instruction=instruction,
        mark=counted.mark,
        question=created.text,
        invalid=counted.invalid,
        reason=counted.reason,
        preferences={
            criterion: _PREFERRED[outcome]
            for criterion, outcome in outcomes.items()
            if outcome is not None
        },
    )
