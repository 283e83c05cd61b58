"""What calls cost: by the user's own word, by the endpoint's, by the lists that come with
genai-prices. No network."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import product
from math import isfinite
from typing import TYPE_CHECKING

import orjson

from ...state.errors import UsageError
from ...state.spec import is_simulated, label_of
from .address import ByModel, parse_model, settings_of
from .chat import ChatReply, ChatRequest
from .dialect import Completion, instructed, strict_schema
from .providers import PROVIDERS, Provider

if TYPE_CHECKING:
    from genai_prices.types import PriceCalculation

PRICES = "FATHOM_PRICES"
"""The variable in which a server hands its prices on to what it starts, one a line."""
_MILLION = 1_000_000
_FORM = (
    "write IN/OUT or MODEL=IN/OUT, in USD per million tokens, as in 0.25/2 or "
    "openai:gpt-5-mini=0.25/2"
)
_FRAME_TOKENS = 64
"""What endpoints put around a request, and around each of its messages, at the very most."""


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens."""

    input_usd: float
    output_usd: float

    def usd(
        self,
        input_tokens: int,
        output_tokens: int,
    ) -> float:
        """Price of one call with so many tokens."""
        return (self.input_usd * input_tokens + self.output_usd * output_tokens) / _MILLION


FREE = Price(0.0, 0.0)


def cost_usd(
    provider: Provider,
    model: str,
    completion: Completion,
    *,
    own_address: bool,
) -> float | None:
    """US dollars for one completion: 0.0 where calls are free (the user's own machine, a simulated
    model), the endpoint's own figure where it names one, else by the price list of genai-prices;
    None when unknown, never 0.

    `own_address`: the model was asked at an address of the user's own, for which no price list
    speaks.
    """
    if provider.free:
        return 0.0
    if completion.reply.cost_usd is not None:
        return completion.reply.cost_usd
    usage = completion.reply.usage
    if (
        provider.price_id is None
        or own_address
        or not (usage.input_tokens or usage.output_tokens)
    ):
        return None
    for name in filter(None, (completion.reply.model, model)):
        try:
            price = _listed(
                provider.price_id,
                name,
                input_tokens=usage.input_tokens,
                cache_read_tokens=min(completion.cached_tokens, usage.input_tokens),
                output_tokens=usage.output_tokens,
            )
        except LookupError:
            continue
        return float(price.total_price)
    return None


def known_price(
    model_text: str,
    env: Mapping[str, str],
    at: datetime | None = None,
) -> Price | None:
    """The highest list price of a model as written in a spec, None where no list speaks for it.

    The highest: with prices that grow with the length of a call the last step, with prices by the
    time of day the dearest hour of the day of `at` (today by default). `env` may move a provider to
    an address of the user's own, where no list holds. Raises UsageError for a malformed name.
    """
    address = parse_model(model_text)
    provider = PROVIDERS.get(address.provider)
    if provider is None:  # reached through LangChain, which names no prices
        return None
    if provider.free:
        return FREE
    moved = env.get(provider.base_url_variable or "", "").strip()
    if provider.version_variables:
        moved = ""  # Azure's prices hold at every customer's address
    if address.base_url is not None or moved or provider.price_id is None:
        return None
    day = (at or datetime.now(UTC)).replace(
        hour=0,
        minute=0,
        second=0,
        microsecond=0,
    )
    return _highest(provider.price_id, address.model, day)


@lru_cache(maxsize=256)  # a price is asked for with every call
def _highest(
    price_id: str,
    model: str,
    day: datetime,
) -> Price | None:
    input_usd = output_usd = 0.0
    # prices by the hour have bounds at half hours, prices by size grow with it
    for half_hour, tokens in product(range(48), (1, _MILLION)):
        time = day + timedelta(minutes=30 * half_hour)
        try:
            price = _listed(
                price_id,
                model,
                time,
                input_tokens=tokens,
                output_tokens=tokens,
            )
        except LookupError:
            return None
        times = _MILLION // tokens
        input_usd = max(input_usd, float(price.input_price * times))
        output_usd = max(output_usd, float(price.output_price * times))
    return Price(input_usd, output_usd)


def _listed(
    price_id: str,
    model: str,
    at: datetime | None = None,
    **tokens: int,
) -> "PriceCalculation":
    """Raises LookupError."""
    from genai_prices import Usage, calc_price  # heavy: only when a price is wanted

    return calc_price(
        Usage(**tokens),
        model,
        provider_id=price_id,
        genai_request_timestamp=at,
    )


@dataclass(frozen=True, slots=True)
class PriceList:
    """The price of every model: what the user wrote for it, else the known list price, else what
    the user wrote for models without a known one. Calls to the simulated world are free unless a
    price was written."""

    named: Mapping[str, Price] = field(default_factory=dict)
    plain: Price | None = None
    """For every model without a known price, and for the simulated ones."""
    env: Mapping[str, str] = field(default_factory=dict, repr=False)
    """The environment, which may move a provider to an address without a price list. Never shown:
    it holds keys."""
    usual: Mapping[str, Price] = field(default_factory=dict)
    """Of models that may take no part."""
    _prices: dict[str, tuple[bool, Price | None]] = field(
        default_factory=dict, repr=False, compare=False
    )
    """By model: whether the user wrote its price, and the price."""

    @classmethod
    def parse(
        cls,
        options: Sequence[str],
        env: Mapping[str, str] | None = None,
    ) -> "PriceList":
        """From `--price` options, `IN/OUT` or `MODEL=IN/OUT`. Raises UsageError for a malformed or
        repeated one."""
        chosen, env = ByModel.parse("price", options, _price), env or {}
        usual = ByModel.parse("price", env.get(PRICES, "").splitlines(), _price)
        plain = usual.plain if chosen.plain is None else chosen.plain
        return cls(
            chosen.named,
            plain,
            env,
            usual.named,
        )

    def price(self, model: str) -> Price | None:
        """What the model's calls cost; None when nobody knows."""
        if model not in self._prices:
            self._prices[model] = self._look_up(model)
        return self._prices[model][1]

    def _look_up(self, model: str) -> tuple[bool, Price | None]:
        for prices in (self.named, self.usual):
            if (chosen := ByModel("price", prices).of_model(model)) is not None:
                return True, chosen
        listed = None
        if self.plain is None or not is_simulated(model):
            listed = known_price(model, self.env)
        return False, self.plain if listed is None else listed

    def unknown(self, models: Iterable[str]) -> list[str]:
        """The models without a price, each once, in order."""
        return [model for model in dict.fromkeys(models) if self.price(model) is None]

    def require(self, models: Iterable[str]) -> None:
        """Raises UsageError when the price of one of the models is unknown: no budget in USD can be
        kept then."""
        unknown = self.unknown(models)
        if unknown:
            raise UsageError(
                "--budget needs the price of every model, and that of "
                f"{', '.join(map(label_of, unknown))} is unknown: "
                f"give it with --price {label_of(unknown[0])}=IN/OUT (USD per million tokens), or "
                "use --max-calls."
            )

    def require_named(self, models: Iterable[str]) -> None:
        """Raises UsageError when a price was written for a model that is not among those named."""
        ByModel("price", self.named).require_named(models)

    def worst_usd(
        self,
        model: str,
        request: ChatRequest,
    ) -> float | None:
        """The most one call can cost: each byte of what is sent taken for a token, and the reply as
        long as its limit allows. None when the price is unknown."""
        price = self.price(model)
        request = instructed(request, settings_of(model))
        return None if price is None else price.usd(_input_bound(request), request.max_tokens)

    def cost_usd(
        self,
        model: str,
        reply: ChatReply,
    ) -> float | None:
        """What a reply cost: by the price the user wrote for this model, else what the endpoint or
        the list says, else by the price for all others. None when the price is unknown, or the
        endpoint counted no tokens."""
        price, is_told = self.price(model), reply.cost_usd is not None
        is_written = self._prices[model][0]
        if price is None or (is_told and not is_written and not is_simulated(model)):
            return reply.cost_usd
        tokens = reply.usage.input_tokens, reply.usage.output_tokens
        refused = (
            reply.finish == "content_filter" and not reply.text
        )  # turned away before anything was generated
        return price.usd(*tokens) if any(tokens) or refused or price == FREE else None


@dataclass(slots=True)
class Tally:
    """What the calls of one run cost, cached ones apart: those that failed or were cancelled are
    calls too."""

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
    """No tokeniser makes more tokens than there are bytes; the schema may be sent beside the
    messages or in them."""
    schema = orjson.dumps(strict_schema(request.schema)) if request.schema is not None else b""
    size = sum(
        len(message.content.encode("utf-8", errors="replace")) for message in request.messages
    )
    return size + len(schema) + _FRAME_TOKENS * (len(request.messages) + (3 if schema else 1))
