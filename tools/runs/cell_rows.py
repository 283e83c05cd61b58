"""The cells of a campaign as rows of a table, the same in SQLite and in PostgreSQL."""

from collections.abc import Iterable

from pydantic import ValidationError
from pydantic_core import to_json

from ...state.campaign import CellState
from ...state.errors import UsageError
from .event_file import first_fault

TABLES = """
CREATE TABLE fathom_studies (study TEXT PRIMARY KEY, began TEXT NOT NULL);
CREATE TABLE fathom_cells (
  cell TEXT PRIMARY KEY,
  status TEXT NOT NULL,
  run TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  error TEXT NOT NULL,
  changed TEXT,
  record TEXT NOT NULL
)
"""
"""`record` is the whole `CellState` as JSON; the other columns are for people who look with SQL."""
WRITE = """
ON CONFLICT (cell) DO UPDATE SET status = excluded.status, run = excluded.run, attempts = excluded.attempts,
error = excluded.error, changed = excluded.changed, record = excluded.record
WHERE fathom_cells.run IN ('', excluded.run)
"""
"""How an INSERT of rows ends, so that each replaces the one of the same cell. A cell keeps the run
it was given first."""
Row = tuple[str, str, str, int, str, str | None, str]


def rows_of(states: Iterable[CellState]) -> list[Row]:
    """One row per cell, the last state of each, ordered by cell: writers that lock them in one
    order never wait for each other in a circle."""
    last = {state.cell: state for state in states}
    return [_row(last[cell]) for cell in sorted(last)]


def states_of(records: Iterable[str], table: str) -> dict[str, CellState]:
    """The states in a table's column `record`, by cell. Raises UsageError, which calls the table
    `table`."""
    try:
        states = [CellState.model_validate_json(record) for record in records]
    except ValidationError as error:
        raise UsageError(
            f"{table} holds a cell that is damaged or not of this version of Fathom "
            f"({first_fault(error)}): update"
            " Fathom, or take that row out."
        ) from None
    return {state.cell: state for state in states}


def plain(text: str) -> str:
    """The text as every database takes it: without NUL and half surrogate pairs."""
    return text.replace("\0", "\N{SYMBOL FOR NULL}").encode(errors="replace").decode()


def _row(state: CellState) -> Row:
    fields = state.model_dump()
    for name, value in fields.items():  # half a surrogate pair, as in the name of a file
        if isinstance(value, str):
            fields[name] = value.encode(errors="replace").decode()
    return (
        plain(state.cell),
        state.status,
        plain(state.run),
        state.attempts,
        plain(state.error),
        state.changed.isoformat() if state.changed else None,
        to_json(fields, inf_nan_mode="constants").decode(),
    )
