"""What the terminal shows, as an SVG picture that loads nothing: no web font, no script, no address."""

import io
import re
from pathlib import Path

from rich.console import Console, RenderableType

SVG_FORMAT = """\
<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
    <style>
    .{unique_id}-matrix {{
        font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, "Liberation Mono", monospace;
        font-size: {char_height}px;
        line-height: {line_height}px;
        font-variant-east-asian: full-width;
    }}
    .{unique_id}-title {{
        font-size: 18px;
        font-weight: bold;
        font-family: system-ui, sans-serif;
    }}
    {styles}
    </style>
    <defs>
    <clipPath id="{unique_id}-clip-terminal">
        <rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
    </clipPath>
    {lines}
    </defs>
    {chrome}
    <g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
    {backgrounds}
    <g class="{unique_id}-matrix">
    {matrix}
    </g>
    </g>
</svg>
"""


def picture(renderable: RenderableType, *, width: int, title: str, height: int | None = None) -> str:
    """The renderable on a terminal `width` cells wide, as SVG. The same input gives the same text."""
    console = Console(
        record=True,
        width=width,
        height=height,
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor",
        legacy_windows=False,
        highlight=False,
        _environ={},
    )
    console.print(renderable)
    return _INDENTED.sub(_outdent, console.export_svg(title=title, code_format=SVG_FORMAT, unique_id="fathom"))


_CELL = 12.2
"""Width of a terminal cell in rich's pictures."""
_INDENTED = re.compile(
    r'(?P<head><text[^>]* x=")(?P<x>[\d.]+)(?P<middle>"[^>]* textLength=")(?P<length>[\d.]+)(?P<tail>"[^>]*>)'
    r"(?P<blanks>(?:&#160;)+)(?P<rest>[^<]*)</text>"
)


def _outdent(found: re.Match[str]) -> str:
    """The text without leading blanks, moved to where its first sign stands: some viewers drop such blanks."""
    if not found["rest"]:
        return ""
    shift = _CELL * found["blanks"].count(";")
    x, length = float(found["x"]) + shift, float(found["length"]) - shift
    return f"{found['head']}{x:g}{found['middle']}{length:g}{found['tail']}{found['rest']}</text>"


def save_picture(path: Path, renderable: RenderableType, *, width: int, title: str, height: int | None = None) -> None:
    """Write the picture to a file."""
    path.write_text(picture(renderable, width=width, title=title, height=height), encoding="utf-8")
