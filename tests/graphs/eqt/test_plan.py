"""The plan of Explain-Query-Tests: its arithmetic by hand, its words, and against what a launch really asks."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from fathom.commands.plan.eqt import plan_eqt_specs
from fathom.graphs.eqt.estimate import EqtPlan, estimate_eqt
from fathom.graphs.eqt.priors import read_eqt_priors
from fathom.graphs.run.launch import Launch
from fathom.graphs.run.options import LaunchOptions
from fathom.graphs.run.spread import Spread, fixed, total
from fathom.sim.server import Timing
from fathom.state.eqt.result import EqtResult
from fathom.state.errors import UsageError
from fathom.state.spec import Concept, EqtSpec, FaultRates, WorldSpec
from fathom.tools.models.attempts import Limits
from fathom.tools.models.priced import PriceList

from ...support.command_line import Caller

FREE = PriceList()


def eqt_spec(**changes: Any) -> EqtSpec:
    """Two concepts, all simulated."""
    target = changes.get("target", "sim:student")
    examiner = changes.get("examiner", target)
    values: dict[str, Any] = {
        "concepts": (Concept(name="Entropy"), Concept(name="Tort")),
        "target": target,
        "examiner": examiner,
        "judge": examiner,
        "world": WorldSpec(),
    }
    return EqtSpec.model_validate(values | changes)


def real_spec(**changes: Any) -> EqtSpec:
    """Models of a provider, as they would be asked over the network: nobody is."""
    return eqt_spec(**{"target": "openai:gpt-5-mini", "world": None} | changes)


def calls(plan: EqtPlan, role: str) -> Spread:
    return total(row.calls for row in plan.roles if row.role == role)


@pytest.mark.parametrize(
    ("changes", "target", "examiner", "judge"),
    [
        # two concepts: 2·(1 + q + q·k) written, 2·q·(k + 1) answered
        ({}, 2 * 5 * 4, 2 * (1 + 5 + 15), 0),
        ({"questions": 3, "paraphrases": 0}, 2 * 3, 2 * (1 + 3), 0),
        ({"questions": 2, "paraphrases": 1, "open_book": True}, 2 * (4 + 2), 2 * (1 + 2 + 2), 0),
        ({"questions": 2, "paraphrases": 2, "verify_paraphrases": True}, 2 * 6, 2 * (1 + 2 + 4), 2 * 4),
        ({"questions": 1, "paraphrases": 0, "verify_paraphrases": True}, 2, 4, 0),
    ],
)
def test_the_calls_of_a_run_by_hand(changes: dict[str, Any], target: int, examiner: int, judge: int) -> None:
    plan = estimate_eqt([eqt_spec(**changes)], FREE)
    assert calls(plan, "target") == fixed(target)
    assert calls(plan, "examiner") == fixed(examiner)
    assert calls(plan, "judge") == fixed(judge)
    assert plan.calls == fixed(target + examiner + judge)
    assert [row.role for row in plan.roles] == ["target", "examiner"] + ["judge"] * (judge > 0)


def test_attributions_are_as_many_as_there_are_wrong_answers_at_most_n() -> None:
    few, many = (estimate_eqt([eqt_spec(attribute=n)], FREE) for n in (5, 1000))
    assert calls(few, "judge") == Spread(0, 5, 5)
    assert calls(many, "judge") == Spread(0, 16, 40)  # of 40 answers: none, two fifths, all


def test_what_may_be_dropped_or_written_twice_is_in_the_range_of_real_models_and_of_a_world_with_faults() -> None:
    faulty = eqt_spec(world=WorldSpec(faults=FaultRates(malformed=0.1)))
    for spec in (real_spec(), faulty, eqt_spec(examiner="openai:gpt-5")):
        plan = estimate_eqt([spec], FREE)
        assert plan.calls.mid == 82
        assert plan.calls.low < 82 < plan.calls.high


def test_one_examiner_writes_once_for_all_targets() -> None:
    both = [eqt_spec(target=t, examiner="sim:expert", judge="sim:expert") for t in ("sim:student", "sim:novice")]
    plan = estimate_eqt(both, FREE)
    assert calls(plan, "examiner") == fixed(42)
    assert calls(plan, "target") == fixed(80)
    assert plan.shared == 1
    apart = [spec.model_copy(update={"seed": 40 + place}) for place, spec in enumerate(both)]
    assert calls(estimate_eqt(apart, FREE), "examiner") == fixed(84)


def test_a_judge_checks_once_for_all_targets_and_another_one_again() -> None:
    first, second = (
        eqt_spec(target=t, examiner="sim:expert", judge="sim:graduate", verify_paraphrases=True)
        for t in ("sim:student", "sim:novice")
    )
    assert calls(estimate_eqt([first, second], FREE), "judge") == fixed(30)
    other = second.model_copy(update={"judge": "sim:omniscient"})
    assert calls(estimate_eqt([first, other], FREE), "judge") == fixed(60)


def test_cost_is_tokens_by_price_and_an_unknown_price_is_unknown() -> None:
    spec = real_spec(target="openai:nobody-knows", examiner="openai:gpt-4o", judge="openai:gpt-4o")
    plan = estimate_eqt([spec], FREE)
    assert plan.usd is None
    assert plan.unknown == ("openai:nobody-knows",)
    assert plan.known_usd.mid > 0
    priced = estimate_eqt([spec], PriceList.parse(["openai:nobody-knows=2/10"]))
    (target,) = (row for row in priced.roles if row.role == "target")
    assert target.usd is not None
    for usd, into, out in zip(target.usd, target.input_tokens, target.output_tokens, strict=True):
        assert usd == pytest.approx((2 * into + 10 * out) / 1e6)
    assert priced.usd is not None
    assert priced.usd.mid == pytest.approx(priced.known_usd.mid)


def test_more_options_and_an_open_book_mean_more_tokens() -> None:
    few, many = (estimate_eqt([real_spec(options=o)], FREE) for o in (4, 20))
    assert few.input_tokens.mid < many.input_tokens.mid
    assert few.output_tokens.mid < many.output_tokens.mid
    closed, opened = (estimate_eqt([real_spec(open_book=b)], FREE) for b in (False, True))
    per_call = [calls_in.input_tokens.mid / calls_in.calls.mid for calls_in in (closed.roles[0], opened.roles[0])]
    assert per_call[1] > per_call[0] + 100  # a sixth of the calls brings the explanation along


def test_the_time_is_the_longer_of_the_way_and_the_busiest_endpoint() -> None:
    spec, timing = eqt_spec(), Timing(latency_s=1.0)
    wide = estimate_eqt([spec], FREE, limits=Limits(max_connections=200), timing=timing)
    assert wide.wall_s == fixed(4.0)  # explanation, question, paraphrase, answer
    checked = eqt_spec(verify_paraphrases=True, attribute=1)
    assert estimate_eqt([checked], FREE, timing=timing).wall_s == fixed(6.0)
    narrow = estimate_eqt(
        [spec, spec.model_copy(update={"seed": 7})], FREE, limits=Limits(max_connections=4), timing=timing
    )
    assert narrow.wall_s == fixed(2 * 82 / 4)


def test_nothing_to_plan() -> None:
    with pytest.raises(ValueError, match="nothing to plan"):
        estimate_eqt([], FREE)


def printed(capsys: pytest.CaptureFixture[str], specs: Sequence[EqtSpec], *prices: str, **options: Any) -> str:
    assert plan_eqt_specs(specs, LaunchOptions(**options), PriceList.parse(prices), None) == 0
    return " ".join(capsys.readouterr().out.split())


@pytest.fixture(autouse=True)
def _wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "140")


def test_a_simulated_plan_is_labelled_and_says_where_its_calls_come_from(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, [eqt_spec(open_book=True, verify_paraphrases=True, attribute=3)])
    assert "Plan of 1 run: Entropy, Tort · sim:student" in text
    assert "no model was called" in text
    assert "SIMULATED" in text
    assert "Per concept: 1 explanation, 5 questions, 15 paraphrases, 15 checks, 20 answers, 5 more" in text
    assert "Per run up to 3 attributions" in text
    assert "target sim:student 50 " in text
    assert "examiner sim:student 42 " in text
    assert "judge sim:student 33 (30–33)" in text
    assert "Calls: 125 (122–125). Cost: USD 0." in text
    assert "assumptions" in text


def test_a_plan_of_real_models(capsys: pytest.CaptureFixture[str]) -> None:
    specs = [real_spec(target=t, examiner="openai:gpt-4o", judge="openai:gpt-4o") for t in ("openai:x", "openai:y")]
    text = printed(capsys, specs)
    assert "SIMULATED" not in text
    assert "Cost: unknown." in text
    assert "The price of openai:x, openai:y is unknown" in text
    assert "--price openai:x=IN/OUT" in text
    assert "The other models: USD" in text
    assert "1 run shares" in text
    cheap = printed(capsys, specs, "1/2", budget_usd=0.001, max_calls=125)
    assert "--budget 0.001 will probably end the runs early" in cheap
    assert "--max-calls 125 covers what is expected, but not the upper end" in cheap
    assert "unknown" not in cheap


def test_a_narrow_screen_keeps_the_numbers(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "72")
    plan_eqt_specs([real_spec()], LaunchOptions(), PriceList.parse(["1/10"]), None)
    lines = capsys.readouterr().out.splitlines()
    assert max(len(line) for line in lines) <= 72
    assert any("examiner" in line and " 42 " in line for line in lines)
    assert "…" not in "".join(lines)


def test_names_cannot_act_on_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    plan_eqt_specs([real_spec(concepts=(Concept(name="Evil\x1b[2J"),))], LaunchOptions(), PriceList(), None)
    assert "\x1b" not in capsys.readouterr().out


def test_json_has_the_same_figures(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    specs = [real_spec(target=t) for t in ("openai:gpt-4o", "openai:nobody-knows")]
    assert plan_eqt_specs(specs, LaunchOptions(), PriceList(), tmp_path, as_json=True) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["method"] == "plan"
    assert [(run["target"], run["concepts"]) for run in document["runs"]] == [(spec.target, 2) for spec in specs]
    assert document["cost_usd"] is None
    assert document["unknown_prices"] == ["openai:nobody-knows"]
    assert document["calls"]["expected"] == 164
    assert document["calls"]["expected"] == pytest.approx(sum(r["calls"]["expected"] for r in document["roles"]))
    none = {"openai:gpt-4o": 0, "openai:nobody-knows": 0}
    assert document["basis"] == {"past_runs": 0, "past_runs_of": none, "unreadable": 0, "shared_runs": 0}


def test_a_price_for_a_stranger_is_refused() -> None:
    with pytest.raises(UsageError, match="openai:gpt-5-nano, which takes no part"):
        plan_eqt_specs([eqt_spec()], LaunchOptions(), PriceList.parse(["openai:gpt-5-nano=1/2"]), None)


@pytest.mark.parametrize(
    "specs",
    [
        [eqt_spec(questions=2, options=5, paraphrases=2)],
        [eqt_spec(questions=2, options=10, paraphrases=1, open_book=True, verify_paraphrases=True)],
        [
            eqt_spec(target=target, examiner="sim:expert", questions=2, options=4, paraphrases=1)
            for target in ("sim:student", "sim:novice")
        ],
    ],
    ids=["plain", "all", "one examiner"],
)
async def test_a_simulated_launch_asks_what_was_planned(specs: list[EqtSpec], tmp_path: Path) -> None:
    plan = estimate_eqt(specs, FREE)
    reports = await Launch[EqtResult](specs, LaunchOptions(runs=tmp_path)).run()
    used = [role for report in reports if report.result for role in report.result.usage.values()]
    assert plan.calls == fixed(sum(role.calls - role.cached for role in used))
    assert plan.input_tokens.low <= sum(role.input_tokens for role in used) <= plan.input_tokens.high
    assert plan.output_tokens.low <= sum(role.output_tokens for role in used) <= plan.output_tokens.high
    past = read_eqt_priors(tmp_path)
    assert (len(past.runs), past.unreadable) == (len(specs), 0)
    assert past.runs[0].concepts == 2
    (tmp_path / past_name(tmp_path) / "events.jsonl").write_text("{}\n{}\n")
    assert read_eqt_priors(tmp_path).unreadable == 1


def past_name(runs: Path) -> str:
    return max(path.name for path in runs.iterdir() if path.is_dir())


def test_the_command_takes_what_the_real_one_takes_and_asks_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    call = Caller(tmp_path, monkeypatch, capsys)
    words = ["Entropy", "entropy", "-t", "sim:student", "--questions", "2", "--paraphrases", "1", "--options", "4"]
    said = call("plan", "eqt", *words, "--attribute", "2", "--json")
    assert said.code == 0, said.err
    assert "will be asked about once" in said.err
    assert "The judge sim:student checks its own explanations, questions, answers" in said.err
    assert json.loads(said.out)["calls"] == {"low": 9.0, "expected": 10.6, "high": 11.0}
    assert list(tmp_path.iterdir()) == []
    flags = {word.strip(",") for word in call("eqt", "--help").out.split() if word.startswith("--")}
    planned = {word.strip(",") for word in call("plan", "eqt", "--help").out.split() if word.startswith("--")}
    assert {flag for flag in flags if flag not in planned} == set()
