"""Rows of tables as pydantic models: what a column may be called, what a cell may hold, and how a
fault is said. The names that a model's aliases list are the only ones that are known by
themselves; any other column is named with `--columns`."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeVar

import orjson
from pydantic import (
    AfterValidator,
    AliasChoices,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
)

from ...state.errors import UsageError
from ...state.faults import rule_of
from .table import Table, plain
from .text import fold, quoted, some_of, unseen

MOST_UNUSABLE = 20
"""One row in so many may be left out."""
MAX_ID = 120
Columns = Mapping[str, Sequence[str]]
"""Field → the column that holds it, or several of which each holds a part."""


class Row(BaseModel):
    """Base of the rows of every table. A field's column is called as the field, or as one of its
    aliases, whatever the case; of those that a table has the first one counts. What is null, NaN or
    blank is not there."""

    model_config = ConfigDict(
        frozen=True, extra="ignore", populate_by_name=True, loc_by_alias=False
    )
    blank_says: ClassVar[bool] = False
    """Whether a blank text is one all the same, outside of CSV."""

    place: str
    """Where it stands: `Line 3 of graph.csv`."""
    id: Any = ""
    """Of a row without one, in an object of rows, its name there."""


R = TypeVar("R", bound=Row)
M = TypeVar("M", bound=BaseModel)


class Faults:
    """Rows that cannot be used: the place of each, and what is wrong with it."""

    def __init__(self) -> None:
        self.sentences: dict[str, str] = {}

    @contextmanager
    def of(self, place: str) -> Iterator[None]:
        """Keep what is raised about this row, which is left out."""
        try:
            yield
        except UsageError as error:
            self.sentences.setdefault(place, str(error))

    def notice(self, path: Path, rows: int) -> tuple[str, ...]:
        """Say how many are left out, and why the first one is. Raises UsageError where that is more
        than one row in twenty."""
        count = len(self.sentences)
        if not count:
            return ()
        first = next(iter(self.sentences.values()))
        counted = f"{count:,} of {rows:,} rows of {path} cannot be asked"
        if count * MOST_UNUSABLE <= rows:
            return (f"{counted} and are left out. The first: {first}",)
        raise UsageError(f"{counted}, more than one in twenty. The first: {first}")


def rows_of(
    table: Table,
    model: type[R],
    columns: Columns | None = None,
    faults: Faults | None = None,
) -> tuple[R, ...]:
    """The rows as the model has them. `columns`, `faults`: as of `columns_of`, and the rows that
    cannot be read, of which the first one is raised otherwise."""
    chosen = columns_of(table, model, columns)
    rows = []
    for row in table.rows:
        values: dict[str, Any] = {"id": row.key} if row.key else {}
        for field, names in chosen.items():
            cells = [row.cells.get(name) for name in names]
            cell = cells if len(cells) > 1 else cells[0]
            if is_told(cell, blank=model.blank_says):
                values[field] = cell
        with faults.of(row.place) if faults is not None else nullcontext():
            rows.append(checked(model, {**values, "place": row.place}, row.place))
    return tuple(rows)


def names_of(model: type[Row]) -> dict[str, Sequence[str]]:
    """Field → the columns that serve it."""
    names = dict[str, Sequence[str]]()
    for field, info in model.model_fields.items():
        alias = info.validation_alias
        names[field] = (
            [str(name) for name in alias.choices]
            if isinstance(alias, AliasChoices)
            else [field]
        )
    del names["place"]
    return names


def columns_of(
    table: Table, model: type[Row], columns: Columns | None = None
) -> dict[str, Sequence[str]]:
    """Field → its columns, of those that the table has: by the names that are given, else the first
    of the usual ones, so that a blank cell is not filled from another column; a column that is given
    serves no other field. Without `columns` none can be named, as a message knows. Raises UsageError
    for a column that is missing."""
    present = set(table.columns)
    free = present - {name for names in (columns or {}).values() for name in names}
    chosen = dict[str, Sequence[str]]()
    for field, usual in names_of(model).items():
        served = [name for name in usual if name in free][:1]
        names = (columns or {}).get(field, served)
        missing = [name for name in names if name not in present]
        is_keyed = field == "id" and table.rows[0].key
        if not names and model.model_fields[field].is_required() and not is_keyed:
            missing = list(usual)
        if missing:
            raise no_column(table, field, missing, is_nameable=columns is not None)
        if names:
            chosen[field] = names
    return chosen


def parse_columns(
    pairs: Sequence[str] | None, *models: type[Row]
) -> dict[str, tuple[str, ...]]:
    """Pairs `FIELD=COLUMN` with commas between them, of fields that one of the models has;
    `COLUMN+COLUMN` where several hold a part each. Raises UsageError for any other form."""
    fields = list(dict.fromkeys(field for model in models for field in names_of(model)))
    columns = dict[str, tuple[str, ...]]()
    for pair in ",".join(pairs).split(",") if pairs else ():
        field, _, names = (part.strip() for part in pair.partition("="))
        columns[field] = tuple(plain(name) for name in names.split("+"))
        if field not in fields or not all(columns[field]):
            raise UsageError(
                f"--columns cannot be {quoted(pair)}: write FIELD=COLUMN, with one of "
                f"{', '.join(fields)}."
            )
    all_names = [name for several in columns.values() for name in several]
    for name in all_names:
        if all_names.count(name) > 1:
            raise UsageError(
                f"--columns names {quoted(name)} twice: each column holds one thing."
            )
    return columns


def no_column(
    table: Table, field: str, names: Sequence[str], *, is_nameable: bool = True
) -> UsageError:
    """What says that a table has no column for a field, and how to name it."""
    hint = f"name it with --columns {field}=COLUMN" if is_nameable else "add it, or rename one"
    return UsageError(
        f"The file {table.path} has no column {' or '.join(names)}, only "
        f"{some_of(table.columns, 8)}: {hint}."
    )


def ids_of(rows: Sequence[Row]) -> list[str]:
    """The ids of the rows. Raises UsageError for two rows with one id."""
    places: dict[str, str] = {}
    for row in rows:
        first = places.setdefault(row.id, row.place)
        if first != row.place:
            raise UsageError(
                f"{first} and {row.place} have the same id, {quoted(row.id)}: give each its own."
            )
    return list(places)


def is_told(cell: object, *, blank: bool = False) -> bool:
    """Whether a cell is there: null, NaN and what is blank are none."""
    if isinstance(cell, float):
        return not math.isnan(cell)  # data frames mean null by it
    if isinstance(cell, str):
        return blank or bool(cell.strip())
    return cell is not None


def checked(model: type[M], values: object, where: str) -> M:
    """The model with these values. Raises UsageError with the first fault: what the value has, and
    what it must be; `where` begins its sentence."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
    name = ".".join(_part(part) for part in fault["loc"] if part != "[key]") or "value"
    value = fault["input"]
    if fault["type"] == "missing" or (isinstance(value, str) and not value.strip()):
        raise UsageError(f"{where} has no {name}: fill it in.")
    raise UsageError(f"{where} has the {name} {quoted(str(value))}: {rule_of(fault)}.")


def _part(part: int | str) -> str:
    """A step of the path to a fault; keys are whatever somebody wrote."""
    is_plain = isinstance(part, int) or (part.isidentifier() and len(part) < 60)
    return str(part) if is_plain else quoted(str(part))


# What a cell may hold.

_NO_ID = re.compile(r"[\s/@]")


def text(value: object) -> str:
    """A text, a number as it is written (data frames write 18 as 18.0), yes or no as `true` or
    `false`; of a list with one entry that entry."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    if isinstance(value, str):
        return value
    if isinstance(value, int | float):
        return str(value)
    raise ValueError("it must be a text")


def from_json(value: object) -> Any:
    """The value whose JSON a text is; None for a blank one, and any other text as it is."""
    if not isinstance(value, str):
        return value
    try:
        return orjson.loads(value) if value.strip() else None
    except orjson.JSONDecodeError:
        return value


def _parts(signs: str) -> BeforeValidator:
    def parts(value: object) -> list[str]:
        loaded = from_json(value)
        if isinstance(loaded, list):
            return [text(entry) for entry in loaded]
        return [entry for entry in re.split(signs, text(value)) if entry.strip()]

    return BeforeValidator(parts)


def _visible(value: object) -> str:
    loaded = text(value)
    if sign := unseen(loaded):
        raise ValueError(f"take out the invisible sign {sign}")
    return loaded


def _unmarked(value: str) -> str:
    if _NO_ID.search(value):
        raise ValueError("it must have no white space, no / and no @")
    return value


def _depth(value: object) -> object:
    """Also as D1, D2, D3; spreadsheets and data frames write 1 as 1.0 where another cell of the
    column is empty."""
    digit = re.fullmatch(r"\s*[Dd]?([0-9])(?:[.,]0+)?\s*", str(value))
    return int(digit[1]) if digit else value


Text = Annotated[str, BeforeValidator(text)]
Visible = Annotated[str, BeforeValidator(_visible)]
Name = Annotated[Visible, AfterValidator(fold)]
"""Words with single spaces between them."""
Id = Annotated[
    Visible,
    AfterValidator(str.strip),
    Field(min_length=1, max_length=MAX_ID),
    AfterValidator(_unmarked),
]
Ids = Annotated[tuple[str, ...], _parts(r"[;\s]+")]
"""A list of ids, `listed` or with semicolons or blanks between them."""
Labels = Annotated[tuple[str, ...], _parts(";")]
Depth = Annotated[Literal[1, 2, 3], BeforeValidator(_depth)]
