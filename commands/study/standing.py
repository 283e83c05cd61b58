"""How the cells of a study stand, by its index, and what to do next: read without what runs
them."""

import asyncio
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from ...state.campaign import CellState, cell_id, cell_of
from ...tools.runs.folders import is_running
from ...tools.runs.index import NAME, open_index
from ..environment import runs_dir


def as_of(study: Path, runs: Path, store: str | None, *, keep: bool) -> date:
    """The date that stands for today in all cells of a study that names none: that of its first
    run. `keep`: today, where there was none. Raises UsageError where the index cannot be used."""
    today = datetime.now(UTC).date()

    async def ask() -> date:
        index = await open_index(runs, store)
        try:
            return await index.began(study.stem, today, keep=keep)
        finally:
            await index.aclose()

    return asyncio.run(ask()) if keep or _is_indexed(runs, store) else today


def _is_indexed(runs: Path, store: str | None) -> bool:
    return store is not None or (runs / NAME).is_file()


def states_of(
    specs: Sequence[Any], runs: Path, store: str | None, *, there: bool = False
) -> list[CellState]:
    """How the cells of these specs stand, by the index. `there`: runs that have ended are brought
    from the database. Raises UsageError where that cannot be used."""

    if not _is_indexed(runs, store):
        return [cell_of(spec) for spec in specs]

    async def ask() -> list[CellState]:
        index = await open_index(runs, store)
        try:
            indexed = await index.read([cell_id(spec) for spec in specs])
        finally:
            await index.aclose()
        states = [indexed.get(cell_id(spec)) or cell_of(spec) for spec in specs]
        if store is not None and there:
            from ...graphs.campaign.runner import bring  # heavy

            await bring(states, runs, store)
        return states if store is not None else [_as_it_is(state, runs) for state in states]

    return asyncio.run(ask())


def _as_it_is(state: CellState, runs: Path) -> CellState:
    """A cell that has begun, and whose run no process has any more, was killed, perhaps before the
    index knew of it."""
    has_folder = bool(state.run) and (runs / state.run).is_dir()
    if state.status != "running" and not (state.status == "waiting" and has_folder):
        return state
    status = "running" if is_running(runs / state.run) else "interrupted"
    return state.model_copy(update={"status": status})


def next_steps(
    states: Sequence[CellState],
    study: Path,
    runs: Path | None,
    *,
    words: str = "",
    compared: bool = False,
) -> Iterator[str]:
    """What to look at and what to do next, a sentence each. `words`: options that are to be given
    again; `compared`: the models have just been compared."""
    named = shlex.quote(str(study))
    if runs not in (None, runs_dir(None)):
        named += f" --runs {shlex.quote(str(runs))}"
    counts = Counter(state.status for state in states)
    targets = {state.target for state in states if state.status == "complete"}
    if len(targets) > 1 and not compared:
        yield f"Compare the models: fathom compare {named}"
    if counts["complete"] < len(states) and not counts["running"]:
        larger = " with a larger --budget or --max-calls" if counts["partial"] else ""
        retry = " --retry-failed" if counts["failed"] else ""
        yield (
            f"{counts['complete']} of {len(states)} cells are complete. Continue{larger}: "
            f"fathom run {named}{words}{retry}"
        )
