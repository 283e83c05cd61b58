"""The skills of DeepQuestion as nodes and tools of other people's apps, and the cycle of drafts as a graph."""

import asyncio
import json
from typing import Any

import pytest
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

from fathom.agents.export import Graph
from fathom.agents.export import deepquestion as export_deepquestion
from fathom.graphs.deepquestion.optimiser import prompt_optimiser_graph, prompt_optimiser_tool
from fathom.state.errors import ReplyUnreadable, UsageError
from fathom.tools.models.chat import ChatReply, ChatRequest

from ...support.deepquestion.toy import QuestionModel
from ...support.eqt.toy import block
from ...support.scripted_chat import Scripted

export: Any = export_deepquestion
"""Inputs are put together here as no host would."""

PROBLEM = {"question": "What is the sum of 2 and 20?", "answer": "22", "solution": "2 + 20"}
CHOICE = {"question": "Which sea is it?", "answer": "B", "options": ["The Baltic", "The Aegean"]}
SCENARIO = {
    "sentences": ["Ada goes to market on a bright morning.", "She carries 2 apples.", "Her bag holds 20 pears."],
    "question": "How many pieces of fruit has she?",
}
WRITTEN = {"instruction": "Write a question in which two numbers are added. Its final answer is 22."}
ASKED = {"question": "A box has 2 apples and 20 pears. How many are there?"}
DRAFTING = {"kind": "q2s", "problems": [PROBLEM]}
SKILLS: dict[str, tuple[dict[str, Any], set[str]]] = {
    "prompt_drafter": (DRAFTING, {"guide"}),
    "prompt_scorer": ({**DRAFTING, "guide": "Tell a story."}, {"score", "feedback"}),
    "scenario_writer": ({"problem": PROBLEM, "guide": "Tell a story."}, {"scenario", "question"}),
    "distractor_writer": ({"problem": PROBLEM, "scenario": SCENARIO}, {"distractors", "question"}),
    "scenario_checker": ({"problem": PROBLEM, "scenario": SCENARIO}, {"missing", "bare", "gives_away", "reason"}),
    "instruction_writer": ({"problem": PROBLEM, "guide": "Say the steps."}, {"instruction"}),
    "instruction_checker": ({"problem": PROBLEM, **WRITTEN}, {"gives_away", "complete", "reason"}),
    "solver": (ASKED, {"answer", "finish", "refusal"}),
    "independent_solver": (ASKED, {"answer", "solvable", "working"}),
    "final_judge": ({"problem": PROBLEM, "answer": "Answer: 22"}, {"correct", "read"}),
    "question_creator": (WRITTEN, {"question", "finish", "refusal"}),
    "instruction_met_checker": (WRITTEN | ASKED, {"met", "reason"}),
    "question_comparer": ({"problem": PROBLEM, **ASKED}, {"preferences", "orders", "reasons"}),
    "prompt_optimiser": (DRAFTING, {"guide", "score", "converged", "drafts"}),
}
"""Each skill, an input with what it needs, and what it gives."""


def made(name: str, model: Any, what: str = "graph") -> Any:
    """A skill's graph or tool."""
    if name == "prompt_optimiser":
        return (prompt_optimiser_graph if what == "graph" else prompt_optimiser_tool)(model)
    maker = getattr(export, f"{name}_{what}")
    return maker() if name == "final_judge" else maker(model)


async def test_every_skill_is_a_graph_and_a_tool_that_say_what_they_take_and_give() -> None:
    names = set()
    for name, (given, gives) in SKILLS.items():
        model = QuestionModel()
        graph, tool = made(name, model), made(name, model, "tool")
        assert f"__start__ --> {name if name != 'prompt_optimiser' else 'begin'}" in graph.get_graph().draw_mermaid()
        assert set(graph.get_input_jsonschema()["required"]) == set(given), name
        assert set(graph.get_output_jsonschema()["properties"]) == gives, name
        described = convert_to_openai_tool(tool)["function"]  # what a model gets to see
        assert described["description"]
        names.add(described["name"])
        assert isinstance(tool, BaseTool)
        assert set(await tool.ainvoke(given)) == gives, name
        assert set(await asyncio.to_thread(tool.invoke, given)) == gives, name
    assert len(names) == len(SKILLS)


class HostState(TypedDict, total=False):
    kind: str
    problems: list[dict[str, Any]]
    problem: dict[str, Any]
    guide: str
    converged: bool
    scenario: dict[str, Any]
    count: int
    missing: list[str]
    bare: bool
    instruction: str
    complete: bool
    question: str
    answer: str
    correct: bool | None
    met: bool
    preferences: dict[str, str]
    reason: str


def chain(*steps: tuple[str, Graph]) -> Any:
    builder = StateGraph(HostState)
    builder.add_sequence(list(steps))
    builder.add_edge(START, steps[0][0])
    return builder.compile()


async def test_what_one_writes_the_next_one_reads() -> None:
    model = QuestionModel()
    nodes = [
        "prompt_optimiser", "scenario_writer", "distractor_writer", "scenario_checker", "solver", "final_judge"
    ]  # fmt: skip
    given = {"kind": "q2s", "problems": [PROBLEM], "problem": PROBLEM, "count": 5}
    final = await chain(*((f"do_{name}", made(name, model)) for name in nodes)).ainvoke(given)
    assert final["scenario"] == SCENARIO
    # the sentences stay to the letter; the toy's distractors 71 … 75 stand after n mod 4
    assert final["question"] == (
        "The stall is 72 years old. Ada goes to market on a bright morning. The stall is 73 years old. She carries 2"
        " apples. The stall is 74 years old. Her bag holds 20 pears. The stall is 71 years old. The stall is 75 years"
        " old.\n\nHow many pieces of fruit has she?"
    )
    assert (final["missing"], final["bare"], final["correct"]) == ([], False, True)
    guide = "First draft: put the q2s into a story, keep numbers. Better. Better."  # scores 5, 7, 9
    assert (final["guide"], final["converged"]) == (guide, True)
    assert block(next(each for each in model.asked if each.purpose == "scenario"), "guide") == guide
    solving = next(each for each in model.asked if each.purpose == "solution")
    assert "22" not in str(solving.messages)  # the reference is in the host's state and is not shown


async def test_a_question_is_created_solved_and_compared_in_both_orders() -> None:
    model = QuestionModel(comparison=_likes_apples)
    nodes = ["instruction_writer", "instruction_checker", "question_creator", "instruction_met_checker"]
    nodes += ["independent_solver", "final_judge", "question_comparer"]
    final = await chain(*((f"do_{name}", made(name, model)) for name in nodes)).ainvoke(
        {"problem": PROBLEM, "guide": "Say the steps."}
    )
    assert final["question"] == "A box has 1 apples and 21 pears. How many pieces of fruit are there?"
    assert (final["complete"], final["met"], final["answer"], final["correct"]) == (True, True, "22", True)
    # realism: whatever stands first, so neither; clarity: the written question in both orders
    assert final["preferences"] == {
        "clarity": "created",
        "reasoning_demand": "original",
        "realism": "tie",
        "instruction_following": "tie",
        "no_giveaway": "tie",
    }
    bare = await made("question_comparer", model).ainvoke({"problem": PROBLEM, **ASKED})
    assert "instruction_following" not in bare["preferences"]  # none was given
    assert [order["realism"] for order in bare["orders"]] == ["original", "created"]


def _likes_apples(request: ChatRequest) -> str:
    apples, other = ("first", "second") if "apples" in block(request, "first") else ("second", "first")
    told = {"clarity": apples, "reasoning_demand": other, "realism": "first"}
    return json.dumps({"reason": "So.", **told, "instruction_following": "tie", "no_giveaway": "tie"})


@pytest.mark.parametrize(
    ("given", "correct", "read"),
    [
        ({"problem": PROBLEM, "answer": "I add.\nAnswer: 22"}, True, "22"),
        ({"problem": PROBLEM, "answer": "Answer: 2"}, False, "2"),
        ({"problem": PROBLEM, "answer": " "}, False, ""),
        ({"problem": PROBLEM, "answer": "Answer: 22", "refusal": True}, False, ""),
        ({"problem": PROBLEM, "answer": "I cannot tell."}, None, ""),  # no number that could be wrong
        ({"problem": {**PROBLEM, "answer": "5"}, "answer": "Answer: 5!"}, None, ""),
        ({"problem": CHOICE, "answer": " "}, False, ""),  # silence is no answer, in words neither
        ({"problem": CHOICE, "answer": '{"answer": ""}'}, None, ""),  # what no rule can read
        ({"problem": CHOICE, "options": CHOICE["options"], "answer": "Answer: B"}, True, "B"),
        ({"problem": CHOICE, "answer": "Answer: the Aegean"}, True, "the Aegean"),  # shown without its options
        ({"problem": CHOICE, "answer": "Answer: Greece's"}, None, "Greece's"),  # words: somebody else has to say
        ({"problem": {**PROBLEM, "answer": "20"}, "answer": "Answer: 21"}, True, "21"),  # 21 is within 20 · 1.06
    ],
)
async def test_final_answers_are_compared_by_rule(given: dict[str, Any], correct: bool | None, read: str) -> None:
    assert await export.final_judge_graph(tolerance=0.06).ainvoke(given) == {"correct": correct, "read": read}


async def test_what_can_be_seen_is_not_asked() -> None:
    chat = Scripted(ChatReply("", refusal="I will not."))
    created = await export.question_creator_graph(chat).ainvoke(WRITTEN)
    assert (created["question"], created["refusal"]) == ("", True)
    chat.asked.clear()
    assert not (await export.instruction_met_checker_graph(chat).ainvoke({**WRITTEN, "question": ""}))["met"]
    assert not (await export.independent_solver_graph(chat).ainvoke({"question": ""}))["solvable"]
    near = {"sentences": ["What is the sum"], "question": "of 2 and 20?"}
    assert (await export.scenario_checker_graph(chat).ainvoke({"problem": PROBLEM, "scenario": near}))["bare"]
    long = {**PROBLEM, "question": "Ten small boats with two sails each leave the old harbour. What is 2 and 20?"}
    copied = "Ask about ten small boats with two sails each leave the old harbour"
    for text, gives_away, complete in (
        ("Write a question in which two numbers are added.", False, False),
        (f"{copied}; its answer is 22.", True, True),
        (copied, True, False),
    ):
        checked = await export.instruction_checker_graph(chat).ainvoke({"problem": long, "instruction": text})
        assert (checked["gives_away"], checked["complete"]) == (gives_away, complete)
    assert chat.asked == []


async def test_what_cannot_be_used_is_refused_before_anybody_is_asked() -> None:
    model = QuestionModel()
    wrong: list[tuple[str, dict[str, Any], str]] = [
        ("prompt_drafter", {"kind": "q2x"}, "no transformation 'q2x'; they are q2s and q2i"),
        ("prompt_drafter", {"problems": []}, "are 0 problems to look at: give 1 to 20"),
        ("prompt_drafter", {"problems": [{"question": "Why?"}]}, "Problem 1 cannot be used: answer: field required"),
        ("prompt_scorer", {"guide": " "}, "The guide is empty"),
        ("scenario_writer", {"problem": CHOICE | {"answer": "C"}}, "answer 'C' and 2 options"),
        ("distractor_writer", {"count": 11}, "The count cannot be 11: give 1 to 10"),
        ("distractor_writer", {"scenario": {"sentences": [], "question": ""}}, "The scenario is empty"),
        ("solver", {"question": ""}, "The question is empty"),
        ("final_judge", {"problem": CHOICE, "options": ["The Aegean", "The Baltic"]}, "not those of the problem"),
        ("question_comparer", {"question": "\n"}, "The question is empty"),
        ("prompt_optimiser", {"threshold": 11}, "The threshold cannot be 11: give 1 to 10"),
        ("prompt_optimiser", {"rounds": 0}, "The rounds cannot be 0: give 1 to 50"),
        ("prompt_optimiser", {"problems": []}, "no problem to draw a sample from"),
    ]
    for name, changes, fault in wrong:
        with pytest.raises(UsageError, match=fault):
            await made(name, model).ainvoke(SKILLS[name][0] | changes)
    assert model.asked == []
    with pytest.raises(ReplyUnreadable):  # a score that cannot be read is no score
        await export.prompt_scorer_graph(Scripted('{"score": "8"}')).ainvoke(SKILLS["prompt_scorer"][0])


@pytest.mark.parametrize(
    ("scores", "options", "converged", "best"),
    [
        ([5, 8], {}, True, 2),
        ([5, 5], {"threshold": 5}, True, 1),
        ([4, 6, 6], {"rounds": 3}, False, 2),  # the earliest of the best
        ([3], {"rounds": 1}, False, 1),  # a single pass
    ],
)
async def test_the_cycle_stops_and_says_which_draft_is_best(
    scores: list[int], options: dict[str, int], converged: bool, best: int
) -> None:
    left = iter(scores)
    scorer = QuestionModel(prompt_score=lambda _: json.dumps({"feedback": "Say more.", "score": next(left)}))
    done = await prompt_optimiser_graph(QuestionModel(), scorer).ainvoke({**DRAFTING, **options})
    assert set(scorer.counts) == {"prompt_score"}
    rounds = best if converged else len(scores)
    assert [(draft["round"], draft["score"]) for draft in done["drafts"]] == list(enumerate(scores[:rounds], 1))
    assert (done["converged"], done["guide"]) == (converged, done["drafts"][best - 1]["guide"])
    assert done["score"] == scores[best - 1]


async def test_the_cycle_looks_at_a_sample_and_begins_anew_in_the_same_thread() -> None:
    model = QuestionModel()
    problems = [{"question": f"What is the sum of {n} and 1?", "answer": str(n + 1)} for n in range(30)]
    host = chain(("optimise", prompt_optimiser_graph(model)))
    host.checkpointer = InMemorySaver()
    thread: Any = {"configurable": {"thread_id": "one"}}
    given = {"kind": "q2i", "problems": problems}
    first = await host.ainvoke({**given, "guide": "The host's own."}, thread)
    shown = block(model.asked[0], "samples")
    assert shown.count("Problem ") == 4
    assert {block(request, "samples") for request in model.asked} == {shown}
    assert first["guide"] == "First draft: put the q2i into a story, keep numbers. Better. Better."
    assert first["problems"] == problems  # the host's own stay
    purposes = ["prompt_draft", "prompt_score", "prompt_redraft", "prompt_score", "prompt_redraft", "prompt_score"]
    assert [request.purpose for request in model.asked] == purposes
    again = prompt_optimiser_graph(model)
    again.checkpointer = InMemorySaver()
    for _ in range(2):
        assert len((await again.ainvoke(given, thread))["drafts"]) == 3
