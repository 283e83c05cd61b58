"""Models: whether they can be asked, where they are, what they are told, and what they say for
themselves."""

import difflib
from collections.abc import Awaitable, Callable, Collection, Mapping

import orjson

from ...state.errors import FathomError, UsageError
from ...state.spec import is_simulated
from ..models.address import (
    ModelAddress,
    key_of,
    key_variables,
    locate_model,
    parse_model,
    start_hint,
)
from ..models.bound import BoundModel
from ..models.chat import Chat
from ..models.clients import Clients, Limits
from ..models.pricing import FREE, Price, known_price
from ..models.providers import INTEGRATIONS, PROVIDERS
from ..net import is_loopback
from ..offline import check_model, host_of
from .finding import Finding, Level
from .reach import REACH_S, reach

CALL_S = 30.0
_COMPARED = 2000
"""Names of a list that a misspelt one is compared with."""
_TOLD = {
    "target": "the questions",
    "evaluator": "the domain, passages of the sources, and the target's answers",
    "judge": "questions, reference answers and the target's answers",
}


def told(role: str, model: str, env: Mapping[str, str]) -> Finding:
    """What a model is sent in a run, and whether that leaves this machine."""
    address = parse_model(model)
    subject = f"{role} {address.label}"
    what = _TOLD[role]
    if address.provider in INTEGRATIONS:
        return Finding(
            "leaves",
            subject,
            "ok",
            f"{what} → {address.provider}, wherever LangChain's package sends them",
        )
    try:
        url, _ = locate_model(address, env)
    except UsageError as error:
        return Finding("leaves", subject, "failure", str(error))
    if url is None or is_loopback(url):
        return Finding(
            "leaves", subject, "ok", f"{what}: to this machine only{_with(address, env)}"
        )
    return Finding("leaves", subject, "ok", f"{what} → {host_of(url)}{_with(address, env)}")


def _with(address: ModelAddress, env: Mapping[str, str]) -> str:
    """What goes to a model besides, where something was chosen for it, or an address of the user's
    own gets no key."""
    settings = address.settings
    variables = key_variables(address, env)
    said = [
        *(
            [f"the key {' or '.join(variables)}"]
            if settings.key or (address.base_url and variables)
            else []
        ),
        *(["no key"] if address.base_url and not variables else []),
        *(f"the header {name}" for name, _ in settings.headers),
        *([f"a system prompt of {len(settings.system)} characters"] if settings.system else []),
    ]
    return f", with {', '.join(said)}" if said else ""


async def examine(
    model: str, env: Mapping[str, str], *, offline: bool, limit_s: float = REACH_S
) -> Finding:
    """Whether a model can be asked at all: its key and package, and an answer from its endpoint's
    list of models, which costs nothing. With `offline`, whether it is on this machine, before
    anything is asked. Raises UsageError for a malformed name only."""
    address = parse_model(model)
    try:
        if offline:
            check_model(model, env)
        url, _ = locate_model(address, env)
        Clients(env).get(model)
    except UsageError as error:
        return Finding("models", address.label, "failure", str(error))
    if url is None and is_simulated(address.text):
        return Finding(
            "models",
            address.label,
            "ok",
            "of the simulated world, which every run starts for itself",
        )
    provider = PROVIDERS.get(address.provider)
    if provider is not None and provider.version_variables:
        said = f"its key and the address {host_of(url or '')} are set; Azure lists no deployments"
        return Finding("models", address.label, "ok", said, "add --call to try it")
    if url is None:
        said = "its package is there; where it sends its calls, LangChain alone knows"
        return Finding("models", address.label, "ok", said, "add --call to try it")
    return await _listed(address, url, env, limit_s)


async def _listed(
    address: ModelAddress, url: str, env: Mapping[str, str], limit_s: float
) -> Finding:
    key = key_of(address, env)
    headers = ({"Authorization": f"Bearer {key}"} if key else {}) | address.settings.sent_headers(
        env
    )
    answer = await reach(f"{url}/models", headers or None, limit_s=limit_s)
    text, where = address.label, host_of(url)
    if answer.trouble is not None:
        started = "is it running?" if is_loopback(url) else "can this machine reach it?"
        provider = PROVIDERS[address.provider]  # those of LangChain have no address here
        advice = start_hint(provider, url) or f"check the address; {started}"
        return Finding(
            "models", text, "failure", f"{where} cannot be reached: {answer.trouble}", advice
        )
    if answer.status in (401, 403):
        variables = " or ".join(key_variables(address, env))
        refused = f"{where} refuses the key" if key else f"{where} needs a key, and none is set"
        advice = (
            f"set {variables} to a valid one"
            if variables
            else "name its variable behind the model, as in key=MY_KEY"
        )
        return Finding("models", text, "failure", f"{refused} (HTTP {answer.status})", advice)
    if answer.status != 200:
        level: Level = "warning" if answer.status < 500 else "failure"
        said = f"{where} answers, but gave no list of its models (HTTP {answer.status})"
        return Finding("models", text, level, said, "add --call to try the model")
    return _in_list(address, where, _names(answer.body))


def _in_list(address: ModelAddress, where: str, names: list[str] | None) -> Finding:
    if not names:
        said = f"{where} answers, but its list of models cannot be read"
        return Finding(
            "models", address.label, "warning", said, "is it an OpenAI-compatible address?"
        )
    # ollama lists `llama3:latest` for `llama3`, others put `models/` in front
    if any(
        name in (address.model, f"{address.model}:latest", f"models/{address.model}")
        for name in names
    ):
        return Finding("models", address.label, "ok", f"{where} answers and has it")
    some = [name[:100] for name in names[:_COMPARED]]
    near = difflib.get_close_matches(address.model, some, n=3, cutoff=0.5) or some[:3]
    said = f"the endpoint {where} does not list this model ({len(names)} listed)"
    return Finding(
        "models",
        address.label,
        "warning",
        said,
        f"similar: {', '.join(name[:60] for name in near)}",
    )


def _names(body: bytes) -> list[str] | None:
    """The names in a list of models; None when it cannot be read. Most put it under `data`, some
    give it bare."""
    try:
        document = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    rows = document.get("data") if isinstance(document, dict) else document
    if not isinstance(rows, list):
        return None
    return [str(row["id"]) for row in rows if isinstance(row, dict) and "id" in row]


Asking = Callable[[Chat], Awaitable[object]]
"""Puts one question to a model."""


async def call(
    model: str, askings: Collection[Asking], clients: Clients, env: Mapping[str, str]
) -> Finding:
    """A short call through the client that runs use, for each way in which a run would ask the
    model. Raises UsageError for a malformed name only."""
    address = parse_model(model)
    subject = f"call to {address.label}"
    chat = BoundModel(clients.get(model), role="target")
    try:
        for asking in askings:
            await asking(chat)
    except FathomError as error:
        return Finding("models", subject, "failure", str(error))
    first = chat.calls[0]
    said, advice = _priced(first.cost_usd, known_price(model, env))
    said = "; ".join((f"{first.latency_s:.2f} s, as {first.model[:80]}", said, *chat.caveats))
    return Finding("models", subject, "warning" if chat.caveats else "ok", said, advice)


def _priced(cost_usd: float | None, listed: Price | None) -> tuple[str, str]:
    """What is known of the price of calls, and what to do about it. The endpoint's own figure is a
    price too."""
    if cost_usd == 0.0 or listed == FREE:
        return "calls cost nothing", ""
    if cost_usd is None and listed is None:
        return "its price is unknown", "with --budget, give it by --price"
    return "its price is known", ""


def calling(env: Mapping[str, str], sim_url: str | None) -> Clients:
    """Clients for one try each: no patience, as somebody is waiting."""
    return Clients(
        env,
        Limits(timeout_s=CALL_S, attempts=1, max_wait_s=2.0, rate_limit_patience_s=5.0),
        sim_url,
    )
