"""Asking questions of a graph: each as soon as what its mode needs is there, and its answer rated
as soon as it is there. Questions of one depth never wait for each other; every step is journalled
as it finishes."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import TypeVar

from ...agents.judge.rating import rate
from ...agents.prober.answer import answer_in_depth, answer_with_context
from ...state.depthqa.items import MIN_K_TOKENS, DepthAnswer, Rating
from ...state.depthqa.spec import DepthQASpec
from ...state.question_graph import Material, QuestionNode
from ...state.records import Answer, Unscored
from ...tools.models.chat import Payer
from ...tools.models.replies import spoken
from ..run.deps import RunDeps, together
from ..step import Step, Steps
from .protocol import SCORE, PlannedQuestion, owner_of

I = TypeVar("I", DepthAnswer, Rating)  # noqa: E741 - an item
Quoted = Sequence[tuple[QuestionNode, DepthAnswer | str]]
"""Questions with the answer to each, or its reference."""
WORST = 1
"""The score of a refusal, and of a reply without a word."""


class Asking(Steps):
    """The steps of one run. `payer`: who pays for a step that the journal does not have yet."""

    def __init__(self, deps: RunDeps, spec: DepthQASpec, material: Material, run_id: str) -> None:
        super().__init__(deps, run_id, spec)
        self.spec, self.graph = spec, material.graph

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
            quoted = PlannedQuestion("zero-shot", first, self.graph.holders[first], scored=rated)
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
            return step.item(Rating, mark, lambda mark: {**dict(mark), "judge": judge}, **fields)

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
