"""Several targets' Explain-Query-Tests side by side, category by category."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...state.eqt.result import (
    BenchmarkScore,
    ConceptRow,
    Correlation,
    EqtCell,
    EqtComparison,
    EqtResult,
)
from ...state.spec import EqtSpec
from ...state.worlds import label_of
from ..side_by_side import (
    ending,
    given_twice,
    in_common,
    labels_of,
    partly,
    unlike,
    without_figures,
)
from .benchmark import ALL, OVERALL, beside_benchmark, plain, tied
from .common import Figures, Name, figures_over, finished, name_of

_ASKED_ALIKE = (
    "questions",
    "options",
    "paraphrases",
    "shuffle_options",
    "verify_paraphrases",
    "language",
    "answer_tokens",
    "prompts",
    "world",
)
"""Fields of a spec on which its figures depend, besides models, concepts and seed."""


OWN_EXAMS = (
    "each target answered questions that it had written itself, so that the exams differ as well "
    "as the models: name"
    " one --examiner for all targets to compare them on questions of one author"
)
APART = (
    "the targets were not all examined by the same model, so that the exams differ as well as the "
    "models: name"
    " one --examiner for all targets to compare them on questions of one author"
)
NOTHING_SHARED = (
    "no concept was finished by all targets: each one's figures are over concepts of its own, so "
    "that none is the best"
)
PAIRS_ALIKE = (
    "the p-values take all pairs of target and category for independent; pairs of one target or of "
    "one category are"
    " not, so that the p-values tend to be too small"
)


@dataclass(frozen=True, slots=True)
class Absent:
    """A run that has no result, and why."""

    run_id: str
    spec: EqtSpec
    why: str


@dataclass(frozen=True, slots=True)
class Column:
    """What a comparison knows of one run."""

    label: str
    run_id: str
    rows: tuple[ConceptRow, ...] = ()
    """The concepts over which its figures are."""

    def over(self, category: str) -> Figures:
        """Its figures in a category or over `all`."""
        return figures_over(
            self.rows if category == ALL else [row for row in self.rows if row.category == category]
        )


def compare_eqt(
    results: Sequence[EqtResult],
    benchmark: Sequence[BenchmarkScore] = (),
    absent: Sequence[Absent] = (),
) -> EqtComparison:
    """One cell per target and category, then one per target over all concepts; beside the benchmark
    when one is given.

    All cells are over the concepts that all targets with any finished concept have finished. Where
    there are none in common, each target's are over its own, and no cell is the best. Categories
    stand in the order in which they first appear. A target without an answer in a category has a
    cell without figures there; one without a finished concept, or without a result (`absent`), has
    only such cells. A run that is given twice counts once. Raises ValueError without any result.
    """
    if not results:
        raise ValueError("a comparison needs at least one result")
    runs = {result.run_id: result for result in results}
    missing = [
        run for run in {run.run_id: run for run in absent}.values() if run.run_id not in runs
    ]
    entries = [
        *((run, result.spec) for run, result in runs.items()),
        *((run.run_id, run.spec) for run in missing),
    ]
    labels = dict(
        zip((run for run, _ in entries), labels_of(entries, _marks, _with_id), strict=True)
    )
    held = [result for result in runs.values() if result.concepts]
    shared, left_out = in_common(map(finished, held)) if held else (set[Name](), 0)
    columns = [Column(label, run, _rows(runs.get(run), shared)) for run, label in labels.items()]
    named = dict.fromkeys(name for result in runs.values() for name in result.by_category)
    categories = tuple(name for name in named if plain(name) not in OVERALL)
    comparable = shared is not None
    cells = [
        cell
        for category in (*categories, ALL)
        for cell in _cells(columns, category, comparable=comparable)
    ]
    targets = {labels[run]: result.spec.target for run, result in runs.items()}
    beside = beside_benchmark(targets, cells, benchmark) if benchmark else None
    return EqtComparison(
        simulated=any(spec.simulated for _, spec in entries)
        or any(result.simulated for result in runs.values()),
        targets=tuple(labels.values()),
        categories=categories,
        cells=tuple(cells),
        concepts=len(shared) if shared is not None else None,
        left_out=left_out,
        benchmark=beside,
        notes=(
            *given_twice(results),
            *(
                f"the category {name} is left out: its name stands for all of them"
                for name in named
                if name not in categories
            ),
            *_empty(labels, runs, missing),
            *_caveats(held),
            *(
                [NOTHING_SHARED]
                if shared is None
                else partly(shared, left_out, "concept", "target")
            ),
            *([PAIRS_ALIKE] if beside is not None and has_p_values(beside.correlation) else []),
        ),
    )


def _rows(result: EqtResult | None, shared: set[Name] | None) -> tuple[ConceptRow, ...]:
    rows = result.concepts if result is not None else ()
    return tuple(row for row in rows if shared is None or name_of(row) in shared)


def _empty(
    labels: Mapping[str, str], runs: Mapping[str, EqtResult], missing: Sequence[Absent]
) -> list[str]:
    """Why there is nothing under a target."""
    why = {run: ending(result) for run, result in runs.items() if not result.concepts}
    why |= {run.run_id: run.why for run in missing}
    return [
        without_figures(label, "concept", why[run]) for run, label in labels.items() if run in why
    ]


def has_own_exams(comparison: EqtComparison) -> bool:
    """Whether the targets sat different exams, so that what is best among them is so by name
    only."""
    return OWN_EXAMS in comparison.notes or APART in comparison.notes


def has_p_values(row: Correlation) -> bool:
    """Whether any coefficient comes with one."""
    return any(p is not None for p in (row.pearson_p, row.spearman_p, row.kendall_p))


def _marks(spec: EqtSpec) -> tuple[str, ...]:
    order = "shuffled order" if spec.shuffle_options else "fixed order"
    return f"examiner {label_of(spec.examiner)}", order, f"seed {spec.seed}"


def _with_id(label: str, run: str) -> str:
    """As earlier results name them: the id is one more mark."""
    return f"{label.removesuffix(')')}, {run})" if label.endswith(")") else f"{label} ({run})"


def _cells(columns: Sequence[Column], category: str, *, comparable: bool) -> list[EqtCell]:
    rows = [(column, column.over(category)) for column in columns]
    best = zip(
        _best([own.accuracy for _, own in rows]), _best([own.acs for _, own in rows]), strict=True
    )
    return [
        EqtCell(
            target=column.label,
            run_id=column.run_id,
            category=category,
            accuracy=own.accuracy,
            ci=own.ci,
            acs=own.acs,
            acs_ci=own.acs_ci,
            best_accuracy=comparable and best_accuracy,
            best_acs=comparable and best_acs,
        )
        for (column, own), (best_accuracy, best_acs) in zip(rows, best, strict=True)
    ]


def _best(values: Sequence[float | None]) -> list[bool]:
    """Which are the largest, ties included; none where there are not two to compare."""
    known = [tied(value) for value in values if value is not None]
    return [value is not None and len(known) > 1 and tied(value) == max(known) for value in values]


def _caveats(held: Sequence[EqtResult]) -> list[str]:
    """What keeps the targets' figures from meaning the same."""
    specs = [result.spec for result in held]
    notes = []
    if len({spec.examiner for spec in specs}) > 1:
        notes.append(OWN_EXAMS if all(spec.examiner == spec.target for spec in specs) else APART)
    return notes + unlike(specs, _ASKED_ALIKE, "the targets were not asked alike")
