"""Small parts that the summaries of several methods share."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from rich.console import RenderableType
from rich.text import Text

from ...state.result import RoleUsage
from . import figures
from .sanitise import one_line


class Found(Protocol):
    """What the results of all methods have in common here."""

    @property
    def run_id(self) -> str: ...
    @property
    def conformance(self) -> Sequence[str]: ...
    @property
    def usage(self) -> Mapping[str, RoleUsage]: ...
    @property
    def cost_usd(self) -> float | None: ...


def sentence(text: str) -> str:
    """The text with a capital at its start and a full stop at its end."""
    return text[:1].upper() + text[1:] + ("" if text.endswith((".", "!", "?")) else ".")


def listed(title: str, items: Sequence[str]) -> list[RenderableType]:
    """A heading and the items under it, a line each; nothing without any. The items may be foreign text."""
    if not items:
        return []
    return ["", Text(title, "bold"), *(Text("· " + one_line(item)) for item in items)]


def kept_in(folder: Path | None) -> list[RenderableType]:
    """Where the run is. Never folded, and to be printed with crop=False: a path that was cut cannot be copied."""
    return [Text(f"Results: {one_line(str(folder))}", "dim", no_wrap=True, overflow="ignore")] if folder else []


DEVIATES = "Where this run deviates from the published method"


def deviations_part(result: Found, kept: Path | None, *, in_full: bool) -> list[RenderableType]:
    """The deviations from the published method, or how many there are and where they are listed; nothing without
    any. `kept`: the run's folder."""
    if in_full or not result.conformance:
        return listed(DEVIATES, result.conformance)
    where = f"`fathom show {figures.short_id(result.run_id)}` lists them" if kept else "the result lists them"
    number = figures.count(len(result.conformance), "deviation")
    return ["", Text(f"{number} from the published method: {one_line(where)}")]


def cache_words(usage: Sequence[RoleUsage]) -> str:
    """`46 of 46 calls served from the cache: 12,000 tokens, USD 0.03 not paid again`; empty without any. It says so
    when their price is unknown."""
    cached, calls = sum(u.cached for u in usage), sum(u.calls for u in usage)
    tokens = sum(u.cached_input_tokens + u.cached_output_tokens for u in usage)
    saved = None if any(u.saved_usd is None for u in usage) else sum(u.saved_usd or 0.0 for u in usage)
    what = f"{cached:,} of {figures.count(calls, 'call')} served from the cache: {tokens:,} tokens"
    if saved is None:
        return f"{what} not paid again, their price is unknown" if cached else ""
    return f"{what}, {figures.money(saved)} not paid again" if cached else ""


ACROSS_DOMAINS = (
    "EVD compares models within a domain; it does not compare domains with each other, "
    "because each domain has its own sources and its own questions."
)
IN_FULL = 3
"""Runs up to which each is shown in full at the end of a launch; beyond, each gets its headline and the table."""
SIMULATED = "SIMULATED: these numbers come from the simulated world and measure no real model."


def left_out(names: Sequence[str], shown: int = 3) -> str:
    """`A, B, C and 9 more`."""
    more = f" and {len(names) - shown:,} more" if len(names) > shown else ""
    return ", ".join(one_line(name) for name in names[:shown]) + more
