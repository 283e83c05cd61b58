"""`fathom doctor` through the program itself: good, bad, and with nobody to be reached; what it
says, exit codes."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from fathom.sim.server import RunningWorld

from ..support.command_line import Caller, on_a_thread, world
from ..support.library_files import STROKE, write
from ..support.screen import active_characters

CLOSED = "http://127.0.0.1:9"


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Caller:
    caller = Caller(tmp_path, monkeypatch, capsys)
    monkeypatch.setenv("FATHOM_CACHE", str(tmp_path / "cache" / "cache.sqlite"))
    return caller


@pytest.fixture
def running() -> Iterator[RunningWorld]:
    with on_a_thread(world) as served:
        yield served


def test_a_set_up_that_can_run(call: Caller, running: RunningWorld) -> None:
    write(call.folder / "notes, old", {"stroke.md": STROKE})
    at = running.api_url
    words = [
        "-t",
        f"sim@{at}:student",
        "-e",
        "sim:evaluator",
        "--facts",
        'folder:"notes, old",PROFESSIONAL=sim',
    ]
    (call.folder / "topics.txt").write_text("Stroke\nGout\n")
    words += ["--topics", "topics.txt"]
    said = call("doctor", *words, "--call")
    assert said.code == 0, said.out
    assert "✗" not in said.out
    assert f"✓ folder:{call.folder}/notes, old: 1 document" in said.out
    assert f"✓ sim@{at}:student: replied in " in said.out
    assert "✓ sim:evaluator: replied in " in said.out
    assert "! topics: COMMON, TEXTBOOK" in said.out
    assert "1 of 2 (none on Gout)" in said.out
    assert said.err == "All checks passed.\n"
    assert not active_characters(said.out)
    # it leaves nothing behind but what it has read of the folder
    left = sorted(path.name for path in call.folder.iterdir())
    assert left == ["cache", "notes, old", "topics.txt"]


def test_what_the_doctor_finds_good_can_be_drilled_and_what_it_finds_bad_cannot(
    call: Caller, running: RunningWorld
) -> None:
    models = ["-t", f"sim@{running.api_url}:student", "-e", f"sim@{running.api_url}:evaluator"]
    for facts, code in (
        (f"sim@{running.base_url}", 0),
        ("folder:nowhere", 1),
        ("zim:none.zim", 1),
    ):
        assert call("doctor", *models, "--facts", facts).code == code
        drilled = call(
            "drill",
            "Chemical elements",
            *models,
            "--facts",
            facts,
            "-n",
            "2",
            "--max-depth",
            "1",
        )
        assert (drilled.code == 0) == (code == 0), drilled.err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["-t", "gpt-5"], "is not a model"),
        (["-t", "sim:nobody"], "no model 'nobody'"),
        (["--facts", "encarta"], "Unknown fact source 'encarta'"),
        (["--facts", "folder:a,b"], "Unknown fact source 'b'"),
        (["--facts", "tavily"], "No fact source serves COMMON"),
        (["--language", "EN!"], "is not a language code"),
    ],
)
def test_what_cannot_be_looked_at_is_refused_with_2(
    call: Caller, words: list[str], says: str
) -> None:
    said = call("doctor", *words)
    assert (said.code, said.out, said.err.count("\n")) == (2, "", 1)
    assert says in said.err
