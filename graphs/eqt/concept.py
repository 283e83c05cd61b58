"""One concept of an Explain-Query-Test: explain → questions side by side → each asked and reworded as it becomes ready.

Explaining, writing, rewording and answering follow each other, so that a concept takes four calls in a row whatever
the number of questions and paraphrases. Every step is journalled as it finishes; done twice is only what a fault of the
infrastructure has prevented.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from functools import partial
from random import Random
from typing import TypeVar

from ...agents.explainer.explain import explain_concept
from ...agents.paraphraser import paraphrase as paraphraser
from ...agents.questioner.choice_question import (
    find_choice_fault,
    options_of,
    point_of,
    right_of,
    write_choice_question,
)
from ...state.eqt.items import KINDS, Choice, ChoiceQuestion, EqtItem, Explanation, Paraphrase
from ...state.events import ConceptClosed
from ...state.records import Rejected, Unscored
from ...state.spec import EqtSpec
from ...stats.eqt.figures import numbers_of
from ...tools.models.chat import Payer
from ..run.deps import DrillDeps
from ..run.emit import emit
from ..run.lookups import together
from ..step import Step, Steps, attempt
from .ask import put

I = TypeVar("I", Explanation, ChoiceQuestion, Paraphrase, Choice)  # noqa: E741 - an item
TRIES = 2
"""A question or paraphrase that will not do is asked for once more (METHODS.md: malformed twice, dropped)."""
OWN_FAILURE = frozenset({"parse", "empty", "refusal"})
"""Replies by which a model fails to write something, which is no fault of the infrastructure."""


def concept_id(run_id: str, concept: int) -> str:
    """`run/c001`, the run by the short id its name ends with; `concept` counts from 0."""
    return f"{run_id.rsplit('-', 1)[-1]}/c{concept + 1:03d}"


class ConceptRun:
    """Plays one concept. `spec` is the run's, with this one concept; `index` is its place in the run's list."""

    def __init__(self, deps: DrillDeps, spec: EqtSpec, run_id: str, index: int, payer: Payer | None) -> None:
        self.deps, self.spec, self.run_id, self.index, self.payer = deps, spec, run_id, index, payer
        (self.concept,) = spec.concepts
        self.id = concept_id(run_id, index)
        self._steps = Steps(deps, run_id)
        self.items: list[EqtItem] = []
        loop = asyncio.get_running_loop()
        self._written: list[asyncio.Future[str]] = [loop.create_future() for _ in range(spec.questions)]

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
        await emit(self.deps, closed)

    async def _step(self, item_id: str, make: Callable[[Step], Awaitable[I]]) -> I:
        made = await self._steps.do(item_id, make, lambda: nullcontext(self.payer), concept=self.index)
        self.items.append(made)
        return made

    async def _explain(self, step: Step) -> Explanation:
        text = await attempt(
            "explanation",
            partial(
                explain_concept,
                step.model("examiner"),
                self.concept.name,
                self.concept.category.replace("_", " "),
                language=self.spec.language,
                seed=self.spec.seed,
                prompt=self.deps.prompts["explanation"],
            ),
        )
        if isinstance(text, Unscored):
            return Explanation(**step.fields(), fault=text)
        return Explanation(**step.fields(), text=text)

    async def _question(self, number: int, explanation: str) -> None:
        """One question with all its askings."""
        written = await self._step(f"{self.id}.q{number}", partial(self._write, number, explanation))
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
        kind = KINDS[(number - 1) % len(KINDS)]
        rejected: list[Rejected] = []
        fault: tuple[str, str] | None = None
        for _ in range(TRIES):
            draft = await attempt(
                "question",
                partial(
                    write_choice_question,
                    step.model("examiner"),
                    self.concept.name,
                    explanation,
                    kind,
                    self.spec.options,
                    point=point_of(number, len(KINDS)),
                    right=self._right(number),
                    language=self.spec.language,
                    seed=self.spec.seed,
                    fault=fault,
                    prompt=self.deps.prompts["choice_question"],
                ),
            )
            if isinstance(draft, Unscored):
                lost = _lost(draft)
                return ChoiceQuestion(**step.fields(), **lost, question=number, kind=kind, rejected=tuple(rejected))
            siblings = [f"{self.id}.q{later}" for later in range(number + 1, self.spec.questions + 1)]
            taken = [*await _all(self._written[: number - 1]), *self._texts(siblings)]
            reason = find_choice_fault(draft, self.spec.options, taken)
            if reason is None:
                return ChoiceQuestion(
                    **step.fields(),
                    question=number,
                    kind=kind,
                    text=draft.question,
                    options=options_of(draft),
                    rejected=tuple(rejected),
                )
            rejected.append(Rejected(text=draft.model_dump_json(), reason=reason))
            fault = (draft.model_dump_json(), reason)
        return ChoiceQuestion(
            **step.fields(), question=number, kind=kind, rejected=tuple(rejected), dropped=rejected[-1].reason
        )

    def _texts(self, item_ids: list[str]) -> list[str]:
        """The texts of those that are there: of a step that is done again, its later siblings may be."""
        items = (self.deps.sink.item(self.run_id, item_id) for item_id in item_ids)
        return [text for item in items if item and (text := getattr(item, "text", ""))]

    def _right(self, number: int) -> int:
        """How many options should be right; drawn, so that an examinee cannot reckon with a usual number."""
        name = f"{self.concept.category}:{self.concept.name}:{number}"
        return right_of(self.spec.options, Random(f"{self.spec.seed}:{name}:right"))

    async def _reworded(self, question: ChoiceQuestion, nth: int, wordings: list[asyncio.Future[str]]) -> None:
        """One paraphrase, and its asking."""
        siblings = [f"{question.id}.p{later}" for later in range(nth + 1, self.spec.paraphrases + 1)]

        async def taken() -> list[str]:
            return [*await _all(wordings[: nth - 1]), *self._texts(siblings)]

        item = await self._step(f"{question.id}.p{nth}", partial(self._paraphrase, question, nth, taken))
        wordings[nth - 1].set_result(item.text)
        if item.text:
            await self._ask(question, nth, item.text)

    async def _paraphrase(
        self, question: ChoiceQuestion, nth: int, taken: Callable[[], Awaitable[list[str]]], step: Step
    ) -> Paraphrase:
        rejected: list[Rejected] = []
        fault: tuple[str, str] | None = None
        for _ in range(TRIES):
            text = await attempt(
                "paraphrase",
                partial(
                    paraphraser.paraphrase,
                    step.model("examiner"),
                    question.text,
                    [option.text for option in question.options],
                    paraphraser.manner_of(nth),
                    await taken() if rejected else (),
                    language=self.spec.language,
                    seed=self.spec.seed,
                    fault=fault,
                    prompt=self.deps.prompts["paraphrase"],
                ),
            )
            reason = text if isinstance(text, Unscored) else await self._unfit(question, text, await taken(), step)
            if isinstance(reason, Unscored):
                return Paraphrase(
                    **step.fields(),
                    **_lost(reason),
                    question=question.question,
                    paraphrase=nth,
                    rejected=tuple(rejected),
                )
            assert isinstance(text, str)  # what failed has been returned
            if reason is None:
                return Paraphrase(
                    **step.fields(),
                    question=question.question,
                    paraphrase=nth,
                    text=text,
                    rejected=tuple(rejected),
                )
            rejected.append(Rejected(text=text, reason=reason))
            fault = (text, reason)
        return Paraphrase(
            **step.fields(),
            question=question.question,
            paraphrase=nth,
            rejected=tuple(rejected),
            dropped=rejected[-1].reason,
        )

    async def _unfit(self, question: ChoiceQuestion, text: str, taken: list[str], step: Step) -> str | Unscored | None:
        """Why a paraphrase will not do: by code, and by the judge where that is asked for."""
        options = [option.text for option in question.options]
        reason = paraphraser.find_fault(question.text, text, taken, options)
        if reason is not None or not self.spec.verify_paraphrases:
            return reason
        compared = await attempt(
            "check",
            partial(
                paraphraser.compare,
                step.model("judge"),
                question.text,
                text,
                options,
                seed=self.spec.seed,
                prompt=self.deps.prompts["same_question"],
            ),
        )
        return compared if isinstance(compared, Unscored) else compared.fault

    async def _ask(self, question: ChoiceQuestion, nth: int, text: str, explanation: str | None = None) -> None:
        name = "open" if explanation is not None else f"a{nth}"
        await self._step(f"{question.id}.{name}", partial(put, self.deps, self.spec, question, nth, text, explanation))


def _lost(outcome: Unscored) -> dict[str, Unscored | str]:
    """What did not come about: dropped when the model could not write it, else a fault."""
    if outcome.stage != "check" and outcome.kind in OWN_FAILURE:
        return {"dropped": outcome.message}
    return {"fault": outcome}


async def _all(texts: list[asyncio.Future[str]]) -> list[str]:
    """What the earlier ones came to, those that came to nothing left out."""
    return [text for text in [await waiting for waiting in texts] if text]
