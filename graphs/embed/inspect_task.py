"""Drills as tasks of Inspect AI, which finds them by its entry point: `inspect eval fathom/drill`.
Target and evaluator are Inspect's own models; its cache, limits, logs and viewer hold for them."""

import os
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
)
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import json_schema

from ...state.errors import CallFailed, RunFailed, UsageError
from ...state.events import Event, ProbeJudged
from ...state.records import Usage
from ...state.result import DrillResult
from ...state.spec import DrillOptions
from ...tools.models.chat import ChatReply, ChatRequest
from . import embed_drill

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
    unknown = sorted(options.keys() - DrillOptions.__annotations__)
    if unknown:
        raise UsageError(f"A drill has no option {unknown[0]!r}: leave it out.")
    samples = [Sample(id=name.strip(), input=name.strip()) for name in domain.split(";")]
    return Task(
        dataset=MemoryDataset(samples, name="fathom"),
        solver=drilled(evaluator, judge, facts, options),
        scorer=expected_valid_depth(),
    )


@solver
def drilled(
    evaluator: str | None, judge: str | None, facts: str | None, options: dict[str, Any]
) -> Solver:
    """Drill the model under test; each probe is an event of the transcript."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        writer = evaluator or InspectChat(get_model(role="evaluator", required=True))
        named = get_model(role="judge", default=None) if judge is None else None
        verdicts = judge or (InspectChat(named) if named and evaluator is None else None)

        def tell(event: Event) -> None:
            if isinstance(event, ProbeJudged):
                transcript().info(event.probe.model_dump(mode="json"), source="fathom")

        async with embed_drill(
            InspectChat(get_model()),
            writer,
            verdicts,
            facts=facts,
            env=os.environ,
            listeners=[tell],
        ) as bound:
            state_in = bound.input(state.input_text, **options)
            result = bound.result(await bound.graph.ainvoke(state_in))
        if result.status == "failed":
            raise RunFailed(f"{result.stop_detail}.")
        state.metadata["fathom"] = result.model_dump(mode="json", exclude={"probes"})
        state.output.completion = f"EVD {getattr(result, 'evd', None)}"
        return state

    return solve


@scorer(metrics=[mean()])
def expected_valid_depth() -> Scorer:
    """EVD, in steps of depth; its interval and all else are the score's metadata."""

    async def score(state: TaskState, target: Target) -> Score:
        found = state.metadata["fathom"]
        names = DrillResult.model_fields.keys() & {
            "evd_ci",
            "evd_bounds",
            "censored",
            "stop_reason",
        }
        low, high = found["evd_ci"] or (None, None)
        said = f"EVD {found['evd']:.2f}, 95% interval {low} to {high}"
        return Score(
            value=found["evd"],
            explanation=said,
            metadata={name: found[name] for name in sorted(names)},
        )

    return score
