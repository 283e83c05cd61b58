"""Own questions one by one."""

from collections.abc import Iterator
from functools import partial

from ...reports.page import figures
from ...reports.page.rows import STYLES
from ...reports.step import Count, Field, PartName, RunContext, StepStatus, StepView, view_of
from ...reports.views.steps import LEGEND, Steps, tallied
from ...reports.views.texts import answer_fields
from ...state.ask.spec import AskedQuestion, OwnQuestion


def _step(item: AskedQuestion, context: RunContext) -> StepView:
    question: OwnQuestion = context.spec.questions[item.concept]
    status: StepStatus = item.verdict.verdict if item.verdict else "unscored"
    return view_of(
        item,
        status,
        title=STEPS.legend[status],
        about=question.topic,
        said=STEPS.legend[status],
        text=question.text,
        fields=partial(_fields, item, question),
        counts=(Count("answers", status),),
    )


def _fields(item: AskedQuestion, question: OwnQuestion) -> Iterator[Field]:
    yield Field("reference", question.answer)
    if question.passage:
        yield Field("passage", question.passage, link=question.source)
    yield from answer_fields(item.answer)
    if item.verdict is not None:
        yield Field(item.verdict.verdict, item.verdict.reason)
    if item.passage_says:
        yield Field("the passage says", item.passage_says, STYLES["warning"])
    if item.peer:
        yield Field("the evaluator says the same", item.peer, STYLES["warning"])


MARKS: dict[StepStatus, str] = {
    "correct": LEGEND["correct"],
    "wrong": LEGEND["wrong"],
    "abstained": "abstained",
    "unscored": LEGEND["unscored"],
}
STEPS = Steps(
    step=_step,
    part="question",
    named=lambda context, index: PartName(
        f"q{index + 1:03d}", context.spec.questions[index].topic
    ),
    parts=lambda context: len(context.spec.questions),
    planned=lambda context, index: 1.0,
    figures=lambda run: tallied(run, "answers", MARKS),
    legend=MARKS,
    size=lambda context: [figures.count(len(context.spec.questions), "question")],
    closes=False,
)
