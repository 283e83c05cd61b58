"""The consoles people read: one place decides their width and that foreign text is never markup."""

import errno
import io
import os
import sys
from typing import TextIO

from rich.console import Console

PIPE_WIDTH = 120
"""Cells assumed where the output is no terminal and COLUMNS does not say."""


class _Console(Console):
    def on_broken_pipe(self) -> None:
        """A reader that has gone is for the caller to judge: rich would end the program, whatever
        else it does."""
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


def console_on(stream: TextIO) -> Console:
    """A console that writes to the stream; NO_COLOR and COLUMNS are honoured by rich.

    A stream that cannot encode a sign shows a question mark in its place instead of failing.
    """
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="replace")
    wide = None if stream.isatty() or os.environ.get("COLUMNS") else PIPE_WIDTH
    return _Console(
        file=stream,
        width=wide,
        markup=False,
        highlight=False,
        emoji=False,
    )


def stdout_console() -> Console:
    """For results."""
    return console_on(sys.stdout)


def stderr_console() -> Console:
    """For everything else."""
    return console_on(sys.stderr)
