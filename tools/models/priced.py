"""What calls cost by list and by the user's own word, and a model whose calls are paid for before they are sent."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite

import orjson

from ...state.errors import UsageError
from ...state.spec import is_simulated, label_of
from .address import instructed, parse_model
from .budget import Amount, Cost
from .chat import Chat, ChatReply, ChatRequest, Placed
from .pricing import FREE, Price, known_price
from .schema import strict_schema
from .settings import LABEL

_FORM = "write IN/OUT or MODEL=IN/OUT, in USD per million tokens, as in 0.25/2 or openai:gpt-5-mini=0.25/2"
_FRAME_TOKENS = 64
"""What endpoints put around a request, and around each of its messages, at the very most."""
_REPAIR_TOKENS = 4 * 4_000 + 2_000
"""A bad reply goes back with at most 4,000 characters (of at most 4 bytes), and with what was wrong."""
_WORST_LIMITS = (1, 2, 4, 8, 8)
"""The token limits of the calls that one request can become, in multiples of its own (see `structured`)."""


@dataclass(frozen=True, slots=True)
class PriceList:
    """The price of every model: what the user wrote for it, else the known list price, else what the user wrote for
    models without a known one. Calls to the simulated world are free unless a price was written."""

    named: Mapping[str, Price] = field(default_factory=dict)
    plain: Price | None = None
    """For every model without a known price, and for the simulated ones."""
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The environment, which may move a provider to an address without a price list. Never shown: it holds keys."""

    @classmethod
    def parse(cls, options: Sequence[str], env: Mapping[str, str] | None = None) -> "PriceList":
        """From `--price` options, `IN/OUT` or `MODEL=IN/OUT`. Raises UsageError for a malformed or repeated one."""
        named: dict[str, Price] = {}
        plain: Price | None = None
        for text in options:
            model, sign, amounts = text.rpartition("=")
            price = _price(amounts, text)
            if not sign:
                if plain is not None:
                    raise UsageError(f"--price {text}: there is one price for all other models already.")
                plain = price
                continue
            name = model.strip() if LABEL.fullmatch(model.strip()) else parse_model(model).text
            if name in named:
                raise UsageError(f"--price {text}: {name} has a price already.")
            named[name] = price
        return cls(named, plain, env or {})

    def price(self, model: str) -> Price | None:
        """What the model's calls cost; None when nobody knows."""
        if (written := self._written(model)) is not None:
            return written
        if self.plain is not None and is_simulated(model):
            return self.plain
        known = known_price(model, self.env)
        return self.plain if known is None else known

    def _written(self, model: str) -> Price | None:
        """What the user wrote for this very model, or for its label."""
        return self.named.get(model) or self.named.get(label_of(model))

    def unknown(self, models: Iterable[str]) -> list[str]:
        """The models without a price, each once, in order."""
        return [model for model in dict.fromkeys(models) if self.price(model) is None]

    def require(self, models: Iterable[str]) -> None:
        """Raises UsageError when the price of one of the models is unknown: no budget in USD can be kept then."""
        unknown = self.unknown(models)
        if unknown:
            raise UsageError(
                f"--budget needs the price of every model, and that of {', '.join(map(label_of, unknown))} is unknown: "
                f"give it with --price {label_of(unknown[0])}=IN/OUT (USD per million tokens), or use --max-calls."
            )

    def require_named(self, models: Iterable[str]) -> None:
        """Raises UsageError when a price was written for a model that is not among those named."""
        used = list(dict.fromkeys(models))
        known = {*used, *map(label_of, used)}
        stray = [model for model in self.named if model not in known]
        if stray:
            named = ", ".join(map(label_of, used))
            raise UsageError(f"--price names {stray[0]}, which takes no part: the models are {named}.")

    def worst_usd(self, model: str, request: ChatRequest) -> float | None:
        """The most one call can cost: each byte of what is sent taken for a token, and the reply as long as its limit
        allows. None when the price is unknown."""
        price = self.price(model)
        return None if price is None else price.usd(_input_bound(instructed(model, request)), request.max_tokens)

    def worst_need(self, model: str, request: ChatRequest) -> Cost:
        """What one request can become in `structured` or `prose`: its first call as the base; one repair and the
        higher limits after replies that were cut off, five calls in all, as the extra."""
        price, sent = self.price(model), _input_bound(instructed(model, request))
        if price is None:
            return Cost(Amount(None, 1), Amount(None, len(_WORST_LIMITS) - 1))
        again = (price.usd(sent + _REPAIR_TOKENS, times * request.max_tokens) for times in _WORST_LIMITS[1:])
        return Cost(
            Amount(price.usd(sent, request.max_tokens), 1),
            Amount(sum(again), len(_WORST_LIMITS) - 1),
        )

    def cost_usd(self, model: str, reply: ChatReply) -> float | None:
        """What a reply cost: by the price the user wrote for this model, else what the endpoint or the list says, else
        by the price for all others. None when the price is unknown, or the endpoint counted no tokens."""
        own = price = self._written(model)
        if price is None and (reply.cost_usd is None or is_simulated(model)):
            price = self.price(model)
        if price is None or (reply.cost_usd is not None and not is_simulated(model) and own is None):
            return reply.cost_usd
        tokens = reply.usage.input_tokens, reply.usage.output_tokens
        refused = reply.finish == "content_filter" and not reply.text  # turned away before anything was generated
        return price.usd(*tokens) if any(tokens) or refused or price == FREE else None


@dataclass(slots=True)
class Tally:
    """What the calls of one run cost, cached ones apart: those that failed or were cancelled are calls too."""

    calls: int = 0
    replies: int = 0
    """Calls that were answered."""
    usd: float = 0.0
    known: bool = True
    """False once a reply had no price and nothing was held for it."""

    def add(self, usd: float | None) -> None:
        self.calls += 1
        self.usd += usd or 0.0
        self.known = self.known and usd is not None


class Priced:
    """A Chat whose replies carry their price, and whose calls are paid for by the request's payer, if it has one.

    It stands below the cache: a cached reply is neither paid for nor counted. A failed call is settled with nothing,
    although a provider may have charged for attempts whose reply never arrived: nobody tells us what those cost, so
    under failures a provider's bill can be higher than what is counted here. A reply whose tokens the endpoint did not
    count is settled with all that was held for it, and so is a call that was cancelled on its way.
    """

    def __init__(self, inner: Chat, prices: PriceList, tally: Tally | None = None) -> None:
        self._inner = inner
        self._prices = prices
        self._tally = tally or Tally()

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def caveats(self) -> tuple[str, ...]:
        """What the model's client could not send as asked."""
        return tuple(getattr(self._inner, "caveats", ()))

    async def complete(self, request: ChatRequest) -> ChatReply:
        """The reply with its price. Raises BudgetSpent, and whatever the model raises."""
        payer = request.payer
        held = None if payer is None else await payer.hold(self._prices.worst_usd(self.name, request))
        paid: float | None = 0.0
        try:
            reply = self._with_price(await self._inner.complete(request))
            self._tally.replies += 1
            paid = held if reply.cost_usd is None else reply.cost_usd
            return reply
        except asyncio.CancelledError:
            paid = held
            raise
        finally:
            self._tally.add(paid)
            if payer is not None:
                payer.settle(held or 0.0, paid)

    def _with_price(self, reply: ChatReply) -> ChatReply:
        return reply if reply.cached else replace(reply, cost_usd=self._prices.cost_usd(self.name, reply))


class _PlacedPriced(Priced):
    """A priced model that knows where its replies come from."""

    def __init__(self, inner: Chat, prices: PriceList, tally: Tally | None, placed: Placed) -> None:
        super().__init__(inner, prices, tally)
        self._placed = placed

    async def place(self) -> str:
        return await self._placed.place()


def priced(inner: Chat, prices: PriceList, tally: Tally | None = None) -> Priced:
    """The model with prices, which notes what it costs in `tally`. It is `Placed` exactly when the model is."""
    return _PlacedPriced(inner, prices, tally, inner) if isinstance(inner, Placed) else Priced(inner, prices, tally)


def _price(amounts: str, text: str) -> Price:
    into, sign, out = amounts.partition("/")
    try:
        usd = float(into), float(out)
    except ValueError:
        usd = (-1.0, -1.0)
    if not sign or not all(isfinite(amount) and amount >= 0 for amount in usd):
        raise UsageError(f"--price {text} is no price: {_FORM}.")
    return Price(*usd)


def _input_bound(request: ChatRequest) -> int:
    """No tokeniser makes more tokens than there are bytes; the schema may be sent beside the messages or in them."""
    schema = orjson.dumps(strict_schema(request.schema)) if request.schema is not None else b""
    sent = sum(len(message.content.encode("utf-8", errors="replace")) for message in request.messages)
    return sent + len(schema) + _FRAME_TOKENS * (len(request.messages) + (3 if schema else 1))
