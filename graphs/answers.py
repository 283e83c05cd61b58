"""The table of answers of any run, and what its method measures over it."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from ..state.records import ANCHORS
from ..state.results import Result
from ..state.rows import AnswerRow, Estimate, Measure, Tag
from ..tools.on_demand import found_in

_HOMES = {
    **{name: f".{name}" for name in ("drill", "eqt", "depthqa", "deepquestion", "replay")},
    "rejudge": ".replay",
}
"""Method of a result → the folder of its rows and measures."""
ROWS: Mapping[str, Any] = found_in(
    __package__, {name: f"{home}.rows:rows_of" for name, home in _HOMES.items()}
)
MEASURES: Mapping[str, tuple[Measure, ...]] = found_in(
    __package__,
    {
        **{name: f"{home}.measures:MEASURES" for name, home in _HOMES.items()},
        **dict.fromkeys(("inspect", "lm-eval"), ".log_measures:MEASURES"),
    },
)
"""Method of a result, or program whose log it is → its measures, the headline first."""


def rows_of(result: Result) -> list[AnswerRow]:
    """One row per question put to the target, whatever came of it. A method without a table has
    none."""
    if result.method not in ROWS:
        return []
    rows: list[AnswerRow] = ROWS[result.method](result)
    return rows


def row_maker(result: Any, **settings: Tag) -> Callable[..., AnswerRow]:
    """What makes the rows of a run, told only what is theirs. `settings`: of the method's own."""
    spec = result.spec
    common = {name: getattr(result, name) for name in ("simulated", "stop_reason")}
    models = {role: name for role, name in spec.models.items() if role not in ("target", *ANCHORS)}
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
    """What a method measures, its headline first; and what is measured over others' logs."""
    return MEASURES[method]


def estimate(rows: Sequence[AnswerRow], name: str, by: str | None = None) -> dict[Tag, Estimate]:
    """A measure over rows of one method, for each value of a tag or setting (None: of rows without
    it); without `by` over all of them, under None. Raises KeyError for no such measure."""
    if not rows:
        return {}
    measure = {each.name: each for each in measures_of(rows[0].method)}[name]
    parts: dict[Tag, list[AnswerRow]] = defaultdict(list)
    for row in rows:
        parts[row.tag(by) if by else None].append(row)
    return {tag: measure.of(part) for tag, part in parts.items()}
