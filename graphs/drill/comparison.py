"""Drills of several models set against each other (METHODS: Numbers for the drill)."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import inf, sqrt
from statistics import fmean
from typing import Any

from ...state.comparison import ComparedCell, ComparedModel, ComparedPair, Comparison
from ...state.result import DrillResult, Interval
from ...state.spec import DrillSpec
from ...state.worlds import label_of
from ...stats.moderated import implied, mean_of_repeats, moderated
from ...stats.ranking import TestedPair, assembled
from ...stats.side_by_side import (
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
from .paired import Scatter, limit_is_behind, paired_difference, scatter
from .summary import observe, price_of_answers
from .survival import points_worth

_Pair = tuple[DrillResult, DrillResult]
TOLD_APART = 1.0
"""The difference in EVD for which the repeats that are needed are told."""
_OWN = CHANCE | {"domain"}
"""Fields of a spec in which the drills of one model may differ."""
_ALIKE = tuple(name for name in DrillSpec.model_fields if name not in _OWN | {"target"})
NO_DOMAIN = "no domain was drilled with all models: there is nothing to compare them on"
ONE_ROOT = "all questions are of one sub-topic: there is nothing to tell scatter from difference by"
NO_DEPTH = "one of them has no depth that counts"
LIMIT = "the one that came out behind was cut short: a lower limit is never behind"
RESTRICTED = (
    "where a drill of a pair was cut short, or allowed no further, both are compared on the depths "
    "above that alone"
    " (restricted EVD); a model that was cut short is never behind"
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

    def over(self, domains: Sequence[str]) -> list[list[DrillResult]]:
        return [self.by_domain.get(domain, []) for domain in domains]

    def is_of(self, spec: DrillSpec) -> bool:
        names = (*_ALIKE, "target")
        return all(getattr(self.spec, name) == getattr(spec, name) for name in names)


def compare_drills(
    results: Sequence[DrillResult],
    unfinished: Sequence[Unfinished] = (),
) -> Comparison:
    """Who is ahead in EVD, by how much, and how sure that is: over the domains that all models were
    drilled in, the mean of the differences per domain, by the moderated paired t; all pairs with
    Holm's adjustment.

    Drills of one model differ in domain, seed and day only. Where all are of one model, those of one
    seed are compared with each other, and so are two drills of one domain.
    Drills that are not complete, and `unfinished` ones, which have no result, are shown and do not
    count. Raises ValueError without any result.
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
    order = sorted(models, key=lambda model: -_mean(model.over(domains)) if domains else 0.0)
    tested = _tested(order, domains) if domains else []
    ahead = leads([pair for pair, _ in tested])
    order.sort(key=lambda model: -ahead[model.label])
    counts = {len(own) for model in models for own in model.over(domains)}
    specs = [model.spec for model in models]
    unlike_specs: list[str] = []
    if len({spec.target for spec in specs}) > 1:
        # what is new with a model itself is told as a change
        unlike_specs = unlike(specs, _ALIKE, "the models were not drilled alike")
    notes = {
        NO_DOMAIN: not domains and len(models) > 1,
        THRESHOLDS: len({model.spec.threshold for model in models}) > 1,
        UNPAIRED: len(counts) > 1,
        RESTRICTED: any(pair.depth is not None for pair, _ in tested),
    }
    compared = assembled(
        "drill",
        "EVD",
        "paired_t",
        [_row(model, domains) for model in (*order, *absent)],
        tested,
        simulated=any(run.simulated for run in runs),
        domains=domains,
        notes=(
            *given_twice(results),
            *not_counted(
                (f"{label_of(each.spec.target)} in {each.spec.domain}", each.why) for each in lost
            ),
            *_elsewhere(drilled, domains),
            *unlike_specs,
            *(note for note, holds in notes.items() if holds),
        ),
    )
    counting = [run for model in order for own in model.over(domains) for run in own]
    shown = dict.fromkeys([*drilled, *(each.spec.domain for each in lost)])
    cells = [
        _cell(model, name)
        for name in shown
        for model in (*order, *absent)
        if {*model.by_domain, *model.lost} & {name}
    ]
    further = {
        "repeats_needed": _needed(order, domains, len(tested))
        if compared.decisive is False
        else None,
        "judge_points": fmean(points_worth(run.depths) for run in counting) if counting else None,
        "cells": tuple(cells),
    }
    return compared.model_copy(update=further)


def end_of(run: DrillResult) -> float:
    """The depth at which a drill was cut short or allowed no further; none where it stopped by
    itself."""
    return inf if run.stop_reason == "threshold" else run.depth_reached


def leads(pairs: Sequence[ComparedPair]) -> Mapping[str, float]:
    """How far each model is ahead of all others together, where a pair does not rest on whole EVDs;
    else all alike."""
    ahead: dict[str, float] = defaultdict(float)
    for pair in pairs if any(pair.depth is not None for pair in pairs) else ():
        ahead[pair.one] += pair.difference or 0.0
        ahead[pair.other] -= pair.difference or 0.0
    return ahead


def _elsewhere(every: Iterable[str], domains: Sequence[str]) -> list[str]:
    """The note on domains that only some of the models have."""
    some = [name for name in every if name not in domains]
    return (
        [f"left out, because not all models were drilled in them: {', '.join(some)}"]
        if some and domains
        else []
    )


def _models(
    held: Sequence[DrillResult],
    lost: Sequence[Unfinished],
) -> tuple[list[_Model], list[_Model]]:
    """The models with a drill that counts, and those without."""
    found = _grouped((settings_of(run, {"domain"}) for run in held), held)
    if len(found) == 1:
        found = _grouped(_rounds(held), held)
    absent: list[_Model] = []
    for each in lost:
        model = next((model for model in (*found, *absent) if model.is_of(each.spec)), None)
        if model is None:
            absent.append(model := _Model(each.run_id, each.spec))
        model.lost[each.spec.domain].append(each.status)
    every = [*found, *absent]
    own = _OWN - {"seed"} if len(held) == len(found) else _OWN
    named = [(model.label, model.spec) for model in every]
    for model, label in zip(every, labels_of(named, lambda spec: marks_of(spec, own)), strict=True):
        model.label = label
        for drills in model.by_domain.values():
            drills.sort(key=lambda run: (run.spec.seed, run.run_id))
    return found, absent


def _grouped(keys: Iterable[Hashable], runs: Sequence[DrillResult]) -> list[_Model]:
    """A model for each key."""
    models: dict[Hashable, _Model] = {}
    for key, run in zip(keys, runs, strict=True):
        model = models.setdefault(key, _Model(run.run_id, run.spec))
        model.by_domain[run.spec.domain].append(run)
    return [*models.values()]


def _rounds(runs: Sequence[DrillResult]) -> list[int]:
    """Of drills of one model, how often its domain was drilled with its seed before each; of two of
    one domain their order."""
    if len(runs) == 2 and len({run.spec.domain for run in runs}) == 1:
        return [0, 1]
    times = Counter[tuple[str, int]]()
    rounds = []
    for run in runs:
        place = run.spec.domain, run.spec.seed
        rounds.append(times[place])
        times[place] += 1
    return rounds


def _tested(models: Sequence[_Model], domains: Sequence[str]) -> list[TestedPair]:
    """All pairs. A drill is read once for all pairs that it is in."""
    runs = {run.run_id: run for model in models for own in model.over(domains) for run in own}

    @cache
    def read(run_id: str, last: float, threshold: Fraction) -> Scatter:
        run = runs[run_id]
        spec, seed = run.spec, f"{run.spec.seed}:{run.spec.domain}"
        observations = observe(run.depths, run.probes)
        return scatter(
            observations,
            spec.n,
            threshold,
            min(last, spec.max_depth),
            seed=seed,
        )

    return [_tested_pair(one, other, domains, read) for one, other in combinations(models, 2)]


def _tested_pair(
    one: _Model,
    other: _Model,
    domains: Sequence[str],
    read: Callable[[str, float, Fraction], Scatter],
) -> TestedPair:
    """Two models on the depths that both could reach; under two thresholds both stop at the higher
    one."""
    threshold = max(one.spec.exact_threshold, other.spec.exact_threshold)
    drilled: list[list[tuple[Scatter, Scatter]]] = []
    restricted: list[float] = []
    cut = [False, False]
    for mine, theirs in zip(one.over(domains), other.over(domains), strict=True):
        pairs = _beside(mine, theirs)
        both = [run for pair in pairs for run in pair]
        last = min(map(end_of, both), default=inf)
        restricted += [last] if any(run.depth_reached > last for run in both) else []
        for place, runs in enumerate(zip(*pairs, strict=True)):
            cut[place] |= any(run.censored for run in runs)
        drilled.append(
            [(read(a.run_id, last, threshold), read(b.run_id, last, threshold)) for a, b in pairs]
        )
    pair = ComparedPair(
        one=one.label,
        other=other.label,
        difference=None,
        over=sum(map(len, drilled)),
        depth=int(min(restricted)) if restricted else None,
    )
    if not all(drilled):
        return pair.model_copy(update={"note": NO_DEPTH}), None
    found = paired_difference(drilled)
    roots = {root for pairs in drilled for both in pairs for side in both for root in side.parts}
    figures: dict[str, Any] = {
        "difference": found.value,
        "se": found.se,
        "df": found.df,
    }
    untested = ONE_ROOT if len(roots) < 2 else LIMIT if limit_is_behind(found.value, *cut) else None
    if untested is not None:
        return pair.model_copy(update={"difference": found.value, "note": untested}), None
    return pair.model_copy(update={**figures, "p": found.p}), found.interval


def _mean(by_domain: Sequence[Sequence[DrillResult]]) -> float:
    return fmean(fmean(run.evd for run in own) for own in by_domain)


def _row(model: _Model, domains: Sequence[str]) -> ComparedModel:
    own = model.over(domains)
    runs = [run for drills in own for run in drills]
    if not runs:
        ended = next((each for ends in model.lost.values() for each in ends), None)
        return ComparedModel(
            label=model.label,
            run_ids=(),
            estimate=None,
            interval=None,
            ended=ended,
        )
    price = price_of_answers(runs)
    return ComparedModel(
        label=model.label,
        run_ids=tuple(run.run_id for run in runs),
        estimate=_mean(own),
        interval=_interval(own, model.spec.max_depth),
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
        interval=_interval([runs], model.spec.max_depth) if runs else None,
        at_least=any(run.censored for run in runs),
        runs=len(runs),
        ended=tuple(model.lost.get(domain, ())),
    )


def _interval(by_domain: Sequence[Sequence[DrillResult]], most: int) -> Interval:
    own = [[(run.evd, run.evd_ci) for run in drills] for drills in by_domain]
    return mean_of_repeats(own, 0.0, most)


def _beside(mine: Sequence[DrillResult], theirs: Sequence[DrillResult]) -> list[_Pair]:
    """Two models' drills of one domain in pairs: those of one seed share their roots; the others as
    they come."""
    by_seed: dict[int, list[DrillResult]] = defaultdict(list)
    for run in theirs:
        by_seed[run.spec.seed].append(run)
    same = [(run, by_seed[run.spec.seed].pop(0)) for run in mine if by_seed[run.spec.seed]]
    paired = {run.run_id for pair in same for run in pair}
    my_others = [run for run in mine if run.run_id not in paired]
    their_others = [run for run in theirs if run.run_id not in paired]
    pairs = same + list(zip(my_others, their_others, strict=False))
    return [pair for pair in pairs if all(run.depths for run in pair)]


def _needed(
    models: Sequence[_Model],
    domains: Sequence[str],
    pairs: int,
) -> tuple[float, int] | None:
    """How many repeats of each would tell the first two models apart, were they `TOLD_APART`, with
    the spread √((σ₁² + σ₂²)/2) of both; None where there are as many already, and where a drill of
    them was cut short."""
    from .power import repeats_needed

    first = [model.over(domains) for model in models[:2]]
    drills = [own for by_domain in first for own in by_domain]
    if not drills or any(run.censored for own in drills for run in own):
        return None
    repeats = min(map(len, drills))
    sd = sqrt(fmean(_spread(by_domain) ** 2 for by_domain in first) * repeats)
    needed = repeats_needed(TOLD_APART, sd, pairs)
    return (TOLD_APART, needed) if needed is not None and needed > repeats else None


def _spread(by_domain: Sequence[Sequence[DrillResult]]) -> float:
    """Standard error of a model's mean."""
    drills = [[(run.evd, implied(run.evd_ci)) for run in own] for own in by_domain]
    return moderated(drills).se
