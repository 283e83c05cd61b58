"""A decision as blocks: its three lines, the conditions, the models."""

from collections.abc import Iterator, Sequence

from ...state.comparison import ComparedModel, Comparison
from ...state.decision import SIGNS, ConditionState, Decision
from ...stats.decide import EQUAL
from ..page import figures
from ..page.blocks import Block, Cell, Column, Line, Table, Text
from ..page.forms import span_written, written
from ..page.remarks import SIMULATED
from .comparison import forms_of

PLAIN = {"EVD": "steps deep", "accuracy": "share right"}
"""Measure → what a sheet calls it."""
STYLES = {
    "met": "correct",
    "failed": "error",
    "open": "warning",
}


def decision_lines(decision: Decision) -> Text:
    """What a launch ends with."""
    answer, reason, following = decision.lines
    badge = [Line(SIMULATED, "badge")] if decision.simulated else []
    headline = [*badge, Line(answer, "bold"), *rule_line(decision)]
    return Text([*headline, reason, following], "Decision")


def rule_line(decision: Decision) -> list[Line]:
    """That it is not the rule of the beginning, where it is not."""
    return [Line(decision.rule_change, "warning")] if decision.rule_change else []


def decision_blocks(decision: Decision, compared: Comparison) -> Iterator[Block]:
    """The answer with its reason, what each condition came to, and the models."""
    yield decision_lines(decision)
    if decision.conditions:
        yield conditions_table(decision.conditions)
    yield models_table(decision, compared)
    yield Text([footnote(decision, compared)], style="dim")


def conditions_table(states: Sequence[ConditionState]) -> Table:
    """Each condition on each model."""
    columns = (
        Column("", "sign"),
        Column("model", "state.model", "model", fold=True),
        Column("condition", "state.condition", fold=True),
        Column("measured", "measured"),
        Column("answers", "state.n", "count"),
    )
    rows = [
        {
            "sign": Cell(SIGNS[state.state], STYLES[state.state]),
            "state": state,
            "measured": measured(state),
        }
        for state in states
    ]
    meanings = dict.fromkeys(state.says for state in states if state.says)
    legend = (
        "✓ the whole interval (95%, of several looks wider) keeps to the bound · ✗ none of it does · "
        "open: neither"
    )
    return Table("Conditions", columns, rows, [*meanings, legend])


def measured(state: ConditionState) -> str:
    """`8% (3–19)`; `not measured` where there is no figure."""
    if state.value is None:
        return "not measured"
    form = "percent" if state.unit == "share" else "number"
    return f"{written(state.value, form)} ({span_written(state.interval, form)})"


def models_table(decision: Decision, compared: Comparison, *, plain: bool = False) -> Table:
    """The models, not their runs, with what they cost and how long they take. `plain`: named for
    those who know no statistics."""
    form = forms_of(compared)[0]
    measure = PLAIN.get(compared.measure, compared.measure) if plain else compared.measure
    columns = [
        Column("", "sign"),
        Column("model", "model.label", "model", fold=True),
        Column(measure, "estimate", form, interval="model.interval", style="bold"),
    ]
    if not plain:
        columns.append(Column("runs", "runs", "count", since=70))
    if any(model.usd_per_100 for model in compared.models):
        columns.append(Column("100 answers", "model.usd_per_100", "money"))
    if any(model.latency_s for model in compared.models):
        columns.append(Column("s/answer", "model.latency_s", "number"))
    return Table("Models", columns, [_model(decision, model, form) for model in compared.models])


def _model(decision: Decision, model: ComparedModel, form: str) -> dict[str, object]:
    estimate: object = model.estimate
    if model.at_least:
        estimate = f"≥{written(model.estimate, form)}"
    elif model.ended is not None:
        estimate = model.ended
    return {
        "sign": "→" if model.label == decision.model else "",
        "model": model,
        "estimate": estimate,
        "runs": len(model.run_ids),
    }


def footnote(decision: Decision, compared: Comparison) -> str:
    """The figures behind the answer, for those who want them."""
    form = forms_of(compared)[1]
    shown = [pair for pair in compared.pairs if pair.difference is not None][:6]
    said = [
        f"{pair.one} − {pair.other}: {written(pair.difference, form)} {compared.measure} (95% "
        f"interval {span_written(pair.interval, form)}, p {figures.p_value(pair.p_adjusted)})"
        for pair in shown
    ]
    policy = decision.policy
    margin = f"margin {policy.margin:g}" if policy.margin is not None else "no margin"
    said.append(
        f"{margin}; equal: two one-sided tests at {EQUAL * policy.alpha:g}; several models: Holm's "
        "adjustment over all pairs"
    )
    measure = "EVD: expected valid depth, the steps above. " if compared.measure == "EVD" else ""
    interval = "CI: interval that holds the true value 95 times in 100. "
    return f"{measure}{interval}{'; '.join(said)}."
