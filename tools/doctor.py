"""Whether the keys, the disk, the models and the sources of a run are in order. Looks, and changes
nothing."""

import asyncio
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import Literal

import orjson

from .. import __version__
from ..state.errors import EndpointRefused, EndpointUnreachable, FathomError, UsageError
from ..state.tiers import TIERS, Tier
from .cache.store import cache_path, connect
from .facts.base import FactQuery, Whole, charges
from .facts.coverage import coverage, in_words
from .facts.library.walk import walk
from .facts.plan import KEY, OPENALEX_KEY, address_of, kind_of
from .facts.registry import Sources
from .models.address import ModelAddress, key_of, locate_model, parse_model, start_hint
from .models.chat import Chat
from .models.clients import Clients, Limits
from .models.faults import redact
from .models.model import BoundModel
from .models.providers import INTEGRATIONS, PROVIDERS
from .net import Garbled, TooLarge, broken_key, fetch
from .offline import host_of, traced_to

_CALL_S, _LOOK_UP_S, _REACH_S = 30.0, 8.0, 5.0
_LITTLE_B, _TOO_LITTLE_B = 1_000_000_000, 50_000_000


_KEYS = (
    *(KEY, OPENALEX_KEY, "LANGSMITH_API_KEY", "LANGCHAIN_API_KEY"),
    *dict.fromkeys(name for provider in PROVIDERS.values() for name in provider.key_variables),
    *(provider.key_variable for provider in INTEGRATIONS.values() if provider.key_variable),
)
"""Variables that may hold a key."""

Level = Literal["ok", "warning", "failure"]
Asking = Callable[[Chat], Awaitable[object]]
"""Puts one question to a model."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at. A `failure` stands in the way of a run, a `warning` may
    surprise."""

    subject: str
    level: Level
    message: str


@dataclass(frozen=True, slots=True)
class Checkup:
    """What to look at. `roles`: (role, model) pairs; the same model may have several roles."""

    roles: tuple[tuple[str, str], ...]
    facts: Mapping[Tier, tuple[str, ...]]
    runs: Path
    env: Mapping[str, str] = field(repr=False)
    """Never shown: it holds keys."""
    askings: Mapping[str, Asking] = field(default_factory=dict, repr=False)
    """Role → how a run asks it; empty: no model is called, and no search is paid for."""
    language: str = "en"
    topics: tuple[str, ...] = ()
    """Topics of a drill, for which passages are looked up."""

    @property
    def sources(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(chain.from_iterable(self.facts.values())))

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(model for _, model in self.roles))


async def examine(
    checkup: Checkup,
    moment: datetime,
    *,
    sim_url: str | None = None,
) -> list[Finding]:
    """Every finding, none of them with a key in it. Takes as long as the slowest answer.

    `sim_url`: where the simulated world is that a call to one of its models goes to. Raises
    UsageError for a malformed name of a model or source.
    """
    env = checkup.env
    # no patience: somebody is waiting
    limits = Limits(
        timeout_s=_CALL_S,
        attempts=1,
        max_wait_s=2.0,
        rate_limit_patience_s=5.0,
    )
    clients = Clients(env, limits, sim_url)
    labels = [parse_model(model).label for model in checkup.models]
    checks = [
        _finding("folder of the runs", asyncio.to_thread(_disk, checkup.runs)),
        _finding("cache", asyncio.to_thread(_cache, cache_path(env))),
    ]
    for label, model in zip(labels, checkup.models, strict=True):
        checks.append(_finding(label, _model(model, checkup, clients)))
    checks += [_finding(source, _source(source, checkup, moment)) for source in checkup.sources]
    if checkup.topics:
        checks.append(_finding("topics", _topics(checkup, moment)))
    try:
        findings = await asyncio.gather(*checks)
    finally:
        await clients.aclose()
    findings = [*_keys(env), *findings]
    if traced_to(env):
        host = host_of(traced_to(env) or "")
        says = f"switched on: every prompt and answer of a run goes to {host}"
        findings.append(Finding("LangSmith's tracing", "warning", says))
    return [_without_keys(finding, env) for finding in findings]


async def _finding(subject: str, check: Awaitable[tuple[Level, str]]) -> Finding:
    try:
        level, message = await check
    except FathomError as error:
        level, message = "failure", str(error)
    return Finding(subject, level, message)


def _without_keys(finding: Finding, env: Mapping[str, str]) -> Finding:
    """The finding with every key of the environment, and whatever looks like one, taken out: what
    an endpoint says of itself may hold the key it was sent."""
    # the longest first: one key may begin with another
    keys = tuple(sorted((env.get(name, "").strip() for name in _KEYS), key=len, reverse=True))
    subject, message = redact(finding.subject, keys), redact(finding.message, keys)
    return replace(finding, subject=subject, message=message)


def _keys(env: Mapping[str, str]) -> Iterator[Finding]:
    """The keys that are set, by the names of their variables, never by value."""
    for name in _KEYS:
        if not (value := env.get(name, "").strip()):
            continue
        fault = broken_key(value)
        if "..." in value or value.startswith(("<", "http:", "https:")):
            fault = "it looks like a placeholder or an address"
        if fault:
            yield Finding(name, "warning", f"looks wrong: {fault}")
        else:
            yield Finding(name, "ok", "set")


def _disk(folder: Path) -> tuple[Level, str]:
    """Whether there is room in a folder, and whether it can be written to; it is not made where it
    is missing."""
    path = folder.absolute()
    existing = next(parent for parent in (path, *path.parents) if parent.exists())
    if not existing.is_dir():
        raise UsageError(f"{existing} is a file, not a folder: name another folder.")
    try:
        with tempfile.TemporaryFile(dir=existing):
            free_b = shutil.disk_usage(existing).free
    except OSError as error:
        raise UsageError(f"Nothing can be written in {existing} ({error.strerror}).") from error
    if free_b < _TOO_LITTLE_B:
        raise UsageError(f"{folder} has no room: a run keeps everything it hears.")
    return "ok" if free_b >= _LITTLE_B else "warning", f"{folder}; {free_b / 1e9:.1f} GB free"


def _cache(path: Path) -> tuple[Level, str]:
    if path.exists():
        connect(path).close()
    return _disk(path.parent)


async def _model(
    model: str,
    checkup: Checkup,
    clients: Clients,
) -> tuple[Level, str]:
    """A short call for each way in which a run asks the model; without one its key and package, and
    its endpoint's list of models, which costs nothing."""
    address, env = parse_model(model), checkup.env
    url, _ = locate_model(address, env)
    chat = BoundModel(clients.get(model), role="target")
    if checkup.askings:
        roles = [role for role, name in checkup.roles if name == model]
        for asking in dict.fromkeys(checkup.askings[role] for role in roles):
            await asking(chat)
        reply = chat.calls[0]
        message = f"replied in {reply.latency_s:.2f} s, as {reply.model[:80]}"
        level: Level = "warning" if chat.caveats else "ok"
        return level, "; ".join((message, *chat.caveats))
    provider = PROVIDERS.get(address.provider)
    if (
        url is None or provider is None or provider.version_variables
    ):  # Azure lists no deployments
        return "ok", "nothing is missing; --call tries it"
    return await _listed(address, url, env)


async def _listed(
    address: ModelAddress,
    url: str,
    env: Mapping[str, str],
) -> tuple[Level, str]:
    key, where = key_of(address, env), host_of(url)
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        status, body = await reach(
            f"{url}/models", headers | address.settings.sent_headers(env)
        )
    except EndpointUnreachable as error:
        hint = start_hint(PROVIDERS[address.provider], url) or "Check the address."
        raise EndpointUnreachable(f"{error} {hint}") from error
    if status in (401, 403):
        refusal = "refuses the key" if key else "needs a key, and none is set"
        raise EndpointRefused(f"{where} {refusal} (HTTP {status}).")
    names = _names(body) if status == 200 else []
    if not names:
        level: Level = "failure" if status >= 500 else "warning"
        return level, f"{where} gives no list of its models (HTTP {status}); --call tries it"
    # ollama lists `llama3:latest` for `llama3`, others put `models/` in front
    if {address.model, f"{address.model}:latest", f"models/{address.model}"} & set(names):
        return "ok", f"{where} answers and has it"
    examples = ", ".join(name[:60] for name in names[:3])
    return "warning", f"{where} does not list this model; it has {len(names)}, as {examples}"


def _names(body: bytes) -> list[str]:
    """The names in a list of models; none when it cannot be read. Most put it under `data`, some
    give it bare."""
    try:
        document = orjson.loads(body)
        rows = document.get("data") if isinstance(document, dict) else document
        return [str(row["id"]) for row in rows or ()]
    except (orjson.JSONDecodeError, KeyError, TypeError):
        return []


async def reach(url: str, headers: Mapping[str, str] | None = None) -> tuple[int, bytes]:
    """Status and body of one GET of the URL, without redirects. Raises EndpointUnreachable, whatever
    the network does."""
    import aiohttp

    from .models.endpoint import fault_of

    usual = {"User-Agent": f"fathom/{__version__}", "Accept": "application/json"}
    try:
        return await fetch(url, {**usual, **(headers or {})}, _REACH_S)
    except (aiohttp.ClientError, TimeoutError, TooLarge, Garbled, OSError) as error:
        trouble = fault_of(error, _REACH_S)
    raise EndpointUnreachable(f"{host_of(url)} cannot be reached: {trouble}.")


async def _source(
    source: str,
    checkup: Checkup,
    moment: datetime,
) -> tuple[Level, str]:
    """A folder's files are counted, an archive is opened, everything else is asked for passages on
    one well-known concept; what takes money for a search only where models are called as well."""
    if source == "sim":
        return "ok", "the simulated world, which every run starts for itself"
    if kind_of(source) == "folder":
        return await asyncio.to_thread(_folder, address_of(source) or "")
    sources = Sources(
        checkup.env, clock=lambda: moment, language=checkup.language, time_limit_s=_LOOK_UP_S
    )
    try:
        (built,) = sources.for_tier([source])
        if isinstance(built, Whole):
            await built.prepare()
            return "ok", "it can be read"
        if charges(built) and not checkup.askings:
            return "ok", "its key is set; --call makes one search"
        tier = next(tier for tier in TIERS if tier in built.tiers)
        query = FactQuery(
            "Water",
            "Chemistry",
            tier,
            moment.date(),
            checkup.language,
        )
        async with asyncio.timeout(_LOOK_UP_S):  # its own retries would keep somebody waiting
            passages = await built.find(query)
    except TimeoutError:
        raise UsageError(f"It gave no answer within {_LOOK_UP_S:g} s.") from None
    finally:
        await sources.aclose()
    return "ok", f"answers ({len(passages)} passages on water)"


async def _topics(checkup: Checkup, moment: datetime) -> tuple[Level, str]:
    """On how many topics each tier has passages on this machine."""
    built = Sources(
        checkup.env,
        clock=lambda: moment,
        language=checkup.language,
        data=cache_path(checkup.env).parent,
    )
    query = FactQuery("", "", Tier.COMMON, moment.date(), checkup.language, limit=1)
    async with aclosing(built) as sources:
        tiers = await coverage(sources, checkup.facts, query, checkup.topics)
    incomplete = any(tier.without for tier in tiers)
    return "warning" if incomplete else "ok", in_words(tiers)


def _folder(path: str) -> tuple[Level, str]:
    folder = Path(path).expanduser()
    if not folder.is_dir():
        kind = "is a file" if folder.exists() else "does not exist"
        raise UsageError(f"The folder {kind}: name a folder, as in folder:./notes.")
    try:
        census = walk(str(folder.resolve()))
    except OSError as error:
        raise UsageError(f"The folder cannot be read ({error.strerror}).") from error
    if not census.entries:
        raise UsageError("It holds no document: it takes Markdown, text, HTML and PDF.")
    return "ok", f"{len(census.entries)} documents; {len(census.skipped)} files are not read"
