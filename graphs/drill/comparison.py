"""Drills of several models set against each other (METHODS: Numbers for the drill)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import combinations
from math import inf, sqrt
from statistics import fmean
from typing import Any, Protocol

from ...state.comparison import (
    ComparedCell,
    ComparedModel,
    ComparedPair,
    Comparison,
)
from ...state.result import DrillResult
from ...state.rows import AnswerRow
from ...state.spec import DrillSpec
from ...stats.moderated import implied, mean_of_repeats, moderated
from ...stats.ranking import TestedPair, assembled
from ...stats.side_by_side import Side, Unfinished, ending, notes_on, sides_of
from .paired import Scatter, paired_difference, scatter
from .summary import observe, price_of_answers
from .survival import points_worth

TOLD_APART = 1.0
"""The difference in EVD for which the repeats that are needed are told."""
_SHARED = frozenset({"domain"})
"""Fields of a spec in which the drills of one model may differ, beside those of chance."""
NO_DOMAIN = "no domain was drilled with all models: there is nothing to compare them on"
ONE_ROOT = (
    "all questions are of one sub-topic: there is nothing to tell scatter from difference by"
)
NO_DEPTH = "one of them has no depth that counts"
LIMIT = "the one that came out behind was cut short: a lower limit is never behind"
RESTRICTED = (
    "where a drill of a pair was cut short, or allowed no further, both are compared on the depths "
    "above that alone (restricted EVD); a model that was cut short is never behind"
)
THRESHOLDS = (
    "the models have different thresholds: in the test both stop at the higher one, in the "
    "ranking each at its own"
)
UNPAIRED = (
    "drills of one model without a drill of the other beside them count in the ranking and not in "
    "the test"
)


ByDomain = Sequence[Sequence[DrillResult]]
"""The drills of one model in each of several domains."""


class Reading(Protocol):
    """What is read of the drills of a comparison."""

    def figures(self, drills: ByDomain, most: float) -> dict[str, Any]:
        """The mean over the domains with the interval, by the names of their fields."""

    def scatter(self, run: DrillResult, last: float, threshold: Fraction) -> Scatter: ...

    def last_depth(self, run: DrillResult) -> float:
        """The depth at which a drill was cut short or allowed no further; without end where it
        stopped by itself."""


class AsJudged:
    """The drills as their judge has them."""

    def figures(self, drills: ByDomain, most: float) -> dict[str, Any]:
        intervals = [[(run.evd, run.evd_ci) for run in of_domain] for of_domain in drills]
        return {
            "estimate": fmean(fmean(evd for evd, _ in repeats) for repeats in intervals),
            "interval": mean_of_repeats(intervals, 0.0, most),
            "at_least": any(run.censored for of_domain in drills for run in of_domain),
        }

    def scatter(self, run: DrillResult, last: float, threshold: Fraction) -> Scatter:
        return scatter(
            observe(run.depths, run.probes, run.spec.n),
            run.spec.n,
            threshold,
            last,
            seed=f"{run.spec.seed}:{run.spec.domain}",
        )

    def last_depth(self, run: DrillResult) -> float:
        return inf if run.stop_reason == "threshold" else run.depth_reached


@dataclass(slots=True)
class Drilled:
    """A model with its drills."""

    side: Side
    reading: Reading

    @property
    def label(self) -> str:
        return self.side.label

    @property
    def spec(self) -> DrillSpec:
        spec: DrillSpec = self.side.spec
        return spec

    def drills(self, domain: str) -> list[DrillResult]:
        """Those of a domain that count, by seed."""
        runs = [run for run in self.side.runs if run.spec.domain == domain]
        return sorted(runs, key=lambda run: (run.spec.seed, run.run_id))

    def over(self, domains: Iterable[str]) -> list[list[DrillResult]]:
        return [self.drills(domain) for domain in domains]

    def figures(self, domains: Iterable[str]) -> dict[str, Any]:
        """Its mean over the domains with the interval, by the names of their fields."""
        drills = self.over(domains)
        if not all(drills) or not drills:
            return {"estimate": None, "interval": None, "at_least": False}
        return self.reading.figures(drills, self.spec.max_depth)


def compare_drills(
    results: Sequence[DrillResult],
    unfinished: Sequence[Unfinished] = (),
    reviewed: Mapping[str, Sequence[AnswerRow]] | None = None,
) -> Comparison:
    """Who is ahead in EVD, by how much, and how sure that is: over the domains that all models were
    drilled in, the mean of the differences per domain, by the moderated paired t; all pairs with
    Holm's adjustment.

    Drills of one model differ in domain, seed and day only. Where all are of one model, those of one
    seed are compared with each other, and so are two drills of one domain.
    Drills that are not complete, and `unfinished` ones, which have no result, are shown and do not
    count. `reviewed`: run id → its rows with the judge's error, of which all is corrected. Raises
    ValueError without any result.
    """
    if not results:
        raise ValueError("a comparison needs at least one result")
    counting = [run for run in results if run.counts]
    lost = [
        Unfinished(run.run_id, run.spec, run.status, ending(run))
        for run in results
        if not run.counts
    ]
    reading: Reading = AsJudged()
    if reviewed is not None:
        from .corrected import Corrected  # heavy

        reading = Corrected(reviewed)

    def subject(run: DrillResult) -> tuple[str, int]:
        return run.spec.domain, run.spec.seed if len(counting) > 2 else 0

    sides = sides_of(counting, [*lost, *unfinished], _SHARED, subject)
    models = [Drilled(side, reading) for side in sides if side.runs]
    absent = [Drilled(side, reading) for side in sides if not side.runs]
    elsewhere = dict.fromkeys(run.spec.domain for run in counting)
    domains = [name for name in elsewhere if all(model.drills(name) for model in models)]
    models.sort(key=lambda model: -(model.figures(domains)["estimate"] or 0.0))
    tested = _tested(models, domains, reading) if domains else []
    ahead = leads([pair for pair, _ in tested])
    models.sort(key=lambda model: -ahead[model.label])
    notes = [*notes_on(sides, _SHARED)]
    left_out = [name for name in elsewhere if name not in domains]
    if left_out and domains:
        names = ", ".join(left_out)
        notes.append(f"left out, because not all models were drilled in them: {names}")
    conditions = {
        NO_DOMAIN: not domains and len(models) > 1,
        THRESHOLDS: len({model.spec.threshold for model in models}) > 1,
        UNPAIRED: len({len(drills) for model in models for drills in model.over(domains)}) > 1,
        RESTRICTED: any(pair.depth is not None for pair, _ in tested),
    }
    compared = assembled(
        "drill",
        "EVD",
        "paired_t",
        [_row(model, domains) for model in (*models, *absent)],
        tested,
        simulated=any(run.simulated for run in results),
        domains=domains,
        notes=[*notes, *(note for note, holds in conditions.items() if holds)],
    )
    compared_runs = [
        run for model in models for drills in model.over(domains) for run in drills
    ]
    worth = [points_worth(run.depths) for run in compared_runs]
    undecided = compared.decisive is False and reviewed is None
    further = {
        "repeats_needed": _needed(models, domains, len(tested)) if undecided else None,
        "judge_points": fmean(worth) if worth and reviewed is None else None,
        "cells": tuple(_cells([*models, *absent])),
    }
    return compared.model_copy(update=further)


def leads(pairs: Sequence[ComparedPair]) -> Mapping[str, float]:
    """How far each model is ahead of all others together, where a pair does not rest on whole EVDs;
    else all alike."""
    ahead: dict[str, float] = defaultdict(float)
    for pair in pairs if any(pair.depth is not None for pair in pairs) else ():
        ahead[pair.one] += pair.difference or 0.0
        ahead[pair.other] -= pair.difference or 0.0
    return ahead


def _row(model: Drilled, domains: Sequence[str]) -> ComparedModel:
    runs = [run for drills in model.over(domains) for run in drills]
    price = price_of_answers(runs)
    unfinished = model.side.unfinished
    return ComparedModel(
        label=model.label,
        run_ids=tuple(run.run_id for run in runs),
        usd_per_100=price.usd_per_100,
        latency_s=price.latency_s,
        ended=unfinished[0].status if unfinished and not runs else None,
        **model.figures(domains),
    )


def _cells(models: Sequence[Drilled]) -> list[ComparedCell]:
    """Each model in each domain that it was drilled in, or was to be."""
    counted = [run.spec.domain for model in models for run in model.side.runs]
    lost = [run.spec.domain for model in models for run in model.side.unfinished]
    cells = []
    for domain in dict.fromkeys([*counted, *lost]):
        for model in models:
            drills = model.drills(domain)
            ended = [run.status for run in model.side.unfinished if run.spec.domain == domain]
            if drills or ended:
                cell = ComparedCell(
                    domain=domain,
                    label=model.label,
                    runs=len(drills),
                    ended=tuple(ended),
                    **model.figures([domain]),
                )
                cells.append(cell)
    return cells


# tests


def _tested(
    models: Sequence[Drilled], domains: Sequence[str], reading: Reading
) -> list[TestedPair]:
    """All pairs. A drill is read once for all pairs that it is in."""
    runs = {run.run_id: run for model in models for run in model.side.runs}

    @cache
    def read(run_id: str, last: float, threshold: Fraction) -> Scatter:
        run = runs[run_id]
        return reading.scatter(run, min(last, run.spec.max_depth), threshold)

    def tested_pair(first: Drilled, second: Drilled) -> TestedPair:
        """Two models on the depths that both could reach; under two thresholds both stop at the
        higher one."""
        threshold = max(first.spec.exact_threshold, second.spec.exact_threshold)
        scatters: list[list[tuple[Scatter, Scatter]]] = []
        depths: list[float] = []
        cut = [False, False]
        for drills in zip(first.over(domains), second.over(domains), strict=True):
            pairs = _paired(*drills)
            both = [run for pair in pairs for run in pair]
            last = min(map(reading.last_depth, both), default=inf)
            depths += [last] if any(run.depth_reached > last for run in both) else []
            for side, of_model in enumerate(zip(*pairs, strict=True)):
                cut[side] |= any(run.censored for run in of_model)
            scatters.append(
                [
                    (read(one.run_id, last, threshold), read(other.run_id, last, threshold))
                    for one, other in pairs
                ]
            )
        return _pair(first.label, second.label, scatters, depths, cut)

    return [tested_pair(first, second) for first, second in combinations(models, 2)]


def _pair(
    one: str,
    other: str,
    scatters: Sequence[Sequence[tuple[Scatter, Scatter]]],
    depths: Sequence[float],
    cut: Sequence[bool],
) -> TestedPair:
    compared = ComparedPair(
        one=one,
        other=other,
        difference=None,
        over=sum(map(len, scatters)),
        depth=int(min(depths)) if depths else None,
    )
    if not all(scatters):
        return compared.model_copy(update={"note": NO_DEPTH}), None
    mean = paired_difference(scatters)
    figures: dict[str, Any] = {"difference": mean.value}
    roots = {
        root for pairs in scatters for pair in pairs for drill in pair for root in drill.parts
    }
    if len(roots) < 2:
        return compared.model_copy(update={**figures, "note": ONE_ROOT}), None
    if cut[mean.value > 0] and mean.value:
        # what the model that came out behind was not asked might have put it ahead
        return compared.model_copy(update={**figures, "note": LIMIT}), None
    figures |= {"se": mean.se, "df": mean.df, "p": mean.p}
    return compared.model_copy(update=figures), mean.interval


def _paired(
    first: Sequence[DrillResult], second: Sequence[DrillResult]
) -> list[tuple[DrillResult, DrillResult]]:
    """Two models' drills of one domain in pairs: those of one seed share their roots; the others as
    they come."""
    by_seed: dict[int, list[DrillResult]] = defaultdict(list)
    for run in second:
        by_seed[run.spec.seed].append(run)
    pairs, alone = [], []
    for run in first:
        if by_seed[run.spec.seed]:
            pairs.append((run, by_seed[run.spec.seed].pop(0)))
        else:
            alone.append(run)
    left = [run for run in second if run in by_seed[run.spec.seed]]
    pairs += zip(alone, left, strict=False)
    return [(a, b) for a, b in pairs if a.depths and b.depths]


def _needed(
    models: Sequence[Drilled], domains: Sequence[str], pairs: int
) -> tuple[float, int] | None:
    """How many repeats of each would tell the first two models apart, were they `TOLD_APART`, with
    the spread √((σ₁² + σ₂²)/2) of both; None where there are as many already, and where a drill of
    them was cut short."""
    from .power import repeats_needed

    leading = [model.over(domains) for model in models[:2]]
    drills = [of_domain for by_domain in leading for of_domain in by_domain]
    if not drills or any(run.censored for of_domain in drills for run in of_domain):
        return None
    repeats = min(map(len, drills))
    sd = sqrt(fmean(_error(by_domain) ** 2 for by_domain in leading) * repeats)
    needed = repeats_needed(TOLD_APART, sd, pairs)
    return (TOLD_APART, needed) if needed is not None and needed > repeats else None


def _error(by_domain: ByDomain) -> float:
    """Standard error of a model's mean."""
    return moderated(
        [[(run.evd, implied(run.evd_ci)) for run in drills] for drills in by_domain]
    ).se
