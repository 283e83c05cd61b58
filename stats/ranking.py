"""What a set of pairwise tests says of an order: adjusted p-values, rank intervals, groups that
belong together."""

from collections.abc import Sequence
from itertools import count
from typing import TypeVar

from ..state.comparison import ComparedModel, ComparedPair, Comparison, Test
from ..state.repeats import RepeatsComparison

SWAPS = 10_000
"""Swaps that a test draws, where it does not go through all of them."""
Pair = TypeVar("Pair", ComparedPair, RepeatsComparison)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p values (1979), in the order given: the k-th smallest times m − k + 1,
    rising, at most 1."""
    adjusted = [0.0] * len(p_values)
    floor = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        floor = max(floor, min(1.0, (len(p_values) - rank) * p_values[place]))
        adjusted[place] = floor
    return adjusted


def swaps_for(pairs: int) -> int:
    """Swaps to draw so that Holm's first step can be passed: the smallest p they can give, times
    `pairs`, is .02 at most where the usual number would leave it above .05."""
    return SWAPS if 20 * pairs <= SWAPS else 50 * pairs


def adjusted(pairs: Sequence[Pair]) -> tuple[Pair, ...]:
    """The pairs with Holm's p over those that were tested."""
    told = iter(holm([pair.p for pair in pairs if pair.p is not None]))
    return tuple(
        p if p.p is None else p.model_copy(update={"p_adjusted": next(told)}) for p in pairs
    )


def _ahead_first(pair: ComparedPair) -> ComparedPair:
    """The same pair with the model first that is ahead in what the two have in common, which need
    not be the one with the better figure over everything."""
    if pair.difference is None or pair.difference >= 0:
        return pair
    low, high = pair.interval or (0.0, 0.0)
    turned = {"one": pair.other, "other": pair.one, "difference": -pair.difference}
    return pair.model_copy(update=turned | ({"interval": (-high, -low)} if pair.interval else {}))


def assembled(
    of: str,
    measure: str,
    test: Test,
    models: Sequence[ComparedModel],
    pairs: Sequence[ComparedPair],
    *,
    simulated: bool,
    domains: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> Comparison:
    """The comparison of these models, from the pairs as they were tested."""
    told = adjusted([_ahead_first(pair) for pair in pairs])
    return Comparison(
        of=of,
        measure=measure,
        test=test,
        simulated=simulated,
        domains=tuple(domains),
        models=ranked(models, told),
        pairs=told,
        decisive=all(pair.separated for pair in told)
        if any(pair.p is not None for pair in told)
        else None,
        notes=tuple(notes),
    )


def ranked(
    models: Sequence[ComparedModel], pairs: Sequence[ComparedPair]
) -> tuple[ComparedModel, ...]:
    """The models, which come with the best first, each with the ranks that the pairs allow and the
    letters of its groups. One without an estimate stands last and has neither."""
    order = sorted(models, key=lambda model: model.estimate is None)
    held = [model.label for model in order if model.estimate is not None]
    ahead = {(pair.one, pair.other) for pair in pairs if pair.separated}
    letters = groups(held, ahead)
    return tuple(
        model
        if model.label not in letters
        else model.model_copy(
            update={
                "rank": (
                    1 + sum((other, model.label) in ahead for other in held),
                    len(held) - sum((model.label, other) in ahead for other in held),
                ),
                "group": letters[model.label],
            }
        )
        for model in order
    )


def groups(labels: Sequence[str], apart: set[tuple[str, str]]) -> dict[str, str]:
    """Label → letters, so that two labels share a letter exactly where they are not apart (Piepho,
    J Comput Graph Stat 2004, 13:456-466: split each group that holds a pair told apart, drop what
    lies in another): a to z, then further letters."""
    found = [frozenset(labels)]
    for one, other in sorted(
        apart, key=lambda pair: (labels.index(pair[0]), labels.index(pair[1]))
    ):
        split = [
            part
            for group in found
            for part in ((group - {one}, group - {other}) if {one, other} <= group else (group,))
        ]
        found = [part for part in dict.fromkeys(split) if not any(part < whole for whole in split)]
    found.sort(key=lambda group: sorted(labels.index(label) for label in group))
    names = filter(str.islower, map(chr, count(ord("a"))))
    named = [*zip(names, found, strict=False)]
    return {label: "".join(name for name, group in named if label in group) for label in labels}
