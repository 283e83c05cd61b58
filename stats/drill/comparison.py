"""Drills of several models set against each other (METHODS: Numbers for the drill)."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import sqrt
from statistics import fmean

from ...state.comparison import ComparedCell, ComparedModel, ComparedPair, Comparison
from ...state.result import DrillResult, Interval
from ...state.spec import DrillSpec
from ...state.worlds import label_of
from ..ranking import assembled
from ..side_by_side import ending, given_twice, labels_of, unlike
from .repeats import ENOUGH, mean_interval, summarise_repeats, welch
from .summary import observe
from .swap import swap_test

_Z = 1.959963984540054
TOLD_APART = 1.0
"""The difference in EVD for which the repeats that are needed are told."""
_OWN = frozenset({"domain", "seed", "repeat", "repeats", "pool_seed"})
"""Fields of a spec in which the drills of one model may differ."""
_ALIKE = tuple(name for name in DrillSpec.model_fields if name not in _OWN | {"target"})
NO_DOMAIN = "no domain was drilled with all models: there is nothing to compare them on"
LOWER_LIMITS = "lower limits are compared: a drill that ended before survival fell below the threshold could go on"


@dataclass(slots=True)
class _Model:
    """The drills of one model that count: domain → by seed."""

    label: str
    spec: DrillSpec
    by_domain: dict[str, list[DrillResult]] = field(default_factory=lambda: defaultdict(list))

    def over(self, domains: Sequence[str]) -> list[list[DrillResult]]:
        return [self.by_domain[domain] for domain in domains]


def compare_drills(results: Sequence[DrillResult]) -> Comparison:
    """Who is ahead in EVD, by how much, and how sure that is: over the domains that all models were drilled in, the
    mean of the differences per domain.

    One domain with three repeats or more of each: Welch's t, else the root-swap test; all pairs with Holm's adjustment.
    Drills of one model differ in domain and seed only; a model drilled twice with the same seed is compared with
    itself. Drills that are not complete are left out with a note. Raises ValueError without any result.
    """
    if not results:
        raise ValueError("a comparison needs at least one result")
    runs = list({result.run_id: result for result in results}.values())
    held = [run for run in runs if run.status == "complete"]
    models = _models(held)
    every = dict.fromkeys(run.spec.domain for run in held)
    domains = [name for name in every if all(name in model.by_domain for model in models)]
    repeated = len(domains) == 1 and all(len(model.by_domain[domains[0]]) >= ENOUGH for model in models)
    order = sorted(models, key=lambda model: -_mean(model.over(domains)) if domains else 0.0)
    tested = _by_welch if repeated else _by_swaps
    pairs = [tested(one, other, domains) for one, other in combinations(order, 2)] if domains else []
    compared = assembled(
        "drill",
        "EVD",
        "welch" if repeated else "root_swap",
        [_row(model, domains) for model in order],
        pairs,
        simulated=any(run.simulated for run in runs),
        domains=domains,
        notes=(
            *given_twice(results),
            *(f"{run.run_id} is left out ({ending(run)})" for run in runs if run.status != "complete"),
            *_elsewhere(every, domains),
            *([] if domains or len(models) < 2 else [NO_DOMAIN]),
            *unlike([model.spec for model in models], _ALIKE, "the models were not drilled alike"),
            *([LOWER_LIMITS] if any(run.censored for m in models for d in m.over(domains) for run in d) else []),
        ),
    )
    needed = _needed(models, domains) if compared.decisive is False else None
    cells = tuple(_cell(model, domain) for domain in every for model in order if domain in model.by_domain)
    return compared.model_copy(update={"repeats_needed": needed, "cells": cells})


def _elsewhere(every: Iterable[str], domains: Sequence[str]) -> list[str]:
    """The note on domains that only some of the models have."""
    some = [name for name in every if name not in domains]
    return [f"left out, because not all models were drilled in them: {', '.join(some)}"] if some and domains else []


def _models(held: Sequence[DrillResult]) -> list[_Model]:
    found: list[_Model] = []
    for run in held:
        spec = run.spec

        def takes(model: _Model, spec: DrillSpec = spec) -> bool:
            alike = all(getattr(model.spec, name) == getattr(spec, name) for name in (*_ALIKE, "target"))
            return alike and all(other.spec.seed != spec.seed for other in model.by_domain.get(spec.domain, ()))

        model = next((model for model in found if takes(model)), None)
        if model is None:
            found.append(model := _Model(run.run_id, spec))
        model.by_domain[spec.domain].append(run)
    labels = labels_of([(model.label, model.spec) for model in found], _marks)
    for model, label in zip(found, labels, strict=True):
        model.label = label
        for own in model.by_domain.values():
            own.sort(key=lambda run: run.spec.seed)
    return found


def _marks(spec: DrillSpec) -> tuple[str, ...]:
    return f"evaluator {label_of(spec.evaluator)}", f"judge {label_of(spec.judge)}", f"n {spec.n}"


def _mean(by_domain: Sequence[Sequence[DrillResult]]) -> float:
    return fmean(fmean(run.evd for run in own) for own in by_domain)


def _row(model: _Model, domains: Sequence[str]) -> ComparedModel:
    own = model.over(domains)
    runs = [run for drills in own for run in drills]
    if not runs:
        return ComparedModel(label=model.label, run_ids=(), estimate=None, interval=None)
    (low, high), mean = _reach(own), _mean(own)
    several = len(own) == 1 and len(runs) >= ENOUGH
    interval = mean_interval([run.evd for run in runs], model.spec.max_depth) if several else (mean - low, mean + high)
    return ComparedModel(
        label=model.label,
        run_ids=tuple(run.run_id for run in runs),
        estimate=mean,
        interval=interval,
        at_least=any(run.censored for run in runs),
    )


def _cell(model: _Model, domain: str) -> ComparedCell:
    runs = model.by_domain[domain]
    evds = [run.evd for run in runs]
    return ComparedCell(
        domain=domain,
        label=model.label,
        estimate=fmean(evds),
        interval=runs[0].evd_ci if len(runs) == 1 else mean_interval(evds, model.spec.max_depth),
        at_least=any(run.censored for run in runs),
        runs=len(runs),
    )


def _reach(by_domain: Sequence[Sequence[DrillResult]]) -> Interval:
    """How far the interval of the mean lies below and above it: the drills' own distances, squared and added."""
    parts = [(len(by_domain) * len(own), run) for own in by_domain for run in own]
    low, high = (sqrt(sum(((run.evd - run.evd_ci[end]) / share) ** 2 for share, run in parts)) for end in (0, 1))
    return low, high


def _by_swaps(one: _Model, other: _Model, domains: Sequence[str]) -> ComparedPair:
    drilled = [
        list(zip(mine, theirs, strict=False))
        for mine, theirs in zip(one.over(domains), other.over(domains), strict=True)
    ]
    cells = [[(observe(a.depths, a.probes), observe(b.depths, b.probes)) for a, b in pairs] for pairs in drilled]
    seeds = ":".join(f"{a.spec.domain}:{a.spec.seed}:{b.spec.seed}" for pairs in drilled for a, b in pairs)
    found = swap_test(cells, one.spec.threshold, seeds)
    half = _Z * found.sd
    return ComparedPair(
        one=one.label,
        other=other.label,
        difference=found.difference,
        interval=(found.difference - half, found.difference + half),
        p=found.p,
        over=sum(map(len, drilled)),
    )


def _by_welch(one: _Model, other: _Model, domains: Sequence[str]) -> ComparedPair:
    (domain,) = domains
    first, second = (summarise_repeats(model.by_domain[domain])[0] for model in (one, other))
    found = welch(first, second)
    return ComparedPair(
        one=one.label,
        other=other.label,
        difference=found.difference,
        interval=found.interval,
        p=found.p,
        over=min(len(first.evds), len(second.evds)),
        note=found.note if found.p is None else None,
    )


def _needed(models: Sequence[_Model], domains: Sequence[str]) -> tuple[float, int] | None:
    """How many repeats of each would tell `TOLD_APART` apart; None where there are as many already, and where no drill
    has a spread of its own."""
    from .power import repeats_needed

    errors = [run.evd_se for model in models for own in model.over(domains) for run in own if run.evd_se]
    if not errors:
        return None
    needed = repeats_needed(TOLD_APART, sqrt(fmean(error**2 for error in errors) / len(domains)))
    held = min(len(own) for model in models for own in model.over(domains))
    return (TOLD_APART, needed) if needed is not None and needed > held else None
