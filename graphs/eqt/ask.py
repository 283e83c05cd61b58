"""One asking: the question with its options in some order, put to the target, and what it chose."""

from collections.abc import Sequence
from functools import partial
from random import Random

from ...agents.judge.selection import plain_selection, read_selection, selection_of
from ...agents.prober.answer import choose, choose_open_book
from ...agents.skill import restore
from ...state.eqt.items import Choice, ChoiceQuestion, Reading
from ...state.records import Answer, Unscored
from ...state.spec import EqtSpec
from ..step import Step


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


async def put(
    spec: EqtSpec,
    question: ChoiceQuestion,
    nth: int,
    text: str,
    explanation: str | None,
    step: Step,
) -> Choice:
    """The question in wording `nth` (0: the original), closed book or with the explanation at hand.

    A target that says nothing, was cut off or was held back by a filter has not been heard.
    """
    order = order_of(spec, question.question, nth)
    options = [question.options[place].text for place in order]
    room = spec.answer_tokens
    if explanation is None:
        answer = await step.ask(choose.up_to(room), text, options)
    else:
        answer = await step.ask(choose_open_book.up_to(room), text, options, explanation)
    selection = (
        answer
        if isinstance(answer, Unscored)
        else await _read_selection(step, text, options, answer)
    )
    made = partial(
        Choice,
        **step.fields(),
        question=question.question,
        paraphrase=nth,
        order=order,
        open_book=explanation is not None,
    )
    if isinstance(selection, Unscored):
        return made(fault=selection)
    reading, places = selection
    chosen = tuple(sorted(order[shown] for shown in places))
    right = tuple(place for place, option in enumerate(question.options) if option.correct)
    correct = chosen == right
    return made(
        answer=answer,
        reading=reading,
        chosen=chosen,
        correct=correct,
    )


async def _read_selection(
    step: Step, question: str, options: Sequence[str], answer: Answer
) -> tuple[Reading, frozenset[int]] | Unscored:
    """What an answer chooses: by its last line, else by the judge's word. A refusal is one by the
    word of the endpoint itself."""
    if answer.refusal:
        return "refused", frozenset()
    reply = restore(answer.text)
    places = plain_selection(reply, len(options))
    if places is not None:
        return "letters", places
    selection = await step.ask(read_selection, question, options, reply)
    return selection if isinstance(selection, Unscored) else selection_of(selection, len(options))
