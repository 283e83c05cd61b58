"""Drafting prompts, and writing scenarios, distractors and instructions by them, with the checks: a one-node graph
each; see `agents.export.deepquestion`."""

from ....state.deepquestion.items import woven
from ....tools.models.as_chat import as_chat
from ....tools.models.clients import Clients
from ...answers.figures import lost_figures
from ...answers.final.answer import final_stands_in
from ...questioner import instruction, scenario, transformation
from ...questioner.distractors import usable
from .. import AgentGraph, Model, one_node
from .inputs import kind_of, number_in, problem_in, samples_in, text_of, told
from .shapes import (
    DistractorWriterInput,
    DistractorWriterOutput,
    InstructionCheckerInput,
    InstructionCheckerOutput,
    InstructionWriterOutput,
    PromptDrafterInput,
    PromptDrafterOutput,
    PromptScorerInput,
    PromptScorerOutput,
    ScenarioCheckerInput,
    ScenarioCheckerOutput,
    ScenarioWriterOutput,
    WriterInput,
)


def prompt_drafter_graph(
    model: Model, clients: Clients | None = None
) -> AgentGraph[PromptDrafterInput, PromptDrafterOutput]:
    """Generator: a transformation prompt, or a better one than the last draft, where the state has one."""
    chat = as_chat(model, clients)

    async def draft(state: PromptDrafterInput) -> PromptDrafterOutput:
        last = state.get("guide", "").strip()
        before = (last, state.get("score"), state.get("feedback", "")) if last else None
        return {"guide": await transformation.draft_prompt(chat, kind_of(state), samples_in(state), last=before)}

    return one_node("prompt_drafter", draft, PromptDrafterInput, PromptDrafterOutput)


def prompt_scorer_graph(
    model: Model, clients: Clients | None = None
) -> AgentGraph[PromptScorerInput, PromptScorerOutput]:
    """Evaluator: how good a draft is by the written criteria, 1 to 10, and what it lacks."""
    chat = as_chat(model, clients)

    async def score(state: PromptScorerInput) -> PromptScorerOutput:
        said = await transformation.score_prompt(chat, kind_of(state), samples_in(state), text_of(state, "guide"))
        return {"score": said.score, "feedback": said.feedback}

    return one_node("prompt_scorer", score, PromptScorerInput, PromptScorerOutput)


def scenario_writer_graph(
    model: Model, clients: Clients | None = None
) -> AgentGraph[WriterInput, ScenarioWriterOutput]:
    """Generator: a realistic scenario around a problem, with the same answer."""
    chat = as_chat(model, clients)

    async def write(state: WriterInput) -> ScenarioWriterOutput:
        written = await scenario.write_scenario(
            chat, problem_in(state), text_of(state, "guide"), language=state.get("language", "en")
        )
        whole = woven(written.sentences, written.question, ())
        return {"scenario": {"sentences": written.sentences, "question": written.question}, "question": whole}

    return one_node("scenario_writer", write, WriterInput, ScenarioWriterOutput)


def distractor_writer_graph(
    model: Model, clients: Clients | None = None
) -> AgentGraph[DistractorWriterInput, DistractorWriterOutput]:
    """Generator: sentences that look as if they mattered, put between those of a scenario, which stay to the letter."""
    chat = as_chat(model, clients)

    async def write(state: DistractorWriterInput) -> DistractorWriterOutput:
        told(state)  # there is one
        problem, told_of = problem_in(state), state["scenario"]
        sentences, question = told_of["sentences"], told_of["question"]
        count, language = number_in(state, "count", 2, 1, 10), state.get("language", "en")
        written = await scenario.write_distractors(chat, problem, sentences, question, count, language=language)
        found, _ = usable(problem, sentences, question, written)
        return {
            "distractors": [{"text": each.text, "after": each.after} for each in found],
            "question": told(state, found),
        }

    return one_node("distractor_writer", write, DistractorWriterInput, DistractorWriterOutput)


def scenario_checker_graph(
    model: Model, clients: Clients | None = None
) -> AgentGraph[ScenarioCheckerInput, ScenarioCheckerOutput]:
    """Evaluator: does a scenario keep every quantity, is it more than the problem, and does it hold the answer back?
    Of one that is the problem nearly to the letter nobody is asked."""
    chat = as_chat(model, clients)

    async def check(state: ScenarioCheckerInput) -> ScenarioCheckerOutput:
        problem, text = problem_in(state), told(state)
        if scenario.is_bare(problem, text):
            reason = "it is the problem nearly to the letter"
            return {"missing": [], "bare": True, "gives_away": False, "reason": reason}
        said = await scenario.check_scenario(chat, problem, text, lost_figures(problem.question, text))
        return {"missing": said.missing, "bare": said.bare, "gives_away": said.gives_away, "reason": said.reason}

    return one_node("scenario_checker", check, ScenarioCheckerInput, ScenarioCheckerOutput)


def instruction_writer_graph(
    model: Model, clients: Clients | None = None
) -> AgentGraph[WriterInput, InstructionWriterOutput]:
    """Generator: an instruction that states a solution path and the final answer, and holds the problem back."""
    chat = as_chat(model, clients)

    async def write(state: WriterInput) -> InstructionWriterOutput:
        text = await instruction.write_instruction(
            chat, problem_in(state), text_of(state, "guide"), language=state.get("language", "en")
        )
        return {"instruction": text}

    return one_node("instruction_writer", write, WriterInput, InstructionWriterOutput)


def instruction_checker_graph(
    model: Model, clients: Clients | None = None
) -> AgentGraph[InstructionCheckerInput, InstructionCheckerOutput]:
    """Evaluator: does an instruction hold the question back, and state path and answer? What can be seen without asking
    is not asked: an answer that does not stand in it, and words of the problem that do."""
    chat = as_chat(model, clients)

    async def check(state: InstructionCheckerInput) -> InstructionCheckerOutput:
        problem, text = problem_in(state), text_of(state, "instruction")
        copied = instruction.copied_words(problem, text)
        if not final_stands_in(text, problem.final_answer):
            reason = "the final answer does not stand in it"
            return {"gives_away": bool(copied), "complete": False, "reason": reason}
        if copied:
            return {"gives_away": True, "complete": True, "reason": f"it repeats the problem: “{copied} …”"}
        said = await instruction.check_instruction(chat, problem, text)
        return {"gives_away": said.gives_away, "complete": said.complete, "reason": said.reason}

    return one_node("instruction_checker", check, InstructionCheckerInput, InstructionCheckerOutput)
