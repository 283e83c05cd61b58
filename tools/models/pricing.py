"""What a call costs, and what a model's price list says. Without any network: the lists come with genai-prices."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import lru_cache, partial
from typing import NamedTuple

from .address import parse_model
from .providers import PROVIDERS, Provider
from .reading import Completion

_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens."""

    input_usd: float
    output_usd: float

    def usd(self, input_tokens: int, output_tokens: int) -> float:
        """Price of one call with so many tokens."""
        return (self.input_usd * input_tokens + self.output_usd * output_tokens) / _MILLION


FREE = Price(0.0, 0.0)


def cost_usd(provider: Provider, model: str, completion: Completion, *, own_address: bool) -> float | None:
    """US dollars for one completion: 0.0 where calls are free (the user's own machine, a simulated model), the
    endpoint's own figure where it names one, else by the price list of genai-prices; None when unknown, never 0.

    `own_address`: the model was asked at an address of the user's own, for which no price list speaks.
    """
    if provider.free:
        return 0.0
    if completion.cost_usd is not None:
        return completion.cost_usd
    if provider.price_id is None or own_address:
        return None
    listed = partial(_listed, provider.price_id, completion)
    price = listed(completion.model) if completion.model else None
    return listed(model) if price is None else price


def known_price(model_text: str, env: Mapping[str, str], at: datetime | None = None) -> Price | None:
    """The highest list price of a model as written in a spec, None where no list speaks for it.

    The highest: with prices that grow with the length of a call the last step, with prices by the time of day the
    dearest hour of the day of `at` (today by default). `env` may move a provider to an address of the user's own, where
    no list holds. Raises UsageError for a malformed name.
    """
    address = parse_model(model_text)
    provider = PROVIDERS.get(address.provider)
    if provider is None:  # reached through LangChain, which names no prices
        return None
    if provider.free:
        return FREE
    moved = bool(provider.base_url_variable and env.get(provider.base_url_variable, "").strip())
    if address.base_url is not None or moved or provider.price_id is None:
        return None
    return _highest(
        provider.price_id, address.model, (at or datetime.now(UTC)).replace(minute=0, second=0, microsecond=0)
    )


@lru_cache(maxsize=256)  # a price is asked for with every call
def _highest(price_id: str, model: str, at: datetime) -> Price | None:
    try:
        first = _calculated(price_id, model, _MILLION, at)
    except LookupError:
        return None
    # prices by the hour are a list, each with the time it holds for; their bounds are half hours
    times = [at.replace(hour=0) + timedelta(minutes=30 * i) for i in range(48)] if first.by_time else [at]
    sizes = [_calculated(price_id, model, tokens, time) for time in times for tokens in (1, _MILLION)]
    return Price(*(max(column) for column in zip(*(size.usd for size in sizes), strict=True)))


class _Calculated(NamedTuple):
    usd: tuple[float, float]
    """Input and output, per million tokens."""
    by_time: bool


def _calculated(price_id: str, model: str, tokens: int, at: datetime) -> _Calculated:
    from genai_prices import Usage, calc_price  # heavy: only when a price is wanted

    usage = Usage(input_tokens=tokens, output_tokens=tokens)
    price = calc_price(usage, model, provider_id=price_id, genai_request_timestamp=at)
    times = _MILLION // tokens
    usd = (float(price.input_price * times), float(price.output_price * times))
    return _Calculated(usd, isinstance(price.model.prices, list))


def _listed(price_id: str, completion: Completion, model: str) -> float | None:
    from genai_prices import Usage, calc_price  # heavy: only when a price is wanted

    usage = Usage(
        input_tokens=completion.usage.input_tokens,
        cache_read_tokens=min(completion.cached_tokens, completion.usage.input_tokens),
        output_tokens=completion.usage.output_tokens,
    )
    try:
        return float(calc_price(usage, model, provider_id=price_id).total_price)
    except LookupError:
        return None
