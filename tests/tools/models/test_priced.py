"""Prices: what `--price` says, what the lists say, the worst a call can cost, and a model that is
paid for."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from pydantic import BaseModel

from fathom.state.errors import BudgetSpent, CallFailed, UsageError
from fathom.state.records import Usage
from fathom.tools.models.budget import Amount, Budget, Cost, Reservation
from fathom.tools.models.chat import ChatReply, ChatRequest, Message
from fathom.tools.models.model import BoundModel
from fathom.tools.models.pricing import Price, PriceList, Tally, known_price

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
REQUEST = ChatRequest((Message("user", "Which metal is liquid?"),), "answer", max_tokens=100)
OWN = "openai@https://host.example/v1:big=model"


class Scripted:
    """A chat that gives the replies in turn; an exception among them is raised."""

    def __init__(
        self, *replies: ChatReply | BaseException, name: str = "openai:nobody-knows"
    ) -> None:
        self.name = name
        self.caveats = ("seed is not sent",)
        self.replies = list(replies)
        self.requests: list[ChatRequest] = []

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.requests.append(request)
        reply = self.replies.pop(0)
        if isinstance(reply, BaseException):
            raise reply
        return reply


class PlacedChat(Scripted):
    async def place(self) -> str:
        return "https://here.example/v1"


def reply(
    tokens: tuple[int, int] = (1000, 2000), cost: float | None = None, **changes: object
) -> ChatReply:
    usage = Usage(input_tokens=tokens[0], output_tokens=tokens[1])
    return replace(ChatReply("Mercury.", usage=usage, cost_usd=cost), **changes)  # type: ignore[arg-type]  # any field


async def allowance(usd: float = 1.0, budget: Budget | None = None) -> Reservation:
    return await (budget or Budget(usd, None)).admit(Cost(Amount(usd, 1)))


def test_prices_are_read_from_the_options() -> None:
    prices = PriceList.parse(["0.5/2", f"{OWN}=1/10.5"])
    assert prices.plain == Price(0.5, 2.0)
    assert prices.named == {OWN: Price(1.0, 10.5)}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1",
        "1/",
        "/2",
        "a/b",
        "1/2/3",
        "-1/2",
        "nan/1",
        "1/inf",
        "openai:x=1",
        "nobody:x=1/2",
        "=1/2",
    ],
)
def test_a_malformed_price_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        PriceList.parse([text])


@pytest.mark.parametrize("texts", [("1/2", "1/2"), ("sim:student=1/2", " sim:student=2/2")])
def test_a_price_given_twice_is_refused(texts: tuple[str, str]) -> None:
    with pytest.raises(UsageError, match="already"):
        PriceList.parse(texts)


def test_list_prices_are_known_without_asking_anybody() -> None:
    small = known_price("openai:gpt-4o-mini", {}, NOON)
    assert small is not None
    assert 0 < small.input_usd < small.output_usd < 5
    assert known_price("ollama:llama3", {}) == known_price("sim:student", {}) == Price(0, 0)
    assert known_price("openai:no-such-model", {}) is None
    assert known_price("anthropic:claude-sonnet", {}) is None  # reached through LangChain
    assert known_price("openai@https://host.example/v1:gpt-4o-mini", {}) is None
    assert (
        known_price("openai:gpt-4o-mini", {"OPENAI_BASE_URL": "https://host.example/v1"})
        is None
    )


def test_of_prices_in_steps_the_highest_counts() -> None:
    from genai_prices import Usage as Tokens
    from genai_prices import calc_price

    known = known_price("openrouter:google/gemini-2.5-pro", {}, NOON)
    short = calc_price(
        Tokens(input_tokens=1000, output_tokens=0),
        "google/gemini-2.5-pro",
        provider_id="openrouter",
    )
    assert known is not None
    assert known.input_usd > float(short.total_price) * 1000  # a step begins at 200,000 tokens


def test_of_prices_by_the_hour_the_dearest_counts() -> None:
    midnight = known_price("deepseek:deepseek-chat", {}, NOON.replace(hour=20))
    assert midnight == known_price(
        "deepseek:deepseek-chat", {}, NOON
    )  # half price from 16:30 to 00:30


def test_whose_price_holds() -> None:
    prices = PriceList.parse(["7/7", "openai:gpt-4o-mini=1/2"])
    assert prices.price("openai:gpt-4o-mini") == Price(1, 2)  # named: before the list
    assert prices.price("openai:nobody-knows") == Price(7, 7)  # unknown: the plain one
    assert prices.price("openai:gpt-4o") == known_price("openai:gpt-4o", {})  # known: the list
    assert prices.price("ollama:llama3") == Price(0, 0)
    assert prices.price("sim:student") == Price(7, 7)  # simulations can be costed
    assert PriceList().price("sim:student") == Price(0, 0)
    assert PriceList().price("openai:nobody-knows") is None


def test_a_budget_needs_every_price() -> None:
    PriceList.parse(["1/2"]).require(["openai:nobody-knows"])
    with pytest.raises(
        UsageError,
        match=r"openai:nobody-knows is unknown: .* --price openai:nobody-knows=IN/OUT",
    ):
        PriceList().require(["sim:student", "openai:nobody-knows", "openai:nobody-knows"])


def test_a_price_for_a_model_that_takes_no_part_is_a_mistake() -> None:
    prices = PriceList.parse(["sim:student=1/2"])
    prices.require_named(["sim:student", "sim:evaluator"])
    with pytest.raises(UsageError, match="sim:student, which is not a model of this run"):
        prices.require_named(["sim:expert"])


class Shape(BaseModel):
    colour: str


def test_the_worst_price_bounds_bytes_schema_and_limit() -> None:
    prices = PriceList.parse(
        ["1000000/10"]
    )  # a dollar per token in, so that a dollar is a token
    plain = prices.worst_usd("sim:x", replace(REQUEST, max_tokens=0))
    umlauts = prices.worst_usd(
        "sim:x", replace(REQUEST, max_tokens=0, messages=(Message("user", "ä" * 500),))
    )
    shaped = prices.worst_usd("sim:x", replace(REQUEST, max_tokens=0, schema=Shape))
    assert plain is not None
    assert umlauts is not None
    assert shaped is not None
    assert len(REQUEST.messages[0].content) < plain < 200
    assert umlauts > 1000  # two bytes each
    assert shaped > plain + 60  # its name and fields are sent too
    longer = prices.worst_usd("sim:x", REQUEST)
    assert longer == pytest.approx(plain + 100 * 10 / 1e6)
    assert PriceList().worst_usd("openai:nobody-knows", REQUEST) is None


@pytest.mark.parametrize(
    ("name", "options", "told", "cost"),
    [
        ("openai:nobody-knows", [], None, None),
        ("openai:nobody-knows", ["1/10"], None, 0.021),
        ("openai:nobody-knows", ["1/10"], 0.5, 0.5),  # the endpoint's own figure
        ("openai:nobody-knows", ["openai:nobody-knows=2/10"], 0.5, 0.022),
        ("sim:student", [], 0.0, 0.0),
        ("sim:student", ["1/10"], 0.0, 0.021),
        ("ollama:llama3", ["1/10"], 0.0, 0.0),
        ("ollama:llama3", ["ollama:llama3=1/10"], 0.0, 0.021),
    ],
)
async def test_a_reply_carries_its_price(
    name: str, options: list[str], told: float | None, cost: float | None
) -> None:
    chat = BoundModel(Scripted(reply(cost=told), name=name), PriceList.parse(options))
    assert (await chat.complete(REQUEST)).cost_usd == pytest.approx(cost)


async def test_tokens_that_were_not_counted_have_no_price() -> None:
    chat = BoundModel(Scripted(reply((0, 0))), PriceList.parse(["1/10"]))
    assert (await chat.complete(REQUEST)).cost_usd is None


async def test_a_call_is_held_before_and_settled_after() -> None:
    budget, prices = Budget(1.0, None), PriceList.parse(["1/10"])
    chat = BoundModel(Scripted(reply(), reply((0, 0))), prices)
    request = replace(REQUEST, payer=await allowance(1.0, budget))
    await chat.complete(request)
    assert budget.spent_usd == pytest.approx(0.021)
    await chat.complete(request)
    worst = prices.worst_usd(chat.name, REQUEST)
    assert worst is not None
    assert budget.spent_usd == pytest.approx(
        0.021 + worst
    )  # uncounted tokens: all that was held
    assert budget.spent_calls == 2


async def test_a_call_that_does_not_fit_is_never_sent() -> None:
    inner = Scripted(reply())
    payer = await allowance(0.001)
    with pytest.raises(BudgetSpent):
        await BoundModel(inner, PriceList.parse(["1/1000"])).complete(
            replace(REQUEST, payer=payer)
        )
    assert inner.requests == []


async def test_a_call_that_was_cancelled_on_its_way_may_have_cost_all_that_was_held() -> None:
    budget, tally = Budget(1.0, None), Tally()
    payer = await allowance(1.0, budget)
    model = BoundModel(Scripted(asyncio.CancelledError()), PriceList.parse(["1/10"]), tally)
    with pytest.raises(asyncio.CancelledError):
        await model.complete(replace(REQUEST, payer=payer))
    assert budget.spent_usd > 0
    assert (tally.calls, tally.known) == (1, True)
    assert tally.usd == pytest.approx(budget.spent_usd)


@pytest.mark.parametrize("fault", [CallFailed("server", "500"), RuntimeError()])
async def test_a_failed_call_is_settled_with_nothing(fault: BaseException) -> None:
    budget = Budget(1.0, None)
    payer = await allowance(1.0, budget)
    with pytest.raises(type(fault)):
        await BoundModel(Scripted(fault), PriceList.parse(["1/10"])).complete(
            replace(REQUEST, payer=payer)
        )
    payer.close()
    assert (budget.spent_usd, budget.spent_calls) == (0, 1)
    await budget.admit(Cost(Amount(1.0, 1)))  # all of it is free again
