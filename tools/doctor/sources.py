"""Fact sources: whether they answer, what is in those of this machine, and what they are told."""

import asyncio
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from ...state.errors import SourceFailed, UsageError
from ...state.tiers import Tier
from ..facts.base import Encyclopedia, FactQuery, FactSource
from ..facts.library.walk import walk
from ..facts.plan import LOCAL, address_of, kind_of, source_url
from ..facts.registry import Sources
from ..net import is_loopback
from ..offline import check_source, host_of
from .finding import Finding
from .reach import REACH_S, reach

LOOK_UP_S = 8.0
_WELL_KNOWN = "Water"
_FREE = frozenset({"wikipedia", "mediawiki", "sim"})
"""Kinds of source that may be asked for a page without being paid for it."""


def told(source: str, env: Mapping[str, str], language: str) -> Finding:
    """What a source is asked in a run, and whether that leaves this machine."""
    url = source_url(source, env)
    if url is None or is_loopback(url.replace("{language}", language)):
        return Finding(
            "leaves", f"source {source}", "ok", "names of concepts: to this machine only"
        )
    host = host_of(url.replace("{language}", language))
    return Finding(
        "leaves", f"source {source}", "ok", f"names of concepts, with the domain → {host}"
    )


async def examine(
    source: str,
    env: Mapping[str, str],
    now: datetime,
    *,
    language: str,
    offline: bool,
    search: bool = False,
    limit_s: float = LOOK_UP_S,
) -> Finding:
    """Whether a source can be asked. An encyclopedia is asked for one well-known page; what may
    cost something per search is only reached for, unless `search` is wanted; a folder's files are
    counted, an archive is opened."""
    try:
        if offline:
            check_source(source, env)
        if source == "sim":
            return Finding(
                "sources", source, "ok", "of the simulated world, which every run starts for itself"
            )
        if kind_of(source) == "folder":
            return await asyncio.to_thread(_folder, source)
        return await _through_itself(source, env, now, language, limit_s, search=search)
    except UsageError as error:
        return Finding("sources", source, "failure", str(error))


async def _through_itself(
    source: str,
    env: Mapping[str, str],
    now: datetime,
    language: str,
    limit_s: float,
    *,
    search: bool,
) -> Finding:
    sources = Sources(env, clock=lambda: now, language=language, time_limit_s=limit_s)
    try:
        (opened,) = sources.for_tier([source])
        if kind_of(source) in LOCAL:
            return await _archive(source, opened)
        if kind_of(source) in _FREE and isinstance(opened, Encyclopedia):
            return await _page(source, opened, language, limit_s)
        reached = await _reached(source, env)
        if search and reached.level == "ok" and kind_of(source) == "tavily":
            return await _search(source, opened, now, limit_s)
        return reached
    finally:
        await sources.aclose()


async def _page(source: str, opened: Encyclopedia, language: str, limit_s: float) -> Finding:
    try:
        async with asyncio.timeout(limit_s):  # its own retries would keep somebody waiting
            known = await opened.has_page(_WELL_KNOWN, language)
    except TimeoutError:
        return Finding("sources", source, "failure", f"gave no page within {limit_s:g} s", _ADVICE)
    except SourceFailed as error:
        return Finding("sources", source, "failure", str(error), _ADVICE)
    said = "answers and has the page" if known else "answers; it has no page"
    return Finding("sources", source, "ok", f"{said} {_WELL_KNOWN!r}")


async def _search(source: str, opened: FactSource, now: datetime, limit_s: float) -> Finding:
    """One search, which the key pays for: only so is it known whether it is accepted."""
    query = FactQuery(_WELL_KNOWN, "Chemistry", Tier.PROFESSIONAL, now.date())
    try:
        async with asyncio.timeout(limit_s):
            passages = await opened.find(query)
    except TimeoutError:
        return Finding(
            "sources", source, "failure", f"gave no results within {limit_s:g} s", _ADVICE
        )
    except SourceFailed as error:
        return Finding("sources", source, "failure", str(error))
    return Finding(
        "sources", source, "ok", f"accepts the key and answers a search ({len(passages)} passages)"
    )


async def _reached(source: str, env: Mapping[str, str]) -> Finding:
    url = source_url(source, env)
    assert url is not None  # what has no address was dealt with
    answer = await reach(url, limit_s=REACH_S)
    if answer.trouble is not None:
        return Finding(
            "sources",
            source,
            "failure",
            f"{host_of(url)} cannot be reached: {answer.trouble}",
            _ADVICE,
        )
    said = f"{host_of(url)} can be reached; nothing was searched for"
    return Finding(
        "sources",
        source,
        "ok" if answer.status < 500 else "warning",
        f"{said} (HTTP {answer.status})",
    )


async def _archive(source: str, opened: FactSource) -> Finding:
    from ..facts.zim import ZimSource

    assert isinstance(opened, ZimSource)
    await opened.prepare()
    searched = (
        "its text can be searched"
        if await opened.full_text()
        else "only its titles can be searched"
    )
    return Finding("sources", source, "ok", f"{await opened.articles()} articles; {searched}")


def _folder(source: str) -> Finding:
    folder = Path(address_of(source) or "").expanduser()
    if not folder.is_dir():
        kind = "is a file" if folder.exists() else "does not exist"
        return Finding(
            "sources",
            source,
            "failure",
            f"the folder {kind}",
            "name a folder, as in folder:./notes",
        )
    try:
        census = walk(str(folder.resolve()))
    except OSError as error:
        return Finding(
            "sources", source, "failure", f"the folder cannot be read ({error.strerror})"
        )
    if not census.entries:
        return Finding(
            "sources",
            source,
            "failure",
            "it holds no document",
            "it takes Markdown, text, HTML and PDF",
        )
    others = f"; {len(census.skipped)} other files are not read" if census.skipped else ""
    return Finding("sources", source, "ok", f"{len(census.entries)} documents{others}")


_ADVICE = "check the address and your network, or name other sources with --facts"
