"""One row of a table that a person hands over, and its cells by name and kind."""

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import NamedTuple

import orjson

from ....state.depthqa.items import DEPTHS
from ....state.errors import UsageError
from ..text import quoted, unseen

MAX_ID = 120
_HALF = re.compile("[\ud800-\udfff]")
_LIST = re.compile(r"""\[\s*(?:(?:'[^']*'|"[^"]*"|\d++)[\s,]*)*\]""")
_LISTED = re.compile(r"""'([^']*)'|"([^"]*)"|(\d+)""")
_DEPTH = re.compile(r"\s*[Dd](?=[0-9])")
_APART = re.compile(r"[;\s]+")
_WHOLE = re.compile(r"([0-9]{1,9})(?:[.,]0{1,9})?")
"""Spreadsheets and data frames write 1 as 1.0 where another cell of the column is empty."""
_NO_ID = re.compile(r"[\s/@]")
_KINDS: dict[type, str] = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}


class Row(NamedTuple):
    """Cells by the name of their column; one that is null, or not there, is None."""

    place: str
    """Where it stands: `Line 3 of graph.csv`."""
    cells: Mapping[str, object]
    key: str | None = None
    """Its name, in an object of rows."""

    def has(self, *names: str) -> bool:
        return any(self.cells.get(name) is not None for name in names)


class Table(NamedTuple):
    rows: tuple[Row, ...]
    about: Mapping[str, object] = {}
    """What stands beside the list of rows, in an object that holds one."""
    spreadsheet: bool = False
    """Whether it is CSV, where a blank cell may be an empty text, or none."""

    def columns(self) -> list[str]:
        """All names of cells, in the order in which they turn up."""
        return list(dict.fromkeys(name for row in self.rows for name in row.cells))


def kind(value: object) -> str:
    """What a value is, for a message."""
    return _KINDS.get(type(value), "a number" if isinstance(value, int | float) else f"a {type(value).__name__}")


def text(row: Row, where: str, *names: str) -> str | None:
    """The first of these cells that is not blank, a whole number as its digits; a blank one for want of any other, None
    where none is there.

    `where` begins the message of the UsageError that another kind of value, or half a surrogate pair, raises.
    """
    blank = None
    for name in names:
        value = row.cells.get(name)
        if value is None:
            continue
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, str) and not value.strip():
            blank = value
            continue
        if not isinstance(value, str):
            raise UsageError(f"{where} has {kind(value)} as its {name}: it must be a text.")
        if half := _HALF.search(value):
            raise UsageError(f"{where} has a broken sign (U+{ord(half[0]):04X}) in its {name}: take it out.")
        return value
    return blank


def id_of(row: Row, *names: str) -> str:
    """The row's id: the first of these cells, else the key. Raises UsageError for none, and for one that cannot be a
    node's: over 120 characters, with white space, `/`, `@` or an invisible sign."""
    named = text(row, row.place, *names)
    found = (named or row.key or "").strip()
    if not found:
        raise UsageError(f"{row.place} has no id: give each row one, in the column {names[0]}.")
    if row.key is not None and row.key.strip() != found:
        raise UsageError(f"{row.place} has the id {quoted(found)}, which is not its key: make them one.")
    fault = _NO_ID.search(found)
    hidden = unseen(found[: MAX_ID + 1])
    if fault or hidden or len(found) > MAX_ID:
        what = f"{len(found)} characters" if len(found) > MAX_ID else hidden or quoted(fault[0] if fault else "")
        raise UsageError(
            f"{row.place} has the id {quoted(found)}, which holds {what}: an id has at most {MAX_ID} signs, "
            "no white space, no / and no @."
        )
    return found


def ids(row: Row, where: str, name: str) -> tuple[str, ...] | None:
    """A list of ids, `listed` or with semicolons or blanks between them; None where the cell is not there."""
    value = listed(row.cells.get(name))
    if isinstance(value, list):
        found = [text(Row(row.place, {name: one}), where, name) for one in value]
        if None in found:
            raise UsageError(f"{where} has null among its {name}: take it out.")
        return tuple(one for one in found if one is not None)
    said = text(row, where, name)
    return None if said is None else tuple(one for one in _APART.split(said) if one)


def listed(value: object) -> object:
    """The list that a text holds, as JSON, Python or numpy write one of texts; any other value as it is."""
    if not isinstance(value, str) or not value.strip().startswith("["):
        return value
    try:
        found = orjson.loads(value)
    except orjson.JSONDecodeError:
        if not _LIST.fullmatch(value.strip()):
            return value
        return [one or other or number for one, other, number in _LISTED.findall(value)]
    return found if isinstance(found, list) else value


def whole(row: Row, where: str, name: str, allowed: Collection[int]) -> int:
    """A whole number of those allowed. Raises UsageError for anything else, and for none."""
    value = row.cells.get(name)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, str) and (digits := _WHOLE.fullmatch(value.strip())):
        value = int(digits[1])
    wanted = ", ".join(map(str, allowed))
    if value is None or value == "":
        raise UsageError(f"{where} has no {name}: it must be one of {wanted}.")
    if isinstance(value, bool) or not isinstance(value, int) or value not in allowed:
        shown = quoted(value) if isinstance(value, str) else value if isinstance(value, int | float) else kind(value)
        raise UsageError(f"{where} has the {name} {shown}: it must be one of {wanted}.")
    return value


def depth_of(row: Row, where: str) -> int:
    """The row's depth: 1, 2 or 3, also as D1, D2, D3."""
    value = row.cells.get("depth")
    plain = _DEPTH.sub("", value) if isinstance(value, str) else value
    return whole(row._replace(cells={"depth": plain}) if plain else row, where, "depth", DEPTHS)


def truth(row: Row, where: str, name: str) -> bool:
    """True or false; false where the cell is not there, or empty."""
    value = row.cells.get(name)
    word = value.strip().casefold() if isinstance(value, str) else value
    if word is None or word in ("", "false", "no", "0", 0):
        return False
    if word in ("true", "yes", "1", 1):
        return True
    raise UsageError(f"{where} has {kind(value)} as its {name}: it must be true or false.")


def named(node: str, path: Path) -> str:
    """How a message names a node: every one of them names its file, too."""
    return f"The node {node} of {path}"
