"""Explain-Query-Test figures beside the scores of a benchmark: ranks, drops and correlations."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite

from ...state.comparison import ComparedCell
from ...state.eqt.result import (
    BenchmarkCell,
    BenchmarkComparison,
    BenchmarkScore,
    Correlation,
)
from ...state.worlds import label_of

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
_AUTHORITY = re.compile(r"(?:\[[^\]]*\]|[^:\[\]]*)(?::\d+(?=:))?:(.*)", re.DOTALL)


@dataclass(slots=True)
class Model:
    """One model of the benchmark."""

    name: str
    scores: dict[str, float] = field(default_factory=dict)
    """By the category's plain name; `all`: overall."""
    written: dict[str, str] = field(default_factory=dict)
    """Plain name → the category's name in the benchmark."""


def plain(category: str) -> str:
    """A category's name as it is compared: case, `_`, `-` and runs of blanks make no difference."""
    return " ".join(category.casefold().replace("_", " ").replace("-", " ").split())


def tied(value: float) -> float:
    """The value without the last digits of its arithmetic, so that equal shares are equal."""
    return round(value, 12)


def model_names(target: str) -> tuple[str, str]:
    """What a benchmark may call a target, in folded case: its whole name, or the model alone.

    `openai:gpt-5` and `openai@https://host/v1:gpt-5` → gpt-5: after an address the model follows
    the first colon behind its path, or behind host and port where it has no path.
    """
    whole = label_of(target.strip()).casefold()
    match = re.match(r"[^:@]*([:@])(.*)", whole, re.DOTALL)
    if match is None:
        return whole, whole
    sign, model = match.groups()
    if sign == "@":
        authority, slash, path = model.partition("://")[2].partition("/")
        host = _AUTHORITY.fullmatch(authority)
        model = path.partition(":")[2] if slash else host[1] if host else ""
    return whole, model.strip() or whole


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
    found = {
        label: next((models[name] for name in model_names(t) if name in models), None)
        for label, t in targets.items()
    }
    known = {label: model for label, model in found.items() if model is not None}
    groups: dict[str, list[BenchmarkCell]] = defaultdict(list)
    for cell in cells:
        score = known[cell.label].scores.get(_key(cell)) if cell.label in known else None
        if score is not None and cell.estimate is not None:
            groups[cell.domain].append(_cell(cell.label, cell.domain, cell.estimate, score))
    groups = {category: _ranked(group) for category, group in groups.items()}
    comparable = [
        group for name, group in groups.items() if name != ALL and len(group) == len(known) > 1
    ]
    pairs = [row for name, group in groups.items() if name != ALL for row in group]
    return BenchmarkComparison(
        cells=tuple(row for group in groups.values() for row in group),
        correlation=correlate([row.accuracy for row in pairs], [row.benchmark for row in pairs]),
        matches={
            label: sum(row.match for group in comparable for row in group if row.target == label)
            for label in known
        },
        ranked=len(comparable),
        notes=(*notes, *_lonely_models(found, models), *_lonely_categories(known, cells)),
    )


def _key(cell: ComparedCell) -> str:
    return ALL if cell.domain == ALL else plain(cell.domain)


def _models(scores: Iterable[BenchmarkScore]) -> tuple[dict[str, Model], list[str]]:
    """The models by their names in folded case, and a note on each score that is passed over."""
    models: dict[str, Model] = {}
    notes: list[str] = []
    for line in scores:
        model = models.setdefault(line.model.strip().casefold(), Model(line.model.strip()))
        category = plain(line.category)
        category = ALL if category in OVERALL else category
        if category in model.scores:
            notes.append(
                f"the benchmark has {model.name} in {line.category} more than once: the first "
                "score counts"
            )
        else:
            model.scores[category], model.written[category] = line.score, line.category.strip()
    return models, list(dict.fromkeys(notes))


def _cell(target: str, category: str, accuracy: float, score: float) -> BenchmarkCell:
    """Not ranked yet."""
    return BenchmarkCell(
        target=target,
        category=category,
        accuracy=accuracy,
        benchmark=score,
        drop=score - accuracy,
        rank=1,
        benchmark_rank=1,
        match=True,
    )


def _ranked(group: Sequence[BenchmarkCell]) -> list[BenchmarkCell]:
    """The rows of one category with their ranks, 1 the best, ties averaged."""
    ranks = _ranks([row.accuracy for row in group])
    theirs = _ranks([row.benchmark for row in group])
    return [
        row.model_copy(update={"rank": rank, "benchmark_rank": other, "match": rank == other})
        for row, rank, other in zip(group, ranks, theirs, strict=True)
    ]


def _ranks(values: Sequence[float]) -> list[float]:
    from scipy.stats import (
        rankdata,
    )  # here, as below: slow to import, and needed with a benchmark only

    return [float(rank) for rank in rankdata([-tied(value) for value in values])]


def correlate(accuracies: Sequence[float], scores: Sequence[float]) -> Correlation:
    """Pearson's r, Spearman's rho and Kendall's tau-b with two-sided p-values.

    None for fewer than three pairs, or where either side is all the same. The p-values take the
    pairs for independent; those of one target or one category are not.
    """
    xs, ys = [tied(x) for x in accuracies], [tied(y) for y in scores]
    if len(xs) < ENOUGH or len(set(xs)) == 1 or len(set(ys)) == 1:
        nothing = dict.fromkeys(
            ("pearson", "pearson_p", "spearman", "spearman_p", "kendall", "kendall_p")
        )
        return Correlation(n=len(xs), **nothing)
    from scipy.stats import kendalltau, pearsonr, spearmanr

    pearson, spearman, kendall = (
        pearsonr(xs, ys),
        spearmanr(xs, ys),
        kendalltau(xs, ys, variant="b"),
    )
    return Correlation(
        n=len(xs),
        pearson=_known(pearson.statistic),
        pearson_p=_known(pearson.pvalue),
        spearman=_known(spearman.statistic),
        spearman_p=_known(spearman.pvalue),
        kendall=_known(kendall.statistic),
        kendall_p=_known(kendall.pvalue),
    )


def _known(value: float) -> float | None:
    return float(value) if isfinite(value) else None


def _lonely_models(found: Mapping[str, Model | None], models: Mapping[str, Model]) -> list[str]:
    missing = [label for label, model in found.items() if model is None]
    used = {model.name for model in found.values() if model is not None}
    unused = [model.name for model in models.values() if model.name not in used]
    notes = []
    if missing:
        notes.append(f"the benchmark has no score for {_listed(missing)}")
    if unused:
        notes.append(f"the benchmark has models that were not tested here: {_listed(unused)}")
    return notes


def _lonely_categories(known: Mapping[str, Model], cells: Sequence[ComparedCell]) -> list[str]:
    """What the benchmark lacks, for all targets it has or for some of them, and what it has beyond
    the cells."""
    if not known:
        return []
    here = {cell.domain: _key(cell) for cell in cells if cell.domain != ALL}
    notes = []
    nowhere = [
        name
        for name, key in here.items()
        if not any(key in model.scores for model in known.values())
    ]
    if nowhere:
        notes.append(f"the benchmark has no category for {_listed(nowhere)}")
    for label, model in known.items():
        lacking = [
            name for name, key in here.items() if key not in model.scores and name not in nowhere
        ]
        if lacking:
            notes.append(f"the benchmark has no score for {label} in {_listed(lacking)}")
    beyond = {key: name for model in known.values() for key, name in model.written.items()}
    only = [name for key, name in beyond.items() if key not in {*here.values(), ALL}]
    if only:
        notes.append(f"the benchmark has categories that were not tested here: {_listed(only)}")
    return notes


def _listed(names: Sequence[str]) -> str:
    rest = len(names) - _MOST_NAMED
    return ", ".join(names[:_MOST_NAMED]) + (f" and {rest} more" if rest > 0 else "")
