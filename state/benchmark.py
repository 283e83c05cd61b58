"""Models beside a benchmark."""

from .records import Record


class BenchmarkScore(Record):
    """One line of a benchmark file: a model's score in a category, as a share in 0 … 1."""

    model: str
    category: str
    score: float
    """A score: 1 … 5 by a rubric, 0 … 1 in a benchmark; null without one."""


class BenchmarkCell(Record):
    """One target in one category, beside the benchmark."""

    target: str
    category: str
    accuracy: float
    """Share of right answers, 0 … 1; null without any."""
    benchmark: float
    """Name of the benchmark, or the model's score in it, 0 … 1."""
    drop: float
    """Benchmark minus accuracy, in shares of 1."""
    rank: float
    """Among the targets by accuracy, 1 the best, ties averaged."""
    benchmark_rank: float
    """Place among the models by the benchmark, counted from 1."""
    match: bool
    """Whether both ranks are the same."""


class Correlation(Record):
    """Over all (target, category) pairs that have both numbers. Coefficients are None where they
    are undefined. The p-values take the pairs for independent, which those of one target or of one
    category are not."""

    n: int
    pearson: float | None = None
    """Pearson's r, −1 … 1; null where it is undefined."""
    pearson_p: float | None = None
    """p of Pearson's r, two-sided."""
    spearman: float | None = None
    """Spearman's ρ, −1 … 1; null where it is undefined."""
    spearman_p: float | None = None
    """p of Spearman's ρ, two-sided."""
    kendall: float | None = None
    """Kendall's τ, −1 … 1; null where it is undefined."""
    kendall_p: float | None = None
    """p of Kendall's τ, two-sided."""


class BenchmarkComparison(Record):
    cells: tuple[BenchmarkCell, ...]
    correlation: Correlation
    matches: dict[str, int]
    """Target → categories in which its ranks agree."""
    ranked: int
    """Categories, `all` left out, in which every target the benchmark knows has both numbers, of
    two at least."""
    notes: tuple[str, ...]
    """Targets, models and categories without a counterpart."""
