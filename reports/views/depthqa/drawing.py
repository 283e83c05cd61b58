"""A graph of questions as a picture: three columns from depth 3 to depth 1, sorted by what needs
them, a tree below the other."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from ....state.depthqa.items import QuestionGraph, QuestionNode
from ....state.worlds import is_simulated
from ...page.chart.names import wrap
from ...page.chart.picture import LIGHT, Ground, write
from ...page.figures import count
from ...page.sanitise import one_line

MOST_TREES = 40
"""More make a picture that nobody can look at."""
MOST_LINES = 24
"""Of a question; the whole is in the title of its box."""
SIMULATED = "SIMULATED: these questions come from the simulated world."
WIDTH, MARGIN, PAD, GAP = 830.0, 12.0, 8.0, 9.0
"""Of the page, around it and its trees, between a box and its text, and between two boxes, in
pixels."""
LARGE, MIDDLE, SMALL = 18, 12, 11
"""Sizes of the font: of the title, of questions, and of all else."""
SIGN = 0.59
"""Width of a sign in font sizes, in a wide font; which one a viewer has is not known."""
ACROSS = "#aa3377"
"""Colour of what leads into another tree."""


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    left: float
    width: float
    fill: str
    frame: str


COLUMNS: Mapping[int, Column] = {
    3: Column("D3: strategic", 22.0, 172.0, "#e3eef8", "#0072b2"),
    2: Column("D2: procedural", 242.0, 210.0, "#fdf0e0", "#b35c00"),
    1: Column("D1: factual and conceptual", 496.0, 312.0, "#e9f5ef", "#00795a"),
}


@dataclass(slots=True)
class Box:
    """A node's box and its lines, each with the size of its font and how it looks."""

    node: QuestionNode
    lines: Sequence[tuple[str, int, str]]
    top: float = 0.0

    @property
    def column(self) -> Column:
        return COLUMNS[self.node.depth]

    @property
    def height(self) -> float:
        return 10.0 + sum(size + 3.5 for _, size, _ in self.lines)

    @property
    def middle(self) -> float:
        return self.top + self.height / 2


def save_drawing(path: Path, graph: QuestionGraph, ground: Ground = LIGHT) -> Path:
    """Write `draw_graph` into the file, and return it. Raises UsageError when it cannot be
    written."""
    return write(path, draw_graph(graph, ground=ground))


def draw_graph(
    graph: QuestionGraph, *, title: str = "", most: int = MOST_TREES, ground: Ground = LIGHT
) -> str:
    """The graph as an SVG document of 830 pixels in width, without scripts or anything to load.

    Every node stands once, in the first tree that it serves, with its name, question and types of
    reasoning; its title holds question and reference answer in full. `title`: in place of the
    graph's name. Of more than `most` trees the first are drawn, and it is said. The same graph
    gives the same text.
    """
    heads = _lines(title or graph.name or "Questions", LARGE, WIDTH - 2 * MARGIN, 2)
    notes = [
        line for note in _said(graph, most) for line in _lines(note, SMALL, WIDTH - 2 * MARGIN, 3)
    ]
    y, parts = MARGIN, list[str]()
    for line, size in [*((line, LARGE) for line in heads), *((line, SMALL) for line in notes)]:
        y += size + 5
        look = (
            f'font-weight="bold" fill="{ground.ink}"' if size == LARGE else f'fill="{ground.faint}"'
        )
        parts.append(_text(MARGIN, y - 4, line, size, look))
    y += 24
    parts += [
        _text(each.left, y, each.name, 13, f'font-weight="bold" fill="{each.frame}"')
        for each in COLUMNS.values()
    ]
    y += 10
    boxes: dict[str, Box] = {}
    for number, tree in enumerate(graph.trees[:most]):
        own = _placed(
            {name: Box(node := graph.by_id[name], _written(graph, node)) for name in tree.nodes},
            y + 22,
        )
        foot = max(box.top + box.height for box in own.values()) + MARGIN
        parts.append(
            _rect(MARGIN, y, WIDTH - 2 * MARGIN, foot - y, f'fill="none" stroke="{ground.grid}"')
        )
        domain = one_line(graph.by_id[tree.root].domain)
        told = (
            f"Tree {number + 1}: {count(len(tree.nodes), 'node')}{', ' + domain if domain else ''}"
        )
        (line,) = _lines(told, SMALL, WIDTH - 4 * MARGIN, 1)
        parts.append(_text(COLUMNS[3].left, y + 15, line, SMALL, f'fill="{ground.faint}"'))
        boxes |= own
        y = foot + MARGIN
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH:g}" height="{y:.0f}" '
            f'viewBox="0 0 {WIDTH:g} {y:.0f}" font-family="sans-serif" role="group" '
            'aria-labelledby="graph-title graph-desc">'
            f'<title id="graph-title">{escape(" ".join(heads))}</title>'
            f'<desc id="graph-desc">{escape(" ".join(notes))}</desc>',
            f'<rect width="{WIDTH:g}" height="{y:.0f}" fill="{ground.ground}"/>',
            *parts,
            '<g fill="none" stroke-width="1.4">',
            *(
                _line(graph, box, boxes[name])
                for box in boxes.values()
                for name in box.node.predecessors
                if name in boxes
            ),
            "</g>",
            *map(_drawn, boxes.values()),
            "</svg>\n",
        ]
    )


def _said(graph: QuestionGraph, most: int) -> Iterator[str]:
    """What stands below the title."""
    if any(is_simulated(maker) for maker in graph.made.values()):
        yield SIMULATED
    depths, trees = Counter(node.depth for node in graph.nodes), len(graph.trees)
    levels = ", ".join(f"D{depth} {depths[depth]:,}" for depth in COLUMNS)
    distinct = count(len(set(graph.first_of.values())), "distinct question")
    lines = f"{count(graph.edges, 'line')} from a question to what it needs"
    yield (
        f"{count(trees, 'tree')}, {count(len(graph.nodes), 'node')} ({levels}), {distinct}, "
        f"{lines}."
    )
    if any(
        graph.tree_of[n.id] != graph.tree_of[below] for n in graph.nodes for below in n.predecessors
    ):
        yield "Dashed lines lead into another tree."
    if graph.made:
        yield " ".join(f"{key.capitalize()}: {value}." for key, value in graph.made.items())
    if trees > most:
        yield f"The first {most} of {trees} trees are drawn."


def _lines(text: str, size: int, width: float, most: int | None = None) -> list[str]:
    return wrap(one_line(text), int(width / (SIGN * size)), most)


def _written(graph: QuestionGraph, node: QuestionNode) -> list[tuple[str, int, str]]:
    """The lines of a node's box."""
    parts: list[tuple[str, int, str, int | None]] = [
        (node.id, SMALL, f'fill="{LIGHT.faint}" font-weight="bold"', None),
        (" · ".join(node.reasoning), SMALL, f'fill="{LIGHT.faint}" font-style="italic"', 3),
        (node.question, MIDDLE, f'fill="{LIGHT.ink}"', MOST_LINES),
        *((note, SMALL, f'fill="{ACROSS}"', 3) for note in _notes(graph, node)),
    ]
    room = COLUMNS[node.depth].width - 2 * PAD
    return [
        (line, size, look)
        for text, size, look, most in parts
        if text
        for line in _lines(text, size, room, most)
    ]


def _notes(graph: QuestionGraph, node: QuestionNode) -> Iterator[str]:
    """What cannot be seen from where the box stands."""
    own = graph.tree_of[node.id]
    if node.augmented:
        yield "written to fill a gap"
    if graph.first_of[node.id] != node.id:
        yield f"same question as {graph.first_of[node.id]}"
    for below in node.predecessors:
        if graph.tree_of[below] != own:
            yield f"needs {below} of tree {graph.tree_of[below] + 1}"
    others = sorted({graph.tree_of[above] for above in graph.successors[node.id]} - {own})
    if others:
        yield f"also for tree {', '.join(str(tree + 1) for tree in others)}"


def _placed(own: dict[str, Box], top: float) -> dict[str, Box]:
    """The boxes of a tree: in each column in the order in which they are needed, and as near as can
    be to the middle of what they need themselves."""
    order: list[Box] = []
    for depth in COLUMNS:
        needed = [
            name for box in order if box.node.depth == depth + 1 for name in box.node.predecessors
        ]
        order += [
            own[name]
            for name in dict.fromkeys([*needed, *own])
            if name in own and own[name].node.depth == depth
        ]
    for depth in (1, 2, 3):
        free = top
        for box in (each for each in order if each.node.depth == depth):
            below = [own[name].middle for name in box.node.predecessors if name in own]
            box.top = max(free, sum(below) / len(below) - box.height / 2 if below else free)
            free = box.top + box.height + GAP
    return own


def _line(graph: QuestionGraph, above: Box, below: Box) -> str:
    """From a box to one that it needs."""
    within = graph.tree_of[above.node.id] == graph.tree_of[below.node.id]
    stroke = 'stroke="#8a949e"' if within else f'stroke="{ACROSS}" stroke-dasharray="6 4"'
    x0, y0, x1, y1 = (
        above.column.left + above.column.width,
        above.middle,
        below.column.left,
        below.middle,
    )
    bend = (x0 + x1) / 2
    return (
        f'<path d="M{x0:g},{y0:.1f}C{bend:g},{y0:.1f} {bend:g},{y1:.1f} {x1:g},{y1:.1f}" {stroke}/>'
    )


def _drawn(box: Box) -> str:
    node, x, y, texts = box.node, box.column.left, box.top + 5.0, list[str]()
    for line, size, look in box.lines:
        y += size + 3.5
        texts.append(_text(x + PAD, y - 3.5, line, size, look))
    dashed = ' stroke-width="1.4" stroke-dasharray="4 3"' if node.augmented else ""
    look = f'fill="{box.column.fill}" stroke="{box.column.frame}"{dashed}'
    title = (
        f"<title>{escape(one_line(node.question))}\n\n{escape(one_line(node.reference))}</title>"
    )
    return f"<g>{title}{_rect(x, box.top, box.column.width, box.height, look)}{''.join(texts)}</g>"


def _rect(x: float, y: float, width: float, height: float, look: str) -> str:
    return f'<rect x="{x:g}" y="{y:.1f}" width="{width:g}" height="{height:.1f}" rx="5" {look}/>'


def _text(x: float, y: float, line: str, size: int, look: str) -> str:
    return f'<text x="{x:g}" y="{y:.1f}" font-size="{size}" {look}>{escape(line)}</text>'
