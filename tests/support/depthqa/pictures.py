"""What stands where in pictures, read from their SVG."""

import re
from collections.abc import Iterator
from xml.etree import ElementTree

from rich.cells import cell_len

SVG = "{http://www.w3.org/2000/svg}"


def texts(svg: str) -> list[str]:
    """What is written in the picture, each piece with its lines joined."""
    return ["".join(node.itertext()) for node in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def description(svg: str) -> str:
    return ElementTree.fromstring(svg).findtext(f"{SVG}desc") or ""


def spans(node: ElementTree.Element, left: float = 0.0) -> Iterator[tuple[float, float, str]]:
    """Left and right end of every line of text, in a usual font."""
    moved = re.match(r"translate\((-?[\d.]+)", node.get("transform", ""))
    left += float(moved[1]) if moved else 0.0
    if node.tag == f"{SVG}text":
        if "rotate" not in node.get("transform", ""):
            for line in [part.text or "" for part in node.iter(f"{SVG}tspan")] or [
                node.text or ""
            ]:
                width = (
                    cell_len(line) * 0.47 * float(node.get("font-size", "0").removesuffix("px"))
                )
                start = (
                    left
                    + float(node.get("x", "0"))
                    - {"middle": width / 2, "end": width}.get(
                        node.get("text-anchor", "start"), 0.0
                    )
                )
                yield start, start + width, line
        return
    for child in node:
        yield from spans(child, left)


def marks(svg: str) -> list[tuple[float, float, str, str]]:
    """(x, y, shape, colour) of every hollow mark, those of the legend included, as they stand in
    the file."""
    found = re.findall(
        (
            r'<path transform="translate\(([\d.]+),([\d.]+)\)" d="([^"]*)" '
            r'stroke="(#[0-9a-f]{6})" stroke-width="2"'
        ),
        svg,
    )
    return [(float(x), float(y), shape, colour) for x, y, shape, colour in found]
