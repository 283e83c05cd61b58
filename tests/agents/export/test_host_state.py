"""Skills one after the other over a host's state: what one writes the next one reads, and what it
is not to see it does not see."""

import json
from typing import Any, NamedTuple

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

from fathom.tools.models.chat import ChatRequest

from ...support.deepquestion.toy import QuestionModel
from ...support.depthqa.toy import BuildModel, DepthModel
from ...support.eqt.exam_chat import EXPLANATION, ExamChat
from ...support.eqt.toy import block
from ...support.skills import (
    BELOW,
    CRITERIA,
    OPTIONS,
    PROBLEM,
    SCENARIO,
    SKILLS,
    graph_of,
    scripted,
)

CHANNELS = {name: Any for skill in SKILLS.values() for name in (*skill.takes, *skill.gives)}
HostState: Any = TypedDict("HostState", CHANNELS, total=False)  # type: ignore[misc]  # whatever a skill takes or gives


def chain(model: Any, *skills: str) -> Any:
    builder = StateGraph(HostState)
    builder.add_sequence([(f"do_{skill}", graph_of(skill, model)) for skill in skills])
    builder.add_edge(START, f"do_{skills[0]}")
    return builder.compile()


class Model(DepthModel, BuildModel):
    """Plays every part of DepthQA."""


def likes_apples(request: ChatRequest) -> str:
    apples, other = (
        ("first", "second") if "apples" in block(request, "first") else ("second", "first")
    )
    told = dict.fromkeys(CRITERIA, "tie") | {
        "clarity": apples,
        "reasoning_demand": other,
        "realism": "first",
    }
    return json.dumps({"reason": "So.", **told})


class Chain(NamedTuple):
    skills: str
    model: Any
    given: dict[str, Any]
    final: dict[str, Any]
    """Values in the host's state at the end."""
    asked: str
    """Purposes, in their order."""


DRAFTS = "prompt_draft prompt_score prompt_redraft prompt_score prompt_redraft prompt_score"
GUIDE = "First draft: put the q2s into a story, keep numbers. Better. Better."  # scores 5, 7, 9
WOVEN = (
    # the sentences stay to the letter; the toy's distractors 71 … 75 stand after n mod 4
    "The stall is 72 years old. Ada goes to market on a bright morning. The stall is 73 years old. "
    "She carries 2"
    " apples. The stall is 74 years old. Her bag holds 20 pears. The stall is 71 years old. The "
    "stall is 75 years"
    " old.\n\nHow many pieces of fruit has she?"
)
CHAINS = [
    Chain(
        "concept_explainer choice_questioner paraphraser chooser letter_judge", ExamChat(),
        {"concept": "Entropy", "count": 4}, {"correct": True, "letters": ["A", "D"], "right": ["A", "D"]},
        "explanation choice_question paraphrase paraphrase paraphrase choice",
    ),
    Chain(
        "classifier referencer deconstructor relation_rater prompted_answerer rater", Model(scores={"q1": 4}),
        {"question": "What about q1?"},
        {"depth": 3, "reference": "Written for q1.", "score": 4, "comprehensive": "comprehensive",
         "implicit": ["implicit", "implicit"]},
        "classification reference_answer deconstruction relation depth_with_context rating",
    ),
    Chain(
        ("prompt_optimiser scenario_writer distractor_writer scenario_checker solver "
            "final_judge"), QuestionModel(),
        {"kind": "q2s", "problems": [PROBLEM], "problem": PROBLEM, "count": 5},
        {"scenario": SCENARIO, "question": WOVEN, "missing": [], "bare": False, "correct": True, "guide": GUIDE,
         "converged": True},
        f"{DRAFTS} scenario distractors scenario_check solution",
    ),
    Chain(
        "instruction_writer instruction_checker question_creator instruction_met_checker "
        "independent_solver final_judge"
        " question_comparer", QuestionModel(comparison=likes_apples), {"problem": PROBLEM, "guide": "Say the steps."},
        {"question": "A box has 1 apples and 21 pears. How many pieces of fruit are there?", "complete": True,
         "met": True, "answer": "22", "correct": True,
         # realism: whatever stands first, so neither; clarity: the written question in both orders
         "preferences": dict.fromkeys(CRITERIA, "tie") | {"clarity": "created", "reasoning_demand": "original"}},
        ("instruction instruction_check created_question instruction_met independent_solution "
            "comparison comparison"),
    ),
]  # fmt: skip


@pytest.mark.parametrize("each", CHAINS, ids=lambda each: each.skills.split()[0])
async def test_what_one_writes_the_next_one_reads(each: Chain) -> None:
    final = await chain(each.model, *each.skills.split()).ainvoke(each.given)
    assert {name: final[name] for name in each.final} == each.final
    asked = each.model.requests if isinstance(each.model, ExamChat) else each.model.asked
    assert [request.purpose for request in asked] == each.asked.split()
    for request in asked:
        if request.purpose == "scenario":
            assert block(request, "guide") == final["guide"]
        if request.purpose == "solution":
            assert "22" not in str(
                request.messages
            )  # the reference is in the host's state and is not shown


KEPT = {
    "question": "What about q1?",
    "options": OPTIONS,
    "explanation": EXPLANATION,
    "predecessors": BELOW,
    "turns": [{"question": "What about t1?", "answer": "Earlier."}],
}


@pytest.mark.parametrize(
    ("skill", "purpose", "sees"),
    [
        ("chooser", "choice", ""),
        ("open_book_chooser", "open_book", EXPLANATION),
        ("deep_answerer", "depth_answer", ""),
        ("prompted_answerer", "depth_with_context", "The truth about q1.1."),
        ("conversation_answerer", "depth_answer", "Earlier."),
    ],
)
async def test_what_a_host_keeps_reaches_only_who_is_to_see_it(
    skill: str, purpose: str, sees: str
) -> None:
    model = scripted("Answer: A")
    final = await chain(model, skill).ainvoke(KEPT)
    (request,) = model.asked
    assert (final["answer"], request.purpose) == ("Answer: A", purpose)
    prompt = "\n".join(message.content for message in request.messages)
    assert {
        text for text in (EXPLANATION, "The truth about q1.1.", "Earlier.") if text in prompt
    } == {sees} - {""}
    earlier = [("user", "What about t1?"), ("assistant", "Earlier.")] if sees == "Earlier." else []
    assert [(message.role, message.content) for message in request.messages[1:-1]] == earlier
    assert request.messages[-1].role == "user"


async def test_the_cycle_of_drafts_looks_at_a_sample_and_begins_anew_in_the_same_thread() -> None:
    model = QuestionModel()
    problems = [
        {"question": f"What is the sum of {n} and 1?", "answer": str(n + 1)} for n in range(30)
    ]
    host = chain(model, "prompt_optimiser")
    host.checkpointer = InMemorySaver()
    thread: Any = {"configurable": {"thread_id": "one"}}
    given = {"kind": "q2i", "problems": problems}
    first = await host.ainvoke({**given, "guide": "The host's own."}, thread)
    assert first["guide"] == GUIDE.replace("q2s", "q2i")
    assert first["problems"] == problems  # the host's own stay
    shown = block(model.asked[0], "samples")
    assert shown.count("Problem ") == 4
    assert {block(request, "samples") for request in model.asked} == {shown}
    assert [request.purpose for request in model.asked] == DRAFTS.split()
    again = graph_of("prompt_optimiser", model)
    again.checkpointer = InMemorySaver()
    for options in ({}, {}, {"seed": 42, "sample": 4}):
        assert len((await again.ainvoke(given | options, thread))["drafts"]) == 3
        assert block(model.asked[-1], "samples") == shown
    for options, samples in (({"seed": 7}, 4), ({"sample": 20}, 20)):
        await again.ainvoke(given | options, thread)
        assert block(model.asked[-1], "samples") != shown
        assert block(model.asked[-1], "samples").count("Problem ") == samples
