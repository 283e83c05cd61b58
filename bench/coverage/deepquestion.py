"""How often the 95% intervals of a DeepQuestion run hold the truth, by simulation without a model.
Asserts nothing.

A problem has a difficulty that original, scenario and Q2I have in common, by a share of the
variance; what is right is what lies below a cut. A judge sees how much better one question of a
pair is, by a share that all criteria have in common, leans to the first place by an amount that
differs from pair to pair, and says `tie` where little tells the questions apart. The truth is the
expectation over new problems and new answers, from 400,000 of them.

Beside each interval stands a simpler one: for shares mean ± 1.96·√(p(1 − p)/n); for the drop the
one of two independent shares; for the distance the difference ± 1.96·√Σp(1 − p)/n; for win rates
mean ± t·s/√n, cut off at 0 and 1; for leanings Wilson's as if all comparisons and criteria were
independent. With 2,000 runs each, over 8, 20, 60 and 200 problems or pairs, the program's intervals
hold the truth in this share of runs, and the simpler ones in that:

    accuracy        .86-.98   .15-.96        win rate                .95-1.0   .50-.96
    drop            .94-1.0   .98-1.0        leaning, one criterion  .95-1.0   .88-1.0
    distance        .95-1.0   .52-.98        leaning, all criteria   .93-1.0   .59-1.0

An accuracy is lowest, .86, where it is .98 and there are 8 problems: two wrong answers are too
many. The distance holds too often, because it takes two shares over the same problems for
independent.
"""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import ndtri, stdtrit

from fathom.graphs.deepquestion.measures import distance, drop, newcombe
from fathom.graphs.deepquestion.pairs import comparisons
from fathom.state.deepquestion.items import Compared
from fathom.state.problems import CRITERIA, Preference
from fathom.stats.accuracy import wilson

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Interval = tuple[float, float]
Held = dict[str, tuple[Interval | None, Interval | None]]
"""Figure → (the program's interval, the simpler one)."""

SIZES = (8, 20, 60, 200)
COMMON = 0.6
"""Share of the variance of whether a problem is solved that is its difficulty."""


class Target(NamedTuple):
    """Chances to be right."""

    original: float
    scenario: float
    created: float


class Judge(NamedTuple):
    """How a judge prefers, in standard deviations of a single look at a pair."""

    better: float
    """By how much the question that is looked at is better on average."""
    spread: float
    """How different pairs are in that."""
    leaning: float
    """To the first place, on average over pairs; as much again is its spread."""
    tie: float
    """What it takes to prefer one."""


TARGETS = {
    "strong": Target(0.95, 0.88, 0.6),
    "at the top": Target(0.98, 0.97, 0.92),
    "middling": Target(0.7, 0.55, 0.2),
    "no drop": Target(0.8, 0.8, 0.5),
}
JUDGES = {
    "even": Judge(0.0, 1.0, 0.0, 0.4),
    "leans to the first place": Judge(-0.5, 0.6, 0.6, 0.4),
    "sees little but the place": Judge(0.0, 0.2, 1.5, 0.4),
    "prefers originals": Judge(-2.5, 0.8, 0.2, 0.3),
}


def draw_marks(rng: Generator, n: int, target: Target) -> Bools:
    """[3, n]: whether original, scenario and created question are right."""
    hard = sqrt(COMMON) * rng.normal(size=n)
    own = sqrt(1 - COMMON) * rng.normal(size=(3, n))
    right: Bools = hard + own < ndtri(np.array(target))[:, None]
    return right


def draw_pairs(rng: Generator, n: int, judge: Judge) -> Ints:
    """[2, n, criteria]: 1 first, −1 second, 0 tie; the question that is looked at stands first,
    then second."""
    share_of = sqrt(0.5)
    better = judge.better + judge.spread * share_of * (
        rng.normal(size=(n, 1)) + rng.normal(size=(n, len(CRITERIA)))
    )
    leaning = judge.leaning * (1 + rng.normal(size=(n, 1)))
    seen = np.stack([better, -better]) + leaning + rng.normal(size=(2, n, len(CRITERIA)))
    preferred: Ints = np.where(np.abs(seen) < judge.tie, 0, np.sign(seen)).astype(np.int64)
    return preferred


def scores(preferred: Ints) -> Floats:
    """[n, criteria]: 1, ½ or 0 for each pair."""
    ahead, behind = preferred
    won, lost = (ahead == 1) & (behind == -1), (ahead == -1) & (behind == 1)
    points: Floats = 0.5 + 0.5 * won - 0.5 * lost
    return points


def truth_of_marks(target: Target) -> dict[str, float]:
    return {
        "original": target.original,
        "Q2I accuracy": target.created,
        "drop": target.original - target.scenario,
        "distance": target.original - target.created,
    }


def truth_of_pairs(judge: Judge, expected: int = 400_000) -> dict[str, float]:
    preferred = draw_pairs(np.random.default_rng(99), expected, judge)
    first = float((preferred == 1).sum() / (preferred != 0).sum())
    return {
        "win rate": float(scores(preferred)[:, 0].mean()),
        "leaning, one criterion": first,
        "leaning, all": first,
    }


def one_of_marks(target: Target, n: int, seed: int) -> Held:
    """The intervals of one simulated run."""
    original, scenario, created = draw_marks(np.random.default_rng(seed), n, target)
    counts = [int(marks.sum()) for marks in (original, scenario, created)]
    dropped = drop([*zip(original.tolist(), scenario.tolist(), strict=True)])
    far = distance([*zip(original.tolist(), created.tolist(), strict=True)]).interval
    assert dropped is not None
    return {
        "original": (wilson(counts[0], n), _wald(counts[0], n)),
        "Q2I accuracy": (wilson(counts[2], n), _wald(counts[2], n)),
        "drop": (dropped.ci, newcombe(counts[0], n, counts[1], n)),
        "distance": (far, _wald_difference(counts[0], counts[2], n)),
    }


_PREFERENCES: dict[int, Preference] = {1: "first", -1: "second", 0: "tie"}


def _items(preferred: Ints, *, original_first: bool) -> list[Compared]:
    return [
        Compared.model_construct(
            id=f"p{place}",
            problem=place,
            pair="baseline",
            original_first=original_first,
            fault=None,
            preferences={
                name: _PREFERENCES[each] for name, each in zip(CRITERIA, told, strict=True)
            },
        )
        for place, told in enumerate(preferred.tolist())
    ]


def one_of_pairs(judge: Judge, n: int, seed: int) -> Held:
    preferred = draw_pairs(np.random.default_rng(seed), n, judge)
    ahead, behind = (
        _items(preferred[0], original_first=True),
        _items(preferred[1], original_first=False),
    )
    found = comparisons(list(zip(ahead, behind, strict=True)))
    leaning = preferred[..., 0][preferred[..., 0] != 0]
    every = preferred[preferred != 0]
    return {
        "win rate": (found.criteria[0].ci, _student(scores(preferred)[:, 0])),
        "leaning, one criterion": (found.position[0].ci, _wilson(leaning)),
        "leaning, all": (found.position[-1].ci, _wilson(every)),
    }


def _wald(count: int, n: int) -> Interval:
    p = count / n
    half = 1.96 * sqrt(p * (1 - p) / n)
    return p - half, p + half


def _wald_difference(count: int, other: int, n: int) -> Interval:
    p, q = count / n, other / n
    half = 1.96 * sqrt((p * (1 - p) + q * (1 - q)) / n)
    return p - q - half, p - q + half


def _wilson(preferred: Ints) -> Interval | None:
    return wilson(int((preferred == 1).sum()), len(preferred)) if len(preferred) else None


def _student(values: Floats) -> Interval | None:
    if len(values) < 2:
        return None
    half = (
        float(stdtrit(len(values) - 1, 0.975)) * float(values.std(ddof=1)) / sqrt(len(values))
    )
    return max(0.0, float(values.mean()) - half), min(1.0, float(values.mean()) + half)


Figure = tuple[float, float, float, float]
"""Share of the program's intervals that hold the truth, their mean width, the same two of the
simpler ones; over those runs that have both."""


def coverage(
    one: Any, expected: dict[str, float], runs: int, mapper: Any = map
) -> dict[str, Figure]:
    """`one`: seed → the intervals of a run."""
    held: list[Held] = list(mapper(one, range(runs)))
    found = {}
    for name, true in expected.items():
        both = [
            (own, plain)
            for run in held
            for own, plain in [run[name]]
            if own is not None and plain is not None
        ]
        own, plain = zip(*both, strict=True)
        found[name] = (*_measured(own, true), *_measured(plain, true))
    return found


def _measured(intervals: Sequence[Interval], true: float) -> tuple[float, float]:
    ends = np.array(intervals)
    return float(np.mean((ends[:, 0] <= true) & (true <= ends[:, 1]))), float(
        np.mean(ends[:, 1] - ends[:, 0])
    )


def main(runs: int, workers: int) -> None:
    print(f"SIMULATED marks and preferences, {runs:,} runs each")
    print(f"standard error of a coverage of .95: {sqrt(0.95 * 0.05 / runs):.3f}")
    with ProcessPoolExecutor(workers) as pool:
        mapper = partial(pool.map, chunksize=max(1, runs // (8 * workers)))
        for name, target in TARGETS.items():
            _table(
                f"target: {name}",
                partial(one_of_marks, target),
                truth_of_marks(target),
                runs,
                mapper,
            )
        for name, judge in JUDGES.items():
            _table(
                f"judge: {name}",
                partial(one_of_pairs, judge),
                truth_of_pairs(judge),
                runs,
                mapper,
            )


def _table(title: str, one: Any, expected: dict[str, float], runs: int, mapper: Any) -> None:
    print(
        f"\n{title}\n  {'':24}{'n':>5}{'truth':>8}{'held':>8}{'width':>8}{'simpler':>9}{'width':>8}"
    )
    for n in SIZES:
        for figure, numbers in coverage(partial(one, n), expected, runs, mapper).items():
            held, width, plain, plain_width = numbers
            print(
                (
                    "  "
                    f"{figure:24}{n:5}{expected[figure]:8.3f}{held:8.3f}{width:8.3f}{plain:9.3f}{plain_width:8.3f}"
                ),
                flush=True,
            )
