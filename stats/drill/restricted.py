"""Drills on the depths that all of them could reach (METHODS: Lower limits)."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import inf

from ...state.comparison import ComparedPair
from ...state.result import DrillResult
from .summary import observe
from .survival import evd_interval

RESTRICTED = (
    "where a drill of a pair was cut short, or allowed no further, both are compared on the depths "
    "above that alone"
    " (restricted EVD): a lower limit is not behind for what it was not asked"
)


def end_of(run: DrillResult) -> float:
    """The depth at which a drill was cut short or allowed no further; none where it stopped by
    itself."""
    return inf if run.stop_reason == "threshold" else run.depth_reached


def restricted(run: DrillResult, depth: float) -> DrillResult:
    """The drill as if it had ended at a depth: its restricted EVD, Σ S(d) up to there, with its
    interval."""
    if run.depth_reached <= depth:
        return run
    rows, spec = run.depths[: int(depth)], run.spec
    seed = f"{spec.seed}:{spec.domain}"
    observations = observe(rows, run.probes)
    found = evd_interval(
        observations, spec.n, spec.exact_threshold, len(rows), censored=True, seed=seed
    )
    figures = {"evd": found.evd, "evd_ci": found.interval, "evd_se": found.se}
    return run.model_copy(update={"depths": rows, "depth_reached": len(rows), **figures})


def leads(pairs: Sequence[ComparedPair]) -> Mapping[str, float]:
    """How far each model is ahead of all others together, where a pair does not rest on whole EVDs;
    else all alike."""
    ahead: dict[str, float] = defaultdict(float)
    for pair in pairs if any(pair.depth is not None for pair in pairs) else ():
        ahead[pair.one] += pair.difference or 0.0
        ahead[pair.other] -= pair.difference or 0.0
    return ahead
