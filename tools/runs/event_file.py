"""A file of events, one JSON line each, as it is read back."""

import json
from collections.abc import Iterator
from math import isfinite
from pathlib import Path

from pydantic import ValidationError

from ...state.errors import RunFailed
from ...state.events import EVENT, Event
from ...state.faults import place_of, rule_of
from ...state.records import Probe
from ..files.text import quoted

_LONGEST_LINE = 64 * 2**20
"""Bytes of one event; it holds texts of at most some megabytes. What is longer is read in pieces,
which are none."""
_MOST_SIGNS = 30
"""Of one number, point and exponent included."""


def events_with_places(path: Path) -> Iterator[tuple[Event, int, int]]:
    """Each event of a journal with its offset and length in bytes; nothing when there is no file.

    A last line without its line end was being written when the run was killed: it is left out
    unless it is whole. Raises RunFailed, with the line's number, on any other line that is no
    event.
    """
    if not path.exists():
        return
    offset = 0
    with path.open("rb") as lines:
        for number, line in enumerate(
            iter(lambda: lines.readline(_LONGEST_LINE), b""), start=1
        ):
            try:
                event = EVENT.validate_json(line)
            except ValidationError as error:
                if not line.endswith(b"\n"):
                    return
                raise RunFailed(
                    f"{path}, line {number}, is no event of this version of Fathom: "
                    f"{first_fault(error)}. "
                    "The file was changed or damaged."
                ) from error
            yield event, offset, len(line)
            offset += len(line)


def odd_number(line: bytes) -> str | None:
    """The first number in a line of JSON that is endless, none at all, or of more than thirty
    signs, for a message, or None. Whether the line is an event is another question."""
    odd: list[str] = []

    def look(digits: str) -> None:
        if len(digits) > _MOST_SIGNS or not isfinite(float(digits)):
            odd.append(quoted(digits, 20))

    try:
        json.loads(line, parse_constant=look, parse_int=look, parse_float=look)
    except (ValueError, RecursionError):
        return None
    return odd[0] if odd else None


def first_fault(error: ValidationError) -> str:
    """The first thing a validation found wrong, in one phrase."""
    detail = error.errors(include_url=False, include_input=False)[0]
    where = place_of(detail)
    return f"{where}: {rule_of(detail)}" if where else rule_of(detail)


def redone(probe: Probe, depth: int) -> bool:
    """Whether a reopened depth asks this probe anew: it was lost to a fault, or dealt in place of
    one that was."""
    return probe.depth == depth and (probe.round > 0 or probe.outcome.status == "unscored")
