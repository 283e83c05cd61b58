"""Writing a question by an instruction: the target writes, the evaluator solves and checks, the judge compares."""

from functools import partial
from random import Random

from ...agents.judge.comparison import compare_questions
from ...agents.prober.solver import create_question
from ...agents.questioner.instruction import keeps_to
from ...agents.questioner.transformation import shown
from ...state.deepquestion.items import Compared, Created, InstructionMet, ProblemSet
from ...state.deepquestion.spec import DeepQuestionSpec
from ...state.records import Unscored
from ..step import Step
from .solving import Place


def baseline_pairs(spec: DeepQuestionSpec, problems: ProblemSet) -> dict[int, int]:
    """Problem → the other one that it is compared with, drawn by seed; empty where there are not two."""
    count = len(problems.problems)
    if count < 2:
        return {}
    rng = Random(f"{spec.seed}:baseline")
    pairs: dict[int, int] = {}
    for index in rng.sample(range(count), count):
        # the other way round it would be the same pair
        free = [other for other in range(count) if other != index and pairs.get(other) != index]
        if free and len(pairs) < spec.baseline:
            pairs[index] = rng.choice(free)
    return pairs


class Creator:
    """The target's question for one problem's instruction, and what is said of it."""

    def __init__(self, place: Place) -> None:
        self.place, self.spec = place, place.spec

    async def create(self, instruction: str) -> Created:
        return await self.place.do("q2i", partial(self._create, instruction))

    async def met(self, instruction: str, question: str) -> InstructionMet:
        return await self.place.do("q2i@met", partial(self._met, instruction, question))

    async def compared(self, instruction: str, question: str, *, original_first: bool) -> Compared:
        """The original and the written question, in one of both orders."""
        original = shown(self.place.problem)
        texts = (original, question) if original_first else (question, original)
        where = f"q2i@{'first' if original_first else 'second'}"
        return await self.place.do(where, partial(self._compare, texts, instruction, original_first, None))

    async def baseline(self, problems: ProblemSet, other: int, *, original_first: bool) -> Compared:
        """Two originals, in one of both orders."""
        own, foreign = shown(self.place.problem), shown(problems.problems[other])
        texts = (own, foreign) if original_first else (foreign, own)
        where = f"baseline@{'first' if original_first else 'second'}"
        return await self.place.do(where, partial(self._compare, texts, "", original_first, other))

    async def _create(self, instruction: str, step: Step) -> Created:
        answer = await step.ask(create_question, instruction, max_tokens=self.spec.answer_tokens)
        if isinstance(answer, Unscored):
            return Created(**step.fields(), fault=None if answer.kind == "empty" else answer)
        return Created(**step.fields(), text="" if answer.refusal else answer.text.strip(), answer=answer)

    async def _met(self, instruction: str, question: str, step: Step) -> InstructionMet:
        told = await step.ask(keeps_to, instruction, question)
        if isinstance(told, Unscored):
            return InstructionMet(**step.fields(), fault=told)
        return InstructionMet(**step.fields(), met=told.met, reason=told.reason)

    async def _compare(
        self, texts: tuple[str, str], instruction: str, original_first: bool, other: int | None, step: Step
    ) -> Compared:
        told = await step.ask(compare_questions, *texts, instruction)
        pair = "created" if other is None else "baseline"
        if isinstance(told, Unscored):
            return Compared(**step.fields(), pair=pair, original_first=original_first, other=other, fault=told)
        return Compared(
            **step.fields(),
            pair=pair,
            original_first=original_first,
            other=other,
            preferences=told.preferences(instructed=bool(instruction)),
            reason=told.reason,
        )
