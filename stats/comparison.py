"""Runs of one method set against each other, by the measure of the method."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from statistics import fmean
from typing import Any

from ..state.benchmark import BenchmarkScore
from ..state.comparison import ComparedCell, ComparedModel, Comparison
from ..state.result import Interval
from ..state.rows import AnswerRow
from ..state.worlds import label_of
from .benchmark import ALL, OVERALL, beside_benchmark, plain
from .estimates import mean, values_of
from .items import Scored, compare_items
from .side_by_side import (
    CHANCE,
    Unfinished,
    ending,
    given_twice,
    labels_of,
    marks_of,
    not_counted,
    settings_of,
    unlike,
)

Scores = Mapping[Hashable, tuple[Hashable, float]]
"""Question → (group, score)."""
APART = frozenset({"open book", "q2i", "drilled model"})
"""Conditions that are another task than the rest, or another model's answers."""
_TRACED = {
    "fathom": "version of Fathom",
    "prompts": "wording of prompts",
    "models": "name that a model gives itself",
    "fingerprints": "state of the sources",
}
"""Parts of the provenance → what they tell."""
_SOURCES = frozenset({"source", "source_run", "questions", "answers"})
"""Fields of a replay's spec that say which drill its questions are from, and which were put."""
_ABOUT = _SOURCES | {"target", "as_of"}
"""Fields of a spec that say who is examined by what."""
_PASSED = frozenset({"pool_seed", "repeat", "repeats", "prompts"})
"""Fields that follow from others, or are told by the provenance."""
BY_CONCEPT = (
    "the models were not asked the same questions, as each wrote its own: compared is the "
    "accuracy per concept"
)
OTHER_TEXTS = (
    "the scenarios of a problem are not the same text in all runs: a difference may come from the "
    "texts"
)
SHORT = 40
"""Characters up to which an old and a new value are told."""
NOTHING_CHANGED = "the same spec, prompts, sources and names of models"


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
        compared = ranked(results, unfinished)
    else:
        notes = given_twice(results)
        compared = _by_items(method, runs, answers, unfinished, benchmark, notes)
    return compared.model_copy(update={"changes": tuple(changes(runs, compared.models))})


def _by_items(
    method: str,
    runs: Sequence[Any],
    answers: Mapping[str, Sequence[AnswerRow]],
    unfinished: Sequence[Unfinished],
    benchmark: Sequence[BenchmarkScore],
    notes: list[str],
) -> Comparison:
    models = _together(runs)
    shared = _ABOUT if len(models) == len(runs) else _ABOUT | CHANCE
    named = [(repeats[0].run_id, repeats[0].spec) for repeats in models]
    named += [(run.run_id, run.spec) for run in unfinished]
    labels = labels_of(named, lambda spec: marks_of(spec, shared))
    by_label = dict(zip(labels, models, strict=False))
    rows = {
        label: [row for run in repeats for row in answers[run.run_id] if row.condition not in APART]
        for label, repeats in by_label.items()
    }
    measure, span = ("score", (1.0, 5.0)) if method == "depthqa" else ("accuracy", (0.0, 1.0))
    own_exams = method == "eqt" and not _same_texts(rows.values(), lambda row: row.item)
    scored = []
    for label, repeats in by_label.items():
        scores = _scores(rows[label], span, by_group=own_exams)
        first, *further = (run.run_id for run in repeats)
        scored.append(Scored(label, first, scores, further=tuple(further)))
        cut = [run for run in repeats if run.status != "complete"]
        notes += [f"counted as far as it went: {label} ({ending(run)})" for run in cut]
    for label, run in zip(labels[len(models) :], unfinished, strict=True):
        scored.append(Scored(label, run.run_id, {}, run.status))
    notes += not_counted((label_of(run.spec.target), run.why) for run in unfinished)
    notes += _unlike([run.spec for run in runs], shared)
    if own_exams:
        notes.append(BY_CONCEPT)
    same_texts = _same_texts(rows.values(), lambda row: row.texts.get("question", ""))
    if method == "deepquestion" and not same_texts:
        notes.append(OTHER_TEXTS)
    simulated = any(run.simulated for run in runs)
    compared = compare_items(method, measure, scored, simulated=simulated, span=span, notes=notes)
    if method != "eqt":
        return compared
    cells = [*_by_category(rows)]
    targets = {label: repeats[0].spec.target for label, repeats in by_label.items()}
    scores_there = beside_benchmark(targets, cells, benchmark) if benchmark else None
    in_categories = tuple(cell for cell in cells if cell.domain != ALL)
    return compared.model_copy(update={"cells": in_categories, "benchmark": scores_there})


def _unlike(specs: Sequence[Any], shared: Collection[str]) -> list[str]:
    """What is new with a model itself is told as a change; a field may name each model itself, as
    where each is its own examiner."""
    if len({spec.target for spec in specs}) < 2:
        return []
    fields = [
        name
        for name in type(specs[0]).model_fields
        if name not in shared and any(getattr(spec, name) != spec.target for spec in specs)
    ]
    return unlike(specs, fields, "the models were not asked alike")


def _together(runs: Sequence[Any]) -> list[list[Any]]:
    """Runs of one model and settings are its repeats, and so are its replays on the questions of
    several drills. Where all are of one model, each is set against the others, but for replays of
    different drills."""
    models: dict[Hashable, list[Any]] = defaultdict(list)
    rounds: dict[Hashable, list[Any]] = defaultdict(list)
    times = Counter[str]()
    for run in runs:
        models[settings_of(run, _SOURCES if run.method == "replay" else ())].append(run)
        source = getattr(run.spec, "source_run", "")
        rounds[times[source]].append(run)
        times[source] += 1
    return [*(models if len(models) > 1 else rounds).values()]


def changes(runs: Sequence[Any], models: Sequence[ComparedModel]) -> list[str]:
    """What is not as it was, of each compared model after another one of the same target."""
    by_id = {run.run_id: run for run in runs}
    repeats = {
        model.label: [by_id[run] for run in sorted(model.run_ids)]
        for model in models
        if model.run_ids
    }
    earlier: dict[str, str] = {}
    sentences = []
    # ids begin with the time
    for label in sorted(repeats, key=lambda label: str(repeats[label][0].run_id)):
        target = repeats[label][0].spec.target
        if target in earlier:
            before, after = repeats[earlier[target]], repeats[label]
            several = len(before) > 1 or len(after) > 1
            passed = _PASSED | ({"seed", "domain", "as_of"} if several else set())
            parts = [*_spec_changes(before[0], after[0], passed), *_made_with(before[0], after[0])]
            what_changed = ", ".join(parts) or NOTHING_CHANGED
            sentences.append(f"{earlier[target]} → {label}: {what_changed}")
        earlier[target] = label
    return sentences


def _spec_changes(before: Any, after: Any, passed: Collection[str]) -> Iterator[str]:
    """Fields of the spec with their old and new value, where these are short."""
    for name in type(after.spec).model_fields:
        values = [getattr(run.spec, name) for run in (before, after)]
        if values[0] == values[1] or name in passed:
            continue
        if name in after.spec.models:
            values = [label_of(value) for value in values]
        is_short = all(isinstance(value, str | int | float | date) for value in values)
        is_short = is_short and max(len(str(value)) for value in values) <= SHORT
        is_short = is_short and values[0] != values[1]
        yield f"{name} ({values[0]} → {values[1]})" if is_short else name


def _made_with(before: Any, after: Any) -> Iterator[str]:
    """What a model calls itself, prompts, sources and the program's version, where they are not as
    they were."""
    for part, words in _TRACED.items():
        old, new = before.provenance.get(part), after.provenance.get(part)
        if old == new:
            continue
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            differ = [str(name) for name in {*old, *new} if old.get(name) != new.get(name)]
            yield f"{words} ({', '.join(sorted(differ))})"
        else:
            yield f"{words} ({old} → {new})"


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
    categories = dict.fromkeys(str(row.tag("category")) for rows in sides.values() for row in rows)
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
