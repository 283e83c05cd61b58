"""A decision as blocks: its three lines, the conditions, the models."""

from collections.abc import Iterator, Sequence

from ...state.comparison import Comparison
from ...state.decision import SIGNS, ConditionState, Decision
from ...stats.decide import EQUAL
from ..page.blocks import Block, Cell, Column, Line, Table, Text
from ..page.forms import with_interval, written
from ..page.remarks import SIMULATED
from .comparison import forms_of, models_table, span_of

TAKEN = Column("", "sign")
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
    yield models_table("Models", compared, TAKEN, chosen=decision.model)
    yield Text([footnote(decision, compared)], style="dim")


def conditions_table(states: Sequence[ConditionState]) -> Table:
    """Each condition on each model."""
    columns = (
        Column("", "sign"),
        Column("model", "state.model", "model"),
        Column("condition", "state.condition"),
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
    return with_interval(state.value, state.interval, form)


def footnote(decision: Decision, compared: Comparison) -> str:
    """The figures behind the answer, for those who want them."""
    form, policy = forms_of(compared)[1], decision.policy
    parts = [
        f"{pair.one} − {pair.other}: {written(pair.difference, form)} {compared.measure} "
        f"({span_of(compared, pair)})"
        for pair in compared.pairs[:6]
        if pair.difference is not None
    ]
    parts.append(f"margin {policy.margin:g}" if policy.margin is not None else "no margin")
    parts.append(f"equal: two one-sided tests at {EQUAL * policy.alpha:g}, adjusted by Holm")
    measure = (
        "EVD: expected valid depth, the steps above. " if compared.measure == "EVD" else ""
    )
    return f"{measure}{'; '.join(parts)}."
