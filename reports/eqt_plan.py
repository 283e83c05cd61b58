"""A plan of Explain-Query-Tests as a reader sees it: calls, tokens and money per role, time, and their basis."""

from collections.abc import Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from ..graphs.eqt_estimate import EqtPlan
from ..state.spec import EqtSpec, is_simulated
from . import figures
from .plan import NOTHING_ASKED
from .plan_parts import budget_words, price_words, roles_table, source_words, totals_words
from .rows import STYLES
from .sanitise import one_line

SIMULATED = "SIMULATED: these runs would measure no real model."


def eqt_plan_report(
    specs: Sequence[EqtSpec],
    plan: EqtPlan,
    *,
    width: int,
    budget_usd: float | None = None,
    max_calls: int | None = None,
) -> RenderableType:
    """The plan of these runs, and whether a budget would do."""
    warnings = [*price_words(plan), *budget_words(plan, budget_usd, max_calls)]
    return Group(
        Text(heading(specs), "bold"),
        Text(NOTHING_ASKED, "dim"),
        *([Text(one_line(simulated_words(specs, plan)), STYLES["badge"])] if plan.simulated else []),
        "",
        roles_table(plan, width),
        "",
        Text(totals_words(plan)),
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


def basis_words(plan: EqtPlan) -> str:
    """Where the figures come from."""
    return (
        f"{source_words(plan)} The upper ends allow for questions that are written twice, for replies that are cut off,"
        " and for models that think before they answer. Replies that the cache already holds cost nothing and are not"
        " taken off."
    )
