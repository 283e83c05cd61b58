"""The graph of the fifth method: one node per topic."""

from contextlib import nullcontext
from typing import Any

from langgraph.graph import END
from langgraph.types import Send
from typing_extensions import TypedDict

from fathom.graphs.run.deps import Stages, compiled
from fathom.graphs.run.due import FinishedItems, all_due
from fathom.graphs.run.part_graph import PartNodes
from fathom.graphs.run.record import RunRecord
from fathom.graphs.step import Step, Steps
from fathom.state.channels import Stop

from .calls import CALLS, say_symbol
from .state import ToyAnswer, ToyClosed, ToySpec


class ToyState(TypedDict, total=False):
    spec: dict[str, Any]
    run_id: str
    part: int
    result: dict[str, Any]


class Nodes(PartNodes[Steps]):
    def prepare(self, spec: ToySpec, run_id: str) -> Steps:
        return Steps(self.deps, run_id, spec)  # type: ignore[arg-type]

    def stop_of(self, play: Steps, record: RunRecord) -> Stop:
        return Stop(reason="all_asked", detail="every topic was asked about")

    async def open(self, state: ToyState) -> dict[str, Any]:
        await self.begin(state, 5)
        return {}

    async def topic(self, state: ToyState) -> dict[str, Any]:
        run_id, part, spec = (
            state["run_id"],
            state["part"],
            ToySpec.model_validate(state["spec"]),
        )
        steps = self.playing(run_id)

        async def answer(step: Step) -> Any:
            text = await step.ask(say_symbol, spec.topics[part])
            return step.item(ToyAnswer, text, lambda text: {"text": text})  # type: ignore[type-var]

        async def work() -> None:
            due = all_due(CALLS(spec), part, FinishedItems(self.deps.sink, run_id))
            async with self.paid(due) as payer:
                name = f"{steps.short_id}/t{part}"
                await steps.do(name, answer, lambda: nullcontext(payer), concept=part)
                closed: Any = ToyClosed(run_id=run_id, index=part)
                await self.deps.emit(closed)

        return await self.wait_unless(
            await self.play_part(run_id, part, work, topic=spec.topics[part])
        )


def recursion_limit(spec: ToySpec) -> int:
    return 5


def build_graph(deps: Any) -> Any:
    def topics(state: ToyState) -> list[Send]:
        return [
            Send("topic", {**state, "part": n}) for n in range(len(state["spec"]["topics"]))
        ]

    nodes = Nodes(deps)
    stages: Stages = {
        "open": (nodes.open, (topics, ["topic"])),
        "topic": (nodes.topic, "finish"),
        "finish": (nodes.finish, END),
    }
    return compiled("toy", ToyState, deps, stages)
