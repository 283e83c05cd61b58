"""Drills and Explain-Query-Tests as tasks of Inspect AI, which finds them by its entry point:
`inspect eval fathom/drill`. Target and evaluator are Inspect's own models; its cache, limits, logs
and viewer hold for them."""

import os
from math import nan
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import transcript
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ResponseSchema,
    get_model,
    model_roles,
)
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import LimitExceededError, json_schema

from ...state.errors import CallFailed, RunFailed
from ...state.events import Event, ItemFinished, ProbeJudged
from ...state.records import Usage
from ...tools.models.chat import ChatReply, ChatRequest
from . import embed

FINISHES = {"max_tokens": "length", "model_length": "length"}
"""Inspect's reasons for a reply's end that Fathom calls otherwise."""
MESSAGES: dict[str, type[ChatMessage]] = {
    "system": ChatMessageSystem,
    "user": ChatMessageUser,
    "assistant": ChatMessageAssistant,
}


class InspectChat:
    """A model of Inspect's. Implements Chat."""

    caveats = ("the model is asked through Inspect AI, with its own retries and limits",)

    def __init__(self, model: Model) -> None:
        self.model, self.name = model, f"inspect:{model}"

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Its reply. Raises CallFailed, whatever Inspect raises once it tries no more."""
        shape = None
        if request.schema is not None:
            shape = ResponseSchema(name=request.purpose, json_schema=json_schema(request.schema))
        config = GenerateConfig(
            max_tokens=request.max_tokens,
            temperature=request.temperature,
            top_p=request.top_p,
            seed=request.seed,
            response_schema=shape,
        )
        messages = [MESSAGES[each.role](content=each.content) for each in request.messages]
        try:
            output = await self.model.generate(messages, config=config)
        except LimitExceededError:  # it ends the sample, as Inspect means it to
            raise
        except Exception as error:  # any provider's: all failures become data here
            raise CallFailed("server", f"{self.name}: {error}.", attempts=1) from error
        used = output.usage
        return ChatReply(
            text=output.completion,
            finish=FINISHES.get(output.stop_reason, output.stop_reason),
            refusal=output.error,
            usage=Usage(
                input_tokens=used.input_tokens if used else None,
                output_tokens=used.output_tokens if used else None,
            ),
            latency_s=output.time or 0.0,
            model=output.model,
        )


@task
def drill(
    domain: str,
    evaluator: str | None = None,
    judge: str | None = None,
    facts: str | None = None,
    **options: Any,
) -> Task:
    """How many follow-up questions a model's knowledge survives, in each of the domains (several
    separated by `;`). `evaluator`, `judge`: models of Fathom's, in place of Inspect's model roles
    of these names; `facts`: as `--facts`; options: those of a drill, such as n and max_depth."""
    named = {"evaluator": evaluator, "judge": judge}
    measured = measuring("drill", "evaluator", named, facts, options)
    return Task(dataset=_samples(domain), solver=measured, scorer=expected_valid_depth())


@task
def eqt(
    concepts: str, examiner: str | None = None, judge: str | None = None, **options: Any
) -> Task:
    """Whether a model answers questions on its own explanations of each of the concepts (several
    separated by `;`). `examiner`, `judge`: models of Fathom's, in place of Inspect's model roles of
    these names; the model itself where there is neither. Options: those of an Explain-Query-Test,
    such as questions and paraphrases."""
    measured = measuring("eqt", None, {"examiner": examiner, "judge": judge}, None, options)
    return Task(dataset=_samples(concepts), solver=measured, scorer=accuracy_and_consistency())


def _samples(names: str) -> MemoryDataset:
    listed = [name.strip() for name in names.split(";")]
    return MemoryDataset([Sample(id=name, input=name) for name in listed], name="fathom")


@solver
def measuring(
    method: str,
    required: str | None,
    named: dict[str, str | None],
    material: str | None,
    options: dict[str, Any],
) -> Solver:
    """Measure the model under test; each judged probe or finished step is an event of the
    transcript."""

    def tell(event: Event) -> None:
        if isinstance(event, ProbeJudged | ItemFinished):
            kept = event.probe if isinstance(event, ProbeJudged) else event.item
            transcript().info(kept.model_dump(mode="json"), source="fathom")

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        models: dict[str, Any] = {"target": InspectChat(get_model())}
        for role, name in named.items():
            if name is not None:
                models[role] = name
            elif role in model_roles() or role == required:
                models[role] = InspectChat(get_model(role=role, required=True))
        host: dict[str, Any] = {"env": os.environ, "listeners": [tell]}
        async with embed(method, models, material=material, **host) as bound:
            asked = bound.input(state.input_text, **options)
            result = bound.result(await bound.graph.ainvoke(asked))
        if result.status == "failed":
            raise RunFailed(f"{result.stop_detail}.")
        state.metadata["fathom"] = result.model_dump(mode="json", exclude={"probes", "concepts"})
        return state

    return solve


@scorer(metrics=[mean()])
def expected_valid_depth() -> Scorer:
    """EVD, in steps of depth; its interval and how the drill ended are the score's metadata."""

    async def score(state: TaskState, target: Target) -> Score:
        found = state.metadata["fathom"]
        low, high = found["evd_ci"] or (None, None)
        kept = ("censored", "evd_bounds", "evd_ci", "simulated", "stop_reason")
        return Score(
            value=found["evd"],
            explanation=f"EVD {found['evd']:.2f}, 95% interval {low} to {high}",
            metadata={name: found[name] for name in kept},
        )

    return score


@scorer(metrics={"accuracy": [mean()], "acs": [mean()]})
def accuracy_and_consistency() -> Scorer:
    """Closed-book accuracy, and how often all wordings of a question get the same answer; without
    any readable answer neither is a number."""

    async def score(state: TaskState, target: Target) -> Score:
        numbers = state.metadata["fathom"]["numbers"]
        found = {"accuracy": numbers["all"]["accuracy"], "acs": numbers["consistency"]["acs"]}
        value = {name: nan if figure is None else figure for name, figure in found.items()}
        kept = {
            "accuracy_ci": numbers["all"]["ci_clustered"],
            "acs_ci": numbers["consistency"]["acs_ci"],
        }
        return Score(value=value, metadata=kept)

    return score
