"""`fathom`, and `python -m fathom`: a thin start, so that a Ctrl-C while the program loads is no traceback."""

import atexit
import gc
import os
import signal


def _leave(number: int, frame: object) -> None:
    """Nothing has begun, or nothing is left to be lost: a launch takes the signal over for as long as it runs."""
    os.write(2, b"Interrupted.\n")
    os._exit(130)


def look_for_garbage_rarely() -> None:
    """A call makes some thousand objects and next to no cycles, and what is imported stays to the end: to look through
    them all again and again took a quarter of a call's time, and most of the time it takes to leave. For the program,
    which owns its process; a library leaves that to its host."""
    gc.set_threshold(20_000, 20, 20)
    atexit.register(gc.freeze)


def main() -> None:
    """The command line."""
    look_for_garbage_rarely()
    usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if usual:  # else somebody has said that it is to be ignored, as shells do for what runs in the background
        signal.signal(signal.SIGINT, _leave)
    from .cli import main as run

    run()


if __name__ == "__main__":
    main()
