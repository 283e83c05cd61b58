"""An app of the user's own as the target: what it is asked, what it answers, and what its faults
become."""

from functools import partial, wraps
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from langchain_core.runnables import RunnableLambda
from langgraph.errors import GraphBubbleUp
from langgraph.graph import END, START, MessagesState, StateGraph

from fathom.graphs.embed import embed
from fathom.state.errors import CallFailed, UsageError
from fathom.state.tiers import Tier
from fathom.tools.models.chat import ChatRequest, Message
from fathom.tools.models.langchain import AppChat

from ...support.drill.toy import ToyChat, ToySource

REQUEST = ChatRequest((Message("system", "Be short."), Message("user", "Who?")), "answer", 100)


async def function(question: str) -> str:
    return f"To {question} I say: Gold."


class Desk:
    """An app that is an object."""

    async def __call__(self, question: str) -> str:
        return f"{question} Lead."

    def answer(self, question: str) -> str:
        return question


def graph() -> Any:
    def say(state: MessagesState) -> Any:
        usage = {"input_tokens": 3, "output_tokens": 2, "total_tokens": 5}
        return {
            "messages": [AIMessage(f"{state['messages'][-1].text} Gold.", usage_metadata=usage)]
        }

    builder = StateGraph(MessagesState)
    builder.add_node("say", say)
    builder.add_edge(START, "say")
    builder.add_edge("say", END)
    return builder.compile()


@pytest.mark.parametrize(
    ("app", "options", "answer", "tokens"),
    [
        (function, {}, "To Who? I say: Gold.", 0),
        (partial(function), {}, "To Who? I say: Gold.", 0),
        (wraps(function)(lambda question: function(question)), {}, "To Who? I say: Gold.", 0),
        (Desk(), {}, "Who? Lead.", 0),
        (RunnableLambda(lambda question: AIMessage(f"{question} Gold.")), {}, "Who? Gold.", 0),
        (
            graph(),
            {"input": lambda question: {"messages": [("user", question)]}},
            "Who? Gold.",
            3,
        ),
        (
            RunnableLambda(lambda asked: {"said": asked["q"]}),
            {"input": lambda question: {"q": question}, "output": lambda state: state["said"]},
            "Who?",
            0,
        ),
    ],
)
async def test_an_app_is_asked_the_question_alone(
    app: Any, options: dict[str, Any], answer: str, tokens: int
) -> None:
    reply = await AppChat(app, "bot", **options).complete(REQUEST)
    assert (reply.text, reply.model) == (answer, "app:bot")
    assert reply.usage.input_tokens == tokens


async def failing(question: str) -> Any:
    raise ConnectionError("the shop's database is gone")


async def hanging(question: str) -> Any:
    raise TimeoutError


@pytest.mark.parametrize(
    ("app", "kind", "words"),
    [
        (
            failing,
            "connection",
            "app:bot failed with ConnectionError: the shop's database is gone",
        ),
        (hanging, "timeout", "app:bot failed with TimeoutError"),
        (
            RunnableLambda(lambda question: {"said": question}),
            "server",
            "say where with output=",
        ),
        (RunnableLambda(lambda question: [1]), "server", "no text and no message"),
    ],
)
async def test_a_fault_of_an_app_is_a_failed_call_with_its_cause(
    app: Any, kind: str, words: str
) -> None:
    with pytest.raises(CallFailed, match=words) as caught:
        await AppChat(app, "bot").complete(REQUEST)
    assert caught.value.kind == kind


async def test_a_signal_of_langgraph_passes_through() -> None:
    async def interrupted(question: str) -> str:
        raise GraphBubbleUp

    with pytest.raises(GraphBubbleUp):
        await AppChat(interrupted, "bot").complete(REQUEST)


@pytest.mark.parametrize(
    ("app", "told"),
    [
        ({}, "A dict is no app"),
        (lambda question: "Gold.", "A function that is not async is no app: give a Runnable"),
        (Desk().answer, "A method that is not async"),
        (partial(Desk().answer), "A partial that is not async"),
    ],
)
def test_what_is_no_app_is_refused(app: Any, told: str) -> None:
    with pytest.raises(UsageError, match=told):
        AppChat(app, "bot")


def test_an_app_without_a_name_is_refused() -> None:
    with pytest.raises(UsageError, match="needs a name"):
        AppChat(function, " ")


async def test_an_app_that_fails_now_and_then_is_examined_to_the_end() -> None:
    toy, asked = ToyChat(), []

    async def bot(question: str) -> str:
        asked.append(question)
        if len(asked) % 4 == 0:
            raise RuntimeError("out of stock")
        return (
            await toy.complete(ChatRequest((Message("user", question),), "answer", 100))
        ).text

    models: dict[str, Any] = {"target": AppChat(bot, "toy shop"), "evaluator": toy}
    sources = {tier: [ToySource()] for tier in Tier}
    async with embed("drill", models, material=sources) as drill:
        output = await drill.graph.ainvoke(drill.input("Toys", n=4, max_depth=2))
    result = output["result"]
    lost = [p["outcome"] for p in result["probes"] if p["outcome"]["status"] == "unscored"]
    assert lost
    assert all("out of stock" in outcome["message"] for outcome in lost)
    assert [row["scored"] for row in result["depths"]] == [4, 4]
    assert result["spec"]["target"] == "app:toy shop"
