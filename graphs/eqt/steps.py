"""An Explain-Query-Test step by step: explanations, questions, paraphrases, answers, and what wrong
ones are put down to."""

from collections.abc import Iterator, Sequence
from functools import partial

from ...reports.page import figures
from ...reports.page.rows import STYLES
from ...reports.progress import RunProgress
from ...reports.step import (
    Count,
    Field,
    PartName,
    RunContext,
    StepStatus,
    StepView,
    view_of,
)
from ...reports.views.steps import LEGEND, Figure, Steps, measured
from ...reports.views.texts import answer_fields, option_fields
from ...state.eqt.items import (
    Attribution,
    Choice,
    ChoiceQuestion,
    EqtItem,
    Explanation,
    Paraphrase,
)
from ...state.events import ConceptClosed
from ..planned import planned
from .items import ATTRIBUTION, parent_of


def _size(context: RunContext) -> list[str]:
    """`5 questions, 10 options, 3 paraphrases`, per concept and per question."""
    spec = context.spec
    nouns = ("question", "option", "paraphrase")
    counts = [figures.count(getattr(spec, f"{noun}s"), noun) for noun in nouns]
    return [", ".join([*counts, *["open book too"] * spec.open_book])]


def _part_name(context: RunContext, index: int) -> PartName:
    if index == ATTRIBUTION:
        return PartName("attributions", "of wrong answers, by the judge")
    concepts = context.spec.concepts
    return PartName(f"c{index + 1:03d}", concepts[index].name if index < len(concepts) else "")


def _step(item: EqtItem, context: RunContext) -> StepView:
    about = _part_name(context, item.concept).about
    if isinstance(item, Choice):
        return _choice(item, about, context)
    if isinstance(item, Attribution):
        return _attribution(item, about)
    return _text(item, about)


def _text(item: Explanation | ChoiceQuestion | Paraphrase, about: str) -> StepView:
    """What the examiner writes. Without a word it is lost, or was dropped."""
    dropped = getattr(item, "dropped", None)
    title = f"question ({item.kind})" if isinstance(item, ChoiceQuestion) else item.type
    return view_of(
        item,
        "rejected" if dropped else "done",
        title=title,
        about=about,
        said=f"{item.type} dropped ({dropped})" if dropped else title,
        text="" if isinstance(item, Explanation) else item.text,
        fields=partial(_text_fields, item),
        depth=int(isinstance(item, Paraphrase)),
        seen="everywhere" if dropped else "screen",
    )


def _text_fields(item: Explanation | ChoiceQuestion | Paraphrase) -> Iterator[Field]:
    if item.text:
        is_explanation = isinstance(item, Explanation)
        yield Field("", item.text, "" if is_explanation else "bold")
    if isinstance(item, ChoiceQuestion):
        yield from option_fields((option.text, option.correct) for option in item.options)
    for rejected in getattr(item, "rejected", ()):
        yield Field("thrown away", f"{rejected.text} ({rejected.reason})", "dim")
    if dropped := getattr(item, "dropped", None):
        yield Field("dropped", dropped, STYLES["warning"])


def _choice(item: Choice, about: str, context: RunContext) -> StepView:
    question = context.items.get(figures.place(parent_of(item)))
    status: StepStatus = "unscored" if item.fault else "correct" if item.correct else "wrong"
    book = ", open book" if item.open_book else ""
    wording = f"paraphrase {item.paraphrase}" if item.paraphrase else "the original wording"
    return view_of(
        item,
        status,
        title=f"{wording}{book} · {LEGEND[status]}",
        about=about,
        said=_selection(item) + book,
        text=question.text if question else "",
        fields=tuple if item.fault else partial(_answer_fields, item, question),
        depth=1,
        counts=() if item.open_book else (Count("answers", status),),
    )


def _answer_fields(item: Choice, question: ChoiceQuestion | None) -> Iterator[Field]:
    """What was said, what it was taken for, and the options as they were shown."""
    yield from answer_fields(item.answer)
    yield Field("parsed as", _selection(item))
    if question and question.options:
        options = [question.options[identity] for identity in item.order]
        yield from option_fields((option.text, option.correct) for option in options)


def _selection(item: Choice) -> str:
    """`B, D`, or how an answer without letters was read: none, unreadable, refused."""
    return ", ".join(item.letters) or item.reading or ""


def _attribution(item: Attribution, about: str) -> StepView:
    cause = f"put down to the {item.cause}" if item.cause else "not attributed"
    return view_of(
        item,
        "done" if item.cause else "unscored",
        title="the judge says what it comes from",
        about=about,
        said=cause,
        text=item.reason,
        fields=lambda: (Field(cause, item.reason),) if item.cause else (),
        depth=1,
    )


def _closed(event: ConceptClosed, context: RunContext) -> tuple[str, Sequence[Count]]:
    """`14 of 20 right · ACS .92`, and the figures of what counts."""
    answers, alike = event.numbers.all, event.numbers.consistency
    words = [f"{answers.correct} of {answers.scored} right"]
    counts = [
        Count("closed", "correct", answers.correct),
        Count("closed", "wrong", answers.scored - answers.correct),
    ]
    if alike.acs is not None:
        words.append(f"ACS {figures.score(alike.acs)}")
        counts.append(Count("closed, ACS", "", alike.questions, alike.acs * alike.questions))
    if event.numbers.unscored:
        words.append(f"unscored {figures.stages(event.numbers.unscored)}")
    return figures.joined(words), counts


def _figures(run: RunProgress) -> list[Figure]:
    """Of all answers while the run goes on; at its end of those that count."""
    counts = list[Figure]()
    for status in ("correct", "wrong", "unscored"):
        counts.append(Figure(f"{run.tallies['answers'].marks[status]:,} {LEGEND[status]}"))
    so_far = "" if run.finished else " so far"
    accuracy = run.tallies["closed" if run.finished else "answers"].accuracy
    acs = run.tallies["closed, ACS"].mean
    return [
        *counts,
        measured(f"accuracy{so_far}", figures.percent(accuracy), "acc."),
        measured(f"ACS{so_far}", figures.score(acs), "ACS"),
    ]


def _head(context: RunContext, part: str) -> list[Field]:
    concept = context.spec.concepts[int(part[1:]) - 1]
    return [Field(part, figures.joined([concept.name, concept.category]), "bold")]


STEPS = Steps(
    step=_step,
    part="concept",
    index=lambda item: ATTRIBUTION if isinstance(item, Attribution) else item.concept,
    named=_part_name,
    parts=lambda context: len(context.spec.concepts),
    # all concepts have as many steps; what the judge reads is no step of its own
    planned=lambda context, index: planned(
        context, index, "same_question", "selection", alike=index == ATTRIBUTION
    ),
    figures=_figures,
    size=_size,
    closed=_closed,
    kept=(ChoiceQuestion,),
    head=_head,
)
