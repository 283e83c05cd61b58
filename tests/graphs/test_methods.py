"""What holds for every method in the registry, over a real socket. A new method gets all of it with its words."""

import json
import shutil
from pathlib import Path

import pytest

from fathom.agents.prompts import PROMPTS_OF
from fathom.graphs.method import METHODS, result_of
from fathom.graphs.run.record import record_of
from fathom.state.events import EVENT
from fathom.tools.runs.bundle import freeze, read_run
from fathom.tools.runs.folders import read_events, read_outcome

from ..support.command_line import Caller, Said
from ..support.paths import EXAMPLES

pytestmark = pytest.mark.xdist_group("methods")
MADE: dict[str, tuple[Path, Said]] = {}
"""Method → the runs of its commands, which are made once, and what the last one said."""
SIM = ["--target", "sim:student", "--display", "events"]
DRILL = ["drill", "Chemical elements", *SIM, "--evaluator", "sim:evaluator", "-n", "4", "--max-depth", "2"]
ELEMENTS = str(EXAMPLES / "depthqa_elements.csv")
SUMS = [str(EXAMPLES / "deepquestion_chemistry.jsonl"), "--limit", "2", "--generator", "sim:generator"]
BUILD = ["depthqa", "build", ELEMENTS, "--limit", "1", "--name", "elements", "--evaluator", "sim:evaluator"]
WORDS: dict[str, list[list[str]]] = {
    "deepquestion": [
        ["deepquestion", *SUMS, *SIM, "-e", "sim:evaluator", "--distractors", "none,some", "--baseline", "1"]
    ],
    "depthqa": [
        [*BUILD, "--display", "none"],
        ["depthqa", "ask", "last", *SIM, "--judge", "sim:evaluator", "--mode", "zero-shot,prompt-pred", "--logprobs"],
    ],
    "depthqa_build": [[*BUILD, "--check", "--embeddings", "sim:embedding", "--display", "events"]],
    "drill": [DRILL],
    "eqt": [["eqt", "Iron", "Neon", *SIM, "--questions", "2", "--paraphrases", "1", "--open-book"]],
    "replay": [DRILL, ["replay", "last", "--target", "sim:novice", "--display", "events"]],
}
"""Method → the commands that lead to a run of it, the last one being it."""


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Caller:
    return Caller(tmp_path, monkeypatch, capsys)


def run_of(call: Caller, method: str) -> Path:
    """The folder of a run of the method, in the working folder."""
    if method not in MADE:
        for words in WORDS[method]:
            said = call(*words)
            assert said.code == 0, said.err
        MADE[method] = call.folder / "runs", said
    else:
        shutil.copytree(MADE[method][0], "runs")
    (folder,) = Path("runs").glob(f"*-{method}-*")
    return folder


@pytest.mark.parametrize("method", METHODS)
def test_a_run_leaves_a_result_that_follows_from_its_journal(method: str, call: Caller) -> None:
    folder = run_of(call, method)
    kept = read_outcome(folder)
    events = list(read_events(folder))
    assert kept is not None
    assert result_of(record_of(events)) == kept
    assert (kept.method, kept.status, kept.spec.method) == (method, "complete", method)
    assert kept.simulated
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    assert (events[0].type, events[-1].type) == ("run_started", "run_finished")
    assert set(events[0].prompts) == set(PROMPTS_OF[method])  # type: ignore[union-attr]  # the first one has them
    assert sorted(path.name for path in folder.iterdir() if not path.name.startswith(".")) == [
        "events.jsonl",
        *(["graph.json"] if method == "depthqa_build" else []),
        "launch.json",
        "log.jsonl",
        "result.json",
        "spec.json",
    ]


@pytest.mark.parametrize("method", METHODS)
def test_a_bundle_gives_the_same_result_byte_for_byte(method: str, call: Caller, tmp_path: Path) -> None:
    folder, bundle = run_of(call, method), tmp_path / "run.fathom"
    assert freeze(folder, bundle).method == method
    assert read_run(str(bundle), Path("runs")).run_id == folder.name
    said = call("replay", str(bundle), "-o", str(tmp_path / "again.json"))
    assert said.code == 0, said.err
    assert (tmp_path / "again.json").read_bytes() == (folder / "result.json").read_bytes()


@pytest.mark.parametrize("method", METHODS)
def test_it_is_shown_listed_and_over(method: str, call: Caller) -> None:
    folder = run_of(call, method)
    shown = call("show", folder.name)
    assert shown.code == 0
    assert "SIMULATED" in shown.out
    assert json.loads(call("show", folder.name, "--json").out) == json.loads((folder / "result.json").read_text())
    entries = json.loads(call("list", "--json").out)
    assert [entry["status"] for entry in entries if entry["method"] == method] == ["complete"]
    over = call("resume", folder.name)
    assert (over.code, over.out) == (0, "")
    assert over.err == f"{folder.name} is complete: there is nothing to resume.\n"


@pytest.mark.parametrize("method", METHODS)
def test_its_events_stream_as_json_lines(method: str, call: Caller) -> None:
    folder = run_of(call, method)
    events = [EVENT.validate_json(line) for line in MADE[method][1].out.splitlines()]
    assert [event.seq for event in events] == [event.seq for event in read_events(folder)]
    assert (events[0].type, events[-1].type) == ("run_started", "run_finished")
