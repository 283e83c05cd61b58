"""What may not change by accident: what a run comes to when it is made again, and what is shown of
it at the width of 100 cells, once for each method and state."""

import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer

from fathom import cli
from fathom.graphs.method import steps_of
from fathom.reports.live.display import make_display
from fathom.state.events import EVENT, RunResumed

from .contracts.recordings import METHODS, happened, lasting, made_again, recordings
from .support.command_line import Caller
from .support.paths import ROOT
from .support.reports import GAUGE, events_of, fits, framed, interleaved
from .support.screen import screen, written
from .support.snapshot import assert_snapshot

GOLDENS = ROOT / "tests" / "goldens"
WIDTH, HEIGHT = 100, 30
PROGRAM: Any = typer.main.get_command(cli.app)
"""Put together once: each call would do it anew."""
PARTS: Mapping[str, tuple[str, ...]] = {
    "drill": ("d03.s01.r0",),
    "replay": ("d02.s01.r0",),
    "rejudge": ("d02.s01.r0.old",),
    "eqt": ("c002.q1", "c001"),
    "depthqa": ("spreader", "spreader.1@multi-turn"),
    "depthqa_build": ("spreader", "spreader.1"),
    "deepquestion": ("chem-04", "chem-21@many", "q2s@draft2"),
}
"""What of a run is shown in full."""
WRONG = ("--wrong", "--limit", "3")
by_method = pytest.mark.parametrize("method", METHODS)
finished = pytest.mark.parametrize("kind", ["complete", "faults"])


@dataclass(frozen=True)
class Shown:
    """The program, called where the recorded runs are."""

    call: Caller
    monkeypatch: pytest.MonkeyPatch

    def __call__(self, *words: str, width: int = WIDTH) -> str:
        """What is printed at that width, without a fault."""
        self.monkeypatch.setenv("COLUMNS", str(width))
        said = self.call(*words)
        assert said.code == 0, said.err
        return said.out


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All recorded runs, in a folder `runs`."""
    place = tmp_path_factory.mktemp("goldens")
    for method in METHODS:
        for recording in recordings(method).values():
            recording.write(place / "runs")
    return place


@pytest.fixture
def show(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Shown]:
    """Nothing that is read from the recorded runs adds to them or changes them."""
    for name in ("FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE", "LINES", "TERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(cli, "app", PROGRAM)
    before = {path: path.stat().st_mtime_ns for path in (folder / "runs").rglob("*")}
    yield Shown(Caller(folder, monkeypatch, capsys), monkeypatch)
    assert {path: path.stat().st_mtime_ns for path in (folder / "runs").rglob("*")} == before


def assert_golden(method: str, name: str, *texts: str) -> None:
    assert_snapshot(name, f"\n{'=' * 60}\n".join(texts), GOLDENS / method)


# the recorded run


@finished
@by_method
def test_an_event_is_written_as_it_was(method: str, kind: str) -> None:
    for line in recordings(method)[kind].journal:
        assert EVENT.validate_json(line).model_dump_json() == line


@finished
@by_method
def test_the_same_words_come_to_the_same(
    method: str,
    kind: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Apart from times, the run's id, and the versions of what it was made with."""
    run, drill = made_again(method)[kind], recordings("drill")[kind]
    drill.write(tmp_path / "runs")  # which a replay names
    for name, text in run.inputs.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    call = Caller(tmp_path, monkeypatch, capsys)
    said = call(*run.words, "--display", "none")
    assert said.code == 0, said.err
    (new,) = (path for path in call.runs if path.name != drill.name)
    files = {name: (new / name).read_text(encoding="utf-8") for name in run.files}
    assert files["spec.json"] == run.files["spec.json"]
    now, before = (
        lasting(json.loads(each["result.json"]), run.name, new.name)
        for each in (files, run.files)
    )
    assert now == before
    assert happened(files["events.jsonl"], new.name) == happened(
        run.files["events.jsonl"], run.name
    )


# what is shown of it


@pytest.mark.parametrize("kind", ["complete", "faults", "cut"])
@by_method
def test_what_show_prints(method: str, kind: str, show: Shown) -> None:
    assert_golden(method, f"show_{kind}", show("show", recordings(method)[kind].name))


@by_method
def test_a_run_that_was_cut_off_as_json(method: str, show: Shown) -> None:
    """It holds the journal's records."""
    run = recordings(method)["cut"]
    document = json.loads(show("show", run.name, "--json"))
    events = [json.loads(line) for line in run.journal]
    records = [each for event in events for each in (event.get("probe"), event.get("item"))]
    for name in {"probes", "items"} & document.keys():
        assert all(each in records for each in document[name])


@by_method
def test_a_part_in_full(method: str, show: Shown) -> None:
    run = recordings(method)["complete"].name
    ways: list[tuple[str, ...]] = [("--path", part) for part in PARTS[method]]
    ways += [WRONG] if method == "drill" else []
    assert_golden(method, "traces", *(show("show", run, *way) for way in ways))


@by_method
def test_the_run_as_lines(method: str) -> None:
    console = screen(WIDTH)
    display = make_display(
        "lines", console=console, stdout=io.StringIO(), gauge=lambda: GAUGE, steps_of=steps_of
    )
    for event in events_of(method):
        display.handle(event)
    assert_golden(method, "lines", written(console))


STATES = (("running", 1), ("running", 12), ("finished", 2), ("cut off", 1), ("resumed", 1))
"""In which state so many runs are shown."""


@by_method
def test_the_live_screen(method: str) -> None:
    texts = [
        f"{state}, {number}\n\n{on_screen(method, state, number)}" for state, number in STATES
    ]
    assert_golden(method, "screen", *texts)


def on_screen(method: str, state: str, number: int) -> str:
    """So many runs, each of several a bit less far than the one before it."""
    whole, cut = events_of(method), events_of(method, "cut")
    if state == "cut off":
        ended = {
            "run_id": cut[0].run_id,
            "status": "interrupted",
            "stop_reason": "interrupted",
            "evd": None,
        }
        return framed([*cut, whole[-1].model_copy(update=ended)], WIDTH, HEIGHT)
    if state == "resumed":
        again = RunResumed(
            run_id=cut[0].run_id, spec=cut[0].spec, version="0", probes=len(cut), at=cut[-1].at
        )
        rest = [
            event.model_copy(update={"run_id": cut[0].run_id}) for event in whole[len(cut) : -2]
        ]
        return framed([*cut, again, *rest], WIDTH, HEIGHT)
    far = [
        1.0 if state == "finished" else 1.2 - (place + 1) / (number + 1)
        for place in range(number)
    ]
    runs = [events_of(method, run=f"{place:08}") for place in range(number)]
    begun = [
        run[: max(1, int(len(run) * min(1, part)))] for run, part in zip(runs, far, strict=True)
    ]
    return framed(interleaved(*begun), WIDTH, HEIGHT)


# all of them together


def test_the_profile_of_all(show: Shown) -> None:
    named = [
        recordings(method)["complete"].name
        for method in ("drill", "eqt", "depthqa", "deepquestion")
    ]
    assert_golden("together", "profile", show("profile", *named, "--domain", "Elements"))


def test_the_list_of_all(show: Shown) -> None:
    """Those that were cut off are among them."""
    assert {entry["id"] for entry in json.loads(show("list", "--json"))} == {
        run.short for m in METHODS for run in recordings(m).values()
    }
    assert_golden("together", "list", show("list"))


# the command line


def commands(group: Any, *words: str) -> Iterator[tuple[str, ...]]:
    """The words of every command, those of groups included."""
    yield words
    for name in group.list_commands(None) if hasattr(group, "list_commands") else ():
        yield from commands(group.get_command(None, name), *words, name)


@pytest.mark.parametrize("words", [*commands(PROGRAM)], ids=" ".join)
def test_help(words: tuple[str, ...], show: Shown) -> None:
    text = show(*words, "--help", width=80)
    assert " ".join(("fathom", *words)) in text
    fits(text, 80)
