"""`fathom plan` for every method: its numbers hold what a run then takes, past runs sharpen them,
nobody is asked."""

import json
from pathlib import Path
from typing import Any

import pytest

from fathom.tools.files.question_graph import write_graph

from ..support.command_line import Caller, Said
from ..support.depthqa.elements import graph_of
from ..support.depthqa.toy import TWO_TREES
from ..support.killed import questions

pytestmark = pytest.mark.xdist_group("plans")
SIM = ["--target", "sim:student"]
ELEMENTS = graph_of(1, 1)
ASK = ["depthqa", "ask", "toy.json", "--judge", "sim:evaluator", *SIM]
QUESTIONS = [
    "deepquestion",
    "benchmark.jsonl",
    "--generator",
    "sim:generator",
    "-e",
    "sim:evaluator",
]
WORDS: dict[str, list[str]] = {
    "drill": [
        "drill",
        "Chemical elements",
        *SIM,
        "-e",
        "sim:evaluator",
        "-n",
        "6",
        "--max-depth",
        "3",
    ],
    "eqt": [
        "eqt",
        "Iron",
        "Neon",
        *SIM,
        "--questions",
        "2",
        "--paraphrases",
        "1",
        "--attribute",
        "2",
        "--open-book",
    ],
    "depthqa ask": ["depthqa", "ask", "elements.json", *ASK[3:]],
    "depthqa build": ["depthqa", "build", "questions.txt", "-e", "sim:evaluator"],
    "deepquestion": [*QUESTIONS, *SIM, "--baseline", "2"],
}
by_command = pytest.mark.parametrize("command", WORDS)
EXACT = ("depthqa ask",)
"""What a plan tells to the call, and not as a range."""


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Caller:
    caller = Caller(tmp_path, monkeypatch, capsys)
    write_graph(TWO_TREES, tmp_path / "toy.json")
    write_graph(ELEMENTS, tmp_path / "elements.json")
    (tmp_path / "questions.txt").write_text("Which is denser, iron or neon, and why?\n")
    questions(tmp_path, 3)
    return caller


def plan(call: Caller, *words: str) -> Any:
    said = call("plan", *words, "--json")
    assert said.code == 0, said.err
    return json.loads(said.out)


def ends(figure: dict[str, float]) -> tuple[float, float, float]:
    return figure["low"], figure["expected"], figure["high"]


def shown(said: Said) -> str:
    assert said.code == 0, said.err
    return " ".join(said.out.split())


@by_command
def test_a_plan_holds_what_the_run_then_takes_and_past_runs_sharpen_it(
    command: str, call: Caller
) -> None:
    before = plan(call, *WORDS[command])
    assert not (call.folder / "runs").exists()
    assert (before["basis"]["past_runs"], before["simulated"]) == (0, True)
    assert call(*WORDS[command], "--display", "none").code == 0
    (result,) = (json.loads(path.read_text()) for path in Path("runs").glob("*/result.json"))
    usage = result["usage"].values()
    made = sum(role["calls"] - role["cached"] for role in usage)
    assert before["calls"]["low"] <= made <= before["calls"]["high"]
    assert command not in EXACT or before["calls"]["expected"] == made
    for tokens in ("input_tokens", "output_tokens"):
        spent = sum(role[tokens] for role in usage)
        assert before[tokens]["low"] <= spent <= before[tokens]["high"], tokens
    after = plan(call, *WORDS[command])
    assert after["basis"]["past_runs"] == 1
    for figure in ("calls", "output_tokens"):
        width = [told[figure]["high"] - told[figure]["low"] for told in (before, after)]
        assert width[1] <= width[0], figure
        total = made if figure == "calls" else sum(role[figure] for role in usage)
        # what one question is taken apart into differs more from question to question
        off = 0.35 if command == "depthqa build" else 0.2
        assert after[figure]["expected"] == pytest.approx(total, rel=off), figure
    (journal,) = Path("runs").glob("*/events.jsonl")
    journal.write_text("{}\n{}\n")
    assert plan(call, *WORDS[command])["basis"]["unreadable"] == 1


@by_command
def test_a_price_that_is_unknown_is_said_and_one_that_is_given_is_reckoned_with(
    command: str, call: Caller
) -> None:
    asked = "sim:evaluator" if command == "depthqa build" else "sim:student"
    words = [
        word.replace(asked, "openai:nobody").replace("sim:", "openai:gpt-4o@")
        for word in WORDS[command]
    ]
    words = [word.partition("@")[0] for word in words]
    document = plan(call, *words)
    (first, *_) = unknown = document["unknown_prices"]
    assert document["cost_usd"] is None
    said = shown(call("plan", *words))
    assert "Cost: unknown." in said
    assert f"--price {first}=IN/OUT" in said
    both = plan(
        call, *words, *(word for model in unknown for word in ("--price", f"{model}=2/10"))
    )
    assert both["unknown_prices"] == []
    own = [role for role in both["roles"] if role["model"] in unknown]
    for role in own:
        tokens = 2 * role["input_tokens"]["expected"] + 10 * role["output_tokens"]["expected"]
        assert role["cost_usd"]["expected"] == pytest.approx(tokens / 1e6)
    paid = sum(role["cost_usd"]["expected"] for role in own)
    known = [role for role in document["roles"] if role["cost_usd"] is not None]
    paid += sum(role["cost_usd"]["expected"] for role in known)
    assert both["cost_usd"]["expected"] == pytest.approx(paid)
    cost = both["cost_usd"]
    assert cost["low"] < cost["expected"] < cost["nine_in_ten"] < cost["high"]
    by_prompt = sum(calls["expected"] for calls in both["calls_by_prompt"].values())
    assert both["calls"]["expected"] == pytest.approx(by_prompt)
    refused = call("plan", *words, "--price", "openai:gpt-5-nano=1/2")
    assert refused.code == 2
    assert "openai:gpt-5-nano, which is not a model of this run" in refused.err


@by_command
def test_a_budget_that_may_not_do_is_pointed_out(command: str, call: Caller) -> None:
    calls = plan(call, *WORDS[command])["calls"]
    few = shown(call("plan", *WORDS[command], "--max-calls", str(int(calls["expected"] / 2))))
    assert "early: it covers" in few
    if calls["nine_in_ten"] > int(calls["expected"]) + 1:
        some = shown(
            call("plan", *WORDS[command], "--max-calls", str(int(calls["expected"]) + 1))
        )
        assert "covers what is expected, but not what 9 launches of 10 need" in some
    enough = [
        *WORDS[command],
        "--price",
        "1/1",
        "--budget",
        "100",
        "--max-calls",
        str(int(calls["high"]) + 1),
    ]
    assert "--max-calls" not in shown(call("plan", *enough))
    dear = shown(call("plan", *WORDS[command], "--price", "1/1", "--budget", "0.0001"))
    assert "--budget 0.0001 will probably end the" in dear


@by_command
def test_it_takes_what_the_real_command_takes_and_refuses_what_that_refuses(
    command: str, call: Caller
) -> None:
    real, planned = (call(*first, *command.split(), "--help").out for first in ([], ["plan"]))
    options = [
        text.split("Examples:")[0].partition("Arguments")[2].strip() for text in (real, planned)
    ]
    assert options[0] == options[1] != ""
    said, refused = (call(*first, *WORDS[command], "--price", "x") for first in ([], ["plan"]))
    assert (said.code, refused.code) == (2, 2)
    assert refused.err.splitlines()[-1] == said.err.splitlines()[-1] != ""
    assert not (call.folder / "runs").exists()


def test_of_a_graph_what_is_asked_twice_in_the_same_words_is_asked_once(call: Caller) -> None:
    modes = [*ASK, "--mode", "zero-shot,multi-turn"]
    document = plan(call, *modes)
    # the conversations begin with b1, a1, a2, e: asked and rated before
    assert document["basis"]["repeated_calls"] == 8
    assert document["calls"]["expected"] == 2 * (8 + 10) - 8


def test_how_deep_a_drill_goes_and_what_it_tells_apart(call: Caller) -> None:
    words = ["drill", "Chemical elements", *SIM, "-e", "sim:evaluator"]
    usual = plan(call, *words)
    assert ends(usual["depths"]) == (1, 10, 15)  # .85^9 = .23, .85^10 = .197
    assert usual["basis"]["evd_sd"] == "assumed"
    assert usual["separation"]["repeats_needed"]["1"] > 1
    said = shown(call("plan", *words))
    assert "With 1 drill per model, differences in EVD below" in said
    real = ["drill", "Chemistry", "-t", "openai:a", "-e", "openai:b", "--threshold", "0.0001"]
    assert ends(plan(call, *real)["depths"]) == (5, 6, 6)  # TEXTBOOK is the last with a source
    many = plan(call, *words, "--repeats", "5")
    assert len(many["runs"]) == 5
    assert (
        many["separation"]["smallest_difference"] < usual["separation"]["smallest_difference"]
    )
    assert call(*words, "-n", "3", "--display", "none").code == 0
    learnt = plan(call, *words, "-n", "3")
    (result,) = (json.loads(path.read_text()) for path in Path("runs").glob("*/result.json"))
    assert learnt["depths"]["expected"] == len(result["depths"])
    assert learnt["basis"]["evd_sd"] == "past runs"
    assert learnt["separation"]["evd_sd"] == pytest.approx(result["evd_se"])
    both = plan(
        call, *words, "-n", "3", "-t", "sim:expert"
    )  # the spreads of both targets, whichever comes first
    assert both["basis"]["evd_sd"] == "assumed"
    assert both["separation"]["evd_sd"] != pytest.approx(result["evd_se"])


def test_the_time_is_the_longest_of_the_chain_the_busiest_endpoint_and_the_rate(
    call: Caller,
) -> None:
    words = [
        "eqt",
        "Iron",
        "Neon",
        *SIM,
        "--questions",
        "5",
        "--paraphrases",
        "3",
        "--sim",
        "latency=1",
    ]
    assert (
        plan(call, *words)["wall_s"]["expected"] == 4
    )  # explanation, question, paraphrase, answer
    assert plan(call, *words, "--max-connections", "2")["wall_s"]["expected"] == 86 / 2
    # 1 explanation, 5 questions, 15 paraphrases and 20 answers per concept, and in 2 of 20 the
    # judge reads the answer: 86 calls, 5 of them a
    # minute
    assert plan(call, *words, "--rate", "5")["wall_s"]["expected"] == pytest.approx(86 * 60 / 5)
    tokens = sum(
        plan(call, *words)[figure]["expected"] for figure in ("input_tokens", "output_tokens")
    )
    slow = plan(call, *words, "--rate", "9999", "--rate", "sim:student=6000/100")
    assert slow["wall_s"]["expected"] == pytest.approx(tokens * 60 / 100)
    talk = [*ASK, "--mode", "multi-turn", "--sim", "latency=1"]
    assert plan(call, *talk)["wall_s"]["expected"] == 4  # three turns and a rating


@by_command
def test_names_cannot_act_on_a_terminal(command: str, call: Caller) -> None:
    said = call(
        "plan", *[word.replace("sim:student", "openai:x\x1b[2J") for word in WORDS[command]]
    )
    assert "\x1b" not in said.out + said.err


DRILL, BUILD = [*WORDS["drill"], "--threshold", "0.001"], WORDS["depthqa build"]
EQT = ["eqt", "Iron", "Neon", *SIM, "--questions", "2", "--paraphrases", "2"]
CHECKED = ["--verify-paraphrases"]
ANOTHER = ["--target", "sim:novice"]
BOTH = 2 * len(ELEMENTS.holders)


@pytest.mark.parametrize(
    ("words", "calls"),
    [
        (EQT, {"explanation": 2, "choice_question": 4, "paraphrase": 8, "choice": 12}),
        ([*EQT, *CHECKED], {"same_question": 8}),
        (
            [*EQT, "--paraphrases", "0", *CHECKED],
            {"paraphrase": None, "same_question": None, "choice": 4},
        ),
        ([*EQT, "--attribute", "3"], {"attribution": 3}),
        ([*EQT, "--attribute", "100"], {"attribution": 12 * 0.4}),
        ([*DRILL, "--no-verify-questions"], {"check": None, "verdict": 18, "question": 18}),
        (
            [*BUILD, "--width", "1", "--check"],
            {"deconstruction": 1 + 1 + 0.05, "relation": 1 + 1},
        ),
        ([*BUILD, "--classify"], {"classification": 1, "reference_answer": 0.7}),
        (
            [*QUESTIONS, *SIM, "--kinds", "q2s", "--distractors", "none"],
            {"distractors": None, "instruction": None},
        ),
        (
            [*QUESTIONS, *SIM, "--kinds", "q2i", "--single-pass"],
            {"prompt_score": 1, "prompt_redraft": None},
        ),
        ([*QUESTIONS, *SIM, "--baseline", "0"], {"comparison": 3 * 0.5 * 2}),
        # what two targets share is counted once: of a drill the opening and depth 1
        (
            [*EQT, "--examiner", "sim:expert", *ANOTHER],
            {"explanation": 2, "paraphrase": 8, "choice": 24},
        ),
        (
            [*DRILL, *ANOTHER],
            {"aspects": 1, "question": 18 + 12, "check": 18 + 12, "answer": 36, "concepts": 24},
        ),
        ([*WORDS["depthqa ask"], *ANOTHER], {"depth_answer": BOTH, "rating": BOTH}),
        (
            [*WORDS["deepquestion"], *ANOTHER],
            {"prompt_draft": 2, "scenario": 3, "created_question": 2 * 3 * 0.83},
        ),
    ],
)
def test_the_calls_of_a_launch_by_hand(
    words: list[str], calls: dict[str, float | None], call: Caller
) -> None:
    document = plan(call, *words)
    told = document["calls_by_prompt"]
    assert {
        prompt: told[prompt]["expected"] if prompt in told else None for prompt in calls
    } == pytest.approx(calls)


def test_of_what_is_given_nobody_is_asked(call: Caller) -> None:
    (call.folder / "theirs.json").write_text(
        json.dumps({"c": "All is well.", "b1": " ", "f": "x" * 4000})
    )
    judged = [*ASK[:5], "--answers", "theirs.json"]
    document = plan(call, *judged)
    assert {role["role"]: role["calls"]["expected"] for role in document["roles"]} == {
        "judge": 2
    }  # of silence nobody
    assert document["input_tokens"]["low"] > 1000  # the given texts are known
    said = call(
        *WORDS["deepquestion"], "--limit", "2", "--display", "none", "-o", "texts.jsonl"
    )
    assert said.code == 0, said.err
    written = [
        "deepquestion",
        "--from",
        "texts.jsonl",
        *SIM,
        "-e",
        "sim:evaluator",
        "--baseline",
        "0",
    ]
    asked = plan(call, *written)["calls_by_prompt"]
    assert not {
        "prompt_draft",
        "scenario",
        "scenario_check",
        "instruction",
        "instruction_check",
    } & set(asked)
    assert {"solution", "created_question", "comparison"} <= set(asked)


def test_past_runs_speak_for_their_own_models_whatever_their_method(call: Caller) -> None:
    drill = [
        "drill",
        "Chemical elements",
        *SIM,
        "-e",
        "sim:evaluator",
        "-n",
        "3",
        "--max-depth",
        "1",
    ]
    assert call(*drill, "--display", "none").code == 0
    other = plan(call, *WORDS["deepquestion"], "--target", "sim:novice")
    # the evaluator of the drill has given verdicts, which this benchmark may need too
    assert other["basis"]["past_runs_of"] == {
        "sim:student": 0,
        "sim:novice": 0,
        "sim:generator": 0,
        "sim:evaluator": 1,
    }
    replayed = plan(call, *drill, "--target", "sim:novice")
    assert replayed["basis"]["past_runs_of"] == {
        "sim:student": 1,
        "sim:novice": 0,
        "sim:evaluator": 1,
    }
    said = shown(call("plan", *drill, "--target", "sim:novice"))
    assert "sim:evaluator 1 past run" in said
