"""`fathom depthqa` as a person uses it, over a simulated world of one's own."""

import json
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from fathom.state.depthqa.build import DepthQABuildResult
from fathom.state.depthqa.items import QuestionGraph
from fathom.state.depthqa.result import DepthQAComparison, DepthQAResult
from fathom.tools.files.depthqa.graph import read_graph, write_graph

from ...goldens.recordings import recordings
from ...support.command_line import Caller, refused
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
    assert "Targets side by side" in asked.out
    launch = next(
        json.loads((path / "launch.json").read_bytes()) for path in runs_of(call, "depthqa")
    )
    assert call("show", launch["launch"]).out == asked.out
    document = json.loads(call("show", launch["launch"], "--json").out)
    strong, weak = (DepthQAResult.model_validate(run) for run in document.pop("runs"))
    assert DepthQAComparison.model_validate(document).targets == (STRONG, WEAK)
    assert strong.graph.nodes == len(graph.nodes)
    means = [result.modes[0].accuracy["overall"].mean for result in (strong, weak)]
    assert means[0] == 5.0
    assert means[1] is not None
    assert means[1] < 2.0, "a lucky guess apart"

    origin = call("show", run.name, "--path", graph.trees[0].root, "--with-prompts")
    assert (origin.code, origin.err) == (0, "")
    assert graph.by_id[graph.trees[0].root].question[:40] in origin.out


def test_a_build_as_json_says_where_its_graph_is(call: Caller) -> None:
    words = [
        *BUILD[:3],
        "--limit",
        "1",
        *BUILD[5:],
        "--name",
        "mine",
        "--json",
        "--display",
        "lines",
    ]
    said = call(*words)
    result = DepthQABuildResult.model_validate_json(said.out)
    assert result.spec.name == "mine"
    (run,) = call.runs
    assert said.err.endswith(f"The graph is runs/{run.name}/graph.json.\n")
    over = call("resume", "last", "--json")
    assert DepthQABuildResult.model_validate_json(over.out) == result
    schema = json.loads(call("schema", "depthqa_build").out)
    assert set(schema["required"]) <= set(json.loads(said.out)) <= set(schema["properties"])


def test_one_target_prints_its_summary_and_shows_it_again(call: Caller) -> None:
    words = [
        "-t",
        STRONG,
        "--mode",
        "multi-turn",
        "--mode",
        "zero-shot",
    ]
    said = call(*ASK, *words, *QUIET)
    assert (said.code, said.err) == (0, "")
    for part in (
        "SIMULATED",
        "mean score",
    ):
        assert part in said.out, part
    (run,) = call.runs
    spec = json.loads((run / "spec.json").read_bytes())
    assert spec["modes"] == ["zero-shot", "multi-turn"]
    shown = call("show", "last", "--plots", "plots")
    assert shown.code == 0, shown.err
    assert len(list(Path("plots").glob("*.svg"))) == int(shown.err.partition(" ")[0]) > 0
    path = call("show", "last", "--path", "c@multi-turn", "--json")
    assert {item["mode"] for item in json.loads(path.out)["items"]} == {"multi-turn"}


def test_json_of_one_target_is_its_result(call: Caller) -> None:
    said = call(*ASK, "-t", STRONG, "--limit", "1", "--json", *QUIET)
    document = json.loads(said.out)
    schema = json.loads(call("schema", "depthqa").out)
    assert set(schema["required"]) <= set(document) <= set(schema["properties"])
    result = DepthQAResult.model_validate(document)
    assert result.graph.trees == 1
    assert {node for row in result.answers for node in row.nodes} == {
        "c",
        "b1",
        "b2",
        "a1",
        "a2",
        "a3",
    }
    assert json.loads(call("show", "last", "--json").out) == json.loads(said.out)


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


def test_the_published_form_holds_its_questions_itself(call: Caller) -> None:
    row = {
        "depth": 1,
        "question": "What is gold?",
        "reference": "A metal.",
        "predicted_answer": "A metal.",
    }
    Path("published.json").write_text(json.dumps({"q1": row}))
    said = call(
        "depthqa",
        "ask",
        "--answers",
        "published.json",
        "--judge",
        "sim:evaluator",
        "--display",
        "lines",
    )
    assert said.code == 0, said.err
    assert "are no part of the graph" not in said.err
    assert "mean score 5.00 of 5" in said.out


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
    rows = [row | {"mode": "zero-shot"}, row | {"mode": "multi-turn", "response": "No idea."}]
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(json.dumps(rows).encode())))
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
    notice = "Rows of <stdin> in another mode than zero-shot ('multi-turn'), left out: 1."
    assert notice in result.notes
    assert notice in said.err
    assert "are no part of the graph" not in said.err


def test_a_build_that_comes_to_nothing_says_so(call: Caller) -> None:
    Path("q.txt").write_text("What is x?\n")
    said = call(
        "depthqa",
        "build",
        "q.txt",
        "-e",
        "sim:evaluator",
        "--classify",
        "-o",
        "n.json",
        "--display",
        "lines",
    )
    assert said.code == 1
    assert "There is no graph: nothing was written to n.json." in said.err
    assert "omplete:" not in said.out + said.err


def test_a_build_that_goes_on_says_where_its_graph_is_not(call: Caller) -> None:
    cut = call(*BUILD, "--max-calls", "3", "--no-cache", "-o", "made.json", "--display", "lines")
    assert cut.code == 3
    assert "There is no graph yet: nothing was written to made.json." in cut.err
    resumed = call("resume", "last", "--max-calls", "1000", "--display", "lines")
    assert resumed.code == 0, resumed.err
    (run,) = call.runs
    said = f"are not written by resume: cp runs/{run.name}/graph.json graph.json\n"
    assert resumed.err.endswith(said)
    assert not Path("made.json").exists()


def test_a_judge_of_the_targets_own_family_is_pointed_out(call: Caller) -> None:
    said = call("depthqa", "ask", "g.json", "-t", "openai:gpt-5", "--judge", "openai:gpt-4o")
    assert said.code == 2, "there is no key"
    first, second = said.err.splitlines()
    assert "is of the target's own family (gpt)" in first
    assert "needs a key" in second


def test_the_graph_of_a_run_without_a_result_is_in_its_journal(call: Caller) -> None:
    call(*ASK, "-t", STRONG, *QUIET)
    (run,) = call.runs
    (run / "result.json").unlink()
    lines = (run / "events.jsonl").read_text().splitlines(keepends=True)
    (run / "events.jsonl").write_text("".join(lines[:-2]))
    asked = call("depthqa", "ask", "last", "-t", WEAK, "--judge", "sim:evaluator", "--json", *QUIET)
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
        (
            ["show", build, "--plots", "plots"],
            "--plots is for results of drills, Explain-Query-Tests, DepthQA runs and DeepQuestion",
        ),
        (
            ["show", asked, "--benchmark", "x.csv"],
            "--benchmark is for results of Explain-Query-Tests",
        ),
        (["show", asked, "--path", "gone"], "This run has no part named 'gone'"),
        (["replay", asked, "-t", "sim:expert"], "fathom depthqa ask RUN --target MODEL"),
        (["replay", build, "-t", "sim:expert"], "has built a graph"),
        (["schema", "depthqa_comparisons"], "depthqa_comparison, depthqa_build, depthqa_graph"),
    ):
        said = call(*words)
        assert (said.code, said.out, said.err.count("\n")) == (2, "", 1), said
        assert part in said.err


def test_a_build_without_a_graph_says_how_to_get_one(call: Caller) -> None:
    run = recordings("depthqa_build")["cut"]
    run.write(call.folder / "runs")
    refused(
        call,
        ["depthqa", "ask", run.short, "-t", STRONG, "--judge", "sim:evaluator"],
        "has built no graph yet",
        f"fathom resume {run.name}",
    )
