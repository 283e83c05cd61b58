"""A drill's figures from its rows and probes. The rows are the truth for n and c; probes say which
root and parent."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from statistics import median
from typing import Any, NamedTuple

from ...state.records import Call, Probe
from ...state.result import DepthRow, DrillResult, RootRow, StopReason, TierRow
from ...state.spec import DrillSpec
from ...state.tiers import TIERS, Tier, tier_of
from ...stats.accuracy import (
    Count,
    _free_failure,
    _total,
    effective_roots,
    wilson,
)
from ...stats.consistency import clustered_interval
from . import survival as exact
from .evd import Observation, evd_interval

# a run asks twice for each depth, and runs of few probes ask for the same counts
_survival_interval = lru_cache(maxsize=4096)(exact.survival_interval)


def depth_row(
    *,
    depth: int,
    passes: int,
    planned: int,
    before: Sequence[Count],
    correct: int,
    wrong: int,
    abstained: int,
    roots: Mapping[str, Count],
    **others: Any,
) -> DepthRow:
    """The row of a closed depth with its statistical columns; n = correct + wrong + abstained ≥ 1.

    `before`: (correct, scored) of the depths above; `roots`: (correct, scored) per root at this
    depth; `planned`: N; `others`: the other counts of a `DepthRow`. Probes that count without a
    root (slots counted as wrong) are clusters of their own. Raises ValueError for n = 0 or when the
    roots hold more than the counts.
    """
    scored = correct + wrong + abstained
    counts = [*before, (correct, scored)]
    survival = exact.survival(counts)[-1]
    rootless = scored - sum(n for _, n in roots.values())
    if rootless < 0 or sum(c for c, _ in roots.values()) != correct:
        raise ValueError(
            f"depth {depth}: the roots' counts do not add up to {correct} of {scored}"
        )
    tier, tier_pass = tier_of(depth, passes)
    return DepthRow(
        depth=depth,
        tier=tier,
        tier_pass=tier_pass,
        scored=scored,
        correct=correct,
        wrong=wrong,
        abstained=abstained,
        effective_roots=effective_roots([n for _, n in roots.values()]),
        accuracy=correct / scored,
        accuracy_ci=wilson(correct, scored),
        accuracy_ci_clustered=clustered_interval([*roots.values(), *[(0, 1)] * rootless]),
        survival=float(survival),
        survival_ci=_survival_interval(tuple(counts)),
        flags=("short",) if scored < planned else (),
        roots=sum(n > 0 for _, n in roots.values()),
        **others,
    )


def summarise_numbers(
    rows: Sequence[DepthRow],
    probes: Sequence[Probe],
    spec: DrillSpec,
    stop_reason: StopReason,
) -> dict[str, Any]:
    """All numeric fields of a drill's result, under their names there.

    `rows`: depths 1 … D that count; `probes`: all of them, counted or not. Without any row EVD is 0
    with the interval 0 … max_depth, and S is 1. Raises ValueError when the probes hold more scored
    or other correct answers than the rows, or a row more than N.
    """
    counts = [(row.correct, row.scored) for row in rows]
    observations = observe(rows, probes, spec.n)
    censored = stop_reason != "threshold"
    threshold = spec.exact_threshold
    estimate = evd_interval(
        observations,
        spec.n,
        threshold,
        spec.max_depth,
        censored=censored,
        seed=f"{spec.seed}:{spec.domain}",
    )
    base, missing = _without_assumed(rows, probes)
    without = [row.no_evidence for row in rows]
    low, high = exact.evd_bounds(base, missing, threshold, spec.max_depth, censored=censored)
    survival = exact.survival(counts)
    errors = [(row.depth, row.scored - row.correct) for row in rows]
    total_errors, scored = sum(n for _, n in errors), sum(n for _, n in counts)
    return {
        "evd": estimate.evd,
        "evd_ci": estimate.interval,
        "evd_se": estimate.se,
        "evd_note": estimate.note,
        "evd_bounds": (float(low), float(high)),
        "evd_no_evidence_wrong": float(exact.evd_no_evidence_wrong(base, without, threshold)),
        "evd_beyond_common": float(
            sum(s for s, row in zip(survival, rows, strict=True) if row.tier != Tier.COMMON)
        ),
        "depth_reached": len(rows),
        "median_depth": exact.median_depth(counts),
        "final_survival": float(exact.windowed(counts, max(1, len(counts)))),
        "survival_last_k": float(exact.windowed(counts, spec.passes)),
        "survival_depth_weighted": float(exact.depth_weighted(counts)),
        "accuracy": sum(c for c, _ in counts) / scored if scored else None,
        "mean_error_depth": sum(d * n for d, n in errors) / total_errors
        if total_errors
        else None,
        "by_tier": by_tier(rows),
        "by_root": by_root(counted(rows, probes)),
    }


def counted(rows: Sequence[DepthRow], probes: Sequence[Probe]) -> list[Probe]:
    """The probes that count: scored, not excluded, at a depth that has a row."""
    depths = {row.depth for row in rows}
    return [
        p
        for p in probes
        if p.outcome.status == "scored" and p.excluded is None and p.depth in depths
    ]


def observe(rows: Sequence[DepthRow], probes: Sequence[Probe], n: int) -> list[Observation]:
    """What the interval of EVD rests on: the counted probes, and one wrong answer per slot a row
    counts without one.

    Such an assumed answer takes root and parent of the slot's own unscored probe. Slots that never
    had a probe are dealt to the surviving paths in turn; at depth 1 each is a root of its own.
    Raises ValueError as `summarise_numbers`.
    """
    observations: list[Observation] = []
    parents: list[Observation] = []
    counting = counted(rows, probes)
    for row in rows:
        if row.scored > n:  # each answer that is assumed would be made
            raise ValueError(f"depth {row.depth}: {row.scored} answers count, of {n} asked for")
        level = [
            Observation(p.id, p.depth, p.root, p.parent, p.verdict == "correct")
            for p in counting
            if p.depth == row.depth
        ]
        missing, correct = row.scored - len(level), sum(o.correct for o in level)
        if missing < 0 or correct != row.correct:
            raise ValueError(
                f"depth {row.depth}: the row counts {row.correct} of {row.scored}, "
                f"but its probes {correct} of {len(level)}"
            )
        filled = {p.slot for p in counting if p.depth == row.depth}
        unscored = {p.slot: p for p in probes if p.depth == row.depth and p.slot not in filled}
        homes = [(p.root, p.parent) for _, p in sorted(unscored.items())]
        paths = [(o.root, o.id) for o in parents if o.correct]
        for number in range(missing):
            name = f"unfilled/d{row.depth:02}.{number:02}"
            turn = number - len(homes)
            root, parent = homes[number] if turn < 0 else (name, None)
            if paths and turn >= 0:
                root, parent = paths[turn % len(paths)]
            level.append(Observation(name, row.depth, root, parent, correct=False))
        observations += level
        parents = level
    return observations


def by_tier(rows: Sequence[DepthRow]) -> dict[Tier, TierRow]:
    """Counts and accuracy per tier that was reached, in the order of the tiers."""
    tiers: dict[Tier, TierRow] = {}
    for tier in TIERS:
        depths = [row for row in rows if row.tier == tier]
        correct, scored = (
            sum(row.correct for row in depths),
            sum(row.scored for row in depths),
        )
        if scored:
            tiers[tier] = TierRow(
                scored=scored,
                correct=correct,
                wrong=sum(row.wrong for row in depths),
                abstained=sum(row.abstained for row in depths),
                accuracy=correct / scored,
                accuracy_ci=wilson(correct, scored),
            )
    return tiers


def by_root(probes: Sequence[Probe]) -> dict[str, RootRow]:
    """Counts and accuracy per opening aspect over counted probes, in the order in which the roots
    first appear."""
    probes_of: dict[str, list[Probe]] = defaultdict(list)
    for probe in probes:
        probes_of[probe.root].append(probe)
    rows: dict[str, RootRow] = {}
    for root, grown in probes_of.items():
        right = [probe.depth for probe in grown if probe.verdict == "correct"]
        rows[root] = RootRow(
            scored=len(grown),
            correct=len(right),
            accuracy=len(right) / len(grown),
            deepest=max(right, default=0),
        )
    return rows


class AnswerPrice(NamedTuple):
    """What the answers of a target took, per 100 of them; without who examines it."""

    usd_per_100: float | None
    """What comes from the cache at its price; None: not known."""
    tokens_per_100: float
    latency_s: float | None
    """Median of one."""


def price_of_answers(results: Iterable[DrillResult]) -> AnswerPrice:
    """The price of a target's own answers in these drills."""
    answers, calls = 0, list[Call]()
    for result in results:
        for probe in result.probes:
            answers += probe.answer is not None
            calls += [call for call in probe.calls if call.role == "target"]
    usd = _total(
        call.saved_usd if call.cached else call.cost_usd
        for call in calls
        if not _free_failure(call)
    )
    tokens = sum(call.usage.input_tokens + call.usage.output_tokens for call in calls)
    waits = [call.latency_s for call in calls if call.failure is None and call.latency_s > 0]
    per_100 = 100 / max(1, answers)
    return AnswerPrice(
        usd_per_100=usd * per_100 if answers and usd is not None else None,
        tokens_per_100=tokens * per_100,
        latency_s=median(waits) if waits else None,
    )


def _without_assumed(
    rows: Sequence[DepthRow], probes: Sequence[Probe]
) -> tuple[list[Count], list[int]]:
    """(correct, really scored) and m per depth: what a row counts as wrong without a verdict is
    missing, not known."""
    real: dict[int, int] = defaultdict(int)
    for probe in counted(rows, probes):
        real[probe.depth] += 1
    base = [(row.correct, real[row.depth]) for row in rows]
    missing = [max(row.unfilled, row.scored - real[row.depth]) + row.replaced for row in rows]
    return base, missing
