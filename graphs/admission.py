"""A slot's place in the budget: what it sets aside when it is admitted.

The base is one question with everything it leads to, each call at its worst price: every byte sent taken for a token,
the reply as long as its limit allows. The extra, which has to be free but is set aside for nobody, is the same once
more, for a question that is rejected or a reply that has to be asked for again. What a slot needs beyond that waits for
what others have left over; the budget is never exceeded.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from pydantic import BaseModel

from ..agents.explainer import Aspects, Concepts
from ..agents.judge import Marking
from ..agents.questioner import PassageAnswer, WrittenQuestion
from ..state.channels import Hand
from ..state.records import Role
from ..state.spec import DrillSpec
from ..tools.models.chat import ChatRequest, Message, Payer
from ..tools.purse import Amount, Need, Purse
from .deps import DrillDeps

TEXT_BYTES = 1_500
"""Room for what is written only later (question, reference, concepts, an answer) in one request."""
LIMIT = 2_000
"""Token limit of the evaluator's replies, as the agents set it."""


@asynccontextmanager
async def admitted(purse: Purse | None, need: Callable[[], Need]) -> AsyncIterator[Payer | None]:
    """The slot's allowance for as long as the block lasts; None without a budget. Raises BudgetSpent."""
    if purse is None:
        yield None
        return
    allowance = await purse.admit(need())
    try:
        yield allowance
    finally:
        allowance.close()


def opening_need(deps: DrillDeps, spec: DrillSpec) -> Need:
    """For naming the aspects: once, and once more for what was missing."""
    asked = _base(deps, "evaluator", "aspects", TEXT_BYTES, LIMIT + 24 * spec.pool, Aspects)
    return Need(asked, asked)


def slot_need(deps: DrillDeps, spec: DrillSpec, hand: Hand) -> Need:
    """For one probe: question, answer, check, verdict, a verdict on the check, and concepts where a depth follows."""
    passage = max((len(card["evidence"]["text"].encode()) for card in hand["cards"]), default=0) + TEXT_BYTES
    calls = [
        _base(deps, "evaluator", "question", passage, LIMIT, WrittenQuestion),
        _base(deps, "target", "answer", TEXT_BYTES, spec.answer_tokens, None),
        _base(deps, "judge", "verdict", 3 * TEXT_BYTES, LIMIT, Marking),
    ]
    if spec.verify_questions:
        calls.append(_base(deps, "evaluator", "check", passage, LIMIT, PassageAnswer))
        calls.append(_base(deps, "evaluator", "verdict", TEXT_BYTES, LIMIT, Marking))
    once = sum(calls, Amount())
    if hand["k"]:
        once += _base(deps, "evaluator", "concepts", 3 * TEXT_BYTES, LIMIT + 40 * max(8, hand["k"]), Concepts)
    return Need(once, once)


def _base(
    deps: DrillDeps, role: Role, prompt: str, data_bytes: int, max_tokens: int, schema: type[BaseModel] | None
) -> Amount:
    """The worst price of one call of this kind."""
    text = deps.prompts[prompt].text + " " * data_bytes
    request = ChatRequest((Message("user", text),), prompt, max_tokens, schema=schema)
    model: str = getattr(deps, role).name
    return Amount(deps.prices.worst_usd(model, request), 1)
