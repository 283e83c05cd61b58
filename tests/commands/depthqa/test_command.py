"""`fathom depthqa` as a person uses it, over a simulated world of one's own."""

import json
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from fathom.state.comparison import Comparison
from fathom.state.depthqa.result import DepthQAResult
from fathom.state.question_graph import QuestionGraph
from fathom.tools.files.question_graph import read_graph, write_graph

from ...support.command_line import Caller
from ...support.depthqa.toy import TWO_TREES
from ...support.paths import EXAMPLES
from ...support.screen import active_characters

ELEMENTS = str(EXAMPLES / "depthqa_elements.csv")
BUILD = ["depthqa", "build", ELEMENTS, "--limit", "2", "-e", "sim:evaluator"]
STRONG, WEAK = "sim:d1=1,d2=1,d3=1", "sim:d1=0,d2=0,d3=0"
ASK = ["depthqa", "ask", "g.json", "--judge", "sim:evaluator"]
QUIET = ["--display", "none"]


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Caller:
    """In a folder with a graph of two trees, and answers to it."""
    caller = Caller(tmp_path, monkeypatch, capsys)
    write_graph(TWO_TREES, tmp_path / "g.json")
    theirs = {
        "c": {"response": "The truth about c."},
        "b1": {"response": "I do not know."},
        "f": {"response": ""},
    }
    (tmp_path / "theirs.json").write_text(json.dumps(theirs))
    return caller


def runs_of(call: Caller, method: str) -> list[Path]:
    return [run for run in call.runs if run.name.split("-")[1] == method]


def test_a_graph_is_built_asked_and_shown(call: Caller) -> None:
    built = call(*BUILD, "-o", "made.json", "--display", "lines")
    assert built.code == 0, built.err
    for part in ("SIMULATED", "2 trees from 2 questions", "next: fathom depthqa ask runs/"):
        assert part in built.out
    assert not active_characters(built.out)
    assert (
        "The graph is written to made.json. Next: fathom depthqa ask made.json --target MODEL"
        in built.err
    )
    (run,) = call.runs
    graph = read_graph(Path("made.json")).graph
    assert graph == QuestionGraph.model_validate_json((run / "graph.json").read_bytes())
    assert graph.name == "depthqa_elements"
    assert {node.domain for node in graph.nodes} == {"Materials", "Heat"}, (
        "one question of each domain"
    )

    asked = call(
        "depthqa", "ask", "last", "-t", STRONG, "-t", WEAK, "--judge", "sim:evaluator", *QUIET
    )
    assert (asked.code, asked.err) == (0, "")
    launch = next(
        json.loads((path / "launch.json").read_bytes()) for path in runs_of(call, "depthqa")
    )
    assert call("show", launch["launch"]).out == asked.out
    document = json.loads(call("show", launch["launch"], "--json").out)
    strong, weak = (DepthQAResult.model_validate(run) for run in document.pop("runs"))
    compared = Comparison.model_validate(document)
    assert [model.label for model in compared.models] == [STRONG, WEAK]
    assert strong.graph.nodes == len(graph.nodes)
    means = [result.modes[0].accuracy["overall"].mean for result in (strong, weak)]
    assert means[0] == 5.0
    assert means[1] is not None
    assert means[1] < 2.0, "a lucky guess apart"

    origin = call("show", run.name, "--path", graph.trees[0].root)
    assert (origin.code, origin.err) == (0, "")
    assert graph.by_id[graph.trees[0].root].question[:40] in origin.out


def test_given_answers_are_judged_and_nobody_else_is_asked(call: Caller) -> None:
    judging = ["--answers", "theirs.json", "--as-in-paper", "--json", *QUIET]
    said = call(*ASK, *judging)
    result = DepthQAResult.model_validate_json(said.out)
    assert result.spec.target == "given:theirs"
    assert set(result.usage) == {"judge"}
    assert result.usage["judge"].calls == 2, "of three answers one says nothing"
    assert {row.nodes[0]: row.score for row in result.answers} == {"c": 5, "b1": 1, "f": None}
    assert (result.spec.judge_temperature, result.spec.judge_top_p) == (1.0, 0.9)
    named = call(*ASK, *judging, "-t", "openai:gpt-4o", "--mode", "multi-turn")
    again = DepthQAResult.model_validate_json(named.out)
    assert (again.spec.target, again.spec.modes) == ("given:openai:gpt-4o", ("multi-turn",))


def test_questions_and_answers_may_come_from_stdin_together(
    call: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    row = {
        "id": "q1",
        "depth": 1,
        "question": "What is gold?",
        "reference": "A metal.",
        "response": "A metal.",
    }
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(json.dumps([row]).encode())))
    said = call(
        "depthqa",
        "ask",
        "--answers",
        "-",
        "--judge",
        "sim:evaluator",
        "--json",
        "--display",
        "lines",
    )
    assert said.code == 0, said.err
    result = DepthQAResult.model_validate_json(said.out)
    assert [row.score for row in result.answers] == [5]
    assert "are no part of the graph" not in said.err


def test_the_graph_of_a_run_without_a_result_is_in_its_journal(call: Caller) -> None:
    call(*ASK, "-t", STRONG, *QUIET)
    (run,) = call.runs
    (run / "result.json").unlink()
    lines = (run / "events.jsonl").read_text().splitlines(keepends=True)
    (run / "events.jsonl").write_text("".join(lines[:-2]))
    asked = call(
        "depthqa", "ask", "last", "-t", WEAK, "--judge", "sim:evaluator", "--json", *QUIET
    )
    assert DepthQAResult.model_validate_json(asked.out).graph.nodes == len(TWO_TREES.nodes), (
        "by its journal"
    )


def test_what_does_not_go_with_these_runs_is_refused(call: Caller) -> None:
    call(*BUILD[:3], "--limit", "1", *BUILD[5:], *QUIET)
    call(*ASK, "-t", STRONG, "-t", WEAK, *QUIET)
    (build,), (asked, _) = (
        [run.name for run in runs_of(call, m)] for m in ("depthqa_build", "depthqa")
    )
    for words, part in (
        (["show", asked, "--path", "gone"], "This run has no part named 'gone'"),
        (["replay", asked, "-t", "sim:expert"], "Only a drill"),
        (["replay", build, "-t", "sim:expert"], "Only a drill"),
        (["schema", "depthqa_comparisons"], "depthqa_build, depthqa_graph"),
    ):
        said = call(*words)
        assert (said.code, said.out, said.err.count("\n")) == (2, "", 1), said
        assert part in said.err
