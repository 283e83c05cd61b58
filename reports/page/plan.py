"""A plan as a reader sees it: calls, tokens and money per role, time, where the figures come from,
what they settle."""

from collections.abc import Callable, Iterator, Sequence

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
    Column("model", "model", "model", fold=True),
    *(Column(head, head, "number") for head in ("calls", "tokens in", "tokens out", "cost")),
)


def plan_blocks(
    plan: Plan,
    lines: Sequence[str],
    closing: Sequence[str] = (),
    *,
    budget_usd: float | None = None,
    max_calls: int | None = None,
) -> Iterator[Block]:
    """The plan from top to bottom, and whether a budget would do. `lines`: where the number of
    calls comes from; `closing`: what the runs would settle."""
    head = [Line(heading(plan), "bold"), Line(NOTHING_ASKED, "dim")]
    simulated = [model_name(model) for model in plan.behind if is_simulated(model)]
    if simulated:
        names = ", ".join(simulated)
        head.append(Line(f"SIMULATED: {names} would measure no real model.", "badge"))
    yield Text(head)
    rows = [_row(role.role, role.model, role) for role in plan.roles]
    yield Table("Expected", COLUMNS, [*rows, _row("all", "", plan)] if len(rows) > 1 else rows)
    sums = (
        f"Calls: {calls_words(plan.calls)}. Cost: {_money(plan.usd)}. Time: "
        f"{_span(plan.wall_s, figures.duration)}."
    )
    warnings = [*_price_words(plan)]
    if budget_usd is not None and plan.usd is not None:
        warnings += _limit_words(f"--budget {budget_usd:g}", budget_usd, plan.usd)
    if max_calls is not None:
        warnings += _limit_words(f"--max-calls {max_calls}", max_calls, plan.calls)
    yield Text([sums, *lines, *(Line(warning, "warning") for warning in warnings)])
    yield Text([*closing, Line(_basis_words(plan), "dim")])


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


def calls_words(value: Spread) -> str:
    """`482 (466–573)`."""
    return _span(value, lambda number: f"{number:,.0f}")


def _money(value: Spread | None) -> str:
    """`USD 0.42 (0.30–1.10)`, or that it is unknown."""
    if value is None:
        return figures.UNKNOWN
    return _span(value, figures.money).replace("(USD ", "(").replace("–USD ", "–")


def _row(role: str, model: str, of: RolePlan | Plan) -> dict[str, str]:
    """What a role is expected to ask and cost; ranges are in the JSON."""
    return {
        "role": role,
        "model": model,
        "calls": f"{of.calls.mid:,.0f}",
        "tokens in": tokens(of.input_tokens.mid),
        "tokens out": tokens(of.output_tokens.mid),
        "cost": figures.money(of.usd and of.usd.mid),
    }


def _price_words(plan: Plan) -> Iterator[str]:
    """What is missing where prices are unknown."""
    if plan.unknown:
        others = len(plan.unknown) < len(plan.roles)
        yield (
            f"The price of {', '.join(plan.unknown)} is unknown, so the cost is unknown and "
            f"--budget would be refused; give it with --price {plan.unknown[0]}=IN/OUT (USD per "
            "million tokens), or limit calls with --max-calls."
            + (f" The other models: {_money(plan.known_usd)}." if others else "")
        )


def _limit_words(option: str, limit: float, need: Spread) -> Iterator[str]:
    """Whether a budget, in money or in calls, is likely to end the runs early."""
    if limit < need.mid:
        share = figures.percent(limit / need.mid)
        yield (f"{option} will probably end the runs early: it covers {share} of what is expected.")
    elif limit < need.high:
        yield f"{option} covers what is expected, but not the upper end of the range."


def _basis_words(plan: Plan) -> str:
    """What the lengths and times of each model are taken from."""
    based = {model_name(model): len(runs) for model, runs in plan.behind.items()}
    words = [
        f"Token counts for {model} are based on {figures.count(runs, 'past run')}."
        for model, runs in based.items()
        if runs
    ]
    assumed = [model for model, runs in based.items() if not runs]
    if assumed:
        words.append(f"Token counts and times for {', '.join(assumed)} are assumptions.")
    if plan.past.unreadable:
        words.append(f"{figures.count(plan.past.unreadable, 'past run')} could not be read.")
    if plan.calls.low < plan.calls.high:
        words.append("The upper ends include retries and reasoning tokens.")
    return " ".join([*words, UNCOUNTED])
