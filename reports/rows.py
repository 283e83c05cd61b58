"""Runs as flat rows for spreadsheets and data frames: one per answer, per depth, per run, with
columns that stay. Texts stand uncut."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ..state.results import Result
from ..state.rows import AnswerRow, Tag
from .page.blocks import value_of

Row = dict[str, Any]
Columns = Mapping[str, str]
"""Name of a column → key in the record."""
RUN: Columns = {
    "run_id": "run_id",
    "method": "method",
    "simulated": "simulated",
    "domain": "spec.domain",
    "target": "spec.target",
    "evaluator": "spec.evaluator",
    "judge": "spec.judge",
    "seed": "spec.seed",
}
"""Before every row, whatever its table."""
_ENDED: Columns = {
    **{name: name for name in ("status", "stop_reason", "stop_detail")},
    **{name: name for name in ("evd", "evd_ci", "evd_se", "censored", "depth_reached")},
    "accuracy": "accuracy",
    "accuracy_ci": "accuracy_ci",
    "acs": "numbers.consistency.acs",
    "acs_ci": "numbers.consistency.acs_ci",
    **{name: name for name in ("calls", "cached", "input_tokens", "output_tokens")},
    "cost_usd": "cost_usd",
    "wall_s": "wall_s",
    "fathom": "provenance.fathom",
}
"""Of a run. What a method does not measure is empty."""
_ACCURACY: Mapping[str, tuple[str, str]] = {
    "eqt": ("numbers.all.accuracy", "numbers.all.ci_clustered"),
    "deepquestion": ("original.share", "original.ci"),
    "replay": ("target_tally.accuracy", "target_tally.accuracy_ci"),
}
"""Where a method keeps its accuracy and its interval, if not under these names."""
_DEPTHS: Columns = {
    name: name
    for name in (
        *(
            "depth",
            "tier",
            "asked",
            "scored",
            "correct",
            "wrong",
            "abstained",
            "rejected",
            "duplicates",
        ),
        *("no_evidence", "unfilled", "replaced", "effective_roots", "accuracy", "accuracy_ci"),
        *("accuracy_ci_clustered", "survival", "survival_ci"),
    )
}


HUMAN: Mapping[Tag, int] = {"right": 1, "wrong": 0, "abstained": 0}
"""What people say of an answer → whether that is right."""


def answers_table(answers: Iterable[AnswerRow]) -> list[Row]:
    """One row per answer, as docs/data-dictionary.md describes it: `right` and `human` are 1, 0 or
    empty."""
    return _aligned(
        {
            "run_id": answer.run,
            "method": answer.method,
            "model": answer.model,
            "domain": answer.domain,
            "group": answer.group,
            "item": answer.item,
            "condition": answer.condition,
            "right": None if answer.score is None else int(answer.verdict == "right"),
            "human": HUMAN.get(answer.tags.get("human")),
            "score": answer.score,
            "verdict": answer.verdict,
            "stage": answer.stage,
            **answer.texts,
            **{name: tag for name, tag in answer.tags.items() if name != "human"},
            **answer.settings,
        }
        for answer in answers
    )


def rows_of(table: str, results: Iterable[Result]) -> list[Row]:
    """The rows of the tables `depths` and `runs`: intervals as two columns (`_low`, `_high`). A
    method without such a table (depths are a drill's) has no row in it."""
    return _aligned(row for result in results for row in _ROWS[table](result))


def _aligned(rows: Iterable[Row]) -> list[Row]:
    """All with the same columns in the same order."""
    listed = [*rows]
    names = dict.fromkeys(name for row in listed for name in row)
    return [{name: row.get(name) for name in names} for row in listed]


def _depths(result: Any) -> Iterator[Row]:
    for row in getattr(result, "depths", ()):
        yield _flat(RUN, result) | _flat(_DEPTHS, row)


def _runs(result: Any) -> Iterator[Row]:
    accuracy = dict(
        zip(("accuracy", "accuracy_ci"), _ACCURACY.get(result.method, ()), strict=False)
    )
    used = {name: sum(getattr(role, name) for role in result.usage.values()) for name in _USED}
    yield _flat(RUN, result) | _flat({**_ENDED, **accuracy}, result) | used


_USED = ("calls", "cached", "input_tokens", "output_tokens")
_ROWS: Mapping[str, Callable[[Any], Iterator[Row]]] = {
    "depths": _depths,
    "runs": _runs,
}


def _flat(columns: Columns, record: Any) -> Row:
    row: Row = {}
    for name, key in columns.items():
        value = value_of(record, key)
        if "_ci" in name:
            of = name.replace("_ci", "")
            row[f"{of}_low"], row[f"{of}_high"] = value if value is not None else (None, None)
        else:
            row[name] = getattr(value, "value", value)
    return row
