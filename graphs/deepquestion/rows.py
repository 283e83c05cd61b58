"""What came of each problem of a DeepQuestion run, and the run as rows of answers."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from ...agents.answers.final_answer import answer_kind
from ...state.deepquestion.result import AnswerRow as ProblemAnswer
from ...state.deepquestion.result import (
    BaselineCase,
    CreatedRow,
    DeepQuestionResult,
    ProblemRow,
    Rejection,
)
from ...state.deepquestion.spec import DeepQuestionSpec
from ...state.events import PartMark
from ...state.items import DeepQuestionItem
from ...state.problems import CRITERIA, Kind, Load, Problem, Transformed
from ...state.rows import AnswerRow, Tag
from ...state.text import digest
from ..answers import row_maker
from .checks import (
    REFUSED,
    Accepted,
    Items,
    Rejected,
    Unwritten,
    Verdict,
    created_mark,
    given_texts,
    instruction_verdict,
    scenario_verdict,
    solution_mark,
)
from .measures import CREATED, ORIGINAL, scenario
from .pairs import Outcome, created_pair, outcome_of

_PREFERRED: dict[Outcome | None, Literal["created", "original", "tie"]] = {
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
            Rejection(problem=self.row.id, kind=kind, **vars(verdict))
            for kind, verdict in self.verdicts.items()
            if isinstance(verdict, Rejected)
        )

    def marks(self, spec: DeepQuestionSpec) -> dict[str, PartMark]:
        """What the problem closes with: by `original`, `q2s-some` and `q2i`."""
        answers: dict[str, ProblemAnswer | CreatedRow | None] = {"original": self.row.original}
        answers |= {f"q2s-{load}": self.row.solved.get(load) for load in spec.distractors}
        answers["q2i"] = self.row.created
        marks = dict[str, PartMark]()
        for name, answer in answers.items():
            verdict = next(
                (self.verdicts[kind] for kind in self.verdicts if kind in name), None
            )
            if answer is not None:
                marks[name] = answer.mark
            elif verdict is not None and not isinstance(verdict, Accepted):
                marks[name] = "rejected" if isinstance(verdict, Rejected) else "unscored"
        return marks


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


def verdicts_of(
    spec: DeepQuestionSpec, items: Items, prepared: Transformed | None
) -> dict[Kind, Verdict]:
    """What is known of the texts of a problem, by kind. `prepared`: those that are given."""
    verdicts: dict[Kind, Verdict] = {}
    if spec.given:
        texts = given_texts(spec, prepared)
        verdicts |= {"q2s": texts} if texts.scenarios else {}
        verdicts |= {"q2i": texts} if texts.instruction else {}
        return verdicts
    if "q2s" in spec.kinds and "scenario" in items:
        verdicts["q2s"] = scenario_verdict(items, spec)
    if "q2i" in spec.kinds and "instruction" in items:
        verdicts["q2i"] = instruction_verdict(items)
    return verdicts


def problem_outcome(
    spec: DeepQuestionSpec, problem: Problem, items: Items, prepared: Transformed | None = None
) -> ProblemOutcome:
    """Everything about one problem. `prepared`: its texts where they are given."""
    verdicts = verdicts_of(spec, items, prepared)
    scenarios, instruction, unwritten = dict[Load, str](), "", dict[Kind, str]()
    for kind, verdict in verdicts.items():
        if isinstance(verdict, Accepted):
            scenarios, instruction = scenarios or verdict.scenarios, verdict.instruction
        elif isinstance(verdict, Unwritten):
            unwritten[kind] = verdict.why
    passed = Transformed(problem=problem.id, scenarios=scenarios, instruction=instruction)
    row = ProblemRow(
        id=problem.id,
        question=problem.question,
        answer=problem.answer,
        answer_kind=answer_kind(problem),
        domain=problem.domain,
        original=_answer(items, "original") if "original" in items else None,
        scenarios=scenarios,
        solved={load: _answer(items, load) for load in scenarios if load in items},
        created=_created(items, instruction) if "q2i" in items and instruction else None,
        unwritten=unwritten,
    )
    return ProblemOutcome(row, verdicts, (prepared if spec.given else None) or passed, items)


def _answer(items: Items, place: str) -> ProblemAnswer:
    solution, (mark, reason) = items[place], solution_mark(items, place)
    return ProblemAnswer(
        id=solution.id,
        mark=mark,
        said=solution.answer.text if solution.answer is not None else "",
        read=solution.read,
        reason=reason,
    )


def _created(items: Items, instruction: str) -> CreatedRow:
    pair = created_pair(items)
    outcomes = {criterion: outcome_of(pair, criterion) for criterion in CRITERIA}
    return CreatedRow(
        id=items["q2i"].id,
        instruction=instruction,
        question=items["q2i"].text,
        preferences={
            name: _PREFERRED[outcome] for name, outcome in outcomes.items() if outcome
        },
        **created_mark(items)._asdict(),
    )


def baseline_cases(items: Items, ids: tuple[str, ...]) -> list[BaselineCase]:
    """The comparisons of the problem's question with another one, without those that a fault took.
    `ids`: of all problems."""
    cases = []
    for place in ("baseline@first", "baseline@second"):
        item = items.get(place)
        if item is not None and item.fault is None:
            pair = (ids[item.problem], ids[item.other])
            first, second = pair if item.original_first else pair[::-1]
            case = BaselineCase(first=first, second=second, preferences=item.preferences)
            cases.append(case)
    return cases


def rows_of(result: DeepQuestionResult) -> list[AnswerRow]:
    """Of each problem the original, its scenarios by load, and the question that the target wrote.
    A problem is the same in two runs where id, question and answer are."""
    return problem_rows(result.problems, row_maker(result))


def problem_rows(
    problems: Iterable[ProblemRow], make: Callable[..., AnswerRow]
) -> list[AnswerRow]:
    """The rows of these problems."""
    rows = list[AnswerRow]()
    for row in problems:
        answers: dict[Load | None, ProblemAnswer] = {None: row.original} if row.original else {}
        for load, answer in (answers | row.solved).items():
            task, question = (
                (scenario(load), row.scenarios[load]) if load else (ORIGINAL, row.question)
            )
            tags: dict[str, Tag] = {"load": load, "read": answer.read}
            rows.append(_row(make, row, task, answer, question, answer.said, tags))
        if row.created is not None:
            instruction, question = row.created.instruction, row.created.question
            tags = {"invalid": row.created.invalid}
            rows.append(_row(make, row, CREATED, row.created, instruction, question, tags))
    return rows


def _row(
    make: Callable[..., AnswerRow],
    row: ProblemRow,
    task: str,
    attempt: ProblemAnswer | CreatedRow,
    question: str,
    answer: str,
    tags: Mapping[str, Tag],
) -> AnswerRow:
    group = f"{row.id} {digest(f'{row.question} {row.answer}')}"
    is_scored = attempt.mark != "unscored"
    return make(
        group=group,
        item=f"{group} {task}",
        condition=task,
        score=float(attempt.mark == "right") if is_scored else None,
        verdict="abstained" if attempt.reason == REFUSED else attempt.mark,
        stage="" if is_scored else attempt.reason.partition(":")[0],
        tags={"problem": row.id, "category": row.domain, "task": task, **tags},
        texts={
            "question": question,
            "reference": row.answer,
            "answer": answer,
            "reason": attempt.reason,
        },
    )
