"""Several targets of DepthQA side by side, what people think of the judge, and how runs end in
words."""

import re
from typing import Any

from fathom.state.depthqa.result import DepthQAComparison, DepthQAResult
from fathom.stats.depthqa.table import compare

from ...support.edited import edited
from ...support.reports import changed, compared, events_of, result_of
from ...support.snapshot import assert_snapshot

RUN: DepthQAResult = result_of("depthqa")
GRAPH = events_of("depthqa")[0].material.graph
TARGETS = (
    "openai:gpt-5",
    "sim:student",
    "given:llama3-8b",
    "local@http://127.0.0.1:8080/v1:qwen3-235b",
)
RUNS = [
    changed(RUN, run_id=f"{RUN.run_id[:-1]}{n}", spec__target=target, simulated=False)
    for n, target in enumerate(TARGETS)
]


def side_by_side(results: list[DepthQAResult], **values: Any) -> DepthQAComparison:
    return edited(compare(results, {one.run_id: GRAPH for one in results}), values)


def test_targets_side_by_side() -> None:
    text = compared(side_by_side(RUNS, left_out=2), "depthqa", 100)
    assert not re.search(r"[\d–]…|…[\d–]", text.replace("1 … 5", "").replace("0 … 1", ""))
    assert "SIMULATED" not in text
    assert_snapshot("depthqa_compare", text)
