"""The skills of DepthQA as nodes and tools of other people's apps."""

import asyncio
import json
from typing import Any

import pytest
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

from fathom.agents.export import depthqa as export_depthqa
from fathom.agents.judge.rating import RelationReply
from fathom.state.errors import ReplyUnreadable, UsageError
from fathom.tools.models.schema import strict_schema

from ...support.depthqa.toy import BuildModel, DepthModel
from ...support.eqt.toy import block
from ...support.scripted_chat import Scripted

export: Any = export_depthqa
"""Inputs are put together here as no host would."""


class Model(DepthModel, BuildModel):
    """Plays every part of DepthQA."""


MODEL = Model()
ANSWERED = {"answer", "finish", "refusal"}
GRAPHS = {
    "deep_answerer": (export.deep_answerer_graph(MODEL), {"question"}, ANSWERED),
    "prompted_answerer": (
        export.deep_answerer_graph(MODEL, asking="prompt"), {"question", "predecessors"}, ANSWERED
    ),
    "conversation_answerer": (
        export.deep_answerer_graph(MODEL, asking="conversation"), {"question", "turns"}, ANSWERED
    ),
    "rater": (export.rater_graph(MODEL), {"question", "reference", "answer"}, {"score", "reason"}),
    "classifier": (export.classifier_graph(MODEL), {"question"}, {"depth", "reason"}),
    "deconstructor": (export.deconstructor_graph(MODEL), {"question", "reference"}, {"predecessors", "reasoning"}),
    "opener": (export.opener_graph(MODEL), {"question", "reference"}, {"open_question", "reference", "rejected"}),
    "referencer": (export.referencer_graph(MODEL), {"question"}, {"reference"}),
    "relation_rater": (
        export.relation_rater_graph(MODEL),
        {"question", "reference", "predecessors"},
        {"comprehensive", "missing", "implicit"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", GRAPHS)
def test_every_graph_is_drawn_and_says_what_it_takes_and_gives(name: str) -> None:
    graph, takes, gives = GRAPHS[name]
    assert f"{name}({name})" in graph.get_graph().draw_mermaid()
    assert set(graph.get_input_jsonschema()["required"]) == takes
    assert set(graph.get_output_jsonschema()["properties"]) == gives


def test_the_schemas_say_what_a_value_may_be() -> None:
    described = GRAPHS["deconstructor"][0].get_input_jsonschema()["properties"]
    assert (described["depth"]["minimum"], described["depth"]["maximum"]) == (2, 3)
    assert (described["count"]["minimum"], described["count"]["maximum"]) == (1, 8)
    assert "predecessors" not in GRAPHS["deep_answerer"][0].get_input_jsonschema()["properties"]
    score = GRAPHS["rater"][0].get_output_jsonschema()["properties"]["score"]
    assert (score["minimum"], score["maximum"]) == (1, 5)


BELOW = [{"question": "What about q1.1?", "reference": "The truth about q1.1."}]


class HostState(TypedDict, total=False):
    question: str
    reference: str
    depth: int
    count: int
    predecessors: list[dict[str, str]]
    turns: list[dict[str, str]]
    answer: str
    refusal: bool
    score: int
    comprehensive: str
    implicit: list[str]


@pytest.mark.parametrize(("asking", "seen"), [("alone", False), ("prompt", True), ("conversation", False)])
async def test_what_a_host_keeps_reaches_only_an_answerer_that_is_to_see_it(asking: export.Asking, seen: bool) -> None:
    model = Model()
    builder = StateGraph(HostState)
    builder.add_node("answer", export.deep_answerer_graph(model, asking=asking))
    builder.add_edge(START, "answer")
    turns = [{"question": "What about t1?", "answer": "Earlier."}]
    final = await builder.compile().ainvoke({"question": "What about q1?", "predecessors": BELOW, "turns": turns})
    assert final["answer"] == "Knows about q1."
    (request,) = model.asked
    assert ("The truth about q1.1." in request.messages[-1].content) == seen
    said = [(message.role, message.content) for message in request.messages[1:]]
    earlier = [("user", "What about t1?"), ("assistant", "Earlier.")]
    assert (said[:-1] == earlier) == (asking == "conversation")
    assert said[-1][0] == "user"


async def test_own_answers_are_quoted_before_references_even_when_they_say_nothing() -> None:
    model = Model()
    graph = export.deep_answerer_graph(model, asking="prompt")
    quoted = [{**BELOW[0], "answer": "My own."}, {**BELOW[0], "answer": ""}, *BELOW]
    await graph.ainvoke({"question": "What about q1?", "predecessors": quoted})
    shown = block(model.asked[0], "context")
    own, silent, reference = [line for line in shown.splitlines() if line.startswith("Answer:")]
    assert (own, reference) == ("Answer: My own.", "Answer: The truth about q1.1.")
    assert "truth" not in silent
    for wrong, fault in (([], "no predecessor to quote"), ([{"question": "Why?"}], "'Why\\?' has neither answer nor")):
        with pytest.raises(UsageError, match=fault):
            await graph.ainvoke({"question": "What about q1?", "predecessors": wrong})
    with pytest.raises(UsageError, match="no way of asking 'both'; the ways are alone, prompt, conversation"):
        export.deep_answerer_graph(model, asking="both")  # what a host may write


@pytest.mark.parametrize(
    ("answer", "refusal", "score", "asked"), [("So.", False, 3, 1), (" ", False, 1, 0), ("I will not.", True, 1, 0)]
)
async def test_a_refusal_and_silence_score_1_and_the_judge_is_not_asked(
    answer: str, refusal: bool, score: int, asked: int
) -> None:
    judge = Scripted('{"reason": "One point is missing.", "score": 3}')
    given = {"question": "Why?", "reference": "Because.", "answer": answer, "refusal": refusal}
    marked = await export.rater_graph(judge).ainvoke(given)
    assert (marked["score"], len(judge.asked)) == (score, asked)
    assert marked["reason"]


async def test_a_score_that_cannot_be_read_is_no_score() -> None:
    graph = export.rater_graph(Scripted('{"score": 4.5}'))
    with pytest.raises(ReplyUnreadable):
        await graph.ainvoke({"question": "Why?", "reference": "Because.", "answer": "So."})


async def test_a_question_of_depth_2_is_taken_apart_into_questions_of_depth_1() -> None:
    model = Model()
    graph = export.deconstructor_graph(model)
    given = {"question": "What about q1?", "reference": "One.", "count": 1, "domain": "Heat", "language": "de"}
    parts = await graph.ainvoke({**given, "depth": 2})
    assert parts == {"predecessors": BELOW, "reasoning": ["causal"]}
    assert [block(model.asked[0], name) for name in ("depth", "count", "domain", "language")] == [
        "1",
        "1",
        "Heat",
        "de",
    ]
    await graph.ainvoke({"question": "What about q1?", "reference": "One."})
    assert [block(model.asked[1], name) for name in ("depth", "count", "language")] == ["2", "4", "en"]
    for wrong, fault in (({"depth": 1}, "depth 1 cannot be taken apart"), ({"count": 9}, "into 9: ask for 1 to 8")):
        with pytest.raises(UsageError, match=fault):
            await graph.ainvoke({**given, **wrong})
    with pytest.raises(UsageError, match="The reference is empty"):
        await graph.ainvoke({**given, "reference": " "})
    assert len(model.asked) == 2


@pytest.mark.parametrize(
    ("question", "language", "replies", "opened", "calls"),
    [
        ("Why is it so?", "en", [], "Why is it so?", 0),
        ("Is it so?", "en", ["Why is it so?"], "Why is it so?", 1),
        ("Is it so?", "en", ["Is it really so?", "Why is it so?"], "Why is it so?", 2),
        ("Is it so?", "en", ["Is it really so?"], None, 2),
        ("Ist es so?", "de", ["Ist es wirklich so?"], "Ist es wirklich so?", 1),
    ],
)
async def test_a_question_is_opened_at_most_twice(
    question: str, language: str, replies: list[str], opened: str | None, calls: int
) -> None:
    chat = Scripted(*(json.dumps({"rewritten": reply}) for reply in replies))
    given = {"question": question, "reference": "It is.", "language": language}
    done = await export.opener_graph(chat).ainvoke(given)
    assert (done["open_question"], len(chat.asked)) == (opened, calls)
    assert len(done["rejected"]) == calls - (opened is not None and calls > 0)
    assert all(row == {"text": "Is it really so?", "reason": "yes or no still answers it"} for row in done["rejected"])


async def test_a_judge_that_leaves_a_predecessor_out_is_asked_once_more() -> None:
    def reply(*numbers: int) -> str:
        rated = [{"number": number, "rating": "revealing" if number == 2 else "implicit"} for number in numbers]
        return json.dumps({"comprehensive": "partial", "missing": "heat", "implicit": rated})

    chat = Scripted(reply(2), reply(3, 2, 1, 4))
    given: dict[str, Any] = {"question": "What about q1?", "reference": "One.", "predecessors": BELOW * 3}
    assert await export.relation_rater_graph(chat).ainvoke(given) == {
        "comprehensive": "partial",
        "missing": "heat",
        "implicit": ["implicit", "revealing", "implicit"],
    }
    assert "there is no rating of number 1, 3" in chat.asked[1].messages[-1].content
    # all shapes look alike to the endpoint, and to whoever keeps replies
    assert chat.asked[0].schema is not None
    assert strict_schema(chat.asked[0].schema) == strict_schema(RelationReply)
    with pytest.raises(ReplyUnreadable, match="no rating of number 3"):
        await export.relation_rater_graph(Scripted(reply(1, 2), reply(1, 2))).ainvoke(given)
    with pytest.raises(UsageError, match="no predecessor"):
        await export.relation_rater_graph(Scripted()).ainvoke({**given, "predecessors": []})


async def test_what_one_writes_the_next_one_reads() -> None:
    model = Model(scores={"q1": 4})
    builder = StateGraph(HostState)
    builder.add_sequence(
        [
            ("classify", export.classifier_graph(model)),
            ("refer", export.referencer_graph(model)),
            ("part", export.deconstructor_graph(model)),
            ("relate", export.relation_rater_graph(model)),
            ("ask", export.deep_answerer_graph(model, asking="prompt")),
            ("mark", export.rater_graph(model)),
        ]
    )
    builder.add_edge(START, "classify")
    final = await builder.compile().ainvoke({"question": "What about q1?"})
    assert (final["depth"], final["reference"], final["score"]) == (3, "Written for q1.", 4)
    assert (final["comprehensive"], final["implicit"]) == ("comprehensive", ["implicit", "implicit"])
    purposes = [request.purpose for request in model.asked]
    parts = ["classification", "reference_answer", "deconstruction", "relation", "depth_with_context", "rating"]
    assert purposes == parts


async def test_every_skill_as_a_tool() -> None:
    model = Model()
    question = {"question": "What about q1?"}
    asked = {**question, "reference": "One."}
    skills: list[tuple[BaseTool, dict[str, Any], str]] = [
        (export.deep_answerer_tool(model), question, "answer"),
        (export.deep_answerer_tool(model, asking="prompt"), {**question, "predecessors": BELOW}, "answer"),
        (export.deep_answerer_tool(model, asking="conversation"), {**question, "turns": []}, "answer"),
        (export.rater_tool(model), {**asked, "answer": "So."}, "score"),
        (export.classifier_tool(model), question, "depth"),
        (export.deconstructor_tool(model), asked, "predecessors"),
        (export.opener_tool(model), asked, "open_question"),
        (export.referencer_tool(model), question, "reference"),
        (export.relation_rater_tool(model), {**asked, "predecessors": BELOW}, "comprehensive"),
    ]
    assert len({tool.name for tool, _, _ in skills}) == 9
    for tool, given, gives in skills:
        described = convert_to_openai_tool(tool)["function"]  # what a model gets to see
        assert described["description"]
        assert set(described["parameters"]["required"]) <= set(given)
        assert gives in await tool.ainvoke(given)
        assert gives in await asyncio.to_thread(tool.invoke, given)


async def test_a_reference_goes_with_the_question_that_is_asked_in_the_end() -> None:
    chat = Scripted(json.dumps({"rewritten": "How is it?"}))
    done = await export.opener_graph(chat).ainvoke({"question": "Is it so?", "reference": "No. It is not."})
    assert (done["open_question"], done["reference"]) == ("How is it?", "It is not.")
