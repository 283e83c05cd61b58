"""How often the 95% intervals of a DepthQA run hold the truth, with scores drawn at random. Prints,
asserts nothing.

A tree has one question of depth 3, four of depth 2 and thirteen of depth 1, three of which lead to
two. A score is a normal variable cut at four places, around a mean of its depth; trees differ, and
so do questions, by normal shares that both modes have in common and by others that are the mode's
own. `clustering` is the trees' part of the variance.

The truth is the expectation over new trees and new answers, from 400,000 trees by a vectorised
twin. Beside each interval stands the one that takes all nodes for independent, mean ± 1.96·s/√n.
With 1,000 runs each, over 10, 30 and 91 trees, few and many discrepancies, clustering 0 and .3, the
program's intervals hold in

    mean score   .92-.98    average      .94-.99    intensity    .93-1.0    gap by quarter  .91-1.0
    change       .89-1.0    frequency    .94-.99

and the naive ones in .25 of runs (gap) to .96. `change` is lowest where nearly all scores are 5
already and the few trees in which they are not make all the difference.
"""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from math import sqrt
from typing import Any, get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from fathom.graphs.depthqa.discrepancy import Direction, Nodes, discrepancy_row, gaps, nodes_of
from fathom.graphs.depthqa.min_k import min_k_numbers
from fathom.graphs.depthqa.result import accuracy, changes
from fathom.state.depthqa.result import DiscrepancyRow
from fathom.state.question_graph import Mode, QuestionGraph, QuestionNode
from fathom.state.rows import AnswerRow

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Interval = tuple[float, float]

LEADS = ((0, 1, 2, 3), (3, 4, 5, 6), (6, 7, 8, 9), (9, 10, 11, 12))
"""Numbers of the D1 that lead to each D2."""
NODES = 18
RATES = {"few": (2.2, 2.0, 1.8), "many": (1.0, 0.8, 0.6)}
"""Means of D1, D2, D3 at which few discrepancies come about (average .01 to .02), and many (about
.1)."""
CUTS = (-1.5, -1.0, -0.5, 0.3)
GAIN = 0.5
"""By how much the second mode is better, before the cuts."""


def draw(rng: Generator, trees: int, means: Sequence[float], icc: float) -> tuple[Ints, Ints]:
    """Scores 1 … 5 in two modes; a row per tree: its D3, four D2, thirteen D1."""
    level = np.repeat(np.array(means)[::-1], (1, 4, 13))
    common = rng.normal(0, sqrt(icc / 2), (trees, 1)) + rng.normal(
        0, sqrt((1 - icc) / 2), (trees, NODES)
    )

    def mode(gain: float) -> Ints:
        own = rng.normal(0, sqrt(icc / 2), (trees, 1)) + rng.normal(
            0, sqrt((1 - icc) / 2), (trees, NODES)
        )
        return 1 + np.searchsorted(CUTS, level + gain + common + own)

    return mode(0.0), mode(GAIN)


def draw_min_k(rng: Generator, scores: Ints) -> Floats:
    """Min-K% of the answers to the D3, lower for good ones."""
    made: Floats = rng.normal(8.0, 1.0, len(scores)) - 0.3 * scores[:, 0]
    return made


def shortfalls(scores: Ints) -> dict[str, Floats]:
    """Direction → d of every node that counts, in the rows of its tree; NaN where it is left
    out."""
    top, middle, bottom = scores[:, :1], scores[:, 1:5], scores[:, 5:]
    below = np.stack([bottom[:, list(leads)].mean(axis=1) for leads in LEADS], axis=1)
    led_to = [
        [number for number, leads in enumerate(LEADS) if place in leads] for place in range(13)
    ]
    above = np.stack([middle[:, places].mean(axis=1) for places in led_to], axis=1)

    def d(own: Ints, around: Floats) -> Floats:
        return np.where(around >= 4, np.maximum(0, around - own) / 4, np.nan)

    forward = [d(top, middle.mean(axis=1, keepdims=True)), d(middle, below)]
    backward = [d(middle, np.repeat(top, 4, axis=1).astype(float)), d(bottom, above)]
    return {
        "forward": np.concatenate(forward, axis=1),
        "backward": np.concatenate(backward, axis=1),
    }


def lowest(scores: Ints, min_k: Floats) -> Floats:
    """The gaps of the quarter of trees with the lowest Min-K%."""
    own = scores[np.argsort(min_k, kind="stable")[: len(scores) // 4]]
    gaps: Floats = (own[:, :1] - own[:, 1:5]) / 4
    return gaps


def observations(zero: Ints, other: Ints, min_k: Floats) -> dict[str, Floats]:
    """Figure → the values whose mean it is."""
    found: dict[str, Floats] = {
        "mean score": zero.ravel().astype(float),
        "mean score D3": zero[:, 0].astype(float),
    }
    for direction, values in shortfalls(zero).items():
        d = values[~np.isnan(values)]
        found |= {f"{direction} average": d, f"{direction} frequency": (d > 0).astype(float)}
        found[f"{direction} intensity"] = d[d > 0]
    difference = (other - zero).astype(float)
    found |= {"change": difference.ravel(), "change D3": difference[:, 0]}
    return {**found, "gap, lowest quarter": lowest(zero, min_k).ravel()}


def truth(
    means: Sequence[float], icc: float, trees: int, expected: int = 400_000
) -> dict[str, float]:
    """The expectation of every figure. `trees`: of one run, which the quarter with the lowest
    Min-K% depends on."""
    rng = np.random.default_rng(99)
    zero, other = draw(rng, expected, means, icc)
    min_k = draw_min_k(rng, zero)
    found = {
        name: float(values.mean()) for name, values in observations(zero, other, min_k).items()
    }
    runs = [slice(begin, begin + trees) for begin in range(0, expected - trees, trees)]
    gaps = [lowest(zero[run], min_k[run]).mean() for run in runs]
    return found | {"gap, lowest quarter": float(np.mean(gaps))}


@cache
def graph_of(trees: int) -> QuestionGraph:
    """So many trees with nodes `0_d3`, `0_d2_1` …"""

    def tree(number: int) -> list[QuestionNode]:
        names = [
            f"{number}_d3",
            *(f"{number}_d2_{n}" for n in range(4)),
            *(f"{number}_d1_{n}" for n in range(13)),
        ]
        below = [
            names[1:5],
            *([names[5 + place] for place in leads] for leads in LEADS),
            *([[]] * 13),
        ]
        return [
            QuestionNode(
                id=name,
                depth=int(name.split("_d")[1][0]),
                question=name,
                reference="r",
                predecessors=own,
            )
            for name, own in zip(names, map(tuple, below), strict=True)
        ]

    return QuestionGraph(nodes=tuple(node for number in range(trees) for node in tree(number)))


def nodes_from(drawn: Ints, mode: Mode, min_k: Floats | None = None) -> Nodes:
    """What the program would read off a run's answers."""
    rows = []
    for node, score in zip(graph_of(len(drawn)).nodes, drawn.ravel().tolist(), strict=True):
        tree, depth, *_ = node.id.split("_")
        known = float(min_k[int(tree)]) if min_k is not None and depth == "d3" else None
        rows.append(_row(node, mode, tree, score, known))
    return nodes_of(rows)


def _row(
    node: QuestionNode, mode: Mode, tree: str, score: int, min_k: float | None
) -> AnswerRow:
    return AnswerRow(
        run="run",
        method="depthqa",
        model="m",
        domain="made",
        group=tree,
        item=node.id,
        condition=mode,
        score=(score - 1) / 4,
        verdict="right" if score >= 4 else "wrong",
        tags={
            "node": node.id,
            "depth": node.depth,
            "predecessors": " ".join(node.predecessors),
            "answer_id": node.id,
            "min_k": min_k,
        },
        texts={"answer": "said"},
    )


def intervals(zero: Ints, other: Ints, min_k: Floats) -> dict[str, Interval | None]:
    """Figure → the program's interval."""
    base = nodes_from(zero, "zero-shot", min_k)
    rows = accuracy("zero-shot", base)
    found: dict[str, Interval | None] = {
        "mean score": rows["overall"].ci,
        "mean score D3": rows["D3"].ci,
    }
    for direction, row in shortfall_rows(base).items():
        found |= _of(direction, row)
    changed = changes("multi-turn", base, nodes_from(other, "multi-turn"))
    change = {each.level: each.ci for each in changed}
    found |= {"change": change["overall"], "change D3": change["D3"]}
    quartiles = min_k_numbers(base)
    assert quartiles is not None
    return {**found, "gap, lowest quarter": quartiles.quartiles[0].ci}


def shortfall_rows(nodes: Nodes) -> dict[str, DiscrepancyRow]:
    """By direction, over all pairs of depths."""
    return {way: discrepancy_row(gaps(nodes, way)) for way in get_args(Direction)}


def _of(direction: str, row: DiscrepancyRow) -> dict[str, Interval | None]:
    return {
        f"{direction} average": row.average_ci,
        f"{direction} frequency": row.frequency_ci,
        f"{direction} intensity": row.intensity_ci,
    }


def naive(values: Floats) -> Interval | None:
    """As if all values were independent of each other, and many."""
    if len(values) < 2:
        return None
    mean, half = float(values.mean()), 1.96 * float(values.std(ddof=1)) / sqrt(len(values))
    return mean - half, mean + half


def one(
    means: Sequence[float], icc: float, trees: int, seed: int
) -> dict[str, tuple[Interval | None, Interval | None]]:
    """Figure → (the program's interval, the naive one) of one simulated run."""
    rng = np.random.default_rng(seed)
    zero, other = draw(rng, trees, means, icc)
    min_k = draw_min_k(rng, zero)
    values = observations(zero, other, min_k)
    return {
        name: (own, naive(values[name])) for name, own in intervals(zero, other, min_k).items()
    }


def coverage(
    means: Sequence[float],
    icc: float,
    trees: int,
    runs: int,
    expected: dict[str, float],
    mapper: Any = map,
) -> dict[str, tuple[float, float, float, float]]:
    """Figure → (share of the program's intervals that hold the truth, their mean width, share of
    runs that have none, share of the naive ones that hold it), the shares over intervals that there
    are."""
    held = list(mapper(partial(one, means, icc, trees), range(runs)))
    found = {}
    for name, true in expected.items():
        own = [run[name][0] for run in held]
        there = [each for each in own if each is not None]
        plain = [each for run in held if (each := run[name][1]) is not None]
        found[name] = (
            float(np.mean([low <= true <= high for low, high in there]))
            if there
            else float("nan"),
            float(np.mean([high - low for low, high in there])) if there else float("nan"),
            1 - len(there) / len(own),
            float(np.mean([low <= true <= high for low, high in plain]))
            if plain
            else float("nan"),
        )
    return found


def main(runs: int, workers: int) -> None:
    print(
        f"SIMULATED scores, {runs:,} runs each; standard error of a coverage of .95: "
        f"{sqrt(0.95 * 0.05 / runs):.3f}"
    )
    with ProcessPoolExecutor(workers) as pool:
        mapper = partial(pool.map, chunksize=max(1, runs // (8 * workers)))
        for name, means in RATES.items():
            for icc in (0.0, 0.3):
                for trees in (10, 30, 91):
                    expected = truth(means, icc, trees)
                    print(f"\n{name} discrepancies, clustering {icc}, {trees} trees")
                    print(
                        f"  {'':22}{'truth':>8}{'held':>8}{'width':>8}{'none':>8}{'naive':>8}"
                    )
                    for figure, numbers in coverage(
                        means, icc, trees, runs, expected, mapper
                    ).items():
                        print(
                            f"  {figure:22}"
                            + "".join(f"{x:8.3f}" for x in (expected[figure], *numbers)),
                            flush=True,
                        )
