"""What `fathom depthqa` refuses: exit 2, one sentence on stderr, nothing on stdout, no folder, no call."""

import json
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from fathom.agents.prompts import DEPTHQA_BUILD_PROMPTS, DEPTHQA_PROMPTS
from fathom.commands.depthqa.command import ASK_PROMPT_NAMES, BUILD_PROMPT_NAMES
from fathom.commands.depthqa.source import in_turn, within
from fathom.state.depthqa.items import QuestionGraph
from fathom.tools.files.depthqa.graph import write_graph

from ...support.command_line import Caller, refused
from ...support.depthqa.toy import TWO_TREES, node
from ..test_refusals import BEYOND_64_BITS

SIM = ["--target", "sim:student", "--judge", "sim:evaluator"]
ASK = ["depthqa", "ask", "g.json", *SIM]
JUDGE = ["depthqa", "ask", "g.json", "--judge", "sim:evaluator", "--answers", "said.csv"]
BUILD = ["depthqa", "build", "q.csv", "--evaluator", "sim:evaluator"]
pytestmark = pytest.mark.usefixtures("no_connection")


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Caller:
    """In a folder with a graph, answers, questions and people's scores, sound ones and others."""
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(b"")))
    write_graph(TWO_TREES, tmp_path / "g.json")
    alone = QuestionGraph(name="alone", nodes=(node("x", 1), node("y", 3)))
    write_graph(alone, tmp_path / "alone.json")
    broken = [{"id": "a", "depth": 1, "question": "What?", "reference": "That.", "predecessors": ["gone"]}]
    (tmp_path / "broken.json").write_text(json.dumps(broken))
    (tmp_path / "said.csv").write_text("id,response\nc,All of it.\n")
    (tmp_path / "other.csv").write_text("id,response\nelsewhere,Nothing.\n")
    (tmp_path / "q.csv").write_text("question,reference\nWhy is gold soft?,Its atoms glide.\n")
    (tmp_path / "empty.txt").write_text("\n")
    (tmp_path / "people.csv").write_text("id,rater,score\nelsewhere,ann,3\n")
    (tmp_path / "turns.csv").write_text("id,rater,score,mode\nc,ann,3,multi-turn\n")
    (tmp_path / "own.txt").write_text("=== user ===\nsay something\n")
    (tmp_path / "there.json").write_text("{}")
    (tmp_path / "there.svg").write_text("<svg/>")
    (tmp_path / "linked.svg").symlink_to("there.svg")
    (tmp_path / "folder").mkdir()
    (tmp_path / "built").mkdir()
    write_graph(TWO_TREES, tmp_path / "built/graph.json")
    return Caller(tmp_path, monkeypatch, capsys)


ASKING = [
    (["depthqa", "ask", *SIM], "GRAPH is missing", "--answers FILE"),
    (["depthqa", "ask", " ", *SIM], "GRAPH is empty"),
    (["depthqa", "ask", "gone.json", *SIM], "There is no file gone.json"),
    (["depthqa", "ask", "gone", *SIM], "'gone' is no file or folder", "No run in runs is called 'gone'"),
    (
        ["depthqa", "ask", "last", *SIM],
        "'last' is no file or folder",
        "There is no run in runs: start one with `fathom depthqa build`",
    ),
    (["depthqa", "ask", "x" * 300, *SIM], "GRAPH cannot be read (File name too long)"),
    (["depthqa", "ask", "folder", *SIM], "folder holds no table"),
    (["depthqa", "ask", "broken.json", *SIM], "broken.json", "'gone'"),
    (["depthqa", "ask", "-", *SIM], "<stdin> is empty"),
    (["depthqa", "ask", "g.json", "--judge", "sim:evaluator"], "--target is missing"),
    (["depthqa", "ask", "g.json", "-t", "sim:student"], "--judge is missing", "never chosen for you"),
    (["depthqa", "ask", "g.json", "-t", "sim:student", "--judge", " "], "--judge is missing"),
    (["depthqa", "ask", "g.json", "-t", "sim:nobody", "--judge", "sim:evaluator"], "no model 'nobody'"),
    (["depthqa", "ask", "g.json", "-t", "sim:student", "--judge", "sim:nobody"], "no model 'nobody'"),
    (["depthqa", "ask", "g.json", "-t", "student", "--judge", "sim:evaluator"], "'student' is not a model"),
    (["depthqa", "ask", "g.json", "-t", "given:me", "--judge", "sim:evaluator"], "name their file with --answers"),
    ([*ASK, "--mode", "aloud"], "--mode 'aloud' does not exist", "zero-shot, prompt-gold, prompt-pred, multi-turn"),
    ([*ASK, "--mode", "zero-shot,"], "--mode has an empty name", "zero-shot, prompt-gold"),
    ([*ASK, "--mode", ","], "--mode has an empty name"),
    ([*ASK, "--mode", "multi-turn,zero-shot", "--mode", "multi-turn"], "--mode multi-turn is named twice"),
    (["depthqa", "ask", "alone.json", *SIM, "--mode", "prompt-gold"], "no question of this graph has predecessors"),
    ([*ASK, "--judge-temperature", "warm"], "--judge-temperature cannot be 'warm': it must be a number"),
    ([*ASK, "--judge-temperature", "3"], "--judge-temperature cannot be 3.0: it must be at most 2"),
    ([*ASK, "--judge-temperature", "nan"], "--judge-temperature cannot be nan"),
    ([*ASK, "--judge-top-p", "0"], "--judge-top-p cannot be 0.0: it must be above 0"),
    ([*ASK, "--judge-tokens", "15"], "--judge-tokens cannot be 15: it must be at least 16"),
    ([*ASK, "--judge-tokens", "9999999"], "--judge-tokens cannot be 9999999: it must be at most"),
    ([*ASK, "--answer-tokens", "1"], "--answer-tokens cannot be 1"),
    ([*ASK, "--seed", BEYOND_64_BITS], "--seed cannot be", "64-bit"),
    ([*ASK, "--limit", "0"], "--limit cannot be 0: it must be at least 1"),
    ([*ASK, "--sim", "speed=1"], "--sim knows no 'speed'"),
    ([*ASK, "--json", "--display", "events"], "both write to stdout"),
    ([*ASK, "--budget", "0"], "--budget cannot be 0"),
    ([*ASK, "--plots", "q.csv"], "--plots q.csv cannot be a folder", "q.csv is a file"),
    ([*ASK, "--prompt", "rating=own.txt"], "lacks $"),
    ([*ASK, "--prompt", "answer=own.txt"], "There is no prompt 'answer'", "depth_answer"),
    ([*ASK, "--human", "gone.csv"], "There is no file gone.csv"),
    ([*ASK, "--human", "people.csv"], "None of the scores in people.csv", "elsewhere (zero-shot)", "such as c, b1, b2"),
    ([*ASK, "--human", "turns.csv"], "None of the scores in turns.csv", "c (multi-turn)", "asked in zero-shot"),
    ([*ASK, "-t", "sim:novice", "--human", "people.csv"], "--human goes with one target", "2 are named"),
    ([*JUDGE, "--mode", "zero-shot,multi-turn"], "--answers were collected in one way, and --mode names 2"),
    ([*JUDGE, "--logprobs"], "--logprobs cannot go with --answers", "nobody is asked to answer"),
    ([*JUDGE, "-t", "one", "-t", "two"], "--answers holds one model's answers, and --target names 2"),
    ([*JUDGE, "-t", "a\x1b[2Jb"], "--target cannot be", "signs that can be seen"),
    ([*JUDGE, "--judge", "openai@http://127.0.0.1:9/v1:m", "--sim", "seed=1"], "leave --sim out"),
    (
        [*JUDGE, "--answers", "other.csv"],
        "fits a question of the graph",
    ),
    (
        ["depthqa", "ask", "--judge", "sim:evaluator", "--answers", "said.csv"],
        "said.csv has no question",
        "Or name GRAPH",
    ),
    (["depthqa", "ask", "--judge", "sim:evaluator", "--answers", "-"], "<stdin> is empty"),
    (["depthqa", "ask", "-", *SIM, "--answers", "-"], "GRAPH - and --answers - both read stdin"),
    ([*ASK, "--answers", "-", "--human", "-"], "--answers - and --human - both read stdin"),
]

BUILDING = [
    (["depthqa", "build", "-e", "sim:evaluator"], "QUESTIONS is missing"),
    (["depthqa", "build", "gone.txt", "-e", "sim:evaluator"], "There is no file gone.txt"),
    (["depthqa", "build", "empty.txt", "-e", "sim:evaluator"], "empty.txt"),
    (["depthqa", "build", "q.csv"], "--evaluator is missing", "never chosen for you"),
    (["depthqa", "build", "q.csv", "-e", "sim:nobody"], "no model 'nobody'"),
    ([*BUILD, "--width", "9"], "--width cannot be 9: it must be at most 8"),
    ([*BUILD, "--limit", "0"], "--limit cannot be 0"),
    ([*BUILD, "--language", "de"], "the simulated world speaks English only"),
    ([*BUILD, "--name", "\u202e"], "--name cannot be"),
    ([*BUILD, "--embeddings", ""], "--embeddings is empty"),
    ([*BUILD, "--embeddings", "words"], "'words' is not a model"),
    ([*BUILD, "--embeddings", "sim:student"], "no embeddings model 'student'", "sim:embedding"),
    ([*BUILD, "--embeddings", "openai:text-embedding-3-small"], "openai:text-embedding-3-small needs a key"),
    ([*BUILD, "--embeddings", "openai:m", "--offline"], "--offline refuses openai:m"),
    ([*BUILD, "--prompt", "relation=own.txt"], "lacks $"),
    ([*BUILD, "-o", "there.json"], "--output there.json exists already", "--force"),
    ([*BUILD, "-o", "folder"], "--output folder is a folder"),
    ([*BUILD, "-o", "no/where.json"], "there is no folder no"),
    ([*BUILD, "-o", "x" * 300 + ".json"], "cannot be written (File name too long)"),
    ([*BUILD, "-o", "-"], "--output cannot be -"),
    ([*BUILD, "-o", "a.svg"], "--output a.svg does not end in .json"),
    ([*BUILD, "--drawing", "a.png"], "--drawing a.png does not end in .svg"),
    ([*BUILD, "--drawing", "there.svg"], "--drawing there.svg exists already"),
    ([*BUILD, "--drawing", "q.csv", "--force"], "--drawing q.csv is QUESTIONS itself, which is never overwritten"),
    (["depthqa", "build", "there.json", "-o", "./there.json", "--force", *BUILD[3:]], "is QUESTIONS itself"),
    (["depthqa", "build", "g.json", *BUILD[3:]], "g.json is a graph already: ask it with fathom depthqa ask g.json."),
    (["depthqa", "build", "built", *BUILD[3:]], "built is a graph already"),
    (["depthqa", "build", "x" * 300, *BUILD[3:]], "cannot be read (File name too long)"),
    (["depthqa", "build", "people.csv", *BUILD[3:]], "no column question", "'id', 'rater', 'score'"),
]

DRAWING = [
    (["depthqa", "draw", "-o", "a.svg"], "GRAPH is missing"),
    (["depthqa", "draw", "g.json"], "--output is missing"),
    (["depthqa", "draw", "g.json", "-o", "there.svg"], "--output there.svg exists already"),
    (["depthqa", "draw", "g.json", "-o", "a.png"], "--output a.png does not end in .svg"),
    (["depthqa", "draw", "there.svg", "-o", "linked.svg", "--force"], "linked.svg is GRAPH itself"),
    (["depthqa", "draw", "g.json", "-o", "./g.json", "--force"], "g.json is GRAPH itself"),
    (["depthqa", "draw", "broken.json", "-o", "a.svg"], "'gone'"),
]


@pytest.mark.parametrize(
    ("words", "parts"),
    [(words, parts) for words, *parts in (*ASKING, *BUILDING, *DRAWING)],
    ids=lambda w: " ".join(w)[:60],
)
def test_refused_before_any_call(call: Caller, words: list[str], parts: list[str]) -> None:
    refused(call, words, *parts)


@pytest.mark.parametrize("words", [ASK, BUILD])
def test_offline_refuses_models_elsewhere(call: Caller, words: list[str]) -> None:
    refused(call, [*words[:-1], "openai@https://host/v1:m", "--offline"], "--offline refuses", "https://host/v1")


def test_help_names_every_prompt() -> None:
    assert sorted(ASK_PROMPT_NAMES.split(", ")) == sorted(DEPTHQA_PROMPTS)
    assert sorted(BUILD_PROMPT_NAMES.split(", ")) == sorted(DEPTHQA_BUILD_PROMPTS)


def test_a_part_of_a_graph_is_whole_trees_of_each_domain_in_turn() -> None:
    shared = QuestionGraph(
        name="g",
        nodes=(
            node("one", 3, "p", domain="a"),
            node("two", 3, "p", "q", domain="a"),
            node("three", 3, domain="b"),
            node("p", 2, domain="a"),
            node("q", 2, domain="a"),
        ),
    )
    assert [n.id for n in within(shared, 2).nodes] == ["one", "three", "p"]
    # `p` counts in the first tree only, and leads to the second as well
    assert [n.id for n in within(shared, 1, shared.trees[1:2]).nodes] == ["two", "p", "q"]
    assert len(within(shared, 2).trees) == 2
    assert within(shared, 3) is shared
    assert in_turn(["a", "a", "a", "b", "c", "c"], 4) == [0, 1, 3, 4]
