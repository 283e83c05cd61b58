"""Whether decisions are right: simulated launches, no model.

Each launch drills models R times each and decides by a margin. Wrong preference: a model is taken
as better that is not the best (among models that know equally much: any). Wrong equal: models are
found equal of which two differ by the margin or more. Fixed: one look at R repeats. Looking: looks
at 4, 6, 8, 10 and 12 repeats at Pocock's level, until it is decided; models that are settled leave.

The drills, and the tests of pairs, are those of comparison.py.
"""

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from itertools import combinations
from statistics import fmean
from typing import Any

import numpy as np
from tests.support.decisions import compared

from fathom.graphs.drill.paired import LOOKS, Scatter, level_of_each, paired_difference
from fathom.state.decision import Decision, Policy
from fathom.stats.decide import Candidate, decide

from .comparison import (
    DEPTHS,
    SHAPES,
    USUAL,
    Shape,
    better,
    scatters,
    shared_of,
    simulate,
    true_evd,
)

BATCH = 20
MARGINS = {"shallow": 0.3, "falling": 1.0}
"""Shape of the first model → the margin."""
FIXED = (1, 3, 6, 12)
CASES = {
    "equal": (0, 0),
    "a margin apart": (0, 1),
    "two margins apart": (0, 2),
    "3 equal": (0, 0, 0),
    "3, the best a margin ahead": (0, 0, 1),
    "3, the best two margins ahead": (0, 0, 2),
    "5, the best two margins ahead": (0, 0, 0, 0, 2),
}
"""By how many margins each model is better than the first."""


@cache
def shapes(name: str, margins: int) -> tuple[Shape, float]:
    """The shape of a model so many margins better than the first, and by how much it is."""
    base = SHAPES[name]
    shape = better(base, USUAL, margins * MARGINS[name]) if margins else base
    ahead = true_evd(shape, USUAL, runs=100_000) - true_evd(base, USUAL, runs=100_000)
    return shape, ahead


def judged(drills: Sequence[Sequence[Scatter]], margin: float, alpha: float) -> Decision:
    """The decision on [model][repeat]; pairs rest on the repeats that both have."""
    differences = {
        (str(one), str(other)): paired_difference(
            [[*zip(drills[one], drills[other], strict=False)]]
        )
        for one, other in combinations(range(len(drills)), 2)
    }
    means = [fmean(drill.evd for drill in own) for own in drills]
    order = [str(m) for m in sorted(range(len(drills)), key=lambda model: -means[model])]
    candidates = [Candidate(label, usd_per_repeat=1.0) for label in order]
    made = compared(order, differences, max(map(len, drills)))
    return decide(made, candidates, Policy(margin=margin, alpha=alpha))


def outcome(decision: Decision, truth: Sequence[int]) -> str:
    """What came of a launch, by what is true."""
    if decision.verdict in ("better", "better_beyond_margin"):
        alone = list(truth).count(max(truth)) == 1
        right = alone and truth[int(decision.model or 0)] == max(truth)
        return "preferred" if right else "wrong preference"
    if decision.verdict == "equal":
        held = [truth[int(label)] for label in decision.equals]
        return "wrong equal" if max(held) > min(held) else "equal"
    return "open"


def batch(truth: tuple[int, ...], name: str, seed: int) -> list[tuple[str, float, str]]:
    """(plan, repeats spent, outcome) of each launch of a batch."""
    rng, most, margin = np.random.default_rng(seed), LOOKS[-1], shapes(name, 1)[1]
    found: list[tuple[str, float, str]] = []
    for _ in range(BATCH):
        shared = shared_of(USUAL, most, rng)
        drills = [
            scatters(simulate(shapes(name, each)[0], USUAL, shared, rng), DEPTHS)
            for each in truth
        ]
        for repeats in FIXED:
            decision = judged([own[:repeats] for own in drills], margin, 0.05)
            found.append((f"{repeats}", repeats, outcome(decision, truth)))
        found.append(looked(drills, truth, margin))
    return found


def looked(
    drills: Sequence[Sequence[Scatter]], truth: Sequence[int], margin: float
) -> tuple[str, float, str]:
    """The same of a launch that goes on until it is decided: settled models leave, and the repeats
    are the mean over its models."""
    spent, going_on, decision = [0] * len(drills), {*map(str, range(len(drills)))}, None
    for repeats in LOOKS:
        spent = [repeats if str(m) in going_on else used for m, used in enumerate(spent)]
        own = [drill[:used] for drill, used in zip(drills, spent, strict=True)]
        decision = judged(own, margin, level_of_each(LOOKS[-1]))
        going_on = {*decision.waiting}
        if not going_on:
            break
    assert decision is not None
    return "looking", fmean(spent), outcome(decision, truth)


def main(runs: int, workers: int) -> None:
    """Print a line for each case and plan."""
    heads = ("preferred", "wrong preference", "equal", "wrong equal", "open")
    with ProcessPoolExecutor(workers) as pool:
        for name in MARGINS:
            print(f"{name}, margin {shapes(name, 1)[1]:.3f} EVD, {runs} launches")
            print(f"{'case':32}{'repeats':>9}{'mean R':>8}", *(f"{head:>17}" for head in heads))
            for case, truth in CASES.items():
                seeds = range(max(1, runs // BATCH))
                batches: Any = pool.map(partial(batch, truth, name), seeds)
                _print(case, [one for each in batches for one in each], heads)


def _print(name: str, told: Sequence[tuple[str, float, str]], heads: Sequence[str]) -> None:
    for plan in dict.fromkeys(plan for plan, _, _ in told):
        own = [(repeats, what) for each, repeats, what in told if each == plan]
        counts, n = Counter(what for _, what in own), len(own)
        shares = (f"{counts[head] / n:17.3f}" for head in heads)
        print(f"{name:32}{plan:>9}{fmean(r for r, _ in own):8.1f}", *shares, flush=True)
