"""One concept of an Explain-Query-Test: explain → questions side by side → each asked and reworded
as it becomes ready.

Explaining, writing, rewording and answering follow each other, so that a concept takes four calls
in a row whatever the number of questions and paraphrases. Every step is journalled as it finishes;
done twice is only what a fault of the infrastructure has prevented.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import nullcontext
from functools import partial
from random import Random
from typing import Any, TypeVar

from ...agents.answers.choice import plain_selection, read_selection, selection_of
from ...agents.explainer.explain import explain_concept
from ...agents.paraphraser.paraphrase import compare_wordings, find_fault, manner_of, paraphrase
from ...agents.prober.answer import choose, choose_open_book
from ...agents.questioner.choice_question import (
    Draft,
    find_choice_fault,
    options_of,
    point_of,
    right_of,
    write_choice_question,
)
from ...agents.skill import restore
from ...agents.twice import Written, write_twice
from ...state.eqt.items import (
    KINDS,
    Choice,
    ChoiceQuestion,
    EqtItem,
    Explanation,
    Paraphrase,
    Reading,
)
from ...state.events import ConceptClosed
from ...state.records import Answer, Rejected, Unscored
from ...state.spec import EqtSpec
from ...tools.models.chat import Payer
from ..run.deps import RunDeps, together
from ..step import Step, Steps
from .figures import numbers_of

I = TypeVar("I", Explanation, ChoiceQuestion, Paraphrase, Choice)  # noqa: E741 - an item
OWN_FAILURE = frozenset({"parse", "empty", "refusal"})
"""Replies by which a model fails to write something, which is no fault of the infrastructure."""


def concept_id(run_id: str, concept: int) -> str:
    """`run/c001`, the run by the short id its name ends with; `concept` counts from 0."""
    return f"{run_id.rsplit('-', 1)[-1]}/c{concept + 1:03d}"


def order_of(spec: EqtSpec, question: int, paraphrase: int) -> tuple[int, ...]:
    """The options' identities in the order shown. `spec` has the one concept that is asked about.

    The open-book asking shares the order of the closed-book one, so that their difference is the
    book's alone.
    """
    order = list(range(spec.options))
    if spec.shuffle_options:
        (concept,) = spec.concepts
        name = f"{concept.category}:{concept.name}:{question}:{paraphrase}"
        Random(f"{spec.seed}:{name}:options").shuffle(order)
    return tuple(order)


class Siblings:
    """Texts of the questions of a concept, or of the paraphrases of a question: none may be like
    another, so that each is checked against those before it. `item_of`: what the journal has of an
    id."""

    def __init__(self, ids: Iterable[str], item_of: Callable[[str], Any]) -> None:
        loop = asyncio.get_running_loop()
        self.texts = {name: loop.create_future() for name in ids}
        self._item_of = item_of

    async def beside(self, name: str) -> list[str]:
        """Those before it, and later ones that are there already: where a step is done again, they
        may be."""
        ids = [*self.texts]
        position = ids.index(name)
        texts = [await self.texts[earlier] for earlier in ids[:position]]
        texts += [getattr(self._item_of(later), "text", "") for later in ids[position + 1 :]]
        return [text for text in texts if text]


class ConceptRun(Steps):
    """Plays one concept. `spec` is the run's, with this one concept; `index` is its place in the
    run's list."""

    def __init__(
        self, deps: RunDeps, spec: EqtSpec, run_id: str, index: int, payer: Payer | None
    ) -> None:
        super().__init__(deps, run_id, spec)
        self.spec, self.index, self.payer = spec, index, payer
        (self.concept,) = spec.concepts
        self.id = concept_id(run_id, index)
        self.items: list[EqtItem] = []

    async def play(self) -> None:
        """Everything about the concept, down to its closing event."""
        explanation = await self._step(self.id, self._explain)
        if explanation.fault is None:
            numbers = range(1, self.spec.questions + 1)
            questions = self._siblings(f"{self.id}.q{number}" for number in numbers)
            await together(*(self._question(n, explanation.text, questions) for n in numbers))
        closed = ConceptClosed(
            run_id=self.run_id,
            index=self.index,
            concept=self.concept.name,
            category=self.concept.category,
            numbers=numbers_of(self.spec, self.items),
        )
        await self.deps.emit(closed)

    def _siblings(self, ids: Iterable[str]) -> Siblings:
        return Siblings(ids, partial(self.deps.sink.item, self.run_id))

    async def _step(self, item_id: str, make: Callable[[Step], Awaitable[I]]) -> I:
        item = await self.do(item_id, make, lambda: nullcontext(self.payer), concept=self.index)
        self.items.append(item)
        return item

    async def _explain(self, step: Step) -> Explanation:
        category = self.concept.category.replace("_", " ")
        text = await step.ask(explain_concept, self.concept.name, category)
        return step.item(Explanation, text, lambda text: {"text": text})

    async def _question(self, number: int, explanation: str, questions: Siblings) -> None:
        """One question with all its askings."""
        name = f"{self.id}.q{number}"
        kind, count = KINDS[(number - 1) % len(KINDS)], self.spec.options
        # drawn, so that an examinee cannot reckon with a usual number of right options
        seed = f"{self.spec.seed}:{self.concept.category}:{self.concept.name}:{number}:right"
        right = right_of(count, Random(seed))

        async def write(step: Step, last: Rejected | None) -> Draft | Unscored:
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
            return find_choice_fault(draft, count, await questions.beside(name))

        async def make(step: Step) -> ChoiceQuestion:
            written = await write_twice(partial(write, step), check, Draft.model_dump_json)
            draft = written.sound
            return ChoiceQuestion(
                **step.fields(),
                **_failure(written),
                question=number,
                kind=kind,
                text=draft.question if draft else "",
                options=options_of(draft) if draft else (),
            )

        question = await self._step(name, make)
        questions.texts[name].set_result(question.text)
        if not question.options:
            return
        askings = [self._ask(question, 0, question.text)]
        if self.spec.open_book:
            askings.append(self._ask(question, 0, question.text, explanation))
        nth = range(1, self.spec.paraphrases + 1)
        wordings = self._siblings(f"{name}.p{n}" for n in nth)
        await together(*askings, *(self._reword(question, n, wordings) for n in nth))

    async def _reword(self, question: ChoiceQuestion, nth: int, wordings: Siblings) -> None:
        """One paraphrase, and its asking."""
        name = f"{question.id}.p{nth}"
        options = [option.text for option in question.options]

        async def write(step: Step, last: Rejected | None) -> str | Unscored:
            others = await wordings.beside(name) if last else ()
            return await step.ask(
                paraphrase, question.text, options, manner_of(nth), others, last
            )

        async def check(step: Step, text: str) -> str | Unscored | None:
            """By code, and by the judge where that is asked for."""
            fault = find_fault(question.text, text, await wordings.beside(name), options)
            if fault is not None or not self.spec.verify_paraphrases:
                return fault
            compared = await step.ask(compare_wordings, question.text, text, options)
            return compared if isinstance(compared, Unscored) else compared.fault

        async def make(step: Step) -> Paraphrase:
            written = await write_twice(partial(write, step), partial(check, step))
            return Paraphrase(
                **step.fields(),
                **_failure(written),
                question=question.question,
                paraphrase=nth,
                text=written.sound or "",
            )

        item = await self._step(name, make)
        wordings.texts[name].set_result(item.text)
        if item.text:
            await self._ask(question, nth, item.text)

    async def _ask(
        self, question: ChoiceQuestion, nth: int, text: str, explanation: str | None = None
    ) -> None:
        """The question in wording `nth` (0: the original), closed book or with the explanation at
        hand.

        A target that says nothing, was cut off or was held back by a filter has not been heard.
        """
        order = order_of(self.spec, question.question, nth)
        options = [question.options[identity].text for identity in order]
        length = self.spec.answer_tokens

        async def make(step: Step) -> Choice:
            if explanation is None:
                answer = await step.ask(choose.up_to(length), text, options)
            else:
                answer = await step.ask(
                    choose_open_book.up_to(length), text, options, explanation
                )
            selection = await _selection(step, text, options, answer)
            return step.item(
                Choice,
                selection,
                lambda selection: _chosen(question, order, *selection) | {"answer": answer},
                question=question.question,
                paraphrase=nth,
                order=order,
                open_book=explanation is not None,
            )

        await self._step(
            f"{question.id}.{'open' if explanation is not None else f'a{nth}'}", make
        )


async def _selection(
    step: Step, question: str, options: Sequence[str], answer: Answer | Unscored
) -> tuple[Reading, frozenset[int]] | Unscored:
    """What an answer chooses: by its last line, else by the judge's word. A refusal is one by the
    word of the endpoint itself."""
    if isinstance(answer, Unscored):
        return answer
    if answer.refusal:
        return "refused", frozenset()
    reply = restore(answer.text)
    letters = plain_selection(reply, len(options))
    if letters is not None:
        return "letters", letters
    selection = await step.ask(read_selection, question, options, reply)
    return (
        selection if isinstance(selection, Unscored) else selection_of(selection, len(options))
    )


def _chosen(
    question: ChoiceQuestion, order: Sequence[int], reading: Reading, letters: frozenset[int]
) -> dict[str, Any]:
    """The options of the letters, and whether they are those that are right."""
    chosen = tuple(sorted(order[letter] for letter in letters))
    right = tuple(n for n, option in enumerate(question.options) if option.correct)
    return {"reading": reading, "chosen": chosen, "correct": chosen == right}


def _failure(written: Written[Any]) -> dict[str, Any]:
    """What was rejected, and why nothing came about: dropped when the model could not write it,
    else a fault."""
    fields: dict[str, Any] = {"rejected": written.rejected}
    failure = written.failure
    if failure is not None and (failure.stage == "check" or failure.kind not in OWN_FAILURE):
        fields["fault"] = failure
    elif failure is not None:
        fields["dropped"] = failure.message
    elif written.sound is None:
        fields["dropped"] = written.rejected[-1].reason
    return fields
