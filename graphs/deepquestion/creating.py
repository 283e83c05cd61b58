"""Writing a question by an instruction: the target writes, the evaluator solves and checks, the
judge compares."""

from random import Random
from typing import Any

from ...agents.judge.comparison import ComparisonReply, compare_questions
from ...agents.prober.solver import create_question
from ...agents.questioner.instruction import keeps_to
from ...agents.questioner.transformation import shown
from ...state.deepquestion.items import Compared, Created, InstructionMet, ProblemSet
from ...state.deepquestion.spec import DeepQuestionSpec
from ..step import Step
from .solving import Place


def baseline_pairs(spec: DeepQuestionSpec, problems: ProblemSet) -> dict[int, int]:
    """Problem → the other one that it is compared with, drawn by seed; empty where there are not
    two."""
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
        async def make(step: Step) -> Created:
            answer = await step.ask(create_question.up_to(self.spec.answer_tokens), instruction)
            return step.item(
                Created,
                answer,
                lambda reply: {
                    "text": "" if reply.refusal else reply.text.strip(),
                    "answer": reply,
                },
            )

        return await self.place.do("q2i", make)

    async def met(self, instruction: str, question: str) -> InstructionMet:
        async def make(step: Step) -> InstructionMet:
            reply = await step.ask(keeps_to, instruction, question)
            return step.item(InstructionMet, reply, dict)

        return await self.place.do("q2i@met", make)

    async def compared(self, instruction: str, question: str, *, original_first: bool) -> Compared:
        """The original and the written question, in one of both orders."""
        return await self._compared("created", question, instruction, original_first)

    async def baseline(self, problems: ProblemSet, other: int, *, original_first: bool) -> Compared:
        """Two originals, in one of both orders."""
        return await self._compared(
            "baseline", shown(problems.problems[other]), "", original_first, other
        )

    async def _compared(
        self,
        pair: str,
        question: str,
        instruction: str,
        original_first: bool,
        other: int | None = None,
    ) -> Compared:
        original = shown(self.place.problem)
        texts = (original, question) if original_first else (question, original)

        def says(reply: ComparisonReply) -> dict[str, Any]:
            return {
                "preferences": reply.preferences(instructed=bool(instruction)),
                "reason": reply.reason,
            }

        async def make(step: Step) -> Compared:
            reply = await step.ask(compare_questions, *texts, instruction)
            return step.item(
                Compared, reply, says, pair=pair, original_first=original_first, other=other
            )

        where = "q2i" if other is None else "baseline"
        return await self.place.do(f"{where}@{'first' if original_first else 'second'}", make)
