"""Several DeepQuestion runs side by side."""

import re
from typing import Any

import pytest

from fathom.reports.views.deepquestion.compare import NOT_ALIKE
from fathom.state.deepquestion.result import DeepQuestionComparison, DeepQuestionResult
from fathom.stats.deepquestion.table import compare_deepquestion

from ...support.edited import edited
from ...support.reports import compared, flat
from ...support.snapshot import assert_snapshot
from .test_tables import RUN


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


@pytest.mark.parametrize("width", [60, 120])
def test_runs_side_by_side(width: int) -> None:
    two = side_by_side(*SIDE[:2], same_texts=False)
    assert_snapshot(f"deepquestion_compare_{width}", compared(two, "deepquestion", width))


@pytest.mark.parametrize("width", [60, 90, 130])
def test_what_is_said_of_runs_side_by_side(width: int) -> None:
    def said(comparison: DeepQuestionComparison) -> str:
        return flat(compared(comparison, "deepquestion", width))

    alike = side_by_side(*SIDE, same_texts=True)
    unlike = said(side_by_side(*SIDE, same_texts=False))
    assert (NOT_ALIKE in unlike, NOT_ALIKE in said(alike)) == (True, False)
    assert "n 3 " in unlike or width == 60
    single = side_by_side(SIDE[0], **{"cells.*.q2s": lambda rows: rows[1:]})
    assert ("no p is corrected" in said(single), "no p is corrected" in said(alike)) == (
        False,
        True,
    )
    assert "SIMULATED" not in said(alike)
    assert not re.search(r"[\d–]…|…[\d–]", said(alike).replace("0 … 100%", ""))
