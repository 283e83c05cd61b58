"""The skills of Explain-Query-Test as nodes and tools of other people's apps."""

import asyncio
from typing import Any

import pytest
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

from fathom.agents import export
from fathom.agents.export import eqt as typed
from fathom.state.eqt.items import KINDS
from fathom.state.errors import ReplyUnreadable, UsageError
from fathom.tools.models.chat import ChatReply

from ...support.drill.toy import ToySource
from ...support.eqt.exam_chat import EXPLANATION, ExamChat, draft
from ...support.scripted_chat import Scripted

export_eqt: Any = typed  # inputs are put together here as no host would

QUESTION = "Which of the following statements on entropy are true?"
OPTIONS = ["It counts arrangements", "It falls by itself", "Clausius named it"]
REWORDED = '{"paraphrase": "Name what is true of entropy."}'
GRAPHS = {
    "concept_explainer": (export_eqt.concept_explainer_graph(ExamChat()), {"concept"}, {"explanation"}),
    "choice_questioner": (
        export_eqt.choice_questioner_graph(ExamChat()),
        {"concept", "explanation"},
        {"question", "options", "right", "rejected", "dropped"},
    ),
    "paraphraser": (
        export_eqt.paraphraser_graph(ExamChat()),
        {"question", "options"},
        {"paraphrases", "rejected"},
    ),
    "chooser": (
        export_eqt.chooser_graph(ExamChat()),
        {"question", "options"},
        {"answer", "finish", "refusal", "letters", "reading"},
    ),
    "open_book_chooser": (
        export_eqt.chooser_graph(ExamChat(), open_book=True),
        {"question", "options", "explanation"},
        {"answer", "finish", "refusal", "letters", "reading"},
    ),
    "letter_judge": (
        export_eqt.letter_judge_graph(),
        {"answer", "options", "right"},
        {"correct", "letters", "reading"},
    ),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_every_graph_is_drawn_and_says_what_it_takes_and_gives(name: str) -> None:
    graph, takes, gives = GRAPHS[name]
    assert f"{name}({name})" in graph.get_graph().draw_mermaid()
    described = graph.get_input_jsonschema()
    assert set(described["required"]) == takes
    assert set(graph.get_output_jsonschema()["properties"]) == gives


def test_the_schemas_say_what_a_value_may_be() -> None:
    described = GRAPHS["choice_questioner"][0].get_input_jsonschema()["properties"]
    assert described["kind"]["enum"] == list(KINDS)
    assert (described["count"]["minimum"], described["count"]["maximum"]) == (2, 26)
    assert "explanation" not in GRAPHS["chooser"][0].get_input_jsonschema()["properties"]


async def test_a_concept_is_explained_in_its_field_and_language() -> None:
    chat = Scripted(EXPLANATION)
    graph = export_eqt.concept_explainer_graph(chat)
    assert await graph.ainvoke({"concept": "Entropy", "field": "Physics", "language": "de"}) == {
        "explanation": EXPLANATION
    }
    (request,) = chat.asked
    assert request.purpose == "explanation"
    assert all(f"<{tag}>\n{value}\n" in request.messages[-1].content for tag, value in
               (("concept", "Entropy"), ("field", "Physics"), ("language", "de")))  # fmt: skip


async def test_an_explainer_that_refuses_is_an_error_of_its_own() -> None:
    graph = export_eqt.concept_explainer_graph(Scripted(ChatReply("", refusal="I would rather not.")))
    with pytest.raises(ReplyUnreadable, match="refused to explain"):
        await graph.ainvoke({"concept": "Entropy"})


async def test_a_question_comes_with_its_options_and_the_letters_that_are_right() -> None:
    chat = ExamChat()
    graph = export_eqt.choice_questioner_graph(chat)
    written = await graph.ainvoke({"concept": "Entropy", "explanation": EXPLANATION, "kind": "history", "count": 5})
    assert written["question"] == "Which statements hold for Entropy, by its history?"
    assert written["options"] == [f"Statement {i} on it" for i in range(5)]
    assert (written["right"], written["rejected"], written["dropped"]) == (["A", "D"], [], None)
    assert len(chat.requests) == 1


async def test_a_question_has_ten_options_and_asks_for_a_definition_unless_told_otherwise() -> None:
    chat = ExamChat()
    written = await export_eqt.choice_questioner_graph(chat).ainvoke({"concept": "Entropy", "explanation": EXPLANATION})
    assert len(written["options"]) == 10
    assert "<kind>\ndefinition" in chat.requests[0].messages[-1].content


async def test_a_question_that_cannot_be_asked_is_asked_for_once_more() -> None:
    chat = ExamChat(choice_question=[draft(4), draft(3)])
    graph = export_eqt.choice_questioner_graph(chat)
    written = await graph.ainvoke({"concept": "Entropy", "explanation": EXPLANATION, "count": 3})
    assert len(written["options"]) == 3
    assert [one["reason"] for one in written["rejected"]] == ["it has 4 options and 3 were asked for"]
    assert "it has 4 options" in chat.requests[1].messages[-1].content


async def test_a_question_that_is_malformed_twice_is_dropped_with_the_reason() -> None:
    chat = ExamChat(choice_question=[draft(4)])
    graph = export_eqt.choice_questioner_graph(chat)
    written = await graph.ainvoke({"concept": "Entropy", "explanation": EXPLANATION, "count": 3})
    assert (written["question"], written["options"], written["right"]) == (None, [], [])
    assert written["dropped"] == "it has 4 options and 3 were asked for"
    assert [set(one) for one in written["rejected"]] == [{"text", "reason"}] * 2
    assert len(chat.requests) == 2


@pytest.mark.parametrize(
    ("asked", "fault"),
    [({"kind": "poem"}, "no kind of question 'poem'"), ({"count": 27}, "27 options"), ({"count": 1}, "1 options")],
)
async def test_a_question_that_nobody_could_ask_for_is_refused_before_any_call(
    asked: dict[str, Any], fault: str
) -> None:
    chat = ExamChat()
    graph = export_eqt.choice_questioner_graph(chat)
    with pytest.raises(UsageError, match=fault):
        await graph.ainvoke({"concept": "Entropy", "explanation": EXPLANATION, **asked})
    assert chat.requests == []


async def test_paraphrases_differ_from_the_question_and_from_one_another() -> None:
    repeated = f'{{"paraphrase": "{QUESTION}"}}'
    other = '{"paraphrase": "Two sentences follow. What holds for entropy?"}'
    chat = ExamChat(paraphrase=[repeated, REWORDED, REWORDED, other, other])
    done = await export_eqt.paraphraser_graph(chat).ainvoke({"question": QUESTION, "options": OPTIONS, "k": 3})
    assert done["paraphrases"] == ["Name what is true of entropy.", "Two sentences follow. What holds for entropy?"]
    assert [one["reason"] for one in done["rejected"]] == [
        "it is worded like the question",
        "its wording is taken",
        "its wording is taken",
        "its wording is taken",
    ]
    assert done["rejected"][0]["text"] == QUESTION
    assert len(chat.requests) == 6  # 2, 2, and 2 for the third, which failed twice
    assert "it is worded like the question" in chat.requests[1].messages[-1].content
    assert "Name what is true of entropy." in chat.requests[2].messages[-1].content  # wordings that are taken


async def test_three_paraphrases_are_written_each_in_another_manner_unless_told_otherwise() -> None:
    chat = ExamChat()
    done = await export_eqt.paraphraser_graph(chat).ainvoke({"question": QUESTION, "options": OPTIONS})
    assert len(set(done["paraphrases"])) == 3
    assert done["rejected"] == []


@pytest.mark.parametrize(
    ("reply", "letters", "reading"),
    [
        ("Answer: C, A", ["A", "C"], "letters"),
        ("I do not know a word of it.", [], "unreadable"),
        (ChatReply("", refusal="Answer: A"), [], "refused"),
    ],
)
async def test_what_is_chosen_is_read_off_the_answer(reply: str | ChatReply, letters: list[str], reading: str) -> None:
    chosen = await export_eqt.chooser_graph(ExamChat(choice=[reply])).ainvoke(
        {"question": QUESTION, "options": OPTIONS}
    )
    assert (chosen["letters"], chosen["reading"]) == (letters, reading)
    assert chosen["refusal"] == (reading == "refused")


class ChainState(TypedDict, total=False):
    concept: str
    count: int
    explanation: str
    question: str
    options: list[str]
    right: list[str]
    paraphrases: list[str]
    answer: str
    refusal: bool
    letters: list[str]
    correct: bool


async def test_an_explanation_in_the_hosts_state_reaches_an_open_book_only() -> None:
    state: ChainState = {"question": QUESTION, "options": OPTIONS, "explanation": EXPLANATION}
    for open_book in (False, True):
        chat = ExamChat(choice=["Answer: A"], open_book=["Answer: A"])
        builder = StateGraph(ChainState)
        builder.add_node("choose", export_eqt.chooser_graph(chat, open_book=open_book))
        builder.add_edge(START, "choose")
        final = await builder.compile().ainvoke(state)
        assert final["letters"] == ["A"]
        (request,) = chat.requests
        assert request.purpose == ("open_book" if open_book else "choice")
        assert (EXPLANATION in request.messages[-1].content) == open_book


@pytest.mark.parametrize("count", [0, 1, 27])
async def test_options_that_cannot_be_lettered_are_refused(count: int) -> None:
    chat = ExamChat()
    for graph in (export_eqt.chooser_graph(chat), export_eqt.paraphraser_graph(chat)):
        with pytest.raises(UsageError, match=f"{count} options"):
            await graph.ainvoke({"question": QUESTION, "options": ["an option"] * count})
    assert chat.requests == []


@pytest.mark.parametrize(
    ("answer", "right", "correct", "reading"),
    [
        ("Answer: A, C", ["C", "A"], True, "letters"),
        ("Answer: A, C", ["a", "c "], True, "letters"),
        ("Answer: A", ["A", "C"], False, "letters"),
        ("Answer: A, B, C", ["A", "C"], False, "letters"),
        ("A thing I cannot tell.", ["A"], False, "unreadable"),
    ],
)
async def test_correct_is_exactly_the_right_letters(answer: str, right: list[str], correct: bool, reading: str) -> None:
    marked = await export_eqt.letter_judge_graph().ainvoke({"answer": answer, "options": OPTIONS, "right": right})
    assert (marked["correct"], marked["reading"]) == (correct, reading)


async def test_letters_stand_in_their_order() -> None:
    given = {"answer": "Answer: I, A", "options": [f"Statement {i}" for i in range(9)], "right": ["A"]}
    assert (await export_eqt.letter_judge_graph().ainvoke(given))["letters"] == ["A", "I"]


async def test_a_refusal_is_no_choice_whatever_it_says() -> None:
    given = {"answer": "Answer: A", "options": OPTIONS, "right": ["A"], "refusal": True}
    marked = await export_eqt.letter_judge_graph().ainvoke(given)
    assert marked == {"correct": False, "letters": [], "reading": "refused"}


@pytest.mark.parametrize(("right", "named"), [([], "no letter"), (["D"], "D"), (["A", "AC"], "A, AC")])
async def test_right_letters_that_are_none_are_refused(right: list[str], named: str) -> None:
    with pytest.raises(UsageError, match=rf"given as {named}: give at least one letter from A to C"):
        await export_eqt.letter_judge_graph().ainvoke({"answer": "Answer: A", "options": OPTIONS, "right": right})


async def test_what_one_writes_the_next_one_reads() -> None:
    chat = ExamChat()
    builder = StateGraph(ChainState)
    builder.add_sequence(
        [
            ("explain", export_eqt.concept_explainer_graph(chat)),
            ("ask", export_eqt.choice_questioner_graph(chat)),
            ("reword", export_eqt.paraphraser_graph(chat)),
            ("choose", export_eqt.chooser_graph(chat)),
            ("mark", export_eqt.letter_judge_graph()),
        ]
    )
    builder.add_edge(START, "explain")
    final = await builder.compile().ainvoke({"concept": "Entropy", "count": 4})
    assert final["correct"]
    assert final["letters"] == final["right"] == ["A", "D"]
    assert len(final["paraphrases"]) == 3
    assert [request.purpose for request in chat.requests] == [
        "explanation",
        "choice_question",
        *["paraphrase"] * 3,
        "choice",
    ]


async def test_every_skill_as_a_tool() -> None:
    chat = ExamChat()
    tools = [
        export_eqt.concept_explainer_tool(chat),
        export_eqt.choice_questioner_tool(chat),
        export_eqt.paraphraser_tool(chat),
        export_eqt.chooser_tool(chat),
        export_eqt.chooser_tool(chat, open_book=True),
        export_eqt.letter_judge_tool(),
    ]
    drills = [export.explainer_tool(chat), export.questioner_tool(chat), export.prober_tool(chat)]
    drills += [export.factfinder_tool([ToySource()]), export.judge_tool(chat)]
    assert len({tool.name for tool in [*tools, *drills]}) == 11
    described = [convert_to_openai_tool(tool)["function"] for tool in tools]  # what a model gets to see
    assert all(tool["description"] and tool["parameters"]["required"] for tool in described)
    explained = await tools[0].ainvoke({"concept": "Entropy"})
    written = await tools[1].ainvoke({"concept": "Entropy", **explained, "count": 4})
    asked = {"question": written["question"], "options": written["options"]}
    assert len((await tools[2].ainvoke({**asked, "k": 2}))["paraphrases"]) == 2
    for tool, given in ((tools[3], asked), (tools[4], {**asked, **explained})):
        chosen = await tool.ainvoke(given)
        marked = await tools[5].ainvoke({**asked, "answer": chosen["answer"], "right": written["right"]})
        assert marked == {"correct": True, "letters": ["A", "D"], "reading": "letters"}
    assert await asyncio.to_thread(tools[0].invoke, {"concept": "Entropy"}) == explained
    with pytest.raises(UsageError, match="use `await"):
        tools[0].invoke({"concept": "Entropy"})
