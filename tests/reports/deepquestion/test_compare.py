"""Several DeepQuestion runs side by side."""

from typing import Any

from fathom.state.deepquestion.result import DeepQuestionComparison, DeepQuestionResult
from fathom.stats.deepquestion.table import compare_deepquestion

from ...support.edited import edited
from ...support.reports import compared, result_of
from ...support.snapshot import assert_snapshot

RUN: DeepQuestionResult = result_of("deepquestion")


def side_by_side(*runs: DeepQuestionResult, **values: Any) -> DeepQuestionComparison:
    return edited(compare_deepquestion(runs), values)


def renamed(target: str, values: dict[str, Any]) -> DeepQuestionResult:
    about = {"spec.target": target, "run_id": f"x-deepquestion-{target}", "simulated": False}
    return edited(RUN, {**about, **values})


SIDE = (
    renamed("openai:gpt-5", {}),
    renamed("sim:student", {}),
    renamed("local@http://127.0.0.1:8080/v1:qwen3-235b", {}),
)


def test_runs_side_by_side() -> None:
    two = side_by_side(*SIDE[:2], same_texts=False)
    assert_snapshot("deepquestion_compare", compared(two, "deepquestion", 100))
