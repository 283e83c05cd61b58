"""Tables that a person hands over, as rows of a model: JSON, JSON lines, CSV or Parquet, up to 32 MB."""

import math
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from pydantic import AliasChoices, BaseModel, ConfigDict, ValidationError

from ....state.errors import UsageError
from ..text import Data, quoted, some_of
from .cells import kind
from .formats import MAX_ROWS, RawTable, csv_table, json_table, lines_table
from .parquet import is_parquet, parquet_table


class Row(BaseModel):
    """Base of the rows of every table. A field's aliases are the spellings of its column; the first one that a row
    fills in counts. What is null, NaN or blank is not there."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    blank_says: ClassVar[bool] = False
    """Whether a blank text is one all the same."""

    place: str
    """Where it stands: `Line 3 of graph.csv`."""
    key: str
    """Its name, in an object of rows; empty elsewhere. It is the id of a row that has none."""


R = TypeVar("R", bound=Row)


def read_table(data: Data, model: type[R], *, inner: str = "", bare: str = "") -> tuple[R, ...]:
    """The rows of a file. `inner` and `bare`: see `raw_table`.

    Raises UsageError, in one sentence with file, row and column, for what cannot be read, has no row or more than
    100,000, lacks a column, or holds a cell that its field refuses.
    """
    return rows_of(raw_table(data, columns_of(model), inner=inner, bare=bare), model, data.path)


def raw_table(data: Data, known: Collection[str], *, inner: str = "", bare: str = "") -> RawTable:
    """The cells of a file; blank lines are none. `known` are the columns by which the separator of CSV is found.

    A file is what its suffix says: .json, .jsonl or .ndjson, .csv or .tsv; Parquet is known by its first bytes. Any
    other one is JSON or JSON lines when it begins with { or [, else CSV. JSON is a list of rows, an object of them by
    their ids, or one whose member `inner` is such a list; `bare` is the column of a mere text in the place of a row.
    """
    suffix = data.path.suffix.casefold()
    if is_parquet(data):
        table = parquet_table(data)
    elif suffix in (".jsonl", ".ndjson"):
        table = lines_table(data)
    elif suffix == ".json" or (suffix not in (".csv", ".tsv") and data.text.lstrip().startswith(("{", "["))):
        table = json_table(data, inner, bare)
    else:
        table = csv_table(data, known)
    if not table.rows:
        below = " below the names of its columns" if table.spreadsheet else ""
        raise UsageError(f"The file {data.path} holds no {data.holds}: it has no row{below}.")
    if len(table.rows) > MAX_ROWS:
        raise UsageError(f"The file {data.path} has more than {MAX_ROWS:,} rows of {data.holds}: split it.")
    return table


def rows_of(raw: RawTable, model: type[R], path: Path, named: Mapping[str, str] | None = None) -> tuple[R, ...]:
    """The rows as the model has them. `named`: field → the column that is taken for it in this file."""
    columns, fields = raw.columns, spellings(model)
    keyed = any(row.key for row in raw.rows)
    for field, names in fields.items():
        missing = model.model_fields[field].is_required() and not set(names) & set(columns)
        if missing and not (named and field in named) and not (keyed and field == "id"):
            raise UsageError(
                f"The file {path} has no column {one_of(names)}, only {some_of(columns)}: add it, or rename one."
            )
    rows = []
    for row in raw.rows:
        cells = {name: cell for name, cell in row.cells.items() if is_told(cell, blank=model.blank_says)}
        if named:
            cells = {field: cells[column] for field, column in named.items() if column in cells}
        ids = ("id",) if named else fields.get("id", ())
        if row.key and ids and not cells.keys() & set(ids):
            cells[ids[0]] = row.key
        rows.append(checked(model, {**cells, "place": row.place, "key": row.key}, row.place))
    return tuple(rows)


def spellings(model: type[Row]) -> dict[str, tuple[str, ...]]:
    """Field → the names of columns that serve it."""
    aliases = {
        name: field.validation_alias for name, field in model.model_fields.items() if name not in Row.model_fields
    }
    return {
        name: tuple(map(str, alias.choices)) if isinstance(alias, AliasChoices) else (name,)
        for name, alias in aliases.items()
    }


def left_aside(raw: RawTable, known: Collection[str], path: Path) -> tuple[str, ...]:
    """A notice of the columns that are none of these."""
    aside = [name for name in raw.columns if name not in known]
    return (f"What {path} holds as {some_of(aside)} is left aside.",) if aside else ()


def columns_of(model: type[Row]) -> set[str]:
    """All names of columns that the model knows."""
    return {name for names in spellings(model).values() for name in names}


def ids_of(rows: Sequence[Row], own: Sequence[str], usual: Sequence[str]) -> list[str]:
    """The ids of the rows. One without its own has the usual one, with an `a` behind it where another is called so.
    Raises UsageError for two rows with one id."""
    places: dict[str, str] = {}
    for row, name in zip(rows, own, strict=True):
        if name and places.setdefault(name, row.place) != row.place:
            raise UsageError(f"{places[name]} and {row.place} have the same id, {quoted(name)}: give each its own.")
    found = []
    for row, name, free in zip(rows, own, usual, strict=True):
        while not name and free in places:
            free += "a"
        found.append(name or free)
        places[found[-1]] = row.place
    return found


def one_of(names: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def is_told(cell: object, *, blank: bool = False) -> bool:
    """Whether a cell is there: null, NaN and what is blank are none."""
    if isinstance(cell, float) and math.isnan(cell):  # data frames mean null by it
        return False
    return cell is not None and (blank or not isinstance(cell, str) or bool(cell.strip()))


M = TypeVar("M", bound=BaseModel)


def checked(model: type[M], values: Mapping[str, Any], where: str) -> M:
    """The model with these values. Raises UsageError with the first fault; `where` begins its sentence."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise UsageError(f"{where} {fault_of(error)}.") from None


def fault_of(error: ValidationError) -> str:
    """The first fault as the rest of a sentence: what the value has, and what it must be."""
    first = error.errors(include_url=False)[0]
    name = ".".join(_part(part) for part in first["loc"] if part != "[key]")
    value, context = first["input"], first.get("ctx", {})
    if isinstance(value, str) and not value.strip():
        return f"has no {name}: fill it in"
    match first["type"]:
        case "missing":
            return f"has no {name}: fill it in"
        case "value_error":
            return str(context["error"]).replace("{}", name, 1)
        case "literal_error":
            shown = (
                quoted(value) if isinstance(value, str) else value if isinstance(value, int | float) else kind(value)
            )
            return f"has the {name} {shown}: it must be {context['expected']}"
        case "string_too_long" | "too_long" if isinstance(value, str):
            return f"has {len(value):,} characters as its {name}: use at most {context['max_length']:,}"
        case "bool_parsing" | "bool_type":
            return f"has {kind(value)} as its {name}: it must be true or false"
    wanted = first["msg"].replace("Input should", "it must").replace("a valid dictionary", "an object, as in {…}")
    return f"has {kind(value)} as its {name}: {wanted[0].lower()}{wanted[1:]}"


def _part(part: int | str) -> str:
    """A step of the path to a fault; keys are whatever somebody wrote."""
    return str(part) if isinstance(part, int) or (part.isidentifier() and len(part) < 60) else quoted(part)
