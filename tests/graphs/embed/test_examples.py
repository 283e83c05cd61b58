"""The example apps run, and decide by what was measured."""

import runpy
from pathlib import Path
from typing import Any

import pytest

from fathom.state.eqt.result import EqtResult

from ...support.paths import EXAMPLES

DRILL, EQT, DEPTHQA, DEEPQUESTION, ROUTER = (
    runpy.run_path(str(EXAMPLES / f"{name}_app.py"), run_name="example")
    for name in ("host", "eqt", "depthqa", "deepquestion", "router")
)


async def test_a_router_takes_the_deeper_model_and_else_the_cheaper(tmp_path: Path) -> None:
    models = {"sim:omniscient": 10.0, "sim:ignorant": 1.0}
    compared = await ROUTER["measured"](
        "Noble gases", models, "sim:evaluator", tmp_path, n=10, max_depth=3
    )
    assert ROUTER["chosen"](compared, models) == "sim:omniscient"
    apart = compared.pairs[0].model_copy(update={"p_adjusted": 0.4})
    alike = compared.model_copy(update={"pairs": (apart,)})
    assert ROUTER["chosen"](alike, models) == "sim:ignorant"


def test_a_web_app_starts_three_drills_at_once_within_one_budget(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    testing = pytest.importorskip("fastapi.testclient", reason="fastapi is not installed")
    monkeypatch.setenv("FATHOM_RUNS", str(tmp_path))
    held = runpy.run_path(str(EXAMPLES / "fastapi_app.py"), run_name="example")
    size = {"probes": 4, "depth": 2}
    with testing.TestClient(held["app"]) as client:
        for domain in ("Noble gases", "Gold", "Neon"):
            asked = {"domain": domain, "model": "sim:student", **size}
            assert client.post("/drills", params=asked).status_code == 202
        bad = client.post(
            "/drills", params={"domain": "Gold", "model": "sim:student", "probes": 0}
        )
        assert (bad.status_code, "n: " in bad.json()["detail"]) == (422, True)
    assert len(list(tmp_path.iterdir())) >= 3


async def test_a_host_with_agents_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    final = await DRILL["run"]("sim:student", "sim:evaluator", n=4, max_depth=2)
    assert final["evidence"][0]["title"] == "Gold"
    assert final["verdict"]["verdict"] == "correct"
    assert [row["scored"] for row in final["result"]["depths"]] == [4, 4]
    assert final["result"]["simulated"]
    assert "drill: depth 2" in capsys.readouterr().out


@pytest.mark.parametrize("target", ["sim:expert", "sim:ignorant"])
async def test_a_model_may_teach_what_it_is_right_about(
    target: str, capsys: pytest.CaptureFixture[str]
) -> None:
    final = await EQT["run"](target, questions=2, options=5, paraphrases=2)
    result = EqtResult.model_validate(final["result"])
    assert [row.concept for row in result.concepts] == ["Gold", "Iodine"]
    accuracy = result.numbers.all.accuracy
    assert accuracy is not None
    assert final["may_teach"] == (accuracy >= 0.8)
    assert "eqt: Gold" in capsys.readouterr().out


ABLE = "sim:accuracy=1,d2=1,d3=0,partial=0"
"""Knows all of depths 1 and 2 and fails at depth 3: there d = (5 - 1)/4 for both questions, at
depth 2 it is 0 for the seven of them."""


@pytest.mark.parametrize(
    ("target", "manner", "average"),
    [
        ("sim:omniscient", "outright", 0),
        ("sim:ignorant", "unknown", None),
        (ABLE, "step by step", 2 / 9),
    ],
)
async def test_a_subject_is_asked_about_by_the_forward_discrepancy(
    target: str, manner: str, average: float | None, capsys: pytest.CaptureFixture[str]
) -> None:
    final = await DEPTHQA["run"](target, "sim:evaluator")
    assert final["manner"] == manner
    assert DEPTHQA["forward"](final)[0] == (
        average if average is None else pytest.approx(average)
    )
    assert final["result"]["simulated"]
    said = capsys.readouterr().out
    assert "build: q1 rests on 4 simpler questions" in said
    assert "ask: q2 D1 " in said


async def test_a_desk_chooses_between_two_models_and_branches_on_the_drop(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Who is always misled is right about every problem and about no scenario with distractors: a
    drop of 1."""
    misled, steady, helpers = (
        "sim:solve=1,mislead=1",
        "sim:solve=1",
        ("sim:evaluator", "sim:generator"),
    )
    final: dict[str, Any] = await DEEPQUESTION["run"](misled, steady, *helpers, few=1)
    assert (final["chosen"]["spec"]["target"], final["manner"]) == (steady, "story")
    lines = [DEEPQUESTION["told"](final[name]) for name in ("result", "other")]
    assert lines[0].startswith(f"{misled} solves 0 of 1 scenarios, drop 1.00 (95% interval ")
    assert lines[1].startswith(f"{steady} solves 1 of 1 scenarios, drop 0.00 (95% interval ")
    assert all(line.endswith(" (simulated)") for line in lines)
    texts = [
        [problem["scenarios"] for problem in final[name]["problems"]]
        for name in ("result", "other")
    ]
    assert texts[0] == texts[1] != [{}]  # the very same
    said = capsys.readouterr().out
    assert "first: draft 3 of the prompt scores 10" in said
    assert "second: chem-" in said
    assert "q2s-many right" in said
    final = await DEEPQUESTION["run"](misled, "sim:solve=0", *helpers, few=1)
    assert final["manner"] == "form"
