"""The drawing of a graph of questions holds every question once, inside its box, and whatever it says as text."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fathom.reports.views.depthqa.drawing import draw_graph, save_drawing
from fathom.reports.views.depthqa.drawing.text import plain, width_of, wrapped
from fathom.state.depthqa.items import QuestionGraph, QuestionNode
from fathom.state.errors import UsageError

from ...support.depthqa.pictures import SVG, boxes, ends_of, number, overlaps, texts
from ...support.edited import edited
from ...support.reports import result_of


def node(name: str, depth: int, question: str = "What is it?", *below: str, **more: object) -> QuestionNode:
    held = {"id": name, "depth": depth, "question": question, "reference": "It.", "predecessors": below, **more}
    return QuestionNode.model_validate(held)


def graph() -> QuestionGraph:
    """The recorded one with a third tree. Two questions of the second, and the third, need one of the first; a question
    stands twice; `coolant.1.a1` was written to fill a gap."""
    recorded: QuestionGraph = result_of("depthqa_build").graph
    held = edited(
        recorded,
        {
            **{f"nodes.{place}.predecessors": lambda below: [*below, "spreader.1.1"] for place in (8, 11)},
            "nodes.13.question": recorded.nodes[6].question,
        },
    )
    return held.model_copy(update={"nodes": (*held.nodes, node("third", 2, "Why?", "spreader.1.1")), "made": {}})


@pytest.fixture(scope="module")
def three() -> str:
    return draw_graph(graph())


def test_every_question_stands_once_in_full(three: str) -> None:
    found = boxes(three)
    assert sorted(found) == sorted(node.id for node in graph().nodes)
    for each in graph().nodes:
        assert found[each.id].question == each.question
        assert " ".join(found[each.id].lines("font-style=italic")) == " · ".join(each.reasoning)
        title = found[each.id].group.findtext(f"{SVG}title")
        assert title == f"{each.question}\n\n{each.reference}"
    assert {
        "questions",
        "3 trees, 15 nodes (D3 2, D2 5, D1 8), 14 distinct questions, 15 lines from a question to what it needs.",
        "Tree 1: 7 nodes, Materials",
        "Tree 2: 7 nodes, Heat",
        "Tree 3: 1 node",
        "which counts in another tree",
    } <= set(texts(three))


def test_columns_go_from_depth_three_to_one_and_trees_stand_below_each_other(three: str) -> None:
    over, found = graph(), boxes(three)
    lefts = {depth: {found[n.id].ends[0] for n in over.nodes if n.depth == depth} for depth in (3, 2, 1)}
    assert [len(lefts[depth]) for depth in (3, 2, 1)] == [1, 1, 1]
    assert max(lefts[3]) < max(lefts[2]) < max(lefts[1])
    feet = [max(found[name].ends[3] for name in tree.nodes) for tree in over.trees]
    tops = [min(found[name].ends[2] for name in tree.nodes) for tree in over.trees]
    assert feet[0] < tops[1] < feet[1] < tops[2]
    (width, height) = (number(ElementTree.fromstring(three), name) for name in ("width", "height"))
    assert width == 830
    assert feet[-1] < height < feet[-1] + 60


def test_lines_lead_from_box_to_box(three: str) -> None:
    over, found = graph(), boxes(three)

    def starts_at(name: str, x: float, y: float) -> bool:
        _, right, top, bottom = found[name].ends
        return x == pytest.approx(right) and top < y < bottom

    def stops_at(name: str, x: float, y: float) -> bool:
        left, _, top, bottom = found[name].ends
        return x == pytest.approx(left) and top < y < bottom

    within = [
        (n.id, below) for n in over.nodes for below in n.predecessors if over.tree_of[n.id] == over.tree_of[below]
    ]
    drawn = [
        (a, b)
        for x0, y0, x1, y1 in ends_of(three, dashed=False)
        for a in found
        if starts_at(a, x0, y0)
        for b in found
        if stops_at(b, x1, y1)
    ]
    assert sorted(drawn) == sorted(within)
    dashed = ends_of(three, dashed=True)
    # a line out of each of the three that need spreader.1.1
    needing = [["coolant.1"], ["coolant.2"], ["third"]]
    assert [[a for a in found if starts_at(a, x, y)] for x, y, _, _ in dashed] == needing
    assert [[a for a in found if stops_at(a, x, y)] for _, _, x, y in dashed] == [["spreader.1.1"]] * 3


def test_what_lines_cannot_say_is_written(three: str) -> None:
    found = boxes(three)
    notes = {name: drawn.lines("fill=#aa3377") for name, drawn in found.items() if drawn.lines("fill=#aa3377")}
    assert notes == {
        "spreader.1.1": ["also for tree 2, 3"],
        **{key: ["needs spreader.1.1 of tree 1"] for key in ("coolant.1", "coolant.2", "third")},
        "coolant.2.2": ["same question as spreader.2.2"],
    }


def test_augmented_questions_are_marked(three: str) -> None:
    marked = {name for name, drawn in boxes(three).items() if drawn.group.find(f"{SVG}circle") is not None}
    dashed = {name for name, drawn in boxes(three).items() if drawn.rect.get("stroke-dasharray")}
    assert marked == dashed == {"coolant.1.a1"}
    assert "written to fill a gap" in texts(three)
    plain_graph = draw_graph(QuestionGraph(nodes=(node("a", 2, "Why?", "b"), node("b", 1))))
    assert "written to fill a gap" not in texts(plain_graph)
    assert "which counts in another tree" not in texts(plain_graph)


def test_a_tree_is_no_taller_than_its_tallest_column() -> None:
    """Four questions want to stand beside the last one below, where there is room for one."""
    low = [f"l{place}" for place in range(12)]
    crowded = [node(f"m{place}", 2, f"Why is {place}?", "l11") for place in range(4)]
    high = node("h", 3, "How?", "m", *(n.id for n in crowded))
    first = node("m", 2, "Why?", *low)
    nodes = (high, first, *crowded, *(node(name, 1, f"What is {name}?") for name in low))
    found = boxes(draw_graph(QuestionGraph(nodes=nodes)))
    assert overlaps(found) == []
    assert max(drawn.ends[3] for drawn in found.values()) == found["l11"].ends[3]


def test_a_drawing_is_only_shapes_and_text(three: str) -> None:
    root = ElementTree.fromstring(three)
    tags = {node.tag.removeprefix(SVG) for node in root.iter()}
    assert tags == {"svg", "title", "desc", "rect", "text", "g", "path", "circle"}
    assert re.findall(r'\s(?:xmlns|\S*href|src|on)\w*="([^"]*)"|url\(', three) == ["http://www.w3.org/2000/svg"]
    assert set(re.findall(r'font-family="([^"]*)"', three)) == {"sans-serif"}
    assert three == draw_graph(graph())


HOSTILE = (
    "<script>alert('x')</script> & \"q\" </text>]]> <!-- ",
    "\x1b[31mred\x00\x07\x9b \ufffe\uffff",
    "\u202eesrever\u2066 مرحبا بالعالم، لماذا يحدث هذا دائما؟",
    "W" * 300,
    "😀👩‍👩‍👧‍👦🎉" * 30,
    "模型为什么会在高温下失去强度？" * 12,
    "e" + "\u0301" * 40,
    "  a\n\n b\t c  ",
)


def test_hostile_text_is_text() -> None:
    low = [node(f"l{place}", 1, text, reference=text, domain=text) for place, text in enumerate(HOSTILE)]
    high = node("W" * 120, 2, "Which?", *(n.id for n in low), reasoning=HOSTILE)
    over = QuestionGraph(name=HOSTILE[0] + HOSTILE[1], nodes=(high, *low), made={HOSTILE[0]: HOSTILE[3]})
    svg = draw_graph(over)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u206f\ufffe\uffff]", svg)
    found = boxes(svg)
    assert {name: drawn.overhang() for name, drawn in found.items() if drawn.overhang()} == {}
    assert found["l0"].question == " ".join(HOSTILE[0].split())
    assert found["l7"].question == "a b c"
    assert found["l3"].question.replace(" ", "") == "W" * 300
    assert found["W" * 120].name == "W" * 120
    assert texts(draw_graph(over, title="</title>"))[0] == "</title>"


def test_a_very_long_question_is_cut_but_kept_in_the_title() -> None:
    long = "word " * 900
    (drawn,) = boxes(draw_graph(QuestionGraph(nodes=(node("a", 3, long),)))).values()
    assert len(drawn.lines("font-size=12")) == 24
    assert drawn.question.endswith("…")
    assert (drawn.group.findtext(f"{SVG}title") or "").startswith(long.strip())
    assert drawn.overhang() == []


def test_of_many_trees_the_first_are_drawn() -> None:
    over = QuestionGraph(nodes=tuple(node(f"n{place}", 1, f"What is {place}?") for place in range(42)))
    svg = draw_graph(over)
    assert list(boxes(svg)) == [f"n{place}" for place in range(40)]
    assert "The first 40 of 42 trees are drawn." in texts(svg)
    assert len(boxes(draw_graph(over, most=42))) == 42
    assert "are drawn" not in draw_graph(over, most=42)


def test_simulated_questions_say_so() -> None:
    over = graph()
    assert "SIMULATED" not in draw_graph(over)
    written = texts(
        draw_graph(over.model_copy(update={"made": {"evaluator": "sim:evaluator", "similarity": "lexical"}}))
    )
    assert any(text.startswith("SIMULATED") for text in written)
    assert "Evaluator: sim:evaluator. Similarity: lexical." in written


def test_a_file_is_written_or_refused(tmp_path: Path) -> None:
    path = save_drawing(tmp_path / "graph.svg", graph(), title="Elements")
    assert path.read_bytes().decode() == draw_graph(graph(), title="Elements")
    with pytest.raises(UsageError, match="cannot be written"):
        save_drawing(tmp_path, graph())


@st.composite
def graphs(draw: st.DrawFn) -> QuestionGraph:
    """Any graph with edges between neighbouring depths, with any text."""
    names = {depth: [f"d{depth}n{n}" for n in range(draw(st.integers(depth == 1, 5)))] for depth in (1, 2, 3)}
    words = st.text(st.characters(codec="utf-8"), min_size=1, max_size=80).filter(lambda text: bool(text.strip()))
    nodes = []
    for depth in (3, 2, 1):
        for name in names[depth]:
            below = draw(st.lists(st.sampled_from(names[depth - 1]), unique=True)) if names.get(depth - 1) else []
            nodes.append(node(name, depth, draw(words), *below, reasoning=tuple(draw(st.lists(words, max_size=2)))))
    return QuestionGraph(nodes=tuple(nodes))


@settings(max_examples=30)
@given(graphs())
def test_any_graph_is_drawn_without_overlap(over: QuestionGraph) -> None:
    svg = draw_graph(over)
    found = boxes(svg)
    assert set(found) == {each.id for each in over.nodes}
    assert overlaps(found) == []
    assert [drawn.overhang() for drawn in found.values() if drawn.overhang()] == []
    crossing = sum(over.tree_of[n.id] != over.tree_of[below] for n in over.nodes for below in n.predecessors)
    assert len(ends_of(svg, dashed=False)) == over.edges - crossing
    assert len(ends_of(svg, dashed=True)) == crossing


@settings(max_examples=60)
@given(st.text(st.characters(codec="utf-8"), max_size=80), st.floats(30, 300))
def test_wrapped_lines_fit_and_hold_everything(text: str, width: float) -> None:
    lines = wrapped(text, 12, width)
    assert all(width_of(line, 12) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(plain(text).split())
    assert len(wrapped(text, 12, width, 2)) <= 2
    assert all(width_of(line, 12) <= width for line in wrapped(text, 12, width, 2))


def test_widths_are_those_of_a_wide_font_or_a_little_more() -> None:
    # DejaVu Sans: the advances of its signs add up to 42.13 font sizes, W alone has .989, i .278
    question = "How does the electron configuration of copper determine its usual oxidation states?"
    assert 42.13 < width_of(question, 1) < 42.13 * 1.06
    assert 0.989 <= width_of("W", 1) < 1.05
    assert 0.278 <= width_of("i", 1) < 0.3
    assert width_of("模", 1) > 1
    assert width_of("e\u0301", 1) == width_of("e", 1) == width_of("é", 1)
    assert wrapped("one two  three", 10, width_of("one two", 10)) == ["one two", "three"]
