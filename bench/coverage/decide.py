"""Whether decisions are right: simulated launches, no model.

Each launch drills models R times each and decides by a margin. Wrong preference: a model is taken
as better that is not the best (among models that know equally much: any). Wrong equal: models are
found equal of which two differ by the margin or more. Fixed: one look at R repeats. Looking: looks
at 4, 6, 8, 10 and 12 repeats at Pocock's level, until it is decided.

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

from fathom.state.comparison import ComparedModel, ComparedPair, Comparison
from fathom.state.decision import Decision, Policy
from fathom.stats.decide import Candidate, decide
from fathom.stats.drill.paired import LOOKS, POCOCK, Scatter, paired_difference
from fathom.stats.ranking import TestedPair, adjusted

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
    """The decision on [model][repeat]."""
    tested: list[TestedPair] = []
    for one, other in combinations(range(len(drills)), 2):
        found = paired_difference([[*zip(drills[one], drills[other], strict=True)]])
        pair = ComparedPair(
            one=str(one),
            other=str(other),
            difference=found.value,
            p=found.p,
            se=found.se,
            df=found.df,
            over=len(drills[one]),
        )
        tested.append((pair, found.interval))
    means = [fmean(drill.evd for drill in own) for own in drills]
    order = sorted(range(len(drills)), key=lambda model: -means[model])
    models = [
        ComparedModel(
            label=str(m), run_ids=(), estimate=means[m], interval=None, usd_per_100=m + 1.0
        )
        for m in order
    ]
    compared = Comparison(
        of="drill",
        measure="EVD",
        simulated=True,
        test="paired_t",
        domains=("d",),
        models=tuple(models),
        pairs=adjusted(tested),
        decisive=None,
    )
    candidates = [Candidate(str(model)) for model in order]
    return decide(compared, candidates, Policy(margin=margin, alpha=alpha))


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


def batch(truth: tuple[int, ...], name: str, seed: int) -> list[tuple[str, int, str]]:
    """(plan, repeats spent, outcome) of each launch of a batch."""
    rng, most, margin = np.random.default_rng(seed), LOOKS[-1], shapes(name, 1)[1]
    found = []
    for _ in range(BATCH):
        shared = shared_of(USUAL, most, rng)
        drills = [
            scatters(simulate(shapes(name, each)[0], USUAL, shared, rng), DEPTHS) for each in truth
        ]
        for repeats in FIXED:
            decision = judged([own[:repeats] for own in drills], margin, 0.05)
            found.append((f"{repeats}", repeats, outcome(decision, truth)))
        for repeats in LOOKS:
            what = outcome(judged([own[:repeats] for own in drills], margin, POCOCK), truth)
            if what != "open" or repeats == LOOKS[-1]:
                found.append(("looking", repeats, what))
                break
    return found


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


def _print(name: str, told: Sequence[tuple[str, int, str]], heads: Sequence[str]) -> None:
    for plan in dict.fromkeys(plan for plan, _, _ in told):
        own = [(repeats, what) for each, repeats, what in told if each == plan]
        counts, n = Counter(what for _, what in own), len(own)
        shares = (f"{counts[head] / n:17.3f}" for head in heads)
        print(f"{name:32}{plan:>9}{fmean(r for r, _ in own):8.1f}", *shares, flush=True)
