"""What stands in the boxes of a drawing of a graph, and how large they are."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from .....state.depthqa.items import QuestionGraph, QuestionNode
from .text import BOLD, plain, width_of, wrapped

Kind = Literal["id", "labels", "text", "note"]
SIZES: dict[Kind, float] = {"id": 11.0, "labels": 11.0, "text": 12.0, "note": 11.0}
"""Of the font, in pixels."""
_HEIGHTS: dict[Kind, float] = {"id": 14.5, "labels": 14.5, "text": 15.5, "note": 14.0}
"""Of a line, in pixels."""
WIDTHS = {3: 172.0, 2: 210.0, 1: 292.0}
"""Of a box, by depth."""
_NAME = SIZES["id"] * BOLD
"""For the width of a name."""
PAD = 8.0
"""Between a box and its text, at the sides."""
_ABOVE = 5.0
_INDENT = 76.0
"""A name up to this width stands beside a D1's question, a longer one above it."""
_MOST_LINES = 24
"""Of a question; the whole is in the box's title."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text, `x` and `y` (of its foot) from the upper left corner of the box."""

    kind: Kind
    text: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Box:
    """A node's box; `x` and `y` are its upper left corner on the page."""

    node: QuestionNode
    lines: tuple[Line, ...]
    height: float
    x: float = 0.0
    y: float = 0.0

    @property
    def width(self) -> float:
        return WIDTHS[self.node.depth]

    @property
    def middle(self) -> float:
        return self.y + self.height / 2


def boxes(graph: QuestionGraph, nodes: Sequence[str]) -> dict[str, Box]:
    """Node → its box, at no place yet. Names of D1 that are short stand beside their questions, all as far in."""
    names = [width_of(plain(graph.by_id[n].id), _NAME) for n in nodes if graph.by_id[n].depth == 1]
    indent = max((width for width in names if width <= _INDENT), default=0.0) + 10
    return {node: _box(graph, graph.by_id[node], indent) for node in nodes}


def _box(graph: QuestionGraph, node: QuestionNode, indent: float) -> Box:
    room = WIDTHS[node.depth] - 2 * PAD
    beside = node.depth == 1 and width_of(plain(node.id), _NAME) + 10 <= indent
    left = indent if beside else 0.0
    lines: list[Line] = []
    foot = _ABOVE
    for kind, text in _pieces(graph, node, room - left):
        if kind == "id" and beside:
            lines.append(Line("id", text, PAD, _ABOVE + 12))
            continue
        foot += _HEIGHTS[kind]
        lines.append(Line(kind, text, PAD + left, foot - 3.5))
    return Box(node, tuple(lines), foot + _ABOVE)


def _pieces(graph: QuestionGraph, node: QuestionNode, room: float) -> Iterator[tuple[Kind, str]]:
    """The lines from the top: name, types of reasoning, question, and what else is to be said."""
    yield from (("id", line) for line in wrapped(node.id, _NAME, room))
    labels = " · ".join(node.reasoning)
    if labels:
        yield from (("labels", line) for line in wrapped(labels, SIZES["labels"], room, 3))
    yield from (("text", line) for line in wrapped(node.question, SIZES["text"], room, _MOST_LINES))
    for note in _notes(graph, node):
        yield from (("note", line) for line in wrapped(note, SIZES["note"], room, 3))


def _notes(graph: QuestionGraph, node: QuestionNode) -> Iterator[str]:
    """What cannot be seen from where the box stands."""
    own = graph.tree_of[node.id]
    if graph.first_of[node.id] != node.id:
        yield f"same question as {graph.first_of[node.id]}"
    for below in node.predecessors:
        if graph.tree_of[below] != own:
            yield f"needs {below} of tree {graph.tree_of[below] + 1}"
    others = sorted({graph.tree_of[above] for above in graph.successors[node.id]} - {own})
    if others:
        yield f"also for tree {', '.join(str(tree + 1) for tree in others)}"
