"""DepthQA as plain lines: one per rating, per step that came to nothing, per closed tree, per step of a build."""

from ....state.depthqa.items import DepthAnswer, QuestionGraph, Rating
from ....state.depthqa.spec import DepthQABuildSpec, DepthQASpec
from ....state.events import ItemFinished, TreeClosed
from ....state.items import AnyItem, BuildItem, DepthQAItem, build_items, depthqa_items
from ....state.spec import Spec
from ...page import figures
from ...page.rows import Row, clip
from ...page.sanitise import model_name, one_line
from .building.progress import SIGNS, built_of
from .figures import mode_words, sign_of

QUESTION = 80
"""Cells of a question's start."""


def build_words(spec: DepthQABuildSpec, _: QuestionGraph | None) -> str:
    """How many questions are taken apart."""
    return f" · {figures.count(len(spec.questions), 'question')} to take apart"


def started_words(spec: DepthQASpec, graph: QuestionGraph | None) -> str:
    """Who judges, in which modes, and how large the graph is."""
    parts = [f"judge {model_name(spec.judge)}", mode_words(spec.modes)]
    if graph is not None:
        parts.append(f"{figures.count(len(graph.trees), 'tree')}, {figures.count(len(graph.holders), 'question')}")
    return "".join(f" · {part}" for part in parts)


def depthqa_row(event: ItemFinished | TreeClosed, graph: QuestionGraph | None, spec: Spec | None = None) -> Row | None:
    """The event as one line; None for an answer that is there, since its rating will tell, and for other methods."""
    if isinstance(event, TreeClosed):
        return closed_row(event, modes=len(getattr(spec, "modes", "1")))
    return _item_row(event.item, graph)


def _item_row(item: AnyItem, graph: QuestionGraph | None) -> Row | None:
    for asked in depthqa_items([item]):
        return None if isinstance(asked, DepthAnswer) and asked.fault is None else rating_row(asked, graph)
    for built in build_items([item]):
        return build_row(built)
    return None


def rating_row(item: DepthQAItem, graph: QuestionGraph | None) -> Row:
    """`✓ 4 t003 1_d2_n1@zero-shot   3.2 s By which steps …`; what came to nothing with the reason."""
    score = item.score if isinstance(item, Rating) else None
    sign, style = sign_of(score)
    row: Row = [
        (f"{sign} {'–' if score is None else score} ", style),
        (f"t{item.tree + 1:03d} ", "quiet"),
        (f"{place_words(item.id, item.nodes)} ", "accuracy"),
        (f"{figures.duration(item.elapsed_s):>6} ", "quiet"),
        (_question(item, graph), ""),
    ]
    if item.fault is not None:
        row.append((f" ({item.fault.stage}: {item.fault.kind}, {one_line(item.fault.message)})", "unscored"))
    return row


def place_words(item_id: str, nodes: tuple[str, ...]) -> str:
    """`1_d1_n6@zero-shot +2`: where it stands in the run, and how many more nodes hold the same question."""
    place = one_line(figures.place(item_id)).removesuffix("@score")
    return place + (f" +{len(nodes) - 1}" if len(nodes) > 1 else "")


def _question(item: DepthQAItem, graph: QuestionGraph | None) -> str:
    node = graph.by_id.get(item.nodes[0]) if graph is not None and item.nodes else None
    return clip(one_line(node.question[: 8 * QUESTION]), QUESTION) if node else ""


def build_row(item: BuildItem) -> Row:
    """`✓ q1.2@parts · 4 questions one depth below   3.2 s`."""
    built = built_of(item)
    return [
        (f"{SIGNS[built.style]} ", built.style),
        (f"{one_line(figures.place(built.id))} ", "accuracy"),
        (f"{figures.duration(built.elapsed_s):>6} ", "quiet"),
        (built.said, "" if item.fault is None else "unscored"),
    ]


def closed_row(event: TreeClosed, *, modes: int = 1) -> Row:
    """`t003 3_d3 closed: mean D1 4.50 (8), D2 4.25 (4), D3 3.00 (1) · unscored 2`; with several ways of asking, that
    these are in it together."""
    marks = sorted(event.depths.items())
    means = [f"D{d} {figures.number(m.total / m.scored)} ({m.scored:,})" for d, m in marks if m.scored]
    lost = sum(mark.unscored for _, mark in marks)
    pooled = ", all modes together" if modes > 1 else ""
    said = [f"mean {', '.join(means)}{pooled}" if means else "nothing was scored", f"unscored {lost:,}" if lost else ""]
    return [(f"t{event.index + 1:03d} {one_line(event.root)} closed: {figures.joined(said)}", "title")]
