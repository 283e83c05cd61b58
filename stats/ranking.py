"""What a set of pairwise tests says of an order: p-values and intervals adjusted together, rank
intervals, groups that belong together."""

from collections.abc import Callable, Sequence
from itertools import count

from ..state.comparison import ComparedModel, ComparedPair, Comparison, Test
from ..state.result import Interval
from .moderated import ALPHA

TestedPair = tuple[ComparedPair, Callable[[float], Interval] | None]
"""(a pair with its own p, the interval of its difference that inverts the same test at a level;
None where there is no test)."""


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's adjusted p values (1979), in the order given: the k-th smallest times m − k + 1,
    rising, at most 1."""
    adjusted = [0.0] * len(p_values)
    floor = 0.0
    for rank, index in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        floor = max(floor, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = floor
    return adjusted


def adjusted(tested: Sequence[TestedPair]) -> tuple[ComparedPair, ...]:
    """The pairs, the one ahead first, with Holm's p over those that were tested and intervals that
    agree with it: where Holm has p count λ times, the interval is that of the level .05/λ, so that
    it leaves 0 out exactly where the adjusted p is below .05."""
    holms = iter(holm([pair.p for pair, _ in tested if pair.p is not None]))
    pairs = []
    for pair, interval_at in tested:
        if pair.p is None or interval_at is None:
            pairs.append(_ahead_first(pair))
            continue
        p = next(holms)
        level = ALPHA * pair.p / p if p else ALPHA / len(tested)
        figures = {"p_adjusted": p, "interval": interval_at(level)}
        pairs.append(_ahead_first(pair.model_copy(update=figures)))
    return tuple(pairs)


def _ahead_first(pair: ComparedPair) -> ComparedPair:
    """The same pair with the model first that is ahead in what the two have in common, which need
    not be the one with the better figure over everything."""
    if pair.difference is None or pair.difference >= 0:
        return pair
    low, high = pair.interval or (0.0, 0.0)
    swapped = {
        "one": pair.other,
        "other": pair.one,
        "difference": -pair.difference,
    }
    return pair.model_copy(
        update=swapped | ({"interval": (-high, -low)} if pair.interval else {})
    )


def assembled(
    of: str,
    measure: str,
    test: Test,
    models: Sequence[ComparedModel],
    tested: Sequence[TestedPair],
    *,
    simulated: bool,
    domains: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> Comparison:
    """The comparison of these models, from the pairs as they were tested."""
    pairs = adjusted(tested)
    return Comparison(
        of=of,
        measure=measure,
        test=test,
        simulated=simulated,
        domains=tuple(domains),
        models=ranked(models, pairs),
        pairs=pairs,
        decisive=all(pair.separated for pair in pairs)
        if any(pair.p is not None for pair in pairs)
        else None,
        notes=tuple(notes),
    )


def ranked(
    models: Sequence[ComparedModel],
    pairs: Sequence[ComparedPair],
) -> tuple[ComparedModel, ...]:
    """The models, which come with the best first, each with the ranks that the pairs allow and the
    letters of its groups. One without an estimate stands last and has neither."""
    order = sorted(models, key=lambda model: model.estimate is None)
    estimated = [model.label for model in order if model.estimate is not None]
    ahead = {(pair.one, pair.other) for pair in pairs if pair.separated}
    letters = groups(estimated, ahead)
    models_ranked = list[ComparedModel]()
    for model in order:
        label = model.label
        if label in letters:
            first = 1 + sum((second, label) in ahead for second in estimated)
            last = len(estimated) - sum((label, second) in ahead for second in estimated)
            update = {"rank": (first, last), "group": letters[label]}
            model = model.model_copy(update=update)
        models_ranked.append(model)
    return tuple(models_ranked)


def groups(labels: Sequence[str], separated: set[tuple[str, str]]) -> dict[str, str]:
    """Label → letters, so that two labels share a letter exactly where they are not apart (Piepho,
    J Comput Graph Stat 2004, 13:456-466: split each group that holds a pair told apart, drop what
    lies in another): a to z, then further letters."""
    clusters = [frozenset(labels)]
    for first, second in sorted(
        separated, key=lambda pair: (labels.index(pair[0]), labels.index(pair[1]))
    ):
        split = list[frozenset[str]]()
        for group in clusters:
            if {first, second} <= group:
                split += (group - {first}, group - {second})
            else:
                split.append(group)
        clusters = [
            part for part in dict.fromkeys(split) if not any(part < whole for whole in split)
        ]
    clusters.sort(key=lambda group: sorted(labels.index(label) for label in group))
    names = filter(str.islower, map(chr, count(ord("a"))))
    named = [*zip(names, clusters, strict=False)]
    return {label: "".join(name for name, group in named if label in group) for label in labels}
