"""A command in a process of its own, which stops as at Ctrl-C when the server is gone."""

import os
import signal
import sys
import threading
import time
from asyncio import create_subprocess_exec
from asyncio.subprocess import DEVNULL, PIPE, Process
from pathlib import Path

from ..state.errors import FathomError, RunFailed, UsageError

LOOK_S = 0.5
GOOD = (0, 4, 5)
"""Exit codes of a command that has printed its document: done, not decided, a condition fails."""


def _words(*words: str) -> tuple[str, ...]:
    """The command, told who its server is: that may be gone before it looks."""
    return (sys.executable, "-P", "-m", __name__, str(os.getpid()), *words)


async def start(*words: str, log: Path) -> Process:
    """Start `fathom WORDS`; what it says goes to the log, what it prints nowhere."""
    with log.open("wb") as file:
        return await create_subprocess_exec(
            *_words(*words),
            stdin=DEVNULL,
            stdout=DEVNULL,
            stderr=file,
            start_new_session=True,
        )


async def output_of(*words: str) -> bytes:
    """What `fathom WORDS` prints. Raises UsageError or RunFailed with its own sentence."""
    process = await create_subprocess_exec(
        *_words(*words), stdin=DEVNULL, stdout=PIPE, stderr=PIPE
    )
    try:
        out, errors = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
    if process.returncode not in GOOD:
        kind: type[FathomError] = UsageError if process.returncode == 2 else RunFailed
        raise kind(sentence_in(errors))
    return out


def sentence_in(errors: bytes) -> str:
    """The last line of what a command said, as a sentence."""
    lines = errors.decode(errors="replace").strip().splitlines() or ["It ended without a word."]
    return lines[-1].removeprefix("Error: ")


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(LOOK_S)
    os.kill(os.getpid(), signal.SIGINT)


def main() -> None:
    """The command line, with an eye on the parent."""
    signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # a shell's job may have it ignored
    threading.Thread(target=_watch, args=(int(sys.argv.pop(1)),), daemon=True).start()
    from ..__main__ import main as run

    run()


if __name__ == "__main__":
    main()
