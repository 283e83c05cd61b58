"""The program's standard streams: one may be closed before it starts, and its reader may go away
before it ends."""

import os
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TextIO

import typer

if TYPE_CHECKING:
    from ..reports.page.blocks import Block


def complete() -> None:
    """Put os.devnull where a standard stream was closed before the start.

    Python has None there, and the next file opened, such as a run's journal, would get the stream's
    number.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(
                sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode, encoding="utf-8")
            )


def abandon(stream: TextIO) -> None:
    """Send what a broken stream still holds to os.devnull: Python's own flush at the end would
    complain about it."""
    with suppress(
        OSError, ValueError
    ):  # a stream without a file behind it has nothing to redirect
        number = stream.fileno()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, number)
        os.close(nowhere)


def print_blocks(blocks: "Iterable[Block]") -> None:
    """Blocks on stdout, as wide as it is."""
    from ..reports.page.console import stdout_console
    from ..reports.page.terminal import rendered

    console = stdout_console()
    console.print(rendered(blocks, console.width), crop=False)


def print_json(document: Any) -> None:
    """One JSON document on stdout, as UTF-8 whatever the terminal's encoding; nothing in it acts on
    a terminal."""
    import orjson

    from ..reports.page.sanitise import inert_json

    sys.stdout.flush()
    text = orjson.dumps(
        document, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    ).decode()
    typer.echo(inert_json(text).encode(), nl=False)
