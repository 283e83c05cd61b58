"""`fathom export RUN…`: runs as tables for spreadsheets, pandas and polars, or as logs of Inspect AI."""

import csv
import io
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson
import typer

from ..state.errors import UsageError, install
from ..state.option import OUTPUT, Option
from ..tools.runs.folders import when_begun
from .declare import Command, Given
from .finished import FinishedRun
from .options.shared import FORCE, RUNS, SEVERAL_RUNS
from .run_names import named_runs

Rows = Sequence[Mapping[str, Any]]
TABLES = ("answers", "depths", "runs")
INSPECT, LOG = "inspect", ".eval"
EPILOG = """Examples:
  fathom export last > answers.csv
  fathom export LAUNCH --table runs --to jsonl
  fathom export LAUNCH --to parquet -o tables
  fathom export LAUNCH --to inspect -o logs

In pandas: pd.read_csv("tables/answers.csv"); in polars:
pl.read_parquet("tables/answers.parquet").

Exit codes:
  0 done, 1 a run or the file failed, 2 refused (no such run, or nothing
  to export)
"""


def _export(values: Given) -> None:
    form, folder = values["to"] or "csv", values["output"]
    table = values["table"]
    if form not in (*WRITERS, INSPECT):
        raise UsageError(f"--to knows {', '.join((*WRITERS, INSPECT))}, not {form!r}.")
    if table is not None and table not in TABLES:
        raise UsageError(f"--table knows {', '.join(TABLES)}, not {table!r}.")
    if folder is None and form not in TEXTS:
        raise UsageError(f"{form} is no text: name a folder for the files with -o.")
    runs = named_runs(values)
    if not any(run.result for run in runs):
        raise UsageError(
            "None of these runs has a result yet: `fathom resume` goes on with them."
        )
    if form == INSPECT:
        _write_logs(folder, runs, force=bool(values["force"]))
        return
    if folder is None:
        rows = _rows(table or "answers", runs)
        if sys.stdout.isatty():
            rows = [_harmless(row) for row in rows]
        sys.stdout.buffer.write(WRITERS[form](rows))
        sys.stdout.buffer.flush()
        return
    tables = {name: _rows(name, runs) for name in ([table] if table else TABLES)}
    files = {name: folder / f"{name}.{form}" for name, rows in tables.items() if rows}
    _make_room(files.values(), force=bool(values["force"]))
    for name, file in files.items():
        file.write_bytes(WRITERS[form](tables[name]))
        typer.echo(f"{len(tables[name]):,} rows in {file}", err=True)


def _rows(table: str, runs: Sequence[FinishedRun]) -> Rows:
    from ..reports.rows import answers_table, rows_of

    if table == "answers":
        return answers_table(row for run in runs for row in run.rows)
    return rows_of(table, [run.result for run in runs if run.result is not None])


def _harmless(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """The row as a terminal may show it."""
    from ..reports.page.sanitise import paragraphs

    return {
        name: paragraphs(value) if isinstance(value, str) else value
        for name, value in row.items()
    }


def _write_logs(path: Path, runs: Sequence[FinishedRun], *, force: bool) -> None:
    """A log per run: in this folder, or of a single run as this file."""
    try:
        from ..graphs.embed.inspect_log import write_log
    except ImportError as error:
        raise UsageError(
            f"Logs of Inspect AI need the extra [inspect]: {install('inspect')}."
        ) from error
    files = {run.run_id: path / f"{run.run_id}{LOG}" for run in runs}
    if path.suffix == LOG:
        if len(runs) > 1:
            raise UsageError(f"{path} is one file for {len(runs)} runs: name a folder with -o.")
        files = {runs[0].run_id: path}
    _make_room(files.values(), force=force)
    for run in runs:
        if run.result is not None and run.folder is not None:
            samples = write_log(run.result, when_begun(run.folder), files[run.run_id])
            typer.echo(f"{samples:,} samples in {files[run.run_id]}", err=True)


def _make_room(files: Iterable[Path], *, force: bool) -> None:
    for file in files:
        if file.exists() and not force:
            raise UsageError(f"{file} exists already: --force overwrites it.")
        file.parent.mkdir(parents=True, exist_ok=True)


def _csv(rows: Rows) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def _jsonl(rows: Rows) -> bytes:
    return b"".join(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE) for row in rows)


def _parquet(rows: Rows) -> bytes:
    try:
        import pyarrow  # type: ignore[import-untyped]
        import pyarrow.parquet  # type: ignore[import-untyped]
    except ImportError as error:
        raise UsageError(f"Parquet needs the extra [parquet]: {install('parquet')}.") from error
    file = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([dict(row) for row in rows]), file)
    return file.getvalue()


TEXTS = ("csv", "jsonl")
WRITERS: Mapping[str, Callable[[Rows], bytes]] = {
    "csv": _csv,
    "jsonl": _jsonl,
    "parquet": _parquet,
}

EXPORT = Command(
    _export,
    """Export runs as tables: one row per answer, per depth, per run.

Column names are stable (docs/data-dictionary.md); an interval is two columns. In the column human there is room for \
your own verdicts. To stdout goes one table, into a folder all of them. Texts \
are word for word: what a model wrote may begin with a character that a spreadsheet takes for a formula.""",
    (
        SEVERAL_RUNS,
        Option(
            "--to",
            "FORM",
            "csv, jsonl or parquet; or inspect, a log of Inspect AI per run.",
            OUTPUT,
            default="csv",
        ),
        Option(
            "--table",
            "TABLE",
            "answers, depths or runs.",
            OUTPUT,
            default="answers; with -o all",
        ),
        Option(
            "-o --output",
            "DIR|FILE",
            "Write the tables or logs into this folder; a single log as this file (.eval).",
            OUTPUT,
            kind="file",
            type=Path,
        ),
        FORCE,
        RUNS,
    ),
    EPILOG,
)
