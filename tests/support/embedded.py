"""The methods' graphs as a host embeds them: how each is bound, what it is asked, and who plays its
parts."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, NamedTuple

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

import fathom
from fathom.state.tiers import Tier
from fathom.tools.models.chat import ChatRequest

from .deepquestion.toy import SUMS, QuestionModel
from .depthqa.toy import TWO_TREES, BuildModel, DepthModel
from .drill.drills import TODAY
from .drill.toy import ToyChat, ToySource
from .eqt.toy import ToyModel

FACTS = {tier: [ToySource()] for tier in Tier}


class Toy(ToyChat):
    """The toy of drills under a name of its own."""

    def __init__(self, name: str = "toy") -> None:
        super().__init__(skill=1.0)
        self._name = name

    @property
    def name(self) -> str:
        return self._name


class Embedding(NamedTuple):
    """`roles`: who takes part, in order; `material`: what the graph is bound to besides; `asks` and
    `size` are what `input` takes; `toy` makes a model in memory; `stands_in`: role → who does its
    work where it is not given."""

    material: Any
    roles: tuple[str, ...]
    asks: tuple[Any, ...]
    size: dict[str, Any]
    toy: Callable[[str], Any]
    simulated: tuple[str, ...]
    """The models of a run in the simulated world."""
    stands_in: dict[str, str] = {}  # noqa: RUF012  # never changed


EMBEDDINGS = {
    "drill": Embedding(
        FACTS, ("target", "evaluator", "judge"), ("Chemical elements",),
        {"n": 4, "max_depth": 2, "seed": 3, "as_of": TODAY}, Toy,
        ("sim:student", "sim:evaluator"), {"judge": "evaluator"},
    ),
    "eqt": Embedding(
        None, ("target", "examiner", "judge"), (["Gold", "Iodine"],),
        {"questions": 2, "options": 4, "paraphrases": 1, "open_book": True, "verify_paraphrases": True}, ToyModel,
        ("sim:student",), {"examiner": "target", "judge": "examiner"},
    ),
    "depthqa": Embedding(
        TWO_TREES, ("target", "judge"), (), {}, DepthModel, ("sim:student", "sim:evaluator"),
    ),
    "depthqa_build": Embedding(
        None, ("evaluator",), (["What about q1?", "What about q2?"],), {}, BuildModel,
        ("sim:evaluator",),
    ),
    "deepquestion": Embedding(
        list(SUMS[:2]), ("target", "evaluator", "generator", "judge"), (),
        {"distractors": ["none", "some"], "baseline": 1}, QuestionModel,
        ("sim:student", "sim:evaluator"), {"generator": "evaluator", "judge": "evaluator"},
    ),
}  # fmt: skip
METHODS = tuple(EMBEDDINGS)


def bound(method: str, *models: Any, **options: Any) -> AbstractAsyncContextManager[Any]:
    """The method's graph over these models, by role; over a single one all roles that have to be
    named."""
    found = EMBEDDINGS[method]
    in_memory = method != "drill" or not any(isinstance(model, str) for model in models)
    material = options.pop("facts", found.material if in_memory else None)
    needed = [role for role in found.roles if role not in found.stands_in]
    named = (
        dict.fromkeys(needed, models[0])
        if len(models) == 1
        else dict(zip(found.roles, models, strict=False))
    )
    return fathom.embed(method, named, material=material, **options)


def given_to(embedded: Any, method: str, **options: Any) -> Any:
    """An input of the graph, with a run id of its own."""
    found = EMBEDDINGS[method]
    return embedded.input(*found.asks, **found.size | options)


def asked(model: Any) -> list[ChatRequest]:
    """The requests that a model in memory was sent."""
    requests: list[ChatRequest] = model.requests if hasattr(model, "requests") else model.asked
    return requests


class HostState(TypedDict, total=False):
    """A host's own channels, and those of the methods."""

    spec: dict[str, Any]
    run_id: str
    result: dict[str, Any]
    seen: int


def host(graph: Any, saver: Any = None) -> Any:
    """A host's app, in which the graph is one of two nodes."""

    async def before(state: HostState) -> HostState:
        return {"seen": 1}

    builder = StateGraph(HostState)
    builder.add_node("before", before)
    builder.add_node("asking", graph)
    builder.add_edge(START, "before")
    builder.add_edge("before", "asking")
    builder.add_edge("asking", END)
    return builder.compile(saver)


PASSING = {"latency_s", "elapsed_s", "retrieved_at", "wall_s", "usage", "run_id", "attempts", "cached", "saved_usd"} | {
    "request", "provenance", "cost_usd",
}  # fmt: skip
"""Fields that may differ between runs of one spec."""


def lasting(output: Any) -> Any:
    """A result without what may differ between runs of one spec."""
    if isinstance(output, dict):
        return {key: lasting(value) for key, value in output.items() if key not in PASSING}
    return [lasting(value) for value in output] if isinstance(output, list) else output


def picture(result: dict[str, Any]) -> str:
    """What lasts of a result, with the same name for every run."""
    run = result["run_id"]
    return str(lasting(result)).replace(run, "RUN").replace(run.rpartition("-")[2], "RUN")
