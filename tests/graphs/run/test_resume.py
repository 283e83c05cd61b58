"""A launch of several runs that was interrupted goes on as a whole: two domains, two targets, two
repeats."""

import asyncio
import json
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fathom.commands.options.spec import repeated
from fathom.graphs.run.launch import Launch, LaunchOptions
from fathom.graphs.run.resume_check import is_over
from fathom.sim.server import RunningWorld, Timing
from fathom.state.events import Event
from fathom.state.result import DrillResult
from fathom.state.spec import DrillSpec
from fathom.tools.runs.folders import find_launch, read_events, read_result

from ...support.command_line import Caller, on_a_thread, world
from ...support.drill.drills import lasting, sim_spec

pytestmark = pytest.mark.xdist_group(
    "resume_launch"
)  # one worker makes what all of them begin with

DOMAINS = ("Chemical elements", "Noble gases")
TARGETS = ("expert", "novice")
ENDED, NEVER_BEGAN = 3, 1


@pytest.fixture(scope="module")
def served() -> Iterator[RunningWorld]:
    with on_a_thread(world) as running:
        yield running


def specs(served: RunningWorld) -> list[DrillSpec]:
    evaluator = f"sim@{served.api_url}:evaluator"
    values: dict[str, Any] = {
        "n": 2,
        "max_depth": 2,
        "threshold": 0.001,
        "repeats": 2,
        "evaluator": evaluator,
    }
    return [
        spec
        for domain in DOMAINS
        for target in TARGETS
        for spec in repeated(sim_spec(domain=domain, target=f"sim:{target}", **values))
    ]


def interrupted(served: RunningWorld, folder: Path) -> tuple[Path, str]:
    """The folder and id of a launch of which some runs are complete, some are not, and one never
    began. How many end before a stop takes effect depends on the machine, so a launch that was too
    quick is made again."""
    for attempt in range(10):
        launch, cut = cut_short(served, folder / f"runs{attempt}")
        if cut:
            return folder / f"runs{attempt}", launch
    raise AssertionError("every launch had ended before it could be stopped")


def cut_short(served: RunningWorld, runs: Path) -> tuple[str, bool]:
    ended = Counter[str]()

    def listen(event: Event) -> None:
        ended[event.type] += 1
        if ended["run_finished"] == ENDED:
            launch.stop()
            launch.stop()

    options = LaunchOptions(runs=runs, timing=Timing(jitter_s=0.06))  # no two end together
    launch = Launch[DrillResult](specs(served), options, [listen])
    reports = asyncio.run(launch.run())
    statuses = Counter(report.status for report in reports)
    if not ENDED <= statuses["complete"] < len(reports) - NEVER_BEGAN:
        return launch.id, False
    last = next(report.folder for report in reversed(reports) if report.status == "interrupted")
    assert last is not None
    for name in ("events.jsonl", "result.json"):
        (last / name).unlink(missing_ok=True)
    return launch.id, True


@pytest.fixture(scope="module")
def cut_launch(
    served: RunningWorld, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, str]:
    return interrupted(served, tmp_path_factory.mktemp("launch"))


@pytest.fixture(scope="module")
def truth(served: RunningWorld) -> list[Any]:
    reports = asyncio.run(Launch[DrillResult](specs(served), LaunchOptions()).run())
    return [lasting(report.result) for report in reports if report.result is not None]


@pytest.fixture
def call(
    cut_launch: tuple[Path, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Caller:
    """With a copy of the launch in its working folder."""
    shutil.copytree(cut_launch[0], tmp_path / "runs")
    return Caller(tmp_path, monkeypatch, capsys)


def test_the_launch_goes_on_and_what_was_complete_is_left_alone(
    call: Caller, cut_launch: tuple[Path, str], served: RunningWorld, truth: list[Any]
) -> None:
    _, launch = cut_launch
    before = {
        run.name: (run / "events.jsonl").read_bytes() for run in call.runs if is_over(run)
    }
    asked = len(served.log)
    said = call("resume", launch, "--no-cache", "--json", "--display", "none")
    assert (said.code, said.err) == (0, "")
    folders = find_launch(call.folder / "runs", launch)
    results = [read_result(folder) for folder in folders]
    assert [lasting(result) for result in results if result] == truth
    for name, events in before.items():
        assert (call.folder / "runs" / name / "events.jsonl").read_bytes() == events
    assert not [one for one in list(served.log)[asked:] if one.purpose == "aspects"], (
        "the pools are shared"
    )

    document = json.loads(said.out)
    assert [run["run_id"] for run in document["runs"]] == [folder.name for folder in folders]
    assert {model["label"]: len(model["run_ids"]) for model in document["models"]} == {
        f"sim:{target}": 4 for target in TARGETS
    }, "the runs that were complete before count too"
    means = {(cell["domain"], cell["label"]): cell for cell in document["cells"]}
    for number, place in enumerate((d, f"sim:{target}") for d in DOMAINS for target in TARGETS):
        evds = [result.evd for result in results[2 * number : 2 * number + 2] if result]
        assert means[place]["estimate"] == pytest.approx(sum(evds) / 2)
        assert means[place]["runs"] == 2


def test_what_is_printed_is_about_all_runs(call: Caller, cut_launch: tuple[Path, str]) -> None:
    _, launch = cut_launch
    said = call("resume", launch, "--display", "none")
    assert (said.code, said.err) == (0, "")
    assert all(domain in said.out for domain in DOMAINS)
    assert "told apart" in said.out.split("Comparison")[1]
    shown = call("show", launch)
    assert (shown.code, shown.out) == (0, said.out), (
        "it shows what the end of the launch printed"
    )
    assert call("show", launch, "--json").out == call("resume", launch, "--json").out


def test_one_run_of_a_launch(call: Caller, cut_launch: tuple[Path, str]) -> None:
    """Its repeats are one figure with it, whatever has become of the others."""
    _, launch = cut_launch
    left = [run for run in find_launch(call.folder / "runs", launch) if not is_over(run)]
    others = {run.name: sorted(run.iterdir()) for run in left[1:]}
    said = call("resume", left[0].name[-8:], "--json", "--display", "none")
    assert said.code == 0, said.err
    assert is_over(left[0])
    assert {run.name: sorted(run.iterdir()) for run in left[1:]} == others
    runs = {run["run_id"]: run for run in json.loads(said.out)["runs"]}
    assert len(runs) == 8
    assert runs[left[0].name]["status"] == "complete"
    assert runs[left[-1].name]["status"] == "unfinished"
    assert {runs[run.name]["status"] for run in left[1:]} <= {"unfinished", "interrupted"}


def test_a_sibling_that_is_worked_on_keeps_the_whole_launch_waiting(
    call: Caller, cut_launch: tuple[Path, str]
) -> None:
    from fathom.graphs.run.folder import RunFolder

    left = [run for run in call.runs if not is_over(run)]
    held = RunFolder(left[-1])
    said = call("resume", cut_launch[1], "--display", "none")
    assert (said.code, said.out, said.err.count("\n")) == (2, "", 1)
    assert f"The run {left[-1].name} is being worked on by another process" in said.err
    held.release()
    assert call("resume", cut_launch[1], "--display", "none").code == 0


def test_a_run_that_was_not_told_of_its_launch_belongs_to_it(
    call: Caller, cut_launch: tuple[Path, str]
) -> None:
    left = [run for run in call.runs if not is_over(run)]
    (left[-1] / "launch.json").unlink()
    assert call("resume", cut_launch[1], "--display", "none").code == 0
    assert all(is_over(run) for run in call.runs)
    assert (left[-1] / "launch.json").is_file()


def test_the_launch_in_the_list(
    call: Caller, cut_launch: tuple[Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, launch = cut_launch
    assert (
        call(
            "drill",
            "Uranium",
            "-t",
            "sim:novice",
            "-e",
            "sim:evaluator",
            "-n",
            "2",
            "--max-depth",
            "1",
        ).code
        == 0
    )
    assert (
        len({json.loads((run / "launch.json").read_text())["launch"] for run in call.runs}) == 2
    )
    entries = json.loads(call("list", "--json").out)
    assert Counter(entry["launch"] for entry in entries)[launch] == 8
    monkeypatch.setenv("COLUMNS", "80")
    assert launch not in call("list").out


def test_a_path_goes_through_one_run(call: Caller, cut_launch: tuple[Path, str]) -> None:
    said = call("show", cut_launch[1], "--path", "d01.s00")
    assert (said.code, said.out) == (2, "")
    assert "could be any of 8 runs" in said.err


def test_events_of_runs_that_go_on_are_numbered_on(
    call: Caller, cut_launch: tuple[Path, str]
) -> None:
    said = call("resume", cut_launch[1], "--display", "events")
    assert said.code == 0
    told = Counter(json.loads(line)["run_id"] for line in said.out.splitlines())
    assert set(told) < {run.name for run in call.runs}
    for run in call.runs:
        events = list(read_events(run))
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
