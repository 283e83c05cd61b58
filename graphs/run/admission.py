"""A slot's place in the budget: what it sets aside when it is admitted.

One question with everything it leads to, each call at its worst price (every byte sent taken for a token, the reply as
long as its limit allows), has to be free. Its calls follow each other in steps, and each step costs far less than its
worst, so that only the dearest step is set aside. What a slot needs beyond that, for questions that are rejected and
replies that are asked for again, waits for what others have left over; the budget is never exceeded.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from pydantic import BaseModel

from ...agents.explainer.explain import CONCEPT_TOKENS, Aspects, Concepts
from ...agents.judge.verdict import Marking
from ...agents.questioner.question import PassageAnswer, WrittenQuestion
from ...state.channels import ProbeTask
from ...state.records import Role
from ...state.spec import DrillSpec
from ...tools.models.budget import Amount, Budget, Cost
from ...tools.models.chat import ChatRequest, Message, Payer
from .deps import DrillDeps

TEXT_BYTES = 1_500
"""Room for what is written only later (question, reference, concepts, an answer) in one request."""
LIMIT = 2_000
"""Token limit of the evaluator's replies, as the agents set it."""


@asynccontextmanager
async def admitted(budget: Budget | None, need: Callable[[], Cost]) -> AsyncIterator[Payer | None]:
    """The slot's allowance for as long as the block lasts; None without a budget. Raises BudgetSpent."""
    if budget is None:
        yield None
        return
    reservation = await budget.admit(need())
    try:
        yield reservation
    finally:
        reservation.close()


def opening_cost(deps: DrillDeps, spec: DrillSpec) -> Cost:
    """For naming the aspects: once, and once more for what was missing."""
    asked = worst_call(deps, "evaluator", "aspects", TEXT_BYTES, LIMIT + 24 * spec.pool, Aspects)
    return Cost(asked, asked)


def slot_cost(deps: DrillDeps, spec: DrillSpec, task: ProbeTask) -> Cost:
    """For one probe: question; answer beside the check; verdict beside a verdict on the check, and concepts where a
    depth follows. In USD the base is the dearest of the three steps, the extra the other two."""
    passages = [len(candidate["evidence"]["text"].encode()) + TEXT_BYTES for candidate in task["cards"]] or [TEXT_BYTES]
    first = worst_call(deps, "evaluator", "question", sum(passages), LIMIT, WrittenQuestion)
    second = worst_call(deps, "target", "answer", TEXT_BYTES, spec.answer_tokens, None)
    third = worst_call(deps, "judge", "verdict", 3 * TEXT_BYTES, LIMIT, Marking)
    if spec.verify_questions:
        second += worst_call(deps, "evaluator", "check", max(passages), LIMIT, PassageAnswer)
        third += worst_call(deps, "evaluator", "verdict", TEXT_BYTES, LIMIT, Marking)
    if task["k"]:
        concepts = LIMIT + CONCEPT_TOKENS * max(8, task["k"])
        third += worst_call(deps, "evaluator", "concepts", 3 * TEXT_BYTES, concepts, Concepts)
    once = first + second + third
    if once.usd is None:
        return Cost(once, once)
    dearest = max(step.usd or 0.0 for step in (first, second, third))
    # calls do not cost less than expected: all of them are set aside, and as many have to be free for a second question
    return Cost(Amount(dearest, once.calls), Amount(once.usd - dearest, once.calls))


def worst_call(
    deps: DrillDeps, role: Role, prompt: str, data_bytes: int, max_tokens: int, schema: type[BaseModel] | None
) -> Amount:
    """The worst price of one call of this kind."""
    text = deps.prompts[prompt].text + " " * data_bytes
    request = ChatRequest((Message("user", text),), prompt, max_tokens, schema=schema)
    model: str = getattr(deps, role).name
    return Amount(deps.prices.worst_usd(model, request), 1)
