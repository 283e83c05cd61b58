"""The steps of the fifth method."""

from fathom.reports.step import (
    Count,
    Field,
    PartName,
    RunContext,
    StepStatus,
    StepView,
    view_of,
)
from fathom.reports.views.steps import Figure, Steps

from .state import ToyAnswer


def step_view(item: ToyAnswer, context: RunContext) -> StepView:
    status: StepStatus = "correct" if item.text else "wrong"
    return view_of(
        item,
        status,
        title="the target says the symbol",
        about=context.spec.topics[item.concept],
        said=item.text,
        fields=lambda: [Field("answer", item.text)],
        counts=(Count("answers", status),),
    )


STEPS = Steps(
    step=step_view,
    part="topic",
    named=lambda context, index: PartName(f"t{index}", context.spec.topics[index]),
    parts=lambda context: len(context.spec.topics),
    planned=lambda context, index: 1.0,
    figures=lambda run: [Figure(f"{run.steps} said", f"{run.steps}", "said")],
)
