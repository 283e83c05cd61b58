"""What comparisons of several runs share, of whatever method: which of them are repeats, labels, and
what keeps their figures from meaning the same."""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..state.worlds import label_of


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A run that has no result, or none that counts."""

    run_id: str
    spec: Any
    status: str
    why: str


CHANCE = frozenset({"seed", "repeat", "repeats", "pool_seed", "as_of"})
"""Fields of a spec in which repeats may differ."""
_STATE = ("prompts", "models")
"""Parts of the provenance that make two states of a model: the wording of prompts, and what models
call themselves."""


def settings_of(result: Any, shared: Collection[str] = ()) -> str:
    """What results have in common that repeat each other. `shared`: fields of a spec that make no
    difference besides."""
    fields = result.spec.model_dump(mode="json", exclude={*CHANCE, *shared})
    state = [result.provenance.get(part) for part in _STATE]
    return json.dumps([fields, state], sort_keys=True, default=str)


def with_id(label: str, run: str) -> str:
    """The label of a run that only its id tells from another."""
    return f"{label} [{run.rpartition('-')[2]}]"


def marks_of(spec: Any, shared: Collection[str] = ()) -> tuple[str, ...]:
    """What may tell two specs of one target apart: each field with a short value, `n 30`; `shared`
    ones apart."""
    models: Mapping[str, str] = spec.models
    fields = [name for name in type(spec).model_fields if name not in {"method", "target", *shared}]
    marks = []
    for name in fields:
        value = getattr(spec, name)
        if name in models:
            value = label_of(models[name])
        short = isinstance(value, str | int | float)
        marks.append(f"{name.replace('_', ' ')} {value}" if short else "")
    return tuple(marks)


def labels_of(
    runs: Sequence[tuple[str, Any]],
    marks: Callable[[Any], Sequence[str]],
    with_mark: Callable[[str, str], str] = with_id,
) -> list[str]:
    """Each run, of (run id, spec), under its target's name; those of one target are told apart by
    their marks, as far as these differ among them, and by run id (`apart`) where that is not
    enough."""
    labels = []
    for _, spec in runs:
        namesakes = [marks(namesake) for _, namesake in runs if namesake.target == spec.target]
        marks_of_run = marks(spec)
        tags = dict.fromkeys(
            m
            for index, m in enumerate(marks_of_run)
            if m and any(other_marks[index] != m for other_marks in namesakes)
        )
        labels.append(
            f"{label_of(spec.target)} ({', '.join(tags)})" if tags else label_of(spec.target)
        )
    times = Counter(labels)
    return [
        with_mark(label, run) if times[label] > 1 else label
        for label, (run, _) in zip(labels, runs, strict=True)
    ]


def given_twice(results: Iterable[Any]) -> list[str]:
    """A note for each run that is given more than once."""
    times = Counter(result.run_id for result in results)
    return [
        f"run {run} is given more than once and counts once"
        for run, number in times.items()
        if number > 1
    ]


def ending(result: Any) -> str:
    """How a run ended: `budget: 3 of 9 parts`."""
    return f"{result.status}: {result.stop_detail or result.stop_reason}".removeprefix(
        "interrupted: "
    )


def not_counted(runs: Iterable[tuple[str, str]]) -> list[str]:
    """A note for each reason why runs, of (name, reason), do not count."""
    names: dict[str, list[str]] = {}
    for name, why in runs:
        names.setdefault(why.rstrip("."), []).append(name)
    return [
        f"not counted: {', '.join(dict.fromkeys(run_names))} ({why})"
        for why, run_names in names.items()
    ]


def unlike(specs: Sequence[object], fields: Iterable[str], subject: str) -> list[str]:
    """The note that specs differ in fields on which the figures depend. `who`: `the targets were
    not asked alike`."""
    names = [
        name
        for name in fields
        if any(getattr(spec, name) != getattr(specs[0], name) for spec in specs)
    ]
    return [f"{subject}: their specs differ in {', '.join(names)}"] if names else []
