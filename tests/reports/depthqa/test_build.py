"""What is told of building a DepthQA graph where it differs from the recorded ones."""

from pathlib import Path
from typing import Any

import pytest

from fathom.reports.views.depthqa.building.summary import REASONS
from fathom.state.depthqa.build import DepthQABuildResult

from ...support.edited import edited
from ...support.reports import launched, printed, result_of

BUILT: DepthQABuildResult = result_of("depthqa_build")
FAULTS: DepthQABuildResult = result_of("depthqa_build", "faults")
NO_GRAPH: dict[str, Any] = {"graph": None, "relations": [], "checks": []}
REMOVED = [
    {
        "node": f"n{n}",
        "depth": 1,
        "question": "Q?",
        "reason": reason,
        "like": "x",
        "like_question": "L?",
    }
    | {"similarity": None if reason == "orphan" else 0.9}
    for n, reason in enumerate([*REASONS, *REASONS])
]


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (
            {},
            (
                "2 trees from 2 questions: 14 nodes with 14 questions, 12 edges · 1 removed, 1 "
                "augmented, 1 rewritten"
            ),
        ),
        ({"removed.0.reason": "merged", "augmented": [], "rewritten": []}, "12 edges · 1 merged"),
        ({"removed": [], "augmented": [], "rewritten": []}, "14 questions, 12 edges\nSimilarity"),
        (
            {"graph.nodes.3.question": BUILT.spec.questions[0].question},
            "14 nodes with 13 questions, 12 edges",
        ),
        (NO_GRAPH, "no graph could be built from 2 questions"),
        (
            {
                "status": "failed",
                "stop_reason": "no_questions",
                "stop_detail": "no question could be broken down; unreachable",
            },
            "Failed: no question could be broken down (unreachable).",
        ),
        (
            {"similarity": "openai:embed"},
            "\nSimilarity was measured by the embeddings of openai:embed.\n",
        ),
        ({"unfilled": 1}, "\n1 gap could not be filled.\n"),
        ({"unfilled": 2}, "\n2 gaps could not be filled.\n"),
        ({"notes": ["Resumed by force."]}, "are found.\nResumed by force.\n"),
        *(({"removed": REMOVED}, f"\n2  {words}") for words in REASONS.values()),
        (
            {"relations.1.unrated": 1, "relations.1.relations": 5},
            "not rated, for a fault: 1 of 5 D2 → D1\n",
        ),
        ({"relations.0.comprehensive": {}}, "comprehensive                0  –      2  50\n"),
        (
            {"relations.1.implicit": {"implicit": 7, "revealing": 1}},
            "gives its successor away      0    0      1  12.5\n",
        ),
        ({"checks.0.comprehensive": "partial", "checks.0.missing": " "}, "\nspreader partial\n"),
        (
            {"checks.0.implicit": {"spreader.1": "revealing", "spreader.2": "revealing"}},
            "\nspreader is given away by spreader.1, spreader.2\n",
        ),
    ],
)
def test_what_is_said_under_which_condition(values: dict[str, Any], said: str) -> None:
    assert said in printed(edited(BUILT, values), 120)
    assert not values or said not in printed(BUILT, 120)


def test_what_there_is_none_of_is_left_out() -> None:
    bare = printed(edited(BUILT, {"relations": [], "checks": [], "removed": []}))
    for words in ("Relations", "What was taken out"):
        assert words not in bare
        assert words in printed(BUILT)
    assert "next:" not in printed(BUILT)
    assert "next:" not in printed(edited(BUILT, NO_GRAPH), kept=Path("runs/here"))


@pytest.mark.parametrize("width", [40, 200])
def test_what_is_to_be_copied_is_never_broken(width: int) -> None:
    lines = [
        line.rstrip() for line in launched([FAULTS], width, kept=Path("runs/some run")).splitlines()
    ]
    assert (
        "next: fathom depthqa ask 'runs/some run/graph.json' --target PROVIDER:MODEL --judge "
        "PROVIDER:MODEL"
    ) in lines
    assert "the graph is runs/some run/graph.json" in lines


def test_what_was_done_is_counted_by_depth() -> None:
    rows = [line.split() for line in printed(edited(BUILT, {"removed": REMOVED})).splitlines()]
    # 10 reasons twice, one of them a merger; spreader.1.2 is of depth 1, as is coolant.1.a1
    assert ["D1", "8", "1", "1", "18", "2"] in rows
    assert ["D2", "4", "0", "0", "0", "0"] in rows
    assert ["D3", "2", "0", "0", "0", "0"] in rows
