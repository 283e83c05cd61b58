"""The table of answers of any run, and what its method measures over it."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from math import sqrt
from typing import Any

from ..state.records import BESIDE
from ..state.results import Result
from ..state.rows import AnswerRow, Estimate, Measure, Tag
from ..stats.correction import errors_of, marks_of, with_labels
from ..stats.estimates import mean, values_of
from .method import METHODS


def rows_of(result: Result) -> list[AnswerRow]:
    """One row per question put to the target, whatever came of it. A method without a table has
    none."""
    method = METHODS[result.method]
    return method.rows_of(result) if method.has_rows else []


def row_maker(result: Any, **settings: Tag) -> Callable[..., AnswerRow]:
    """What makes the rows of a run, told only what is theirs. `settings`: of the method's own."""
    spec = result.spec
    common = {name: getattr(result, name) for name in ("simulated", "stop_reason")}
    models = {
        role: name for role, name in spec.models.items() if role not in ("target", *BESIDE)
    }
    return partial(
        AnswerRow,
        run=result.run_id,
        method=result.method,
        model=spec.target,
        domain=spec.domain,
        settings={
            **common,
            **models,
            "seed": spec.seed,
            **settings,
        },
    )


def measures_of(method: str) -> tuple[Measure, ...]:
    """What a method measures, its headline first; of what is none, what is measured over the logs of
    other programs."""
    if method not in METHODS:
        return (SCORE,)
    return METHODS[method].measures if METHODS[method].has_rows else ()


def _score(rows: Sequence[AnswerRow]) -> Estimate:
    """The mean; of scores beyond 0 … 1 within the range that they have."""
    values = values_of(rows)
    scores = [0.0, 1.0, *(value for _, value in values)]
    return mean(values, min(scores), max(scores))


SCORE = Measure("score", "score", "higher", "Mean score of the items.", _score, ("domain",))


def expected_half_width(
    rows: Sequence[AnswerRow], more_labels: int
) -> tuple[float, float] | None:
    """Half the width of the corrected headline's interval now, and what it comes to be with so many
    labels more, drawn as those there are; None where there are too few to correct by. `rows`: of
    one model."""
    by_name = {measure.name: measure for measure in measures_of(rows[0].method)}
    corrected = next((by_name[name] for name in CORRECTED if name in by_name), None)
    width = half_width(corrected.of(rows)) if corrected is not None else None
    if corrected is None or width is None:
        return None
    labels = len(marks_of(rows))
    times = (labels + more_labels) / labels
    if corrected.name == "corrected_accuracy":
        least = half_width(by_name["right"].of(rows)) or 0.0
        return width, sqrt(least**2 + max(0.0, width**2 - least**2) / times)
    errors = with_labels(errors_of(rows), times)
    narrower = half_width(corrected.of([replace(row, judge=errors) for row in rows]))
    return width, narrower or width


def half_width(estimate: Estimate) -> float | None:
    """None where there is no interval."""
    if estimate.interval is None:
        return None
    low, high = estimate.interval
    return (high - low) / 2


CORRECTED = ("corrected_evd", "corrected_accuracy")
"""A method's measure without the judge's errors, the first one that it has."""


def estimate(
    rows: Sequence[AnswerRow], name: str, by: str | None = None
) -> dict[Tag, Estimate]:
    """A measure over rows of one method, for each value of a tag or setting (None: of rows without
    it); without `by` over all of them, under None. Raises KeyError for no such measure."""
    if not rows:
        return {}
    by_name = {measure.name: measure for measure in measures_of(rows[0].method)}
    measure = by_name[name]
    parts: dict[Tag, list[AnswerRow]] = defaultdict(list)
    for row in rows:
        parts[row.tag(by) if by else None].append(row)
    return {tag: measure.of(part) for tag, part in parts.items()}
