"""`plan_specs`: what is printed, in words and as JSON; nobody is asked."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from fathom.commands.plan.drill import plan_specs
from fathom.graphs.run.options import LaunchOptions
from fathom.state.errors import UsageError
from fathom.state.spec import DrillSpec
from fathom.tools.models.priced import PriceList

from ..graphs.drill.test_estimate import real_spec
from ..support.drill.drills import sim_spec


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "130")


def printed(capsys: pytest.CaptureFixture[str], specs: Sequence[DrillSpec], *prices: str, **options: Any) -> str:
    assert plan_specs(specs, LaunchOptions(**options), PriceList.parse(prices), None) == 0
    return " ".join(capsys.readouterr().out.split())


def test_a_simulated_plan_is_labelled_and_free(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, [sim_spec(n=10, max_depth=3, threshold=0.001)])
    assert "Plan of 1 drill: Chemical elements · sim:student · n 10" in text
    assert "no model was called" in text
    assert "SIMULATED" in text
    assert "evaluator sim:evaluator 81 (81–93)" in text
    assert "Calls: 141 (141–162). Cost: USD 0." in text
    assert "Depth: 3 per drill." in text
    assert "general defaults" in text
    assert "With 1 drill per model, differences in EVD below" in text


def test_an_unknown_price_is_unknown_and_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    specs = [real_spec(target="openai:nobody-knows")]
    text = printed(capsys, specs)
    assert "SIMULATED" not in text
    assert "all 1," in text
    assert "Cost: unknown." in text
    assert "--price openai:nobody-knows=IN/OUT" in text
    assert "The other models: USD" in text
    assert "unknown" not in printed(capsys, specs, "1/2")


def test_several_drills_have_a_line_per_role_and_model(capsys: pytest.CaptureFixture[str]) -> None:
    specs = [real_spec(target=t, repeats=3, repeat=i) for t in ("openai:gpt-4o", "ollama:llama3") for i in (1, 2, 3)]
    text = printed(capsys, specs)
    assert "Plan of 6 drills: Chemical elements · openai:gpt-4o, ollama:llama3 · n 30 · 3 repeats" in text
    for line in ("target openai:gpt-4o", "target ollama:llama3", "evaluator openai:gpt-5-mini", "judge openai:gpt-5"):
        assert line in text
    assert "With 3 drills per model" in text
    assert "this uncertainty causes most of the ranges" in text


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"budget_usd": 0.001}, "--budget 0.001 will probably end the drills early"),
        ({"max_calls": 70}, "--max-calls 70 will probably end the drills early: it covers 50% of it"),
        ({"max_calls": 150}, "--max-calls 150 covers what is expected, but not the upper end"),
    ],
)
def test_a_budget_that_may_not_do_is_pointed_out(
    capsys: pytest.CaptureFixture[str], options: dict[str, Any], said: str
) -> None:
    assert said in printed(capsys, [sim_spec(n=10, max_depth=3, threshold=0.001)], "1/1", **options)


def test_a_budget_that_does_is_not_mentioned(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, [sim_spec(n=10, max_depth=3, threshold=0.001)], "1/1", max_calls=200, budget_usd=9.0)
    assert "--max-calls" not in text
    assert "--budget" not in text


def test_a_difference_that_cannot_occur_is_not_promised(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, [sim_spec(n=2, max_depth=2)])
    assert "no possible difference in EVD is detected reliably" in text


def test_a_narrow_screen_keeps_the_numbers(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "72")
    plan_specs([sim_spec(n=10, max_depth=3, threshold=0.001)], LaunchOptions(), PriceList.parse(["1/10"]), None)
    lines = capsys.readouterr().out.splitlines()
    assert max(len(line) for line in lines) <= 72
    assert any("evaluator" in line and "sim:evaluator" in line and " 81 " in line for line in lines)
    assert "…" not in "".join(lines)


def test_names_cannot_act_on_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    plan_specs([real_spec(domain="Evil\x1b[2J")], LaunchOptions(), PriceList(), None)
    assert "\x1b" not in capsys.readouterr().out


def test_json_has_the_same_figures(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    specs = [real_spec(target=t, n=5) for t in ("openai:gpt-4o", "openai:nobody-knows")]
    assert plan_specs(specs, LaunchOptions(), PriceList(), tmp_path, as_json=True) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["method"] == "plan"
    assert [d["target"] for d in document["drills"]] == ["openai:gpt-4o", "openai:nobody-knows"]
    assert document["cost_usd"] is None
    assert document["unknown_prices"] == ["openai:nobody-knows"]
    assert document["known_cost_usd"]["expected"] > 0
    assert document["calls"]["expected"] == pytest.approx(sum(r["calls"]["expected"] for r in document["roles"]))
    assert document["calls"]["low"] <= document["calls"]["expected"] <= document["calls"]["high"]
    assert document["separation"]["repeats_needed"]["1"] > 1
    assert document["basis"] == {"past_runs": 0, "match": [], "unreadable": 0, "evd_sd": "assumed"}


def test_a_price_for_a_stranger_is_refused() -> None:
    with pytest.raises(UsageError, match="openai:gpt-5-nano, which takes no part"):
        plan_specs([sim_spec()], LaunchOptions(), PriceList.parse(["openai:gpt-5-nano=1/2"]), None)
