"""What wrong answers come from, on a sample: a wrong explanation, a faulty question, or an answer
at odds with both."""

from collections.abc import Collection, Sequence
from contextlib import nullcontext
from random import Random

from ...agents.judge import verdict
from ...agents.prober.answer import with_options
from ...state.eqt.items import Attribution, Choice, ChoiceQuestion, EqtItem, Explanation, Paraphrase
from ...state.errors import RunFailed
from ...state.spec import EqtSpec
from ...stats.eqt.items import wrong_choices
from ...tools.models.chat import Payer
from ...tools.runs.journal import Sink
from ..run.deps import DrillDeps
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
    deps: DrillDeps, spec: EqtSpec, run_id: str, answer_id: str, payer: Payer | None
) -> None:
    """One attribution, journalled. Done once: what the journal has is not asked again."""
    choice, question, wording, explanation = _material(deps.sink, run_id, answer_id)

    async def make(step: Step) -> Attribution:
        texts = [question.options[place].text for place in choice.order]
        right = [
            chr(65 + shown)
            for shown, place in enumerate(choice.order)
            if question.options[place].correct
        ]
        blame = await step.ask(
            verdict.attribute,
            spec.concepts[choice.concept].name,
            explanation.text,
            with_options(wording, texts),
            ", ".join(right),
            ", ".join(choice.letters),
        )
        place = {"question": choice.question, "paraphrase": choice.paraphrase}
        return step.item(Attribution, blame, dict, **place)

    steps = Steps(deps, run_id, spec)
    await steps.do(f"{answer_id}.why", make, lambda: nullcontext(payer), concept=choice.concept)


def _material(
    sink: Sink, run_id: str, answer_id: str
) -> tuple[Choice, ChoiceQuestion, str, Explanation]:
    """The answer, its question, the wording it answers, and what the question was written from."""
    question_id = answer_id.rpartition(".")[0]
    choice, question = sink.item(run_id, answer_id), sink.item(run_id, question_id)
    explanation = sink.item(run_id, question_id.rpartition(".")[0])
    if not (
        isinstance(choice, Choice)
        and isinstance(question, ChoiceQuestion)
        and isinstance(explanation, Explanation)
    ):
        raise RunFailed(f"The journal of {run_id} has lost what {answer_id} answers: run it again.")
    reworded = (
        sink.item(run_id, f"{question_id}.p{choice.paraphrase}") if choice.paraphrase else None
    )
    return (
        choice,
        question,
        reworded.text if isinstance(reworded, Paraphrase) else question.text,
        explanation,
    )
