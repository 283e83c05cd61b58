"""Writing from one problem: a scenario with its distractors, an instruction; and the checks that ask no solver."""

from functools import partial

from ...agents.answers.figures import lost_figures
from ...agents.answers.final.answer import final_stands_in
from ...agents.questioner.distractors import usable
from ...agents.questioner.instruction import check_instruction, copied_words, write_instruction
from ...agents.questioner.scenario import check_scenario, is_bare, woven, write_distractors, write_scenario
from ...state.deepquestion.items import (
    DISTRACTORS,
    DistractorsWritten,
    InstructionChecked,
    InstructionWritten,
    ScenarioChecked,
    ScenarioWritten,
)
from ...state.records import Unscored
from ..step import Step
from .solving import Place


class Writer:
    """What the generator writes from one problem, and what the evaluator says of it."""

    def __init__(self, place: Place) -> None:
        self.place, self.spec, self.problem = place, place.spec, place.problem
        self.count = max(DISTRACTORS[load] for load in self.spec.distractors)
        """Distractors that are asked for."""

    async def scenario(self, guide: str) -> ScenarioWritten:
        return await self.place.do("scenario", partial(self._scenario, guide))

    async def scenario_check(self, written: ScenarioWritten) -> ScenarioChecked:
        text = woven(written.sentences, written.question, ())
        return await self.place.do("scenario@check", partial(self._check_scenario, text))

    async def distractors(self, written: ScenarioWritten) -> DistractorsWritten | None:
        """None where no load has any."""
        if not self.count:
            return None
        return await self.place.do("distractors", partial(self._distractors, written))

    async def instruction(self, guide: str) -> InstructionWritten:
        return await self.place.do("instruction", partial(self._instruction, guide))

    async def instruction_check(self, written: InstructionWritten) -> InstructionChecked:
        return await self.place.do("instruction@check", partial(self._check_instruction, written.text))

    async def _scenario(self, guide: str, step: Step) -> ScenarioWritten:
        told = await step.ask(write_scenario, self.problem, guide)
        if isinstance(told, Unscored):
            return ScenarioWritten(**step.fields(), fault=told)
        return ScenarioWritten(**step.fields(), sentences=tuple(told.sentences), question=told.question)

    async def _check_scenario(self, text: str, step: Step) -> ScenarioChecked:
        if is_bare(self.problem, text):
            return ScenarioChecked(**step.fields(), bare=True, reason="it is the problem nearly to the letter")
        lost = lost_figures(self.problem.question, text)
        told = await step.ask(check_scenario, self.problem, text, lost)
        if isinstance(told, Unscored):
            return ScenarioChecked(**step.fields(), fault=told)
        return ScenarioChecked(
            **step.fields(),
            missing=tuple(told.missing),
            bare=told.bare,
            gives_away=told.gives_away,
            reason=told.reason,
        )

    async def _distractors(self, written: ScenarioWritten, step: Step) -> DistractorsWritten:
        told = await step.ask(write_distractors, self.problem, written.sentences, written.question, self.count)
        if isinstance(told, Unscored):
            return DistractorsWritten(**step.fields(), fault=told)
        kept, dropped = usable(self.problem, written.sentences, written.question, told)
        return DistractorsWritten(**step.fields(), distractors=tuple(kept), dropped=tuple(dropped))

    async def _instruction(self, guide: str, step: Step) -> InstructionWritten:
        text = await step.ask(write_instruction, self.problem, guide)
        if isinstance(text, Unscored):
            return InstructionWritten(**step.fields(), fault=text)
        return InstructionWritten(**step.fields(), text=text)

    async def _check_instruction(self, text: str, step: Step) -> InstructionChecked:
        # what can be seen without asking is not asked
        if not final_stands_in(text, self.problem.final_answer):
            return InstructionChecked(**step.fields(), complete=False, reason="the final answer does not stand in it")
        copied = copied_words(self.problem, text)
        if copied:
            return InstructionChecked(**step.fields(), gives_away=True, reason=f"it repeats the problem: “{copied} …”")
        told = await step.ask(check_instruction, self.problem, text)
        if isinstance(told, Unscored):
            return InstructionChecked(**step.fields(), fault=told)
        return InstructionChecked(
            **step.fields(), gives_away=told.gives_away, complete=told.complete, reason=told.reason
        )
