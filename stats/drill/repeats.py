"""Several drills of one domain and target as one figure (METHODS: Repeats).

A single drill cannot tell its own luck from the model's knowledge; drills with roots of their own
can, because what scatters between them is all there is to scatter: roots, passages, questions,
answers and verdicts.
"""

from collections.abc import Iterable, Sequence
from itertools import combinations
from statistics import fmean, stdev

from ...state.repeats import RepeatDepth, RepeatsResult
from ...state.result import DrillResult, RoleUsage
from ..moderated import mean_of_repeats
from .summary import counted

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
    evds, own = [r.evd for r in held], [(r.evd, r.evd_ci) for r in held]
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
        mean_ci=mean_of_repeats([own], 0.0, spec.max_depth) if held else None,
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
    found = [] if evds else ["nothing counts"]
    if censored:
        found.append(
            f"{censored} of {len(evds)} EVDs are lower limits (the drill was cut short), so the "
            "mean is a lower limit"
            " too, and its interval covers only what was asked"
        )
    return found


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
