"""Several targets of DepthQA side by side, what people think of the judge, and how runs end in
words."""

import re
from typing import Any

import pytest

from fathom.reports.page.endings import ended_sentence, ended_words, unit_of
from fathom.state.depthqa.result import DepthQAComparison, DepthQAResult
from fathom.stats.depthqa.table import compare

from ...support.edited import edited
from ...support.reports import changed, compared, events_of, flat, result_of
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


@pytest.mark.parametrize(("width", "tables"), [(40, 7), (80, 3), (140, 3)])
def test_there_are_as_many_tables_as_it_takes(width: int, tables: int) -> None:
    text = compared(side_by_side(RUNS, left_out=2), "depthqa", width)
    assert flat(text).count("Targets side by side, zero-shot") == tables
    assert "1.02–4.97" in text
    assert not re.search(r"[\d–]…|…[\d–]", text.replace("1 … 5", "").replace("0 … 1", ""))
    assert "Only trees that every target has finished count; 2 trees left out." in flat(text)
    assert "SIMULATED" not in text
    assert "answers given" in flat(text)
    if width == 140:
        assert_snapshot("depthqa_compare_140", text)


def test_the_best_of_a_column_is_the_highest_score_and_the_lowest_discrepancy() -> None:
    values: dict[str, Any] = {
        "cells": lambda cells: cells[:2],
        "cells.*.numbers.discrepancies.backward": {},
    }
    values |= {"cells.*.numbers.accuracy.*.ci": None, "cells.0.numbers.accuracy.D1.mean": 3.0041}
    values |= {
        "cells.1.numbers.accuracy.overall.mean": 4.0,
        "cells.0.numbers.accuracy.D3.mean": None,
    }
    values |= {"cells.1.numbers.discrepancies.forward.overall.average": 0.25}
    values |= {"cells.1.numbers.discrepancies.forward.D1 → D2.average": 0.004}
    two = side_by_side(RUNS[:2], **values)
    rows = [line.split() for line in compared(two, "depthqa", 140).splitlines()]
    assert ["target", "D1", "D2", "D3", "all"] in rows
    assert ["target", "D2→D3", "D1→D2", "all"] in rows
    # equal ones, as they are written, are both best; of a single one nobody knows
    assert ["openai:gpt-5", "3.00*", "3.25*", "–", "2.79"] in rows
    assert ["openai:gpt-5", "1.000*", ".000*", ".500"] in rows
    assert ["sim:student", "3.00*", "3.25*", "1.00", "4.00*"] in rows
    assert ["sim:student", "1.000*", ".004", ".250*"] in rows
    assert "* best point" in compared(two, "depthqa", 140)
    alone = compared(side_by_side(RUNS[:1]), "depthqa", 140)
    assert "*" not in alone
    assert "mean scores 1 … 5" in alone


def test_without_edges_there_are_scores_alone() -> None:
    nothing = {
        f"cells.*.numbers.discrepancies.{way}.*.average": None for way in ("forward", "backward")
    }
    for width in (80, 140):
        text = compared(side_by_side(RUNS[:2], **nothing), "depthqa", width)
        assert "forward" not in text
        assert "backward" not in text
        assert "2.79" in text


NO_SCORE, NO_DRAFT = (
    "no answer could be scored",
    "no draft of a transformation prompt was good enough",
)


@pytest.mark.parametrize(
    ("method", "status", "reason", "detail", "said"),
    [
        ("depthqa", "complete", "all_asked", "", "complete: every question was asked"),
        ("given", "complete", "all_asked", "", "complete: every answer was judged"),
        ("given", "failed", "no_questions", "", f"failed: {NO_SCORE}"),
        ("depthqa_build", "complete", "all_asked", "", "complete: every question was broken down"),
        (
            "depthqa_build",
            "complete",
            "no_questions",
            "",
            "no graph: no question could be broken down",
        ),
        ("depthqa_build", "failed", "infrastructure", "", "failed: too many steps failed"),
        ("depthqa", "interrupted", "interrupted", "", "interrupted"),
        ("depthqa", "failed", "no_questions", f"{NO_SCORE}; why.", f"failed: {NO_SCORE} (why)"),
        (
            "depthqa",
            "failed",
            "infrastructure",
            "3 of 4; resume",
            "failed: too many steps failed (3 of 4; resume)",
        ),
        ("deepquestion", "complete", "all_asked", "", "complete: every problem was asked"),
        ("deepquestion", "failed", "no_questions", "", "failed: nothing could be scored"),
        ("deepquestion", "complete", "not_converged", "", f"complete: {NO_DRAFT}"),
    ],
)
def test_how_runs_end_in_words(
    method: str, status: str, reason: str, detail: str, said: str
) -> None:
    given = changed(RUN.spec, target="given:x")
    spec = given if method == "given" else result_of(method).spec
    assert ended_sentence(spec, status, reason, detail) == said
    assert detail or ended_words(spec, status, reason) == said
    assert (unit_of(spec), unit_of(None)) == ("step", "probe")
