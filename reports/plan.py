"""A plan as a reader sees it: calls, tokens and money per role, time, where the figures come from, what they settle."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from ..graphs.estimate import Plan, RolePlan
from ..graphs.spread import Spread
from ..state.spec import DrillSpec
from ..stats.power import MOST_REPEATS, Separation
from . import figures
from .rows import STYLES
from .sanitise import one_line
from .tables import Column, table_of

SIMULATED = "SIMULATED: these figures are those of the simulated world, of no real model."
NOTHING_ASKED = "A plan: nobody was asked anything."
_THOUSAND = 10_000
"""From here on tokens are shown in thousands."""


def whole(number: float) -> str:
    """A count or an amount of tokens: `482`, `12,000`, `1.3 M`; two or three digits count in an estimate."""
    if number < _THOUSAND:
        return f"{number:,.0f}"
    if number < 1e6:
        return f"{round(number, -3):,.0f}"
    return f"{number / 1e6:,.1f} M"


def with_range(value: Spread, shown: "Sequence[str]") -> str:
    """`482 (466–573)`, or the value alone when its ends look the same. `shown`: the three as they are written."""
    low, mid, high = shown
    return mid if low == high else f"{mid} ({low}–{high.removeprefix('USD ')})" if value.high else mid


def _counted(value: Spread) -> str:
    return with_range(value, [whole(v) for v in value])


def _money(value: Spread | None) -> str:
    if value is None:
        return figures.UNKNOWN
    low, mid, high = (figures.money(v) for v in value)
    return with_range(value, [low.removeprefix("USD "), mid, high])


def _time(value: Spread) -> str:
    return with_range(value, [figures.duration(v) for v in value])


def _role(row: RolePlan) -> str:
    return row.role


ROLE_COLUMNS: tuple[Column[tuple[str, str, Spread, Spread, Spread, Spread | None]], ...] = (
    Column("role", lambda r: r[0], text=True, fixed=True),
    Column("model", lambda r: one_line(r[1]), text=True),
    Column("calls", lambda r: _counted(r[2])),
    Column("tokens in", lambda r: _counted(r[3]), since=100),
    Column("tokens in", lambda r: whole(r[3].mid), since=60, until=100),
    Column("tokens out", lambda r: _counted(r[4]), since=100),
    Column("tokens out", lambda r: whole(r[4].mid), since=60, until=100),
    Column("cost", lambda r: _money(r[5])),
)


def plan_report(
    specs: Sequence[DrillSpec], plan: Plan, *, width: int, budget_usd: float | None = None, max_calls: int | None = None
) -> RenderableType:
    """The plan of these drills, and whether a budget would do."""
    rows = [(r.role, r.model, r.calls, r.input_tokens, r.output_tokens, r.usd) for r in plan.roles]
    rows.append(("all", "", plan.calls, plan.input_tokens, plan.output_tokens, plan.usd))
    parts: list[RenderableType] = [Text(heading(specs), "bold"), Text(NOTHING_ASKED, "dim")]
    if plan.simulated:
        parts.append(Text(SIMULATED, STYLES["badge"]))
    parts += ["", table_of(ROLE_COLUMNS, rows, width=width, title="Expected, with the range"), ""]
    parts += [Text(line) for line in (depth_words(specs, plan), f"Time: about {_time(plan.wall_s)}.")]
    warnings = [*price_words(plan), *budget_words(plan, budget_usd, max_calls)]
    parts += [Text(one_line(line), STYLES["warning"]) for line in warnings]
    parts += ["", *(Text(line) for line in separation_words(specs, plan)), Text(basis_words(plan), "dim")]
    return Group(*parts)


def heading(specs: Sequence[DrillSpec]) -> str:
    """`Plan of 4 drills: Chemical elements, Noble gases · sim:expert, sim:student · n 10 · 2 repeats`."""
    domains = one_line(", ".join(dict.fromkeys(spec.domain for spec in specs)))
    targets = one_line(", ".join(dict.fromkeys(spec.target for spec in specs)))
    repeats = figures.count(specs[0].repeats, "repeat") if specs[0].repeats > 1 else ""
    drills = figures.count(len(specs), "drill")
    return f"Plan of {drills}: {figures.joined([domains, targets, f'n {specs[0].n}', repeats])}"


def depth_words(specs: Sequence[DrillSpec], plan: Plan) -> str:
    """How deep the drills go; most of a range of costs is not knowing that."""
    low, mid, high = plan.depths
    if low == high:
        return f"Depth: {low:g} per drill."
    return f"Depth: about {mid:.1f} per drill ({low:g}–{high:g}; most of the range above comes from not knowing this)."


def price_words(plan: Plan) -> list[str]:
    """What is missing where prices are unknown."""
    if not plan.unknown:
        return []
    names, first = ", ".join(plan.unknown), plan.unknown[0]
    rest = f" The other models: {_money(plan.known_usd)}." if len(plan.unknown) < len(plan.roles) else ""
    return [
        f"The price of {names} is unknown, so the cost is unknown and --budget would be refused; give it with "
        f"--price {first}=IN/OUT (USD per million tokens), or limit calls with --max-calls.{rest}"
    ]


def budget_words(plan: Plan, budget_usd: float | None, max_calls: int | None) -> list[str]:
    """Whether a budget, in money or in calls, is likely to end the drills early."""
    said = []
    if budget_usd is not None and plan.usd is not None:
        said += _limit_words(f"--budget {budget_usd:g}", budget_usd, plan.usd)
    if max_calls is not None:
        said += _limit_words(f"--max-calls {max_calls}", max_calls, plan.calls)
    return said


def _limit_words(option: str, limit: float, need: Spread) -> list[str]:
    if limit < need.mid:
        return [f"{option} will probably end the drills early: it covers {figures.percent(limit / need.mid)} of it."]
    if limit < need.high:
        return [f"{option} covers what is expected, but not the upper end of the range."]
    return []


def separation_words(specs: Sequence[DrillSpec], plan: Plan) -> list[str]:
    """What the drills can tell apart, and what it would take; bad news first."""
    made = plan.separation
    if made is None:
        return ["What could be told apart is unknown: at this accuracy EVD would not scatter."]
    each = figures.count(made.repeats, "drill")
    span = max(float(spec.max_depth) for spec in specs)
    if made.smallest > span:
        first = f"With {each} per model no difference in EVD that can occur here is found reliably."
    else:
        first = f"With {each} per model, differences in EVD below {made.smallest:.1f} will mostly be missed."
    chance = figures.percent(made.power[1.0])
    return [f"{first} Two models 1.0 apart are told apart with a chance of {chance}.", _needed_words(made)]


def _needed_words(made: Separation) -> str:
    needs = []
    for difference, repeats in made.needed.items():
        often = f"over {MOST_REPEATS}" if repeats is None else f"{repeats}"
        needs.append(f"{often} for {difference:g}")
    return f"For a chance of 80 %, --repeats would have to be {', '.join(needs)}; EVD of one drill scatters by {made.sd:.2f}."


def basis_words(plan: Plan) -> str:
    """Where the figures come from."""
    if plan.past_runs:
        runs = figures.count(plan.past_runs, "past run")
        basis = f"From {runs} with {' or '.join(plan.match)}."
    else:
        basis = "From general defaults: there is no past run to learn from, so the ranges are wide."
    spread = "past runs" if plan.sd_from == "past runs" else "an assumed accuracy of 85 % per depth"
    lost = f" {figures.count(plan.unreadable, 'past run')} could not be read." if plan.unreadable else ""
    return (
        f"{basis} Scatter of EVD from {spread}.{lost} Replies that the cache already holds cost nothing and are not "
        "taken off; searches that a fact source bills are not included."
    )
