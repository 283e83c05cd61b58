"""Rows from JSON and from JSON lines, with every fault as a sentence."""

import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ....state.errors import UsageError
from ..text import quoted
from .row import Row, Table, kind

MAX_PIECES = 4_000_000
"""Brackets and quotation marks: each list, object and text takes some sixty bytes of memory, however short it is."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Which shapes JSON may have beside a list of objects, and an object of them by their ids."""

    inner: str = ""
    """Member of an object that holds the list of rows."""
    bare: str = ""
    """Column of what stands in the place of an object of cells as a mere text."""


class _Doubled(ValueError):
    """A key that stands twice in one object: which one is meant cannot be known."""


def json_table(text: str, path: Path, holds: str, shape: Shape, most: int) -> Table:
    """The rows of a JSON text, at most one more than `most`; of JSON lines, where it turns out to be those. Raises
    UsageError."""
    try:
        value = _parsed(text, f"The file {path}")
    except json.JSONDecodeError as error:
        first = next(line for line in io.StringIO(text) if line.strip())
        if error.msg == "Extra data" and _is_object(first):
            return lines_table(text, path, most)
        raise UsageError(f"The file {path} is not valid JSON ({_short(error)}): mend it.") from None
    if isinstance(value, list):
        return Table(tuple(_listed(value[: most + 1], path, shape)))
    if not isinstance(value, dict):
        raise UsageError(f"The file {path} holds {kind(value)}: it must be a list of {holds}.")
    inner = value.get(shape.inner) if shape.inner else None
    if isinstance(inner, list):
        return Table(
            tuple(_listed(inner[: most + 1], path, shape)), {name: value[name] for name in value if name != shape.inner}
        )
    return Table(tuple(_keyed(value, path, holds, shape)))


def lines_table(text: str, path: Path, most: int) -> Table:
    """The rows of JSON lines, at most one more than `most`. Raises UsageError."""
    rows: list[Row] = []
    _require_few_pieces(text, f"The file {path}")
    for number, line in enumerate(io.StringIO(text), 1):
        if not line.strip():
            continue
        if len(rows) > most:
            break
        place = f"Line {number} of {path}"
        try:
            value = _parsed(line, place, counted=True)
        except json.JSONDecodeError as error:
            raise UsageError(f"{place} is not valid JSON ({_short(error)}): mend it.") from None
        rows.append(Row(place, _object(value, place)))
    return Table(tuple(rows))


def _listed(values: list[object], path: Path, shape: Shape) -> Iterator[Row]:
    for number, value in enumerate(values, 1):
        place = f"Item {number} of {path}"
        bare = bool(shape.bare) and isinstance(value, str)
        yield Row(place, {shape.bare: value} if bare else _object(value, place))


def _keyed(values: Mapping[str, object], path: Path, holds: str, shape: Shape) -> Iterator[Row]:
    for key, value in values.items():
        place = f"The entry {quoted(key)} of {path}"
        if shape.bare and (value is None or isinstance(value, str)):
            yield Row(place, {shape.bare: value}, key)
        elif isinstance(value, dict):
            yield Row(place, value, key)
        else:
            raise UsageError(
                f"{place} is {kind(value)}: the file must hold a list of {holds}, or an object of them by their ids."
            )


def _object(value: object, place: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise UsageError(f"{place} is {kind(value)}: it must be an object, as in {{…}}.")
    return value


def _parsed(text: str, where: str, *, counted: bool = False) -> object:
    """Raises json.JSONDecodeError for what is not JSON, UsageError for what no file of ours would hold."""
    if not counted:
        _require_few_pieces(text, where)
    try:
        return json.loads(text, object_pairs_hook=_told_apart, parse_constant=_no_number)
    except RecursionError:
        raise UsageError(f"{where} is nested too deeply: that is no file of ours; name another one.") from None
    except json.JSONDecodeError:
        raise
    except ValueError as error:  # a key twice, not a number, or one of thousands of digits
        said = error if isinstance(error, _Doubled) else f"holds a number that cannot be used ({str(error)[:80]})"
        raise UsageError(f"{where} {said}: mend it.") from None


def _require_few_pieces(text: str, where: str) -> None:
    if sum(text.count(sign) for sign in '[{"') > MAX_PIECES:
        raise UsageError(f"{where} holds millions of pieces: that is no file of ours; split it, or name another one.")


def _told_apart(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _Doubled(f"has the key {quoted(twice)} twice in one object")
    return found


def _no_number(name: str) -> object:
    raise ValueError(name)


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _short(error: json.JSONDecodeError) -> str:
    return f"{error.msg}: line {error.lineno} column {error.colno}"
