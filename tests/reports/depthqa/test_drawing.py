"""The drawing of a graph of questions holds every question once, inside its box, and whatever it
says as text."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fathom.reports.page.chart.picture import DARK, LIGHT, Ground
from fathom.reports.views.depthqa.drawing import ACROSS, draw_graph, save_drawing
from fathom.state.depthqa.items import QuestionGraph, QuestionNode
from fathom.state.errors import UsageError

from ...support.depthqa.pictures import SVG, boxes, ends_of, number, overlaps, texts
from ...support.edited import edited
from ...support.reports import result_of


def node(
    name: str, depth: int, question: str = "What is it?", *below: str, **more: object
) -> QuestionNode:
    held = {
        "id": name,
        "depth": depth,
        "question": question,
        "reference": "It.",
        "predecessors": below,
        **more,
    }
    return QuestionNode.model_validate(held)


def graph() -> QuestionGraph:
    """The recorded one with a third tree. Two questions of the second, and the third, need one of
    the first; a question stands twice; `coolant.1.a1` was written to fill a gap."""
    recorded: QuestionGraph = result_of("depthqa_build").graph
    held = edited(
        recorded,
        {
            **{
                f"nodes.{place}.predecessors": lambda below: [*below, "spreader.1.1"]
                for place in (8, 11)
            },
            "nodes.13.question": recorded.nodes[6].question,
        },
    )
    return held.model_copy(
        update={"nodes": (*held.nodes, node("third", 2, "Why?", "spreader.1.1")), "made": {}}
    )


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
        (
            "3 trees, 15 nodes (D3 2, D2 5, D1 8), 14 distinct questions, 15 lines from a "
            "question to what it needs."
        ),
        "Dashed lines lead into another tree.",
        "Tree 1: 7 nodes, Materials",
        "Tree 2: 7 nodes, Heat",
        "Tree 3: 1 node",
    } <= set(texts(three))


def test_columns_go_from_depth_three_to_one_and_trees_stand_below_each_other(three: str) -> None:
    over, found = graph(), boxes(three)
    lefts = {
        depth: {found[n.id].ends[0] for n in over.nodes if n.depth == depth} for depth in (3, 2, 1)
    }
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

    def middles(name: str, below: str) -> tuple[float, float, float, float]:
        (_, right, top, bottom), (left, _, high, low) = found[name].ends, found[below].ends
        return right, (top + bottom) / 2, left, (high + low) / 2

    for dashed in (False, True):
        pairs = [
            (node.id, below)
            for node in over.nodes
            for below in node.predecessors
            if (over.tree_of[node.id] != over.tree_of[below]) == dashed
        ]
        wanted = sorted(middles(*pair) for pair in pairs)
        assert len(wanted) == (3 if dashed else 12)
        for line, ends in zip(sorted(ends_of(three, dashed)), wanted, strict=True):
            assert line == pytest.approx(ends, abs=0.2)


def test_what_lines_cannot_say_is_written(three: str) -> None:
    found = boxes(three)
    notes = {
        name: drawn.lines("fill=#aa3377")
        for name, drawn in found.items()
        if drawn.lines("fill=#aa3377")
    }
    assert notes == {
        "spreader.1.1": ["also for tree 2, 3"],
        **{key: ["needs spreader.1.1 of tree 1"] for key in ("coolant.1", "coolant.2", "third")},
        "coolant.1.a1": ["written to fill a gap"],
        "coolant.2.2": ["same question as spreader.2.2"],
    }


def test_augmented_questions_have_a_dashed_frame(three: str) -> None:
    assert [name for name, box in boxes(three).items() if box.rect.get("stroke-dasharray")] == [
        "coolant.1.a1"
    ]


@pytest.mark.parametrize("ground", [LIGHT, DARK])
def test_the_ground_decides_what_stands_beside_the_boxes(ground: Ground) -> None:
    svg = draw_graph(graph(), ground=ground)
    assert f'fill="{ground.ground}"' in svg
    assert f'fill="{ground.ink}">questions' in svg
    assert {
        text.get("fill") for box in boxes(svg).values() for text in box.group.findall(f"{SVG}text")
    } == {*(LIGHT.ink, LIGHT.faint, ACROSS)}, "boxes are light on any ground"


def test_a_column_is_sorted_by_what_needs_it() -> None:
    nodes = (
        node("h", 3, "How?", "m2", "m1"),
        node("m1", 2, "Why?", "l1"),
        node("m2", 2, "Why?", "l2"),
    )
    found = boxes(draw_graph(QuestionGraph(nodes=(*nodes, node("l1", 1), node("l2", 1)))))
    assert found["m2"].ends[2] < found["m1"].ends[2]
    assert found["l2"].ends[2] < found["l1"].ends[2]


def test_a_drawing_is_only_shapes_and_text(three: str) -> None:
    root = ElementTree.fromstring(three)
    tags = {node.tag.removeprefix(SVG) for node in root.iter()}
    assert tags == {"svg", "title", "desc", "rect", "text", "g", "path"}
    assert re.findall(r'\s(?:xmlns|\S*href|src|on)\w*="([^"]*)"|url\(', three) == [
        "http://www.w3.org/2000/svg"
    ]
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
    low = [
        node(f"l{place}", 1, text, reference=text, domain=text)
        for place, text in enumerate(HOSTILE)
    ]
    high = node("W" * 120, 2, "Which?", *(n.id for n in low), reasoning=HOSTILE)
    over = QuestionGraph(
        name=HOSTILE[0] + HOSTILE[1], nodes=(high, *low), made={HOSTILE[0]: HOSTILE[3]}
    )
    svg = draw_graph(over)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u206f\ufffe\uffff]", svg)
    found = boxes(svg)
    assert {name: drawn.overhang() for name, drawn in found.items() if drawn.overhang()} == {}
    assert found["l0"].question.replace(" ", "") == "".join(HOSTILE[0].split())
    assert found["l7"].question == "a b c"
    assert found["l3"].question.replace(" ", "") == "W" * 300
    assert found["W" * 120].name == "W" * 120
    assert texts(draw_graph(over, title="</title>"))[0] == "</title>"


def test_a_very_long_question_is_cut_but_kept_in_the_title() -> None:
    long = "word " * 900
    (drawn,) = boxes(draw_graph(QuestionGraph(nodes=(node("a", 3, long),)))).values()
    assert len(drawn.lines("font-size=12")) == 24
    assert "…" in drawn.question
    assert (drawn.group.findtext(f"{SVG}title") or "").startswith(long.strip())
    assert drawn.overhang() == []


def test_of_many_trees_the_first_are_drawn() -> None:
    over = QuestionGraph(
        nodes=tuple(node(f"n{place}", 1, f"What is {place}?") for place in range(42))
    )
    svg = draw_graph(over)
    assert list(boxes(svg)) == [f"n{place}" for place in range(40)]
    assert "The first 40 of 42 trees are drawn." in texts(svg)
    assert len(boxes(draw_graph(over, most=42))) == 42
    assert "are drawn" not in draw_graph(over, most=42)


def test_simulated_questions_say_so() -> None:
    over = graph()
    assert "SIMULATED" not in draw_graph(over)
    written = texts(
        draw_graph(
            over.model_copy(
                update={"made": {"evaluator": "sim:evaluator", "similarity": "lexical"}}
            )
        )
    )
    assert any(text.startswith("SIMULATED") for text in written)
    assert "Evaluator: sim:evaluator. Similarity: lexical." in written


def test_a_file_is_written_or_refused(tmp_path: Path) -> None:
    path = save_drawing(tmp_path / "graph.svg", graph())
    assert path.read_bytes().decode() == draw_graph(graph())
    with pytest.raises(UsageError, match="cannot be written"):
        save_drawing(tmp_path, graph())


@st.composite
def graphs(draw: st.DrawFn) -> QuestionGraph:
    """Any graph with edges between neighbouring depths, with any text."""
    names = {
        depth: [f"d{depth}n{n}" for n in range(draw(st.integers(depth == 1, 5)))]
        for depth in (1, 2, 3)
    }
    words = st.text(st.characters(codec="utf-8"), min_size=1, max_size=80).filter(
        lambda text: bool(text.strip())
    )
    nodes = []
    for depth in (3, 2, 1):
        for name in names[depth]:
            below = (
                draw(st.lists(st.sampled_from(names[depth - 1]), unique=True))
                if names.get(depth - 1)
                else []
            )
            nodes.append(
                node(
                    name,
                    depth,
                    draw(words),
                    *below,
                    reasoning=tuple(draw(st.lists(words, max_size=2))),
                )
            )
    return QuestionGraph(nodes=tuple(nodes))


@settings(max_examples=30)
@given(graphs())
def test_any_graph_is_drawn_without_overlap(over: QuestionGraph) -> None:
    svg = draw_graph(over)
    found = boxes(svg)
    assert set(found) == {each.id for each in over.nodes}
    assert overlaps(found) == []
    assert [drawn.overhang() for drawn in found.values() if drawn.overhang()] == []
    crossing = sum(
        over.tree_of[n.id] != over.tree_of[below] for n in over.nodes for below in n.predecessors
    )
    assert len(ends_of(svg, dashed=False)) == over.edges - crossing
    assert len(ends_of(svg, dashed=True)) == crossing
