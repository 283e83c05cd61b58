"""What holds for every method in the registry, over a real socket. A new method gets all of it with
its words."""

import json
import shutil
from collections import Counter, defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from fathom.graphs.method import METHODS, prompts_of, result_of, runnable
from fathom.graphs.run.due import NOTHING, Calls, FinishedItems
from fathom.graphs.run.past import calls_in
from fathom.graphs.run.record import record_of
from fathom.graphs.run.spread import ZERO, Spread
from fathom.state.events import EVENT, Event, RunStarted
from fathom.tools.runs.bundle import freeze, read_run
from fathom.tools.runs.folders import read_events, read_outcome
from fathom.tools.runs.journal import MemorySink

from ..support.command_line import Caller, Said
from ..support.paths import EXAMPLES

pytestmark = pytest.mark.xdist_group("methods")
MADE: dict[str, tuple[Path, Said]] = {}
"""Method → the runs of its commands, which are made once, and what the last one said."""
SIM = ["--target", "sim:student", "--display", "events"]
DRILL = [
    "drill",
    "Chemical elements",
    *SIM,
    "--evaluator",
    "sim:evaluator",
    "-n",
    "4",
    "--max-depth",
    "2",
]
ELEMENTS = str(EXAMPLES / "depthqa_elements.csv")
SUMS = [
    str(EXAMPLES / "deepquestion_chemistry.jsonl"),
    "--limit",
    "2",
    "--generator",
    "sim:generator",
]
BUILD = [
    "depthqa",
    "build",
    ELEMENTS,
    "--limit",
    "1",
    "--name",
    "elements",
    "--evaluator",
    "sim:evaluator",
]
WORDS: dict[str, list[list[str]]] = {
    "ask": [["ask", str(EXAMPLES / "own_questions.csv"), *SIM, "-e", "sim:evaluator"]],
    "deepquestion": [
        [
            "deepquestion",
            *SUMS,
            *SIM,
            "-e",
            "sim:evaluator",
            "--distractors",
            "none,some",
            "--baseline",
            "1",
        ]
    ],
    "depthqa": [
        [*BUILD, "--display", "none"],
        [
            "depthqa",
            "ask",
            "last",
            *SIM,
            "--judge",
            "sim:evaluator",
            "--mode",
            "zero-shot,prompt-pred",
            "--logprobs",
        ],
    ],
    "depthqa_build": [
        [*BUILD, "--check", "--embeddings", "sim:embedding", "--display", "events"]
    ],
    "drill": [DRILL],
    "eqt": [
        ["eqt", "Iron", "Neon", *SIM, "--questions", "2", "--paraphrases", "1", "--open-book"]
    ],
    "replay": [DRILL, ["replay", "last", "--target", "sim:novice", "--display", "events"]],
}
"""Method → the commands that lead to a run of it, the last one being it."""


def run_of(call: Caller, method: str) -> Path:
    """The folder of a run of the method, in the working folder."""
    if method not in MADE:
        for words in WORDS[method]:
            said = call(*words)
            assert said.code == 0, said.err
        # beside the folders of tests, of which each goes with its test
        MADE[method] = (
            shutil.copytree(call.folder / "runs", call.folder.parent / f"made-{method}"),
            said,
        )
    else:
        shutil.copytree(MADE[method][0], "runs")
    (folder,) = Path("runs").glob(f"*-{method}-*")
    return folder


@pytest.mark.parametrize("method", runnable())
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
    assert set(events[0].prompts) == set(prompts_of(kept.spec))  # type: ignore[union-attr]  # the first one has them
    assert sorted(path.name for path in folder.iterdir() if not path.name.startswith(".")) == [
        "events.jsonl",
        *(["graph.json"] if method == "depthqa_build" else []),
        "launch.json",
        "log.jsonl",
        "result.json",
        "spec.json",
    ]


@pytest.mark.parametrize("method", runnable())
def test_a_bundle_gives_the_same_result_byte_for_byte(
    method: str, call: Caller, tmp_path: Path
) -> None:
    folder, bundle = run_of(call, method), tmp_path / "run.fathom"
    assert freeze(folder, bundle).method == method
    assert read_run(str(bundle), Path("runs")).run_id == folder.name
    said = call("replay", str(bundle))
    assert (said.code, "identical to the run" in said.err) == (0, True), said.err


@pytest.mark.parametrize("method", runnable())
def test_it_is_shown_listed_and_over(method: str, call: Caller) -> None:
    folder = run_of(call, method)
    shown = call("show", folder.name)
    assert shown.code == 0
    assert "SIMULATED" in shown.out
    result = json.loads((folder / "result.json").read_text())
    assert json.loads(call("show", folder.name, "--json").out) == result
    schema = json.loads(call("schema", "result" if method == "drill" else method).out)
    assert set(schema["required"]) <= set(result) <= set(schema["properties"])
    entries = json.loads(call("list", "--json").out)
    assert [entry["status"] for entry in entries if entry["method"] == method] == ["complete"]
    over = call("resume", folder.name)
    assert (over.code, over.out) == (0, "")
    assert over.err == f"{folder.name} is complete: there is nothing to resume.\n"


@pytest.mark.parametrize("method", runnable())
def test_its_events_stream_as_json_lines(method: str, call: Caller) -> None:
    folder = run_of(call, method)
    events = [EVENT.validate_json(line) for line in MADE[method][1].out.splitlines()]
    assert events == list(read_events(folder))
    assert "{" not in MADE[method][1].err
    began = events[0]
    assert isinstance(began, RunStarted)
    assert json.dumps(type(began.spec).__name__) in call("schema", "spec").out
    assert events[-1].type == "run_finished"


CERTAIN = ("depthqa", "eqt", "replay")
"""Methods of which it is known beforehand what they ask in a world without faults."""


def declared(calls: Calls, done: FinishedItems = NOTHING) -> dict[Any, Spread]:
    """Role and prompt → calls that are due of all parts."""
    found = defaultdict[Any, Spread](lambda: ZERO)
    for part, often in calls.parts():
        for due in calls.due(part, done):
            found[due.role, due.purpose] = found[due.role, due.purpose].plus(
                due.number.times(often)
            )
    return {kind: number for kind, number in found.items() if number.high > 0}


def calls_of(events: list[Event]) -> tuple[Calls, dict[Any, int]]:
    """What a run was to ask, and the calls that stand in its journal."""
    started = events[0]
    assert isinstance(started, RunStarted)
    carried = [
        event.probe for event in events if event.type == "probe_judged" and event.carried
    ]
    material = started.material or started.problems or carried
    made = Counter((call.role, call.purpose) for call in calls_in(events))
    return METHODS[started.spec.method].calls(started.spec, material), dict(made)


@pytest.mark.parametrize("method", runnable())
def test_what_it_declares_is_what_it_asks(method: str, call: Caller) -> None:
    events = list(read_events(run_of(call, method)))
    calls, made = calls_of(events)
    due = declared(calls)
    assert set(made) <= set(due)
    for kind, number in due.items():
        assert number.low <= made.get(kind, 0) <= number.high, kind
        is_certain = method in CERTAIN and kind != ("judge", "selection")
        assert not is_certain or number.low == number.high, kind


@pytest.mark.parametrize("method", runnable())
def test_what_its_journal_has_is_not_due(method: str, call: Caller) -> None:
    events = list(read_events(run_of(call, method)))
    sink = MemorySink(lambda: datetime.now(UTC))
    sink.load(events)
    calls, _ = calls_of(events)
    before, after = declared(calls), declared(calls, FinishedItems(sink, events[0].run_id))
    assert all(number.low == 0 for number in after.values())
    assert (
        sum(number.high for number in after.values())
        < sum(number.high for number in before.values()) / 2
    )
    assert method not in CERTAIN or not after
