"""DepthQA as a LangGraph state machine: open → one Send per tree of questions → finish.

A tree is played by `tree`. Trees share answers to questions that stand in several of them, the
budget and the connections.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from itertools import chain
from typing import Any, TypeVar

from langgraph.graph import END
from langgraph.types import Send
from typing_extensions import TypedDict

from ...agents.judge.rating import rate
from ...agents.prober.answer import answer_in_depth, answer_with_context
from ...state.channels import Stop
from ...state.depthqa.items import MIN_K_TOKENS, DepthAnswer, Rating
from ...state.depthqa.spec import DepthQASpec
from ...state.errors import UsageError
from ...state.events import Marks, TreeClosed
from ...state.items import depthqa_items
from ...state.question_graph import Material, QuestionNode
from ...state.records import Answer, Unscored
from ...tools.models.chat import Payer
from ...tools.models.replies import spoken
from ..run.deps import MethodGraph, RunDeps, Stages, compiled, together
from ..run.due import NOTHING, FinishedItems, PlannedCall, side_by_side
from ..run.part_graph import PartNodes
from ..run.record import RunRecord
from ..run.spread import fixed
from ..step import Step, Steps
from .calls import DepthQACalls, length
from .protocol import SCORE, PlannedQuestion, needed_by, owner_of
from .result import ending_of

I = TypeVar("I", DepthAnswer, Rating)  # noqa: E741 - an item
Quoted = Sequence[tuple[QuestionNode, DepthAnswer | str]]
"""Questions with the answer to each, or its reference."""
WORST = 1
"""The score of a refusal, and of a reply without a word."""


class DepthQAState(TypedDict, total=False):
    """All channels. What is measured is in the sink."""

    spec: dict[str, Any]
    run_id: str
    trees: int
    tree: int
    """Index of the node's."""
    result: dict[str, Any]


SUPERSTEPS = 10
"""At most."""


def recursion_limit(spec: DepthQASpec) -> int:
    return SUPERSTEPS


class Play(Steps):
    """What all trees of one run are played with: each question is asked as soon as what its mode
    needs is there, and its answer rated as soon as it is there. `payer`: who pays for a step that
    the journal does not have yet."""

    def __init__(
        self, deps: RunDeps, spec: DepthQASpec, material: Material, run_id: str
    ) -> None:
        super().__init__(deps, run_id, spec)
        self.spec, self.material, self.graph = spec, material, material.graph
        self.due = needed_by(spec, material)
        every = [*chain.from_iterable(self.due)]
        times = Counter(planned.name for planned in every)
        self.shared = frozenset(name for name, trees in times.items() if trees > 1)
        """Askings that several trees need."""
        self.locks: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self.calls = DepthQACalls(spec, material)
        trees = len(self.due)
        sequence, calls = length(self.calls.chain(fixed(trees))), self.calls.of(every, NOTHING)
        self.window = asyncio.Semaphore(side_by_side(calls, trees, sequence, deps.connections))

    def left(self, due: Sequence[PlannedQuestion]) -> list[PlannedCall]:
        """What these questions still take."""
        return list(self.calls.of(due, FinishedItems(self.deps.sink, self.run_id)))

    def closing(self, index: int) -> TreeClosed:
        """The end of a tree, by what belongs to it and to no earlier one."""
        counts: dict[int, Counter[str]] = defaultdict(
            lambda: Counter(scored=0, unscored=0, total=0)
        )
        for planned in self.calls.trees[index]:
            if planned.scored:
                rating: Any = self.deps.sink.item(self.run_id, f"{self.id_of(planned)}{SCORE}")
                score = rating.score if rating is not None else None
                count = counts[self.graph.by_id[planned.node].depth]
                count["unscored" if score is None else "scored"] += 1
                count["total"] += score or 0
        depths = {depth: Marks(**counts[depth]) for depth in sorted(counts)}
        root = self.graph.trees[index].root
        return TreeClosed(run_id=self.run_id, index=index, root=root, depths=depths)

    async def settle(self, planned: PlannedQuestion, payer: Payer | None) -> None:
        """One question and its rating; what it quotes is asked for now where nobody has yet."""
        answer = await self._answer(planned, await self._context(planned, payer), payer)
        if planned.scored and answer.fault is None:
            await self._rate(planned, answer, payer)

    async def _context(self, planned: PlannedQuestion, payer: Payer | None) -> Quoted:
        """What comes before the question: the turns of its conversation, one after the other; or
        what its prompt quotes, the reference answers or the target's own."""
        nodes = [self.graph.by_id[name] for name in planned.before]
        if planned.mode == "prompt-gold":
            return [(node, node.reference) for node in nodes]
        if planned.conversation is not None:
            turns: list[tuple[QuestionNode, DepthAnswer]] = []
            for number, node in enumerate(nodes):
                before = planned.before[:number]
                turn = replace(planned, node=node.id, nodes=(node.id,), before=before)
                turns.append((node, await self._answer(turn, [*turns], payer)))
            return turns
        rated, answers = "zero-shot" in self.spec.modes, list[Awaitable[DepthAnswer]]()
        for first in [self.graph.first_of[node.id] for node in nodes]:
            quoted = PlannedQuestion(
                "zero-shot", first, self.graph.holders[first], scored=rated
            )
            answers.append(self._answer(quoted, (), payer))
        return list(zip(nodes, await together(*answers), strict=True))

    async def _answer(
        self, planned: PlannedQuestion, quoted: Quoted, payer: Payer | None
    ) -> DepthAnswer:
        async def make(step: Step) -> DepthAnswer:
            reply = await self._reply(step, planned, quoted)
            fields = _fields(planned) | {"scored": planned.scored}
            return step.item(
                DepthAnswer, reply, lambda text: {"answer": _shortened(text)}, **fields
            )

        return await self._do(planned, "", make, payer)

    async def _reply(
        self, step: Step, planned: PlannedQuestion, quoted: Quoted
    ) -> Answer | Unscored:
        if planned.given_answer is not None:
            return _given(planned.given_answer)
        for _, answer in quoted:
            fault = None if isinstance(answer, str) else answer.fault
            if fault is not None and fault.kind != "empty":
                message = f"a quoted answer is missing: {fault.message}"
                return Unscored(stage="context", kind=fault.kind, message=message)
        pairs = [(node.question, _text(answer)) for node, answer in quoted]
        in_prompt = bool(pairs) and planned.conversation is None
        skill = answer_with_context if in_prompt else answer_in_depth
        question, logprobs = self.graph.by_id[planned.node].question, self.spec.logprobs
        return await step.ask(
            skill.up_to(self.spec.answer_tokens), question, pairs, logprobs=logprobs
        )

    async def _rate(
        self, planned: PlannedQuestion, answer: DepthAnswer, payer: Payer | None
    ) -> None:
        node, text, judge = self.graph.by_id[planned.node], answer.answer, self.deps.judge.name
        fields = _fields(planned) | {"of": answer.id}

        async def make(step: Step) -> Rating:
            if text is None or text.refusal or not text.text.strip():
                refused = text is not None and text.refusal
                reason = "the model refused to answer" if refused else "the model said nothing"
                return Rating(**step.fields(), **fields, score=WORST, reason=reason)
            mark = await step.ask(
                rate.up_to(self.spec.judge_tokens),
                node.question,
                node.reference,
                text.text,
                temperature=self.spec.judge_temperature,
                top_p=self.spec.judge_top_p,
            )
            return step.item(
                Rating, mark, lambda mark: {**dict(mark), "judge": judge}, **fields
            )

        await self._do(planned, SCORE, make, payer)

    async def _do(
        self,
        planned: PlannedQuestion,
        suffix: str,
        make: Callable[[Step], Awaitable[I]],
        payer: Payer | None,
    ) -> I:
        tree = owner_of(self.graph, planned)
        return await self.do(
            f"{self.id_of(planned)}{suffix}", make, lambda: nullcontext(payer), tree=tree
        )

    def id_of(self, planned: PlannedQuestion) -> str:
        """Of the answer; its rating's has `@score` behind it."""
        return f"{self.short_id}/{planned.name}"


class Nodes(PartNodes[Play]):
    """The nodes, bound to their dependencies."""

    def prepare(self, spec: DepthQASpec, run_id: str) -> Play:
        """With the questions as the journal has them, else as they were handed over. Raises
        UsageError without them."""
        started = self.deps.sink.run(run_id).started
        material = (started.material if started else None) or self.deps.material
        if (
            material is None
            or material.digest != spec.material
            or spec.given != (material.answers is not None)
        ):
            raise UsageError(
                f"The questions of {spec.graph} are not this run's, or were not kept, and no model "
                "was called: start the run again with its graph, and remove this one."
            )
        return Play(self.deps, spec, material, run_id)

    def about(self, play: Play) -> dict[str, Any]:
        return {"material": play.material}

    def stop_of(self, play: Play, record: RunRecord) -> Stop:
        return ending_of(play.spec, play.material, depthqa_items(record.items))

    async def open(self, state: DepthQAState) -> dict[str, Any]:
        """Begin the run."""
        play = await self.begin(state, SUPERSTEPS)
        return {"trees": len(play.due)}

    async def tree(self, state: DepthQAState) -> dict[str, Any]:
        """Everything about one tree."""
        run_id, index = state["run_id"], state["tree"]
        play = self.playing(run_id)

        async def work() -> None:
            async with play.window:
                await self._play(play, index)

        root = play.graph.trees[index].root
        return await self.wait_unless(await self.play_part(run_id, index, work, tree=root))

    async def _play(self, play: Play, index: int) -> None:
        due = play.due[index]
        if self.deps.budget is not None:
            # a tree that waited for another one's step would keep what is set aside for it from
            # those who need it, so that what is shared comes first and is paid for by itself; what
            # is quoted before what quotes it
            common = [planned for planned in due if planned.name in play.shared]
            for quoting in (False, True):
                wave = [planned for planned in common if bool(planned.before) == quoting]
                await together(*(self._first(play, planned) for planned in wave))
        async with self.paid(play.left(due)) as payer:
            await together(*(play.settle(planned, payer) for planned in due))
            await self.deps.emit(play.closing(index))

    async def _first(self, play: Play, planned: PlannedQuestion) -> None:
        """One shared asking, by whichever tree comes first."""
        async with play.locks[planned.name], self.paid(play.left([planned])) as payer:
            await play.settle(planned, payer)


def build_graph(deps: RunDeps) -> MethodGraph:
    """The compiled DepthQA run over `deps.material`."""
    nodes = Nodes(deps)
    stages: Stages = {
        "open": (nodes.open, (_trees, ["tree"])),
        "tree": (nodes.tree, "finish"),
        "finish": (nodes.finish, END),
    }
    return compiled("depthqa", DepthQAState, deps, stages)


def _trees(state: DepthQAState) -> list[Send]:
    run_id = state["run_id"]
    return [Send("tree", {"run_id": run_id, "tree": tree}) for tree in range(state["trees"])]


def _fields(planned: PlannedQuestion) -> dict[str, object]:
    return {
        "mode": planned.mode,
        "nodes": planned.nodes,
        "conversation": planned.conversation,
    }


def _text(answer: DepthAnswer | str) -> str:
    if isinstance(answer, str):
        return answer
    return answer.answer.text if answer.answer else ""


def _given(text: str) -> Answer | Unscored:
    """An answer that was given, without its thoughts."""
    answer, thoughts, _ = spoken(text)
    if answer.strip():
        return Answer(text=answer, finish="given", thoughts=bool(thoughts))
    return Unscored(stage="answer", kind="empty", message="the given answer is empty")


def _shortened(answer: Answer) -> Answer:
    """With as many log-probabilities as Min-K% looks at."""
    if answer.logprobs is None:
        return answer
    return answer.model_copy(update={"logprobs": answer.logprobs[:MIN_K_TOKENS]})
