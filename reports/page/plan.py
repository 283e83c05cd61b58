"""A plan as a reader sees it: calls, tokens and money per role, time, where the figures come from,
and what the planned drills would settle."""

from collections.abc import Callable, Iterator, Sequence

from ...graphs.drill.depths import separation_of
from ...graphs.drill.power import MOST_REPEATS
from ...graphs.run.plan import Plan, RolePlan
from ...graphs.run.spread import Spread
from ...state.spec import is_simulated
from . import figures
from .blocks import Block, Column, Line, Table, Text
from .sanitise import model_name, one_line

NOTHING_ASKED = "Estimate only; no model was called."
UNCOUNTED = (
    "Cached replies cost nothing but are not deducted; searches billed by a fact source are not "
    "included."
)
COLUMNS = (
    Column("role", "role"),
    Column("model", "model", "model"),
    *(Column(head, head, "number") for head in ("calls", "tokens in", "tokens out", "cost")),
)


def plan_blocks(
    plan: Plan,
    notes: Sequence[str] = (),
    *,
    budget_usd: float | None = None,
    max_calls: int | None = None,
) -> Iterator[Block]:
    """The plan from top to bottom, and whether a budget would do. `notes`: what else is known
    beforehand."""
    head = [Line(heading(plan), "bold"), Line(NOTHING_ASKED, "dim")]
    simulated = [model_name(model) for model in plan.behind if is_simulated(model)]
    if simulated:
        names = ", ".join(simulated)
        head.append(Line(f"SIMULATED: {names} would measure no real model.", "badge"))
    yield Text(head)
    everything = [plan.all] if len(plan.roles) > 1 else []
    yield Table("Expected", COLUMNS, [_row(role) for role in (*plan.roles, *everything)])
    money = plan.usd and _span(plan.usd, figures.money)
    calls = _span(plan.calls, lambda number: f"{number:,.0f}")
    sums = f"Calls: {calls}. Cost: {money or figures.UNKNOWN}. "
    sums += f"Time: {_span(plan.wall_s, figures.duration)}."
    if plan.usd and plan.usd.low < plan.usd.high:
        sums += f" {figures.money(plan.usd.level())} is enough in 9 launches of 10."
    limits = [("--budget", budget_usd, plan.usd), ("--max-calls", max_calls, plan.calls)]
    warnings = [*_price_words(plan)]
    for option, limit, need in limits:
        if limit is not None and need is not None:
            warnings += _limit_words(f"{option} {limit:g}", limit, need)
    lines = [Line(warning, "warning") for warning in warnings]
    yield Text([sums, *notes, *lines])
    yield Text([*_power_words(plan), Line(_basis_words(plan), "dim")])


def heading(plan: Plan) -> str:
    """`Plan of 4 runs: Chemical elements, Noble gases · sim:expert, sim:student · 2 repeats`."""
    subjects = _few([one_line(spec.domain) for spec in plan.specs], "domain")
    targets = _few([model_name(spec.target) for spec in plan.specs], "model")
    repeats = getattr(plan.specs[0], "repeats", 1)
    size = figures.count(repeats, "repeat") if repeats > 1 else ""
    count = figures.count(len(plan.specs), "run")
    return f"Plan of {count}: {figures.joined([subjects, targets, size])}"


def _few(names: Sequence[str], noun: str) -> str:
    """Up to four different names, and of more how many there are."""
    different = list(dict.fromkeys(names))
    return ", ".join(different) if len(different) <= 4 else figures.count(len(different), noun)


def tokens(number: float) -> str:
    """An amount of tokens in two or three digits, more would say too much: `640`, `53 k`, `1.3
    M`."""
    if number < 999.5:
        return f"{number:.0f}"
    if number < 999_500:
        return f"{number / 1e3:.3g} k"
    return f"{number / 1e6:,.1f} M"


def _span(value: Spread, words: Callable[[float], str]) -> str:
    """A figure with its range, `482 (466–573)`, or alone when the ends look like it."""
    low, mid, high = map(words, value)
    return mid if low == mid == high else f"{mid} ({low}–{high})"


def _row(role: RolePlan) -> dict[str, str]:
    """What a role is expected to ask and cost; ranges are in the JSON."""
    return {
        "role": role.role,
        "model": role.model,
        "calls": f"{role.calls.mid:,.0f}",
        "tokens in": tokens(role.input_tokens.mid),
        "tokens out": tokens(role.output_tokens.mid),
        "cost": figures.money(role.usd and role.usd.mid),
    }


def _price_words(plan: Plan) -> Iterator[str]:
    """What is missing where prices are unknown."""
    if plan.unknown:
        yield (
            f"The price of {', '.join(plan.unknown)} is unknown, so the cost is unknown and "
            f"--budget would be refused; give it with --price {plan.unknown[0]}=IN/OUT (USD per "
            "million tokens), or limit calls with --max-calls."
        )


def _limit_words(
    option: str,
    limit: float,
    need: Spread,
) -> Iterator[str]:
    """Whether a budget, in money or in calls, is likely to end the runs early."""
    if limit < need.mid:
        share = figures.percent(limit / need.mid)
        yield f"{option} will probably end the runs early: it covers {share} of what is expected."
    elif limit < need.level():
        yield f"{option} covers what is expected, but not what 9 launches of 10 need."


def _power_words(plan: Plan) -> Iterator[str]:
    """What drills can tell apart, bad news first, and what it would take."""
    if plan.specs[0].method != "drill":
        return
    separation, _ = separation_of(plan.specs, plan.past.runs)
    if separation is None:
        yield "Detectable differences are unknown: at this accuracy EVD would not vary."
        return
    drills = figures.count(separation.repeats, "drill")
    yield (
        f"With {drills} per model, differences in EVD below {separation.smallest:.1f} will mostly be "
        "missed."
    )
    needs = []
    for size, repeats in separation.needed.items():
        number = f"over {MOST_REPEATS}" if repeats is None else repeats
        needs.append(f"{number} for {size:.1f}")
    yield f"For 80% power to detect a difference: --repeats {', '.join(needs)}."


def _basis_words(plan: Plan) -> str:
    """What the lengths and times of each model are taken from."""
    basis = []
    for model, runs in plan.behind.items():
        source = figures.count(len(runs), "past run") if runs else "assumed"
        basis.append(f"{model_name(model)} {source}")
    return f"Token counts and times: {', '.join(basis)}. {UNCOUNTED}"
