"""All runs of a launch, as far as their events tell."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from ...state.events import Event
from ..progress import RunProgress
from ..views.steps import Steps


@dataclass(slots=True)
class Progress:
    """All runs of one launch, in the order they began."""

    steps_of: Callable[[str], Steps]
    """By method, how the steps of its runs are read."""
    runs: dict[str, RunProgress] = field(default_factory=dict)

    def apply(self, event: Event) -> RunProgress:
        """Take in one event; returns the run it belongs to."""
        if event.run_id not in self.runs:
            self.runs[event.run_id] = RunProgress(event.run_id, self.steps_of)
        run = self.runs[event.run_id]
        run.apply(event)
        return run


def progress_of(events: Iterable[Event], steps_of: Callable[[str], Steps]) -> Progress:
    """What is known after all these events."""
    progress = Progress(steps_of)
    for event in events:
        progress.apply(event)
    return progress
