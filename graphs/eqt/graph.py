"""Explain-Query-Test as a LangGraph state machine: open → one Send per concept → sample → one Send
per attribution → finish. A concept is played by `concept`; concepts share nothing but the budget
and the connections.
"""

import asyncio
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from langgraph.graph import END
from langgraph.types import Send
from typing_extensions import TypedDict

from ...agents.judge.verdict import attribute
from ...state.channels import Stop
from ...state.eqt.items import Attribution, Choice
from ...state.items import eqt_items
from ...state.spec import EqtSpec
from ..run.deps import MethodGraph, RunDeps, Stages, compiled, wait_while_stopping
from ..run.due import NOTHING, ONCE, FinishedItems, all_due, side_by_side, step_cost
from ..run.part_graph import PartNodes
from ..run.record import RunRecord
from ..step import Step, Steps, admitted
from .calls import EqtCalls
from .concept import ConceptRun, concept_id
from .items import in_order, parent_of, require_whole, sample_of, wording_of
from .result import ending_of


class EqtState(TypedDict, total=False):
    """All channels. What is measured is in the sink."""

    spec: dict[str, Any]
    run_id: str
    index: int
    """Place of the node's concept in the run's list."""
    answers: list[str]
    """Ids of the wrong answers whose cause is asked for."""
    answer: str
    """The node's."""
    result: dict[str, Any]


SUPERSTEPS = 10
"""At most."""


def recursion_limit(spec: EqtSpec) -> int:
    return SUPERSTEPS


class Play:
    """What all concepts of one run are played with."""

    def __init__(self, deps: RunDeps, spec: EqtSpec) -> None:
        self.spec, calls = spec, EqtCalls(spec)
        first, stages = calls.due(0, NOTHING), len(calls.chain(ONCE))
        self.window = asyncio.Semaphore(side_by_side(first, 1, stages, deps.connections))


class Nodes(PartNodes[Play]):
    """The nodes, bound to their dependencies."""

    def prepare(self, spec: EqtSpec, run_id: str) -> Play:
        return Play(self.deps, spec)

    def stop_of(self, play: Play, record: RunRecord) -> Stop:
        return ending_of(play.spec, eqt_items(record.items))

    async def open(self, state: EqtState) -> dict[str, Any]:
        """Begin the run."""
        await self.begin(state, SUPERSTEPS)
        return {"answers": []}

    async def concept(self, state: EqtState) -> dict[str, Any]:
        """Everything about one concept."""
        run_id, index = state["run_id"], state["index"]
        play = self.playing(run_id)

        async def work() -> None:
            one_concept = {"concepts": (play.spec.concepts[index],)}
            spec = play.spec.model_copy(update=one_concept)
            async with play.window:
                due = all_due(EqtCalls(spec), index, FinishedItems(self.deps.sink, run_id))
                async with self.paid(due) as payer:
                    await ConceptRun(self.deps, spec, run_id, index, payer).play()

        return await self.wait_unless(
            await self.play_part(run_id, index, work, concept=concept_id(run_id, index))
        )

    async def sample(self, state: EqtState) -> dict[str, Any]:
        """Draw the wrong answers whose cause is asked for."""
        run_id, sink = state["run_id"], self.deps.sink
        await wait_while_stopping(self.deps, run_id)
        spec = self.playing(run_id).spec
        if not spec.attribute:
            return {"answers": []}
        items = eqt_items(sink.items(run_id))
        for items_of_concept in in_order(items).values():
            require_whole(items_of_concept)
        return {"answers": sample_of(spec, items, sink.run(run_id).parts)}

    async def attribute(self, state: EqtState) -> dict[str, Any]:
        """What one wrong answer comes from."""
        run_id, answer = state["run_id"], state["answer"]
        await wait_while_stopping(self.deps, run_id)
        choice: Any = self.deps.sink.item(run_id, answer)
        spec = self.playing(run_id).spec

        async def work() -> None:
            due = [replace(EqtCalls(spec).attribution(NOTHING), number=ONCE)]
            async with admitted(self.deps.budget, lambda: step_cost(self.deps, due)) as payer:
                await Steps(self.deps, run_id, spec).do(
                    f"{answer}.why",
                    lambda step: self._attribution(step, spec, run_id, choice),
                    lambda: nullcontext(payer),
                    concept=choice.concept,
                )

        return await self.step_paid(work, answer=answer)

    async def _attribution(
        self, step: Step, spec: EqtSpec, run_id: str, choice: Choice
    ) -> Attribution:
        def item_of(name: str) -> Any:
            return self.deps.sink.item(run_id, name)

        question, wording = item_of(parent_of(choice)), item_of(wording_of(choice))
        options = [question.options[identity] for identity in choice.order]
        right = [chr(65 + n) for n, option in enumerate(options) if option.correct]
        blame = await step.ask(
            attribute,
            spec.concepts[choice.concept].name,
            item_of(parent_of(question)).text,
            wording.text,
            [option.text for option in options],
            ", ".join(right),
            ", ".join(choice.letters),
        )
        return step.item(
            Attribution, blame, dict, question=choice.question, paraphrase=choice.paraphrase
        )


def build_graph(deps: RunDeps) -> MethodGraph:
    """The compiled Explain-Query-Test; its examiner is `deps.evaluator`."""
    nodes = Nodes(deps)
    stages: Stages = {
        "open": (nodes.open, (_concepts, ["concept"])),
        "concept": (nodes.concept, "sample"),
        "sample": (nodes.sample, (_answers, ["attribute", "finish"])),
        "attribute": (nodes.attribute, "finish"),
        "finish": (nodes.finish, END),
    }
    return compiled("eqt", EqtState, deps, stages)


def _concepts(state: EqtState) -> list[Send]:
    indices = range(len(state["spec"]["concepts"]))
    return [Send("concept", {"run_id": state["run_id"], "index": index}) for index in indices]


def _answers(state: EqtState) -> str | list[Send]:
    run_id = state["run_id"]
    sends = [Send("attribute", {"run_id": run_id, "answer": name}) for name in state["answers"]]
    return sends or "finish"
