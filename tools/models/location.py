"""Where a model is asked."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from ...state.errors import UsageError
from ..net import is_loopback
from ..redact import key_in
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


@dataclass(frozen=True, slots=True)
class Access:
    """What a model is sent beside the request: its key, and headers of the user's own. `secrets` of them must not be
    kept when the endpoint repeats them. Never shown."""

    key: str | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, address: ModelAddress, env: Mapping[str, str]) -> "Access":
        """Raises UsageError for what cannot be sent, and for what the settings name and `env` lacks."""
        key, settings = key_of(address, env), address.settings
        return cls(key, settings.sent_headers(env), (*((key,) if key else ()), *settings.secrets(env)))

    @property
    def digest(self) -> str:
        told = repr((self.key or "", sorted(self.headers.items())))
        return hashlib.sha256(told.encode()).hexdigest()[:16]


def key_said(address: ModelAddress, env: Mapping[str, str]) -> str:
    """Where the key comes from, in a sentence for whoever is told that it was refused; empty where none is wanted."""
    if variables := key_variables(address, env):
        return f"The key is read from {' or '.join(variables)}."
    provider = PROVIDERS.get(address.provider)
    if provider is None or not provider.key_variables:
        return ""
    named = f"{address.text} key={provider.key_variables[0]}"
    return f"An address of your own is sent no key unless you name one, as in '{named}'."


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc


def start_hint(provider: Provider, base_url: str) -> str:
    """How a program of this machine that does not answer is started; empty where that is not known."""
    if not provider.start or not is_loopback(base_url):
        return ""
    return f"Is {provider.name} running? Start it with `{provider.start}`, or set the address."
