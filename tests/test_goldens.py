"""What may not change while the program is rebuilt: recorded runs, and all that is read from
them."""

import io
import json
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer

from fathom import cli
from fathom.reports.live.display import make_display
from fathom.state.events import EVENT, RunResumed

from .goldens.recordings import (
    ARCHIVES,
    GOLDENS,
    METHODS,
    happened,
    lasting,
    made_again,
    picture_data,
    recordings,
)
from .support.command_line import Caller
from .support.reports import GAUGE, events_of, framed, interleaved
from .support.screen import screen, written
from .support.snapshot import assert_snapshot

HEIGHT = 40
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
REDUCED = ("eqt", "depthqa")
"""Methods whose results held more when they were recorded."""
PLOTTED = ("eqt", "depthqa", "deepquestion")
MORE: Mapping[str, tuple[str, ...]] = {"drill": ("--wrong", "--limit", "3")} | {
    method: ("--path", PARTS[method][-1], "--with-prompts")
    for method in (*PLOTTED, "depthqa_build")
}
by_method = pytest.mark.parametrize("method", METHODS)
finished = pytest.mark.parametrize("kind", ["complete", "faults"])


@dataclass(frozen=True)
class Shown:
    """The program, called where the recorded runs are."""

    call: Caller
    monkeypatch: pytest.MonkeyPatch

    def __call__(self, *words: str, width: int = 100) -> str:
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


def keep(method: str, name: str, *texts: str) -> None:
    assert_snapshot(name, f"\n{'=' * 60}\n".join(texts), GOLDENS / method)


# the recorded run


@finished
@by_method
def test_a_result_follows_from_its_journal(
    method: str, kind: str, show: Shown, tmp_path: Path
) -> None:
    run, again = recordings(method)[kind], tmp_path / "again.json"
    show("freeze", run.name, "-o", str(tmp_path / "run.fathom"))
    said = show.call("replay", str(tmp_path / "run.fathom"), "-o", str(again), "--json")
    assert (said.code, "NOT identical" in said.err) == (
        (1, True) if method in REDUCED else (0, False)
    )
    documents = (said.out, again.read_text(encoding="utf-8"), show("show", run.name, "--json"))
    before = lasting(json.loads(run.files["result.json"]))
    assert [lasting(json.loads(document)) for document in documents] == [before] * 3


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
        lasting(json.loads(each["result.json"]), run.name, new.name) for each in (files, run.files)
    )
    assert now == before
    assert happened(files["events.jsonl"], new.name) == happened(
        run.files["events.jsonl"], run.name
    )


# what is shown of it


@pytest.mark.parametrize(
    ("kind", "width"), [("complete", 80), ("complete", 120), ("faults", 100), ("cut", 80)]
)
@by_method
def test_what_show_prints(method: str, kind: str, width: int, show: Shown) -> None:
    keep(method, f"show_{kind}_{width}", show("show", recordings(method)[kind].name, width=width))


@by_method
def test_a_run_that_was_cut_off_as_json(method: str, show: Shown) -> None:
    """The journal's records, which stand in the golden by their ids, and what they amount to so
    far."""
    run = recordings(method)["cut"]
    document = json.loads(show("show", run.name, "--json"))
    events = [json.loads(line) for line in run.journal]
    records = {
        each["id"]: each
        for event in events
        for each in (event.get("probe"), event.get("item"))
        if each
    }
    for name in {"probes", "items"} & document.keys():
        assert all(each == records[each["id"]] for each in document[name])
        document[name] = [each["id"] for each in document[name]]
    keep(method, "show_cut_json", json.dumps(document, indent=1, ensure_ascii=False))


@by_method
def test_a_part_in_full(method: str, show: Shown) -> None:
    run = recordings(method)["complete"].name
    ways = [
        *(("--path", part) for part in PARTS[method]),
        *([MORE[method]] if method in MORE else []),
    ]
    keep(method, "traces_100", *(show("show", run, *way) for way in ways))


@by_method
def test_the_run_as_lines(method: str) -> None:
    console = screen(120)
    display = make_display("lines", console=console, stdout=io.StringIO(), gauge=lambda: GAUGE)
    for event in events_of(method):
        display.handle(event)
    keep(method, "lines", written(console))


SCREENS: Mapping[tuple[int, int], tuple[tuple[str, int], ...]] = {
    (80, 24): (
        *(("running", number) for number in (1, 2, 12, 40)),
        ("finished", 1),
        ("cut off", 1),
        ("resumed", 1),
    ),
    (100, 30): (("running", 1), ("running", 12), ("finished", 2)),
    (200, 50): (("running", 1), ("running", 40)),
}
"""Width and height → in which state so many runs are shown."""


@pytest.mark.parametrize("size", SCREENS, ids=lambda size: "x".join(map(str, size)))
@by_method
def test_the_live_screen(method: str, size: tuple[int, int]) -> None:
    texts = [
        f"{state}, {number}\n\n{on_screen(method, state, number, size)}"
        for state, number in SCREENS[size]
    ]
    keep(method, f"screen_{size[0]}", *texts)


def on_screen(method: str, state: str, number: int, size: tuple[int, int]) -> str:
    """So many runs, each of several a bit less far than the one before it."""
    whole, cut = events_of(method), events_of(method, "cut")
    if state == "cut off":
        ended = {
            "run_id": cut[0].run_id,
            "status": "interrupted",
            "stop_reason": "interrupted",
            "evd": None,
        }
        return framed([*cut, whole[-1].model_copy(update=ended)], *size)
    if state == "resumed":
        again = RunResumed(
            run_id=cut[0].run_id, spec=cut[0].spec, version="0", probes=len(cut), at=cut[-1].at
        )
        rest = [
            event.model_copy(update={"run_id": cut[0].run_id}) for event in whole[len(cut) : -2]
        ]
        return framed([*cut, again, *rest], *size)
    far = [
        1.0 if state == "finished" else 1.2 - (place + 1) / (number + 1) for place in range(number)
    ]
    runs = [events_of(method, run=f"{place:08}") for place in range(number)]
    begun = [
        run[: max(1, int(len(run) * min(1, part)))] for run, part in zip(runs, far, strict=True)
    ]
    return framed(interleaved(*begun), *size)


@pytest.mark.parametrize("method", PLOTTED)
def test_the_data_of_the_pictures(method: str, show: Shown, tmp_path: Path) -> None:
    show("show", recordings(method)["complete"].name, "--plots", str(tmp_path / "plots"))
    keep(method, "plots", *map(data_of, sorted((tmp_path / "plots").iterdir())))


def data_of(file: Path) -> str:
    return f"{file.name}\n{picture_data(file.read_text(encoding='utf-8'))}"


# all of them together


def test_the_profile_of_all(show: Shown) -> None:
    words = [
        "profile",
        *(recordings(method)["complete"].name for method in ("drill", *PLOTTED)),
        "--domain",
        "Elements",
    ]
    keep("together", "profile_120", show(*words, width=120))
    keep("together", "profile_json", show(*words, "--json"))


def test_the_list_of_all(show: Shown) -> None:
    """Those of an older version and those that were cut off are among them."""
    listed = json.loads(show("list", "--json"))
    assert {entry["id"] for entry in listed} == {
        run.short for m in METHODS for run in recordings(m).values()
    }
    keep(
        "together",
        "list",
        show("list", width=80),
        show("list", width=120),
        *map(json.dumps, listed),
    )


# runs of an older version


@by_method
def test_runs_of_an_older_version_stay_readable(method: str, show: Shown) -> None:
    """What they amount to is computed anew with the differences listed, where there are any."""
    old, unfinished = recordings(method)["old"].name, recordings(method)["old cut"].name
    again = show.call("replay", old)
    assert again.code == ("NOT identical" in again.err), again.err
    texts = (
        show("show", old),
        show("show", unfinished),
        show("show", old, "--path", PARTS[method][0]),
    )
    keep(method, "old_100", again.err, *map(head, texts))


def head(text: str) -> str:
    return "\n".join(text.splitlines()[:8])


@pytest.mark.parametrize("bundle", sorted(ARCHIVES.glob("*.fathom")), ids=lambda path: path.name)
def test_bundles_of_an_older_version_open(bundle: Path, show: Shown) -> None:
    show.monkeypatch.setattr(socket.socket, "connect", None)
    said = show.call("replay", str(bundle))
    assert said.code == ("NOT identical" in said.err), said.err
    keep(bundle.stem.partition("-")[0], "old_bundle", said.err, head(said.out))


# the command line


def commands(group: Any, *words: str) -> Iterator[tuple[str, ...]]:
    """The words of every command, those of groups included."""
    yield words
    for name in group.list_commands(None) if hasattr(group, "list_commands") else ():
        yield from commands(group.get_command(None, name), *words, name)


@pytest.mark.parametrize("words", [*commands(PROGRAM)], ids=" ".join)
def test_help(words: tuple[str, ...], show: Shown) -> None:
    keep("help", "_".join(words) or "fathom", show(*words, "--help", width=80))


def test_help_is_as_wide_as_the_terminal(show: Shown) -> None:
    keep(
        "help",
        "wide_120",
        *(show(*words, "--help", width=120) for words in ((), ("drill",), ("show",))),
    )
