"""A plan of DepthQA as a reader sees it: calls, tokens and money per role, time, and their basis."""

from collections.abc import Sequence

from rich.console import RenderableType

from ....graphs.depthqa.estimate import DepthQAPlan
from ....state.depthqa.items import Material
from ....state.depthqa.spec import GIVEN
from ....state.spec import DepthQABuildSpec, DepthQASpec
from ....state.worlds import label_of
from ....tools.similarity import LEXICAL
from ...page import figures
from ...page.plan import CACHED, budget_words, heading_of, price_words, simulated_words, source_words, whole_report

SIMULATED_BUILD = "SIMULATED: no real model would write this graph."


def ask_plan_report(
    specs: Sequence[DepthQASpec],
    material: Material,
    plan: DepthQAPlan,
    *,
    width: int,
    budget_usd: float | None = None,
    max_calls: int | None = None,
) -> RenderableType:
    """The plan of asking one graph, and whether a budget would do."""
    heading, simulated = heading_of(specs[0].graph, specs), simulated_words(specs, plan)
    warnings = [*price_words(plan), *budget_words(plan, budget_usd, max_calls)]
    return whole_report(
        heading, simulated, plan, arithmetic(specs, material, plan), warnings, ask_basis_words(plan), width
    )


def build_plan_report(
    spec: DepthQABuildSpec,
    plan: DepthQAPlan,
    *,
    width: int,
    budget_usd: float | None = None,
    max_calls: int | None = None,
) -> RenderableType:
    """The plan of building one graph, and whether a budget would do."""
    questions = figures.count(len(spec.questions), "question")
    heading = f"Plan of a build: {figures.joined([spec.name, questions, label_of(spec.evaluator)])}"
    simulated = SIMULATED_BUILD if plan.simulated else None
    warnings = [*price_words(plan), *budget_words(plan, budget_usd, max_calls)]
    return whole_report(heading, simulated, plan, build_arithmetic(spec), warnings, build_basis_words(plan), width)


def arithmetic(specs: Sequence[DepthQASpec], material: Material, plan: DepthQAPlan) -> list[str]:
    """Where the number of calls comes from; all runs of a launch ask the same."""
    graph = material.graph
    shape = [
        figures.count(len(graph.trees), "tree"),
        figures.count(len(graph.nodes), "node"),
        figures.count(len(graph.holders), "question"),
    ]
    lines = [f"Graph: {', '.join(shape)}."]
    for mode, (answers, ratings) in plan.by_mode.items():
        rated = figures.count(ratings, "rating")
        if specs[0].given:
            whose = specs[0].target.removeprefix(GIVEN)
            lines.append(f"Given answers of {whose} ({mode}): {rated}. Nobody but the judge is asked.")
        else:
            lines.append(f"Per run in {mode}: {figures.count(answers, 'answer')}, {rated}.")
    if plan.repeats:
        same = figures.count(plan.repeats, "of these calls is", "of these calls are")
        lines.append(f"{same} the same as an earlier one, to the letter, and not made again.")
    return lines


def ask_basis_words(plan: DepthQAPlan) -> str:
    """Where the figures of asking come from."""
    return (
        f"The calls expected are those of the protocol. {source_words(plan)} The upper ends allow for replies that are "
        f"cut off or cannot be read, and for models that think before they answer. {CACHED}"
    )


def build_arithmetic(spec: DepthQABuildSpec) -> list[str]:
    """Where the number of calls comes from."""
    width = spec.width
    begin = "1 classification and, of those of depth 3, " if spec.classify else ""
    without = sum(not source.reference.strip() for source in spec.questions)
    lines = [
        f"Per question: {begin}1 deconstruction, and one for each question of depth 2 that it rests on: up to {width},"
        f" with up to {width * width} of depth 1."
    ]
    if without:
        lines.append(f"{figures.count(without, 'question has', 'questions have')} no reference answer: it is written.")
    lines.append("Questions that yes or no would answer are reworded, and gaps filled: as many as turn out.")
    if spec.check:
        lines.append(f"Up to {1 + width} ratings of relations per question.")
    if spec.similarity != LEXICAL:
        lines.append(f"The embeddings of {spec.similarity} are not counted.")
    return lines


def build_basis_words(plan: DepthQAPlan) -> str:
    """Where the figures of building come from."""
    return (
        f"{source_words(plan)} How many questions one is taken apart into is not known beforehand: most of the ranges "
        f"comes from that. The upper ends also allow for replies that cannot be read and for thinking. {CACHED}"
    )
