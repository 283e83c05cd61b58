"""How often the processes that are Fathom's own look for garbage in circles."""

import gc

RARELY = (20_000, 5, 5)


def look_for_garbage_rarely() -> None:
    """A call makes some thousand objects and next to no cycles, and what is loaded stays to the
    end: to look through them all again and again took a quarter of a call's time, and most of the
    time it takes to leave. For the program and its workers, which own their process, once they have
    loaded; a library leaves that to its host. All of what is not loaded is looked through now and
    then, so that a campaign's memory does not grow with its finished runs."""
    if gc.get_threshold() != RARELY:
        gc.freeze()
        gc.set_threshold(*RARELY)
