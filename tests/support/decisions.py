"""Comparisons of drills made up from the differences of their pairs."""

from collections.abc import Mapping, Sequence

from fathom.state.comparison import ComparedModel, ComparedPair, Comparison
from fathom.stats.moderated import Mean
from fathom.stats.ranking import TestedPair, adjusted

Pair = tuple[str, str]


def made_pair(pair: Pair, mean: Mean, over: int) -> TestedPair:
    """Two models that so many pairs of drills set so far apart."""
    figures = {
        "difference": mean.value,
        "se": mean.se,
        "df": mean.df,
        "p": mean.p,
        "over": over,
    }
    one, other = pair
    return ComparedPair.model_validate({"one": one, "other": other, **figures}), mean.interval


def compared(
    labels: Sequence[str],
    differences: Mapping[Pair, Mean],
    over: int,
    judge_points: float | None = None,
) -> Comparison:
    """`labels`: the models, the best first; each one's price is its place from behind."""
    models = [
        ComparedModel(
            label=label, run_ids=(), estimate=0.0, interval=None, usd_per_100=10.0 - place
        )
        for place, label in enumerate(labels)
    ]
    return Comparison(
        of="drill",
        measure="EVD",
        simulated=True,
        test="paired_t",
        domains=("d",),
        models=tuple(models),
        pairs=adjusted([made_pair(pair, mean, over) for pair, mean in differences.items()]),
        decisive=None,
        judge_points=judge_points,
    )
