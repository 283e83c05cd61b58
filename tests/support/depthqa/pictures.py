"""What stands where in the pictures of DepthQA, read from their SVG."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from xml.etree import ElementTree

from rich.cells import cell_len

SVG = "{http://www.w3.org/2000/svg}"
Element = ElementTree.Element


def texts(svg: str) -> list[str]:
    """What is written in the picture, each piece with its lines joined."""
    return ["".join(node.itertext()) for node in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def description(svg: str) -> str:
    return ElementTree.fromstring(svg).findtext(f"{SVG}desc") or ""


def spans(node: ElementTree.Element, left: float = 0.0) -> Iterator[tuple[float, float, str]]:
    """Left and right end of every line of text, in a wide font."""
    moved = re.match(r"translate\((-?[\d.]+)", node.get("transform", ""))
    left += float(moved[1]) if moved else 0.0
    if node.tag == f"{SVG}text":
        if "rotate" not in node.get("transform", ""):
            for line in [part.text or "" for part in node.iter(f"{SVG}tspan")] or [node.text or ""]:
                width = cell_len(line) * 0.59 * float(node.get("font-size", "0").removesuffix("px"))
                start = (
                    left
                    + float(node.get("x", "0"))
                    - {"middle": width / 2, "end": width}.get(node.get("text-anchor", "start"), 0.0)
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


def number(node: Element, name: str) -> float:
    return float(node.get(name, "nan"))


@dataclass(frozen=True)
class Drawn:
    """A box as it stands in the picture."""

    group: Element

    @property
    def rect(self) -> Element:
        (rect,) = self.group.findall(f"{SVG}rect")
        return rect

    @property
    def ends(self) -> tuple[float, float, float, float]:
        """Left, right, top, bottom."""
        left, top = number(self.rect, "x"), number(self.rect, "y")
        return left, left + number(self.rect, "width"), top, top + number(self.rect, "height")

    def lines(self, sign: str) -> list[str]:
        """The lines of text with this attribute."""
        name, _, value = sign.partition("=")
        return [
            text.text or "" for text in self.group.findall(f"{SVG}text") if text.get(name) == value
        ]

    @property
    def name(self) -> str:
        return "".join(self.lines("font-weight=bold"))

    @property
    def question(self) -> str:
        return " ".join(self.lines("font-size=12"))

    def overhang(self) -> list[str]:
        """Texts that leave the box, in a wide font."""
        left, right, top, bottom = self.ends
        lines = self.group.findall(f"{SVG}text")
        low = [line for _, _, line in spans(self.group)]
        out = [line for start, end, line in spans(self.group) if not left < start <= end < right]
        feet = [(number(text, "y"), number(text, "font-size")) for text in lines]
        return out + [
            line
            for line, (y, size) in zip(low, feet, strict=True)
            if not top < y - size < y + 0.2 * size < bottom
        ]


def boxes(svg: str) -> dict[str, Drawn]:
    """The boxes by their names; no name twice."""
    groups = [
        group
        for group in ElementTree.fromstring(svg).iter(f"{SVG}g")
        if group.find(f"{SVG}rect") is not None
    ]
    found = {Drawn(group).name: Drawn(group) for group in groups}
    assert len(found) == len(groups)
    return found


def ends_of(svg: str, dashed: bool) -> list[tuple[float, float, float, float]]:
    """x and y of both ends of every line between boxes."""
    lines = [
        path
        for group in ElementTree.fromstring(svg).iter(f"{SVG}g")
        for path in group.findall(f"{SVG}path")
    ]
    found = []
    for path in lines:
        if (path.get("stroke-dasharray") is not None) == dashed and path.get("stroke") != "white":
            numbers = [float(value) for value in re.findall(r"[\d.]+", path.get("d", ""))]
            found.append((numbers[0], numbers[1], numbers[-2], numbers[-1]))
    return found


def overlaps(found: dict[str, Drawn]) -> list[tuple[str, str]]:
    return [
        (one, other)
        for one, other in combinations(found, 2)
        if found[one].ends[0] == found[other].ends[0]
        and found[one].ends[2] < found[other].ends[3]
        and found[other].ends[2] < found[one].ends[3]
    ]
