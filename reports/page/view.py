"""How the results of a method are told: the parts of its page, in the one order that all pages
have."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path
from typing import Any

from ...state.result import RoleUsage
from ..step import roles_of
from . import figures
from .blocks import Block, Column, Line, Table, Text, bulleted
from .picture import Picture
from .remarks import DEVIATES, IN_FULL, SIMULATED
from .sanitise import model_name

CASES = 3


@dataclass(frozen=True, slots=True)
class PageOptions:
    """What of a result is shown."""

    kept: Path | None = None
    """The run's folder."""
    _: KW_ONLY
    cases: int = CASES
    """How many of what went worst are shown right below the headline."""
    in_full: bool = True
    """Whether every deviation from the published method is listed; otherwise they are counted."""
    headline_again: bool = False
    """Whether the headline stands at the end once more: for a terminal, where what came first has
    scrolled away."""

    def command(self, result: Any, rest: str, purpose: str) -> list[Block]:
        """A command that shows more of the run; nothing of one that is not kept."""
        run = figures.short_id(result.run_id)
        if not self.kept:
            return []
        return [Text([f"`fathom show {run} {rest}` {purpose}"], style="dim")]


def nothing(*_: Any) -> Iterator[Block]:
    """A part that a page does not have."""
    return iter(())


@dataclass(frozen=True, slots=True)
class View:
    """How a method's results are told. All but the headline may be left out."""

    headline: Callable[[Any], str]
    title: Callable[[Any], tuple[str, Sequence[str]]] = lambda result: (
        result.spec.domain,
        [
            model_name(result.spec.target),
            *roles_of(result.spec),
            f"seed {result.spec.seed}",
        ],
    )
    """What a run is about, and who takes part."""
    warnings: Callable[[Any], list[str]] = lambda _: []
    """What stands before the headline because that means little without it."""
    remarks: Callable[[Any], list[str]] = lambda _: []
    """What must stand beside the headline so that it is not misread."""
    cases: Callable[[Any, PageOptions], Iterator[Block]] = nothing
    """The worst three."""
    blocks: Callable[[Any, PageOptions], Iterator[Block]] = nothing
    compare: Callable[[Sequence[Any], Any], Iterator[Block]] | None = None
    """Several results, and what the statistics make of them together, where they do."""
    alone: bool = True
    """Whether each of several results has a page of its own besides."""
    pictures: Callable[[Sequence[Any], Any], Iterator[Picture]] | None = None


def brief(view: View, result: Any, how: PageOptions) -> list[Block]:
    """The headline and what must stand beside it; `fathom show` has the rest."""
    return [Text([*_head(view, result), *kept_at(how.kept)])]


def page(view: View, result: Any, how: PageOptions) -> Iterator[Block]:
    """The whole result: headline, remarks, the worst cases, blocks, usage, notes, and where it is
    kept."""
    head = _head(view, result)
    yield Text(head)
    yield from view.cases(result, how)
    yield from view.blocks(result, how)
    yield from usage_blocks(result.usage, result.cost_usd)
    yield from bulleted("Notes", result.notes)
    yield from _deviations(result, how)
    yield Text([Line(f"took {figures.duration(result.wall_s)}", "dim"), *kept_at(how.kept)])
    if how.headline_again:
        yield Text(_head(view, result, warned_last=True))


def _head(view: View, result: Any, *, warned_last: bool = False) -> list[Line]:
    about, parts = view.title(result)
    warnings = [Line(line, "error") for line in view.warnings(result)]
    return [
        Line(figures.joined([*parts]), lead=f"{about} · ", lead_style="bold"),
        *([Line(SIMULATED, "badge")] if result.simulated else []),
        *([] if warned_last else warnings),
        Line(view.headline(result), "bold"),
        *map(Line, view.remarks(result)),
        *(Line(note) for note in result.notes if note.startswith("Resumed by force")),
        *(warnings if warned_last else []),
    ]


def kept_at(folder: Path | None) -> list[Line]:
    """Where the run is: a path that was cut cannot be copied."""
    return [Line(f"Results: {folder}", "dim", whole=True)] if folder else []


def _deviations(result: Any, how: PageOptions) -> list[Block]:
    listed: Sequence[str] = getattr(result, "conformance", ())
    if how.in_full or not listed:
        return bulleted(DEVIATES, listed)
    where = (
        f"`fathom show {figures.short_id(result.run_id)}` lists them"
        if how.kept
        else "the result lists them"
    )
    return [Text([f"{figures.count(len(listed), 'deviation')} from the published method: {where}"])]


def launch(
    view: View,
    results: Sequence[Any],
    how: Callable[[Any], PageOptions],
    together: Any,
    *,
    each: bool,
) -> Iterator[Iterable[Block]]:
    """The end of a launch, in pieces: where `each` is told of, its page, or its headline when there
    are more than `IN_FULL`; last what they amount to together."""
    compared = view.compare is not None and (len(results) > 1 or together is not None)
    for result in results if each and (view.alone or not compared) else ():
        options = replace(
            how(result),
            headline_again=how(result).headline_again and len(results) == 1 and not compared,
        )
        yield (
            brief(view, result, options) if len(results) > IN_FULL else page(view, result, options)
        )
    if view.compare is not None and compared:
        yield view.compare(results, together)


USAGE_COLUMNS = (
    Column("role", "role"),
    Column("calls", "usage.calls", "count"),
    Column("cached", "usage.cached", "count"),
    Column("failed", "usage.failed", "count"),
    Column("attempts", "usage.attempts", "count"),
    Column("tokens in", "usage.input_tokens", "count"),
    Column("tokens out", "usage.output_tokens", "count"),
    Column("cost", "usage.cost_usd", "money"),
)
_SUMMED = ("calls", "cached", "failed", "attempts", "input_tokens", "output_tokens")


def usage_blocks(usage: Mapping[str, RoleUsage], total_usd: float | None) -> list[Block]:
    """Calls, tokens and cost per role, and of all roles together, with what the cache has served;
    nothing without a call. `total_usd`: None when any price is unknown."""
    if not usage:
        return []
    sums = {name: sum(getattr(row, name) for row in usage.values()) for name in _SUMMED}
    rows = [{"role": role, "usage": row} for role, row in usage.items()]
    rows.append({"role": "all", "usage": RoleUsage(**sums, cost_usd=total_usd)})
    served = cache_words(list(usage.values()))
    return [Table("Calls and cost", USAGE_COLUMNS, rows, said=[served] if served else [])]


def cache_words(usage: Sequence[RoleUsage]) -> str:
    """`46 of 46 calls served from the cache: 12,000 tokens, USD 0.03 not paid again`; empty without
    any. It says so when their price is unknown."""
    cached, calls = sum(u.cached for u in usage), sum(u.calls for u in usage)
    if not cached:
        return ""
    tokens = sum(u.cached_input_tokens + u.cached_output_tokens for u in usage)
    saved = [u.saved_usd for u in usage if u.saved_usd is not None]
    words = f"{cached:,} of {figures.count(calls, 'call')} served from the cache: {tokens:,} tokens"
    if len(saved) < len(usage):
        return f"{words} not paid again, their price is unknown"
    return f"{words}, {figures.money(sum(saved))} not paid again"
