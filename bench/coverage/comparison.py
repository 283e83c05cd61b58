"""Whether comparisons hold their level, find differences and rank truly: simulated launches, no
model.

A launch has up to five models and six repeats. In each repeat all models share the starting topics
and the questions of depth 1. Whether an answer is right depends, on the logit scale, on what the
model knows at this depth (its shape), on how hard the topic is (to all models, and to this one), on
the concept, whose difficulty a follow-up inherits in part, on the question, and on the drill (an
evaluator may write harder questions in one); the judge rejects and accepts some answers wrongly.

Level: the share of launches in which any two models of the same true EVD are told apart (all pairs
with Holm). Coverage: how often the interval of the first two's difference holds the true one.
Power: how often these are told apart. `odd`: pairs whose interval and p disagree. Ranks: the share
of launches in which every rank interval holds the true rank. `behind`: the first model is told to be
behind; where the drills are cut, its own are, and it is never.

Items: right or wrong answers of both models to the same questions, in groups; with an intraclass
correlation each model has a standing of its own in each group.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from itertools import combinations
from math import sqrt
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from tests.support.decisions import made_pair

from fathom.graphs.drill.evd import Floats, Observation, stopped_sum
from fathom.graphs.drill.paired import Scatter, paired_difference, scatter
from fathom.state.comparison import ComparedModel, ComparedPair
from fathom.stats.items import swap_test
from fathom.stats.ranking import TestedPair, adjusted, ranked

N, DEPTHS, THETA = 30, 15, Fraction(1, 5)
BATCH = 40
REPEATS = 6
RUNS = 300
"""Drills that a drill's own spread is simulated with."""


@dataclass(frozen=True)
class World:
    """Standard deviations, on the logit scale, and the judge's two kinds of error."""

    topic: float = 0.6
    own: float = 0.4
    concept: float = 0.6
    inherited: float = 0.7
    question: float = 0.4
    drill: float = 0.1
    rejects: float = 0.03
    accepts: float = 0.02


USUAL = World()
WORLDS = {
    "usual": USUAL,
    "calm": World(0, 0, 0, 0, 0, 0, 0, 0),
    "noisy": replace(USUAL, drill=0.3, rejects=0.08, accepts=0.05),
}
Shape = tuple[float, ...]
SHAPES: dict[str, Shape] = {
    "falling": tuple(2.6 - 0.3 * depth for depth in range(DEPTHS)),
    "steady": (1.6,) * DEPTHS,
    "cliff": (*[3.2] * 5, *[-1.0] * 10),
    "deep": (4.2,) * DEPTHS,
    "shallow": (-1.2,) * DEPTHS,
}
ALIKE = 0.1
"""Difference of EVDs up to which two shapes are meant to be alike."""
ITEMS: tuple[tuple[str, list[float]], ...] = (
    ("5 alike", [0.7] * 5),
    ("alike", [0.7] * 2),
    ("alike, ceiling", [0.97] * 2),
    ("5% apart", [0.75, 0.7]),
)
DESIGNS: dict[str, tuple[int, int]] = {
    "R=1": (1, 1),
    "R=2": (1, 2),
    "R=3": (1, 3),
    "R=5": (1, 5),
    "3 domains": (3, 1),
    "3 domains × 2": (3, 2),
}
"""(domains, repeats in each)."""


class Drills(NamedTuple):
    """Drills side by side: [drill, slot, depth], and how many depths each has."""

    right: NDArray[np.bool_]
    root: NDArray[np.int64]
    depths: NDArray[np.int64]


def simulate(shape: Shape, world: World, shared: Floats, rng: Generator) -> Drills:
    """A drill for each of `shared`: [drill, slot, (topic, question of depth 1)]."""
    number = len(shared)
    topic = shared[..., 0] + world.own * rng.standard_normal((number, N))
    level = world.drill * rng.standard_normal((number, 1))
    root = np.tile(np.arange(N), (number, 1))
    concept, question = world.concept * rng.standard_normal((number, N)), shared[..., 1]
    going, survival = np.ones(number, bool), np.ones(number)
    right, roots = np.zeros((number, N, DEPTHS), bool), np.zeros((number, N, DEPTHS), np.int64)
    depths = np.zeros(number, np.int64)
    for depth in range(DEPTHS):
        logit = shape[depth] + np.take_along_axis(topic, root, 1) + level + concept + question
        known = rng.random((number, N)) < 1 / (1 + np.exp(-logit))
        judged = rng.random((number, N))
        seen = np.where(known, judged >= world.rejects, judged < world.accepts)
        right[:, :, depth], roots[:, :, depth] = seen, root
        depths[going] = depth + 1
        survival *= seen.mean(axis=1)
        going &= survival >= float(THETA) * (1 - 1e-12)
        order = np.argsort(np.where(seen, rng.random((number, N)), 2.0), axis=1)
        turn = np.arange(N) % np.maximum(seen.sum(axis=1, keepdims=True), 1)
        parent = np.take_along_axis(order, turn, axis=1)
        root = np.take_along_axis(root, parent, 1)
        concept = np.take_along_axis(concept, parent, 1)
        fresh = world.concept * rng.standard_normal((number, N))
        concept = world.inherited * concept + sqrt(1 - world.inherited**2) * fresh
        question = world.question * rng.standard_normal((number, N))
    return Drills(right, roots, depths)


def shared_of(world: World, number: int, rng: Generator) -> Floats:
    spread = np.array([world.topic, world.question])
    effects: Floats = rng.standard_normal((number, N, 2)) * spread
    return effects


@cache
def true_evd(shape: Shape, world: World, last: int = DEPTHS, runs: int = 20_000) -> float:
    rng = np.random.default_rng(1)
    made = simulate(shape, world, shared_of(world, runs, rng), rng)
    return float(stopped_sum(made.right.mean(axis=1)[:, :last], float(THETA)).mean())


@cache
def better(shape: Shape, world: World, by: float, than: Shape | None = None) -> Shape:
    """The shape, raised so that its EVD is that of `than` (or its own), and `by` more."""
    goal = true_evd(than or shape, world, runs=3_000) + by
    low, high = -3.0, 3.0
    for _ in range(14):
        middle = (low + high) / 2
        found = true_evd(_raised(shape, middle), world, runs=3_000)
        low, high = (middle, high) if found < goal else (low, middle)
    return _raised(shape, high)


def _raised(shape: Shape, by: float) -> Shape:
    return tuple(logit + by for logit in shape)


def scatters(made: Drills, last: int) -> list[Scatter]:
    found: list[Scatter] = []
    for right, root, depths in zip(*made, strict=True):
        observations = [
            Observation("", depth + 1, str(root[slot, depth]), None, bool(right[slot, depth]))
            for depth in range(min(int(depths), last))
            for slot in range(N)
        ]
        found.append(scatter(observations, N, THETA, last, seed=len(found), runs=RUNS))
    return found


@dataclass(frozen=True)
class Seen:
    """What one launch came to."""

    wrongly: bool
    """Two models that know equally much were told apart."""
    first: bool
    """The first two were told apart."""
    behind: bool
    """And the first, which is no worse, is said to be behind."""
    holds: bool
    """Whether the interval of their difference, as shown, holds the true one."""
    odd: int
    """Pairs whose interval and p disagree."""
    ranks: bool
    """Whether every rank interval holds the true rank."""


def seen(truth: Sequence[float], means: Sequence[float], tested: Sequence[TestedPair]) -> Seen:
    """`tested`: all pairs of models named by their place, in the order of `combinations`."""
    pairs = adjusted(tested)
    odd = sum(pair.separated != (not _holds(pair, 0.0)) for pair in pairs)
    same = [pair.separated for pair in pairs if truth[int(pair.one)] == truth[int(pair.other)]]
    models = [
        ComparedModel(label=str(m), run_ids=(), estimate=e, interval=None)
        for m, e in enumerate(means)
    ]
    holds_rank = True
    for model in ranked(models, pairs):
        mine, (low, high) = truth[int(model.label)], model.rank or (1, len(models))
        ahead, alike = sum(other > mine for other in truth), list(truth).count(mine)
        holds_rank = holds_rank and low <= ahead + alike and high >= 1 + ahead
    first = pairs[0]
    true = truth[int(first.one)] - truth[int(first.other)]
    return Seen(
        wrongly=any(same),
        first=first.separated,
        behind=first.separated and first.one == "1",
        holds=_holds(first, true),
        odd=odd,
        ranks=holds_rank,
    )


def _holds(pair: ComparedPair, value: float) -> bool:
    low, high = pair.interval or (0.0, 0.0)
    return low <= value <= high


def launches(
    shapes: Sequence[Shape], world: World, truth: Sequence[float], last: int, seed: int
) -> dict[tuple[str, int], list[Seen]]:
    """(design, models) → what each launch of a batch came to; all designs on the same drills."""
    rng = np.random.default_rng(seed)
    shared = shared_of(world, BATCH * REPEATS, rng)
    simulated = [simulate(shape, world, shared, rng) for shape in shapes]
    made = [scatters(drills, last) for drills in simulated]
    cut = simulated[0].depths > last
    found: dict[tuple[str, int], list[Seen]] = {}
    for at in range(0, BATCH * REPEATS, REPEATS):
        drills = [own[at : at + REPEATS] for own in made]
        for design, (domains, repeats) in DESIGNS.items():
            tested = {}
            for one, other in combinations(range(len(shapes)), 2):
                pairs = list(zip(drills[one], drills[other], strict=True))[: domains * repeats]
                split = [
                    pairs[place : place + repeats] for place in range(0, len(pairs), repeats)
                ]
                mean = paired_difference(split)
                pair = made_pair((str(one), str(other)), mean, len(pairs))
                # only the first model is cut, and a lower limit is never behind
                was_cut = one == 0 and bool(cut[at : at + len(pairs)].any())
                if was_cut and mean.value < 0:
                    pair = (pair[0].model_copy(update={"p": None, "interval": None}), None)
                tested[one, other] = pair
            means = [fmean(each.evd for each in own[: domains * repeats]) for own in drills]
            for models in {2, 3, 5} & {*range(2, len(shapes) + 1)}:
                among = [pair for both, pair in tested.items() if max(both) < models]
                told = seen(truth[:models], means[:models], among)
                found.setdefault((design, models), []).append(told)
    return found


def items(
    shares: Sequence[float], icc: float, groups: int, size: int, seed: int
) -> dict[tuple[str, int], list[Seen]]:
    """The same of models that were asked the same questions, each right with this chance."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(BATCH):
        known = [_standing(share, icc, groups, rng)[:, None] for share in shares]
        right = [(rng.random((groups, size)) < own).astype(float) for own in known]
        tested: list[TestedPair] = []
        for one, other in combinations(range(len(shares)), 2):
            away = right[one] - right[other]
            test = swap_test([(k, float(v)) for k, own in enumerate(away) for v in own])
            assert test is not None
            pair = ComparedPair(one=str(one), other=str(other), difference=test.mean, p=test.p)
            tested.append((pair, partial(test.interval, most=1.0)))
        rows.append(seen(shares, [float(own.mean()) for own in right], tested))
    return {("items", len(shares)): rows}


def _standing(share: float, icc: float, groups: int, rng: Generator) -> Floats:
    """The chance of a right answer in each group."""
    weight = 1 / icc - 1 if icc else 0.0
    alike = np.full(groups, share)
    return rng.beta(share * weight, (1 - share) * weight, groups) if icc else alike


def report(name: str, one: Any, runs: int, mapper: Any) -> None:
    batches = list(mapper(one, range(-(-runs // BATCH))))
    for design, models in batches[0]:
        rows = [row for batch in batches for row in batch[design, models]]
        shares = {
            part: fmean(float(getattr(row, part)) for row in rows)
            for part in ("wrongly", "holds", "first", "behind", "ranks", "odd")
        }
        figures = "  ".join(f"{part} {share:.3f}" for part, share in shares.items())
        print(f"{name:<34} {design:<14} M={models}  {figures}  n={len(rows)}", flush=True)


def cases() -> Iterator[tuple[str, Any]]:
    """(name, a function of a seed)."""
    falling = SHAPES["falling"]

    def case(shapes: Sequence[Shape], world: World = USUAL, last: int = DEPTHS) -> Any:
        evds = {shape: true_evd(shape, world, last) for shape in shapes}
        alike = len(set(shapes)) < 2 or abs(evds[shapes[0]] - evds[shapes[1]]) < ALIKE
        truth = [0.0 if alike else evds[shape] for shape in shapes]
        return partial(launches, shapes, world, truth, last)

    for name, world in WORLDS.items():
        yield f"alike, {name}", case([falling] * 5, world)
    for by in (0.5, 1.0, 2.0):
        yield f"{by:g} apart", case([better(falling, USUAL, by), falling])
    yield "alike, unlike shapes", case([falling, better(SHAPES["cliff"], USUAL, 0.0, falling)])
    yield "alike, ceiling", case([SHAPES["deep"]] * 3)
    yield "alike, floor", case([SHAPES["shallow"]] * 3)
    for last in (2, 4):
        yield f"alike, cut at depth {last}", case([falling] * 2, last=last)
        shapes = [better(falling, USUAL, 1.0), falling]
        yield f"1 apart, cut at depth {last}", case(shapes, last=last)
    for groups, size in ((8, 10), (60, 10), (200, 1)):
        for icc in (0.0, 0.2) if size > 1 else (0.0,):
            for label, shares in ITEMS:
                name = f"{label}, {groups} × {size}, ICC {icc}"
                yield name, partial(items, shares, icc, groups, size)
    yield (
        "5, each 0.7 apart",
        case([better(falling, USUAL, 0.7 * step) for step in (4, 3, 2, 1, 0)]),
    )


def main(runs: int, workers: int) -> None:
    with ProcessPoolExecutor(workers) as pool:
        for name, one in cases():
            report(name, one, runs, pool.map)
