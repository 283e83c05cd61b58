"""Runs of one method set against each other, by the measure of the method."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any

from ..state.benchmark import BenchmarkScore
from ..state.comparison import ComparedCell, Comparison
from ..state.result import Interval
from ..state.rows import AnswerRow
from .benchmark import ALL, OVERALL, beside_benchmark, plain
from .estimates import mean, values_of
from .items import Scored, Scores, compare_items
from .side_by_side import Side, Unfinished, changes, ending, notes_on, sides_of

APART = frozenset({"open book", "q2i", "drilled model"})
"""Conditions that are another task than the rest, or another model's answers."""
_SOURCES = frozenset({"source", "source_run", "questions", "answers"})
"""Fields of a replay's spec that say which drill its questions are from, and which were put."""
BY_CONCEPT = (
    "the models were not asked the same questions, as each wrote its own: compared is the "
    "accuracy per concept"
)
OTHER_TEXTS = (
    "the scenarios of a problem are not the same text in all runs: a difference may come from the "
    "texts"
)


def compare(
    method: str,
    results: Sequence[Any],
    answers: Mapping[str, Sequence[AnswerRow]],
    unfinished: Sequence[Unfinished] = (),
    benchmark: Sequence[BenchmarkScore] = (),
    ranked: Callable[[Sequence[Any], Sequence[Unfinished]], Comparison] | None = None,
) -> Comparison:
    """Results of one method, each run once. `answers`: run id → its rows; `unfinished`: runs without
    a result; `benchmark`: what Explain-Query-Tests are set beside; `ranked`: a method's own way to
    compare, in place of the one by questions. Raises ValueError without any result."""
    runs = list({result.run_id: result for result in results}.values())
    if ranked is not None:
        compared = ranked(runs, unfinished)
    else:
        compared = _by_items(method, runs, answers, unfinished, benchmark)
    by_id = {run.run_id: run for run in runs}
    sides = []
    for model in compared.models:
        if model.run_ids:
            model_runs = [by_id[run_id] for run_id in model.run_ids]
            sides.append(Side(model_runs[0].spec, model_runs, label=model.label))
    return compared.model_copy(update={"changes": tuple(changes(sides))})


def _by_items(
    method: str,
    runs: Sequence[Any],
    answers: Mapping[str, Sequence[AnswerRow]],
    unfinished: Sequence[Unfinished],
    benchmark: Sequence[BenchmarkScore],
) -> Comparison:
    shared = _SOURCES if method == "replay" else frozenset[str]()
    sides = sides_of(runs, unfinished, shared, lambda run: getattr(run.spec, "source_run", ""))
    rows = {
        side.label: [
            row
            for run in side.runs
            for row in answers[run.run_id]
            if row.condition not in APART
        ]
        for side in sides
    }
    sides_asked = [part for part in rows.values() if part]
    measure, span = ("score", (1.0, 5.0)) if method == "depthqa" else ("accuracy", (0.0, 1.0))
    own_exams = method == "eqt" and not _same_texts(sides_asked, lambda row: row.item)
    scored, notes = [], [*notes_on(sides, shared)]
    for side in sides:
        scores = _scores(rows[side.label], span, by_group=own_exams)
        run_ids = tuple(run.run_id for run in side.runs)
        scored.append(Scored(side.label, run_ids, scores, side.ended))
        cut = [run for run in side.runs if run.status != "complete"]
        notes += [f"counted as far as it went: {side.label} ({ending(run)})" for run in cut]
    if own_exams:
        notes.append(BY_CONCEPT)
    same_texts = _same_texts(sides_asked, lambda row: row.texts.get("question", ""))
    if method == "deepquestion" and not same_texts:
        notes.append(OTHER_TEXTS)
    simulated = any(run.simulated for run in runs)
    compared = compare_items(
        method, measure, scored, simulated=simulated, span=span, notes=notes
    )
    if method != "eqt":
        return compared
    cells = [*_by_category(rows)]
    targets = {side.label: side.spec.target for side in sides if side.runs}
    scores_there = beside_benchmark(targets, cells, benchmark) if benchmark else None
    in_categories = tuple(cell for cell in cells if cell.domain != ALL)
    return compared.model_copy(update={"cells": in_categories, "benchmark": scores_there})


def _same_texts(sides: Iterable[Sequence[AnswerRow]], text: Callable[[AnswerRow], str]) -> bool:
    """Whether all models were asked the same of each group that they have in common."""
    texts: dict[Hashable, set[frozenset[str]]] = defaultdict(set)
    for rows in sides:
        groups: dict[Hashable, set[str]] = defaultdict(set)
        for row in rows:
            groups[row.group].add(text(row))
        for group, of_model in groups.items():
            texts[group].add(frozenset(of_model))
    return all(len(different) == 1 for different in texts.values())


def _scores(rows: Iterable[AnswerRow], span: Interval, *, by_group: bool) -> Scores:
    """The score of each question, of several repeats the mean; or (`by_group`) of each group, as if
    it were one question. A starting topic of a replay is one of its drill."""
    least, most = span
    groups: dict[Hashable, Hashable] = {}
    scores: dict[Hashable, list[float]] = defaultdict(list)
    for row in rows:
        if row.score is not None:
            groups[row.item] = row.tag("source_run"), row.group
            scores[row.item].append(least + (most - least) * row.score)
    means = {item: (groups[item], fmean(values)) for item, values in scores.items()}
    if not by_group:
        return means
    of_groups: dict[Hashable, list[float]] = defaultdict(list)
    for group, score in means.values():
        of_groups[group].append(score)
    return {group: (group, fmean(of_group)) for group, of_group in of_groups.items()}


def _by_category(sides: Mapping[str, Sequence[AnswerRow]]) -> Iterator[ComparedCell]:
    """The accuracy of each by category, then over all concepts."""
    categories = dict.fromkeys(
        str(row.tag("category")) for rows in sides.values() for row in rows
    )
    for category in (*(name for name in categories if plain(name) not in OVERALL), ALL):
        for label, rows in sides.items():
            part = [row for row in rows if category in (row.tag("category"), ALL)]
            share = mean(values_of(part))
            if category and share.value is not None:
                yield ComparedCell(
                    domain=category,
                    label=label,
                    estimate=share.value,
                    interval=share.interval,
                    at_least=False,
                    runs=1,
                )
