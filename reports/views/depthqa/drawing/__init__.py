"""A graph of questions as a picture: three columns from depth 3 to depth 1, a tree below the other."""

from collections import Counter
from collections.abc import Iterator
from html import escape
from operator import itemgetter
from pathlib import Path

from .....state.depthqa.items import QuestionGraph
from .....state.worlds import is_simulated
from ....page.chart.picture import write
from ....page.figures import count
from .layout import HEAD, LEFT, MARGIN, PAD, SIZE, WIDTH, WIDTHS, Box, lines, placed
from .text import BOLD, plain, width_of, wrapped

MOST_TREES = 40
"""More make a picture that nobody can look at."""
SIMULATED = "SIMULATED: these questions come from the simulated world."
_INK, _FAINT = "#1a1a1a", "#595959"
_WITHIN, _ACROSS = "#8a949e", "#aa3377"
"""Lines within a tree, and into another."""
_FILLS = {3: "#e3eef8", 2: "#fdf0e0", 1: "#e9f5ef"}
_FRAMES = {3: "#0072b2", 2: "#b35c00", 1: "#00795a"}
_NAMES = {3: "D3: strategic", 2: "D2: procedural", 1: "D1: factual and conceptual"}
_STYLES: dict[str, str] = {
    "id": f'font-weight="bold" fill="{_FAINT}"',
    "labels": f'font-style="italic" fill="{_FAINT}"',
    "text": f'fill="{_INK}"',
    "note": f'fill="{_ACROSS}"',
}
_LARGE, _SMALL = 18, 11
"""Sizes of the font around the boxes, in pixels."""


def draw_graph(graph: QuestionGraph, *, title: str = "", most: int = MOST_TREES) -> str:
    """The graph as an SVG document of 830 pixels in width, without scripts or anything to load.

    Every node stands once, in the first tree that it serves, with its name, question and types of reasoning; its title
    holds question and reference answer in full. `title`: in place of the graph's name. Of more than `most` trees the
    first are drawn, and it is said. The same graph gives the same text.
    """
    words = _heading(graph, title, most)
    top = MARGIN + 24 * len(words[0]) + 16 * len(words[1]) + 8
    boxes, bands = placed(graph, most, top + 52)
    height = bands[-1][1] + MARGIN if bands else top
    name, said = " ".join(words[0]), " ".join(words[1])
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH:g}" height="{height:.0f}" '
        f'viewBox="0 0 {WIDTH:g} {height:.0f}" font-family="sans-serif" role="group" '
        f'aria-labelledby="graph-title graph-desc"><title id="graph-title">{escape(name)}</title>'
        f'<desc id="graph-desc">{escape(said)}</desc>',
        f'<rect width="{WIDTH:g}" height="{height:.0f}" fill="white"/>',
        *_words(words),
        *_legend(graph, top),
        *(f'<text x="{LEFT[d]:g}" y="{top + 42:g}" {_bold(13)} fill="{_FRAMES[d]}">{_NAMES[d]}</text>' for d in LEFT),
        *(part for tree, band in enumerate(bands) for part in _band(graph, tree, *band)),
        '<g fill="none" stroke-width="1.4">',
        *(f'<path d="{path}" {_stroke(across)}/>' for path, across in sorted(lines(graph, boxes), key=itemgetter(1))),
        "</g>",
        *map(_box, boxes.values()),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def save_drawing(path: Path, graph: QuestionGraph, *, title: str = "", most: int = MOST_TREES) -> Path:
    """Write `draw_graph` into the file, and return it. Raises UsageError when it cannot be written."""
    return write(path, draw_graph(graph, title=title, most=most))


def _heading(graph: QuestionGraph, title: str, most: int) -> tuple[list[str], list[str]]:
    """Lines of the title, and of what stands below it."""
    room = WIDTH - 2 * MARGIN
    depths = Counter(node.depth for node in graph.nodes)
    trees = len(graph.trees)
    distinct = len(set(graph.first_of.values()))
    notes = [
        SIMULATED if any(is_simulated(maker) for maker in graph.made.values()) else "",
        f"{count(trees, 'tree')}, {count(len(graph.nodes), 'node')} ("
        + ", ".join(f"D{depth} {depths[depth]:,}" for depth in LEFT)
        + f"), {count(distinct, 'distinct question')}, {count(graph.edges, 'line')} from a question to what it needs.",
        " ".join(f"{key.capitalize()}: {value}." for key, value in graph.made.items()),
        f"The first {most} of {trees} trees are drawn." if trees > most else "",
    ]
    said = [line for note in notes if note for line in wrapped(note, _SMALL, room, 3)]
    return wrapped(title or graph.name or "Questions", _LARGE * BOLD, room, 2), said


def _bold(size: int) -> str:
    return f'font-size="{size}" font-weight="bold"'


def _words(lines: tuple[list[str], list[str]]) -> Iterator[str]:
    y = MARGIN
    for line in lines[0]:
        y += 24
        yield f'<text x="{MARGIN:g}" y="{y - 6:g}" {_bold(_LARGE)} fill="{_INK}">{escape(line)}</text>'
    for line in lines[1]:
        y += 16
        yield f'<text x="{MARGIN:g}" y="{y - 3:g}" font-size="{_SMALL}" fill="{_FAINT}">{escape(line)}</text>'


def _legend(graph: QuestionGraph, y: float) -> Iterator[str]:
    """What the signs mean, of those that the graph has."""
    across = any(graph.tree_of[n.id] != graph.tree_of[below] for n in graph.nodes for below in n.predecessors)
    shown = [
        (_stroke(False), "the question on the left needs the one on the right"),
        *([(_stroke(True), "which counts in another tree")] if across else []),
    ]
    x = LEFT[3]
    for stroke, told in shown:
        yield f'<path d="M{x:g},{y + 8:g}h30" fill="none" stroke-width="1.6" {stroke}/>'
        yield _small(x + 36, y + 12, told)
        x += 36 + width_of(told, _SMALL) + 14
    if any(node.augmented for node in graph.nodes):
        yield f'<rect x="{x:g}" y="{y + 1:g}" width="30" height="14" rx="4" fill="white" {_frame(1, True)}/>'
        yield _plus(x + 30, y + 1)
        yield _small(x + 44, y + 12, "written to fill a gap")


def _small(x: float, y: float, text: str) -> str:
    return f'<text x="{x:g}" y="{y:g}" font-size="{_SMALL}" fill="{_FAINT}">{escape(text)}</text>'


def _band(graph: QuestionGraph, number: int, top: float, foot: float) -> Iterator[str]:
    """A tree's ground and heading."""
    tree = graph.trees[number]
    domain = plain(graph.by_id[tree.root].domain)
    told = f"Tree {number + 1}: {count(len(tree.nodes), 'node')}{', ' + domain if domain else ''}"
    (line,) = wrapped(told, _SMALL, WIDTH - 4 * MARGIN, 1)
    yield (
        f'<rect x="{MARGIN:g}" y="{top:.1f}" width="{WIDTH - 2 * MARGIN:g}" height="{foot - top:.1f}" rx="8" '
        f'fill="#f4f5f7"/>'
    )
    yield _small(LEFT[3], top + HEAD - 7, line)


def _stroke(across: bool) -> str:
    return f'stroke="{_ACROSS}" stroke-dasharray="6 4"' if across else f'stroke="{_WITHIN}"'


def _frame(depth: int, augmented: bool) -> str:
    return f'stroke="{_FRAMES[depth]}"' + (' stroke-width="1.4" stroke-dasharray="4 3"' if augmented else "")


def _plus(x: float, y: float) -> str:
    """The mark of a question that fills a gap, around a corner."""
    return (
        f'<circle cx="{x:g}" cy="{y:.1f}" r="6" fill="{_FRAMES[1]}"/>'
        f'<path d="M{x - 3:g},{y:.1f}h6M{x:g},{y - 3:.1f}v6" stroke="white" stroke-width="1.6"/>'
    )


def _box(box: Box) -> str:
    node, x = box.node, box.left
    texts = "".join(
        f'<text x="{x + PAD:g}" y="{box.y + foot:.1f}" font-size="{SIZE[kind]:g}" {_STYLES[kind]}>{escape(text)}</text>'
        for kind, text, foot in box.lines
    )
    return (
        f"<g><title>{escape(plain(node.question))}\n\n{escape(plain(node.reference))}</title>"
        f'<rect x="{x:g}" y="{box.y:.1f}" width="{WIDTHS[node.depth]:g}" height="{box.height:.1f}" rx="5" '
        f'fill="{_FILLS[node.depth]}" {_frame(node.depth, node.augmented)}/>{texts}'
        f"{_plus(box.right - 2, box.y + 2) if node.augmented else ''}</g>"
    )
