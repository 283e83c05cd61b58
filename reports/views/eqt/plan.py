"""A plan of Explain-Query-Tests as a reader sees it: calls, tokens and money per role, time, and their basis."""

from collections.abc import Sequence

from rich.console import RenderableType

from ....graphs.eqt.estimate import EqtPlan
from ....state.spec import EqtSpec
from ...page import figures
from ...page.plan import CACHED, budget_words, heading_of, price_words, simulated_words, source_words, whole_report


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
    heading, simulated = heading_of(specs[0].domain, specs), simulated_words(specs, plan)
    return whole_report(heading, simulated, plan, arithmetic(specs, plan), warnings, basis_words(plan), width)


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
        f" and for models that think before they answer. {CACHED}"
    )
