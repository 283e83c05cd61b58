"""Tables that a person hands over, as rows of a model: JSON, JSON lines, CSV or Parquet, up to 32
MB."""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from ....state.errors import UsageError
from ....state.faults import rule_of
from ..text import Data, quoted, read_data, some_of
from .cells import kind
from .formats import (
    MAX_ROWS,
    Table,
    csv_table,
    is_parquet,
    json_table,
    lines_table,
    parquet_table,
)

MOST_UNUSABLE = 20
"""One row in so many may be left out."""
Aliases = Mapping[str, Sequence[str]]
"""Field → the columns that serve it, whatever their case; of those that a row fills in the first
one counts."""


class Row(BaseModel):
    """Base of the rows of every table. A field's column is called as the field, where `aliases`
    names no others. What is null, NaN or blank is not there."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    aliases: ClassVar[Aliases] = {}
    blank_says: ClassVar[bool] = False
    """Whether a blank text is one all the same."""

    place: str
    """Where it stands: `Line 3 of graph.csv`."""
    id: Any = ""
    """Of a row without one, in an object of rows, its name there."""


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
        if count > 1:
            first = f"{counted}, more than one in twenty: correct them. The first: {first}"
        raise UsageError(first)


R = TypeVar("R", bound=Row)


def read_table(source: Path | Data, holds: str, *, inner: str = "", bare: str = "") -> Table:
    """The cells of a file, which may have been read already; blank lines are none. `holds` says
    what is wanted of it, in plural.

    A file is what its suffix says: .json, .jsonl or .ndjson, .csv or .tsv; Parquet is known by its
    first bytes. Any other one is JSON or JSON lines when it begins with { or [, else CSV. JSON is a
    list of rows, an object of them by their ids, or one whose member `inner` is such a list; `bare`
    is the column of a mere text in the place of a row.
    """
    data = source if isinstance(source, Data) else read_data(source, holds)
    suffix = data.path.suffix.casefold()
    if is_parquet(data):
        table = parquet_table(data)
    elif suffix in (".jsonl", ".ndjson"):
        table = lines_table(data)
    elif suffix == ".json" or (
        suffix not in (".csv", ".tsv") and data.text.lstrip().startswith(("{", "["))
    ):
        table = json_table(data, inner, bare)
    else:
        table = csv_table(data)
    if not table.rows:
        hint = " below the names of its columns" if table.spreadsheet else ""
        raise UsageError(f"The file {data.path} holds no {data.holds}: it has no row{hint}.")
    if len(table.rows) > MAX_ROWS:
        raise UsageError(
            f"The file {data.path} has more than {MAX_ROWS:,} rows of {data.holds}: split it."
        )
    return table


def rows_of(raw: Table, model: type[R], faults: Faults | None = None) -> tuple[R, ...]:
    """The rows as the model has them. `faults` collects the rows that cannot be read, of which the
    first one is raised otherwise."""
    fields = columns_by_field(model)
    keyed = any(row.key for row in raw.rows)
    for field, names in fields.items():
        missing = model.model_fields[field].is_required() and not set(names) & set(raw.columns)
        if missing and not (keyed and field == "id"):
            raise UsageError(
                f"The file {raw.path} has no column {one_of(names)}, only {some_of(raw.columns)}: "
                "add it, or rename"
                " one."
            )
    rows = []
    for row in raw.rows:
        cells = {
            name: cell for name, cell in row.cells.items() if is_told(cell, blank=model.blank_says)
        }
        values: dict[str, Any] = {"place": row.place}
        for field, names in fields.items():
            if name := next((name for name in names if name in cells), ""):
                values[field] = cells[name]
        if row.key and not is_told(values.get("id")):
            values["id"] = row.key
        with faults.of(row.place) if faults is not None else nullcontext():
            rows.append(checked(model, values, row.place))
    return tuple(rows)


def columns_by_field(model: type[Row]) -> dict[str, Sequence[str]]:
    """Field → the columns that serve it."""
    return {
        name: model.aliases.get(name, (name,)) for name in model.model_fields if name != "place"
    }


def columns_of(model: type[Row]) -> set[str]:
    """All names of columns that the model knows."""
    return {name for names in columns_by_field(model).values() for name in names}


def ids_of(rows: Sequence[Row], usual: Sequence[str] = ()) -> list[str]:
    """The ids of the rows; one without its own has the usual one. Raises UsageError for two rows
    with one id."""
    places: dict[str, str] = {}
    for index, row in enumerate(rows):
        name = row.id or usual[index]
        if places.setdefault(name, row.place) != row.place:
            raise UsageError(
                f"{places[name]} and {row.place} have the same id, {quoted(name)}: give "
                "each its own."
            )
    return list(places)


def one_of(names: Sequence[str]) -> str:
    first = ", ".join(names[:-1])
    return " or ".join(filter(None, (first, names[-1])))


def is_told(cell: object, *, blank: bool = False) -> bool:
    """Whether a cell is there: null, NaN and what is blank are none."""
    if isinstance(cell, float) and math.isnan(cell):  # data frames mean null by it
        return False
    return cell is not None and (blank or not isinstance(cell, str) or bool(cell.strip()))


M = TypeVar("M", bound=BaseModel)


def checked(model: type[M], values: Mapping[str, Any], where: str) -> M:
    """The model with these values. Raises UsageError with the first fault; `where` begins its
    sentence."""
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
            is_plain = isinstance(value, str | int | float)
            words = quoted(str(value)) if is_plain else kind(value)
            return f"has the {name} {words}: it must be {context['expected']}"
        case "string_too_long" | "too_long" if isinstance(value, str):
            return (
                f"has {len(value):,} characters as its {name}: use at most "
                f"{context['max_length']:,}"
            )
    return f"has {kind(value)} as its {name}: {rule_of(first)}"


def _part(part: int | str) -> str:
    """A step of the path to a fault; keys are whatever somebody wrote."""
    return (
        str(part)
        if isinstance(part, int) or (part.isidentifier() and len(part) < 60)
        else quoted(part)
    )
