"""Models beside the scores of a benchmark: ranks, drops and correlations."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
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
_MOST_NAMED = 8
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
    models, notes = _models(scores)
    scores_of: dict[str, Model] = {}
    for label, target in targets.items():
        names = [name for name in model_names(target) if name in models]
        if names:
            scores_of[label] = models[names[0]]
    missing_in: dict[str, list[str]] = {label: [] for label in scores_of}
    pairs: dict[str, list[tuple[str, float, float]]] = defaultdict(list)
    for cell in cells:
        if cell.label in scores_of and cell.estimate is not None:
            score = scores_of[cell.label].get(_key(cell))
            if score is not None:
                pairs[cell.domain].append((cell.label, cell.estimate, score))
            elif cell.domain != ALL:
                missing_in[cell.label].append(cell.domain)
    groups = {category: _ranked(category, group) for category, group in pairs.items()}
    parts = [group for name, group in groups.items() if name != ALL]
    comparable = [group for group in parts if len(group) == len(scores_of) > 1]
    both = [cell for group in parts for cell in group]
    matches = Counter(cell.target for group in comparable for cell in group if cell.match)
    missing = [label for label in targets if label not in scores_of]
    if missing:
        notes.append(f"the benchmark has no score for {_listed(missing)}")
    notes += [
        f"the benchmark has no score for {label} in {_listed(names)}"
        for label, names in missing_in.items()
        if names
    ]
    return BenchmarkComparison(
        cells=tuple(cell for group in groups.values() for cell in group),
        correlation=correlate([cell.accuracy for cell in both], [cell.benchmark for cell in both]),
        matches={label: matches[label] for label in scores_of},
        ranked=len(comparable),
        notes=tuple(notes),
    )


def _key(cell: ComparedCell) -> str:
    return ALL if cell.domain == ALL else plain(cell.domain)


def _models(scores: Iterable[BenchmarkScore]) -> tuple[dict[str, Model], list[str]]:
    """The models by their names in folded case, and a note on each score that is passed over."""
    models: dict[str, Model] = defaultdict(dict)
    notes: dict[str, None] = {}
    for line in scores:
        model, category = models[line.model.strip().casefold()], plain(line.category)
        category = ALL if category in OVERALL else category
        if category in model:
            twice = f"{line.model.strip()} in {line.category} more than once"
            notes[f"the benchmark has {twice}: the first score counts"] = None
        model.setdefault(category, line.score)
    return dict(models), list(notes)


def _ranked(category: str, group: Sequence[tuple[str, float, float]]) -> list[BenchmarkCell]:
    """The cells of one category with their ranks, 1 the best, ties averaged. `group`: target,
    accuracy, the benchmark's score."""
    from scipy.stats import (
        rankdata,
    )  # here, as below: slow to import, and needed with a benchmark only

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
        for (target, accuracy, score), rank, rank_there in zip(group, ranks, theirs, strict=True)
    ]


def correlate(accuracies: Sequence[float], scores: Sequence[float]) -> Correlation:
    """Pearson's r, Spearman's rho and Kendall's tau-b with two-sided p-values.

    None for fewer than three pairs, or where either side is all the same. The p-values take the
    pairs for independent; those of one target or one category are not.
    """
    from scipy.stats import kendalltau, pearsonr, spearmanr

    xs, ys = [tied(x) for x in accuracies], [tied(y) for y in scores]
    undefined = len(xs) < ENOUGH or len(set(xs)) == 1 or len(set(ys)) == 1
    fields: dict[str, float | None] = {}
    for name, test in (("pearson", pearsonr), ("spearman", spearmanr), ("kendall", kendalltau)):
        outcome = None if undefined else test(xs, ys)
        fields[name] = _finite(outcome.statistic) if outcome else None
        fields[f"{name}_p"] = _finite(outcome.pvalue) if outcome else None
    return Correlation(n=len(xs), **fields)


def _finite(value: float) -> float | None:
    return float(value) if isfinite(value) else None


def _listed(names: Sequence[str]) -> str:
    rest = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {rest} more" if rest > 0 else "")
