"""What comparisons of several runs share, of whatever method: which of them are repeats, labels, and
what keeps their figures from meaning the same."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..state.worlds import label_of


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A run that has no result, or none that counts."""

    run_id: str
    spec: Any
    status: str
    why: str


@dataclass(slots=True)
class Side:
    """A model of a comparison: its runs that count, and those that do not."""

    spec: Any
    runs: list[Any] = field(default_factory=list)
    unfinished: list[Unfinished] = field(default_factory=list)
    label: str = ""

    @property
    def ended(self) -> str | None:
        """How its runs ended, where none counts."""
        return None if self.runs else self.unfinished[0].status


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


def sides_of(
    runs: Sequence[Any],
    unfinished: Sequence[Unfinished],
    shared: Collection[str],
    subject: Callable[[Any], Hashable],
) -> list[Side]:
    """The models with a run that counts, then those without. Runs of one model and settings are its
    repeats. Where all are of one model, those of different subjects are, and of one subject each is
    set against the others. `shared`: fields in which the runs of a model may differ beside those of
    chance."""
    groups: dict[Hashable, list[Any]] = defaultdict(list)
    for run in runs:
        groups[settings_of(run, shared)].append(run)
    if len(groups) == 1:
        times = Counter[Hashable]()
        groups = defaultdict(list)
        for run in runs:
            groups[times[subject(run)]].append(run)
            times[subject(run)] += 1
    sides = [Side(group[0].spec, group) for group in groups.values()]
    for lost in unfinished:
        fields = _fields(lost.spec, CHANCE | {*shared})
        alike = [side for side in sides if not _differing([side.spec, lost.spec], fields)]
        if not alike:
            alike = [Side(lost.spec)]
            sides += alike
        alike[0].unfinished.append(lost)
    varying = {*CHANCE, *shared}
    if len(groups) == len(runs):
        varying.discard("seed")
    ids = [(side.runs or side.unfinished)[0].run_id for side in sides]
    specs = [side.spec for side in sides]
    for side, label in zip(sides, labels_of(specs, varying, ids), strict=True):
        side.label = label
    return sides


def labels_of(
    specs: Sequence[Any], shared: Collection[str], run_ids: Sequence[str] = ()
) -> list[str]:
    """Each run under its target's name; those of one target are told apart by fields that differ
    among them, but for `shared` ones, and by `run_ids`, where there are any and that is not
    enough."""
    labels = []
    for spec in specs:
        alike = [other for other in specs if other.target == spec.target]
        marks = [
            f"{name.replace('_', ' ')} {_value(spec, name)}"
            for name in _differing(alike, _fields(spec, {*shared, "method", "target"}))
            if isinstance(_value(spec, name), str | int | float)
        ]
        label = label_of(spec.target)
        labels.append(f"{label} ({', '.join(dict.fromkeys(marks))})" if marks else label)
    times = Counter(labels)
    for place, run_id in enumerate(run_ids):
        if times[labels[place]] > 1:
            labels[place] = f"{labels[place]} [{run_id.rpartition('-')[2]}]"
    return labels


def _fields(spec: Any, shared: Collection[str]) -> list[str]:
    return [name for name in type(spec).model_fields if name not in shared]


def _value(spec: Any, name: str) -> Any:
    """A model as people are shown it."""
    value = getattr(spec, name)
    return label_of(value) if name in spec.models else value


def _differing(specs: Sequence[Any], fields: Sequence[str]) -> list[str]:
    first = specs[0]
    return [
        name
        for name in fields
        if any(getattr(one, name) != getattr(first, name) for one in specs)
    ]


def ending(result: Any) -> str:
    """How a run ended: `budget: 3 of 9 parts`."""
    return f"{result.status}: {result.stop_detail or result.stop_reason}".removeprefix(
        "interrupted: "
    )


def notes_on(sides: Sequence[Side], shared: Collection[str] = ()) -> Iterator[str]:
    """What does not count, and why; and in what the models were not asked alike, but for fields
    that name each model itself, as where each is its own examiner, and for what is new with one
    model, which is told as a change."""
    reasons: dict[str, list[str]] = defaultdict(list)
    for side in sides:
        for run in side.unfinished:
            name = f"{label_of(run.spec.target)} in {run.spec.domain}"
            reasons[run.why.rstrip(".")].append(name)
    for why, names in reasons.items():
        yield f"not counted: {', '.join(dict.fromkeys(names))} ({why})"
    specs = [run.spec for side in sides for run in side.runs]
    if len({spec.target for spec in specs}) > 1:
        fields = [
            name
            for name in _fields(specs[0], {*CHANCE, *shared, "target"})
            if any(getattr(spec, name) != spec.target for spec in specs)
        ]
        if differing := _differing(specs, fields):
            yield f"the models were not asked alike: their specs differ in {', '.join(differing)}"


# changes

_TRACED = {
    "fathom": "version of Fathom",
    "prompts": "wording of prompts",
    "models": "name that a model gives itself",
    "fingerprints": "state of the sources",
}
"""Parts of the provenance → what they tell."""
_IMPLIED = {"pool_seed", "repeat", "repeats", "prompts"}
"""Fields that follow from others, or are told by the provenance."""
SHORT = 40
"""Characters up to which an old and a new value are told."""
NOTHING_CHANGED = "the same spec, prompts, sources and names of models"


def changes(sides: Sequence[Side]) -> Iterator[str]:
    """What is not as it was, of each model after another one of the same target."""
    earlier: dict[str, Side] = {}
    # ids begin with the time
    for side in sorted(sides, key=lambda side: min(run.run_id for run in side.runs)):
        before = earlier.get(side.spec.target)
        if before is not None:
            several = len(before.runs) > 1 or len(side.runs) > 1
            implied = _IMPLIED | ({"seed", "domain", "as_of"} if several else set())
            parts = _changed(_traits(before.runs), _traits(side.runs), implied)
            yield f"{before.label} → {side.label}: {', '.join(parts) or NOTHING_CHANGED}"
        earlier[side.spec.target] = side


def _traits(runs: Sequence[Any]) -> dict[str, Any]:
    """What the first of these runs says of itself."""
    run = min(runs, key=lambda run: run.run_id)
    traits = {name: _value(run.spec, name) for name in type(run.spec).model_fields}
    return traits | {words: run.provenance.get(part) for part, words in _TRACED.items()}


def _changed(
    before: Mapping[str, Any], after: Mapping[str, Any], implied: Collection[str]
) -> Iterator[str]:
    """The traits that differ, with the old and the new value where these are short."""
    for name in after:
        old, new = before[name], after[name]
        if old == new or name in implied:
            continue
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            parts = [str(part) for part in {*old, *new} if old.get(part) != new.get(part)]
            yield f"{name} ({', '.join(sorted(parts))})"
        else:
            is_short = max(len(str(old)), len(str(new))) <= SHORT
            yield f"{name} ({old} → {new})" if is_short else name
