"""Where a model is asked."""

from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import urlsplit

from ...state.errors import UsageError
from ..hiding import key_in
from ..net import is_loopback
from .address import ModelAddress, check_base_url
from .providers import INTEGRATIONS, PROVIDERS, Provider


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


def key_variables(address: ModelAddress, env: Mapping[str, str]) -> tuple[str, ...]:
    """The variables that a model's key is read from: the one its settings name, else its provider's. None for a model
    at an address that is not the provider's own: whoever is there is sent no key that was not meant for it."""
    if address.settings.key:
        return (address.settings.key,)
    if address.provider in INTEGRATIONS:
        variable = INTEGRATIONS[address.provider].key_variable
        return (variable,) if variable else ()
    usual, _ = locate_model(replace(address, base_url=None), env)
    foreign = address.base_url is not None and _origin(address.base_url) != _origin(usual or "")
    return () if foreign else PROVIDERS[address.provider].key_variables


def key_of(address: ModelAddress, env: Mapping[str, str]) -> str | None:
    """The key a model is sent, None without one. Raises UsageError for what cannot be a key, and where its settings
    name a variable that is not set."""
    key = key_in(env, *key_variables(address, env))
    if key is None and address.settings.key:
        raise UsageError(f"{address.label} needs a key: set {address.settings.key} in the environment or in .env.")
    return key


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc


def start_hint(provider: Provider, base_url: str) -> str:
    """How a program of this machine that does not answer is started; empty where that is not known."""
    return f"start it with `{provider.start}`" if provider.start and is_loopback(base_url) else ""
