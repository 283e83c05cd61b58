"""`--offline`: only what is on this machine. Refused before a run, by address alone; nothing is
asked, not even DNS."""

from collections.abc import Iterable, Mapping
from urllib.parse import urlsplit

from ..state.errors import UsageError
from .facts.plan import WIKIPEDIA_URL, source_url
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
_LOCAL_SOURCE = "name one on this machine, such as folder:PATH or zim:FILE"


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
        check_source(source, env)
    check_tracing(env)


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
    why = "" if is_own else f" ({address.provider}'s usual address)"
    instead = _LOCAL_MODEL
    if is_own and address.base_url is None:
        instead += f", or change {PROVIDERS[address.provider].base_url_variable}"
    raise UsageError(
        f"--offline refuses {address.label}: it is asked at {base_url}{why}, which is not "
        f"this machine; {instead}."
    )


def check_source(source: str, env: Mapping[str, str]) -> None:
    """Raises UsageError when the source is not on this machine."""
    url = source_url(source, env)
    if url is None or is_loopback(url.replace("{language}", "en")):
        return
    instead, host = _LOCAL_SOURCE, host_of(url.replace("{language}", "en"))
    if source == "wikipedia":
        instead += f", or set {WIKIPEDIA_URL} to a wiki on localhost"
    raise UsageError(
        f"--offline refuses the source {source}: it is asked at {host}, which is not this "
        f"machine; {instead}."
    )


def host_of(url: str) -> str:
    """The host of an address, for people: without scheme, credentials and path."""
    return urlsplit(url).netloc.rpartition("@")[2] or url


def check_tracing(env: Mapping[str, str]) -> None:
    """Raises UsageError when LangSmith's tracing is switched on and goes beyond this machine."""
    url = traced_to(env)
    if url is not None and not is_loopback(url):
        raise UsageError(
            "--offline refuses to run while LangSmith's tracing is switched on: it sends every "
            "prompt and answer to "
            f"{host_of(url)}. Unset {' and '.join(_TRACING[::2])}."
        )
