"""Whether decisions are right: simulated launches, no model.

Each launch drills models R times each and decides by a margin. Wrong preference: a model is taken
as better that is not the best (among models that know equally much: any). Wrong equal: models are
found equal of which two differ by the margin or more. Fixed: one look at R repeats. Looking: looks
at 4, 6, 8, 10 and 12 repeats at Pocock's level, until it is decided.

The drills are those of drill.py; models share no sub-topics, which is the hard case. The pairs are
those of METHODS: a moderated paired t, whose variance per repeat comes from the roots.
"""

from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from itertools import combinations
from math import sqrt
from typing import Any

import numpy as np
from scipy.special import stdtr

from fathom.state.comparison import ComparedModel, ComparedPair, Comparison
from fathom.state.decision import Decision, Policy
from fathom.stats.decide import Candidate, decide
from fathom.stats.drill.tree import Floats
from fathom.stats.ranking import holm

from .comparison import better, drilled, evds
from .drill import ICCS, PROFILES, THETA, N, expected_evd

LOOKS, POCOCK = (4, 6, 8, 10, 12), 0.0158
PRIOR, BATCH = 4, 50
MARGINS = {"shallow": 0.5, "steady": 1.0}
"""Profile of the first model → the margin: the drills of the steady one scatter three times as far."""
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
def apart(profile: str) -> float:
    """The margin: by how much a model is better that was made to be about so much better."""
    base, icc = PROFILES[profile], ICCS[1]
    one, other = better(base, icc, 0.0), better(base, icc, MARGINS[profile])
    first, second = (expected_evd(each, icc, 200_000, seed=2)[0] for each in (one, other))
    return second - first


def influence_of(counts: Floats) -> tuple[Floats, Floats]:
    """u per root of [run, correct or scored, root, depth], and V_G, per run."""
    correct, scored = counts.transpose(1, 0, 2, 3)
    c, n = correct.sum(axis=1), scored.sum(axis=1)
    asked = n > 0
    share = np.where(asked, c / np.maximum(n, 1), 0.0)
    smooth = (c + 0.5) / (n + 1)
    before = np.cumprod(np.concatenate([np.ones((len(c), 1)), share[:, :-1]], axis=1), axis=1)
    tails = np.zeros_like(share)
    for depth in range(share.shape[1] - 2, -1, -1):
        tails[:, depth] = share[:, depth + 1] * (1 + tails[:, depth + 1])
    g = np.where(asked, before * (1 + tails), 0.0)
    weight = (g / np.maximum(n, 1))[:, None, :]
    u = (weight * (correct - smooth[:, None, :] * scored)).sum(axis=2)
    v = (g**2 * smooth * (1 - smooth) / np.maximum(n, 1)).sum(axis=1)
    return u, v


def compared(values: Floats, u: Floats, v: Floats) -> Comparison:
    """Of EVDs [model, repeat], with what each root has moved, and V_G."""
    repeats, order = values.shape[1], np.argsort(-values.mean(axis=1))
    pairs = []
    for one, other in combinations(order, 2):
        apart = values[one] - values[other]
        roots = ((u[one] ** 2) + (u[other] ** 2)).sum(axis=1) * N / (N - 1)  # none is shared
        own = np.maximum(roots, v[one] + v[other])
        df = PRIOR + repeats - 1
        between = (repeats - 1) * apart.var(ddof=1) if repeats > 1 else 0.0
        se = sqrt((PRIOR * own.mean() + between) / df / repeats)
        pair = ComparedPair(
            one=str(one),
            other=str(other),
            difference=float(apart.mean()),
            p=float(2 * stdtr(df, -abs(apart.mean()) / se)),
            se=se,
            df=df,
            over=repeats,
        )
        pairs.append(pair)
    adjusted = holm([pair.p or 0.0 for pair in pairs])
    told = [
        pair.model_copy(update={"p_adjusted": p}) for pair, p in zip(pairs, adjusted, strict=True)
    ]
    models = [
        ComparedModel(
            label=str(m), run_ids=(), estimate=float(values[m].mean()), interval=None, usd_per_100=m
        )
        for m in order
    ]
    return Comparison.model_construct(
        of="drill",
        measure="EVD",
        models=tuple(models),
        pairs=tuple(told),
        domains=("d",),
        simulated=True,
    )


def judged(values: Floats, u: Floats, v: Floats, margin: float, alpha: float) -> Decision:
    """The decision on these repeats."""
    candidates = [Candidate(str(m), usd_per_repeat=1.0) for m in range(len(values))]
    return decide(compared(values, u, v), candidates, Policy(margin=margin, alpha=alpha))


def outcome(decision: Decision, truth: tuple[int, ...]) -> str:
    """What came of a launch, by what is true."""
    if decision.verdict in ("better", "better_beyond_margin"):
        alone = truth.count(max(truth)) == 1
        right = alone and truth[int(decision.model or 0)] == max(truth)
        return "preferred" if right else "wrong preference"
    if decision.verdict == "equal":
        held = [truth[int(label)] for label in decision.equals]
        return "wrong equal" if max(held) - min(held) >= 1 else "equal"
    return "open"


def batch(
    truth: tuple[int, ...], profile: str, icc: float, seed: int
) -> list[tuple[str, int, str]]:
    """(plan, repeats spent, outcome) of each launch of a batch."""
    rng, most = np.random.default_rng(seed), LOOKS[-1]
    base, margin = PROFILES[profile], apart(profile)
    made = [
        drilled(better(base, icc, by * MARGINS[profile]), icc, BATCH * most, rng) for by in truth
    ]
    values = np.stack([evds(own).reshape(BATCH, most) for own in made])
    parts = [influence_of(own) for own in made]
    u = np.stack([each.reshape(BATCH, most, -1) for each, _ in parts])
    v = np.stack([each.reshape(BATCH, most) for _, each in parts])
    found = []
    for at in range(BATCH):
        for repeats in (1, 3, 6, 12):
            held = (values[:, at, :repeats], u[:, at, :repeats], v[:, at, :repeats])
            found.append((f"{repeats}", repeats, outcome(judged(*held, margin, 0.05), truth)))
        for repeats in LOOKS:
            held = (values[:, at, :repeats], u[:, at, :repeats], v[:, at, :repeats])
            what = outcome(judged(*held, margin, POCOCK), truth)
            if what != "open" or repeats == LOOKS[-1]:
                found.append(("looking", repeats, what))
                break
    return found


def main(runs: int, workers: int) -> None:
    """Print a line for each case and plan."""
    heads = ("preferred", "wrong preference", "equal", "wrong equal", "open")
    with ProcessPoolExecutor(workers) as pool:
        for profile, margin in MARGINS.items():
            print(
                f"{profile}, margin {margin} EVD, {runs} launches, N {N}, threshold {float(THETA)}"
            )
            print(f"{'case':32}{'repeats':>9}{'mean R':>8}", *(f"{head:>17}" for head in heads))
            for name, truth in CASES.items():
                seeds = range(max(1, runs // BATCH))
                batches: Any = pool.map(partial(batch, truth, profile, ICCS[1]), seeds)
                _print(name, [one for each in batches for one in each], heads)


def _print(name: str, told: Sequence[tuple[str, int, str]], heads: Sequence[str]) -> None:
    for plan in dict.fromkeys(plan for plan, _, _ in told):
        own = [(repeats, what) for each, repeats, what in told if each == plan]
        counts, n = Counter(what for _, what in own), len(own)
        shares = (f"{counts[head] / n:17.3f}" for head in heads)
        mean = sum(repeats for repeats, _ in own) / n
        print(f"{name:32}{plan:>9}{mean:8.1f}", *shares, flush=True)
