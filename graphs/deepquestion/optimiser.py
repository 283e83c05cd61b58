"""The prompt optimisation by itself, for other apps: draft → score → draft again, a cycle of two of
DeepQuestion's skills. Its drafts stand in its channels, so that a host's checkpointer keeps them; a
run's own cycle, which is journalled and paid from a budget, is `loop`."""

from random import Random
from typing import Annotated, Any, NotRequired

from langchain_core.tools import BaseTool
from langgraph.graph import END, START, StateGraph
from pydantic import Field
from typing_extensions import TypedDict

from ...agents.export import WORDS, Graph, Model, as_tool, graph_of
from ...agents.export.deepquestion.writing import (
    MOST_SAMPLES,
    ProblemFields,
    prompt_drafter,
    prompt_scorer,
    within,
)
from ...state.channels import gather
from ...state.deepquestion.items import Kind
from ...state.errors import UsageError
from ...tools.models.clients import Clients


class PromptOptimiserInput(TypedDict):
    """What the cycle needs, and its limits."""

    kind: Annotated[Kind, Field(description=WORDS["kind"])]
    problems: Annotated[
        list[ProblemFields], Field(min_length=1, description="Problems of the benchmark.")
    ]
    threshold: NotRequired[
        Annotated[int, Field(ge=1, le=10, description="Score from which a draft is accepted; 8.")]
    ]
    rounds: NotRequired[Annotated[int, Field(ge=1, le=50, description="Most drafts; 5.")]]
    sample: NotRequired[
        Annotated[int, Field(ge=1, le=MOST_SAMPLES, description="Problems drawn to look at; 4.")]
    ]
    seed: NotRequired[Annotated[int, Field(description="What the sample is drawn by; 42.")]]


class Draft(TypedDict):
    """One draft of a transformation prompt, with what the evaluator said of it."""

    round: int
    guide: str
    score: int
    feedback: str


class PromptOptimiserOutput(TypedDict):
    """The accepted draft with its score; where none was accepted (`converged` is false) the best
    one, the earliest of several. `drafts` are all of them."""

    guide: str
    score: int
    converged: bool
    drafts: list[Draft]


class OptimiserState(PromptOptimiserInput):
    """All channels."""

    guide: str
    """Of the last draft, in the end that of the best one."""
    score: int | None
    feedback: str
    converged: bool
    drafts: Annotated[list[Draft], gather]


def prompt_optimiser_graph(
    generator: Model, evaluator: Model | None = None, clients: Clients | None = None
) -> Graph:
    """The cycle: the generator drafts a transformation prompt, the evaluator (where none is given:
    the generator) scores it, until a score reaches the threshold or the last round is over.

    A draft or score that cannot be had raises what the skills raise. The first node raises
    UsageError for a threshold, a number of rounds or a sample that is out of range, and for no
    problem.
    """
    builder = StateGraph(
        OptimiserState, input_schema=PromptOptimiserInput, output_schema=PromptOptimiserOutput
    )
    builder.add_node("begin", _begin, input_schema=PromptOptimiserInput)
    builder.add_node("draft", graph_of(prompt_drafter, generator, clients))
    builder.add_node(
        "rate", graph_of(prompt_scorer, generator if evaluator is None else evaluator, clients)
    )
    builder.add_node("keep", _keep)
    builder.add_edge(START, "begin")
    builder.add_edge("begin", "draft")
    builder.add_edge("draft", "rate")
    builder.add_edge("rate", "keep")
    builder.add_conditional_edges("keep", _after, ["draft", END])
    return builder.compile(name="prompt_optimiser")


def prompt_optimiser_tool(
    generator: Model, evaluator: Model | None = None, clients: Clients | None = None
) -> BaseTool:
    """The cycle as a tool."""
    description = (
        "Have the prompt by which problems are rewritten drafted, scored and improved until it is "
        "good enough."
    )
    return as_tool(
        prompt_optimiser_graph(generator, evaluator, clients), "optimise_prompt", description
    )


async def _begin(state: PromptOptimiserInput) -> dict[str, Any]:
    """Nothing of an earlier optimisation in the same thread; the sample."""
    _threshold(state)
    _rounds(state)
    size, given = within("sample", state.get("sample", 4), 1, MOST_SAMPLES), list(state["problems"])
    if not given:
        raise UsageError("There is no problem to draw a sample from: give at least one.")
    drawn = Random(f"{state.get('seed', 42)}:sample").sample(
        range(len(given)), min(size, len(given))
    )
    samples = [given[place] for place in sorted(drawn)]
    return {
        "problems": samples,
        "guide": "",
        "score": None,
        "feedback": "",
        "converged": False,
        "drafts": None,
    }


async def _keep(state: OptimiserState) -> dict[str, Any]:
    """The draft and its score, kept; at the end the accepted or best draft."""
    score, kept = state["score"], state["drafts"]
    assert score is not None  # it was just given
    draft = Draft(
        round=len(kept) + 1, guide=state["guide"], score=score, feedback=state["feedback"]
    )
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
    return within("threshold", state.get("threshold", 8), 1, 10)


def _rounds(state: PromptOptimiserInput) -> int:
    return within("rounds", state.get("rounds", 5), 1, 50)
