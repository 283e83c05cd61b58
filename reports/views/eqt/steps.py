"""An Explain-Query-Test step by step: explanations, questions, paraphrases, answers, and what wrong
ones are put down to."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from ....graphs.planned import planned
from ....state.eqt.items import (
    Attribution,
    Choice,
    ChoiceQuestion,
    EqtItem,
    Explanation,
    Option,
    Paraphrase,
)
from ....state.events import ConceptClosed
from ....state.spec import EqtSpec
from ...page import figures
from ...page.rows import STYLES
from ...page.sanitise import model_name, one_line
from ...progress import RunProgress
from ...step import SIGNS, Count, Field, RunContext, StepStatus, StepView, view_of
from ..steps import Figure, Steps, measured
from ..texts import answer_fields, letters_of, option_fields
from .paths import ATTRIBUTION, at, head, named, names, order, spelling

LEGEND: Mapping[StepStatus, str] = {
    "correct": "right",
    "wrong": "wrong",
    "unscored": "unscored",
    "rejected": "dropped",
}
READ = {
    "none": "none is right",
    "unreadable": "no readable selection",
    "refused": "refused",
}


def size_words(spec: EqtSpec) -> str:
    """`5 questions, 10 options, 3 paraphrases`, per concept and per question."""
    sizes = {
        "question": spec.questions,
        "option": spec.options,
        "paraphrase": spec.paraphrases,
    }
    counts = [figures.count(number, what) for what, number in sizes.items()]
    if spec.open_book:
        counts.append("open book too")
    return ", ".join(counts)


def roles_of(spec: EqtSpec) -> list[str]:
    """Who takes part beside the target."""
    own = spec.examiner == spec.target
    examiner = "its own examiner" if own else f"examiner {model_name(spec.examiner)}"
    return [examiner, f"judge {model_name(spec.judge)}"]


# a step


def _step(item: EqtItem, scene: RunContext) -> StepView:
    about = named(scene, item.concept).about or f"concept {item.concept + 1}"
    match item:
        case Choice():
            return _choice(item, about, scene)
        case Attribution():
            return _attribution(item, about)
        case _:
            return _written(item, about)


def _written(item: Explanation | ChoiceQuestion | Paraphrase, about: str) -> StepView:
    """What is written. Without a word it is lost, or was dropped."""
    dropped = None if isinstance(item, Explanation) else item.dropped
    title = f"question ({item.kind})" if isinstance(item, ChoiceQuestion) else item.type
    return view_of(
        item,
        "done" if dropped is None else "rejected",
        title=title,
        about=about,
        said=title if dropped is None else f"{item.type} dropped ({dropped})",
        text="" if isinstance(item, Explanation) else item.text,
        fields=partial(_texts, item),
        depth=int(isinstance(item, Paraphrase)),
        seen="screen" if dropped is None else "everywhere",
    )


def _texts(item: Explanation | ChoiceQuestion | Paraphrase) -> Iterator[Field]:
    if isinstance(item, Explanation):
        yield Field("", item.text, said=True)
        return
    if item.text:
        yield Field("", item.text, "bold")
    if isinstance(item, ChoiceQuestion):
        yield from option_fields((option.text, option.correct) for option in item.options)
    for each in item.rejected:
        yield Field("thrown away", f"{each.text} ({each.reason})", "dim")
    if item.dropped is not None:
        yield Field("dropped", item.dropped, STYLES["warning"])


def _choice(item: Choice, about: str, scene: RunContext) -> StepView:
    question = scene.items.get(figures.place(item.id).rpartition(".")[0])
    options = question.options if isinstance(question, ChoiceQuestion) else ()
    mark: StepStatus = "unscored" if item.fault else "correct" if item.correct else "wrong"
    series, book = ("open book", ", open book") if item.open_book else ("answers", "")
    wording = f"paraphrase {item.paraphrase}" if item.paraphrase else "the original wording"
    return view_of(
        item,
        mark,
        title=f"{wording}{book} · {LEGEND[mark]}",
        about=about,
        said=read_as(item) + book,
        text=question.text if isinstance(question, ChoiceQuestion) else "",
        fields=tuple if item.fault else partial(_answer, item, options),
        sent_to="target",
        depth=1,
        counts=(Count(series, mark),),
    )


def _answer(item: Choice, options: Sequence[Option]) -> Iterator[Field]:
    """What was said, what it was taken for, and the options that were chosen or should be, as they
    were shown."""
    yield from answer_fields(item.answer)
    yield Field("parsed as", read_as(item))
    for place, option in enumerate(item.order[: len(options)]):
        chosen, right = option in item.chosen, options[option].correct
        if chosen or right:
            text = (
                f"{'✓' if right else '✗'} {letters_of([place])}. {one_line(options[option].text)}"
            )
            style = STYLES["correct" if chosen and right else "wrong"]
            yield Field("", text if chosen else f"{text} (not chosen)", style)


def _attribution(item: Attribution, about: str) -> StepView:
    told = item.cause is not None
    return view_of(
        item,
        "done" if told else "unscored",
        title="the judge says what it comes from",
        about=about,
        said=f"put down to the {item.cause}" if told else "not attributed",
        text=item.reason,
        fields=lambda: (Field(f"put down to the {item.cause}", item.reason),) if told else (),
        sent_to="judge",
        depth=1,
    )


def read_as(choice: Choice) -> str:
    """`B, D`, or what an answer without letters was taken for."""
    return READ.get(choice.reading or "", ", ".join(choice.letters))


# a concept


def _closed(event: ConceptClosed, scene: RunContext) -> tuple[str, Sequence[Count]]:
    """`14 of 20 right · ACS .92`, and the figures of what counts."""
    row, alike = event.numbers.all, event.numbers.consistency
    lost = figures.stages(event.numbers.unscored)
    acs = "" if alike.acs is None else f"ACS {figures.score(alike.acs)}"
    counts = [
        Count("closed", "correct", row.correct),
        Count("closed", "wrong", row.scored - row.correct),
    ]
    if alike.acs is not None:
        counts.append(Count("closed, ACS", "", alike.questions, alike.acs * alike.questions))
    right = f"{row.correct} of {row.scored} right"
    return figures.joined([right, acs, f"unscored {lost}" if lost else ""]), counts


def _figures(run: RunProgress) -> list[Figure]:
    """Of all answers while the run goes on; at its end of those that count."""
    answers, closed = run.tallies["answers"].marks, run.tallies["closed"]
    accuracy = (closed if run.finished else run.tallies["answers"]).accuracy
    so_far = "" if run.finished else " so far"
    book = run.tallies["open book"].marks.total()
    counts = [
        Figure(f"{answers[mark]:,} {word}", f"{answers[mark]:,}", SIGNS[mark][0], wide=True)
        for mark, word in LEGEND.items()
        if mark != "rejected"
    ]
    return [
        *counts,
        measured(f"accuracy{so_far}", figures.percent(accuracy), "acc."),
        measured(f"ACS{so_far}", figures.score(run.tallies["closed, ACS"].mean), "ACS", 4),
        *([Figure(f"{book:,} with the book open")] if book else []),
    ]


def _planned(scene: RunContext, index: int) -> float:
    """All concepts have as many steps; a check is no step of its own."""
    return planned(scene, index, "same_question", alike=index == ATTRIBUTION)


STEPS = Steps(
    step=_step,
    part="concept",
    index=lambda item: ATTRIBUTION if isinstance(item, Attribution) else item.concept,
    named=named,
    parts=lambda scene: len(scene.spec.concepts),
    planned=_planned,
    legend=LEGEND,
    figures=_figures,
    roles=lambda scene: roles_of(scene.spec),
    size=lambda scene: [size_words(scene.spec)],
    closed=_closed,
    kept=(ChoiceQuestion,),
    names=names,
    at=at,
    spelling=spelling,
    order=order,
    head=head,
)
