"""A plan as a reader sees it: calls, tokens and money per role, time, where the figures come from,
what they settle."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from ...graphs.run.plan import Plan, RolePlan
from ...graphs.run.spread import Spread
from ...state.spec import is_simulated
from ...state.worlds import label_of
from . import figures
from .blocks import Block, Column, Line, Table, Text
from .sanitise import model_name, one_line

NOTHING_ASKED = "Estimate only; no model was called."
SIMULATED = "SIMULATED: these {} would measure no real model."
UNCOUNTED = (
    "Cached replies cost nothing but are not deducted; searches billed by a fact source are not "
    "included."
)
NOUNS: Mapping[str, str] = {"drill": "drill", "depthqa_build": "build"}
"""What a run of a method is called, where that is not `run`."""


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
    simulated = simulated_words(plan)
    warnings = [*price_words(plan), *budget_words(plan, budget_usd, max_calls)]
    yield Text(
        [
            Line(heading(plan), "bold"),
            Line(NOTHING_ASKED, "dim"),
            *([Line(simulated, "badge")] if simulated else []),
        ]
    )
    yield _roles(plan)
    level = ""
    if plan.usd is not None and plan.usd.low < plan.usd.high:
        level = f"; 9 in 10 such launches stay below {figures.money(plan.usd.nine_in_ten())}"
    sums = (
        f"Calls: {calls_words(plan.calls)}. Cost: {money(plan.usd)}{level}. Time: "
        f"{span(plan.wall_s, figures.duration)}."
    )
    yield Text([sums, *lines, *(Line(warning, "warning") for warning in warnings)])
    yield Text([*closing, Line(basis_words(plan), "dim")])


def noun(plan: Plan) -> str:
    """What one run is called."""
    return NOUNS.get(plan.specs[0].method, "run")


def heading(plan: Plan) -> str:
    """`Plan of 4 drills: Chemical elements, Noble gases · sim:expert, sim:student · n 10 · 2
    repeats`."""
    spec = plan.specs[0]
    subjects = _few([one_line(each.domain) for each in plan.specs], "domain")
    targets = _few([one_line(label_of(each.target)) for each in plan.specs], "model")
    size = [f"n {spec.n}"] if spec.method == "drill" else []
    repeats = getattr(spec, "repeats", 1)
    size += [figures.count(repeats, "repeat")] if repeats > 1 else []
    return (
        f"Plan of {figures.count(len(plan.specs), noun(plan))}: "
        f"{figures.joined([subjects, targets, *size])}"
    )


def _few(names: Sequence[str], one: str) -> str:
    """Up to four different names, and of more how many there are."""
    different = list(dict.fromkeys(names))
    return ", ".join(different) if len(different) <= 4 else figures.count(len(different), one)


def simulated_words(plan: Plan) -> str | None:
    """Which models and which runs are simulated; all of them go without saying. None: nothing
    is."""
    if not plan.simulated:
        return None
    simulated = [model for model in plan.behind if is_simulated(model)]
    if len(simulated) == len(plan.behind) or not simulated:
        return SIMULATED.format(f"{noun(plan)}s")
    return f"SIMULATED: {', '.join(simulated)} measure no real model."


def tokens(number: float) -> str:
    """An amount of tokens in two or three digits, more would say too much: `640`, `53 k`, `1.3
    M`."""
    if number < 999.5:
        return f"{number:.0f}"
    if number < 999_500:
        return f"{number / 1e3:.3g} k"
    return f"{number / 1e6:,.1f} M"


def with_range(low: str, mid: str, high: str) -> str:
    """`482 (466–573)`, or the value alone when the ends look like it."""
    return mid if low == mid == high else f"{mid} ({low}–{high})"


def span(value: Spread, words: Callable[[float], str]) -> str:
    """A figure with its range."""
    return with_range(*(words(number) for number in value))


def _number(value: float) -> str:
    return f"{value:,.0f}"


def calls_words(value: Spread) -> str:
    """`482 (466–573)`."""
    return span(value, _number)


def money(value: Spread | None) -> str:
    """`USD 0.42 (0.30–1.10)`, or that it is unknown."""
    if value is None:
        return figures.UNKNOWN
    low, mid, high = (figures.money(usd) for usd in value)
    return (
        with_range(low.removeprefix("USD "), mid, high.removeprefix("USD ")) if low != high else mid
    )


def _roles(plan: Plan) -> Table:
    """Calls, tokens and money per role, as they are expected; their ranges are in the JSON."""
    rows = [_role(each.role, each.model, each) for each in plan.roles]
    if len(rows) > 1:
        rows.append(_role("all", "", plan))
    columns = [Column("role", "role"), Column("model", "model", "model", fold=True)]
    columns += [
        Column(head, head, "number") for head in ("calls", "tokens in", "tokens out", "cost")
    ]
    return Table("Expected", columns, rows)


def _role(role: str, model: str, of: RolePlan | Plan) -> dict[str, str]:
    return {
        "role": role,
        "model": model,
        "calls": _number(of.calls.mid),
        "tokens in": tokens(of.input_tokens.mid),
        "tokens out": tokens(of.output_tokens.mid),
        "cost": figures.money(of.usd and of.usd.mid),
    }


def price_words(plan: Plan) -> list[str]:
    """What is missing where prices are unknown."""
    if not plan.unknown:
        return []
    names, first = ", ".join(plan.unknown), plan.unknown[0]
    rest = (
        f" The other models: {money(plan.known_usd)}."
        if len(plan.unknown) < len(plan.roles)
        else ""
    )
    return [
        f"The price of {names} is unknown, so the cost is unknown and --budget would be refused; "
        "give it with "
        f"--price {first}=IN/OUT (USD per million tokens), or limit calls with --max-calls.{rest}"
    ]


def budget_words(plan: Plan, budget_usd: float | None, max_calls: int | None) -> list[str]:
    """Whether a budget, in money or in calls, is likely to end the runs early."""
    limits = [(f"--budget {budget_usd:g}", budget_usd, plan.usd)] if budget_usd is not None else []
    limits += (
        [(f"--max-calls {max_calls}", float(max_calls), plan.calls)]
        if max_calls is not None
        else []
    )
    said, runs = [], f"{noun(plan)}s"
    for option, limit, need in limits:
        if need is not None and limit < need.mid:
            share = figures.percent(limit / need.mid)
            said.append(
                f"{option} will probably end the {runs} early: it covers {share} of what is "
                "expected."
            )
        elif need is not None and limit < need.high:
            said.append(f"{option} covers what is expected, but not the upper end of the range.")
    return said


def basis_words(plan: Plan) -> str:
    """What the lengths and times of each model are taken from. A simulated world sets its times
    itself."""
    known = {model: len(runs) for model, runs in plan.behind.items() if runs}
    rest = [model for model in plan.behind if model not in known]
    said = [
        f"{'Token counts' if is_simulated(model) else 'Token counts and times'} for "
        f"{model_name(model)} are based on"
        f" {figures.count(runs, 'past run')}."
        for model, runs in known.items()
    ]
    if not known:
        said.append("Token counts and times are assumptions: these models have no past runs.")
    elif rest:
        names, them = (
            one_line(", ".join(rest)),
            "these models have" if len(rest) > 1 else "this model has",
        )
        said.append(f"Token counts and times for {names} are assumptions: {them} no past runs.")
    if plan.past.unreadable:
        said.append(f"{figures.count(plan.past.unreadable, 'past run')} could not be read.")
    if plan.calls.low < plan.calls.high:
        said.append("The upper ends include retries and reasoning tokens.")
    return " ".join([*said, UNCOUNTED])
