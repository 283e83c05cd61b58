"""Writing from one problem: a scenario with its distractors, an instruction; and the checks that
ask no solver."""

from typing import Any

from ...agents.answers.final_answer import final_stands_in, lost_figures
from ...agents.questioner.choice_wording import usable
from ...agents.questioner.instruction import check_instruction, copied_words, write_instruction
from ...agents.questioner.scenario import (
    check_scenario,
    is_bare,
    woven,
    write_distractors,
    write_scenario,
)
from ...state.deepquestion.items import (
    DistractorsWritten,
    InstructionChecked,
    InstructionWritten,
    ScenarioChecked,
    ScenarioWritten,
)
from ...state.problems import DISTRACTORS, Distractor
from ..step import Step
from .solving import Place


class Writer:
    """What the generator writes from one problem, and what the evaluator says of it."""

    def __init__(self, place: Place) -> None:
        self.place, self.spec, self.problem = place, place.spec, place.problem
        self.count = max(DISTRACTORS[load] for load in self.spec.distractors)
        """Distractors that are asked for."""

    async def scenario(self, guide: str) -> ScenarioWritten:
        return await self.place.ask(
            "scenario",
            ScenarioWritten,
            write_scenario,
            self.problem,
            guide,
            says=lambda reply: {"sentences": tuple(reply.sentences), "question": reply.question},
        )

    async def scenario_check(self, draft: ScenarioWritten) -> ScenarioChecked:
        text = woven(draft.sentences, draft.question, ())

        async def make(step: Step) -> ScenarioChecked:
            if is_bare(self.problem, text):
                return ScenarioChecked(
                    **step.fields(), bare=True, reason="it repeats the problem almost word for word"
                )
            reply = await step.ask(
                check_scenario, self.problem, text, lost_figures(self.problem.question, text)
            )
            return step.item(ScenarioChecked, reply, dict)

        return await self.place.do("scenario@check", make)

    async def distractors(self, draft: ScenarioWritten) -> DistractorsWritten | None:
        """None where no load has any."""
        sentences, question = draft.sentences, draft.question

        def sifted(reply: list[Distractor]) -> dict[str, Any]:
            of_use, dropped = usable(self.problem, sentences, question, reply)
            return {"distractors": tuple(of_use), "dropped": tuple(dropped)}

        if not self.count:
            return None
        skill, about = write_distractors, (self.problem, sentences, question, self.count)
        return await self.place.ask("distractors", DistractorsWritten, skill, *about, says=sifted)

    async def instruction(self, guide: str) -> InstructionWritten:
        return await self.place.ask(
            "instruction",
            InstructionWritten,
            write_instruction,
            self.problem,
            guide,
            says=lambda text: {"text": text},
        )

    async def instruction_check(self, draft: InstructionWritten) -> InstructionChecked:
        text = draft.text

        async def make(step: Step) -> InstructionChecked:
            # what can be seen without asking is not asked
            if not final_stands_in(text, self.problem.final_answer):
                reason = "the final answer does not stand in it"
                return InstructionChecked(**step.fields(), complete=False, reason=reason)
            if copied := copied_words(self.problem, text):
                reason = f"it repeats the problem: “{copied} …”"
                return InstructionChecked(**step.fields(), gives_away=True, reason=reason)
            reply = await step.ask(check_instruction, self.problem, text)
            return step.item(InstructionChecked, reply, dict)

        return await self.place.do("instruction@check", make)
