"""One tree of DepthQA: each question is asked as soon as what its mode needs is there, and rated as
soon as it is answered. Questions of one depth never wait for each other; every step is journalled
as it finishes."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from typing import TypeVar

from ...agents.judge.rating import rate
from ...agents.prober.answer import answer_in_depth, answer_with_context
from ...state.depthqa.items import MIN_K_TOKENS, DepthAnswer, Material, QuestionNode, Rating
from ...state.depthqa.spec import DepthQASpec
from ...state.events import Marks, TreeClosed
from ...state.records import Answer, Unscored
from ...tools.models.chat import Payer
from ...tools.models.reading import THOUGHTS, spoken
from ..run.deps import RunDeps, together
from ..step import Step, Steps
from .protocol import SCORE, PlannedQuestion, owner_of

I = TypeVar("I", DepthAnswer, Rating)  # noqa: E741 - an item
Quoted = Sequence[tuple[QuestionNode, DepthAnswer | str]]
"""Questions with what was said to each, or its reference."""
WORST = 1
"""The score of a refusal, and of a reply without a word."""


class Shared(Steps):
    """What the trees of one run share."""

    def __init__(self, deps: RunDeps, spec: DepthQASpec, material: Material, run_id: str) -> None:
        super().__init__(deps, run_id, spec)
        self.spec, self.graph = spec, material.graph

    def id_of(self, planned: PlannedQuestion) -> str:
        return f"{self.short_id}/{planned.place}"


class TreeRun:
    """Plays one tree."""

    def __init__(self, shared: Shared, index: int, due: Sequence[PlannedQuestion]) -> None:
        self.shared, self.index, self.due = shared, index, due
        self.payer: Payer | None = None
        self.deps, self.spec, self.graph = shared.deps, shared.spec, shared.graph
        self._scores: dict[int, Counter[str]] = defaultdict(Counter)

    async def settle(self, planned: PlannedQuestion, payer: Payer | None) -> None:
        """One asking and its rating, and nothing else."""
        self.payer = payer
        await self._ask_and_rate(planned)

    async def play(self, payer: Payer | None) -> None:
        """Everything about the tree, down to its closing event."""
        self.payer = payer
        turns: dict[str, list[PlannedQuestion]] = defaultdict(list)
        for planned in self.due:
            turns[planned.conversation or ""].append(planned)
        alone = turns.pop("", [])
        await together(*map(self._ask_and_rate, alone), *map(self._converse, turns.values()))
        tree = self.graph.trees[self.index]
        depths = {depth: _marks(found) for depth, found in sorted(self._scores.items())}
        closed = TreeClosed(
            run_id=self.shared.run_id, index=self.index, root=tree.root, depths=depths
        )
        await self.deps.emit(closed)

    async def _ask_and_rate(self, planned: PlannedQuestion) -> None:
        await self._rated(planned, await self._answered(planned))

    async def _converse(self, turns: Sequence[PlannedQuestion]) -> None:
        """The turns one after the other, their ratings beside them."""
        said: list[tuple[PlannedQuestion, DepthAnswer]] = []
        loop = asyncio.get_running_loop()
        ready: list[asyncio.Future[DepthAnswer]] = [loop.create_future() for _ in turns]

        async def talk() -> None:
            for planned, done in zip(turns, ready, strict=True):
                answer = await self._turn(planned, said)
                said.append((planned, answer))
                done.set_result(answer)

        async def mark(planned: PlannedQuestion, done: asyncio.Future[DepthAnswer]) -> None:
            await self._rated(planned, await done)

        await together(
            talk(), *(mark(planned, done) for planned, done in zip(turns, ready, strict=True))
        )

    async def _turn(
        self, planned: PlannedQuestion, said: Sequence[tuple[PlannedQuestion, DepthAnswer]]
    ) -> DepthAnswer:
        return await self._say(
            planned, earlier=[(self._node(turn), answer) for turn, answer in said]
        )

    async def _answered(self, planned: PlannedQuestion) -> DepthAnswer:
        if planned.given is not None:
            return await self._hand_in(planned, planned.given)
        return await self._say(planned, context=await self._context(planned))

    async def _do(
        self, planned: PlannedQuestion, make: Callable[[Step], Awaitable[I]], suffix: str = ""
    ) -> I:
        item_id, tree = f"{self.shared.id_of(planned)}{suffix}", owner_of(self.graph, planned)
        return await self.shared.do(item_id, make, lambda: nullcontext(self.payer), tree=tree)

    async def _context(
        self, planned: PlannedQuestion
    ) -> list[tuple[QuestionNode, DepthAnswer | str]]:
        """What the prompt quotes: the reference answers, or the target's own, asked for now where
        nobody has yet."""
        nodes = [self.graph.by_id[node_id] for node_id in planned.before]
        if planned.mode == "prompt-gold":
            return [(node, node.reference) for node in nodes]
        firsts = [self.graph.first_of[node.id] for node in nodes]
        own = await together(*(self._answered(self._quoted(first)) for first in firsts))
        return list(zip(nodes, own, strict=True))

    def _quoted(self, first: str) -> PlannedQuestion:
        return PlannedQuestion(
            "zero-shot", first, self.graph.holders[first], scored="zero-shot" in self.spec.modes
        )

    async def _hand_in(self, planned: PlannedQuestion, text: str) -> DepthAnswer:
        async def make(step: Step) -> DepthAnswer:
            told = _given(text)
            return step.item(
                DepthAnswer, told, lambda said: {"answer": said}, **_place(planned), scored=True
            )

        return await self._do(planned, make)

    async def _say(
        self, planned: PlannedQuestion, context: Quoted = (), earlier: Quoted = ()
    ) -> DepthAnswer:
        quoted = [said for _, said in (*context, *earlier) if isinstance(said, DepthAnswer)]
        missing = next(
            (said for said in quoted if said.fault is not None and said.fault.kind != "empty"), None
        )

        async def make(step: Step) -> DepthAnswer:
            told: Answer | Unscored
            if missing is not None and missing.fault is not None:
                message = f"{missing.id} is missing: {missing.fault.message}"
                told = Unscored(stage="context", kind=missing.fault.kind, message=message)
            else:
                told = await self._ask(
                    self._node(planned).question, _pairs(context), _pairs(earlier), step
                )
            place = {**_place(planned), "scored": planned.scored}
            return step.item(DepthAnswer, told, lambda said: {"answer": _shortened(said)}, **place)

        return await self._do(planned, make)

    async def _ask(
        self,
        question: str,
        context: Sequence[tuple[str, str]],
        earlier: Sequence[tuple[str, str]],
        step: Step,
    ) -> Answer | Unscored:
        room, logprobs = self.spec.answer_tokens, self.spec.logprobs
        if context:
            return await step.ask(
                answer_with_context.up_to(room), question, context, logprobs=logprobs
            )
        return await step.ask(answer_in_depth.up_to(room), question, earlier, logprobs=logprobs)

    async def _rated(self, planned: PlannedQuestion, answer: DepthAnswer) -> None:
        if not planned.scored:
            return
        # what another tree tells of is not told twice
        marks = (
            self._scores[self._node(planned).depth]
            if owner_of(self.graph, planned) == self.index
            else Counter[str]()
        )
        if answer.fault is not None:
            marks["unscored"] += 1
            return
        rating = await self._rate(planned, answer)
        marks["unscored" if rating.score is None else "scored"] += 1
        marks["total"] += rating.score or 0

    async def _rate(self, planned: PlannedQuestion, answer: DepthAnswer) -> Rating:
        node, said, judge = self._node(planned), answer.answer, self.deps.judge.name
        place = {"of": answer.id, **_place(planned)}

        async def make(step: Step) -> Rating:
            if said is None or said.refusal or not said.text.strip():
                reason = (
                    "the model refused to answer"
                    if said and said.refusal
                    else "the model said nothing"
                )
                return Rating(**step.fields(), **place, score=WORST, reason=reason)
            told = await step.ask(
                rate.up_to(self.spec.judge_tokens),
                node.question,
                node.reference,
                said.text,
                temperature=self.spec.judge_temperature,
                top_p=self.spec.judge_top_p,
            )
            return step.item(Rating, told, lambda mark: {**dict(mark), "judge": judge}, **place)

        return await self._do(planned, make, SCORE)

    def _node(self, planned: PlannedQuestion) -> QuestionNode:
        return self.graph.by_id[planned.node]


def _place(planned: PlannedQuestion) -> dict[str, object]:
    return {
        "mode": planned.mode,
        "nodes": planned.nodes,
        "conversation": planned.conversation,
    }


def _pairs(quoted: Sequence[tuple[QuestionNode, DepthAnswer | str]]) -> list[tuple[str, str]]:
    return [
        (node.question, said if isinstance(said, str) else _text(said)) for node, said in quoted
    ]


def _text(said: DepthAnswer) -> str:
    return said.answer.text if said.answer else ""


def _given(text: str) -> Answer | Unscored:
    """An answer that was given, without its thoughts."""
    answer, thoughts, ends = spoken(text)
    if answer.strip():
        return Answer(text=answer, finish="given", thoughts=bool(thoughts))
    if ends:
        return Unscored(
            stage="answer",
            kind="empty",
            message="the given answer is empty",
        )
    return Unscored(
        stage="answer", kind=THOUGHTS, message="the given answer holds thoughts that never end"
    )


def _shortened(answer: Answer) -> Answer:
    """With as many log-probabilities as Min-K% looks at."""
    return (
        answer
        if answer.logprobs is None
        else answer.model_copy(update={"logprobs": answer.logprobs[:MIN_K_TOKENS]})
    )


def _marks(found: Counter[str]) -> Marks:
    return Marks(
        scored=found["scored"],
        unscored=found["unscored"],
        total=found["total"],
    )
