"""Whether correcting for the judge's errors gives what people would have found: simulated drills
with a judge whose errors are known, and 240 answers that people have judged.

The drill is that of `drill`. The judge calls right answers right with the chance se, and others not
right with the chance sp; the drill goes on from what it calls right. A question is faulty with the
chance .05. Labels are drawn by tier × verdict, in proportion to the root of a stratum's size.

One drill: `true` is the expectation of EVD under the same protocol with a judge that never errs;
`short` the share of drills whose corrected survival has not fallen below the threshold where they
stopped, so that part of their corrected EVD was never asked. Two models: the first is .5 ahead; three
drills of each, 240 labels of both together; `first` is how often it comes out first, `wrong` how
often it is told to be behind, `unequal` how often the test finds the judge to err otherwise with
one of them.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from fractions import Fraction
from functools import cache, partial
from math import exp, log, sqrt
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np

from fathom.graphs.drill.corrected import Corrected, corrected_drill, drill_of, mean_of_drills
from fathom.graphs.drill.corrected import judge_line as line_of
from fathom.graphs.drill.evd import sum_to_stop
from fathom.graphs.drill.measures import evd
from fathom.graphs.drill.paired import Scatter, paired_difference, scatter
from fathom.graphs.drill.scheduler import allocate
from fathom.graphs.drill.survival import below
from fathom.state.rows import AnswerRow, Tag
from fathom.state.tiers import tier_of
from fathom.stats.correction import errors_of, estimate_of, faulty, shared_errors
from fathom.stats.correction import with_shared_errors as shared

from .drill import PROFILES, N, chances

LABELS, FAULTY, DEPTHS, REPEATS = 240, 0.05, 15, 3
Judge = tuple[float, float]
Shape = tuple[float, ...]
LENIENT, STRICT = (0.95, 0.85), (0.90, 0.95)
FIFTH, TWENTIETH = Fraction(1, 5), Fraction(1, 20)
CASES: tuple[tuple[str, float, Judge, Fraction], ...] = (
    ("steady", 0.0, LENIENT, FIFTH),
    ("steady", 0.0, LENIENT, TWENTIETH),
    ("steady", 0.0, STRICT, FIFTH),
    ("steady", 0.0, STRICT, TWENTIETH),
    ("tiered", 0.0, LENIENT, FIFTH),
    ("tiered", 0.0, STRICT, TWENTIETH),
    ("shallow", 0.0, LENIENT, FIFTH),
    ("deep", 0.0, STRICT, FIFTH),
    ("tiered", 0.2, LENIENT, TWENTIETH),
)
"""(profile, correlation within a root, judge, threshold)."""
PAIRS: tuple[tuple[str, Judge, Judge], ...] = (
    ("alike", LENIENT, LENIENT),
    ("alike", STRICT, STRICT),
    ("2 points", (0.93, 0.85), LENIENT),
    ("8 points", (0.87, 0.85), LENIENT),
)
"""(how the judge errs with the two models, with the first, with the second)."""


def drill(
    shape: Shape, icc: float, judge: Judge, threshold: Fraction, seed: str, model: str = "m"
) -> list[AnswerRow]:
    """The answers of one drill, each with what people would say of it. Drills of one seed share
    their roots."""
    shared_roots, rng = Random(seed), Random(f"{seed}:{model}")
    u = np.array([shared_roots.random() for _ in range(N)])
    settings: dict[str, Tag] = {"n": N, "threshold": float(threshold), "max_depth": len(shape)}
    settings |= {"seed": seed, "stop_reason": "max_depth"}
    rows: list[AnswerRow] = []
    level: list[AnswerRow] = []
    counts: list[tuple[int, int]] = []
    for depth, share in enumerate(shape, 1):
        known = chances(share, icc, u)
        slots: list[tuple[str, str | None]] = [(str(root), None) for root in range(N)]
        if depth > 1:
            roots = {row.item: row.group for row in level}
            paths = allocate(N, [row.item for row in level if row.score], rng)
            slots = [
                (roots[path], path) for path, number in paths.items() for _ in range(number)
            ]
        level = []
        for slot, (root, parent) in enumerate(slots):
            right = rng.random() < known[int(root)]
            judged = rng.random() < (judge[0] if right else 1 - judge[1])
            sound = "sound" if rng.random() >= FAULTY else "outdated"
            tags: dict[str, Tag] = {"depth": depth, "parent": parent, "question_sound": sound}
            tags |= {"tier": tier_of(depth, 3)[0].value.lower()}
            tags |= {"human": "right" if right else "wrong"}
            level.append(
                AnswerRow(
                    run=f"{model}:{seed}",
                    method="drill",
                    model=model,
                    domain="d",
                    group=root,
                    item=f"{model}.{depth}.{slot}",
                    condition=f"depth {depth}",
                    score=float(judged),
                    verdict="right" if judged else "wrong",
                    tags=tags,
                    settings=settings,
                )
            )
        rows += level
        counts.append((sum(bool(row.score) for row in level), N))
        if below(counts, threshold):
            settings["stop_reason"] = "threshold"
            break
    return rows


def labelled(rows: Sequence[AnswerRow], labels: int, seed: str) -> list[AnswerRow]:
    """The same, with people's word on so many of them only."""
    strata: dict[object, list[AnswerRow]] = defaultdict(list)
    for row in rows:
        strata[row.tags["tier"], row.verdict].append(row)
    counts = dict.fromkeys(strata, 0)
    for _ in range(min(labels, len(rows))):
        short = [name for name in strata if counts[name] < len(strata[name])]
        counts[max(short, key=lambda name: sqrt(len(strata[name])) / (counts[name] + 0.5))] += 1
    rng, made = Random(f"{seed}:labels"), []
    for name, part in strata.items():
        seen = {id(row) for row in rng.sample(part, counts[name])}
        for row in part:
            tags = {**row.tags, "review_probability": counts[name] / len(part)}
            if id(row) not in seen:
                for tag in ("human", "question_sound", "review_probability"):
                    del tags[tag]
            made.append(replace(row, tags=tags))
    return made


@cache
def true_evd(shape: Shape, icc: float, threshold: Fraction, runs: int = 40_000) -> float:
    """Under a judge that never errs; see `drill.expected_evd`."""
    rng = np.random.default_rng(1)
    u, root = rng.random((runs, N)), np.tile(np.arange(N), (runs, 1))
    shares = np.zeros((runs, len(shape)))
    for depth, share in enumerate(shape):
        right = rng.random((runs, N)) < np.take_along_axis(chances(share, icc, u), root, axis=1)
        shares[:, depth] = right.mean(axis=1)
        order = np.argsort(np.where(right, rng.random((runs, N)), 2.0), axis=1)
        turn = np.arange(N) % np.maximum(right.sum(axis=1, keepdims=True), 1)
        root = np.take_along_axis(root, np.take_along_axis(order, turn, axis=1), axis=1)
    return float(sum_to_stop(np.cumprod(shares, axis=1), float(threshold)).mean())


def one(shape: Shape, icc: float, judge: Judge, threshold: Fraction, seed: str) -> list[float]:
    """(EVD by the judge, its interval; corrected, its interval; share of faulty questions, its
    interval; whether the drill was too short)."""
    rows = labelled(drill(shape, icc, judge, threshold, seed), LABELS, seed)
    of_drill = drill_of(rows)
    corrected = corrected_drill(of_drill, line_of(errors_of(rows), of_drill.tiers))
    fixed = mean_of_drills([[corrected]], DEPTHS)
    figures: list[float] = []
    for estimate in (evd(rows), fixed, estimate_of(faulty(rows)[0])):
        low, high = estimate.interval or (np.nan, np.nan)
        figures += [np.nan if estimate.value is None else estimate.value, low, high]
    return [*figures, float(fixed.extrapolated)]


Mapper = Callable[..., Iterator[Any]]


def one_drill(runs: int, mapper: Mapper) -> None:
    print(
        "profile  ICC  se   sp    theta   true |  by the judge |  corrected                     "
        "      | faulty"
    )
    print(
        "                                      |  bias   cover |  bias   cover  width  below above"
        "  short | cover"
    )
    for name, icc, judge, threshold in CASES:
        shape = PROFILES[name]
        truth = true_evd(shape, icc, threshold)
        made = partial(one, shape, icc, judge, threshold)
        plain, low, high, fixed, lower, upper, _, least, most, short = np.array(
            [*mapper(made, map(str, range(runs)))]
        ).T
        print(
            f"{name:<8} {icc:<4} {judge[0]:.2f} {judge[1]:.2f} {float(threshold):6.2f} "
            f"{truth:6.2f} | {plain.mean() - truth:+5.2f} "
            f"{np.mean((low <= truth) & (truth <= high)):7.3f} | "
            f"{fixed.mean() - truth:+5.2f} "
            f"{np.mean((lower <= truth) & (truth <= upper)):7.3f} "
            f"{np.mean(upper - lower):6.2f} {np.mean(upper < truth):6.3f} "
            f"{np.mean(lower > truth):5.3f} {short.mean():6.2f} | "
            f"{np.mean((least <= FAULTY) & (most >= FAULTY)):.3f}",
            flush=True,
        )


# two models


@cache
def better(shape: Shape, icc: float, threshold: Fraction, by: float) -> Shape:
    """The shape, raised on the logit scale so that its EVD is so much higher."""
    goal, low, high = true_evd(shape, icc, threshold, 5_000) + by, 0.0, 1.0
    for _ in range(9):
        middle = (low + high) / 2
        is_less = true_evd(_raised(shape, middle), icc, threshold, 5_000) < goal
        low, high = (middle, high) if is_less else (low, middle)
    return _raised(shape, high)


def _raised(shape: Shape, by: float) -> Shape:
    return tuple(1 / (1 + exp(-log(share / (1 - share)) - by)) for share in shape)


def pair(
    shapes: tuple[Shape, Shape], judges: Sequence[Judge], threshold: Fraction, seed: str
) -> list[float]:
    """(difference by the judge, whether its interval lies below 0; corrected, its interval; whether
    the judge is found unequal)."""
    drills: dict[str, list[AnswerRow]] = {"one": [], "two": []}
    for model, shape, judge in zip(drills, shapes, judges, strict=True):
        for repeat in range(REPEATS):
            drills[model] += drill(shape, 0.0, judge, threshold, f"{seed}.{repeat}", model)
    everything = labelled([row for rows in drills.values() for row in rows], LABELS, seed)
    sides = {model: [row for row in everything if row.model == model] for model in drills}
    plain, fixed = (
        _difference(sides, threshold, False),
        _difference(shared(sides), threshold, True),
    )
    unequal = bool(shared_errors(sides).unequal)
    return [plain[0], float(plain[2] < 0), *fixed, float(unequal)]


def _difference(
    sides: Mapping[str, Sequence[AnswerRow]], threshold: Fraction, corrected: bool
) -> tuple[float, float, float]:
    runs: dict[str, list[AnswerRow]] = defaultdict(list)
    for rows in sides.values():
        for row in rows:
            runs[row.run].append(row)
    reading = Corrected(runs)
    pairs: list[tuple[Scatter, Scatter]] = []
    ids = [*runs]
    for both in zip(ids[:REPEATS], ids[REPEATS:], strict=True):
        ends = [_Run(runs[run_id]) for run_id in both]
        last = min(DEPTHS, *(reading.last_depth(run) for run in ends)) if corrected else DEPTHS
        of_pair = [
            reading.scatter(run, last, threshold)
            if corrected
            else scatter(
                drill_of(runs[run.run_id]).observations, N, threshold, last, seed=run.run_id
            )
            for run in ends
        ]
        pairs.append((of_pair[0], of_pair[1]))
    mean = paired_difference([pairs])
    return mean.value, *mean.interval()


def _Run(rows: Sequence[AnswerRow]) -> Any:
    """What a comparison knows of a run."""
    deepest = max(int(row.tags["depth"] or 0) for row in rows)
    reason = rows[0].settings["stop_reason"]
    return SimpleNamespace(run_id=rows[0].run, stop_reason=reason, depth_reached=deepest)


def two_models(runs: int, mapper: Mapper) -> None:
    print("judge     se   sp        | by the judge       | corrected")
    print(
        "                         |  mean  first  wrong |  mean  first  wrong  cover  unequal"
    )
    for words, *judges in PAIRS:
        shape = PROFILES["tiered"]
        shapes = better(shape, 0.0, TWENTIETH, 0.5), shape
        made = partial(pair, shapes, judges, TWENTIETH)
        plain, wrong, fixed, low, high, unequal = np.array(
            [*mapper(made, map(str, range(runs)))]
        ).T
        print(
            f"{words:<9} {'/'.join(f'{se:.2f} {sp:.2f}' for se, sp in judges)} | "
            f"{plain.mean():+5.2f} {np.mean(plain > 0):6.2f} {wrong.mean():6.3f} | "
            f"{fixed.mean():+5.2f} {np.mean(fixed > 0):6.2f} {np.mean(high < 0):6.3f} "
            f"{np.mean((low <= 0.5) & (high >= 0.5)):6.3f} {unequal.mean():7.2f}",
            flush=True,
        )


def main(runs: int, workers: int) -> None:
    print(f"N={N} labels={LABELS} runs={runs}")
    with ProcessPoolExecutor(workers) as pool:
        mapper = partial(pool.map, chunksize=10)
        one_drill(runs, mapper)
        two_models(runs, mapper)
