"""Where the boxes of a drawing stand, and how the lines between them run."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf
from operator import itemgetter

from .....state.depthqa.items import QuestionGraph
from .boxes import WIDTHS, Box, boxes

MARGIN = 12.0
"""Around the page, in pixels."""
_PAD = 10.0
"""Between a band and its boxes."""
_GAPS = (48.0, 64.0)
"""From D3 to D2, and from D2 to D1."""
_NEAR, _APART = 5.0, 13.0
"""Between boxes with the same successor, and with another."""
HEAD = 22.0
"""Height of a band's heading."""
_BETWEEN = 14.0
"""From a band to the next."""
_LANES = 9
_LANE = 4.0
"""Between two lanes, where lines to other trees run upwards."""
_BEND = 22.0
"""Radius of their turns."""
_ELSEWHERE = ""
"""Stands for all nodes of other trees; no node has that name."""

LEFT = {
    3: MARGIN + _PAD,
    2: MARGIN + _PAD + WIDTHS[3] + _GAPS[0],
    1: MARGIN + _PAD + WIDTHS[3] + _GAPS[0] + WIDTHS[2] + _GAPS[1],
}
"""Of the columns, by depth."""
WIDTH = LEFT[1] + WIDTHS[1] + _PAD + MARGIN
"""Of the page."""


@dataclass(frozen=True, slots=True)
class Band:
    """A tree's place on the page."""

    tree: int
    y: float
    height: float


@dataclass(frozen=True, slots=True)
class Edge:
    """A line from a node to one of its predecessors, or a part of it: lines from other trees into one node join."""

    path: str
    """As SVG writes it."""
    across: bool
    """Whether it leads into another tree."""


@dataclass(frozen=True, slots=True)
class Layout:
    bands: tuple[Band, ...]
    boxes: dict[str, Box]
    edges: tuple[Edge, ...]
    height: float
    """The foot of the last band."""


def layout(graph: QuestionGraph, trees: int, top: float) -> Layout:
    """The first so many trees below each other from `top` on."""
    drawn = graph.trees[:trees]
    made = boxes(graph, [node for tree in drawn for node in tree.nodes])
    bands: list[Band] = []
    placed: dict[str, Box] = {}
    for number, tree in enumerate(drawn):
        own = _tree(graph, {node: made[node] for node in tree.nodes}, top + HEAD)
        placed |= own
        foot = max(box.y + box.height for box in own.values()) + _PAD
        bands.append(Band(number, top, foot - top))
        top = foot + _BETWEEN
    return Layout(tuple(bands), placed, tuple(_edges(graph, placed)), top - _BETWEEN)


def _tree(graph: QuestionGraph, own: Mapping[str, Box], top: float) -> dict[str, Box]:
    """The boxes of a tree in their columns, each as near as can be to the middle of those below it."""
    columns = _columns(own)
    gaps = {depth: _gaps(graph, column) for depth, column in columns.items()}
    taken = {depth: sum(gaps[depth]) + sum(own[node].height for node in column) for depth, column in columns.items()}
    height = max(taken.values())
    placed: dict[str, Box] = {}
    for depth in sorted(columns):
        column = columns[depth]
        wanted = [_wanted(own[node], placed, top + (height - taken[depth]) / 2) for node in column]
        heights = [own[node].height for node in column]
        for node, y in zip(column, _spread(wanted, heights, gaps[depth], (top, top + height)), strict=True):
            placed[node] = replace(own[node], x=LEFT[depth], y=y)
    return placed


def _columns(own: Mapping[str, Box]) -> dict[int, list[str]]:
    """Depth → its nodes from the top, each by the mean place of those in this tree that it leads to."""
    columns: dict[int, list[str]] = {}
    for depth in (3, 2, 1):
        places: dict[str, list[tuple[int, int]]] = {node: [] for node in own if own[node].node.depth == depth}
        for place, above in enumerate(columns.get(depth + 1, [])):
            for number, below in enumerate(own[above].node.predecessors):
                if below in places:
                    places[below].append((place, number))
        if places:
            columns[depth] = sorted(places, key=lambda node: _turn(places[node]))
    return columns


def _turn(places: Sequence[tuple[int, int]]) -> tuple[float, int]:
    return (sum(place for place, _ in places) / len(places), places[0][1]) if places else (0.0, 0)


def _gaps(graph: QuestionGraph, column: Sequence[str]) -> list[float]:
    """Above each node of a column; questions of depth 1 with a common successor stand close together."""
    gaps = [0.0]
    for above, node in pairwise(column):
        close = graph.by_id[node].depth == 1 and {*graph.successors[above]} & {*graph.successors[node]}
        gaps.append(_NEAR if close else _APART)
    return gaps


def _wanted(box: Box, placed: Mapping[str, Box], spare: float) -> float:
    """Where a box should begin."""
    below = [placed[node].middle for node in box.node.predecessors if node in placed]
    return sum(below) / len(below) - box.height / 2 if below else spare


def _spread(
    wanted: Sequence[float], heights: Sequence[float], gaps: Sequence[float], room: tuple[float, float]
) -> list[float]:
    """Where the boxes of a column begin: where they are wanted, but not over each other, and in the room that there is.
    A box without a place of its own comes right after the one above."""
    found: list[float] = []
    foot = room[0]
    for want, height, gap in zip(wanted, heights, gaps, strict=True):
        found.append(max(want, foot + gap))
        foot = found[-1] + height
    limit = room[1]
    for place in reversed(range(len(found))):
        found[place] = min(found[place], limit - heights[place])
        limit = found[place] - gaps[place]
    return found


def _edges(graph: QuestionGraph, placed: Mapping[str, Box]) -> Iterator[Edge]:
    """The lines, side by side where several begin or end at one box."""
    pairs = [(node, below) for node in placed for below in placed[node].node.predecessors if below in placed]
    across = {pair for pair in pairs if graph.tree_of[pair[0]] != graph.tree_of[pair[1]]}
    starts = _ports(((node, below, placed[below].middle) for node, below in pairs), placed)
    within = [(below, node, placed[node].middle) for node, below in pairs if (node, below) not in across]
    joined = dict.fromkeys(below for node, below in pairs if (node, below) in across)
    # a tree needs nodes of earlier trees only, so that lines from elsewhere come from further down
    ends = _ports([*within, *((below, _ELSEWHERE, inf) for below in joined)], placed)
    for below, node, _ in within:
        x0, x1 = _right(placed[node]), placed[below].x
        y0, y1 = starts[node, below], ends[below, node]
        middle = (x0 + x1) / 2
        yield Edge(f"M{x0:g},{y0:.1f}C{middle:g},{y0:.1f} {middle:g},{y1:.1f} {x1:g},{y1:.1f}", False)
    for number, target in enumerate(joined):
        x1, y1 = placed[target].x, ends[target, _ELSEWHERE]
        lane = x1 - 20 - number % _LANES * _LANE
        sources = [node for node, below in pairs if below == target and (node, below) in across]
        for node in sources:
            x0, y0 = _right(placed[node]), starts[node, target]
            yield Edge(f"M{x0:g},{y0:.1f}Q{lane:g},{y0:.1f} {lane:g},{y0 - _BEND:.1f}", True)
        foot = max(starts[node, target] for node in sources) - _BEND
        yield Edge(f"M{lane:g},{foot:.1f}V{y1 + _BEND:.1f}Q{lane:g},{y1:.1f} {x1:g},{y1:.1f}", True)


def _right(box: Box) -> float:
    return box.x + box.width


def _ports(met: Iterable[tuple[str, str, float]], placed: Mapping[str, Box]) -> dict[tuple[str, str], float]:
    """(box, what is at the other end, its height) → the height at which the line between them meets the box."""
    others: dict[str, list[tuple[float, str]]] = {}
    for name, other, height in met:
        others.setdefault(name, []).append((height, other))
    found = {}
    for name, lines in others.items():
        box = placed[name]
        for place, (_, other) in enumerate(sorted(lines, key=itemgetter(0)), start=1):
            found[name, other] = box.y + box.height * place / (len(lines) + 1)
    return found
