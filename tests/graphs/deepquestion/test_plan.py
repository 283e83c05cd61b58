"""The plan of a DeepQuestion: its arithmetic by hand, its words, and against what runs really ask."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fathom.commands.plan.deepquestion import plan_questions
from fathom.graphs.deepquestion.estimate import DeepQuestionPlan, estimate_deepquestion
from fathom.graphs.deepquestion.past import SOLUTION, DeepQuestionPriors, past_deepquestion, read_deepquestion_priors
from fathom.graphs.run.launch import Launch
from fathom.graphs.run.options import LaunchOptions
from fathom.graphs.run.past import StepMeans
from fathom.graphs.run.spread import Spread, fixed
from fathom.reports.views.deepquestion.plan import arithmetic, basis_words
from fathom.sim.deepquestion.problems import stoich_problems
from fathom.sim.server import Timing
from fathom.state.deepquestion.items import Problem, ProblemSet, Transformed
from fathom.state.deepquestion.result import DeepQuestionResult
from fathom.state.errors import UsageError
from fathom.state.events import ItemFinished
from fathom.state.spec import DeepQuestionSpec, WorldSpec
from fathom.tools.models.attempts import Limits
from fathom.tools.models.priced import PriceList
from fathom.tools.runs.folders import read_events

from ...support.command_line import Caller
from ...support.deepquestion.toy import GUIDES, SUMS, QuestionRun

FREE = PriceList()
TOY = ProblemSet(name="sums", problems=SUMS)
CHEMISTRY = ProblemSet(name="chem", problems=tuple(stoich_problems(1, 4)))
WORDS = Problem(id="w1", question="Which sea lies between the sum of 1 and 10 islands?", answer="The Aegean Sea")
GIVEN = (
    Transformed(problem="p2", scenarios={"none": "It carries 2 apples and 20 pears. How many?"}),
    Transformed(problem="p3", instruction="Add two numbers. The final answer is 33."),
)


def spec_of(problems: ProblemSet = TOY, **changes: Any) -> DeepQuestionSpec:
    """Models of a provider, as they would be asked over the network: nobody is."""
    values: dict[str, Any] = {"benchmark": problems.name, "material": problems.digest, "baseline": 0}
    values |= {"problems": len(problems.problems), "given": problems.transformed is not None}
    values |= {"target": "openai:gpt-5-mini"} | dict.fromkeys(("generator", "evaluator", "judge"), "openai:gpt-4o")
    return DeepQuestionSpec.model_validate(values | changes)


def sim_spec(problems: ProblemSet = CHEMISTRY, **changes: Any) -> DeepQuestionSpec:
    roles = {"target": "sim:student", "generator": "sim:generator", "evaluator": "sim:evaluator"}
    return spec_of(problems, **roles | {"judge": "sim:evaluator", "world": WorldSpec()} | changes)


def planned(*specs: DeepQuestionSpec, problems: ProblemSet = TOY, **options: Any) -> DeepQuestionPlan:
    return estimate_deepquestion(specs, problems, options.pop("prices", FREE), options.pop("priors", None), **options)


def test_the_calls_of_a_run_by_hand() -> None:
    """Three problems. Of two kinds 1 to 5 drafts, 2 expected. Of what is written 98 % is checked, of the scenarios 93 %
    solved and 82 % accepted, of the instructions 85 % accepted, of the questions 60 % compared."""
    plan = planned(spec_of(distractors=("none", "some"), baseline=2))
    assert {prompt: calls.mid for prompt, calls in plan.by_prompt.items()} == pytest.approx(
        {
            "prompt_draft": 2,
            "prompt_redraft": 2 * (2 - 1),
            "prompt_score": 2 * 2,
            "solution": 3 + 3 * 0.82 * 2,
            "scenario": 3,
            "scenario_check": 3 * 0.98,
            "distractors": 3,
            "independent_solution": 3 * 0.93 * 2 + 3 * 0.85,
            "instruction": 3,
            "instruction_check": 3 * 0.98,
            "created_question": 3 * 0.85,
            "instruction_met": 3 * 0.85,
            "comparison": 3 * 0.85 * 0.6 * 2 + 2 * 2,
        }
    )
    assert plan.calls.mid == pytest.approx(sum(calls.mid for calls in plan.by_prompt.values()))
    # some replies are asked for a second time; of what follows a step that came to nothing there is less
    assert plan.by_prompt["prompt_draft"] == pytest.approx((2, 2, 1.6 * 2))
    assert plan.by_prompt["distractors"] == pytest.approx((0.75 * 3, 3, 1.6 * 3))
    assert plan.rounds == dict.fromkeys(("q2s", "q2i"), Spread(1, 2, 5))
    assert "distractors" not in planned(spec_of(distractors=("none",))).by_prompt
    assert planned(spec_of(single_pass=True)).by_prompt["prompt_score"].mid == 2
    with pytest.raises(ValueError, match="nothing to plan"):
        planned()


@pytest.mark.parametrize(
    ("problems", "changes"),
    [
        (TOY, {"distractors": ("none", "some", "many"), "baseline": 1}),
        (TOY, {"kinds": ("q2s",), "single_pass": True, "distractors": ("none",)}),
        (TOY, {"kinds": ("q2i",), "rounds": 3}),
        (ProblemSet(name="words", problems=(*SUMS[:1], WORDS)), {"kinds": ("q2s",), "guides": GUIDES}),
        (ProblemSet(name="sums", problems=SUMS, transformed=GIVEN), {"distractors": ("none",), "baseline": 3}),
    ],
    ids=["both", "scenarios", "instructions", "words", "given"],
)
async def test_a_run_asks_as_often_as_the_plan_says(problems: ProblemSet, changes: dict[str, Any]) -> None:
    """Drafts score 5, 7 and 9; everything passes its checks."""
    plan = planned(spec_of(problems, **changes), problems=problems)
    run = QuestionRun(problems=problems.problems, transformed=problems.transformed)
    await run.play(run.spec(**changes))
    asked = {(request.purpose, request.messages) for request in run.model.asked}  # the same twice is one call
    made = Counter(prompt for prompt, _ in asked)
    assert set(made) == set(plan.by_prompt)
    for prompt, calls in plan.by_prompt.items():
        assert calls.low <= made[prompt] <= calls.high, prompt
    assert plan.calls.low <= made.total() <= plan.calls.high


def test_what_was_asked_for_another_target_is_not_asked_again() -> None:
    both = [spec_of(target=name, baseline=2) for name in ("openai:gpt-5-mini", "openai:gpt-4o-mini")]
    one, two = planned(both[0]).by_prompt, planned(*both).by_prompt
    own = {"solution": 2, "created_question": 2, "instruction_met": 2}
    for prompt in set(one) - {"independent_solution", "comparison"}:
        assert two[prompt].mid == pytest.approx(own.get(prompt, 1) * one[prompt].mid), prompt
    # of the scenarios the solutions are shared, of the baseline pairs the comparisons
    assert two["independent_solution"].mid == pytest.approx(3 * 0.93 + 2 * 3 * 0.85)
    assert two["comparison"].mid == pytest.approx(2 * 2 + 2 * 3 * 0.85 * 0.6 * 2)
    assert planned(*both).shared == 1
    assert planned(both[0], both[1].model_copy(update={"seed": 7})).shared == 0


def test_a_simulated_generator_that_mends_nothing_is_known_to_fail() -> None:
    spec = sim_spec(generator="sim:generator,mends=0")
    plan = planned(spec, problems=CHEMISTRY)
    # the second draft is the first one to the letter, so that neither it nor anything behind it is asked for again
    assert plan.by_prompt == dict.fromkeys(("prompt_draft", "prompt_redraft", "prompt_score"), fixed(2))
    assert (plan.left_out, plan.rounds["q2s"]) == (("q2s", "q2i"), fixed(5))
    assert arithmetic([spec], plan) == [
        "Drafts, each of them scored: 5 of the prompt for q2s and 5 of the prompt for q2i."
    ]
    assert planned(spec.model_copy(update={"use_best": True}), problems=CHEMISTRY).left_out == ()


def damage(runs: Path) -> None:
    (max(runs.glob("*/")) / "events.jsonl").write_text("{}\n{}\n")


async def test_a_simulated_launch_asks_what_was_planned(tmp_path: Path) -> None:
    specs = [sim_spec(target=target, baseline=2) for target in ("sim:student", "sim:novice")]
    plan = planned(*specs, problems=CHEMISTRY)
    options = LaunchOptions(runs=tmp_path, problem_sets={CHEMISTRY.digest: CHEMISTRY})
    reports = await Launch[DeepQuestionResult](specs, options).run()
    events = [event for report in reports if report.folder for event in read_events(report.folder)]
    items = [event.item for event in events if isinstance(event, ItemFinished)]
    calls = [call for item in items for call in item.calls if not call.cached]
    made = Counter(call.purpose for call in calls)
    loose = {"comparison", "independent_solution", "instruction_met"}  # what is compared, and what is written twice
    assert set(made) == set(plan.by_prompt)
    for prompt, number in plan.by_prompt.items():
        assert number.low <= made[prompt] <= number.high
        assert prompt in loose or number == fixed(made[prompt]), prompt
    for tokens in ("input_tokens", "output_tokens"):
        spent = sum(getattr(call.usage, tokens) for call in calls)
        assert getattr(plan, tokens).low <= spent <= getattr(plan, tokens).high
    past = read_deepquestion_priors(tmp_path)
    assert (len(past.runs), past.unreadable, past.runs[0].rounds) == (2, 0, {"q2s": 3, "q2i": 3})
    learnt = planned(*specs, problems=CHEMISTRY, priors=past)
    assert learnt.past_runs == 2
    assert learnt.learnt == {"sim:generator": 2, "sim:evaluator": 2, "sim:student": 1, "sim:novice": 1}
    writer = next(role for role in learnt.roles if role.role == "generator")
    spent = sum(call.usage.output_tokens for call in calls if call.role == "generator")
    assert writer.output_tokens.mid == pytest.approx(spent, rel=0.01)
    damage(tmp_path)
    assert read_deepquestion_priors(tmp_path).unreadable == 1


async def test_past_runs_tell_how_many_drafts_it_takes_and_what_passes() -> None:
    run = QuestionRun()
    await run.play()
    told = past_deepquestion(iter(run.events))
    assert told is not None
    assert told.rounds == {"q2s": 3, "q2i": 3}
    assert told.passed == dict.fromkeys(told.passed, (3, 3))
    assert len(told.passed) == 6
    assert told.lengths["distractor"] == len("The stall is 71 years old.")
    means = StepMeans(items=6, calls=9, per_character=0.5, input_tokens=200.0, output_tokens=77.0, seconds=9.0)
    past = replace(told, spec=spec_of(), steps={SOLUTION: means})
    plan, bare = planned(spec_of(), priors=DeepQuestionPriors([past])), planned(spec_of())
    assert plan.rounds["q2s"] == Spread(1, 3, 5)
    # three of three: Wilson's 95 % interval begins at 3/(3 + z²), z² = 3.8415
    assert plan.by_prompt["created_question"] == pytest.approx((0.75 * 3 * 3 / 6.8415, 3, 1.6 * 3), rel=1e-4)
    # six solutions took nine calls: at most a tenth more than that
    assert plan.by_prompt["solution"].high == pytest.approx((3 + 3) * 1.5 * 1.1)
    target = plan.roles[0]
    assert target.output_tokens.mid == pytest.approx(6 * 77 + 3 * told.lengths["created"] / 4)
    assert plan.learnt == {"openai:gpt-4o": 0, "openai:gpt-5-mini": 1}
    others: dict[str, Any] = dict.fromkeys(("target", "generator", "evaluator", "judge"), "openai:a")
    stranger = replace(past, spec=spec_of(**others))
    assert planned(spec_of(), priors=DeepQuestionPriors([stranger])).roles == bare.roles


async def test_the_time_is_that_of_calls_that_follow_each_other() -> None:
    """Three rounds of draft and score; instruction, its check, question, solution, comparison."""
    plan = planned(sim_spec(), problems=CHEMISTRY, timing=Timing(latency_s=1.0), limits=Limits(max_connections=50))
    assert plan.wall_s == fixed(3 * 2 + 5)
    rounds: list[int] = []
    while len(rounds) < 5 and 3 * 2 + 5 not in rounds:  # a thread that a busy machine keeps waiting adds one
        run = QuestionRun()
        await run.play()
        rounds.append(run.model.rounds)
    assert min(rounds) == 3 * 2 + 5


def test_the_words_of_a_plan_and_its_document(capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    monkeypatch.setenv("COLUMNS", "140")
    problems = ProblemSet(name="both\x1b[2J", problems=(*SUMS, WORDS))
    specs = [spec_of(problems, target=name, baseline=2) for name in ("openai:x", "openai:y")]
    assert plan_questions(specs, problems, LaunchOptions(budget_usd=0.001), PriceList.parse(["1/2"]), None) == 0
    text = capsys.readouterr().out
    assert "\x1b" not in text
    said = " ".join(text.split())
    for part in (
        "Plan of 2 runs: both",
        "no model was called",
        "Drafts, each of them scored: 1–5 of the prompt for q2s and 1–5 of the prompt for q2i.",
        "Q2S: 4 scenarios, each with a check, 2 distractors and an independent solution at each load (some); those that"
        " pass (1–4) are solved by the target at each load.",
        "Q2I: 4 instructions, each with a check; by those that pass (2–4) the target writes a question",
        "Baseline: 2 pairs of originals, compared in both orders.",
        "1 problem has an answer in words, which the judge compares.",
        "1 run shares drafts, texts and their checks with an earlier one",
        "Where no draft reaches 8/10, nothing is written for that kind.",
        "--budget 0.001 will probably end the runs early",
    ):
        assert part in said, part
    assert "SIMULATED" not in said
    assert plan_questions(specs, problems, LaunchOptions(), FREE, None, as_json=True) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["cost_usd"], document["unknown_prices"]) == (None, ["openai:x", "openai:y"])
    by_prompt = sum(calls["expected"] for calls in document["calls_by_prompt"].values())
    assert document["calls"]["expected"] == pytest.approx(by_prompt)
    assert document["benchmark"]["answers_in_words"] == 1
    given = ProblemSet(name="sums", problems=SUMS, transformed=GIVEN)
    spec = spec_of(given, distractors=("none",))
    plan = planned(spec, problems=given)
    assert arithmetic([spec], plan)[1:] == [
        "Q2S: 1 given scenario, solved by the target at each load (none).",
        "Q2I: 1 given instruction; by each the target writes a question, which is solved, checked and, if its answer is"
        " right, compared twice.",
    ]
    assert "beforehand" not in basis_words(spec, plan)
    with pytest.raises(UsageError, match="openai:gpt-5-nano, which takes no part"):
        plan_questions([spec], given, LaunchOptions(), PriceList.parse(["openai:gpt-5-nano=1/2"]), None)


def test_the_command_takes_what_the_real_one_takes_and_asks_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    call = Caller(tmp_path, monkeypatch, capsys)
    rows = [json.dumps(problem.model_dump(mode="json")) for problem in CHEMISTRY.problems]
    (tmp_path / "chem.jsonl").write_text("\n".join(rows))
    words = ["chem.jsonl", "-t", "sim:student", "-e", "sim:evaluator", "--kinds", "q2s", "--distractors", "none,many"]
    said = call("plan", "deepquestion", *words, "--json")
    assert said.code == 0, said.err
    document = json.loads(said.out)
    # 3 drafts and scores; 4 originals; 4 scenarios with check, distractors, 2 independent solutions and 2 by the target
    assert document["calls"] == {"low": 38.0, "expected": 38.0, "high": 38.0}
    assert document["simulated"] is True
    assert [path.name for path in tmp_path.iterdir()] == ["chem.jsonl"]
    real, shown = (call(*command, "deepquestion", "--help").out.split("Examples:")[0] for command in ([], ["plan"]))
    assert real.partition("Arguments:")[2].strip() == shown.partition("Arguments:")[2].strip() != ""
