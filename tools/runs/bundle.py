"""Frozen bundles: one finished run in one file, from which its result can be computed again
anywhere.

A bundle is gzip over JSON lines: a header, then every event of the run's journal, byte for byte.
The same run gives the same file. What is read may come from anybody: sizes are limited before
anything is unpacked, and digests are checked before anything is believed.
"""

import gzip
import hashlib
import os
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ... import __version__
from ...state.errors import RunFailed, UsageError
from ...state.events import EVENT, Event, RunFinished, RunStarted
from ...state.result import FORMAT as RESULT_FORMAT
from ..files.output import write_whole
from .event_file import events_with_places, first_fault, odd_number
from .folders import EVENTS, RESULT, find_run, is_elsewhere, is_run, require_not_of_run

FORMAT: Final = "fathom-bundle"
VERSION = 1
SUFFIX = ".fathom"
MOST_UNPACKED = 64 * 2**20
"""Bytes its events may have once unpacked: thirty times a usual run. In memory they take a dozen
times as much."""
MOST_HEADER = 64 * 2**10
_GZIP = b"\x1f\x8b"
_FORMAT = b'"format": %d' % RESULT_FORMAT
_EARLIER = (b'"format": 1',)
"""What stands in its place in results of earlier versions, where nothing else differs."""
MOST_FIELDS = 12
"""Differing fields that a sentence names."""


class Header(BaseModel):
    """The first line of a bundle."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    format: Literal["fathom-bundle"] = FORMAT
    version: int = VERSION
    """Of this format."""
    fathom: str
    """Version of Fathom that froze the run."""
    run_id: str
    method: str
    created_from: str
    """Digest of the spec the run began with."""
    events: int = Field(ge=2)
    """How many."""
    bytes: int = Field(ge=2)
    """Of all events together, line ends included."""
    events_sha256: str
    result_sha256: str
    """Of the run's own `result.json`, which is not in the bundle: it is computed again."""


@dataclass(frozen=True, slots=True)
class Frozen:
    """A finished run, wherever it was read from."""

    name: str
    """The folder or the bundle, as a sentence names it."""
    events: tuple[Event, ...]
    result_sha256: str
    result: bytes | None
    """`result.json` as it stands in the run folder; None from a bundle, which has its digest only.
    """
    foreign: bool
    """Whether anybody may have made it: it is a bundle, or a run folder outside the folder of the
    runs."""

    @property
    def run_id(self) -> str:
        return self.events[0].run_id

    @property
    def title(self) -> str:
        return f"The {'bundle' if self.result is None else 'run'} {self.name}"


def freeze(folder: Path, output: Path, *, force: bool = False) -> Header:
    """Write the run in `folder` as one file; returns its header.

    Raises UsageError for a run that has not finished, an output that exists (unless forced) or is a
    folder, or cannot be written; RunFailed, with the line, for a journal that was damaged.
    """
    if output.exists() and (output.is_dir() or not force):
        raise UsageError(
            f"The output {output} exists already: name another file, or overwrite a file with "
            "--force."
        )
    require_not_of_run(output)
    frozen, raw = _read_folder(folder)
    started = frozen.events[0]
    assert isinstance(started, RunStarted)  # _read_folder refuses everything else
    header = Header(
        fathom=__version__,
        run_id=frozen.run_id,
        method=started.spec.method,
        created_from=started.spec_digest,
        events=len(frozen.events),
        bytes=len(raw),
        events_sha256=_sha256(raw),
        result_sha256=frozen.result_sha256,
    )
    if len(raw) > MOST_UNPACKED:
        raise UsageError(f"The run {folder.name} is too large to be frozen: over 64 MiB.")
    content = header.model_dump_json().encode() + b"\n" + raw
    # without a time: the same content gives the same bytes
    write_whole(output, gzip.compress(content, mtime=0), "The bundle")
    return header


def read_run(text: str, runs_dir: Path) -> Frozen:
    """A finished run by what a person types: a bundle's file, or a run folder, its id, or `last`.

    Raises UsageError when there is none, it has not finished, is no bundle or holds numbers that no
    run writes, and RunFailed for what is damaged, changed or too new.
    """
    path = Path(text)
    if text.strip() and os.path.isfile(text):  # False as well for a name that no file can have
        return _read_bundle(path)
    if path.suffix == SUFFIX and not is_run(path):
        raise UsageError(
            f"Bundle not found: {text}. Give a bundle file, a run folder or a run id."
        )
    folder = find_run(runs_dir, text)
    frozen, _ = _read_folder(folder)
    return replace(frozen, foreign=is_elsewhere(folder, runs_dir))


def _read_folder(folder: Path) -> tuple[Frozen, bytes]:
    """The run in a folder, and its journal as it stands there."""
    short = folder.name.rpartition("-")[2]
    unfinished = UsageError(
        f"The run {folder.name} has not finished: `fathom resume {short}` goes on with it."
    )
    try:
        result, raw = (folder / RESULT).read_bytes(), (folder / EVENTS).read_bytes()
    except FileNotFoundError as error:
        if error.filename and Path(error.filename).name == EVENTS:
            raise RunFailed(
                f"The run {folder.name} has a result but no journal: it cannot be computed again."
            ) from None
        raise unfinished from None
    placed = list(events_with_places(folder / EVENTS))
    events = tuple(event for event, _, _ in placed)
    whole = sum(length for _, _, length in placed)
    if not events or not isinstance(events[-1], RunFinished) or whole != len(raw):
        raise unfinished
    _require_one_run(events, f"The journal of {folder.name}")
    return Frozen(str(folder), events, _sha256(result), result, foreign=False), raw


def _require_one_run(events: Sequence[Event], name: str) -> None:
    if not isinstance(events[0], RunStarted):
        raise RunFailed(
            f"{name}, line 1, is not the start of a run. The file was changed or damaged."
        )
    for number, event in enumerate(events, start=1):
        if event.run_id != events[0].run_id:
            raise RunFailed(
                f"{name}, line {number}, belongs to another run. The file was changed or damaged."
            )


def _read_bundle(path: Path) -> Frozen:
    with path.open("rb") as file:
        is_packed = file.read(len(_GZIP)) == _GZIP
    try:
        with gzip.open(path) as packed:
            header = _header(path, packed.readline(MOST_HEADER) if is_packed else b"")
            raw = packed.read(MOST_UNPACKED + 1)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise RunFailed(
            f"{path} is no bundle of Fathom, or it was cut off or damaged ({error}): get it again "
            "from where it was frozen."
        ) from error
    if len(raw) > MOST_UNPACKED:
        raise RunFailed(f"The bundle {path} unpacks to over 64 MiB, which no run does.")
    if _sha256(raw) != header.events_sha256:
        raise RunFailed(
            f"The bundle {path} was changed after it was frozen: its events do not match the "
            "digest in its header."
        )
    events = list[Event]()
    for number, line in enumerate(raw.splitlines(), start=2):
        events.append(_event(path, number, line))
    if not events or not isinstance(events[-1], RunFinished):
        raise RunFailed(f"The bundle {path} holds a run that has not finished.")
    _require_one_run(events, f"The bundle {path}")
    if events[0].run_id != header.run_id:
        raise RunFailed(
            f"The bundle {path} was changed after it was frozen: its header names another run."
        )
    return Frozen(str(path), tuple(events), header.result_sha256, None, foreign=True)


def _header(path: Path, line: bytes) -> Header:
    try:
        fields = orjson.loads(line)
    except orjson.JSONDecodeError:
        fields = None
    if not isinstance(fields, dict) or fields.get("format") != FORMAT:
        raise UsageError(
            f"{path} is no bundle of Fathom: `fathom freeze RUN -o FILE` makes one."
        )
    version = fields.get("version")
    if isinstance(version, int) and version > VERSION:
        raise RunFailed(
            f"The bundle {path} has format {version}, and this version of Fathom reads up to "
            f"{VERSION}: update Fathom."
        )
    try:
        return Header.model_validate(fields)
    except ValidationError as error:
        raise RunFailed(
            f"The header of the bundle {path} is damaged: {first_fault(error)}."
        ) from error


def _event(path: Path, number: int, line: bytes) -> Event:
    if (odd := odd_number(line)) is not None:
        raise UsageError(
            f"The bundle {path}, line {number}, holds the number {odd}, which no run writes."
        )
    try:
        return EVENT.validate_json(line)
    except ValidationError as error:
        raise RunFailed(
            f"The bundle {path}, line {number}, is no event of this version of Fathom: "
            f"{first_fault(error)}."
        ) from error


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


_FORMAT_FIELD = "provenance.format"
_NOTHING = object()


def differences(run: Frozen, recomputed: bytes) -> str | None:
    """How a recomputed `result.json` differs from the run's own, in words; None when they are the
    same bytes."""
    texts = [recomputed, *(recomputed.replace(_FORMAT, text, 1) for text in _EARLIER)]
    if run.result_sha256 in map(_sha256, texts):
        return None
    if run.result is None:
        return "NOT identical: the digest of its own result.json is another one"
    try:
        before, after = orjson.loads(run.result), orjson.loads(recomputed)
    except orjson.JSONDecodeError:
        return "NOT identical: its own result.json is no JSON any more"
    flat_before, flat_after = dict(_leaves(before)), dict(_leaves(after))
    differing = [
        name
        for name in flat_before.keys() | flat_after.keys()
        if flat_before.get(name, _NOTHING) != flat_after.get(name, _NOTHING)
    ]
    fields = sorted(differing)
    if (
        _FORMAT_FIELD in fields
    ):  # of an earlier version: what is measured no more is no difference
        fields = [name for name in fields if name != _FORMAT_FIELD and name in flat_after]
        if not fields:
            return None
    if not fields:
        return (
            "NOT identical: the values are the same, but its own result.json is laid out anew"
        )
    more = f" and {len(fields) - MOST_FIELDS} more" if len(fields) > MOST_FIELDS else ""
    return f"NOT identical: other values in {', '.join(fields[:MOST_FIELDS])}{more}"


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """The values of JSON by their places, as `depths.3.accuracy`."""
    members: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, list):
        members = enumerate(value)
    elif isinstance(value, dict):
        members = value.items()
    if not isinstance(value, list | dict) or not value:
        yield name, value
    for key, member in members:
        yield from _leaves(member, f"{name}.{key}" if name else str(key))
