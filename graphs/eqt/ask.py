"""One asking: the question with its options in some order, put to the target, and what it chose."""

from random import Random

from ...agents.answers.letters.read import Selection, read_selection
from ...agents.prober.answer import choose, choose_open_book
from ...agents.skill import restore
from ...state.eqt.items import Choice, ChoiceQuestion
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
        Random(
            f"{spec.seed}:{concept.category}:{concept.name}:{question}:{paraphrase}:options"
        ).shuffle(order)
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
    place = {
        "question": question.question,
        "paraphrase": nth,
        "order": order,
        "open_book": explanation is not None,
    }
    if isinstance(answer, Unscored):
        return Choice(**step.fields(), **place, fault=answer)
    selected = _selection(answer, options)
    chosen = tuple(sorted(order[shown] for shown in selected.places))
    right = tuple(place for place, option in enumerate(question.options) if option.correct)
    return Choice(
        **step.fields(),
        **place,
        answer=answer,
        reading=selected.reading,
        chosen=chosen,
        correct=chosen == right,
    )


def _selection(answer: Answer, options: list[str]) -> Selection:
    if answer.refusal:  # the endpoint itself says that this is a refusal
        return Selection("refused")
    return read_selection(restore(answer.text), options)
