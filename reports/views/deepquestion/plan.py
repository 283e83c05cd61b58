"""A plan of DeepQuestion as a reader sees it: calls, tokens and money per role, time, and their basis."""

from collections.abc import Sequence

from rich.console import RenderableType

from ....graphs.deepquestion.estimate import DeepQuestionPlan
from ....graphs.run.spread import Spread
from ....state.deepquestion.items import DISTRACTORS
from ....state.spec import DeepQuestionSpec
from ...page import figures
from ...page.plan import CACHED, budget_words, heading_of, price_words, simulated_words, source_words, whole_report


def deepquestion_plan_report(
    specs: Sequence[DeepQuestionSpec],
    plan: DeepQuestionPlan,
    *,
    width: int,
    budget_usd: float | None = None,
    max_calls: int | None = None,
) -> RenderableType:
    """The plan of these runs, and whether a budget would do."""
    heading, simulated = heading_of(specs[0].benchmark, specs), simulated_words(specs, plan)
    warnings = [*_left_out(specs[0], plan), *price_words(plan), *budget_words(plan, budget_usd, max_calls)]
    basis = basis_words(specs[0], plan)
    return whole_report(heading, simulated, plan, arithmetic(specs, plan), warnings, basis, width)


def arithmetic(specs: Sequence[DeepQuestionSpec], plan: DeepQuestionPlan) -> list[str]:
    """Where the number of calls comes from; all runs of a launch have the same settings."""
    spec, lines = specs[0], list[str]()
    if plan.rounds:
        lines.append(_drafts(spec, plan))
    if len(plan.left_out) < len(spec.kinds):
        lines += _asked(spec, plan)
    if plan.shared:
        runs = figures.count(plan.shared, "run shares", "runs share")
        what = "the baseline" if spec.given else "drafts, texts and their checks"
        lines.append(f"{runs} {what} with an earlier one, which asked for them.")
    return lines


def _asked(spec: DeepQuestionSpec, plan: DeepQuestionPlan) -> list[str]:
    """What there is when any prompt is good enough."""
    lines = [f"Originals: {figures.count(spec.problems, 'problem')}, each solved once by the target."]
    ways = {"q2s": _q2s, "q2i": _q2i}
    lines += [ways[kind](spec, plan) for kind in spec.kinds if kind not in plan.left_out]
    if plan.pairs:
        pairs = figures.count(plan.pairs, "pair of originals", "pairs of originals")
        lines.append(f"Baseline: {pairs}, compared in both orders.")
    if plan.words:
        problems = figures.count(plan.words, "problem has an answer", "problems have answers")
        lines.append(f"{problems} in words, which the judge compares.")
    return lines


def _drafts(spec: DeepQuestionSpec, plan: DeepQuestionPlan) -> str:
    told = [f"{_range(rounds)} of the prompt for {kind}" for kind, rounds in plan.rounds.items()]
    return f"Drafts, each of them scored: {' and '.join(told)}."


def _q2s(spec: DeepQuestionSpec, plan: DeepQuestionPlan) -> str:
    loads = f"at each load ({', '.join(spec.distractors)})"
    if spec.given:
        return f"Q2S: {figures.count(round(plan.scenarios.mid), 'given scenario')}, solved by the target {loads}."
    most = max(DISTRACTORS[load] for load in spec.distractors)
    parts = f"a check, {most} distractors" if most else "a check"
    return (
        f"Q2S: {figures.count(spec.problems, 'scenario')}, each with {parts} and an independent solution {loads}; those"
        f" that pass ({_range(plan.scenarios)}) are solved by the target at each load."
    )


def _q2i(spec: DeepQuestionSpec, plan: DeepQuestionPlan) -> str:
    written = "the target writes a question, which is solved, checked and, if its answer is right, compared twice"
    if spec.given:
        return f"Q2I: {figures.count(round(plan.instructions.mid), 'given instruction')}; by each {written}."
    count = figures.count(spec.problems, "instruction")
    return f"Q2I: {count}, each with a check; by those that pass ({_range(plan.instructions)}) {written}."


def _range(number: Spread) -> str:
    """`3`, or `1–5`."""
    low, high = f"{number.low:,.0f}", f"{number.high:,.0f}"
    return low if low == high else f"{low}–{high}"


def _left_out(spec: DeepQuestionSpec, plan: DeepQuestionPlan) -> list[str]:
    """What is known not to be written."""
    if not plan.left_out:
        return []
    return [
        f"In this simulated world no draft for {' and '.join(plan.left_out)} reaches {spec.threshold}/10, so nothing"
        " will be written there: allow more --rounds, use the best with --use-best, or give prompts with --prompts."
    ]


def basis_words(spec: DeepQuestionSpec, plan: DeepQuestionPlan) -> str:
    """Where the figures come from."""
    unknown = []
    if any(rounds.low != rounds.high for rounds in plan.rounds.values()):
        unknown.append("How many drafts a prompt takes is not known beforehand.")
        if not (spec.use_best or spec.single_pass):
            unknown.append(f"Where no draft reaches {spec.threshold}/10, nothing is written for that kind.")
    if any(number.low != number.high for number in (plan.scenarios, plan.instructions)):
        unknown.append("Which share of what is written passes its checks is not known beforehand.")
    return " ".join(
        [
            source_words(plan),
            *unknown,
            "The upper ends allow for replies that are cut off or cannot be read, and for models that think before they"
            f" answer. {CACHED}",
        ]
    )
