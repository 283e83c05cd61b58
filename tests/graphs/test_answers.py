"""The table of answers, and that measures over it are the figures of the results."""

from functools import cache
from typing import Any

import pytest

from fathom.graphs.answers import estimate, rows_of
from fathom.graphs.method import result_of
from fathom.graphs.run.record import record_of
from fathom.state.events import EVENT
from fathom.state.rows import AnswerRow, Estimate

from ..contracts.recordings import KINDS, recordings

each_kind = pytest.mark.parametrize("kind", KINDS)


@cache
def answers(method: str, kind: str) -> tuple[Any, list[AnswerRow]]:
    """The result and the rows that a recorded journal amounts to."""
    record = record_of([EVENT.validate_json(line) for line in recordings(method)[kind].journal])
    result = result_of(record)
    material = record.started.material
    return result, rows_of(result, material.graph if material else None)


def same(estimate: Estimate, value: float | None, interval: Any = None) -> None:
    assert estimate.value == pytest.approx(value, abs=1e-12)
    if interval is not None:
        assert estimate.interval == pytest.approx(interval, abs=1e-12)


@each_kind
def test_a_drill(kind: str) -> None:
    result, rows = answers("drill", kind)
    evd = estimate(rows, "evd")[None]
    same(evd, result.evd, result.evd_ci)
    assert evd.at_least == (result.censored is not None)
    same(estimate(rows, "accuracy")[None], result.accuracy)
    by_depth = estimate(rows, "accuracy", "depth")
    for row in result.depths:
        same(by_depth[row.depth], row.accuracy, row.accuracy_ci_clustered)
        assert by_depth[row.depth].n == row.scored
    by_tier = estimate(rows, "hallucination_rate", "tier")
    for tier, of_tier in result.by_tier.items():
        missed = of_tier.wrong + of_tier.abstained
        same(by_tier[tier.value.lower()], of_tier.wrong / missed if missed else None)
    assert {row.item for row in rows} >= {probe.id for probe in result.probes}
