"""Which source serves which tier, from what the user wrote after `--facts` and what keys there are;
addresses and language codes, refused in one sentence before anything is asked."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import urlsplit

from ...state.errors import UsageError
from ...state.tiers import TIERS, Tier
from ..net import key_in

KEY, OPENALEX_KEY = "TAVILY_API_KEY", "OPENALEX_API_KEY"
KNOWN = (
    "wikipedia, mediawiki:URL, tavily, europepmc, openalex, folder:PATH, zim:FILE, sim"
    " (tavily, europepmc, openalex and sim take @URL)"
)
MISSING_KEY = f"Tavily needs {KEY}: set it in the environment or in .env, or name other sources with --facts."

_SPELLING = re.compile(
    r"wikipedia|(?:sim|tavily|europepmc|openalex)(?:@.*)?|(?:mediawiki|folder|zim)(?::.*)?"
)
LOCAL = frozenset({"folder", "zim"})
"""Sources that are files of this machine, named by their path."""
WIKIPEDIA_URL = "FATHOM_WIKIPEDIA_URL"
ADDRESSES = {
    "wikipedia": "https://{language}.wikipedia.org/w/api.php",
    "tavily": "https://api.tavily.com",
    "europepmc": "https://www.ebi.ac.uk/europepmc/webservices/rest",
    "openalex": "https://api.openalex.org",
}
"""Where a source is asked that is named without an address."""
_LOWER = (Tier.COMMON, Tier.TEXTBOOK)
_UPPER = (Tier.PROFESSIONAL, Tier.SPECIALIST, Tier.CUTTING_EDGE)
_LANGUAGE = re.compile(r"[a-z]{2,12}(?:-[a-z0-9]{1,12})*")
# a `+` or `,` inside an address is no separator
_NEXT_SOURCE = r"(?=\s*(?:[A-Za-z_]+\s*=|[A-Za-z]+\s*(?:[:@,+]|$)|[,+]|$))"
_QUOTED = r'(?<=:)"[^"]*"'


@dataclass(frozen=True, slots=True)
class FactPlan:
    """`facts` fits `DrillSpec.facts`: a tier without a source is absent. `notice` says before the
    run where it will end for want of a source; None when every tier has one."""

    facts: dict[Tier, tuple[str, ...]]
    notice: str | None = None


_DEFAULT: Mapping[str, tuple[Tier, ...]] = {
    "wikipedia": _LOWER,
    "mediawiki": _LOWER,
    "tavily": _UPPER,
    "europepmc": _UPPER,
    "openalex": _UPPER,
    "folder": TIERS,
    "zim": _LOWER,
    "sim": TIERS,
}
"""Tiers that a kind of source serves when named without one; it can serve no others, but for these:
"""
_ABLE = {**_DEFAULT, "tavily": TIERS}


def parse_facts(option: str | None, env: Mapping[str, str], *, simulated: bool) -> FactPlan:
    """The plan for `--facts`.

    `wikipedia,tavily`: each source serves the tiers it is made for.
    `COMMON=wikipedia,PROFESSIONAL=tavily+sim`: per tier, several joined by `+` and asked in that
    order; tiers not named keep their default. Both may be mixed. The default is wikipedia for
    COMMON and TEXTBOOK and, with a key, tavily above; `sim` everywhere when `simulated`. A path
    with a comma or a plus sign in it stands in double quotes: `folder:"a,b"`.

    Raises UsageError: unknown source or tier, malformed address, source without its key or with
    what cannot be one, or at a tier it cannot serve, no source for COMMON, or a source at a tier
    that lies beyond one without any.
    """
    plain: list[str] = []
    named: dict[Tier, list[str]] = {}
    for item in _split(option or "", ","):
        tier, sources = _read_item(item)
        if tier is None:
            plain += sources
        else:
            named.setdefault(tier, []).extend(sources)
    kinds = {kind_of(source) for sources in (plain, *named.values()) for source in sources}
    has_key = key_in(env, KEY) is not None
    if "tavily" in kinds and not has_key:
        raise UsageError(MISSING_KEY)
    if "openalex" in kinds:
        key_in(env, OPENALEX_KEY)
    if not plain and simulated:
        plain = ["sim"]
    elif not plain:
        plain = ["wikipedia", "tavily"] if has_key else ["wikipedia"]
    facts: dict[Tier, tuple[str, ...]] = {}
    for tier in TIERS:
        usual = [source for source in plain if tier in _DEFAULT[kind_of(source)]]
        if sources := named.get(tier, usual):
            facts[tier] = tuple(dict.fromkeys(sources))
    return FactPlan(facts, _notice(facts))


def anchored(plan: FactPlan, folder: Path) -> FactPlan:
    """The plan with the paths of folders and archives made absolute, `~` expanded: a run that is
    resumed from another working folder must find them. Raises UsageError for a path that leads
    nowhere, such as a loop of links."""
    facts = dict[Tier, tuple[str, ...]]()
    for tier, sources in plan.facts.items():
        facts[tier] = tuple(dict.fromkeys(_anchored(source, folder) for source in sources))
    return replace(plan, facts=facts)


def _anchored(source: str, folder: Path) -> str:
    kind = kind_of(source)
    if kind not in LOCAL:
        return source
    try:
        return f"{kind}:{(folder / Path(address_of(source) or '').expanduser()).resolve()}"
    except (OSError, RuntimeError, ValueError) as error:
        raise UsageError(f"The path in {source} cannot be found ({error}).") from None


def kind_of(source: str) -> str:
    """`wikipedia`, `folder`, …: what stands before the address. Raises UsageError when unknown."""
    kind = re.split(r"[:@]", source, maxsplit=1)[0]
    if kind not in _ABLE or not _SPELLING.fullmatch(source):
        raise UsageError(
            f"Unknown fact source {_without_secrets(source)!r}. Known are {KNOWN}."
        )
    return kind


def address_of(source: str) -> str | None:
    """The address in `mediawiki:URL` or `tavily@URL`, the path in `folder:PATH` or `zim:FILE`, else
    None.

    Raises UsageError when it is malformed or missing.
    """
    kind = kind_of(source)
    address = source[len(kind) + 1 :]
    if kind in LOCAL:
        if not address.strip():
            raise UsageError(f"{kind} needs a path: write {kind}:PATH.")
        return address.strip()
    if kind != "mediawiki" and "@" not in source:
        return None
    what = f"The address in {_without_secrets(source)}"
    return check_address(address, what, needs_path=kind == "mediawiki")


def source_url(source: str, env: Mapping[str, str]) -> str | None:
    """The address a source is asked at, of `wikipedia` with {language} in it; None for files of
    this machine and the world a run starts for itself. Raises UsageError for an unknown or
    malformed source."""
    kind, address = kind_of(source), address_of(source)
    if kind in LOCAL or source == "sim":
        return None
    chosen = env.get(WIKIPEDIA_URL, "").strip() if kind == "wikipedia" else ""
    return address or chosen or ADDRESSES[kind]


def _split(text: str, separator: str) -> list[str]:
    parts, start = [], 0
    for mark in re.finditer(f"{_QUOTED}|{re.escape(separator)}{_NEXT_SOURCE}", text):
        if mark[0] == separator:
            parts.append(text[start : mark.start()].strip())
            start = mark.end()
    parts.append(text[start:].strip())
    if len(parts) > 1 and not all(parts):
        raise UsageError(
            f"--facts {_without_secrets(text)!r} has an empty place: write sources as in "
            'wikipedia,tavily, and paths with a comma or plus sign in them as in folder:"a,b".'
        )
    return [part for part in parts if part]


def _read_item(item: str) -> tuple[Tier | None, list[str]]:
    before, equals, after = item.partition("=")
    if not equals or not re.fullmatch(r"\s*\w+\s*", before):
        sources = _split(item, "+")
        return None, [_checked(source) for source in sources]
    try:
        tier = Tier(before.strip().upper())
    except ValueError:
        raise UsageError(
            f"Unknown tier {before.strip()!r} in --facts. Known are {', '.join(TIERS)}."
        ) from None
    sources = [_checked(source) for source in _split(after, "+")]
    if not sources:
        raise UsageError(
            f"--facts names no source for {tier}: write {tier}=wikipedia, for example."
        )
    for source in sources:
        able = _ABLE[kind_of(source)]
        if tier not in able:
            raise UsageError(
                f"{_without_secrets(source)} cannot serve {tier}, only {' and '.join(able)}."
            )
    return tier, sources


def _checked(source: str) -> str:
    """The source as a spec names it: without the quotes around its path. Raises UsageError."""
    kind, colon, path = source.partition(":")
    if kind in LOCAL and path.startswith('"'):
        if len(path) < 2 or not path.endswith('"'):
            raise UsageError(
                f'The quotation marks in {source} do not match: write {kind}:"PATH".'
            )
        source = f"{kind}{colon}{path[1:-1]}"
    address_of(source)
    return source


def _without_secrets(source: str) -> str:
    """A source for a message: what stands before an @ in an address may be a password, and what
    stands behind a ? or # a key; neither is repeated."""
    if source.partition(":")[0] in LOCAL:
        return source
    return re.sub(r"(?<=[?#]).+", "…", re.sub(r"(?<=[:@]).*@", "…@", source), flags=re.DOTALL)


def _notice(facts: Mapping[Tier, tuple[str, ...]]) -> str | None:
    missing = next((tier for tier in TIERS if tier not in facts), None)
    if missing is None:
        return None
    if missing is Tier.COMMON:
        raise UsageError(
            "No fact source serves COMMON, where a drill begins: add one, as in COMMON=wikipedia."
        )
    beyond = [tier for tier in TIERS[TIERS.index(missing) :] if tier in facts]
    if beyond:
        raise UsageError(
            f"No fact source serves {missing}, so the source for {beyond[0]} would never be asked: "
            f"name one for {missing} too."
        )
    served = TIERS[: TIERS.index(missing)]
    return (
        f"Fact sources serve {', '.join(served)}; no source serves {missing}, so a run ends after "
        f"{served[-1]} "
        f"with that reason. Set {KEY} for web search, or name a source with --facts {missing}=…"
    )


def check_language(code: str) -> str:
    """The code, when it can be part of a wiki's host name: `en`, `zh-yue`, `simple`. Raises
    UsageError otherwise."""
    if not _LANGUAGE.fullmatch(code):
        raise UsageError(
            f"{code!r} is not a language code: use one such as en, de or simple, in small letters."
        )
    return code


def check_address(address: str, what: str, *, needs_path: bool = False) -> str:
    """The address, when it is http or https with a host, without a password and without a query,
    both of which would be kept with every result. Raises UsageError otherwise.

    `what` names it in the message: "the address in mediawiki:…". With `needs_path` a bare host is
    refused too.
    """
    # what stands before an @ may be a password, behind a ? a key: neither they nor a parser's words
    # are repeated
    named = what if re.search("[@?#]", address) else f"{what}, {address!r},"
    try:
        parts = urlsplit(address)
        is_whole = parts.scheme in ("http", "https") and bool(parts.hostname)
        is_whole = is_whole and not re.search(r"\s", address) and parts.port != 0
    except ValueError:  # a port that is none
        is_whole = False
    if not is_whole:
        raise UsageError(f"{named} is malformed: write it as https://host/path.")
    for is_private, secret in (
        ("@" in parts.netloc, "holds a user name or password"),
        ("?" in address or "#" in address, "has a query or a fragment"),
    ):
        if is_private:
            raise UsageError(
                f"{what} {secret}, which would be kept with every result: leave it out."
            )
    if needs_path and not parts.path.strip("/"):
        raise UsageError(
            f"{named} lacks a path: a wiki answers at its api.php, as in {address}/w/api.php."
        )
    return address


WIKIMEDIA_AT_ONCE = 3
"""Requests at a time that Wikimedia permits a client (mediawiki.org: Wikimedia APIs/Rate limits,
2026)."""
_WIKIMEDIA = re.compile(
    r"(?:.+\.)?(?:wik(?:ipedia|imedia|tionary|ibooks|inews|iquote|isource|iversity|ivoyage|idata)|mediawiki)\.org"
)


def at_once(address: str, most: int) -> int:
    """Requests at a time towards the wiki at an address: `most`, or fewer where its keeper permits
    fewer."""
    host = urlsplit(address.replace("{language}", "en")).hostname or ""
    return min(most, WIKIMEDIA_AT_ONCE) if _WIKIMEDIA.fullmatch(host) else most
