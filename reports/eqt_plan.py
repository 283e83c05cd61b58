"""A plan of Explain-Query-Tests as a reader sees it: calls, tokens and money per role, time, and their basis."""

from collections.abc import Callable, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from ..graphs.eqt_estimate import EqtPlan
from ..graphs.estimate import RolePlan
from ..graphs.spread import Spread
from ..state.spec import EqtSpec, is_simulated
from . import figures
from .plan import NOTHING_ASKED, tokens, with_range
from .rows import STYLES
from .sanitise import one_line
from .tables import Column, table_of

SIMULATED = "SIMULATED: these runs would measure no real model."
_ROOMY = 132
"""Width from which every figure has its range in the table."""


def _number(value: float) -> str:
    return f"{value:,.0f}"


def _money(value: Spread | None) -> str:
    if value is None:
        return figures.UNKNOWN
    low, mid, high = (figures.money(usd) for usd in value)
    return with_range(low.removeprefix("USD "), mid, high.removeprefix("USD ")) if low != high else mid


def _span(value: Spread, words: Callable[[float], str]) -> str:
    return with_range(*(words(number) for number in value))


def _columns(width: int) -> tuple[Column[RolePlan], ...]:
    """Every figure with its range where there is room, else what is expected."""

    def shown(value: Spread, words: Callable[[float], str]) -> str:
        return _span(value, words) if width >= _ROOMY else words(value.mid)

    return (
        Column("role", lambda r: r.role, text=True, fixed=True),
        Column("model", lambda r: one_line(r.model), text=True),
        Column("calls", lambda r: shown(r.calls, _number)),
        Column("tokens in", lambda r: shown(r.input_tokens, tokens)),
        Column("tokens out", lambda r: shown(r.output_tokens, tokens)),
        Column("cost", lambda r: _money(r.usd) if width >= _ROOMY else figures.money(r.usd and r.usd.mid)),
    )


def eqt_plan_report(
    specs: Sequence[EqtSpec],
    plan: EqtPlan,
    *,
    width: int,
    budget_usd: float | None = None,
    max_calls: int | None = None,
) -> RenderableType:
    """The plan of these runs, and whether a budget would do."""
    cost = f"Cost: {_money(plan.usd)}. Time: {_span(plan.wall_s, figures.duration)}."
    warnings = [*_price_words(plan), *_budget_words(plan, budget_usd, max_calls)]
    return Group(
        Text(heading(specs), "bold"),
        Text(NOTHING_ASKED, "dim"),
        *([Text(one_line(simulated_words(specs, plan)), STYLES["badge"])] if plan.simulated else []),
        "",
        table_of(_columns(width), plan.roles, width=width, title="Expected"),
        "",
        Text(f"Calls: {_span(plan.calls, _number)}. {cost}"),
        *(Text(line) for line in arithmetic(specs, plan)),
        *(Text(one_line(line), STYLES["warning"]) for line in warnings),
        "",
        Text(basis_words(plan), "dim"),
    )


def heading(specs: Sequence[EqtSpec]) -> str:
    """`Plan of 2 runs: 28 concepts in 14 categories · openai:gpt-5, ollama:llama3`."""
    targets = ", ".join(spec.target for spec in specs)
    return f"Plan of {figures.count(len(specs), 'run')}: {one_line(figures.joined([specs[0].domain, targets]))}"


def simulated_words(specs: Sequence[EqtSpec], plan: EqtPlan) -> str:
    """Which models and which runs are simulated; all of them go without saying."""
    models = list(plan.learnt)
    if all(is_simulated(model) for model in models):
        return SIMULATED
    simulated = [model for model in models if is_simulated(model)]
    of = [spec.target for spec in specs if spec.simulated]
    verb, runs = ("are" if len(simulated) > 1 else "is"), ("runs" if len(of) > 1 else "run")
    return (
        f"SIMULATED: {', '.join(simulated)} {verb} simulated, so the {runs} of {', '.join(of)} would give simulated"
        " numbers."
    )


def arithmetic(specs: Sequence[EqtSpec], plan: EqtPlan) -> list[str]:
    """Where the number of calls comes from; all runs of a launch have the same settings."""
    spec = specs[0]
    q, k = spec.questions, spec.paraphrases
    parts = ["1 explanation", figures.count(q, "question")]
    if k:
        parts.append(figures.count(q * k, "paraphrase"))
        parts += [figures.count(q * k, "check")] if spec.verify_paraphrases else []
    parts.append(figures.count(q * (k + 1), "answer"))
    parts += [f"{q:,} more with the explanation at hand"] if spec.open_book else []
    lines = [f"Per concept: {', '.join(parts)}."]
    if spec.attribute:
        lines.append(
            f"Per run up to {figures.count(spec.attribute, 'attribution')}, as many as there are wrong answers."
        )
    if plan.shared:
        runs = figures.count(plan.shared, "run shares", "runs share")
        lines.append(f"{runs} explanations, questions and paraphrases with an earlier one, which asked for them.")
    return lines


def _price_words(plan: EqtPlan) -> list[str]:
    if not plan.unknown:
        return []
    names, first = ", ".join(plan.unknown), plan.unknown[0]
    rest = f" The other models: {_money(plan.known_usd)}." if len(plan.unknown) < len(plan.roles) else ""
    return [
        f"The price of {names} is unknown, so the cost is unknown and --budget would be refused; give it with "
        f"--price {first}=IN/OUT (USD per million tokens), or limit calls with --max-calls.{rest}"
    ]


def _budget_words(plan: EqtPlan, budget_usd: float | None, max_calls: int | None) -> list[str]:
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


def basis_words(plan: EqtPlan) -> str:
    """Where the figures come from."""
    basis = " ".join(_sources(plan.learnt))
    lost = f" {figures.count(plan.unreadable, 'past run')} could not be read." if plan.unreadable else ""
    return (
        f"{basis}{lost} The upper ends allow for questions that are written twice, for replies that are cut off, and "
        "for models that think before they answer. Replies that the cache already holds cost nothing and are not "
        "taken off."
    )


def _sources(learnt: Mapping[str, int]) -> list[str]:
    """What the lengths and times of each model are taken from. A simulated world sets its times itself."""
    known = {model: runs for model, runs in learnt.items() if runs}
    rest = [model for model in learnt if model not in known]
    if not known:
        return ["Lengths and times are assumptions: there is no past run of these models to learn from."]
    said = [
        f"{'Lengths' if is_simulated(model) else 'Lengths and times'} of {one_line(model)} are from"
        f" {figures.count(runs, 'past run')} of it."
        for model, runs in known.items()
    ]
    if rest:
        names = one_line(", ".join(rest))
        said.append(f"Lengths and times of {names} are assumptions: there is no past run of {_them(rest)}.")
    return said


def _them(models: Sequence[str]) -> str:
    return "these models" if len(models) > 1 else "this model"
