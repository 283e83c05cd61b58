"""What wrong answers come from, on a sample: a wrong explanation, a faulty question, or an answer
at odds with both."""

from collections.abc import Collection, Sequence
from contextlib import nullcontext
from random import Random
from typing import Any

from ...agents.judge import verdict
from ...agents.prober.answer import with_options
from ...state.eqt.items import Attribution, EqtItem
from ...state.errors import RunFailed
from ...state.spec import EqtSpec
from ...stats.eqt.items import parent_of, wording_of, wrong_choices
from ...tools.models.chat import Payer
from ...tools.runs.journal import Sink
from ..run.deps import RunDeps
from ..step import Step, Steps


def sample_of(spec: EqtSpec, items: Sequence[EqtItem], closed: Collection[int]) -> list[str]:
    """Ids of the wrong closed-book answers to be looked into, drawn by seed from all that could be
    read."""
    wrong = wrong_choices(items, closed)
    drawn = Random(f"{spec.seed}:attribute").sample(
        range(len(wrong)), min(spec.attribute, len(wrong))
    )
    return [wrong[place].id for place in sorted(drawn)]


async def attribute(
    deps: RunDeps, spec: EqtSpec, run_id: str, answer_id: str, payer: Payer | None
) -> None:
    """One attribution, journalled. Done once: what the journal has is not asked again."""
    choice = _item(deps.sink, run_id, answer_id)
    question = _item(deps.sink, run_id, parent_of(choice))
    explanation = _item(deps.sink, run_id, parent_of(question))
    wording = _item(deps.sink, run_id, wording_of(choice))
    options = [question.options[place] for place in choice.order]
    right = [chr(65 + shown) for shown, option in enumerate(options) if option.correct]

    async def make(step: Step) -> Attribution:
        blame = await step.ask(
            verdict.attribute,
            spec.concepts[choice.concept].name,
            explanation.text,
            with_options(wording.text, [option.text for option in options]),
            ", ".join(right),
            ", ".join(choice.letters),
        )
        place = {"question": choice.question, "paraphrase": choice.paraphrase}
        return step.item(Attribution, blame, dict, **place)

    steps = Steps(deps, run_id, spec)
    await steps.do(f"{answer_id}.why", make, lambda: nullcontext(payer), concept=choice.concept)


def _item(sink: Sink, run_id: str, item_id: str) -> Any:
    """An item that another one refers to."""
    item = sink.item(run_id, item_id)
    if item is None:
        raise RunFailed(f"The journal of {run_id} has lost {item_id}: run it again.")
    return item
