"""`--offline`: only what is on this machine. Refused before a run, by address alone; nothing is
asked, not even DNS."""

from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from ..state.errors import UsageError
from .facts.plan import source_url
from .models.address import locate_model, parse_model
from .models.providers import INTEGRATIONS, PROVIDERS
from .net import is_loopback

_TRACING = (
    "LANGSMITH_TRACING",
    "LANGSMITH_TRACING_V2",
    "LANGCHAIN_TRACING",
    "LANGCHAIN_TRACING_V2",
)
_TRACING_ENDPOINTS = ("LANGSMITH_ENDPOINT", "LANGCHAIN_ENDPOINT")
_LOCAL_MODEL = (
    "name one on this machine, such as ollama:llama3 or openai@http://127.0.0.1:8000/v1:MODEL"
)
_LOCAL_SOURCE = (
    "name one on this machine, such as folder:PATH or zim:FILE, or a wiki on localhost as "
    "mediawiki:URL"
)


def check_offline(
    models: Iterable[str],
    sources: Iterable[str],
    env: Mapping[str, str],
) -> None:
    """Raises UsageError for the first model or source that is not on this machine, and for tracing
    by LangSmith, which would send every step of a run elsewhere.

    On this machine is what has a loopback address (127.0.0.0/8, ::1, localhost), a folder, an
    archive, and the simulated world that a run starts for itself. No host name is resolved: one
    that only leads here is refused.
    """
    for model in models:
        check_model(model, env)
    for source in sources:
        url = (source_url(source, env) or "").replace("{language}", "en")
        if url and not is_loopback(url):
            raise _refusal(f"the source {source}", host_of(url), _LOCAL_SOURCE)
    tracing = traced_to(env)
    if tracing is not None and not is_loopback(tracing):
        raise UsageError(
            "--offline refuses to run while LangSmith's tracing is switched on: it sends every "
            f"prompt and answer to {host_of(tracing)}. Unset {' and '.join(_TRACING[::2])}."
        )


def traced_to(env: Mapping[str, str]) -> str | None:
    """Where LangSmith would send the steps of a run when its tracing is switched on; None when it
    is off."""
    if not any(env.get(name, "").strip().lower() in ("true", "1") for name in _TRACING):
        return None
    endpoints = (env.get(name, "").strip() for name in _TRACING_ENDPOINTS)
    return next(filter(None, endpoints), "https://api.smith.langchain.com")


def check_model(model: str, env: Mapping[str, str]) -> None:
    """Raises UsageError when the model is not on this machine."""
    address = parse_model(model)
    if address.provider in INTEGRATIONS:
        raise UsageError(
            f"--offline refuses {address.label}: it is reached through LangChain, and where its "
            "package sends a prompt "
            f"cannot be known from here; {_LOCAL_MODEL}."
        )
    base_url, is_own = locate_model(address, env)
    if base_url is None or is_loopback(base_url):
        return
    where = base_url if is_own else f"{base_url} ({address.provider}'s usual address)"
    instead = _LOCAL_MODEL
    if is_own and address.base_url is None:
        instead += f", or change {PROVIDERS[address.provider].base_url_variable}"
    raise _refusal(address.label, where, instead)


def _refusal(name: str, where: str, instead: str) -> UsageError:
    return UsageError(
        f"--offline refuses {name}: it is asked at {where}, which is not this machine; {instead}."
    )


def host_of(url: str) -> str:
    """The host of an address, for people: without scheme, credentials and path."""
    return urlsplit(url).netloc.rpartition("@")[2] or url
