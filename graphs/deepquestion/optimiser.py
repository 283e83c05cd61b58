"""The prompt optimisation by itself, for other apps: draft → score → draft again, a cycle of two of DeepQuestion's
skills. Its drafts stand in its channels, so that a host's checkpointer keeps them; a run's own cycle, which is
journalled and paid from a budget, is `loop`."""

from random import Random
from typing import Annotated, Any

from langchain_core.tools import BaseTool
from langgraph.graph import END, START, StateGraph

from ...agents.export import Graph, Model, tool_of
from ...agents.export.deepquestion import prompt_drafter_graph, prompt_scorer_graph
from ...agents.export.deepquestion.inputs import MOST_SAMPLES, number_in
from ...agents.export.deepquestion.shapes import Draft, PromptOptimiserInput, PromptOptimiserOutput
from ...state.channels import gather
from ...state.errors import UsageError
from ...tools.models.clients import Clients


class OptimiserState(PromptOptimiserInput):
    """All channels."""

    guide: str
    """Of the last draft, in the end that of the best one."""
    score: int | None
    feedback: str
    converged: bool
    drafts: Annotated[list[Draft], gather]


def prompt_optimiser_graph(generator: Model, evaluator: Model | None = None, clients: Clients | None = None) -> Graph:
    """The cycle: the generator drafts a transformation prompt, the evaluator (where none is given: the generator)
    scores it, until a score reaches the threshold or the last round is over.

    A draft or score that cannot be had raises what the skills raise. The first node raises UsageError for a threshold,
    a number of rounds or a sample that is out of range, and for no problem.
    """
    builder = StateGraph(OptimiserState, input_schema=PromptOptimiserInput, output_schema=PromptOptimiserOutput)
    builder.add_node("begin", _begin, input_schema=PromptOptimiserInput)
    builder.add_node("draft", prompt_drafter_graph(generator, clients))
    builder.add_node("rate", prompt_scorer_graph(generator if evaluator is None else evaluator, clients))
    builder.add_node("keep", _keep)
    builder.add_edge(START, "begin")
    builder.add_edge("begin", "draft")
    builder.add_edge("draft", "rate")
    builder.add_edge("rate", "keep")
    builder.add_conditional_edges("keep", _after, ["draft", END])
    return builder.compile(name="prompt_optimiser")


def prompt_optimiser_tool(generator: Model, evaluator: Model | None = None, clients: Clients | None = None) -> BaseTool:
    """The cycle as a tool."""
    description = "Have the prompt by which problems are rewritten drafted, scored and mended until it is good enough."
    return tool_of(prompt_optimiser_graph(generator, evaluator, clients), "optimise_prompt", description)


async def _begin(state: PromptOptimiserInput) -> dict[str, Any]:
    """Nothing of an earlier optimisation in the same thread; the sample."""
    _threshold(state)
    _rounds(state)
    size, given = number_in(state, "sample", 4, 1, MOST_SAMPLES), list(state["problems"])
    if not given:
        raise UsageError("There is no problem to draw a sample from: give at least one.")
    drawn = Random(f"{state.get('seed', 42)}:sample").sample(range(len(given)), min(size, len(given)))
    samples = [given[place] for place in sorted(drawn)]
    return {"problems": samples, "guide": "", "score": None, "feedback": "", "converged": False, "drafts": None}


async def _keep(state: OptimiserState) -> dict[str, Any]:
    """The draft and its score, kept; at the end the accepted or best draft."""
    score, kept = state["score"], state["drafts"]
    assert score is not None  # it was just given
    draft = Draft(round=len(kept) + 1, guide=state["guide"], score=score, feedback=state["feedback"])
    reached = score >= _threshold(state)
    best = draft if reached else max([*kept, draft], key=_rank)
    over = reached or draft["round"] >= _rounds(state)
    ended = {"guide": best["guide"], "score": best["score"], "converged": reached} if over else {}
    return {"drafts": [draft], **ended}


def _after(state: OptimiserState) -> str:
    return END if state["converged"] or len(state["drafts"]) >= _rounds(state) else "draft"


def _rank(draft: Draft) -> tuple[int, int]:
    """By score; of several the earliest."""
    return draft["score"], -draft["round"]


def _threshold(state: PromptOptimiserInput) -> int:
    return number_in(state, "threshold", 8, 1, 10)


def _rounds(state: PromptOptimiserInput) -> int:
    return number_in(state, "rounds", 5, 1, 50)
