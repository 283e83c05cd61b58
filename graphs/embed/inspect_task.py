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
from ..answers import measures_of, rows_of
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
            shape = ResponseSchema(
                name=request.purpose, json_schema=json_schema(request.schema)
            )
        config = GenerateConfig(
            max_tokens=request.max_tokens,
            temperature=request.temperature,
            top_p=request.top_p,
            seed=request.seed,
            response_schema=shape,
        )
        messages = [
            MESSAGES[message.role](content=message.content) for message in request.messages
        ]
        try:
            output = await self.model.generate(messages, config=config)
        except LimitExceededError:  # it ends the sample, as Inspect means it to
            raise
        except Exception as error:  # any provider's: all failures become data here
            raise CallFailed("server", f"{self.name}: {error}.", attempts=1) from error
        usage = output.usage
        return ChatReply(
            text=output.completion,
            finish=FINISHES.get(output.stop_reason, output.stop_reason),
            refusal=output.error,
            usage=Usage(
                input_tokens=usage.input_tokens if usage else None,
                output_tokens=usage.output_tokens if usage else None,
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
    roles = {"evaluator": evaluator, "judge": judge}
    return _task("drill", domain, roles, options, facts, required="evaluator")


@task
def eqt(
    concepts: str, examiner: str | None = None, judge: str | None = None, **options: Any
) -> Task:
    """Whether a model answers questions on its own explanations of each of the concepts (several
    separated by `;`). `examiner`, `judge`: models of Fathom's, in place of Inspect's model roles of
    these names; the model itself where there is neither. Options: those of an Explain-Query-Test,
    such as questions and paraphrases."""
    return _task("eqt", concepts, {"examiner": examiner, "judge": judge}, options)


def _task(
    method: str,
    names: str,
    roles: dict[str, str | None],
    options: dict[str, Any],
    material: str | None = None,
    required: str = "",
) -> Task:
    samples = [Sample(id=name.strip(), input=name.strip()) for name in names.split(";")]
    return Task(
        dataset=MemoryDataset(samples, name="fathom"),
        solver=measuring(method, roles, options, material, required),
        scorer=measures(),
    )


@solver
def measuring(
    method: str,
    roles: dict[str, str | None],
    options: dict[str, Any],
    material: str | None,
    required: str,
) -> Solver:
    """Measure the model under test; each judged probe or finished step is an event of the
    transcript. `required`: the role that needs a model."""

    def tell(event: Event) -> None:
        if isinstance(event, ProbeJudged | ItemFinished):
            item = event.probe if isinstance(event, ProbeJudged) else event.item
            transcript().info(item.model_dump(mode="json"), source="fathom")

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        models: dict[str, Any] = {"target": InspectChat(get_model())}
        for role, name in roles.items():
            if name is not None:
                models[role] = name
            elif role in model_roles() or role == required:
                models[role] = InspectChat(get_model(role=role, required=True))
        host: dict[str, Any] = {"material": material, "env": os.environ, "listeners": [tell]}
        async with embed(method, models, **host) as bound:
            result = bound.result(
                await bound.graph.ainvoke(bound.input(state.input_text, **options))
            )
        if result.status == "failed":
            raise RunFailed(f"{result.stop_detail}.")
        rows = rows_of(result)
        estimates = {measure.name: measure.of(rows) for measure in measures_of(method)}
        state.metadata["fathom"] = {
            name: {
                "value": estimate.value,
                "low": estimate.low,
                "high": estimate.high,
                "n": estimate.n,
            }
            for name, estimate in estimates.items()
        }
        state.metadata |= {"simulated": result.simulated, "stop_reason": result.stop_reason}
        return state

    return solve


@scorer(metrics={"*": [mean()]})
def measures() -> Scorer:
    """All that the method measures; what has no value is not a number. Intervals are the score's
    metadata."""

    async def score(state: TaskState, target: Target) -> Score:
        estimates = state.metadata.get("fathom")
        if estimates is None:  # one of Inspect's limits has ended the sample
            return Score.unscored(explanation="nothing was measured to its end")
        values = {name: estimate["value"] for name, estimate in estimates.items()}
        return Score(
            value={name: nan if value is None else value for name, value in values.items()},
            metadata=estimates,
        )

    return score
