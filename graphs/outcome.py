"""The results of runs, whichever version has written them."""

from collections.abc import Sequence
from pathlib import Path

from ..state.errors import RunFailed, UsageError
from ..state.events import Event
from ..state.results import Result
from ..tools.runs.folders import EarlierFormat, read_events, read_outcome


def outcome_of(folder: Path) -> Result | None:
    """The result of the run in a folder; None when it has none (yet). One that an earlier version
    has written is computed again from the journal. Raises RunFailed where that cannot be read."""
    try:
        return read_outcome(folder)
    except EarlierFormat as error:
        events = list(read_events(folder))
        if not events:
            raise RunFailed(f"{error} There is no journal to compute it from again.") from error
        return recomputed(events, str(folder))


def recomputed(events: Sequence[Event], name: str) -> Result:
    """The result that a run's events amount to. Raises RunFailed when they contradict each
    other."""
    from .method import result_of  # heavy: a result that stands in its file needs no method
    from .run.record import record_of

    try:
        return result_of(record_of(events))
    except UsageError:
        raise
    except (ValueError, LookupError, AssertionError, ArithmeticError) as error:
        raise RunFailed(
            f"The events of {name} contradict each other ({error}): they were changed."
        ) from error
