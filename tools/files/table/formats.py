"""Rows as JSON, JSON lines and CSV hold them, each with its place; every fault is a sentence."""

import csv
import io
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from ....state.errors import UsageError
from ..text import Data, quoted
from .cells import kind

MAX_PIECES = 4_000_000
"""Brackets and quotation marks: each list, object and text takes some sixty bytes of memory, however short it is."""
MAX_ROWS = 100_000
_SEPARATOR = re.compile(r'"?sep=([,;\t|])"?', re.IGNORECASE)
"""What Excel writes and reads as a line of its own before the header."""
_HEADER = 10_000
"""Characters of the first line that are looked at for its separator."""


class RawRow(NamedTuple):
    place: str
    """Where it stands: `Line 3 of graph.csv`."""
    cells: Mapping[str, Any]
    key: str = ""
    """Its name, in an object of rows."""


class RawTable(NamedTuple):
    rows: Sequence[RawRow]
    about: Mapping[str, Any] = {}
    """What stands beside the list of rows, in an object that holds one."""
    spreadsheet: bool = False
    """Whether it is CSV, where a blank cell may be an empty text, or none."""

    @property
    def columns(self) -> list[str]:
        """All names of cells, in the order in which they turn up."""
        return list(dict.fromkeys(name for row in self.rows for name in row.cells))


class _Fault(ValueError):
    """Of JSON that can be read and is not used."""


def parse_json(text: str, where: str) -> Any:
    """Raises UsageError for what is not JSON, and for what no file of ours would hold: a key twice in one object, what
    is no number, and more pieces than the memory should hold."""
    _require_few(text.count("[") + text.count("{") + text.count('"'), where)
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)
    except RecursionError:
        raise UsageError(f"{where} is nested too deeply: name another one.") from None
    except json.JSONDecodeError as error:
        place = f"{error.msg}: line {error.lineno} column {error.colno}"
        raise UsageError(f"{where} is not valid JSON ({place}): mend it.") from error
    except _Fault as error:
        raise UsageError(f"{where} {error}: mend it.") from None
    except ValueError as error:  # thousands of digits
        raise UsageError(f"{where} holds a number that cannot be used ({str(error)[:80]}): mend it.") from None


def _require_few(pieces: int, where: str) -> None:
    if pieces > MAX_PIECES:
        raise UsageError(f"{where} holds millions of pieces: split it, or name another one.")


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for place, name in enumerate(names) if name in names[:place])
        raise _Fault(f"has the key {quoted(twice)} twice in one object")
    return found


def _no_number(name: str) -> object:
    raise _Fault(f"holds a number that cannot be used ({name})")


def json_table(data: Data, inner: str, bare: str) -> RawTable:
    """`inner`: member of an object that holds the list of rows; `bare`: column of a mere text in the place of a row.
    JSON lines where it turns out to be those."""
    try:
        value = parse_json(data.text, f"The file {data.path}")
    except UsageError as error:
        if isinstance(error.__cause__, json.JSONDecodeError) and error.__cause__.msg == "Extra data":
            return lines_table(data)
        raise
    about = {}
    if isinstance(value, dict) and inner and isinstance(value.get(inner), list):
        about, value = value, value[inner]
    if isinstance(value, list):
        rows = [_row(one, f"Item {number} of {data.path}", bare) for number, one in enumerate(value, 1)]
    elif isinstance(value, dict):
        rows = [_row(one, f"The entry {quoted(key)} of {data.path}", bare, key) for key, one in value.items()]
    else:
        raise UsageError(f"The file {data.path} holds {kind(value)}: it must be a list of {data.holds}.")
    return RawTable(rows, about)


def _row(value: object, place: str, bare: str = "", key: str = "") -> RawRow:
    if bare and (isinstance(value, str) or (key and value is None)):
        value = {bare: value}
    if not isinstance(value, dict):
        raise UsageError(f"{place} is {kind(value)}: it must be an object, as in {{…}}.")
    return RawRow(place, value, key)


def lines_table(data: Data) -> RawTable:
    """Line by line, since a file that Fathom wrote may be large."""
    data.require_text()
    _require_few(sum(data.raw.count(sign) for sign in (b"[", b"{", b'"')), f"The file {data.path}")
    rows = []
    for number, raw in enumerate(io.BytesIO(data.raw), 1):
        if raw.strip():
            place = f"Line {number} of {data.path}"
            rows.append(_row(parse_json(_line(data, raw, number), place), place))
    return RawTable(rows)


def _line(data: Data, raw: bytes, number: int) -> str:
    try:
        return raw.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError:
        raise UsageError(f"The file {data.path} is not UTF-8 (line {number}): save it in that encoding.") from None


def csv_table(data: Data, known: Collection[str]) -> RawTable:
    """As spreadsheets write it: commas, semicolons or tabs, with the columns named in the first line regardless of
    case; every cell is a text. `known` are the columns by which the separator is found."""
    records = _records(data, known)
    _, header = next(records, (0, []))
    names = [name.strip().casefold() for name in header]
    if twice := next((name for place, name in enumerate(names) if name and name in names[:place]), None):
        raise UsageError(f"The first line of {data.path} names the column {quoted(twice)} twice: rename one of them.")
    rows = []
    for line, cells in islice(records, MAX_ROWS + 1):
        place = f"Line {line} of {data.path}"
        if len(cells) < len(names) or any(cell.strip() for cell in cells[len(names) :]):
            raise UsageError(
                f"{place} has {len(cells)} columns where the first line has {len(names)}: complete it, and put what "
                "holds the separator, such as a decimal comma, into quotation marks."
            )
        rows.append(RawRow(place, {name: cell for name, cell in zip(names, cells, strict=False) if name}))
    return RawTable(rows, spreadsheet=True)


def _records(data: Data, known: Collection[str]) -> Iterator[tuple[int, list[str]]]:
    """Lines that are not blank, with their numbers; the first one is the header."""
    text = data.text
    sign, _, told = header_of(text, known)
    reader = csv.reader(io.StringIO(text), delimiter=sign, skipinitialspace=True, strict=True)
    before = 0
    try:
        for cells in reader:
            line, before = before + 1, reader.line_num
            if any(cell.strip() for cell in cells):
                if not told:
                    yield line, cells
                told = False
    except csv.Error as error:
        raise UsageError(f"Line {before + 1} of {data.path} is not valid CSV ({error}): mend it.") from None


def header_of(text: str, known: Collection[str]) -> tuple[str, list[str], bool]:
    """The separator, the names in the first line, and whether a line of its own before it tells the separator; else it
    is the sign that splits the line into the most known names."""
    lines = (line.strip()[:_HEADER] for line in io.StringIO(text) if line.strip())
    first = next(lines, "")
    told = _SEPARATOR.fullmatch(first)
    split = {sign: _names(next(lines, "") if told else first, sign) for sign in ([told[1]] if told else ",;\t")}
    sign = max(split, key=lambda sign: (len(set(known) & set(split[sign])), len(split[sign])))
    return sign, split[sign], bool(told)


def _names(line: str, sign: str) -> list[str]:
    return [name.strip(' "').casefold() for name in line.split(sign)]
