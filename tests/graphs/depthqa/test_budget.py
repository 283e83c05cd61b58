"""DepthQA under a budget: trees that share questions neither wait for each other for ever nor pay
for what is done."""

import asyncio

import pytest

from fathom.graphs.run.deps import Gate
from fathom.state.question_graph import QuestionGraph
from fathom.tools.models.budget import Budget
from fathom.tools.models.chat import ChatReply, ChatRequest

from ...support.depthqa.toy import TWO_TREES, DepthModel, DepthRun, node
from ...support.eqt.toy import block

ONE_TEXT = {"question": "What about x?", "reference": "The truth about x."}
SHARING = QuestionGraph(
    name="toy",
    nodes=(node("x", 1), node("y", 1, **ONE_TEXT), node("a2", 2, "x"), node("b2", 2, "y")),
)


class Unknown:
    """Prices that nobody knows: only calls are counted."""

    def worst_usd(self, *_: object) -> None:
        return None


class Misread(DepthModel):
    """`repaired`: questions whose first rating cannot be read."""

    def __init__(self, *repaired: str) -> None:
        super().__init__()
        self.repaired = set(repaired)

    async def complete(self, request: ChatRequest) -> ChatReply:
        reply = await super().complete(request)
        asked = block(request, "question") if request.purpose == "rating" else ""
        if asked in self.repaired:
            self.repaired.discard(asked)
            return ChatReply("no JSON", model=self.name)
        return reply


async def ends(
    graph: QuestionGraph, calls: int, *repaired: str, modes: tuple[str, ...] = ()
) -> tuple[str, int]:
    """How a run with so many calls ends, and how many it made."""
    model, gate = Misread(*repaired), Gate()
    run = DepthRun(model, graph=graph)
    budget = Budget(None, calls)
    playing = asyncio.ensure_future(
        run.play(run.spec(*modes), budget=budget, gate=gate, prices=Unknown())
    )
    cut = asyncio.ensure_future(gate.wait_cut())
    done, _ = await asyncio.wait({playing, cut}, timeout=5, return_when=asyncio.FIRST_COMPLETED)
    for task in (playing, cut):
        task.cancel()
    await asyncio.gather(playing, cut, return_exceptions=True)
    assert budget.spent_calls <= calls
    if playing in done:
        playing.result()  # else its exception is the test's
    return "whole" if playing in done else "cut" if cut in done else "hangs", len(model.asked)


@pytest.mark.parametrize("calls", range(1, 13))
async def test_trees_that_share_a_question_never_wait_for_each_other_for_ever(
    calls: int,
) -> None:
    ended, made = await ends(SHARING, calls, "What about x?", "What about a2?")
    assert ended in ("whole", "cut")
    assert (ended == "whole") == (
        made == 8
    )  # three answers, three ratings, of which two are asked for twice
    assert ended == "whole" or calls < 10


@pytest.mark.parametrize("calls", [2, 3])
async def test_nothing_is_set_aside_for_what_another_tree_has_done(calls: int) -> None:
    two = QuestionGraph(name="toy", nodes=(node("x", 1), node("y", 1, **ONE_TEXT)))
    assert await ends(two, calls) == (("whole", 2) if calls == 3 else ("cut", 0))


@pytest.mark.parametrize(
    "modes", [("zero-shot", "prompt-pred"), ("prompt-pred",), ("zero-shot", "multi-turn")]
)
async def test_every_budget_ends_the_run_one_way_or_the_other(modes: tuple[str, ...]) -> None:
    whole = (await ends(TWO_TREES, 1000, modes=modes))[1]
    for calls in range(1, whole + 12, 5):
        ended, made = await ends(TWO_TREES, calls, "What about a2?", modes=modes)
        assert ended in ("cut", "whole"), calls
        assert made <= calls
