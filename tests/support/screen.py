"""Consoles without a terminal, for looking at what is printed."""

import io
import unicodedata

from rich.console import Console, RenderableType


def shown(
    renderable: RenderableType, width: int, height: int = 50, *, colour: bool = False
) -> str:
    """What a console of that size prints."""
    console = screen(width, height, colour=colour)
    console.print(renderable)
    return written(console)


def screen(
    width: int, height: int = 50, *, colour: bool = False, environ: dict[str, str] | None = None
) -> Console:
    return Console(
        file=io.StringIO(),
        width=width,
        height=height,
        force_terminal=colour,
        color_system="truecolor" if colour else None,
        legacy_windows=False,
        _environ=environ or {},
    )


def written(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def active_characters(text: str) -> set[str]:
    """Characters a terminal acts upon instead of showing: controls but newline, direction
    overrides, surrogates."""
    return {
        char
        for char in set(text)
        if char != "\n"
        and (
            unicodedata.category(char) in ("Cc", "Cs")
            or char in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
        )
    }
