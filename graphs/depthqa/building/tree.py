"""Deconstructing one question, filling a gap, rating a relation: the steps of building a DepthQA graph."""

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial

from ....agents.explainer.reference import write_reference
from ....agents.judge.rating import RelationReply, rate_relation
from ....agents.paraphraser.open_question import ask_openly, open_up
from ....agents.questioner.deconstruction import TOKENS_EACH, augment, classify, deconstruct
from ....state.depthqa.build import Classified, Deconstructed, ReferenceWritten, RelationChecked, Rewritten, SubQuestion
from ....state.depthqa.items import Depth, QuestionNode, question_key
from ....state.depthqa.spec import DepthQABuildSpec, SourceQuestion
from ....state.records import Unscored
from ....tools.models.budget import Cost
from ....tools.models.chat import Payer
from ...run.admission import LIMIT, TEXT_BYTES, admitted, worst_call
from ...run.deps import DrillDeps
from ...run.lookups import together
from ...step import I, Step, Steps
from .draft import asks_yes_or_no, sub_id


class Deconstruction(Steps):
    """All steps of one build."""

    def __init__(self, deps: DrillDeps, spec: DepthQABuildSpec, run_id: str) -> None:
        super().__init__(deps, run_id, spec)
        self.spec = spec

    async def source(self, tree: int) -> None:
        """One source question, down to depth 1."""
        source = self.spec.questions[tree]
        if self.spec.classify:
            told = await self._step(f"{source.id}@depth", "classification", tree, partial(self._classify, source))
            if told.depth != 3:
                return
        reference = source.reference.strip()
        if not reference:
            make = partial(self._reference, source)
            reference = (await self._step(f"{source.id}@reference", "reference_answer", tree, make)).text
        if reference:
            await self._question(source.id, SubQuestion(question=source.question, reference=reference), 3, tree)

    async def gap(self, node: QuestionNode, tree: int, kept: Sequence[str], removed: Sequence[str], count: int) -> None:
        """Questions that take the place of what a question has lost, down to depth 1."""
        make = partial(self._more, node, kept, removed, count)
        more = await self._step(f"{node.id}@more", "augmentation", tree, make)
        own = [(sub_id(node.id, number, augmented=True), sub) for number, sub in enumerate(more.questions, 1)]
        await together(*(self._question(name, sub, node.depth - 1, tree, node.domain) for name, sub in own))

    async def _question(self, node: str, sub: SubQuestion, depth: int, tree: int, domain: str | None = None) -> None:
        """A question as it was written: asked openly, then taken apart."""
        domain = self.spec.questions[tree].domain if domain is None else domain
        question = question_key(sub.question)
        if asks_yes_or_no(self.spec, question):
            make = partial(self._rewrite, node, question, sub.reference)
            question = (await self._step(f"{node}@open", "open_question", tree, make)).text
        if not question or depth == 1:
            return
        parts = await self._step(
            f"{node}@parts", "deconstruction", tree, partial(self._parts, node, question, sub.reference, depth, domain)
        )
        own = [(sub_id(node, number), below) for number, below in enumerate(parts.questions, 1)]
        await together(*(self._question(name, below, depth - 1, tree, domain) for name, below in own))

    async def relation(self, node: QuestionNode, predecessors: Sequence[QuestionNode], tree: int) -> None:
        """How a question and its predecessors go together."""
        place = relation_place(node)
        await self._step(place, "relation", tree, partial(self._relate, node, predecessors))

    async def _step(self, place: str, prompt: str, tree: int, make: Callable[[Step], Awaitable[I]]) -> I:
        admission = partial(self._admitted, prompt)
        return await self.do(f"{self.short_id}/{place}", make, admission, tree=tree)

    def _admitted(self, prompt: str) -> AbstractAsyncContextManager[Payer | None]:
        return admitted(self.deps.budget, partial(self._need, prompt))

    def _need(self, prompt: str) -> Cost:
        """For one step: its call, and once more for a reply that cannot be read, at the price of the largest shape."""
        tokens = LIMIT + TOKENS_EACH * self.spec.width
        once = worst_call(self.deps, "evaluator", prompt, 4 * TEXT_BYTES, tokens, RelationReply)
        return Cost(once, once)

    async def _classify(self, source: SourceQuestion, step: Step) -> Classified:
        told = await step.ask(classify, source.question, source.reference or source.key_points)
        if isinstance(told, Unscored):
            return Classified(**step.fields(), fault=told)
        return Classified(**step.fields(), depth=told[0], reason=told[1])

    async def _reference(self, source: SourceQuestion, step: Step) -> ReferenceWritten:
        text = await step.ask(write_reference, source.question, source.key_points)
        if isinstance(text, Unscored):
            return ReferenceWritten(**step.fields(), node=source.id, fault=text)
        return ReferenceWritten(**step.fields(), node=source.id, text=text)

    async def _rewrite(self, node: str, question: str, reference: str, step: Step) -> Rewritten:
        written = await open_up(lambda text: step.ask(ask_openly, text, reference), question, self.spec.language)
        vain = written.sound is None and written.failure is None
        return Rewritten(
            **step.fields(),
            node=node,
            before=question,
            text=written.sound or "",
            fault=written.failure,
            dropped="yes or no still answers it" if vain else None,
        )

    async def _parts(
        self, node: str, question: str, reference: str, depth: int, domain: str, step: Step
    ) -> Deconstructed:
        domain, width = domain.replace("_", " "), self.spec.width
        parts = await step.ask(deconstruct, question, reference, _shallower(depth), width, domain)
        if isinstance(parts, Unscored):
            return Deconstructed(**step.fields(), node=node, fault=parts)
        return Deconstructed(**step.fields(), node=node, questions=parts.questions, reasoning=parts.reasoning)

    async def _more(
        self, node: QuestionNode, kept: Sequence[str], removed: Sequence[str], count: int, step: Step
    ) -> Deconstructed:
        depth = _shallower(node.depth)
        more = await step.ask(augment, node.question, node.reference, depth, count, kept, removed)
        if isinstance(more, Unscored):
            return Deconstructed(**step.fields(), node=node.id, gap=True, fault=more)
        return Deconstructed(**step.fields(), node=node.id, gap=True, questions=more)

    async def _relate(self, node: QuestionNode, predecessors: Sequence[QuestionNode], step: Step) -> RelationChecked:
        below = [SubQuestion(question=each.question, reference=each.reference) for each in predecessors]
        told = await step.ask(rate_relation, node.question, node.reference, below)
        if isinstance(told, Unscored):
            return RelationChecked(**step.fields(), node=node.id, fault=told)
        implicit = {predecessors[each.number - 1].id: each.rating for each in told.implicit}
        return RelationChecked(
            **step.fields(),
            node=node.id,
            comprehensive=told.comprehensive,
            missing=told.missing,
            implicit=implicit,
        )


def relation_place(node: QuestionNode) -> str:
    """Where the rating of a relation stands: it holds for these predecessors only."""
    told = hashlib.sha256("\n".join(node.predecessors).encode()).hexdigest()[:6]
    return f"{node.id}@relation-{told}"


def _shallower(depth: int) -> Depth:
    return depth - 1
