"""The figures of a DepthQA run from its items (METHODS.md, section 4)."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from ...state.depthqa.items import QuestionGraph
from ...state.depthqa.result import Asked, Case, Change, GraphRow, LabelRow, ModeNumbers
from ...state.items import DepthQAItem
from ...state.records import Stage
from ...state.spec import DepthQASpec
from .cases import cases
from .gaps import discrepancies
from .min_k import min_k_missing, min_k_numbers
from .rows import accuracy, by_domain, by_reasoning, changes, graph_row
from .scores import ModeScores, asked_rows, mode_scores, stage_of


@dataclass(frozen=True)
class Tables:
    """Every field of `DepthQAResult` that rests on items or the graph, under its name there:
    `DepthQAResult(**tables.fields(), …)`."""

    graph: GraphRow
    modes: tuple[ModeNumbers, ...]
    by_domain: tuple[LabelRow, ...]
    by_reasoning: tuple[LabelRow, ...]
    changes: tuple[Change, ...]
    cases: tuple[Case, ...]
    answers: tuple[Asked, ...]

    def fields(self) -> dict[str, Any]:
        """Name → value, not copied."""
        return dict(vars(self))


def tables_of(
    spec: DepthQASpec, graph: QuestionGraph, items: Iterable[DepthQAItem], closed: Collection[int]
) -> Tables:
    """All figures of a run. `closed`: indices of the trees that are finished; no node of another
    one counts, neither for itself nor as a neighbour.

    Raises RunFailed when an answer is missing that a rating is of.
    """
    answers = asked_rows(graph, items, closed)
    modes = _scores(spec, graph, answers, closed)
    shown = next((scores for scores in modes if scores.mode == "zero-shot"), modes[0])
    return Tables(
        graph=graph_row(graph),
        modes=tuple(mode_numbers(spec, scores) for scores in modes),
        by_domain=by_domain(shown),
        by_reasoning=by_reasoning(shown),
        changes=changes(shown, [s for s in modes if s is not shown])
        if shown.mode == "zero-shot"
        else (),
        cases=cases(shown),
        answers=answers,
    )


def numbers_of(
    spec: DepthQASpec, graph: QuestionGraph, answers: Sequence[Asked], closed: Collection[int]
) -> tuple[ModeNumbers, ...]:
    """The figures of each mode over some of the finished trees. `answers`: as a result keeps
    them."""
    return tuple(mode_numbers(spec, scores) for scores in _scores(spec, graph, answers, closed))


def _scores(
    spec: DepthQASpec, graph: QuestionGraph, answers: Sequence[Asked], closed: Collection[int]
) -> list[ModeScores]:
    return [mode_scores(graph, answers, closed, mode) for mode in spec.modes]


def mode_numbers(spec: DepthQASpec, scores: ModeScores) -> ModeNumbers:
    """The figures of one way of asking."""
    faults = Counter(stage for row in scores.rows if (stage := stage_of(row)) is not None)
    found = min_k_numbers(scores)
    return ModeNumbers(
        mode=scores.mode,
        accuracy=accuracy(scores),
        discrepancies=discrepancies(scores),
        unscored={stage: faults[stage] for stage in get_args(Stage) if faults[stage]},
        refusals=sum(row.refused for row in scores.rows),
        silent=sum(
            row.score is not None and not row.answer.strip() and not row.refused
            for row in scores.rows
        ),
        min_k=found,
        min_k_missing=min_k_missing(spec) if found is None else None,
    )
