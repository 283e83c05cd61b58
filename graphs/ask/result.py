"""The result of asking own questions, and which references are to be looked at: pure functions of
the journal."""

from collections import Counter
from collections.abc import Iterator, Sequence

from ...state.ask.result import AskResult, Flag
from ...state.ask.spec import AskedQuestion
from ...state.channels import Stop
from ...state.errors import RunFailed
from ...state.spec import AskSpec
from ...state.worlds import label_of
from ...stats.estimates import share
from ..run.record import RunRecord, assembled, reasoning_notes, stop_of

PASSAGE = "its passage says: {}"
AGREED = "{} and {} agree on another answer: {}"
ANOTHER = "an expert might rightly give another answer"
DOUBTFUL = "its passage is outdated or disputed"
UNCHECKED = (
    "{} of {} questions have no passage, so that their references were checked by no source."
)
FAILED = "{} of {} questions could not be checked with their passages: calls failed."
LOOK = "References that were flagged stay as they are, and count."


def asked_in(record: RunRecord) -> list[AskedQuestion]:
    """The questions that were put, in order."""
    return [item for item in record.items if isinstance(item, AskedQuestion)]


def ending_of(spec: AskSpec, record: RunRecord) -> Stop:
    """How a run ends that has asked all it could."""
    items, total = asked_in(record), len(spec.questions)
    faults = [item.fault for item in items if item.fault is not None]
    missing = sum(item.lost for item in items)
    return stop_of(
        missing,
        f"{missing:,} of {total:,} answers have no verdict because calls failed",
        faults,
        is_short=2 * missing >= total,
        nothing="" if len(faults) < len(items) else "no answer could be judged",
        whole="every question was put",
    )


def groups_of(spec: AskSpec) -> list[str]:
    """What each question stands or falls with: the first one on the same passage, or itself."""
    first: dict[str, str] = {}
    return [
        first.setdefault(question.passage or question.text, question.text)
        for question in spec.questions
    ]


def result_of(record: RunRecord) -> AskResult:
    """Raises RunFailed when nothing was asked."""
    spec, items = record.spec_as(AskSpec), asked_in(record)
    if not items:
        raise RunFailed(
            f"The run {record.run_id} ended before its first question: "
            f"{record.finished.stop_detail}."
        )
    groups = groups_of(spec)
    values = [
        (groups[item.concept], float(item.verdict.correct))
        for item in items
        if item.verdict is not None
    ]
    accuracy = share(values, alone=True)
    flags = tuple(_flags(spec, items))
    stages = Counter(item.fault.stage for item in items if item.fault is not None)
    return AskResult(
        **assembled(record, ("target", "evaluator", "judge"), notes=_notes(spec, items, flags)),
        accuracy=accuracy.value,
        accuracy_ci=accuracy.interval,
        unscored=dict(sorted(stages.items())),
        flags=flags,
        answers=tuple(item.model_copy(update={"prompt": (), "calls": ()}) for item in items),
    )


def _flags(spec: AskSpec, items: Sequence[AskedQuestion]) -> Iterator[Flag]:
    for item in items:
        question = spec.questions[item.concept]
        why = {
            PASSAGE.format(item.passage_says): item.passage_says,
            ANOTHER: item.another_answer,
            DOUBTFUL: item.check is not None and item.check.doubtful,
            AGREED.format(
                label_of(spec.target), label_of(spec.evaluator), item.peer
            ): item.peer,
        }
        reasons = tuple(reason for reason, holds in why.items() if holds)
        if reasons:
            yield Flag(
                question=item.concept + 1,
                text=question.text,
                reference=question.answer,
                why=reasons,
            )


def _notes(
    spec: AskSpec, items: Sequence[AskedQuestion], flags: Sequence[Flag]
) -> Iterator[str]:
    total = len(spec.questions)
    bare = sum(not question.passage for question in spec.questions)
    unchecked = [item for item in items if item.check is None]
    failed = sum(bool(spec.questions[item.concept].passage) for item in unchecked)
    if spec.verify_questions and bare:
        yield UNCHECKED.format(bare, total)
    if spec.verify_questions and failed:
        yield FAILED.format(failed, total)
    if flags:
        yield LOOK
    yield from reasoning_notes(item.answer for item in items)
