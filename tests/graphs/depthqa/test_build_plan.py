"""The plan of building a DepthQA graph, against what a toy really asks; and the commands of both plans."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from fathom.graphs.depthqa.building.loads import build_way
from fathom.graphs.depthqa.estimate import DepthQAPlan, estimate_build
from fathom.graphs.depthqa.past import DepthQAPriors, PastDepthQA, past_depthqa
from fathom.graphs.depthqa.priors import build_rates
from fathom.graphs.run.spread import Spread
from fathom.sim.server import Timing
from fathom.state.depthqa.spec import SourceQuestion
from fathom.state.records import Usage
from fathom.state.spec import DepthQABuildSpec, WorldSpec
from fathom.tools.files.depthqa.graph import write_graph
from fathom.tools.models.chat import ChatReply, ChatRequest
from fathom.tools.models.priced import PriceList

from ...support.command_line import Caller
from ...support.depthqa.toy import TWO_TREES, BuildModel, BuildRun

FREE = PriceList()


def plan(spec: DepthQABuildSpec, *past: PastDepthQA) -> DepthQAPlan:
    return estimate_build(spec.model_copy(update={"evaluator": "openai:gpt-5"}), FREE, DepthQAPriors(past))


async def played(*names: str, **changes: Any) -> tuple[BuildRun, PastDepthQA]:
    """A toy build, and what it tells as a past run of the model that is planned for."""
    run = BuildRun()
    spec = run.spec(*names, **changes)
    await run.play(spec)
    past = past_depthqa(iter(run.events))
    assert past is not None
    return run, replace(past, spec=spec.model_copy(update={"evaluator": "openai:gpt-5"}))


@pytest.mark.parametrize(
    ("changes", "asked", "expected"),
    [
        # 1 + 1 deconstructions, the toy's questions being open: all that is certain
        ({"width": 1}, 2, "low"),
        ({"width": 1, "check": True}, 2 + 2, "low"),
        # 1 + 2, of which the plan expects 1 + 1.9 and a twentieth more for gaps
        ({"width": 2}, 3, None),
        ({"width": 2, "classify": True, "check": True}, 1 + 3 + 3, None),
    ],
)
async def test_a_toy_asks_what_was_planned(changes: dict[str, Any], asked: int, expected: str | None) -> None:
    run, past = await played("q1", **changes)
    assert len(run.model.asked) == asked
    before = plan(run.spec("q1", **changes)).calls
    assert before.low <= asked <= before.high
    if expected is not None:
        assert getattr(before, expected) == asked
    after = plan(run.spec("q1", **changes), past).calls
    assert after.mid == pytest.approx(asked)
    assert after.low < asked < after.high
    assert plan(run.spec("q1", "q2", "q3", **changes), past).calls.mid == pytest.approx(3 * asked)


def test_what_is_known_of_the_questions_is_reckoned_with() -> None:
    spec = BuildRun().spec("q1", "q2", width=4)
    bare = plan(spec)
    sources = (SourceQuestion(id="q1", question="Is it so?"), *spec.questions[1:])
    more = plan(spec.model_copy(update={"questions": sources}))
    # one reference to be written, and one question to be reworded, in 1.1 calls
    assert more.calls.mid - bare.calls.mid == pytest.approx(1 + 1.1)
    # 2·(1 + 3.8) deconstructions, .05·2·3.8 for gaps, which take 2·4.8·.05; of 3.8 + 3.8² written .02 reworded
    assert bare.calls.mid == pytest.approx(2 * (4.8 + 0.19 + 0.24 + (3.8 + 3.8**2) * 0.02 * 1.1))
    german = plan(spec.model_copy(update={"questions": sources, "language": "de"}))
    assert german.calls.mid < more.calls.mid  # of German the form does not tell


async def test_only_builds_by_the_same_evaluator_that_are_as_wide_tell_anything() -> None:
    run, past = await played("q1", width=2)
    spec = run.spec("q1", width=3)
    assert plan(spec, past).calls == plan(spec).calls
    checked = run.spec("q1", width=2, check=True)
    assert plan(checked, past).calls.mid == pytest.approx(3 + 2.9)  # relations were not rated then: 1 + .95·2


async def test_a_past_run_that_was_not_read_to_its_end_says_nothing_of_the_number_of_calls() -> None:
    run, _ = await played("q1", classify=True)
    part = past_depthqa(iter(run.events[:-1]))
    assert part is not None
    assert (part.per_question, part.kept) == ({}, 1.0)
    assert past_depthqa(iter(run.events[:1])) is None


def test_the_way_of_a_build_is_its_steps_one_after_the_other() -> None:
    spec = BuildRun().spec("q1", evaluator="sim:evaluator", world=WorldSpec(), classify=True, check=True)
    way = build_way(spec, build_rates(spec, DepthQAPriors(), Timing(latency_s=1.0)))
    # classification, 2 deconstructions, relation; a rewording, a gap and its deconstruction more; 3 rewordings more
    assert way == Spread(4, 7, 10)


async def test_past_tokens_are_those_of_the_replies() -> None:
    class Counting(BuildModel):
        async def complete(self, request: ChatRequest) -> ChatReply:
            reply = await super().complete(request)
            return replace(reply, usage=Usage(input_tokens=900, output_tokens=200))

    run = BuildRun(Counting())
    spec = run.spec("q1", width=2)
    await run.play(spec)
    past = past_depthqa(iter(run.events))
    assert past is not None
    learnt = plan(spec, replace(past, spec=spec.model_copy(update={"evaluator": "openai:gpt-5"})))
    assert (learnt.input_tokens.mid, learnt.output_tokens.mid) == pytest.approx((3 * 900, 3 * 200))


@pytest.mark.parametrize("command", ["ask", "build"])
def test_the_commands_take_what_the_real_ones_take_and_ask_nothing(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    call = Caller(tmp_path, monkeypatch, capsys)
    write_graph(TWO_TREES, tmp_path / "graph.json")
    (tmp_path / "questions.txt").write_text("Why is it so?\n")
    words = {
        "ask": ["graph.json", "-t", "sim:student", "--judge", "sim:evaluator", "--mode", "zero-shot,multi-turn"],
        "build": ["questions.txt", "-e", "openai:gpt-5", "--embeddings", "openai:some", "--max-calls", "3"],
    }[command]
    said = call("plan", "depthqa", command, *words, "--json")
    assert said.code == 0, said.err
    document = json.loads(said.out)
    assert document["calls"]["expected"] == pytest.approx(sum(row["calls"]["expected"] for row in document["roles"]))
    shown = call("plan", "depthqa", command, *words).out
    flags, planned = (
        {word.strip(",") for word in call(*real, "depthqa", command, "--help").out.split() if word.startswith("--")}
        for real in ([], ["plan"])
    )
    assert flags == planned
    assert sorted(path.name for path in tmp_path.iterdir()) == ["graph.json", "questions.txt"]
    if command == "ask":
        assert document["protocol"]["multi-turn"] == {"answers": 10, "ratings": 10}
        assert (document["simulated"], document["basis"]["repeated_calls"]) == (True, 8)
        assert "Per run in multi-turn: 10 answers, 10 ratings." in shown
        assert "8 of these calls are the same as an earlier one" in shown
        assert "SIMULATED: these runs would measure no real model." in shown
    else:
        assert (document["build"]["questions"], document["simulated"]) == (1, False)
        assert "The embeddings of openai:some are not counted." in shown
        assert "--max-calls 3 will probably end the runs early" in shown
