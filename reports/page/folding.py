"""Names as several short lines."""

from collections.abc import Iterator

from rich.cells import cell_len


def folded(label: str, room: int) -> list[str]:
    """A label as lines of at most `room` cells, broken after a sign where there is one."""
    lines = [""]
    for part in _pieces(label, room):
        if cell_len(lines[-1]) + cell_len(part) <= room:
            lines[-1] += part
        else:
            lines.append(part)
    return [line.strip() for line in lines]


def _pieces(label: str, room: int) -> Iterator[str]:
    piece = ""
    for sign in label:
        if cell_len(piece + sign) > room:
            yield piece
            piece = ""
        piece += sign
        if sign in ":/-_@ ":
            yield piece
            piece = ""
    if piece:
        yield piece
