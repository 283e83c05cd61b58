"""What a call costs."""

from functools import partial

from .providers import Provider
from .reading import Completion


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
