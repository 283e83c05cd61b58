"""Frozen bundles: one file that gives the events back byte for byte, and refuses whatever is not
what it says."""

import gzip
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from fathom.state.errors import RunFailed, UsageError
from fathom.tools.runs import bundle
from fathom.tools.runs.bundle import differences, freeze, read_run

from ...support.drill.recorded import events_of
from .test_folders import FIRST, SECOND, write_run

Lines = list[bytes]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_run(tmp_path / "runs", FIRST)


@pytest.fixture
def frozen(folder: Path, tmp_path: Path) -> Path:
    freeze(folder, tmp_path / "run.fathom")
    return tmp_path / "run.fathom"


def lines_of(file: Path) -> Lines:
    return gzip.decompress(file.read_bytes()).splitlines(keepends=True)


def test_header_and_the_journal_as_it_stands(folder: Path, frozen: Path) -> None:
    header, *events = lines_of(frozen)
    journal = (folder / "events.jsonl").read_bytes()
    assert b"".join(events) == journal
    told = orjson.loads(header)
    assert told["format"] == "fathom-bundle"
    assert (told["version"], told["method"], told["run_id"]) == (1, "drill", FIRST.run_id)
    assert told["events_sha256"] == hashlib.sha256(journal).hexdigest()
    assert (
        told["result_sha256"]
        == hashlib.sha256((folder / "result.json").read_bytes()).hexdigest()
    )
    assert told["created_from"] == orjson.loads(journal.splitlines()[0])["spec_digest"]


def test_the_same_run_gives_the_same_bytes_under_any_name(
    folder: Path, frozen: Path, tmp_path: Path
) -> None:
    freeze(folder, tmp_path / "another name.gz")
    assert (tmp_path / "another name.gz").read_bytes() == frozen.read_bytes()
    assert not list(tmp_path.glob("*.part"))


def test_a_bundle_and_its_run_folder_are_read_alike(
    folder: Path, frozen: Path, tmp_path: Path
) -> None:
    by_file, by_id = read_run(str(frozen), tmp_path), read_run(FIRST.run_id[-8:], folder.parent)
    assert list(by_file.events) == list(by_id.events) == events_of(FIRST)
    assert by_file.run_id == by_id.run_id == FIRST.run_id
    assert by_file.result_sha256 == by_id.result_sha256
    assert (by_file.result, by_id.result) == (None, (folder / "result.json").read_bytes())


def test_output_that_is_in_the_way(folder: Path, frozen: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"run\.fathom exists already: .*--force"):
        freeze(folder, frozen)
    with pytest.raises(UsageError, match="exists already"):
        freeze(folder, tmp_path)
    with pytest.raises(UsageError, match="cannot be written"):
        freeze(folder, tmp_path / "nowhere" / "run.fathom")
    frozen.write_text("old")
    freeze(folder, frozen, force=True)
    assert read_run(str(frozen), tmp_path).run_id == FIRST.run_id


def test_an_unfinished_run_says_how_to_go_on(tmp_path: Path) -> None:
    cut = write_run(tmp_path / "a", FIRST, result=False, cut=30)
    resumed_and_killed = write_run(tmp_path / "b", FIRST, cut=-1)
    half_a_line = write_run(tmp_path / "c", FIRST, tail='{"type":"run_res')
    for folder in (cut, resumed_and_killed, half_a_line):
        with pytest.raises(
            UsageError, match=r"has not finished: `fathom resume aaaa1111` goes on"
        ):
            freeze(folder, tmp_path / "x.fathom")
    assert not (tmp_path / "x.fathom").exists()


def test_a_damaged_journal_is_refused_with_its_line(folder: Path, tmp_path: Path) -> None:
    lines = (folder / "events.jsonl").read_bytes().splitlines(keepends=True)
    for number, line, message in [
        (7, b'{"type":"notice"}\n', r"events\.jsonl, line 7, is no event of this version"),
        (
            9,
            events_of(SECOND)[8].model_dump_json().encode() + b"\n",
            "line 9, belongs to another run",
        ),
        (1, lines[1], "line 1, is not the start of a run"),
    ]:
        changed = [*lines[: number - 1], line, *lines[number:]]
        (folder / "events.jsonl").write_bytes(b"".join(changed))
        with pytest.raises(RunFailed, match=message):
            freeze(folder, tmp_path / "x.fathom")


def test_a_result_without_a_journal(folder: Path, tmp_path: Path) -> None:
    (folder / "events.jsonl").unlink()
    with pytest.raises(RunFailed, match="has a result but no journal"):
        freeze(folder, tmp_path / "x.fathom")


def repack(file: Path, change: Callable[[dict[str, Any], Lines], Lines]) -> None:
    """Write the bundle anew with another header or other lines; digests stay as `change` leaves
    them."""
    header, *events = lines_of(file)
    told = orjson.loads(header)
    changed = change(told, events)
    file.write_bytes(gzip.compress(orjson.dumps(told) + b"\n" + b"".join(changed)))


def sealed(told: dict[str, Any], events: Lines) -> Lines:
    """The header made to fit these events, as somebody would who knows the format."""
    raw = b"".join(events)
    told |= {
        "events": len(events),
        "bytes": len(raw),
        "events_sha256": hashlib.sha256(raw).hexdigest(),
    }
    return events


def with_header(**fields: Any) -> Callable[[dict[str, Any], Lines], Lines]:
    def change(told: dict[str, Any], events: Lines) -> Lines:
        told |= fields
        return events

    return change


OTHER = [event.model_dump_json().encode() + b"\n" for event in events_of(SECOND)]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda _, events: [events[0].replace(b"Chemical", b"Comical!"), *events[1:]],
            "changed after it was frozen",
        ),
        (lambda _, events: events[:-1], "changed after it was frozen"),
        (
            lambda _, events: [events[0], events[2], events[1], *events[3:]],
            "changed after it was frozen",
        ),
        (lambda _, events: [*events, *events], "changed after it was frozen"),
        (
            with_header(version=2),
            "format 2, and this version of Fathom reads up to 1: update Fathom",
        ),
        (with_header(format="zip"), "is no bundle of Fathom: `fathom freeze"),
        (with_header(events="many"), "header of the bundle .* is damaged: events: "),
        (with_header(run_id="another"), "its header names another run"),
        (
            lambda told, events: sealed(told, [*events[:5], b"{}\n", *events[6:]]),
            "line 7, is no event of this version",
        ),
        (lambda told, events: sealed(told, events[:-1]), "holds a run that has not finished"),
        (
            lambda told, events: sealed(told, [*events[:5], OTHER[5], *events[6:]]),
            "line 6, belongs to another run",
        ),
        (lambda told, events: sealed(told, [*events[1:]]), "line 1, is not the start of a run"),
    ],
)
def test_what_was_changed_is_refused(
    frozen: Path, change: Any, message: str, tmp_path: Path
) -> None:
    repack(frozen, change)
    with pytest.raises(UsageError if "no bundle" in message else RunFailed, match=message):
        read_run(str(frozen), tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is no bundle of Fathom"),
        (b"plain text", "is no bundle of Fathom"),
        (gzip.compress(b"", mtime=0), "is no bundle of Fathom: "),
        (gzip.compress(b"[1, 2]\n", mtime=0), "is no bundle of Fathom: "),
        (gzip.compress(b"\xff" * 100, mtime=0), "is no bundle of Fathom: "),
    ],
)
def test_what_is_no_bundle_is_refused(content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(content)
    with pytest.raises((UsageError, RunFailed), match=message):
        read_run(str(tmp_path / "x"), tmp_path)


def test_a_bundle_that_was_cut_off_or_spoilt_on_its_way(frozen: Path, tmp_path: Path) -> None:
    whole = frozen.read_bytes()
    for length in (5, 30, len(whole) // 2, len(whole) - 9, len(whole) - 1):
        frozen.write_bytes(whole[:length])
        with pytest.raises((RunFailed, UsageError)):
            read_run(str(frozen), tmp_path)
    spoilt = bytearray(whole)
    spoilt[len(whole) // 2] ^= 0xFF
    frozen.write_bytes(bytes(spoilt))
    with pytest.raises(RunFailed, match=r"damaged|changed after it was frozen|is no event"):
        read_run(str(frozen), tmp_path)


def test_a_bomb_is_not_unpacked(
    frozen: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However much a small file unpacks to, only as much is read as a bundle may hold."""
    monkeypatch.setattr(bundle, "MOST_UNPACKED", 1 << 20)
    header, *_ = lines_of(frozen)
    for first in (header, b'{"format":"fathom-bundle"'):
        frozen.write_bytes(gzip.compress(first + b" " * (2 << 20), 1))
        with pytest.raises((RunFailed, UsageError), match=r"unpacks to over|is no bundle"):
            read_run(str(frozen), tmp_path)


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"Bundle not found: gone\.fathom"):
        read_run("gone.fathom", tmp_path)
    with pytest.raises(UsageError, match="No run in"):
        read_run("gone", tmp_path)
    with pytest.raises(UsageError, match="No run is named"):
        read_run(" ", tmp_path)


def test_differences_are_named_by_their_fields(folder: Path) -> None:
    run = read_run(str(folder), folder.parent)
    assert run.result is not None
    assert differences(run, run.result) is None
    fields = orjson.loads(run.result)
    assert differences(run, orjson.dumps(fields, option=orjson.OPT_INDENT_2)) == (
        "NOT identical: the values are the same, but its own result.json is laid out anew"
    )
    fields["evd"] += 1
    fields["depths"][1]["correct"] = "4"
    del fields["notes"]
    assert (
        differences(run, orjson.dumps(fields))
        == "NOT identical: other values in depths.1.correct, evd, notes.0, notes.1, notes.2"
    )


def test_differences_from_a_bundle_are_a_matter_of_its_digest(
    folder: Path, frozen: Path, tmp_path: Path
) -> None:
    run, own = read_run(str(frozen), tmp_path), (folder / "result.json").read_bytes()
    assert differences(run, own) is None
    assert (
        differences(run, own + b"\n")
        == "NOT identical: the digest of its own result.json is another one"
    )
