"""`fathom`, and `python -m fathom`: a thin start, so that a Ctrl-C while the program loads is no
traceback."""

import atexit
import gc
import os
import signal
import sys
from contextlib import suppress


def _leave(number: int, frame: object) -> None:
    """Nothing has begun, or nothing is left to be lost: a launch takes the signal over for as long
    as it runs."""
    os.write(2, b"Interrupted.\n")
    os._exit(130)


def _leave_at_once(code: object) -> None:
    """All is done: Python would still wait for idle threads and take every module apart. Returns,
    so that it does, when something cannot be written, for it to say so, and when the code is no
    number."""
    if isinstance(code, int):
        atexit._run_exitfuncs()
        with suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)


def main() -> None:
    """The command line."""
    gc.set_threshold(1_000_000)  # nothing that is being loaded is garbage
    usual = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    # else somebody has said that it is to be ignored, as shells do for what runs in the background
    if usual:
        signal.signal(signal.SIGINT, _leave)
    from .cli import main as run

    try:
        run()
    except SystemExit as end:
        _leave_at_once(end.code)
        raise


if __name__ == "__main__":
    main()
