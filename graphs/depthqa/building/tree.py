"""Deconstructing one question, filling a gap, rating a relation: the steps of building a DepthQA
graph."""

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from ....agents.explainer.reference import write_reference
from ....agents.judge.rating import RelationReply, rate_relation
from ....agents.paraphraser.open_question import ask_openly, open_up
from ....agents.questioner.deconstruction import TOKENS_EACH, augment, classify, deconstruct
from ....state.depthqa.build import (
    Classified,
    Deconstructed,
    ReferenceWritten,
    RelationChecked,
    Rewritten,
    SubQuestion,
)
from ....state.depthqa.items import Depth, QuestionNode, question_key
from ....state.depthqa.spec import DepthQABuildSpec, SourceQuestion
from ...run.deps import RunDeps, together
from ...run.due import LIMIT, TEXT_BYTES, PlannedCall, step_cost
from ...step import Admission, I, Step, Steps, admitted
from .draft import sub_id


class Deconstruction(Steps):
    """All steps of one build."""

    def __init__(self, deps: RunDeps, spec: DepthQABuildSpec, run_id: str) -> None:
        super().__init__(deps, run_id, spec)
        self.spec = spec

    async def source(self, tree: int) -> None:
        """One source question, down to depth 1."""
        source = self.spec.questions[tree]
        if self.spec.classify and (await self._classified(source, tree)).depth != 3:
            return
        reference = source.reference.strip() or (await self._referenced(source, tree)).text
        if reference:
            await self._question(
                source.id, SubQuestion(question=source.question, reference=reference), 3, tree
            )

    async def gap(
        self, node: QuestionNode, tree: int, kept: Sequence[str], removed: Sequence[str], count: int
    ) -> None:
        """Questions that take the place of what a question has lost, down to depth 1."""
        depth = _shallower(node.depth)

        async def make(step: Step) -> Deconstructed:
            told = await step.ask(
                augment, node.question, node.reference, depth, count, kept, removed
            )
            return step.item(
                Deconstructed, told, lambda more: {"questions": more}, node=node.id, gap=True
            )

        more = await self._step(f"{node.id}@more", "augmentation", tree, make)
        own = [
            (sub_id(node.id, number, augmented=True), sub)
            for number, sub in enumerate(more.questions, 1)
        ]
        await together(*(self._question(name, sub, depth, tree, node.domain) for name, sub in own))

    async def _question(
        self, node: str, sub: SubQuestion, depth: int, tree: int, domain: str | None = None
    ) -> None:
        """A question as it was written: asked openly, and taken apart."""
        domain = self.spec.questions[tree].domain if domain is None else domain
        question = question_key(sub.question)
        if sub.yes_or_no:
            question = (await self._opened(node, question, sub.reference, tree)).text
        if not question or depth == 1:
            return

        async def make(step: Step) -> Deconstructed:
            below, width, field = _shallower(depth), self.spec.width, domain.replace("_", " ")
            told = await step.ask(deconstruct, question, sub.reference, below, width, field)
            return step.item(
                Deconstructed,
                told,
                lambda told: dict(told),
                node=node,
            )

        parts = await self._step(f"{node}@parts", "deconstruction", tree, make)
        if parts.yes_or_no and not sub.yes_or_no:
            await self._opened(node, question, sub.reference, tree)
        own = [(sub_id(node, number), below) for number, below in enumerate(parts.questions, 1)]
        await together(
            *(self._question(name, below, depth - 1, tree, domain) for name, below in own)
        )

    async def relation(
        self, node: QuestionNode, predecessors: Sequence[QuestionNode], tree: int
    ) -> None:
        """How a question and its predecessors go together."""
        below = [
            SubQuestion(question=each.question, reference=each.reference) for each in predecessors
        ]

        def says(told: RelationReply) -> dict[str, Any]:
            implicit = {predecessors[each.number - 1].id: each.rating for each in told.implicit}
            return {
                "comprehensive": told.comprehensive,
                "missing": told.missing,
                "implicit": implicit,
            }

        async def make(step: Step) -> RelationChecked:
            told = await step.ask(rate_relation, node.question, node.reference, below)
            return step.item(RelationChecked, told, says, node=node.id)

        await self._step(relation_place(node), "relation", tree, make)

    async def _classified(self, source: SourceQuestion, tree: int) -> Classified:
        async def make(step: Step) -> Classified:
            told = await step.ask(classify, source.question, source.reference or source.key_points)
            return step.item(Classified, told, lambda told: {"depth": told[0], "reason": told[1]})

        return await self._step(f"{source.id}@depth", "classification", tree, make)

    async def _referenced(self, source: SourceQuestion, tree: int) -> ReferenceWritten:
        async def make(step: Step) -> ReferenceWritten:
            told = await step.ask(write_reference, source.question, source.key_points)
            return step.item(ReferenceWritten, told, lambda text: {"text": text}, node=source.id)

        return await self._step(f"{source.id}@reference", "reference_answer", tree, make)

    async def _opened(self, node: str, question: str, reference: str, tree: int) -> Rewritten:
        async def make(step: Step) -> Rewritten:
            written = await open_up(lambda text: step.ask(ask_openly, text, reference), question)
            vain = written.sound is None and written.failure is None
            return Rewritten(
                **step.fields(),
                node=node,
                before=question,
                text=written.sound or "",
                fault=written.failure,
                dropped="yes or no still answers it" if vain else None,
            )

        return await self._step(f"{node}@open", "open_question", tree, make)

    async def _step(
        self, place: str, prompt: str, tree: int, make: Callable[[Step], Awaitable[I]]
    ) -> I:
        due = PlannedCall(
            "evaluator", prompt, room=4 * TEXT_BYTES, limit=LIMIT + TOKENS_EACH * self.spec.width
        )

        def admission() -> Admission:
            return admitted(self.deps.budget, lambda: step_cost(self.deps, [due]))

        return await self.do(f"{self.short_id}/{place}", make, admission, tree=tree)


def relation_place(node: QuestionNode) -> str:
    """Where the rating of a relation stands: it holds for these predecessors only."""
    told = hashlib.sha256("\n".join(node.predecessors).encode()).hexdigest()[:6]
    return f"{node.id}@relation-{told}"


def _shallower(depth: int) -> Depth:
    return depth - 1
