"""Writing a question by an instruction: the target writes, the evaluator solves and checks, the
judge compares."""

from random import Random
from typing import Any

from ...agents.judge.comparison import ComparisonReply, compare_questions
from ...agents.prober.solver import create_question
from ...agents.questioner.instruction import keeps_to
from ...agents.questioner.transformation import shown
from ...state.deepquestion.items import Compared, Created, InstructionMet
from ...state.deepquestion.spec import DeepQuestionSpec
from ...state.problems import ProblemSet
from ...state.records import Answer
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
        def says(answer: Answer) -> dict[str, Any]:
            return {"text": "" if answer.refusal else answer.text.strip(), "answer": answer}

        skill = create_question.up_to(self.spec.answer_tokens)
        return await self.place.ask("q2i", Created, skill, instruction, says=says)

    async def met(self, instruction: str, question: str) -> InstructionMet:
        return await self.place.ask("q2i@met", InstructionMet, keeps_to, instruction, question)

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

        where = "q2i" if other is None else "baseline"
        return await self.place.ask(
            f"{where}@{'first' if original_first else 'second'}",
            Compared,
            compare_questions,
            *texts,
            instruction,
            says=says,
            pair=pair,
            original_first=original_first,
            other=other,
        )
