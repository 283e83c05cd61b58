"""How the results of a method are told: the parts of its page, in the one order that all pages
have."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...state.result import RoleUsage
from ..step import roles_of
from . import figures
from .blocks import Block, Column, Line, Table, Text, bulleted
from .picture import Picture
from .remarks import DEVIATES, SIMULATED
from .sanitise import model_name

CASES = 3


@dataclass(frozen=True, slots=True)
class PageOptions:
    """What of a result is shown."""

    kept: Path | None = None
    """The run's folder."""
    cases: int = CASES
    """How many of what went worst are shown right below the headline."""

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
    compare: Callable[[Sequence[Any]], Iterator[Block]] | None = None
    """What several results amount to together."""
    pictures: Callable[[Sequence[Any]], Iterator[Picture]] | None = None


def page(view: View, result: Any, options: PageOptions) -> Iterator[Block]:
    """The whole result: headline, remarks, the worst cases, blocks, usage, notes, and where it is
    kept."""
    about, parts = view.title(result)
    badge = [Line(SIMULATED, "badge")] if result.simulated else []
    forced = [note for note in result.notes if note.startswith("Resumed by force")]
    yield Text(
        [
            Line(figures.joined([*parts]), lead=f"{about} · ", lead_style="bold"),
            *badge,
            *[Line(line, "error") for line in view.warnings(result)],
            Line(view.headline(result), "bold"),
            *view.remarks(result),
            *forced,
        ]
    )
    yield from view.cases(result, options)
    yield from view.blocks(result, options)
    yield from usage_blocks(result.usage, result.cost_usd)
    yield from bulleted("Notes", result.notes)
    yield from bulleted(DEVIATES, getattr(result, "conformance", ()))
    took = Line(f"took {figures.duration(result.wall_s)}", "dim")
    yield Text([took, *kept_at(options.kept)])


def kept_at(folder: Path | None) -> list[Line]:
    """Where the run is: a path that was cut cannot be copied."""
    return [Line(f"Results: {folder}", "dim", whole=True)] if folder else []


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
    """Calls, tokens and cost per role, and of all roles together; nothing without a call.
    `total_usd`: None when any price is unknown."""
    if not usage:
        return []
    sums = {name: sum(getattr(row, name) for row in usage.values()) for name in _SUMMED}
    rows = [{"role": role, "usage": row} for role, row in usage.items()]
    rows.append({"role": "all", "usage": RoleUsage(**sums, cost_usd=total_usd)})
    return [Table("Calls and cost", USAGE_COLUMNS, rows)]
