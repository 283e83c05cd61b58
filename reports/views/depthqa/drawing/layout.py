"""Where the questions of a graph stand: three columns from depth 3 to depth 1, each sorted by parent, a tree below the
other."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter

from .....state.depthqa.items import QuestionGraph, QuestionNode
from .text import BOLD, wrapped

MARGIN, PAD = 12.0, 8.0
"""Around the page and the trees, and between a box and its text, in pixels."""
WIDTHS: Mapping[int, float] = {3: 172.0, 2: 210.0, 1: 312.0}
LEFT: Mapping[int, float] = {3: 22.0, 2: 242.0, 1: 496.0}
"""Of a box, and of a column, by depth."""
WIDTH = 830.0
HEAD, GAP = 22.0, 9.0
"""Height of a tree's heading, and between two boxes."""
SIZE: Mapping[str, float] = {"id": 11.0, "labels": 11.0, "text": 12.0, "note": 11.0}
MOST_LINES = 24
"""Of a question; the whole is in the box's title."""


@dataclass(slots=True)
class Box:
    """A node's box with its lines: kind, text, and the foot of the line below the box's top."""

    node: QuestionNode
    lines: list[tuple[str, str, float]] = field(default_factory=list)
    height: float = 5.0
    y: float = 0.0

    @property
    def left(self) -> float:
        return LEFT[self.node.depth]

    @property
    def right(self) -> float:
        return self.left + WIDTHS[self.node.depth]

    @property
    def middle(self) -> float:
        return self.y + self.height / 2


def placed(graph: QuestionGraph, trees: int, top: float) -> tuple[dict[str, Box], list[tuple[float, float]]]:
    """The boxes of the first so many trees from `top` on, and the top and foot of each tree."""
    boxes: dict[str, Box] = {}
    bands = []
    for tree in graph.trees[:trees]:
        own = {name: _box(graph, graph.by_id[name]) for name in tree.nodes}
        _place(own, top + HEAD)
        foot = max(box.y + box.height for box in own.values()) + MARGIN
        boxes |= own
        bands.append((top, foot))
        top = foot + MARGIN
    return boxes, bands


def _box(graph: QuestionGraph, node: QuestionNode) -> Box:
    box, room = Box(node), WIDTHS[node.depth] - 2 * PAD
    parts: list[tuple[str, str, int | None]] = [
        ("id", node.id, None),
        ("labels", " · ".join(node.reasoning), 3),
        ("text", node.question, MOST_LINES),
    ]
    for kind, text, most in [*parts, *(("note", note, 3) for note in _notes(graph, node))]:
        for line in wrapped(text, SIZE[kind] * (BOLD if kind == "id" else 1), room, most) if text else ():
            box.height += SIZE[kind] + 3.5
            box.lines.append((kind, line, box.height - 3.5))
    box.height += 5.0
    return box


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


def _place(own: Mapping[str, Box], top: float) -> None:
    """Each box as near as can be to the middle of those it needs, none lower than the tallest column reaches."""
    columns = _columns(own)
    taken = {depth: sum(box.height + GAP for box in column) - GAP for depth, column in columns.items()}
    foot = top + max(taken.values())
    for depth, column in sorted(columns.items()):
        free = top
        for box in column:
            below = [own[name].middle for name in box.node.predecessors if name in own]
            wanted = sum(below) / len(below) - box.height / 2 if below else top + (foot - top - taken[depth]) / 2
            box.y = max(wanted, free)
            free = box.y + box.height + GAP
        limit = foot
        for box in reversed(column):
            box.y = min(box.y, limit - box.height)
            limit = box.y - GAP


def _columns(own: Mapping[str, Box]) -> dict[int, list[Box]]:
    """Depth → its boxes from the top, by the mean place of those in this tree that need them."""
    columns: dict[int, list[Box]] = {}
    for depth in (3, 2, 1):
        needed: dict[str, list[tuple[int, int]]] = {name: [] for name, box in own.items() if box.node.depth == depth}
        for place, above in enumerate(columns.get(depth + 1, [])):
            for number, name in enumerate(above.node.predecessors):
                if name in needed:
                    needed[name].append((place, number))
        order = sorted(needed, key=lambda name: _turn(needed[name]))
        columns |= {depth: [own[name] for name in order]} if order else {}
    return columns


def _turn(places: Sequence[tuple[int, int]]) -> tuple[float, int]:
    return (sum(place for place, _ in places) / len(places), places[0][1]) if places else (0.0, 0)


def lines(graph: QuestionGraph, boxes: Mapping[str, Box]) -> Iterator[tuple[str, bool]]:
    """The lines from each box to those it needs, side by side where several meet one, and whether each leads into
    another tree."""
    pairs = [(name, below) for name in boxes for below in boxes[name].node.predecessors if below in boxes]
    starts = _ports(((name, below, boxes[below].middle) for name, below in pairs), boxes)
    ends = _ports(((below, name, boxes[name].middle) for name, below in pairs), boxes)
    for name, below in pairs:
        (x0, y0), (x1, y1) = (boxes[name].right, starts[name, below]), (boxes[below].left, ends[below, name])
        middle = (x0 + x1) / 2
        path = f"M{x0:g},{y0:.1f}C{middle:g},{y0:.1f} {middle:g},{y1:.1f} {x1:g},{y1:.1f}"
        yield path, graph.tree_of[name] != graph.tree_of[below]


def _ports(met: Iterable[tuple[str, str, float]], boxes: Mapping[str, Box]) -> dict[tuple[str, str], float]:
    """(box, what is at the other end, its height) → the height at which the line between them meets the box."""
    others: dict[str, list[tuple[float, str]]] = {}
    for name, other, height in met:
        others.setdefault(name, []).append((height, other))
    return {
        (name, other): boxes[name].y + boxes[name].height * place / (len(held) + 1)
        for name, held in others.items()
        for place, (_, other) in enumerate(sorted(held, key=itemgetter(0)), start=1)
    }
