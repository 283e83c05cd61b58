"""`fathom plan`: what a launch would ask, cost and take. Nobody is asked anything."""

import asyncio
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...graphs.method import METHODS
from ..declare import Command, Given
from ..help import Entry, Group, PanelGroup

if TYPE_CHECKING:
    from ...graphs.run.plan import Plan
    from ...tools.facts.coverage import Coverage
    from ..request import Request


@dataclass(frozen=True, slots=True)
class Planned:
    """The command that plans a method; it takes the same options."""

    method: str
    words: str = ""
    """Its command, where that is not called like it."""

    @property
    def help(self) -> str:
        """Its first line is of the group's help."""
        words = self.words or self.method.replace("_", " ")
        return f"Plan what `fathom {words}` would take, by its options."

    def build(self, name: str) -> Any:
        """The command."""
        table = METHODS[self.method].command
        return Command(self._print, self.help, table.options).build(name)

    def _print(self, values: Given) -> None:
        from ..request import requested

        table = METHODS[self.method].command
        request = requested(table, values)
        request.tell()
        print_plan(request)


STUDY = "study"


class PlanGroup(PanelGroup):
    """What is no method's name is a study file."""

    def resolve_command(
        self,
        ctx: Any,
        args: list[str],
    ) -> Any:
        named = args[0]
        if named not in self.entries and (
            named == "-" or Path(named).suffix or Path(named).is_file()
        ):
            args = [STUDY, *args]
        return super().resolve_command(ctx, args)


PLAN = Group(
    (
        "Estimate calls, cost and time of a launch, and which differences it could detect. Calls "
        "no model."
    ),
    {
        "drill": Planned("drill"),
        "eqt": Planned("eqt"),
        "depthqa": Group(
            "Estimate what building or asking a question graph would take. Calls no model.",
            {"build": Planned("depthqa_build"), "ask": Planned("depthqa")},
        ),
        "deepquestion": Planned("deepquestion"),
        "ask": Planned("ask"),
        "replay": Planned("replay"),
        "judge": Planned("rejudge", "judge"),
        STUDY: Entry(
            ".study.command:PLAN_STUDY",
            "Plan what a study file describes (also: fathom plan FILE).",
        ),
    },
    PlanGroup,
)


def print_plan(request: "Request") -> None:
    """Print the plan of a checked request to stdout, as a report or as JSON; past runs sharpen
    it."""
    from ...tools.facts.coverage import covered
    from ..streams import print_blocks, print_json
    from .document import document_of

    plan, tiers = plan_request(request), _cover(request)
    if request.as_json:
        print_json(document_of(plan, tiers))
        return
    from ...reports.page.plan import plan_blocks

    usd, calls = request.options.budget_usd, request.options.max_calls
    print_blocks(plan_blocks(plan, covered(tiers), budget_usd=usd, max_calls=calls))


def _cover(request: "Request") -> "list[Coverage]":
    """On how many of a drill's topics the sources on this machine have passages."""
    spec: Any = request.specs[0]
    if not (getattr(spec, "facts", None) and getattr(spec, "topics", None)):
        return []
    from ...tools.facts.coverage import cover
    from ...tools.facts.registry import Sources

    options = request.options

    async def look() -> "list[Coverage]":
        opened_sources = Sources(
            options.env, clock=options.clock.now, language=spec.language, data=options.data
        )
        async with aclosing(opened_sources) as sources:
            return await cover(sources, spec)

    return asyncio.run(look())


def plan_request(request: "Request") -> "Plan":
    """What it would ask, cost and take."""
    from ...graphs.run.past import read_past
    from ...graphs.run.plan import plan_of
    from ...tools.models.pricing import PriceList

    options, specs = request.options, request.specs
    models = [model for spec in specs for model in spec.asked]
    return plan_of(
        METHODS[specs[0].method].calls,
        specs,
        PriceList.parse(options.prices, options.env),
        read_past(options.runs, models),
        material=request.planned.material,
        limits=options.limits,
        timing=options.timing,
    )
