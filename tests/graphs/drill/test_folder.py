"""Whole drills on `folder:PATH`, as a person calls them: real documents, and the simulated world's
own on disk, where every verdict has a known right value."""

import json
from pathlib import Path

import pytest

from fathom.state.result import DrillResult
from fathom.state.spec import DrillSpec
from fathom.state.tiers import Tier

from ...support.command_line import Caller, Said
from ...support.drill.drills import TODAY, lasting
from ...support.world_library import world_folder

pytestmark = pytest.mark.xdist_group(
    "drill_folder"
)  # one worker reads the world's documents once
SEED = 5
DRILL = [
    "drill",
    "Chemical elements",
    "-t",
    "sim:student",
    "-e",
    "sim:evaluator",
    "--display",
    "none",
]
SIZE = [
    "-n",
    "4",
    "-q",
    "1",
    "--threshold",
    "0.001",
    "--as-of",
    TODAY.isoformat(),
    "--sim",
    f"seed={SEED}",
]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What all drills here share: the indexes of folders, and the world's documents in
    `library`."""
    folder = tmp_path_factory.mktemp("kept")
    world_folder(folder / "library", (Tier.COMMON,))
    return folder


@pytest.fixture
def call(
    kept: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Caller:
    monkeypatch.setenv("FATHOM_CACHE", str(kept / "cache.sqlite"))
    (tmp_path / "library").symlink_to(kept / "library")
    return Caller(tmp_path, monkeypatch, capsys)


def whole(said: Said) -> DrillResult:
    assert said.code == 0, said.err
    return DrillResult.model_validate_json(said.out)


def test_the_spec_holds_absolute_paths_and_a_resume_from_elsewhere_finds_them(
    call: Caller, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    words = [*DRILL, *SIZE, "--max-depth", "2", "--no-cache", "--facts", "folder:./library"]
    expected = whole(call(*words, "--json", "--runs", "uncut"))
    cut = call(*words, "--max-calls", "30")
    assert cut.code == 3
    (run,) = call.runs
    spec = DrillSpec.model_validate_json((run / "spec.json").read_bytes())
    assert set(spec.facts.values()) == {(f"folder:{(call.folder / 'library').resolve()}",)}
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    result = whole(
        call("resume", str(run), "--max-calls", "1000", "--display", "none", "--json")
    )
    assert lasting(result) == lasting(expected)


def test_topics_are_planned_drilled_and_resumed_without_their_file(call: Caller) -> None:
    topics = call.folder / "topics.txt"
    topics.write_text("Iron | 2\nNeon\nNonsuchium\nGold\nTin\nZinc\nSilver\n")
    words = [*DRILL, *SIZE, "--max-depth", "2", "--no-cache", "--topics", "topics.txt"]
    words += ["--facts", "folder:library,SPECIALIST=openalex"]
    planned = call("plan", *words, "--json")
    assert planned.code == 0, planned.err
    found = {row["tier"]: row for row in json.loads(planned.out)["topics"]}
    assert (found["COMMON"]["topics"], found["COMMON"]["without"]) == (7, ["Nonsuchium"])
    assert found["SPECIALIST"]["topics"] == 0
    expected = whole(call(*words, "--json", "--runs", "uncut"))
    cut = call(*words, "--max-calls", "30")
    assert cut.code == 3
    topics.unlink()
    (run,) = call.runs
    result = whole(
        call("resume", str(run), "--max-calls", "1000", "--display", "none", "--json")
    )
    assert lasting(result) == lasting(expected)
    assert (result.population, result.roots_lost) == ("topics", ("Nonsuchium",))
    (journal,) = run.glob("events.jsonl")
    assert "Topics with passages: " in journal.read_text()


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("with blanks = and signs", "folder:{}"),
        ("a,b+sim", 'folder:"{}"'),
        (
            "a, tavily",
            'COMMON=folder:"{}",TEXTBOOK=folder:"{}"+folder:library,PROFESSIONAL=folder:library',
        ),
        ("x=1,COMMON=wikipedia", 'folder:"{}"'),
        ("c++", 'folder:"{}",CUTTING_EDGE=folder:library'),
    ],
)
def test_folders_with_odd_names(call: Caller, kept: Path, name: str, written: str) -> None:
    (call.folder / name).symlink_to(kept / "library")
    planned = call("plan", *DRILL[:-2], *SIZE, "--facts", written.replace("{}", name), "--json")
    assert planned.code == 0, planned.err
    said = call(
        *DRILL, "-n", "2", "--max-depth", "1", "--facts", written.replace("{}", name), "--json"
    )
    assert set(whole(said).spec.facts[Tier.COMMON]) == {f"folder:{kept / 'library'}"}


@pytest.mark.parametrize(
    ("facts", "parts"),
    [
        ("folder:a,b", ["Unknown fact source 'b'"]),
        ("folder:c++", ["empty place", 'as in folder:"a,b"']),
        ("folder:a,b=c", ["Unknown tier 'b'"]),
        ('folder:"a,b', ["The quotation marks in", 'write folder:"PATH"']),
        ('folder:"a"b', ["The quotation marks in"]),
        ('folder:""', ["folder needs a path"]),
        ("folder:~nobody-of-this-name/x", ["cannot be found"]),
        ("folder:loop", ["cannot be found"]),
        ("folder:missing", ["There is no folder", "missing"]),
    ],
)
def test_paths_that_cannot_be_right_are_refused_in_one_line(
    call: Caller, facts: str, parts: list[str]
) -> None:
    (call.folder / "loop").symlink_to(call.folder / "loop")
    said = call(*DRILL, *SIZE, "--facts", facts)
    assert (said.code, said.out, said.err.count("\n")) == (2, "", 1)
    for part in parts:
        assert part in said.err
    assert not call.runs
