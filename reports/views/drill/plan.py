"""A plan as a reader sees it: calls, tokens and money per role, time, where the figures come from, what they settle."""

from collections.abc import Sequence
from typing import NamedTuple

from rich.console import Group, RenderableType
from rich.text import Text

from ....graphs.drill.estimate import Plan
from ....graphs.run.spread import Spread
from ....state.spec import DrillSpec
from ....state.worlds import label_of
from ....stats.drill.power import MOST_REPEATS, Separation
from ...page import figures
from ...page.rows import STYLES
from ...page.sanitise import model_name, one_line
from ...page.tables import Column, table_of

SIMULATED = "SIMULATED: these drills would measure no real model."


class _Row(NamedTuple):
    role: str
    model: str
    calls: Spread
    input_tokens: Spread
    output_tokens: Spread
    usd: Spread | None


NOTHING_ASKED = "Estimate only; no model was called."
_ROOMY = 110
"""Width from which every figure has its range in the table."""


def tokens(number: float) -> str:
    """An amount of tokens in two or three digits, more would say too much: `640`, `53 k`, `1.3 M`."""
    if number < 999.5:
        return f"{number:.0f}"
    if number < 999_500:
        return f"{number / 1e3:.3g} k"
    return f"{number / 1e6:,.1f} M"


def with_range(low: str, mid: str, high: str) -> str:
    """`482 (466–573)`, or the value alone when the ends look like it."""
    return mid if low == mid == high else f"{mid} ({low}–{high})"


def _calls(value: Spread) -> str:
    return with_range(*(f"{number:,.0f}" for number in value))


def _tokens(value: Spread) -> str:
    return with_range(*(tokens(number) for number in value))


def _money(value: Spread | None) -> str:
    if value is None:
        return figures.UNKNOWN
    low, mid, high = (figures.money(usd) for usd in value)
    return mid if low == mid == high else f"{mid} ({low.removeprefix('USD ')}–{high.removeprefix('USD ')})"


def _time(value: Spread) -> str:
    return with_range(*(figures.duration(seconds) for seconds in value))


ROLE_COLUMNS: tuple[Column[_Row], ...] = (
    Column("role", lambda r: r.role, text=True, fixed=True),
    Column("model", lambda r: model_name(r.model), text=True),
    Column("calls", lambda r: _calls(r.calls), since=_ROOMY),
    Column("calls", lambda r: f"{r.calls.mid:,.0f}", until=_ROOMY),
    Column("tokens in", lambda r: _tokens(r.input_tokens), since=_ROOMY),
    Column("tokens in", lambda r: tokens(r.input_tokens.mid), until=_ROOMY),
    Column("tokens out", lambda r: _tokens(r.output_tokens), since=_ROOMY),
    Column("tokens out", lambda r: tokens(r.output_tokens.mid), until=_ROOMY),
    Column("cost", lambda r: _money(r.usd), since=_ROOMY),
    Column("cost", lambda r: figures.money(r.usd and r.usd.mid), until=_ROOMY),
)


def plan_report(
    specs: Sequence[DrillSpec], plan: Plan, *, width: int, budget_usd: float | None = None, max_calls: int | None = None
) -> RenderableType:
    """The plan of these drills, and whether a budget would do."""
    rows = [_Row(r.role, r.model, r.calls, r.input_tokens, r.output_tokens, r.usd) for r in plan.roles]
    rows.append(_Row("all", "", plan.calls, plan.input_tokens, plan.output_tokens, plan.usd))
    parts: list[RenderableType] = [Text(heading(specs), "bold"), Text(NOTHING_ASKED, "dim")]
    if plan.simulated:
        parts.append(Text(SIMULATED, STYLES["badge"]))
    parts += ["", table_of(ROLE_COLUMNS, rows, width=width, title="Expected"), ""]
    parts += [
        Text(f"Calls: {_calls(plan.calls)}. Cost: {_money(plan.usd)}. Time: {_time(plan.wall_s)}."),
        Text(depth_words(plan)),
    ]
    warnings = [*price_words(plan), *budget_words(plan, budget_usd, max_calls)]
    parts += [Text(one_line(line), STYLES["warning"]) for line in warnings]
    parts += ["", *(Text(line) for line in separation_words(specs, plan)), Text(basis_words(plan), "dim")]
    return Group(*parts)


def heading(specs: Sequence[DrillSpec]) -> str:
    """`Plan of 4 drills: Chemical elements, Noble gases · sim:expert, sim:student · n 10 · 2 repeats`."""
    domains = one_line(", ".join(dict.fromkeys(spec.domain for spec in specs)))
    targets = one_line(", ".join(dict.fromkeys(label_of(spec.target) for spec in specs)))
    repeats = figures.count(specs[0].repeats, "repeat") if specs[0].repeats > 1 else ""
    drills = figures.count(len(specs), "drill")
    return f"Plan of {drills}: {figures.joined([domains, targets, f'n {specs[0].n}', repeats])}"


def depth_words(plan: Plan) -> str:
    """How deep the drills go; most of a range of costs is not knowing that."""
    low, mid, high = plan.depths
    if low == high:
        return f"Depth: {low:g} per drill."
    return f"Depth: about {mid:.1f} per drill ({low:g}–{high:g}; this uncertainty causes most of the ranges)."


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
        return ["Detectable differences are unknown: at this accuracy EVD would not vary."]
    each = figures.count(made.repeats, "drill")
    span = max(float(spec.max_depth) for spec in specs)
    if made.smallest > span:
        first = f"With {each} per model no possible difference in EVD is detected reliably."
    else:
        first = f"With {each} per model, differences in EVD below {made.smallest:.1f} will mostly be missed."
    chance = figures.percent(made.power[1.0])
    return [f"{first} A difference of 1.0 is detected with {chance} power.", _needed_words(made)]


def _needed_words(made: Separation) -> str:
    needs = [
        f"{f'over {MOST_REPEATS}' if repeats is None else repeats} for {difference:.1f}"
        for difference, repeats in made.needed.items()
    ]
    said = ", ".join(needs).replace("for", "to detect a difference of", 1)
    return f"For 80% power: --repeats {said}. Standard deviation of the EVD of one drill: {made.sd:.2f}."


def basis_words(plan: Plan) -> str:
    """Where the figures come from."""
    if plan.past_runs:
        runs = figures.count(plan.past_runs, "past run")
        basis = f"From {runs} with {' or '.join(plan.match)}."
    else:
        basis = "From general defaults, as there are no past runs; the ranges are wide."
    spread = "past runs" if plan.sd_from == "past runs" else "an assumed accuracy of 85% per depth"
    lost = f" {figures.count(plan.unreadable, 'past run')} could not be read." if plan.unreadable else ""
    return (
        f"{basis} Variation of EVD from {spread}.{lost} Cached replies cost nothing but are not "
        "deducted; searches billed by a fact source are not included."
    )
