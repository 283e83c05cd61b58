"""Duplicates within the slot: a slot drops what a lower one asks first, and goes on at once."""

import asyncio
from typing import Any

import pytest

from fathom.agents.questioner.question_text import fact_of, first_question
from fathom.graphs.drill.barrier import recursion_limit
from fathom.graphs.drill.graph import build_graph
from fathom.state.records import Probe, Question, Rejected
from fathom.state.result import DrillResult
from fathom.tools.models.budget import Budget
from fathom.tools.models.chat import ChatRequest

from ...support.drill.toy import ToyChat, ToySource, toy_deps, toy_spec


async def drilled(
    shuffle: int | None = None, **options: Any
) -> tuple[DrillResult, list[ChatRequest]]:
    chat, source = ToyChat(1.0, shuffle), ToySource(shuffle, twins=True)
    graph = build_graph(toy_deps(chat, source, **options))
    spec = toy_spec(max_depth=2)
    output = await graph.ainvoke(
        {"spec": spec.model_dump(mode="json"), "run_id": "toy-run-1"},
        {"recursion_limit": recursion_limit(spec)},
    )
    return DrillResult.model_validate(output["result"]), chat.requests


def asked(requests: list[ChatRequest]) -> list[tuple[str, str]]:
    return sorted((request.purpose, request.messages[-1].content) for request in requests)


async def test_a_duplicate_is_replaced_within_its_slot_whoever_replies_first() -> None:
    result, requests = await drilled()
    assert [(row.rounds, row.scored, row.duplicates) for row in result.depths] == [
        (1, 8, 0)
    ] * 2
    dropped = [probe for probe in result.probes if probe.rejected]
    firsts = [probe.rejected[0].text for probe in dropped]
    others = {(probe.depth, probe.slot): probe.question for probe in result.probes}
    for probe, text in zip(dropped, firsts, strict=True):
        below = [others[probe.depth, slot] for slot in range(probe.slot)]
        assert text in [question.text for question in below if question] + firsts
    assert dropped
    for shuffle in range(4):
        other, others_requests = await drilled(shuffle)
        assert other == result
        assert asked(others_requests) == asked(requests)


class Priced(ToyChat):
    """A budget knows its price."""

    name = "sim:evaluator"


@pytest.mark.parametrize("calls", [20, 45, 70])
async def test_slots_that_wait_for_lower_ones_do_not_hold_the_budget_up(calls: int) -> None:
    """The run ends by its gate, which is empty when nobody waits any more."""
    budget = Budget(None, calls)
    chat, source = Priced(1.0, 3), ToySource(3, twins=True)
    deps = toy_deps(chat, source, budget=budget)
    spec = toy_spec(max_depth=2, target=chat.name, evaluator=chat.name, judge=chat.name)
    running = asyncio.ensure_future(
        build_graph(deps).ainvoke(
            {"spec": spec.model_dump(mode="json"), "run_id": "toy-run-1"},
            {"recursion_limit": recursion_limit(spec)},
        )
    )
    await asyncio.wait_for(deps.gate.wait_cut(), 20)
    running.cancel()
    assert budget.spent_calls == len(chat.requests) <= calls


SOURCE = {"title": "", "url": "", "source": "", "tier": "COMMON", "retrieved_at": 0}


def written(name: str) -> Question:
    evidence: Any = SOURCE | {"text": name, "digest": name}
    return Question(
        text=f"What is {name}?", reference=f"It is {name}.", quote="", evidence=evidence
    )


def rejected(name: str, *, asked: bool) -> Rejected:
    question = written(name)
    reference = question.reference if asked else ""
    return Rejected(
        text=question.text,
        reason="",
        asked=asked,
        passage=question.evidence,
        reference=reference,
    )


def refused(name: str) -> Rejected:
    return Rejected(text="", reason="no fact", passage=written(name).evidence)


@pytest.mark.parametrize(
    ("fates", "question", "first"),
    [
        ([], "a", "a"),
        ([refused("a")], "b", "b"),
        ([rejected("a", asked=True)], "b", "a"),
        ([refused("b"), rejected("a", asked=True), rejected("c", asked=True)], None, "a"),
        ([rejected("a", asked=False)], "b", None),  # never put to the target
        ([refused("a"), refused("b")], "c", None),  # the first reply brought none
        ([refused("a")], None, None),
    ],
)
def test_a_finished_probe_tells_its_first_question(
    fates: list[Rejected], question: str | None, first: str | None
) -> None:
    fields: Any = {
        "rejected": tuple(fates),
        "question": written(question) if question else None,
    }
    probe = Probe.model_construct(**fields)
    expected = fact_of(f"What is {first}?", f"It is {first}.") if first else None
    assert first_question(probe, ["a", "b"]) == expected
