"""Where a model is asked."""

from collections.abc import Mapping

from ..net import is_loopback
from .address import ModelAddress, check_base_url
from .providers import PROVIDERS, Provider


def locate_model(address: ModelAddress, env: Mapping[str, str]) -> tuple[str | None, bool]:
    """(base URL, whether it is the user's own): from the address, else the provider's variable, else its usual.

    None: only known when a run starts (the simulated world), or only to LangChain. Raises UsageError for a variable
    that holds no valid address.
    """
    provider = PROVIDERS.get(address.provider)
    if provider is None:
        return None, False
    if address.base_url is not None:
        return address.base_url, True
    variable = provider.base_url_variable
    if variable and (url := env.get(variable, "").strip()):
        return check_base_url(url, variable), True
    return provider.base_url, False


def start_hint(provider: Provider, base_url: str) -> str:
    """How a program of this machine that does not answer is started; empty where that is not known."""
    if not provider.start or not is_loopback(base_url):
        return ""
    return f"Is {provider.name} running? Start it with `{provider.start}`, or set the address."
