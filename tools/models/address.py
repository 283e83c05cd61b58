"""How a model is named: `provider:model`, or `provider@address:model` for an endpoint elsewhere;
and values that an option gives to single models, as MODEL=VALUE."""

import difflib
import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Generic, TypeVar
from urllib.parse import urlsplit

from ...state.errors import UsageError
from ...state.worlds import label_of
from ..env import require_meant
from ..net import is_loopback, key_in
from .providers import INTEGRATIONS, PROVIDERS, Provider
from .settings import LABEL, PLAIN, ModelSettings, parse_settings

_PLACE = re.compile(
    r"(?P<server>https?://(?:\[[0-9a-f:.%]+\]|[^:/\[\]]+)(?::\d+(?=[:/]|$))?)"
    r"(?:(?P<path>/[^:]*)(?::(?P<model>.*))?|(?::(?P<only>[^/]*))?)",
    re.IGNORECASE | re.DOTALL,
)
"""An address, and the model behind the first colon after its path; where there is none, the model has
no slash in it: what stands before one may be a password."""
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f]")
"""White space is not among them: it is a blank."""
_MOST_SIGNS = 1_000
_CREDENTIALS = "holds credentials: put the key into the provider's variable instead."
_FORM = (
    "write provider:model, as in openai:gpt-5-mini, or provider@https://host/v1:model for an "
    "endpoint of your own"
)


@dataclass(frozen=True, slots=True)
class ModelAddress:
    """A model, where it is, and its settings. `text` is all of it as a spec keeps it; `base_url` is
    None for the provider's usual address."""

    provider: str
    model: str
    base_url: str | None
    text: str
    settings: ModelSettings = PLAIN

    @property
    def label(self) -> str:
        """What people are shown: the label it was given, else the model as written, with the
        settings that shape its answers."""
        return label_of(self.text)

    @property
    def trusting(self) -> bool:
        """Whether it says where to send what, an address or what the environment holds: only the
        user may say so."""
        return bool(self.base_url or self.settings.key or self.settings.headers)


def is_model(text: str) -> bool:
    """Whether the text names a model of a known provider."""
    try:
        parse_model(text)
    except UsageError:
        return False
    return True


@lru_cache(maxsize=256)  # a model is named with every call
def parse_model(text: str) -> ModelAddress:
    """Read `openai:gpt-5-mini`, `ollama:llama3:8b`, `openai@http://127.0.0.1:8790/v1:model`,
    `sim:student`.

    The provider ends at the first `:` or `@`. After `@` stands an address, and the model follows
    the first colon after the address's path; an address without a path gets `/v1`. Behind a blank
    stand its settings (see `settings`). Raises UsageError.
    """
    name, *more = text.split(maxsplit=1) or [""]
    if not name:
        raise UsageError(f"No model is named: {_FORM}.")
    if len(name) > _MOST_SIGNS:
        raise UsageError(
            f"A model's name cannot be {len(name):,} characters long (at most "
            f"{_MOST_SIGNS}): {_FORM}."
        )
    if _CONTROL.search(name):
        raise UsageError(
            f"{_quoted(name)} is not a model, because it holds control characters: {_FORM}."
        )
    match = re.match(r"([^:@]*)([:@])(.*)", name, re.DOTALL)
    if match is None:
        raise UsageError(f"{_quoted(name)} is not a model: {_FORM}.")
    provider, sign, rest = match.groups()
    _check_provider(provider)
    if sign == ":":
        base_url, model = None, rest
    else:
        base_url, model = _split_address(provider, rest)
    model = model.strip()
    if not model:
        raise UsageError(f"{_quoted(name)} names the provider but no model: {_FORM}.")
    settings = parse_settings(*more) if more else PLAIN
    if settings.api and (provider not in PROVIDERS or provider == "sim"):
        raise UsageError(
            f"{provider} has no Responses API that could be asked: leave api={settings.api} out."
        )
    return ModelAddress(
        provider,
        model,
        base_url,
        f"{name} {settings}".strip(),
        settings,
    )


@lru_cache(maxsize=256)
def settings_of(model: str) -> ModelSettings:
    """What the user chose for a model; nothing for a host's own, which may be called anything."""
    try:
        return parse_model(model).settings if "=" in model else PLAIN
    except UsageError:
        return PLAIN


def check_base_url(url: str, where: str) -> str:
    """A base URL in normal form, without a slash at its end; one without a path gets `/v1`. `where`
    names its origin in the message of the UsageError that a malformed one, or one that holds
    credentials, raises."""
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        raise UsageError(f"{where} is not a valid address: {_FORM}.") from None
    # what stands before an @ in the address may be a password: no message repeats such an address
    if parts.username is not None or parts.password is not None:
        raise UsageError(f"{where} {_CREDENTIALS}")
    if parts.query or parts.fragment:
        base = "give the base address only, such as https://host/v1"
        raise UsageError(f"{where} has a query or a fragment: {base}.")
    is_web = parts.scheme in ("http", "https")
    if not is_web or not parts.hostname or re.search(r"\s", parts.netloc):
        raise UsageError(f"{where} is not a valid address: it must look like https://host/v1.")
    host = parts.hostname or ""
    authority = (f"[{host}]" if ":" in host else host) + (
        f":{port}" if port is not None else ""
    )
    path = parts.path.rstrip("/") if parts.path else "/v1"
    return f"{parts.scheme}://{authority}{path}"


def _split_address(provider: str, rest: str) -> tuple[str, str]:
    """`https://host:port/path:model` → (base URL, model)."""
    if provider not in PROVIDERS:
        raise UsageError(
            f"{provider} is reached through LangChain and takes no address: write {provider}:model."
        )
    where = f"The address after {provider}@"
    if not re.match("https?://", rest, re.IGNORECASE):
        raise UsageError(f"{where} must begin with http:// or https://: {_FORM}.")
    if "@" in rest.split("/")[2]:
        raise UsageError(f"{where} {_CREDENTIALS}")
    match = _PLACE.fullmatch(rest)
    if match is None:
        raise UsageError(f"{where} is not a valid address: {_FORM}.")
    path = match["path"] or ("/" if PROVIDERS[provider].version_variables else "")
    return check_base_url(match["server"] + path, where), match["model"] or match["only"] or ""


def _check_provider(provider: str) -> None:
    if provider in PROVIDERS or provider in INTEGRATIONS:
        return
    fault = (
        f"There is no provider {_quoted(provider)}" if provider else "The provider is missing"
    )
    near = difflib.get_close_matches(provider.lower(), [*PROVIDERS, *INTEGRATIONS], n=3)
    hint = f" Did you mean {' or '.join(near)}?" if near else ""
    raise UsageError(
        f"{fault}.{hint} Providers: {', '.join(PROVIDERS)};"
        f" through LangChain: {', '.join(INTEGRATIONS)}; {_FORM}."
    )


def _quoted(text: str) -> str:
    """A text for a message: short, and never what may be a key or a password."""
    if re.search(r"sk-|key|token|secret|://[^/]*@", text, re.IGNORECASE):
        return "What was given"
    return f"'{text if len(text) <= 60 else text[:57] + '…'}'"


def locate_model(address: ModelAddress, env: Mapping[str, str]) -> tuple[str | None, bool]:
    """(base URL, whether it is the user's own): from the address, else the provider's variable,
    else its usual.

    None: only known when a run starts (the simulated world), or only to LangChain. Raises
    UsageError for a variable that holds no valid address.
    """
    provider = PROVIDERS.get(address.provider)
    if provider is None:
        return None, False
    if address.base_url is not None:
        return address.base_url, True
    variable = provider.base_url_variable
    url = env.get(variable, "").strip() if variable else ""
    if url and provider.version_variables:
        return check_base_url(f"{url.rstrip('/')}/", variable or ""), False
    if url:
        return check_base_url(url, variable or ""), True
    if provider.version_variables:
        raise UsageError(
            f"{address.label} needs an address: set {variable} to https://NAME.openai.azure.com."
        )
    return provider.base_url, False


def key_variables(address: ModelAddress, env: Mapping[str, str]) -> tuple[str, ...]:
    """The variables that a model's key is read from: the one its settings name, else its
    provider's. None for a model at an address that is not the provider's own: whoever is there is
    sent no key that was not meant for it."""
    if address.settings.key:
        return (address.settings.key,)
    if address.provider in INTEGRATIONS:
        variable = INTEGRATIONS[address.provider].key_variable
        return (variable,) if variable else ()
    provider = PROVIDERS[address.provider]
    if address.base_url is None:
        return provider.key_variables
    usual = provider.base_url
    if env.get(provider.base_url_variable or "", "").strip():
        usual, _ = locate_model(replace(address, base_url=None), env)
    is_usual = _origin(address.base_url) == _origin(usual or "")
    return provider.key_variables if is_usual else ()


def key_of(address: ModelAddress, env: Mapping[str, str]) -> str | None:
    """The key a model is sent, None without one. Raises UsageError for what cannot be a key, and
    where its settings name a variable that is not set, or a `.env` file would send it elsewhere
    (`require_meant`)."""
    variables, provider = key_variables(address, env), PROVIDERS.get(address.provider)
    if address.base_url is None and provider is not None and provider.base_url_variable:
        require_meant(
            provider.base_url_variable,
            env,
            *variables,
            *address.settings.variables,
        )
    key = key_in(env, *variables)
    if key is None and address.settings.key:
        raise UsageError(
            f"{address.label} needs a key: set {address.settings.key} in the environment or "
            "in .env."
        )
    return key


@dataclass(frozen=True, slots=True)
class Access:
    """How a model is asked: its key, headers of the user's own, and which API. `secrets` of them
    must not be kept when the endpoint repeats them. Never shown."""

    key: str | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)
    responses: bool = False
    """By OpenAI's Responses API."""
    azure_version: str = ""
    """Of Azure's API; empty elsewhere."""

    @classmethod
    def of(
        cls,
        address: ModelAddress,
        env: Mapping[str, str],
    ) -> "Access":
        """Raises UsageError for what cannot be sent, and for what the settings name and `env`
        lacks."""
        key, settings = key_of(address, env), address.settings
        values = (env.get(name, "").strip() for name in settings.variables)
        secrets = tuple(filter(None, (key, *values)))
        headers, version = settings.sent_headers(env), _azure_version(address, env)
        return cls(
            key,
            headers,
            secrets,
            bool(settings.api),
            version,
        )

    @property
    def digest(self) -> str:
        """Of all that makes two ways of asking different ones."""
        headers = sorted(self.headers.items())
        text = repr((self.key or "", headers, self.responses, self.azure_version))
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def _azure_version(address: ModelAddress, env: Mapping[str, str]) -> str:
    variables = PROVIDERS[address.provider].version_variables
    versions = [env[name].strip() for name in variables if env.get(name, "").strip()]
    if variables and not versions:
        raise UsageError(
            f"{address.label} needs a version of Azure's API: set {' or '.join(variables)}, as in "
            "2024-10-21."
        )
    return versions[0] if versions else ""


def key_origin(address: ModelAddress, env: Mapping[str, str]) -> str:
    """Where the key comes from, in a sentence for whoever is told that it was refused; empty where
    none is wanted."""
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
    """How a program of this machine that does not answer is started; empty where that is not
    known."""
    if not provider.start or not is_loopback(base_url):
        return ""
    return f"Is {provider.name} running? Start it with `{provider.start}`, or set the address."


T = TypeVar("T")


@dataclass(frozen=True)
class ByModel(Generic[T]):
    """`option`: its name without dashes; `plain`: of every model that is not named."""

    option: str
    named: Mapping[str, T]
    plain: T | None = None

    @classmethod
    def parse(
        cls,
        option: str,
        options: Sequence[str],
        read: Callable[[str, str], T],
    ) -> "ByModel[T]":
        """`read` takes a value and the whole option. Raises UsageError for a malformed or repeated
        one."""
        values: dict[str | None, T] = {}
        for text in options:
            model, sign, amounts = text.rpartition("=")
            name = model.strip() if sign else None
            if name is not None and not LABEL.fullmatch(name):
                name = parse_model(model).text
            if name in values:
                raise UsageError(
                    f"--{option} {text}: {name or 'every other model'} has a {option} already."
                )
            values[name] = read(amounts, text)
        plain = values.pop(None, None)
        return cls(option, {name: value for name, value in values.items() if name}, plain)

    def of_model(self, model: str) -> T | None:
        """What was said of this very model, of its label, or of its name whatever its settings."""
        for name in _names(model):
            if name in self.named:
                return self.named[name]
        return None

    def require_named(self, models: Iterable[str]) -> None:
        """Raises UsageError when something was said of a model that is not among those named."""
        used = list(dict.fromkeys(models))
        all_names = {name for model in used for name in _names(model)}
        stray = [model for model in self.named if model not in all_names]
        if stray:
            named = ", ".join(map(label_of, used))
            raise UsageError(
                f"--{self.option} names {stray[0]}, which is not a model of this run: its "
                f"models are {named}."
            )


def _names(model: str) -> tuple[str, ...]:
    """The closest first: two efforts of one model may have a price each, or one for both."""
    label = label_of(model)
    return model, label, label.partition(" ")[0]
