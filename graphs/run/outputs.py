"""One run's place in a launch: where its events and its log go, for as long as the launch lasts."""

from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

import structlog

from ...state.events import Event, RunFinished
from ...state.spec import Spec
from ...tools.runs.journal import Journal, Listener, MemorySink
from ...tools.runs.log import RunLog, get_logger
from .folder import RunFolder, run_name
from .options import LaunchOptions
from .resume_check import Resumption


@dataclass(slots=True)
class Outputs:
    """`folder` is None for a run that is kept in memory, `resumption` for a new one."""

    spec: Spec
    run_id: str
    folder: RunFolder | None
    resumption: Resumption | None
    sink: MemorySink
    ended: list[tuple[int, int]] = field(default_factory=list)
    """What was finished (`RunMemory.done`) when the run's last event was written."""

    def note_end(self, event: Event) -> None:
        """A listener."""
        if isinstance(event, RunFinished):
            self.ended.append(self.sink.run(event.run_id).done)


def open_outputs(
    stack: AsyncExitStack,
    options: LaunchOptions,
    listeners: Sequence[Listener],
    spec: Spec,
    folder: RunFolder | None,
    resumption: Resumption | None = None,
) -> Outputs:
    """Open what the run writes to; `stack` closes it. Raises UsageError when that cannot be written."""
    if folder is None:
        run_id = run_name(spec, options.clock.now(), options.new_id())
        return _listening(Outputs(spec, run_id, None, None, MemorySink(options.clock.now, listeners)))
    journal = Journal(folder.events, options.clock.now, listeners)
    stack.callback(journal.close)
    log = RunLog(folder.log, folder.run_id)
    log.attach()
    stack.callback(log.detach)
    if resumption and (cut := journal.reload()):
        with structlog.contextvars.bound_contextvars(run=folder.run_id):
            get_logger().warning("a line that was being written when the run ended was cut off", bytes=cut)
    return _listening(Outputs(spec, folder.run_id, folder, resumption, journal))


def _listening(outputs: Outputs) -> Outputs:
    outputs.sink.listen(outputs.note_end)
    return outputs
