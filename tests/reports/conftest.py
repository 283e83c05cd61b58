"""Parts of recorded runs as the command line shows them in full."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from ..contracts.recordings import recordings
from ..support.command_line import Caller, Said
from ..support.reports import events_of, result_of, write_run

Trace = Callable[..., Said]


@pytest.fixture
def trace(call: Caller) -> Trace:
    """`trace("eqt", "c001", "--json")`: what `fathom show --path` says; `events`, `result`:
    of the run, if they are not those that were recorded."""

    def show(
        method: str,
        path: str,
        *words: str,
        kind: str = "complete",
        events: Sequence[Any] = (),
        result: Any = None,
    ) -> Said:
        held = result or result_of(method, kind)
        if not (call.folder / "runs" / held.run_id).exists():
            files = recordings(method)[kind].files
            write_run(call.folder / "runs", held, events or events_of(method, kind), files)
        return call("show", "last", "--path", path, *words)

    return show
