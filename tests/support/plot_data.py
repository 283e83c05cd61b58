"""Comparisons of Explain-Query-Tests, made by hand for the pictures."""

from collections.abc import Sequence

from fathom.state.eqt.result import (
    BenchmarkCell,
    BenchmarkComparison,
    ConsistencyRow,
    Correlation,
    EqtCell,
    EqtComparison,
    EqtResult,
    LetterBias,
    Numbers,
    ShareRow,
)
from fathom.state.spec import Concept, EqtSpec

MMLU_PRO = (
    *("business", "law", "psychology", "biology", "chemistry", "history", "other", "health", "economics", "math"),
    *("physics", "computer_science", "philosophy", "engineering"),
)


def run_id(target: str) -> str:
    return f"run of {target}"


def cell(target: str, category: str, accuracy: float | None, acs: float | None) -> EqtCell:
    return EqtCell(
        target=target,
        run_id=run_id(target),
        category=category,
        accuracy=accuracy,
        ci=None if accuracy is None else (max(0.0, accuracy - 0.08), min(1.0, accuracy + 0.06)),
        acs=acs,
        acs_ci=None if acs is None else (max(0.0, acs - 0.05), min(1.0, acs + 0.04)),
        best_accuracy=False,
        best_acs=False,
    )


def benchmark_cell(
    target: str, category: str, accuracy: float, score: float, rank: float, benchmark_rank: float
) -> BenchmarkCell:
    return BenchmarkCell(
        target=target,
        category=category,
        accuracy=accuracy,
        benchmark=score,
        drop=score - accuracy,
        rank=rank,
        benchmark_rank=benchmark_rank,
        match=rank == benchmark_rank,
    )


def number(*parts: object) -> float:
    """A share that depends on the names alone."""
    return sum((place + 1) * ord(sign) for place, sign in enumerate("/".join(map(str, parts)))) % 97 / 96


def comparison(
    targets: Sequence[str],
    categories: Sequence[str],
    *,
    simulated: bool = False,
    with_benchmark: bool = False,
    missing: Sequence[tuple[str, str]] = (),
    without_acs: Sequence[tuple[str, str]] = (),
) -> EqtComparison:
    """Made-up numbers for all targets in all categories but for what is `missing`."""
    cells = [
        cell(target, category, None, None)
        if (target, category) in missing
        else cell(
            target,
            category,
            0.3 + 0.6 * number(target, category),
            None if (target, category) in without_acs else 0.4 + 0.6 * number(category, target),
        )
        for category in (*categories, "all")
        for target in targets
    ]
    return EqtComparison(
        simulated=simulated,
        targets=tuple(targets),
        categories=tuple(categories),
        cells=tuple(cells),
        benchmark=beside(targets, cells) if with_benchmark else None,
    )


def beside(targets: Sequence[str], cells: Sequence[EqtCell]) -> BenchmarkComparison:
    """A made-up benchmark with a score for every cell that has a figure."""
    rows: list[BenchmarkCell] = []
    for category in dict.fromkeys(each.category for each in cells):
        own = [
            (each.target, each.accuracy) for each in cells if each.category == category and each.accuracy is not None
        ]
        scores = [round(0.5 + 0.5 * number("benchmark", target, category), 3) for target, _ in own]
        ranks = [1.0 + sum(other > accuracy for _, other in own) for _, accuracy in own]
        theirs = [1.0 + sum(other > score for other in scores) for score in scores]
        rows += [
            benchmark_cell(target, category, accuracy, *others)
            for (target, accuracy), *others in zip(own, scores, ranks, theirs, strict=True)
        ]
    return benchmark_of(targets, rows)


def benchmark_of(targets: Sequence[str], rows: Sequence[BenchmarkCell]) -> BenchmarkComparison:
    """The comparison of these cells."""
    grouped: dict[str, list[BenchmarkCell]] = {}
    for row in rows:
        grouped.setdefault(row.category, []).append(row)
    whole = [group for category, group in grouped.items() if len(group) == len(targets) > 1 and category != "all"]
    nothing = dict.fromkeys(("pearson", "pearson_p", "spearman", "spearman_p", "kendall", "kendall_p"))
    return BenchmarkComparison(
        cells=tuple(rows),
        correlation=Correlation(n=len(rows), **nothing),
        matches={target: sum(r.match for group in whole for r in group if r.target == target) for target in targets},
        ranked=len(whole),
        notes=(),
    )


def result(target: str, *, unfinished: int = 0) -> EqtResult:
    """A run without any figure; what a picture takes from it is how it ended."""
    share = ShareRow(scored=0, correct=0, accuracy=None, ci=(0.0, 1.0), ci_clustered=None)
    nothing = dict.fromkeys(("acs", "acs_ci", "acs_normalised", "acs_normalised_ci"))
    names = [f"Concept {number}" for number in range(1, unfinished + 2)]
    spec = EqtSpec(concepts=tuple(Concept(name=name) for name in names), target=target, examiner=target, judge=target)
    return EqtResult(
        run_id=run_id(target),
        spec=spec,
        simulated=spec.simulated,
        status="partial" if unfinished else "complete",
        stop_reason="budget" if unfinished else "all_asked",
        stop_detail="",
        numbers=Numbers(
            concepts=0,
            questions=0,
            dropped=0,
            paraphrases=0,
            paraphrases_dropped=0,
            unscored={},
            all=share,
            originals=share,
            paraphrased=share,
            consistency=ConsistencyRow(questions=0, uninformative=0, **nothing),
            format_failures=0,
            refusals=0,
            none_chosen=0,
        ),
        by_category={},
        concepts=(),
        open_concepts=tuple(names) if unfinished else (),
        letters=LetterBias(answers=0, letters=(), distance=None, largest=None),
        usage={},
        cost_usd=None,
        wall_s=0.0,
        conformance=(),
        notes=(),
        provenance={},
    )
