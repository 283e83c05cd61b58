"""What `fathom resume` refuses, and what it goes on with by force: one sentence, and nothing is
touched."""

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from fathom import __version__
from fathom.graphs.run.folder import RunFolder, read_launch
from fathom.state.result import DrillResult
from fathom.state.tiers import TIERS, Tier

from ...support.command_line import STUDENT, Caller, Said
from ...support.drill.drills import sim_spec
from ...support.resuming import SIZE, at_probe, lines_of, stopped, write_lines

DRILL = [
    "drill",
    "Chemical elements",
    "-n",
    "2",
    "--max-depth",
    "1",
    *STUDENT,
]
QUIET = ["--display", "none"]


def killed(runs: Path, **changes: Any) -> Path:
    """The folder of a run that was killed in its depth 2."""
    spec = sim_spec(**SIZE | {"n": 3, "max_depth": 2} | changes)
    folder = asyncio.run(stopped(runs, at_probe(2, 1), spec))
    write_lines(folder, [line for line in lines_of(folder) if b'"run_finished"' not in line])
    (folder / "result.json").unlink()
    return folder


@pytest.fixture(scope="module")
def killed_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return killed(tmp_path_factory.mktemp("killed"))


@pytest.fixture
def run(call: Caller, killed_once: Path) -> Path:
    """A killed run of one's own."""
    return Path(shutil.copytree(killed_once, call.folder / "runs" / killed_once.name))


def change(file: Path, *path: str, to: Any) -> None:
    """Another value in a file of JSON, or in the first line of one of JSON lines."""
    first, _, rest = (
        file.read_text().partition("\n")
        if file.suffix == ".jsonl"
        else (file.read_text(), "", "")
    )
    document = json.loads(first)
    part = document
    for name in path[:-1]:
        part = part[name]
    part[path[-1]] = to
    file.write_text(json.dumps(document) + "\n" + rest)


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def assert_refused(call: Caller, words: list[str], *parts: str, code: int = 2) -> Said:
    """In one sentence that has the parts; the run folders stay as they are."""
    before = {run.name: content(run) for run in call.runs}
    said = call("resume", *words, *QUIET)
    assert (said.code, said.out) == (code, ""), said.err
    assert said.err.count("\n") == 1, said.err
    assert said.err.startswith("Error: ")
    for part in parts:
        assert part in said.err
    assert {run.name: content(run) for run in call.runs} == before
    return said


def test_no_such_run(call: Caller) -> None:
    assert_refused(call, ["last"], "There is no run in runs", "fathom drill")
    assert_refused(call, ["deadbeef"], "No run in runs is called 'deadbeef'", "fathom list")
    assert_refused(call, [" "], "RUN is missing")


def test_a_complete_run_has_nothing_to_resume(call: Caller) -> None:
    assert call(*DRILL, *QUIET).code == 0
    (run,) = call.runs
    before = content(run)
    launch = json.loads((run / "launch.json").read_text())["launch"]
    for name in ("last", run.name, run.name[-8:], str(run), launch):
        said = call("resume", name)
        assert (said.code, said.out) == (0, "")
        assert said.err == f"{run.name} is complete: there is nothing to resume.\n"
    document = json.loads(call("resume", "last", "--json").out)
    assert DrillResult.model_validate(document).run_id == run.name
    assert content(run) == before


@pytest.mark.parametrize("name", ["spec.json", "launch.json"])
def test_without_its_spec_or_launch(call: Caller, run: Path, name: str) -> None:
    whole = (run / name).read_text()
    (run / name).write_text("{ torn")
    assert_refused(call, ["last"], f"{name} is not of this version of Fathom", "restore it")
    (run / name).unlink()
    assert_refused(call, ["last"], f"{name} cannot be read", "cannot be resumed without it")
    (run / name).write_text(whole)
    assert call("resume", "last", *QUIET).code == 0


def test_a_run_killed_before_its_first_event_goes_on_from_its_spec(
    call: Caller, run: Path
) -> None:
    for name in ("result.json", "events.jsonl", "log.jsonl"):
        (run / name).unlink(missing_ok=True)
    assert call("resume", "last", *QUIET).code == 0
    assert json.loads((run / "result.json").read_text())["status"] == "complete"


def test_another_runs_broken_files_are_no_trouble(call: Caller, run: Path) -> None:
    other = run.with_name("20200101T000000-drill-other-00000000")
    other.mkdir()
    for name in ("launch.json", "spec.json", "events.jsonl"):
        (other / name).write_text("[]")
    launch = json.loads((run / "launch.json").read_text())["launch"]
    assert call("resume", launch, *QUIET).code == 0
    assert call("show", launch).code == 0


def test_a_run_that_another_process_works_on(call: Caller, run: Path) -> None:
    held = RunFolder(run)
    assert_refused(
        call,
        ["last"],
        f"The run {run.name} is being worked on by another process",
        "wait for it, or stop it",
    )
    held.release()
    assert call("resume", "last", *QUIET).code == 0


def test_a_damaged_line_is_named(call: Caller, run: Path) -> None:
    lines = (run / "events.jsonl").read_text().splitlines(keepends=True)
    (run / "events.jsonl").write_text("".join([*lines[:2], "{}\n", *lines[3:]]))
    assert_refused(
        call, ["last"], "events.jsonl, line 3, is no event", "changed or damaged", code=1
    )


CHANGES = [
    (
        "events.jsonl",
        ("prompts", "verdict"),
        "0123456789abcdef",
        "the prompt 'verdict' has changed",
    ),
    (
        "events.jsonl",
        ("version",),
        "0.0.1",
        f"it was started by version 0.0.1 of Fathom and this is {__version__}",
    ),
]


@pytest.mark.parametrize(("file", "path", "value", "part"), CHANGES)
def test_what_has_changed_is_shown_and_force_goes_on(
    call: Caller, run: Path, file: str, path: tuple[str, ...], value: Any, part: str
) -> None:
    change(run / file, *path, to=value)
    assert_refused(
        call,
        ["last"],
        f"The run {run.name} cannot simply go on: ",
        part,
        "Undo that, or resume with --force",
    )
    forced = call("resume", "last", "--force", "--json", *QUIET)
    assert forced.code == 0, forced.err
    result = DrillResult.model_validate_json(forced.out)
    assert any(f"Resumed by force although {part}" in note for note in result.notes)
    assert f"although {part}" in " ".join(call("show", "last").out.split())


def test_what_was_forced_once_is_not_refused_again(call: Caller, run: Path) -> None:
    change(run / "events.jsonl", "version", to="0.0.1")
    assert call("resume", "last", "--force", *QUIET).code == 0
    (run / "result.json").unlink()
    again = call("resume", "last", "--json", *QUIET)
    assert again.code == 0, again.err
    notes = DrillResult.model_validate_json(again.out).notes
    assert sum("Resumed by force although it was started by" in note for note in notes) == 1


@pytest.mark.parametrize(
    ("name", "value"),
    [("n", 4), ("domain", "Noble gases"), ("target", "sim:expert"), ("answer_tokens", 512)],
)
def test_another_run_is_refused_even_by_force(
    call: Caller, run: Path, name: str, value: Any
) -> None:
    change(run / "spec.json", name, to=value)
    assert_refused(
        call,
        ["last", "--force"],
        f"cannot go on with another {name}, not even by force",
        "start a run of its own",
    )


def test_documents_that_have_changed(call: Caller) -> None:
    notes = call.folder / "notes"
    notes.mkdir()
    for name, number in {
        "neon": 10,
        "gold": 79,
        "iron": 26,
        "helium": 2,
        "argon": 18,
        "zinc": 30,
    }.items():
        said = (
            f"Among the chemical elements {name} has the atomic number {number}. {name.title()} "
            "is solid or gaseous."
        )
        (notes / f"{name}.md").write_text(f"# {name.title()}\n\n{said}\n")
    source = f"folder:{notes}"
    run = killed(
        call.folder / "runs",
        facts=dict.fromkeys(TIERS, ("sim",)) | {Tier.SPECIALIST: (source,)},
    )
    (notes / "neon.md").write_text("# Neon\n\nNeon glows in orange.\n")
    assert_refused(call, ["last"], f"the content of {source} has changed")
    forced = call("resume", "last", "--force", "--json", *QUIET)
    assert forced.code == 0, forced.err
    assert f"although the content of {source} has changed" in forced.out
    assert run.name in forced.out


@pytest.mark.parametrize(
    "words", [["--budget", "0"], ["--max-calls", "0"], ["--display", "films"], ["--price", "x"]]
)
def test_options_that_make_no_sense(call: Caller, run: Path, words: list[str]) -> None:
    before = {run.name: content(run) for run in call.runs}
    said = call("resume", "last", *words)
    assert (said.code, said.out, said.err.count("\n")) == (2, "", 1), said.err
    assert {run.name: content(run) for run in call.runs} == before


def test_what_an_older_launch_wrote_besides_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "launch.json").write_text(
        '{"launch": "a1b2c3d4", "runs": ["r"], "hedge": true}'
    )
    assert read_launch(tmp_path).runs == ("r",)
