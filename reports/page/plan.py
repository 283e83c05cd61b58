"""What the plans of several methods show alike: figures per role, what prices are missing, whether a budget would do,
and where the figures come from."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from rich.console import Group, RenderableType
from rich.text import Text

from ...graphs.drill.estimate import RolePlan
from ...graphs.run.spread import Spread
from ...state.spec import is_simulated
from ..views.drill.plan import NOTHING_ASKED, tokens, with_range
from . import figures
from .rows import STYLES
from .sanitise import model_name, one_line
from .tables import Column, table_of

_ROOMY = 132
"""Width from which every figure has its range in the table."""


SIMULATED = "SIMULATED: these runs would measure no real model."
CACHED = "Cached replies cost nothing but are not deducted."


class Run(Protocol):
    """What a run of whatever method is to be."""

    @property
    def target(self) -> str: ...
    @property
    def simulated(self) -> bool: ...


class Planned(Protocol):
    """A plan of whatever method."""

    @property
    def simulated(self) -> bool: ...
    @property
    def roles(self) -> tuple[RolePlan, ...]: ...
    @property
    def calls(self) -> Spread: ...
    @property
    def usd(self) -> Spread | None: ...
    @property
    def known_usd(self) -> Spread: ...
    @property
    def unknown(self) -> tuple[str, ...]: ...
    @property
    def wall_s(self) -> Spread: ...
    @property
    def learnt(self) -> Mapping[str, int]: ...
    @property
    def unreadable(self) -> int: ...


def whole_report(
    heading: str,
    simulated: str | None,
    plan: Planned,
    lines: Sequence[str],
    warnings: Sequence[str],
    basis: str,
    width: int,
) -> RenderableType:
    """A plan from top to bottom. `simulated`: what is to be said of simulated models; `lines`: where the number of
    calls comes from; `basis`: where the figures come from."""
    return Group(
        Text(one_line(heading), "bold"),
        Text(NOTHING_ASKED, "dim"),
        *([Text(one_line(simulated), STYLES["badge"])] if simulated else []),
        "",
        roles_table(plan, width),
        "",
        Text(totals_words(plan)),
        *(Text(one_line(line)) for line in lines),
        *(Text(one_line(line), STYLES["warning"]) for line in warnings),
        "",
        Text(basis, "dim"),
    )


def heading_of(subject: str, specs: Sequence[Run]) -> str:
    """`Plan of 2 runs: gsm8k · openai:gpt-5, ollama:llama3`."""
    targets = ", ".join(model_name(spec.target) for spec in specs)
    return f"Plan of {figures.count(len(specs), 'run')}: {figures.joined([subject, targets])}"


def simulated_words(specs: Sequence[Run], plan: Planned) -> str | None:
    """Which models and which runs are simulated; all of them go without saying. None: nothing is."""
    if not plan.simulated:
        return None
    models = list(plan.learnt)
    if all(is_simulated(model) for model in models):
        return SIMULATED
    simulated = [model for model in models if is_simulated(model)]
    of = [model_name(spec.target) for spec in specs if spec.simulated]
    verb, runs = ("are" if len(simulated) > 1 else "is"), ("runs" if len(of) > 1 else "run")
    names = ", ".join(simulated)
    return f"SIMULATED: {names} {verb} simulated, so the {runs} of {', '.join(of)} would give simulated numbers."


def _number(value: float) -> str:
    return f"{value:,.0f}"


def money(value: Spread | None) -> str:
    """`USD 0.42 (0.30–1.10)`, or that it is unknown."""
    if value is None:
        return figures.UNKNOWN
    low, mid, high = (figures.money(usd) for usd in value)
    return with_range(low.removeprefix("USD "), mid, high.removeprefix("USD ")) if low != high else mid


def span(value: Spread, words: Callable[[float], str]) -> str:
    """A figure with its range."""
    return with_range(*(words(number) for number in value))


def roles_table(plan: Planned, width: int) -> RenderableType:
    """Calls, tokens and money per role: with their ranges where there is room, else what is expected."""

    def shown(value: Spread, words: Callable[[float], str]) -> str:
        return span(value, words) if width >= _ROOMY else words(value.mid)

    columns: tuple[Column[RolePlan], ...] = (
        Column("role", lambda r: r.role, text=True, fixed=True),
        Column("model", lambda r: model_name(r.model), text=True),
        Column("calls", lambda r: shown(r.calls, _number)),
        Column("tokens in", lambda r: shown(r.input_tokens, tokens)),
        Column("tokens out", lambda r: shown(r.output_tokens, tokens)),
        Column("cost", lambda r: money(r.usd) if width >= _ROOMY else figures.money(r.usd and r.usd.mid)),
    )
    return table_of(columns, plan.roles, width=width, title="Expected")


def totals_words(plan: Planned) -> str:
    """`Calls: 3,142. Cost: USD 4.10 (2.20–9.80). Time: 5 min 10 s.`"""
    return f"Calls: {span(plan.calls, _number)}. Cost: {money(plan.usd)}. Time: {span(plan.wall_s, figures.duration)}."


def price_words(plan: Planned) -> list[str]:
    """What is missing where prices are unknown."""
    if not plan.unknown:
        return []
    names, first = ", ".join(plan.unknown), plan.unknown[0]
    rest = f" The other models: {money(plan.known_usd)}." if len(plan.unknown) < len(plan.roles) else ""
    return [
        f"The price of {names} is unknown, so the cost is unknown and --budget would be refused; give it with "
        f"--price {first}=IN/OUT (USD per million tokens), or limit calls with --max-calls.{rest}"
    ]


def budget_words(plan: Planned, budget_usd: float | None, max_calls: int | None) -> list[str]:
    """Whether a budget, in money or in calls, is likely to end the runs early."""
    limits = [(f"--budget {budget_usd:g}", budget_usd, plan.usd)] if budget_usd is not None else []
    limits += [(f"--max-calls {max_calls}", float(max_calls), plan.calls)] if max_calls is not None else []
    said = []
    for option, limit, need in limits:
        if need is not None and limit < need.mid:
            share = figures.percent(limit / need.mid)
            said.append(f"{option} will probably end the runs early: it covers {share} of what is expected.")
        elif need is not None and limit < need.high:
            said.append(f"{option} covers what is expected, but not the upper end of the range.")
    return said


def source_words(plan: Planned) -> str:
    """What the lengths and times of each model are taken from. A simulated world sets its times itself."""
    known = {model: runs for model, runs in plan.learnt.items() if runs}
    rest = [model for model in plan.learnt if model not in known]
    said = [
        f"{'Lengths' if is_simulated(model) else 'Lengths and times'} of {model_name(model)} are from"
        f" {figures.count(runs, 'past run')} of it."
        for model, runs in known.items()
    ]
    if not known:
        said.append("Lengths and times are assumptions: there is no past run of these models to learn from.")
    elif rest:
        names = one_line(", ".join(rest))
        said.append(f"Lengths and times of {names} are assumptions: there is no past run of {_them(rest)}.")
    if plan.unreadable:
        said.append(f"{figures.count(plan.unreadable, 'past run')} could not be read.")
    return " ".join(said)


def _them(models: Sequence[str]) -> str:
    return "these models" if len(models) > 1 else "this model"
