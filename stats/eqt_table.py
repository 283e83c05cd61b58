"""Several targets' Explain-Query-Tests side by side, category by category."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..state.eqt_result import BenchmarkScore, Correlation, EqtCell, EqtComparison, EqtResult, Numbers
from ..state.spec import EqtSpec
from .benchmark import ALL, OVERALL, beside_benchmark, plain, tied

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
    "each target answered questions that it had written itself, so that the exams differ as well as the models: name"
    " one --examiner for all targets to compare them on questions of one author"
)
APART = (
    "the targets were not all examined by the same model, so that the exams differ as well as the models: name"
    " one --examiner for all targets to compare them on questions of one author"
)
PAIRS_ALIKE = (
    "the p-values take all pairs of target and category for independent; pairs of one target or of one category are"
    " not, so that the p-values tend to be too small"
)


@dataclass(frozen=True, slots=True)
class Labelled:
    """A result under the label that tells it from the others."""

    label: str
    result: EqtResult

    def numbers(self, category: str) -> Numbers | None:
        """The figures of a category or of `all`; None when this target has none there."""
        return self.result.numbers if category == ALL else self.result.by_category.get(category)


def compare_eqt(results: Sequence[EqtResult], benchmark: Sequence[BenchmarkScore] = ()) -> EqtComparison:
    """One cell per target and category, then one per target over all concepts; beside the benchmark when one is given.

    Categories stand in the order in which they first appear; a target that has none of a category's concepts has a cell
    without figures there. A run that is given twice counts once. Raises ValueError without any result.
    """
    if not results:
        raise ValueError("a comparison needs at least one result")
    runs = {result.run_id: result for result in results}
    held = labelled(list(runs.values()))
    named = dict.fromkeys(name for one in held for name in one.result.by_category)
    categories = tuple(name for name in named if plain(name) not in OVERALL)
    cells = [cell for category in (*categories, ALL) for cell in _cells(held, category)]
    targets = {one.label: one.result.spec.target for one in held}
    beside = beside_benchmark(targets, cells, benchmark) if benchmark else None
    return EqtComparison(
        simulated=any(one.result.simulated for one in held),
        targets=tuple(one.label for one in held),
        categories=categories,
        cells=tuple(cells),
        benchmark=beside,
        notes=(
            *(f"run {run} is given more than once and counts once" for run in _repeated(results)),
            *(
                f"the category {name} is left out: its name stands for all of them"
                for name in named
                if name not in categories
            ),
            *_caveats(held),
            *([PAIRS_ALIKE] if beside is not None and has_p_values(beside.correlation) else []),
        ),
    )


def has_own_exams(comparison: EqtComparison) -> bool:
    """Whether the targets sat different exams, so that what is best among them is so by name only."""
    return OWN_EXAMS in comparison.notes or APART in comparison.notes


def has_p_values(row: Correlation) -> bool:
    """Whether any coefficient comes with one."""
    return any(p is not None for p in (row.pearson_p, row.spearman_p, row.kendall_p))


def _repeated(results: Iterable[EqtResult]) -> list[str]:
    return [run for run, times in Counter(result.run_id for result in results).items() if times > 1]


def labelled(results: Sequence[EqtResult]) -> list[Labelled]:
    """Each result under its target's name; the runs of one target are told apart by examiner, order of the options and
    seed, as far as these differ among them, and by run id where that is not enough."""
    found = [Labelled(_label(result, results), result) for result in results]
    times = Counter(one.label for one in found)
    return [Labelled(_with(one.label, one.result.run_id), one.result) if times[one.label] > 1 else one for one in found]


def _label(result: EqtResult, results: Sequence[EqtResult]) -> str:
    namesakes = [_marks(other.spec) for other in results if other.spec.target == result.spec.target]
    own = _marks(result.spec)
    tags = [mark for place, mark in enumerate(own) if any(marks[place] != mark for marks in namesakes)]
    return f"{result.spec.target} ({', '.join(tags)})" if tags else result.spec.target


def _marks(spec: EqtSpec) -> tuple[str, ...]:
    order = "shuffled order" if spec.shuffle_options else "fixed order"
    return f"examiner {spec.examiner}", order, f"seed {spec.seed}"


def _with(label: str, tag: str) -> str:
    return f"{label.removesuffix(')')}, {tag})" if label.endswith(")") else f"{label} ({tag})"


def _cells(held: Sequence[Labelled], category: str) -> list[EqtCell]:
    rows = [(one, one.numbers(category)) for one in held]
    accuracies = [numbers.all.accuracy if numbers else None for _, numbers in rows]
    consistencies = [numbers.consistency.acs if numbers else None for _, numbers in rows]
    best = zip(_best(accuracies), _best(consistencies), strict=True)
    return [
        EqtCell(
            target=one.label,
            run_id=one.result.run_id,
            category=category,
            accuracy=numbers.all.accuracy if numbers else None,
            ci=(numbers.all.ci_clustered or numbers.all.ci) if numbers and numbers.all.scored else None,
            acs=numbers.consistency.acs if numbers else None,
            acs_ci=numbers.consistency.acs_ci if numbers else None,
            best_accuracy=best_accuracy,
            best_acs=best_acs,
        )
        for (one, numbers), (best_accuracy, best_acs) in zip(rows, best, strict=True)
    ]


def _best(values: Sequence[float | None]) -> list[bool]:
    """Which are the largest, ties included; none where there are not two to compare."""
    known = [tied(value) for value in values if value is not None]
    return [value is not None and len(known) > 1 and tied(value) == max(known) for value in values]


def _caveats(held: Sequence[Labelled]) -> list[str]:
    """What keeps the targets' figures from meaning the same."""
    first, *others = (one.result for one in held)
    specs = [one.result.spec for one in held]
    notes = []
    if len({spec.examiner for spec in specs}) > 1:
        notes.append(OWN_EXAMS if all(spec.examiner == spec.target for spec in specs) else APART)
    if any(_concepts(other) != _concepts(first) for other in others):
        notes.append("the targets have not finished the same concepts, so that their figures are over different ones")
    differing = [
        name for name in _ASKED_ALIKE if any(getattr(r.spec, name) != getattr(first.spec, name) for r in others)
    ]
    if differing:
        notes.append(f"the targets were not asked alike: their specs differ in {', '.join(differing)}")
    return notes


def _concepts(result: EqtResult) -> set[tuple[str, str]]:
    return {(row.category, row.concept) for row in result.concepts}
