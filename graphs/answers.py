"""The table of answers of any run, and what its method measures over it."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ..state.records import BESIDE
from ..state.results import Result
from ..state.rows import AnswerRow, Estimate, Measure, Tag
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
