"""One concept of an Explain-Query-Test: explain → questions side by side → each asked and reworded
as it becomes ready.

Explaining, writing, rewording and answering follow each other, so that a concept takes four calls
in a row whatever the number of questions and paraphrases. Every step is journalled as it finishes;
done twice is only what a fault of the infrastructure has prevented.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import nullcontext
from random import Random
from typing import Any, TypeVar

from ...agents.explainer.explain import explain_concept
from ...agents.paraphraser.paraphrase import compare_wordings, find_fault, manner_of, paraphrase
from ...agents.questioner.choice_question import (
    Draft,
    find_choice_fault,
    options_of,
    point_of,
    right_of,
    write_choice_question,
)
from ...agents.twice import Written, write_twice
from ...state.eqt.items import KINDS, Choice, ChoiceQuestion, EqtItem, Explanation, Paraphrase
from ...state.events import ConceptClosed
from ...state.records import Rejected, Unscored
from ...state.spec import EqtSpec
from ...tools.models.chat import Payer
from ..run.deps import RunDeps, together
from ..step import Step, Steps
from .ask import put
from .figures import numbers_of

I = TypeVar("I", Explanation, ChoiceQuestion, Paraphrase, Choice)  # noqa: E741 - an item
T = TypeVar("T")
OWN_FAILURE = frozenset({"parse", "empty", "refusal"})
"""Replies by which a model fails to write something, which is no fault of the infrastructure."""


def concept_id(run_id: str, concept: int) -> str:
    """`run/c001`, the run by the short id its name ends with; `concept` counts from 0."""
    return f"{run_id.rsplit('-', 1)[-1]}/c{concept + 1:03d}"


class ConceptRun:
    """Plays one concept. `spec` is the run's, with this one concept; `index` is its place in the
    run's list."""

    def __init__(
        self, deps: RunDeps, spec: EqtSpec, run_id: str, index: int, payer: Payer | None
    ) -> None:
        self.deps, self.spec, self.run_id, self.index, self.payer = deps, spec, run_id, index, payer
        (self.concept,) = spec.concepts
        self.id = concept_id(run_id, index)
        self._steps = Steps(deps, run_id, spec)
        self.items: list[EqtItem] = []
        loop = asyncio.get_running_loop()
        self._written: list[asyncio.Future[str]] = [
            loop.create_future() for _ in range(spec.questions)
        ]

    async def play(self) -> None:
        """Everything about the concept, down to its closing event."""
        explanation = await self._step(self.id, self._explain)
        if explanation.fault is None:
            numbers = range(1, self.spec.questions + 1)
            await together(*(self._question(number, explanation.text) for number in numbers))
        closed = ConceptClosed(
            run_id=self.run_id,
            index=self.index,
            concept=self.concept.name,
            category=self.concept.category,
            numbers=numbers_of(self.spec, self.items),
        )
        await self.deps.emit(closed)

    async def _step(self, item_id: str, make: Callable[[Step], Awaitable[I]]) -> I:
        made = await self._steps.do(
            item_id, make, lambda: nullcontext(self.payer), concept=self.index
        )
        self.items.append(made)
        return made

    async def _explain(self, step: Step) -> Explanation:
        text = await step.ask(
            explain_concept, self.concept.name, self.concept.category.replace("_", " ")
        )
        return step.item(Explanation, text, lambda text: {"text": text})

    async def _question(self, number: int, explanation: str) -> None:
        """One question with all its askings."""
        written = await self._step(
            f"{self.id}.q{number}", lambda step: self._write(number, explanation, step)
        )
        self._written[number - 1].set_result(written.text)
        if not written.options:
            return
        wordings: list[asyncio.Future[str]] = [
            asyncio.get_running_loop().create_future() for _ in range(self.spec.paraphrases)
        ]
        askings = [self._ask(written, 0, written.text)]
        if self.spec.open_book:
            askings.append(self._ask(written, 0, written.text, explanation))
        nth = range(1, self.spec.paraphrases + 1)
        await together(*askings, *(self._reworded(written, number, wordings) for number in nth))

    async def _write(self, number: int, explanation: str, step: Step) -> ChoiceQuestion:
        kind, count = KINDS[(number - 1) % len(KINDS)], self.spec.options

        async def write(last: Rejected | None) -> Draft | Unscored:
            # drawn, so that an examinee cannot reckon with a usual number of right options
            name = f"{self.concept.category}:{self.concept.name}:{number}"
            right = right_of(count, Random(f"{self.spec.seed}:{name}:right"))
            point = point_of(number, len(KINDS))
            return await step.ask(
                write_choice_question,
                self.concept.name,
                explanation,
                kind,
                count,
                point,
                right,
                last,
            )

        async def check(draft: Draft) -> str | None:
            later = [f"{self.id}.q{other}" for other in range(number + 1, self.spec.questions + 1)]
            taken = await self._taken(self._written[: number - 1], later)
            return find_choice_fault(draft, count, taken)

        written = await write_twice(write, check, Draft.model_dump_json)
        told = written.sound
        made = {} if told is None else {"text": told.question, "options": options_of(told)}
        return ChoiceQuestion(
            **step.fields(),
            **_lost(written),
            **made,
            question=number,
            kind=kind,
        )

    async def _taken(
        self, earlier: Sequence[asyncio.Future[str]], later: Sequence[str]
    ) -> list[str]:
        """The texts of earlier siblings, and of those `later` ones, by their ids, that are there:
        of a step that is done again, they may be."""
        texts = [await waiting for waiting in earlier]
        items = [self.deps.sink.item(self.run_id, item_id) for item_id in later]
        return [*filter(None, [*texts, *(getattr(item, "text", "") for item in items)])]

    async def _reworded(
        self, question: ChoiceQuestion, nth: int, wordings: list[asyncio.Future[str]]
    ) -> None:
        """One paraphrase, and its asking."""
        later = [f"{question.id}.p{other}" for other in range(nth + 1, self.spec.paraphrases + 1)]
        options = [option.text for option in question.options]

        async def make(step: Step) -> Paraphrase:
            async def write(last: Rejected | None) -> str | Unscored:
                others = await self._taken(wordings[: nth - 1], later) if last else ()
                return await step.ask(
                    paraphrase, question.text, options, manner_of(nth), others, last
                )

            async def check(text: str) -> str | Unscored | None:
                """By code, and by the judge where that is asked for."""
                taken = await self._taken(wordings[: nth - 1], later)
                fault = find_fault(question.text, text, taken, options)
                if fault is not None or not self.spec.verify_paraphrases:
                    return fault
                compared = await step.ask(compare_wordings, question.text, text, options)
                return compared if isinstance(compared, Unscored) else compared.fault

            written = await write_twice(write, check)
            place = {"question": question.question, "paraphrase": nth}
            return Paraphrase(
                **step.fields(),
                **_lost(written),
                **place,
                text=written.sound or "",
            )

        item = await self._step(f"{question.id}.p{nth}", make)
        wordings[nth - 1].set_result(item.text)
        if item.text:
            await self._ask(question, nth, item.text)

    async def _ask(
        self, question: ChoiceQuestion, nth: int, text: str, explanation: str | None = None
    ) -> None:
        name = "open" if explanation is not None else f"a{nth}"
        await self._step(
            f"{question.id}.{name}",
            lambda step: put(self.spec, question, nth, text, explanation, step),
        )


def _lost(written: Written[T]) -> dict[str, Any]:
    """What was rejected, and why nothing came about: dropped when the model could not write it,
    else a fault."""
    failure, told = written.failure, {"rejected": written.rejected}
    if failure is not None and (failure.stage == "check" or failure.kind not in OWN_FAILURE):
        return told | {"fault": failure}
    if failure is not None:
        return told | {"dropped": failure.message}
    return told | {"dropped": written.rejected[-1].reason if written.sound is None else None}
