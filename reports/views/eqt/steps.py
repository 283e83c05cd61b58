"""An Explain-Query-Test step by step: explanations, questions, paraphrases, answers, and what wrong
ones are put down to."""

from collections.abc import Iterator, Sequence
from functools import partial

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
from ....state.records import Rejected
from ....state.spec import EqtSpec
from ...page import figures
from ...page.rows import STYLES
from ...page.sanitise import model_name, one_line
from ...progress import RunProgress
from ...step import Count, Field, Mark, Scene, StepView, view_of
from ..steps import Figure, Steps, measured
from ..texts import answer_fields, letters_of, option_fields, planned, with_interval
from .paths import ATTRIBUTION, at, head, named, names, order, spelling

READ = {"none": "none is right", "unreadable": "no readable selection", "refused": "refused"}
VERDICTS = {"correct": "right", "wrong": "wrong", "unscored": "unscored"}


def size_words(spec: EqtSpec) -> str:
    """`5 questions, 10 options, 3 paraphrases`, per concept and per question."""
    parts = [figures.count(spec.questions, "question"), figures.count(spec.options, "option")]
    parts.append(
        figures.count(spec.paraphrases, "paraphrase") if spec.paraphrases else "no paraphrases"
    )
    return ", ".join([*parts, *(["open book too"] if spec.open_book else [])])


def _roles(scene: Scene) -> list[str]:
    spec = scene.spec
    roles = [f"examiner {model_name(spec.examiner)}"] if spec.examiner != spec.target else []
    return [*roles, *([f"judge {model_name(spec.judge)}"] if spec.needs_judge else [])]


# a step


def _step(item: EqtItem, scene: Scene) -> StepView:
    about = named(scene, item.concept).about or f"concept {item.concept + 1}"
    match item:
        case Explanation():
            return _lost_or(item, about, "explanation")
        case ChoiceQuestion():
            return _lost_or(item, about, f"question ({item.kind})")
        case Paraphrase():
            return _lost_or(item, about, "paraphrase")
        case Choice():
            return _choice(item, about, scene)
        case Attribution():
            return _attribution(item, about)


def _lost_or(item: Explanation | ChoiceQuestion | Paraphrase, about: str, title: str) -> StepView:
    """What is written. Without a word it is lost, or was dropped."""
    dropped = None if isinstance(item, Explanation) else item.dropped
    said = title if dropped is None else f"{item.type} dropped ({dropped})"
    return view_of(
        item,
        "done" if dropped is None else "rejected",
        title=title,
        about=about,
        said=f"no {item.type}" if item.fault else said,
        text="" if isinstance(item, Explanation) else item.text,
        fields=partial(_written, item),
        depth=int(isinstance(item, Paraphrase)),
        seen="screen" if dropped is None else "everywhere",
    )


def _written(item: Explanation | ChoiceQuestion | Paraphrase) -> Iterator[Field]:
    if item.text:
        yield Field(
            "",
            item.text,
            "" if isinstance(item, Explanation) else "bold",
            said=isinstance(item, Explanation),
        )
    if isinstance(item, Explanation):
        return
    if isinstance(item, ChoiceQuestion):
        yield from option_fields((option.text, option.correct) for option in item.options)
    yield from _rejected(item.rejected)
    if item.dropped is not None:
        yield Field("dropped", item.dropped, STYLES["warning"])


def _choice(item: Choice, about: str, scene: Scene) -> StepView:
    mark: Mark = "correct" if item.correct else "wrong"
    question = scene.items.get(figures.place(item.id).rpartition(".")[0])
    options = question.options if isinstance(question, ChoiceQuestion) else ()
    right = [
        place
        for place, option in enumerate(item.order)
        if option < len(options) and options[option].correct
    ]
    said = said_of(item)
    if mark == "wrong" and right:
        said += f" (right: {letters_of(right)})"
    wording = "the original wording" if item.paraphrase == 0 else f"paraphrase {item.paraphrase}"
    book = ", with the explanation at hand" if item.open_book else ""
    verdict = VERDICTS["unscored" if item.fault else mark]
    series = "open book" if item.open_book else "answers"
    return view_of(
        item,
        mark,
        title=f"{wording}{book} · {verdict}",
        about=about,
        said=said + (" (open book)" if item.open_book else ""),
        text=question.text if isinstance(question, ChoiceQuestion) else "",
        fields=tuple if item.fault else partial(_answer, item, options),
        sent_to="target",
        depth=1,
        counts=(Count(series, "unscored" if item.fault else mark),),
    )


def _answer(item: Choice, options: Sequence[Option]) -> Iterator[Field]:
    """What was said, what it was taken for, and the options that were chosen or should be, as they
    were shown."""
    yield from answer_fields(item.answer)
    yield Field("parsed as", read_as(item))
    for place, option in enumerate(item.order):
        chosen, right = option in item.chosen, option < len(options) and options[option].correct
        if option < len(options) and (chosen or right):
            sign = "✓" if right else "✗"
            style = STYLES["correct"] if chosen and right else STYLES["wrong"]
            text = (
                f"[{'x' if chosen else ' '}] {sign} {letters_of([place])}. "
                f"{one_line(options[option].text)}"
            )
            yield Field("", text if chosen else f"{text} (right, not chosen)", style)


def _attribution(item: Attribution, about: str) -> StepView:
    told = item.cause is not None
    return view_of(
        item,
        "done" if told else "unscored",
        title="the judge says what it comes from",
        about=about,
        said=f"put down to the {item.cause}" if told else "not attributed (no cause was named)",
        text=item.reason,
        fields=lambda: (Field(f"put down to the {item.cause}", item.reason),) if told else (),
        sent_to="judge",
        depth=1,
    )


def said_of(choice: Choice) -> str:
    """`B, D`; in its place what the answer came to."""
    silent = choice.answer is None or not choice.answer.text.strip()
    return "no answer" if choice.reading == "unreadable" and silent else read_as(choice)


def read_as(choice: Choice) -> str:
    """`B, D`, or what an answer without letters was taken for."""
    return READ.get(choice.reading or "", ", ".join(choice.letters))


def _rejected(rejected: Sequence[Rejected]) -> Iterator[Field]:
    return (Field("thrown away", f"{one.text} ({one.reason})", "dim") for one in rejected)


# a concept


def _closed(event: ConceptClosed, scene: Scene) -> tuple[str, Sequence[Count]]:
    """`14 of 20 right · accuracy 70% (48–85) · ACS .92`, and the figures of what counts."""
    numbers = event.numbers
    row, acs = numbers.all, numbers.consistency.acs
    drops = (numbers.dropped, "question"), (numbers.paraphrases_dropped, "paraphrase")
    dropped = " and ".join(figures.count(number, what) for number, what in drops if number)
    parts = [
        f"{row.correct} of {row.scored} right" if row.scored else "nothing was measured",
        f"accuracy {with_interval(row.accuracy, row.ci_clustered or row.ci, 'percent')}"
        if row.scored
        else "",
        "" if acs is None else f"ACS {figures.score(acs)}",
        f"{dropped} dropped" if dropped else "",
        f"unscored {figures.stages(numbers.unscored)}" if any(numbers.unscored.values()) else "",
    ]
    counts = []
    counts += [Count("closed", "correct", row.correct)]
    counts += [Count("closed", "wrong", row.scored - row.correct)]
    if acs is not None:
        told = numbers.consistency.questions
        counts.append(Count("closed, ACS", "", told, acs * told))
    return figures.joined(parts), counts


def _figures(run: RunProgress) -> list[Figure]:
    """Of all answers while the run goes on; at its end of those that count."""
    answers, closed = run.tallies["answers"].marks, run.tallies["closed"]
    accuracy = (closed if run.finished else run.tallies["answers"]).accuracy
    so_far = "" if run.finished else " so far"
    book = run.tallies["open book"].marks.total()
    return [
        Figure(f"{answers['correct']:,} right", f"{answers['correct']:,}", "✓", 5, wide=True),
        Figure(f"{answers['wrong']:,} wrong", f"{answers['wrong']:,}", "✗", 5, wide=True),
        Figure(f"{answers['unscored']:,} unscored", f"{answers['unscored']:,}", "?", 4, wide=True),
        measured(f"accuracy{so_far}", figures.percent(accuracy), "acc."),
        measured(f"ACS{so_far}", figures.score(run.tallies["closed, ACS"].mean), "ACS", 4),
        *([Figure(f"{book:,} with the book open")] if book else []),
    ]


def _planned(scene: Scene, index: int) -> float:
    """All concepts have as many steps; a check is no step of its own."""
    return planned(scene, index, "same_question", alike=index == ATTRIBUTION)


STEPS = Steps(
    step=_step,
    part="concept",
    index=lambda item: ATTRIBUTION if isinstance(item, Attribution) else item.concept,
    named=named,
    parts=lambda scene: len(scene.spec.concepts),
    planned=_planned,
    legend={"correct": "right", "wrong": "wrong", "unscored": "unscored", "rejected": "dropped"},
    figures=_figures,
    roles=_roles,
    size=lambda scene: [size_words(scene.spec)],
    closed=_closed,
    kept=(ChoiceQuestion,),
    names=names,
    at=at,
    spelling=spelling,
    order=order,
    head=head,
)
