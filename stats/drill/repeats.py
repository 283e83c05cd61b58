"""Several drills of one domain and target as one figure, and two targets compared by their repeats
(METHODS: Repeats).

A single drill cannot tell its own luck from the model's knowledge; drills with roots of their own
can, because what scatters between them is all there is to scatter: roots, passages, questions,
answers and verdicts.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import sqrt
from statistics import fmean, stdev

from ...state.repeats import RepeatDepth, RepeatsComparison, RepeatsResult
from ...state.result import DrillResult, Interval, RoleUsage
from ..consistency import t_quantile
from ..ranking import adjusted
from .summary import counted

ENOUGH = 3
"""Repeats from which their mean has an interval and is compared."""
POWER = 0.80
WIDTH = 2 * 1.959963984540054
"""Standard errors in a 95% interval."""
MOST_REPEATS = 1000
_OWN = {"seed", "repeat", "repeats"}
"""Fields of a spec in which the repeats of one group may differ."""


def summarise_repeats(results: Sequence[DrillResult]) -> tuple[RepeatsResult, ...]:
    """One summary per domain and target, domain-major in the order in which domains and targets
    first appear.

    Only complete drills count, censored ones included; partial, interrupted and failed ones, and a
    second run of one seed, are left out with a note. Raises ValueError when drills of one group
    differ in more than their seed.
    """
    domains = dict.fromkeys(r.spec.domain for r in results)
    targets = dict.fromkeys(r.spec.target for r in results)
    groups = (
        [r for r in results if (r.spec.domain, r.spec.target) == (d, t)]
        for d in domains
        for t in targets
    )
    return tuple(_summary(group) for group in groups if group)


def _summary(group: Sequence[DrillResult]) -> RepeatsResult:
    spec = group[0].spec
    _check_alike(group)
    held, notes = _counting(sorted(group, key=lambda r: (r.spec.repeat, r.spec.seed)))
    evds = [r.evd for r in held]
    censored = sum(r.censored is not None for r in held)
    return RepeatsResult(
        domain=spec.domain,
        target=spec.target,
        simulated=any(r.simulated for r in group),
        n=spec.n,
        max_depth=spec.max_depth,
        planned=max(r.spec.repeats for r in group),
        seeds=tuple(r.spec.seed for r in held),
        run_ids=tuple(r.run_id for r in held),
        evds=tuple(evds),
        censored=censored,
        mean=fmean(evds) if evds else None,
        sd=stdev(evds) if len(evds) > 1 else None,
        sd_within=sd_within(held),
        mean_ci=mean_interval(evds, spec.max_depth, sd_within(held)),
        shared_evidence=shared([_passages(r) for r in held]),
        shared_roots=shared([set(r.by_root) for r in held]),
        depths=_depths(held),
        usage=_usage(group),
        cost_usd=_sum(r.cost_usd for r in group),
        notes=(*notes, *_caveats(evds, censored)),
    )


def _check_alike(group: Sequence[DrillResult]) -> None:
    first = group[0].spec
    for result in group[1:]:
        fields = sorted(set(type(first).model_fields) - _OWN - {"pool_seed"})
        different = [name for name in fields if getattr(result.spec, name) != getattr(first, name)]
        if different:
            raise ValueError(
                f"{group[0].run_id} and {result.run_id} are no repeats of one drill: they "
                f"differ in {different[0]}"
            )


def _counting(group: Iterable[DrillResult]) -> tuple[list[DrillResult], list[str]]:
    """The drills that count, and a note on each that does not."""
    held: list[DrillResult] = []
    notes: list[str] = []
    for result in group:
        name = f"repeat {result.spec.repeat} ({result.run_id})"
        if not result.counts:
            why = (result.stop_detail or result.stop_reason).rstrip(".")
            notes.append(
                f"{name} is left out: its status is {result.status}"
                + (f" ({why})" if why != result.status else "")
            )
        elif any(other.spec.seed == result.spec.seed for other in held):
            notes.append(f"{name} is left out: seed {result.spec.seed} is there already")
        else:
            held.append(result)
    return held, notes


def _caveats(evds: Sequence[float], censored: int) -> list[str]:
    found = []
    if len(evds) < ENOUGH:
        found.append(
            f"the mean of {len(evds)} has no interval: it takes {ENOUGH} repeats"
            if evds
            else "nothing counts"
        )
    if censored:
        found.append(
            f"{censored} of {len(evds)} EVDs are lower limits (the drill was cut short), so the "
            "mean is a lower limit"
            " too, and its interval covers only what was asked"
        )
    return found


def sd_within(drills: Sequence[DrillResult]) -> float | None:
    """How far a single drill scatters, by their own standard errors, or their intervals where these
    are exact limits; None without any drill."""
    if not drills:
        return None
    errors = []
    for drill in drills:
        low, high = drill.evd_ci
        errors.append(drill.evd_se or (high - low) / WIDTH)
    return sqrt(fmean(error**2 for error in errors))


def mean_interval(
    values: Sequence[float], most: float, least_sd: float | None = None
) -> Interval | None:
    """mean ± t_{.975, R−1}·s/√R, clipped to 0 … `most`; None with fewer than three values.
    `least_sd`: what s is at least, so that repeats which happen to be alike leave an interval of
    some width."""
    if len(values) < ENOUGH:
        return None
    sd = max(stdev(values), least_sd or 0.0)
    mean, half = fmean(values), t_quantile(len(values) - 1) * sd / sqrt(len(values))
    return max(0.0, mean - half), min(float(most), mean + half)


def shared(sets: Sequence[set[str]]) -> float | None:
    """Mean over all pairs of |A ∩ B| / min(|A|, |B|), in 0 … 1; pairs with an empty set are passed
    over.

    The smaller set is the measure: a drill that stopped early would otherwise hide that all of it
    lies in a longer one.
    """
    pairs = [(a, b) for a, b in combinations(sets, 2) if a and b]
    return fmean(len(a & b) / min(len(a), len(b)) for a, b in pairs) if pairs else None


def _passages(result: DrillResult) -> set[str]:
    return {
        p.question.evidence.digest
        for p in counted(result.depths, result.probes)
        if p.question is not None
    }


def _depths(held: Sequence[DrillResult]) -> tuple[RepeatDepth, ...]:
    found = []
    for depth in range(1, max((len(r.depths) for r in held), default=0) + 1):
        rows = [r.depths[depth - 1] for r in held if len(r.depths) >= depth]
        found.append(
            RepeatDepth(
                depth=depth,
                tier=rows[0].tier,
                reached=len(rows),
                accuracy=fmean(row.accuracy for row in rows),
                survival=sum(row.survival for row in rows) / len(held),
            )
        )
    return tuple(found)


def _usage(group: Sequence[DrillResult]) -> dict[str, RoleUsage]:
    roles = sorted({role for result in group for role in result.usage})
    return {role: _together([r.usage[role] for r in group if role in r.usage]) for role in roles}


def _together(parts: Sequence[RoleUsage]) -> RoleUsage:
    """Sums, field by field; an amount of money that is unknown in one part is unknown in the
    whole."""
    sums = {name: _sum(getattr(part, name) for part in parts) for name in RoleUsage.model_fields}
    return RoleUsage.model_validate(sums)


def _sum(values: Iterable[float | None]) -> float | None:
    total: float = 0  # an int until a float is added, so that counts stay counts
    for value in values:
        if value is None:
            return None
        total += value
    return total


def compare_repeats(groups: Sequence[RepeatsResult]) -> tuple[RepeatsComparison, ...]:
    """All pairs of targets within each domain, in the order of the groups: Welch's t, Holm within
    the domain.

    The targets of one repeat share their roots, which Welch's test does not use: it errs on the
    side of not telling two models apart.
    """
    found: list[RepeatsComparison] = []
    for domain in dict.fromkeys(group.domain for group in groups):
        pairs = [welch(a, b) for a, b in combinations([g for g in groups if g.domain == domain], 2)]
        found += adjusted(pairs)
    return tuple(found)


def welch(one: RepeatsResult, other: RepeatsResult) -> RepeatsComparison:
    """One pair (Welch 1947): t = (m₁ − m₂)/√(v₁ + v₂), v = s²/R, df = (v₁ + v₂)²/(v₁²/(R₁ − 1) +
    v₂²/(R₂ − 1)).

    s is never below what the drills imply by themselves. Without three repeats of each there is a
    difference at most, and a note.
    """

    def pair(
        difference: float | None,
        note: str | None,
        interval: Interval | None = None,
        p: float | None = None,
        need: int | None = None,
    ) -> RepeatsComparison:
        return RepeatsComparison(
            domain=one.domain, one=one.target, other=other.target, difference=difference, interval=interval,
            p=p, p_adjusted=p, repeats_needed=need, note=note,
        )  # fmt: skip

    if one.mean is None or other.mean is None:
        return pair(None, "no repeat of one of them counts")
    difference = one.mean - other.mean
    few = min((one, other), key=lambda group: len(group.evds))
    if len(few.evds) < ENOUGH or one.sd is None or other.sd is None:
        return pair(
            difference,
            f"a comparison takes {ENOUGH} repeats of each; {few.target} has {len(few.evds)}",
        )
    spreads = [max(group.sd or 0.0, group.sd_within or 0.0) for group in (one, other)]
    parts = [
        (group.evds, sd**2 / len(group.evds))
        for group, sd in zip((one, other), spreads, strict=True)
    ]
    error = sum(v for _, v in parts)
    if error == 0:
        return pair(
            difference,
            "neither has any spread between its repeats: there is nothing to test against",
        )
    df = error**2 / sum(v * v / (len(evds) - 1) for evds, v in parts)
    half = t_quantile(df) * sqrt(error)
    p = 2 * _t_below(-abs(difference) / sqrt(error), df)
    note = "lower limits are compared" if one.censored or other.censored else None
    need = repeats_needed(difference, *spreads)
    return pair(difference, note, (difference - half, difference + half), p, need)


def repeats_needed(difference: float, sd_one: float, sd_other: float) -> int | None:
    """Smallest R with R ≥ (t_{.975, ν} + t_{.80, ν})²·(s₁² + s₂²)/difference², ν = 2R − 2; at least
    three.

    The usual approximation of the sample size of a t test with power .80. None for no difference,
    no spread, or more than a thousand.
    """
    spread = sd_one**2 + sd_other**2
    if difference == 0 or spread == 0:
        return None
    for repeats in range(ENOUGH, MOST_REPEATS + 1):
        df = 2 * repeats - 2
        if repeats >= (t_quantile(df) + t_quantile(df, POWER)) ** 2 * spread / difference**2:
            return repeats
    return None


def _t_below(t: float, df: float) -> float:
    from scipy.special import stdtr

    return float(stdtr(df, t))
