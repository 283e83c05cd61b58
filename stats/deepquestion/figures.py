"""The figures of a DeepQuestion run from its items (METHODS.md, section 5)."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...state.deepquestion.items import KINDS, AnswerKind, Kind, ProblemId, ProblemSet, Transformed
from ...state.deepquestion.result import (
    BaselineCase,
    Comparisons,
    InstructionRow,
    LoadRow,
    ProblemRow,
    PromptHistory,
    Rejection,
    Share,
)
from ...state.deepquestion.spec import DeepQuestionSpec
from ...state.items import DeepQuestionItem
from .items import by_problem
from .pairs import BASELINE_CRITERIA, baseline_pair, comparisons, created_pair
from .prompts import prompt_histories
from .rows import ProblemOutcome, baseline_cases, problem_outcome
from .shares import instruction_row, load_row, share_of


@dataclass(frozen=True)
class Tables:
    """Every field of `DeepQuestionResult` that rests on items, under its name there:
    `DeepQuestionResult(**tables.fields(), …)`."""

    prompts: tuple[PromptHistory, ...]
    original: Share
    original_unscored: int
    q2s: tuple[LoadRow, ...]
    q2i: InstructionRow | None
    baseline: Comparisons | None
    rejected: tuple[Rejection, ...]
    unwritten: dict[Kind, int]
    problems: tuple[ProblemRow, ...]
    baseline_cases: tuple[BaselineCase, ...]
    transformed: tuple[Transformed, ...]

    def fields(self) -> dict[str, Any]:
        """Name → value, not copied."""
        return dict(vars(self))


def tables_of(
    spec: DeepQuestionSpec,
    problems: ProblemSet,
    items: Sequence[DeepQuestionItem],
    closed: Collection[int],
    kinds: Mapping[ProblemId, AnswerKind],
) -> Tables:
    """All figures of a run, in the problems' order, in whatever order the items came; of items with
    one place the last counts. `closed`: indices of the finished problems; nothing of another one
    counts, but for the history of the prompts. `kinds`: problem → how its answers are compared."""
    held = by_problem(items, closed)
    done = [
        problem_outcome(spec, problem, own, kinds[problem.id], problems.given.get(problem.id))
        for problem, own in ((problems.problems[index], own) for index, own in held.items())
    ]
    rows = [outcome.row for outcome in done]
    original = share_of(row.original for row in rows)
    names = tuple(problem.id for problem in problems.problems)
    unwritten = Counter(kind for row in rows for kind in row.unwritten)
    pairs = [pair for outcome in done if (pair := baseline_pair(outcome.own)).items]
    return Tables(
        prompts=prompt_histories(spec, items),
        original=original,
        original_unscored=len(rows) - original.n,
        q2s=tuple(load_row(rows, load) for load in spec.distractors)
        if _reached(spec, done, "q2s")
        else (),
        q2i=_instructions(done) if _reached(spec, done, "q2i") else None,
        baseline=comparisons(pairs, BASELINE_CRITERIA) if pairs else None,
        rejected=tuple(each for outcome in done for each in outcome.rejected),
        unwritten={kind: unwritten[kind] for kind in KINDS if unwritten[kind]},
        problems=tuple(rows),
        baseline_cases=tuple(case for outcome in done for case in baseline_cases(outcome, names)),
        transformed=tuple(
            each for outcome in done if (each := outcome.texts).scenarios or each.instruction
        ),
    )


def _reached(spec: DeepQuestionSpec, done: Sequence[ProblemOutcome], kind: Kind) -> bool:
    if kind not in spec.kinds or not done:
        return False
    return spec.given or any(kind in outcome.verdicts for outcome in done)


def _instructions(done: Sequence[ProblemOutcome]) -> InstructionRow:
    asked = [outcome for outcome in done if outcome.instruction]
    return instruction_row(
        [outcome.row for outcome in asked], [created_pair(outcome.own) for outcome in asked]
    )
