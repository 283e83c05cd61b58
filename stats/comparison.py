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
_SOURCES = frozenset({"source", "source_run", "questions"})
"""Fields of a replay's spec that say which drill its questions are from."""
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
    """Results of one method, each run once. `answers`: run id → its rows;
    `unfinished`: runs without a result; `benchmark`: what Explain-Query-Tests are set beside;
    `ranked`: a method's own way to compare, in place of the one by questions.
    Raises ValueError without any result."""
    runs = list({result.run_id: result for result in results}.values())
    made = (
        ranked(results, unfinished)
        if ranked is not None
        else _by_items(method, results, answers, unfinished, benchmark)
    )
    return made.model_copy(update={"changes": tuple(changes(runs, made.models))})


def _by_items(
    method: str,
    results: Sequence[Any],
    answers: Mapping[str, Sequence[AnswerRow]],
    unfinished: Sequence[Unfinished],
    benchmark: Sequence[BenchmarkScore],
) -> Comparison:
    runs = list({result.run_id: result for result in results}.values())
    models = _together(runs)
    shared = _ABOUT if len(models) == len(runs) else _ABOUT | CHANCE
    named = [(own[0].run_id, own[0].spec) for own in models]
    named += [(each.run_id, each.spec) for each in unfinished]
    labels = labels_of(named, lambda spec: marks_of(spec, shared))
    of_models = dict(zip(labels, models, strict=False))
    rows: dict[str, list[AnswerRow]] = {}
    for label, own in of_models.items():
        asked = [row for run in own for row in answers[run.run_id]]
        rows[label] = [row for row in asked if row.condition not in APART]
    own_exams = method == "eqt" and not _same_texts(rows.values(), lambda row: row.item)
    measure, span = "accuracy", (0.0, 1.0)
    if method == "depthqa":
        measure, span = "score", (1.0, 5.0)
    scored = []
    for label, own in of_models.items():
        scores = _scores(rows[label], span)
        if own_exams:
            scores = _by_group(scores)
        first, *further = (run.run_id for run in own)
        scored.append(Scored(label, first, scores, further=tuple(further)))
    for label, each in zip(labels[len(models) :], unfinished, strict=True):
        scored.append(Scored(label, each.run_id, {}, each.status))
    notes = [
        *given_twice(results),
        *_incomplete(of_models),
        *not_counted((label_of(each.spec.target), each.why) for each in unfinished),
        *_unlike([run.spec for run in runs], shared),
        *([BY_CONCEPT] if own_exams else []),
    ]
    if method == "deepquestion" and not _same_texts(rows.values(), _question):
        notes.append(OTHER_TEXTS)
    compared = compare_items(
        method,
        measure,
        scored,
        simulated=any(run.simulated for run in runs),
        span=span,
        notes=notes,
    )
    if method != "eqt":
        return compared
    cells = [*_by_category(rows)]
    targets = {label: own[0].spec.target for label, own in of_models.items()}
    beside = beside_benchmark(targets, cells, benchmark) if benchmark else None
    in_categories = tuple(cell for cell in cells if cell.domain != ALL)
    return compared.model_copy(update={"cells": in_categories, "benchmark": beside})


def _incomplete(models: Mapping[str, Sequence[Any]]) -> Iterator[str]:
    for label, runs in models.items():
        for run in runs:
            if run.status != "complete":
                yield f"counted as far as it went: {label} ({ending(run)})"


def _unlike(specs: Sequence[Any], shared: Collection[str]) -> list[str]:
    """What is new with a model itself is told as a change."""
    if len({spec.target for spec in specs}) < 2:
        return []
    fields = [
        name for name in type(specs[0]).model_fields if name not in shared and not _own(specs, name)
    ]
    return unlike(specs, fields, "the models were not asked alike")


def _question(row: AnswerRow) -> str:
    return row.texts["question"]


def _own(specs: Sequence[Any], name: str) -> bool:
    """Whether each model is itself what the field names, as where each examines itself."""
    return all(getattr(spec, name) == spec.target for spec in specs)


def _together(runs: Sequence[Any]) -> list[list[Any]]:
    """Runs of one model and settings are its repeats, and so are its replays on the questions of
    several drills. Where all are of one model, each is set against the others, but for replays of
    different drills."""
    models: dict[Hashable, list[Any]] = defaultdict(list)
    for run in runs:
        shared = _SOURCES if run.method == "replay" else ()
        models[settings_of(run, shared)].append(run)
    if len(models) > 1:
        return [*models.values()]
    rounds: dict[Hashable, list[Any]] = defaultdict(list)
    times = Counter[str]()
    for run in runs:
        source = getattr(run.spec, "source_run", "")
        rounds[times[source]].append(run)
        times[source] += 1
    return [*rounds.values()]


def changes(runs: Sequence[Any], models: Sequence[ComparedModel]) -> list[str]:
    """What is not as it was, of each compared model after another one of the same target."""
    by_id = {run.run_id: run for run in runs}
    held = [
        (model.label, [by_id[run] for run in sorted(model.run_ids)])
        for model in models
        if model.run_ids
    ]
    held.sort(key=lambda entry: entry[1][0].run_id)  # ids begin with the time
    earlier: dict[str, tuple[str, list[Any]]] = {}
    found = []
    for label, own in held:
        target = own[0].spec.target
        if target in earlier:
            before, theirs = earlier[target]
            passed = _PASSED | (
                {"seed", "domain", "as_of"} if len(own) > 1 or len(theirs) > 1 else set()
            )
            what = [*_spec_changes(theirs[0], own[0], passed), *_made_with(theirs[0], own[0])]
            found.append(f"{before} → {label}: {', '.join(what) or NOTHING_CHANGED}")
        earlier[target] = label, own
    return found


def _spec_changes(before: Any, after: Any, passed: Collection[str]) -> list[str]:
    """Fields of the spec with their old and new value, where these are short."""
    found = []
    for name in type(after.spec).model_fields:
        old, new = getattr(before.spec, name), getattr(after.spec, name)
        if old != new and name not in passed:
            told = [label_of(value) if name in after.spec.models else value for value in (old, new)]
            short = all(
                isinstance(value, str | int | float | date) and len(str(value)) <= SHORT
                for value in told
            )
            found.append(
                f"{name} ({told[0]} → {told[1]})" if short and told[0] != told[1] else name
            )
    return found


def _made_with(before: Any, after: Any) -> list[str]:
    """What a model calls itself, prompts, sources and the program's version, where they are not as
    they were."""
    found = []
    for part, words in _TRACED.items():
        old, new = before.provenance.get(part), after.provenance.get(part)
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            differ = sorted(str(name) for name in {*old, *new} if old.get(name) != new.get(name))
            found += [f"{words} ({', '.join(differ)})"] if differ else []
        elif old != new:
            found.append(f"{words} ({old} → {new})")
    return found


def _same_texts(runs: Iterable[Sequence[AnswerRow]], what: Callable[[AnswerRow], str]) -> bool:
    """Whether all runs were asked the same of each group that they have in common."""
    asked: dict[Hashable, set[frozenset[str]]] = defaultdict(set)
    for rows in runs:
        texts: dict[Hashable, set[str]] = defaultdict(set)
        for row in rows:
            texts[row.group].add(what(row))
        for group, own in texts.items():
            asked[group].add(frozenset(own))
    return all(len(texts) == 1 for texts in asked.values())


def _scores(rows: Iterable[AnswerRow], span: Interval) -> Scores:
    """The score of each question, of several repeats the mean. A starting topic of a replay is one
    of its drill."""
    least, most = span
    groups: dict[Hashable, Hashable] = {}
    scores: dict[Hashable, list[float]] = defaultdict(list)
    for row in rows:
        if row.score is not None:
            groups[row.item] = row.tag("source_run"), row.group
            scores[row.item].append(least + (most - least) * row.score)
    return {item: (groups[item], fmean(each)) for item, each in scores.items()}


def _by_category(runs: Mapping[str, Sequence[AnswerRow]]) -> Iterator[ComparedCell]:
    """The accuracy of each by category, then over all concepts."""
    categories = dict.fromkeys(str(row.tag("category")) for own in runs.values() for row in own)
    for category in (*(name for name in categories if plain(name) not in OVERALL), ALL):
        for label, own in runs.items():
            part = [row for row in own if category in (row.tag("category"), ALL)]
            found = mean(values_of(part))
            if category and found.value is not None:
                yield ComparedCell(
                    domain=category,
                    label=label,
                    estimate=found.value,
                    interval=found.interval,
                    at_least=False,
                    runs=1,
                )


def _by_group(scores: Scores) -> Scores:
    """The mean score of each group, as if it were one question."""
    groups: dict[Hashable, list[float]] = defaultdict(list)
    for group, score in scores.values():
        groups[group].append(score)
    return {group: (group, fmean(own)) for group, own in groups.items()}


"""Those whose runs can be compared."""
