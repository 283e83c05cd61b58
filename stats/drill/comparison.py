"""Drills of several models set against each other (METHODS: Numbers for the drill)."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations
from math import comb, inf, sqrt
from statistics import fmean, variance

from ...state.comparison import ComparedCell, ComparedModel, ComparedPair, Comparison
from ...state.result import DrillResult, Interval
from ...state.spec import DrillSpec
from ...state.worlds import label_of
from ..ranking import assembled, swaps_for
from ..side_by_side import (
    Unfinished,
    ending,
    given_twice,
    labels_of,
    marks_of,
    not_counted,
    unlike,
    with_short_id,
)
from .repeats import ENOUGH, mean_interval, sd_within, summarise_repeats, welch
from .restricted import RESTRICTED, end_of, leads, restricted
from .summary import observe, price_of_answers
from .swap import correlation, swap_test

_Pair = tuple[DrillResult, DrillResult]
TOLD_APART = 1.0
"""The difference in EVD for which the repeats that are needed are told."""
_OWN = frozenset({"domain", "seed", "repeat", "repeats", "pool_seed", "as_of"})
"""Fields of a spec in which the drills of one model may differ."""
_ALIKE = tuple(name for name in DrillSpec.model_fields if name not in _OWN | {"target"})
_STATE = ("prompts", "models")
"""Parts of the provenance that make two states of a model: the wording of prompts, and what models
call themselves."""
NO_DOMAIN = "no domain was drilled with all models: there is nothing to compare them on"
FEW, FEW_ROOTS = (
    6,
    "with fewer than 6 sub-topics no swap test can reach p below .05, however large the difference",
)
THRESHOLDS = (
    "the models have different thresholds: in the test both stop at the higher one, in the "
    "ranking each at its own"
)
UNPAIRED = (
    "drills of one model without a drill of the other beside them count in the ranking and not in "
    "the test"
)


@dataclass(slots=True)
class _Model:
    """The drills of one model: domain → those that count, by seed, and how the others ended."""

    label: str
    spec: DrillSpec
    by_domain: dict[str, list[DrillResult]] = field(default_factory=lambda: defaultdict(list))
    lost: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def to(self, depths: Mapping[str, float]) -> "_Model":
        """The same model, of each of these domains no more than so many depths."""
        drills = {}
        for domain, depth in depths.items():
            drills[domain] = [restricted(run, depth) for run in self.by_domain[domain]]
        return _Model(self.label, self.spec, drills)

    def over(self, domains: Sequence[str]) -> list[list[DrillResult]]:
        return [self.by_domain.get(domain, []) for domain in domains]

    def is_of(self, spec: DrillSpec) -> bool:
        return all(getattr(self.spec, name) == getattr(spec, name) for name in (*_ALIKE, "target"))

    def takes(self, run: DrillResult) -> bool:
        """Whether the run is a further one of this model in this state: of another domain or
        seed."""
        held = [other for own in self.by_domain.values() for other in own]
        same = all(
            other.provenance.get(part) == run.provenance.get(part)
            for other in held
            for part in _STATE
        )
        again = any(
            other.spec.seed == run.spec.seed for other in self.by_domain.get(run.spec.domain, ())
        )
        return self.is_of(run.spec) and same and not again


def compare_drills(
    results: Sequence[DrillResult], unfinished: Sequence[Unfinished] = ()
) -> Comparison:
    """Who is ahead in EVD, by how much, and how sure that is: over the domains that all models were
    drilled in, the mean of the differences per domain.

    One domain with three repeats or more of each: Welch's t, else the root-swap test; all pairs
    with Holm's adjustment. Drills of one model differ in domain, seed and day only; one drilled
    twice with the same seed is compared with itself, and so are two drills of one model and domain
    when there are no others. Drills that are not complete, and `unfinished` ones, which have no
    result, are shown and do not count. Raises ValueError without any result.
    """
    if not results:
        raise ValueError("a comparison needs at least one result")
    runs = list({result.run_id: result for result in results}.values())
    lost = [
        Unfinished(run.run_id, run.spec, run.status, ending(run)) for run in runs if not run.counts
    ]
    lost += unfinished
    every, absent = _models([run for run in runs if run.counts], lost)
    models = [model for model in every if model.by_domain]
    drilled = dict.fromkeys(run.spec.domain for run in runs if run.counts)
    domains = [name for name in drilled if all(name in model.by_domain for model in models)]
    repeated = len(domains) == 1 and all(
        len(model.by_domain[domains[0]]) >= ENOUGH for model in models
    )
    order = sorted(models, key=lambda model: -_mean(model.over(domains)) if domains else 0.0)
    tested = _by_welch if repeated else partial(_by_swaps, swaps=swaps_for(comb(len(models), 2)))
    pairs = (
        [_pair(tested, one, other, domains) for one, other in combinations(order, 2)]
        if domains
        else []
    )
    ahead = leads(pairs)
    order.sort(key=lambda model: -ahead[model.label])
    several = (
        len({model.spec.target for model in models}) > 1
    )  # what is new with a model itself is told as a change
    counts = {len(own) for model in models for own in model.over(domains)}
    compared = assembled(
        "drill",
        "EVD",
        "welch" if repeated else "root_swap",
        [_row(model, domains) for model in (*order, *absent)],
        pairs,
        simulated=any(run.simulated for run in runs),
        domains=domains,
        notes=(
            *given_twice(results),
            *not_counted(
                (f"{label_of(each.spec.target)} in {each.spec.domain}", each.why) for each in lost
            ),
            *_elsewhere(drilled, domains),
            *([] if domains or len(models) < 2 else [NO_DOMAIN]),
            *(
                [THRESHOLDS]
                if not repeated and len({model.spec.threshold for model in models}) > 1
                else []
            ),
            *(
                [FEW_ROOTS]
                if not repeated and any(_roots(model.over(domains)) < FEW for model in models)
                else []
            ),
            *([UNPAIRED] if len(counts) > 1 and not repeated else []),
            *(
                unlike(
                    [model.spec for model in models], _ALIKE, "the models were not drilled alike"
                )
                if several
                else []
            ),
            *([RESTRICTED] if any(pair.depth is not None for pair in pairs) else []),
        ),
    )
    needed = _needed(models, domains, repeated) if compared.decisive is False else None
    shown = dict.fromkeys([*drilled, *(each.spec.domain for each in lost)])
    cells = [
        _cell(model, name)
        for name in shown
        for model in (*order, *absent)
        if {*model.by_domain, *model.lost} & {name}
    ]
    return compared.model_copy(update={"repeats_needed": needed, "cells": tuple(cells)})


def _elsewhere(every: Iterable[str], domains: Sequence[str]) -> list[str]:
    """The note on domains that only some of the models have."""
    some = [name for name in every if name not in domains]
    return (
        [f"left out, because not all models were drilled in them: {', '.join(some)}"]
        if some and domains
        else []
    )


def _models(
    held: Sequence[DrillResult], lost: Sequence[Unfinished]
) -> tuple[list[_Model], list[_Model]]:
    """The models with a drill that counts, and those without."""
    found: list[_Model] = []
    for run in held:
        model = next((model for model in found if model.takes(run)), None)
        if model is None:
            found.append(model := _Model(run.run_id, run.spec))
        model.by_domain[run.spec.domain].append(run)
    if len(found) == 1 and len(held) == 2 and len(found[0].by_domain) == 1:
        found = [_Model(run.run_id, run.spec, {run.spec.domain: [run]}) for run in held]
    absent: list[_Model] = []
    for each in lost:
        model = next((model for model in (*found, *absent) if model.is_of(each.spec)), None)
        if model is None:
            absent.append(model := _Model(each.run_id, each.spec))
        model.lost[each.spec.domain].append(each.status)
    every = [*found, *absent]
    own = _OWN - {"seed"} if len(held) == len(found) else _OWN
    named = [(model.label, model.spec) for model in every]
    for model, label in zip(
        every, labels_of(named, lambda spec: marks_of(spec, own), with_short_id), strict=True
    ):
        model.label = label
        for drills in model.by_domain.values():
            drills.sort(key=lambda run: run.spec.seed)
    return found, absent


def _pair(
    tested: Callable[[_Model, _Model, Sequence[str]], ComparedPair],
    one: _Model,
    other: _Model,
    domains: Sequence[str],
) -> ComparedPair:
    """Two models on the depths that both could reach."""
    depths = {}
    for domain in domains:
        drills = [*one.by_domain[domain], *other.by_domain[domain]]
        end = min(map(end_of, drills))
        if any(run.depth_reached > end for run in drills):
            depths[domain] = end
    if not depths:
        return tested(one, other, domains)
    all_depths = {domain: depths.get(domain, inf) for domain in domains}
    pair = tested(one.to(all_depths), other.to(all_depths), domains)
    return pair.model_copy(update={"depth": int(min(depths.values()))})


def _mean(by_domain: Sequence[Sequence[DrillResult]]) -> float:
    return fmean(fmean(run.evd for run in own) for own in by_domain)


def _roots(by_domain: Sequence[Sequence[DrillResult]]) -> int:
    return sum(len(run.by_root) for own in by_domain for run in own)


def _row(model: _Model, domains: Sequence[str]) -> ComparedModel:
    own = model.over(domains)
    runs = [run for drills in own for run in drills]
    if not runs:
        ended = next((each for ends in model.lost.values() for each in ends), None)
        return ComparedModel(
            label=model.label, run_ids=(), estimate=None, interval=None, ended=ended
        )
    (low, high), mean = _reach(own), _mean(own)
    several = len(own) == 1 and len(runs) >= ENOUGH
    price = price_of_answers(runs)
    interval: Interval | None = (mean - low, mean + high)
    if several:
        interval = mean_interval([run.evd for run in runs], model.spec.max_depth, sd_within(runs))
    return ComparedModel(
        label=model.label,
        run_ids=tuple(run.run_id for run in runs),
        estimate=mean,
        interval=interval,
        at_least=any(run.censored for run in runs),
        usd_per_100=price.usd_per_100,
        latency_s=price.latency_s,
    )


def _cell(model: _Model, domain: str) -> ComparedCell:
    runs = model.by_domain.get(domain, [])
    evds = [run.evd for run in runs]
    return ComparedCell(
        domain=domain,
        label=model.label,
        estimate=fmean(evds) if evds else None,
        interval=runs[0].evd_ci
        if len(runs) == 1
        else mean_interval(evds, model.spec.max_depth, sd_within(runs)),
        at_least=any(run.censored for run in runs),
        runs=len(runs),
        ended=tuple(model.lost.get(domain, ())),
    )


def _reach(by_domain: Sequence[Sequence[DrillResult]]) -> Interval:
    """How far the interval of the mean lies below and above it: the drills' own distances, squared
    and added."""
    parts = [(len(by_domain) * len(own), run) for own in by_domain for run in own]
    low, high = (
        sqrt(sum(((run.evd - run.evd_ci[end]) / share) ** 2 for share, run in parts))
        for end in (0, 1)
    )
    return low, high


def _by_swaps(one: _Model, other: _Model, domains: Sequence[str], swaps: int) -> ComparedPair:
    drilled = [
        _beside(mine, theirs)
        for mine, theirs in zip(one.over(domains), other.over(domains), strict=True)
    ]
    cells = [
        [(observe(a.depths, a.probes), observe(b.depths, b.probes)) for a, b in pairs]
        for pairs in drilled
    ]
    seeds = ":".join(
        f"{a.spec.domain}:{a.spec.seed}:{b.spec.seed}" for pairs in drilled for a, b in pairs
    )
    found = swap_test(cells, max(one.spec.threshold, other.spec.threshold), seeds, swaps)
    alike = [[correlation(*both) for both in pairs] for pairs in cells]
    return ComparedPair(
        one=one.label,
        other=other.label,
        difference=found.difference,
        interval=(
            found.difference - reach(drilled, alike, 0),
            found.difference + reach(drilled, alike, 1),
        ),
        p=found.p,
        over=sum(map(len, drilled)),
    )


def reach(drilled: Sequence[Sequence[_Pair]], alike: Sequence[Sequence[float]], end: int) -> float:
    """How far the interval of a difference lies below (`end` 0) or above it (1), from the drills'
    own intervals and how they go together (Zou, Psychol Methods 2007, 12:399-413). The spread of
    the swaps would be that of models alike: far too wide where two are far apart."""
    total = 0.0
    for pairs, together in zip(drilled, alike, strict=True):
        for (a, b), r in zip(pairs, together, strict=True):
            mine, theirs = abs(a.evd - a.evd_ci[end]), abs(b.evd - b.evd_ci[1 - end])
            total += (mine**2 + theirs**2 - 2 * r * mine * theirs) / (
                len(drilled) * len(pairs)
            ) ** 2
    return sqrt(total)


def _beside(mine: Sequence[DrillResult], theirs: Sequence[DrillResult]) -> list[_Pair]:
    """Two models' drills of one domain in pairs: those of one seed share their roots; the others as
    they come."""
    by_seed = {run.spec.seed: run for run in theirs}
    same = [(run, by_seed[run.spec.seed]) for run in mine if run.spec.seed in by_seed]
    seeds = {run.spec.seed for run, _ in same}
    alone = ([run for run in own if run.spec.seed not in seeds] for own in (mine, theirs))
    return same + list(zip(*alone, strict=False))


def _by_welch(one: _Model, other: _Model, domains: Sequence[str]) -> ComparedPair:
    """Welch's t of this pair alone, among many models too. One variance pooled over all models
    would find more (of five models 0.7 EVD apart 36 % of the pairs with three repeats, not 10 %),
    but the drills of deep models scatter farther than those of shallow ones: two equal deep models
    among three shallow ones were then told apart in 7.4 % of launches with four repeats, by Welch
    in 2.5 % (`bench/coverage/comparison.py`: 5, unlike)."""
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


def _needed(
    models: Sequence[_Model], domains: Sequence[str], repeated: bool
) -> tuple[float, int] | None:
    """How many repeats of each would tell `TOLD_APART` apart; None where there are as many already,
    and where no drill has a spread of its own. The spread is that between repeats where there are
    some, else the one of single drills."""
    from .power import repeats_needed

    drills = [own for model in models for own in model.over(domains)]
    spreads = (
        [variance([run.evd for run in own]) for own in drills]
        if repeated
        else [run.evd_se**2 for own in drills for run in own if run.evd_se]
    )
    if not any(spreads):
        return None
    needed = repeats_needed(TOLD_APART, sqrt(fmean(spreads) / len(domains)))
    return (TOLD_APART, needed) if needed is not None and needed > min(map(len, drills)) else None
