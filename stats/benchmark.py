"""Models beside the scores of a benchmark: ranks, drops and correlations."""

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import isfinite

from ..state.benchmark import BenchmarkCell, BenchmarkComparison, BenchmarkScore, Correlation
from ..state.comparison import ComparedCell
from ..state.worlds import label_of

ALL = "all"
"""The category of the cells over all concepts."""
OVERALL = frozenset({ALL, "overall", "average"})
"""What a benchmark may call its overall score."""
ENOUGH = 3
"""Pairs from which a correlation says anything."""
PAIRS_ALIKE = (
    "the p-values take all pairs of target and category for independent; pairs of one target or of "
    "one category are"
    " not, so that the p-values tend to be too small"
)
_MODEL = re.compile(
    r"[^:@]*(?:@\w+://(?:\[[^\]]*\]|[^/:]*)(?::\d+(?=[:/]))?(?:/[^:]*)?)?:(.+)", re.DOTALL
)
"""The model behind a provider, or behind an address: after the first colon behind its path, or
behind host and port where it has no path."""


Model = dict[str, float]
"""A benchmark's scores of a model, by category (`plain`); `all`: overall."""


def plain(category: str) -> str:
    """A category's name as it is compared: case, `_`, `-` and runs of blanks make no difference."""
    return " ".join(category.casefold().replace("_", " ").replace("-", " ").split())


def tied(value: float) -> float:
    """The value without the last digits of its arithmetic, so that equal shares are equal."""
    return round(value, 12)


def model_names(target: str) -> tuple[str, str]:
    """What a benchmark may call a target, in folded case: its whole name, or the model alone:
    `openai:gpt-5` and `openai@https://host/v1:gpt-5` → gpt-5."""
    name = label_of(target.strip()).casefold()
    match = _MODEL.fullmatch(name)
    return name, (match[1].strip() if match else "") or name


def beside_benchmark(
    targets: Mapping[str, str], cells: Sequence[ComparedCell], scores: Sequence[BenchmarkScore]
) -> BenchmarkComparison:
    """The cells that have a counterpart among the scores. `targets`: label → the target as its spec
    names it.

    A model of the benchmark is a target's by the target's whole name, or else by its name without
    the provider. Of several scores of one model in one category the first counts. Ranks go over the
    targets that have both numbers in a category; `ranked` and `matches` count categories in which
    all targets have both that are in the benchmark at all, and `all` is none of them.
    """
    models: dict[str, Model] = defaultdict(dict)
    for line in scores:
        category = plain(line.category)
        category = ALL if category in OVERALL else category
        models[line.model.strip().casefold()].setdefault(category, line.score)
    scores_of: dict[str, Model] = {}
    for label, target in targets.items():
        names = [name for name in model_names(target) if name in models]
        if names:
            scores_of[label] = models[names[0]]
    missing: dict[str, list[str]] = defaultdict(list)
    pairs: dict[str, list[tuple[str, float, float]]] = defaultdict(list)
    for cell in cells:
        if cell.label in scores_of and cell.estimate is not None:
            score = scores_of[cell.label].get(plain(cell.domain))
            if score is not None:
                pairs[cell.domain].append((cell.label, cell.estimate, score))
            elif cell.domain != ALL:
                missing[cell.label].append(cell.domain)
    groups = {category: _ranked(category, group) for category, group in pairs.items()}
    parts = [group for name, group in groups.items() if name != ALL]
    comparable = [group for group in parts if len(group) == len(scores_of) > 1]
    both = [cell for group in parts for cell in group]
    matches = Counter(cell.target for group in comparable for cell in group if cell.match)
    unknown = [label for label in targets if label not in scores_of]
    without = [", ".join(unknown)] if unknown else []
    without += [f"{label} in {', '.join(names)}" for label, names in missing.items()]
    return BenchmarkComparison(
        cells=tuple(cell for group in groups.values() for cell in group),
        correlation=correlate(
            [cell.accuracy for cell in both], [cell.benchmark for cell in both]
        ),
        matches={label: matches[label] for label in scores_of},
        ranked=len(comparable),
        notes=tuple(f"the benchmark has no score for {names}" for names in without),
    )


def _ranked(category: str, group: Sequence[tuple[str, float, float]]) -> list[BenchmarkCell]:
    """The cells of one category with their ranks, 1 the best, ties averaged. `group`: target,
    accuracy, the benchmark's score."""
    from scipy.stats import (
        rankdata,
    )  # here, as below: slow to import, needed with a benchmark only

    ranks = rankdata([-tied(accuracy) for _, accuracy, _ in group])
    theirs = rankdata([-tied(score) for _, _, score in group])
    return [
        BenchmarkCell(
            target=target,
            category=category,
            accuracy=accuracy,
            benchmark=score,
            drop=score - accuracy,
            rank=float(rank),
            benchmark_rank=float(rank_there),
            match=bool(rank == rank_there),
        )
        for (target, accuracy, score), rank, rank_there in zip(
            group, ranks, theirs, strict=True
        )
    ]


def correlate(accuracies: Sequence[float], scores: Sequence[float]) -> Correlation:
    """Pearson's r, Spearman's rho and Kendall's tau-b with two-sided p-values.

    None for fewer than three pairs, or where either side is all the same. The p-values take the
    pairs for independent; those of one target or one category are not.
    """
    from scipy.stats import kendalltau, pearsonr, spearmanr

    xs, ys = [tied(x) for x in accuracies], [tied(y) for y in scores]
    undefined = len(xs) < ENOUGH or len(set(xs)) == 1 or len(set(ys)) == 1
    fields = dict[str, float]()
    if not undefined:
        for name, test in (
            ("pearson", pearsonr),
            ("spearman", spearmanr),
            ("kendall", kendalltau),
        ):
            outcome = test(xs, ys)
            figures = {name: outcome.statistic, f"{name}_p": outcome.pvalue}
            fields |= {key: float(value) for key, value in figures.items() if isfinite(value)}
    return Correlation(n=len(xs), **fields)
