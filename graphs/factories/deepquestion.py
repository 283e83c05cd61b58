"""What langgraph.json names of DeepQuestion: factories of its graph, of the prompt optimisation alone, and of its
agents, configured as those in `factories`.

What the graph `deepquestion` plays comes from the run's configurable value `benchmark`, else from FATHOM_BENCHMARK: a
file, or problems as JSON (`tools.files.deepquestion.fields.problem_set_of`). The generator is named by `generator` or
FATHOM_GENERATOR; generator and judge are the evaluator where none is named.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cached_property

from langchain_core.runnables import RunnableConfig

from ...agents import export
from ...agents.export import deepquestion as export_deepquestion
from ...agents.prompts import DEEPQUESTION_PROMPTS
from ...state.deepquestion.items import ProblemSet
from ...state.errors import UsageError
from ...tools.files.deepquestion.fields import problem_set_of
from ..deepquestion.graph import DeepQuestionGraph, build_graph
from ..deepquestion.optimiser import prompt_optimiser_graph
from ..run.deps import DrillDeps
from . import EVALUATOR, JUDGE, TARGET, chats_of, named, sink_for, values_of

GENERATOR = ("generator", "evaluator")


class Unnamed(ProblemSet):
    """The problems of a run for which no benchmark is configured."""

    @cached_property
    def digest(self) -> str:
        """Raises UsageError."""
        raise UsageError("No benchmark is named: set FATHOM_BENCHMARK or the configurable value 'benchmark'.")


@asynccontextmanager
async def deepquestion(config: RunnableConfig) -> AsyncIterator[DeepQuestionGraph]:
    """The whole run; its input is a spec that names the configured models and the benchmark's digest, and a run id.
    Raises UsageError for a benchmark that cannot be read."""
    benchmark = named("benchmark", values_of(config))
    problems = await asyncio.to_thread(problem_set_of, benchmark) if benchmark else Unnamed.model_construct()  # type: ignore[call-arg]  # it has none
    async with (
        chats_of(config, TARGET, GENERATOR, EVALUATOR, JUDGE) as (target, generator, evaluator, judge),
        sink_for(config) as sink,
    ):
        deps = DrillDeps(
            target=target,
            evaluator=evaluator,
            judge=judge,
            generator=generator,
            sources={},
            sink=sink,
            prompts=DEEPQUESTION_PROMPTS,
            problems=problems,
        )
        yield build_graph(deps)


@asynccontextmanager
async def prompt_optimiser(config: RunnableConfig) -> AsyncIterator[export.Graph]:
    """The cycle of drafts: the generator drafts, the evaluator scores."""
    async with chats_of(config, GENERATOR, EVALUATOR) as (generator, evaluator):
        yield prompt_optimiser_graph(generator, evaluator)


@asynccontextmanager
async def prompt_drafter(config: RunnableConfig) -> AsyncIterator[export.Graph]:
    """The drafting of a transformation prompt, by the generator."""
    async with chats_of(config, GENERATOR) as (chat,):
        yield export_deepquestion.prompt_drafter_graph(chat)


@asynccontextmanager
async def prompt_scorer(config: RunnableConfig) -> AsyncIterator[export.Graph]:
    """The scoring of a transformation prompt, by the evaluator."""
    async with chats_of(config, EVALUATOR) as (chat,):
        yield export_deepquestion.prompt_scorer_graph(chat)


@asynccontextmanager
async def scenario_writer(config: RunnableConfig) -> AsyncIterator[export.Graph]:
    """The writing of a scenario, by the generator."""
    async with chats_of(config, GENERATOR) as (chat,):
        yield export_deepquestion.scenario_writer_graph(chat)


@asynccontextmanager
async def distractor_writer(config: RunnableConfig) -> AsyncIterator[export.Graph]:
    """The writing of distractors, by the generator."""
    async with chats_of(config, GENERATOR) as (chat,):
        yield export_deepquestion.distractor_writer_graph(chat)


@asynccontextmanager
async def scenario_checker(config: RunnableConfig) -> AsyncIterator[export.Graph]:
    """The check of a scenario, by the evaluator."""
    async with chats_of(config, EVALUATOR) as (chat,):
        yield export_deepquestion.scenario_checker_graph(chat)


@asynccontextmanager
async def instruction_writer(config: RunnableConfig) -> AsyncIterator[export.Graph]:
    """The writing of an instruction, by the generator."""
    async with chats_of(config, GENERATOR) as (chat,):
        yield export_deepquestion.instruction_writer_graph(chat)


@asynccontextmanager
async def instruction_checker(config: RunnableConfig) -> AsyncIterator[export.Graph]:
    """The check of an instruction, by the evaluator."""
    async with chats_of(config, EVALUATOR) as (chat,):
        yield export_deepquestion.instruction_checker_graph(chat)


@asynccontextmanager
async def solver(config: RunnableConfig) -> AsyncIterator[export.Graph]:
    """The solving of a problem: the target."""
    async with chats_of(config, TARGET) as (chat,):
        yield export_deepquestion.solver_graph(chat)


@asynccontextmanager
async def independent_solver(config: RunnableConfig) -> AsyncIterator[export.Graph]:
    """The independent solution, by the evaluator."""
    async with chats_of(config, EVALUATOR) as (chat,):
        yield export_deepquestion.independent_solver_graph(chat)


@asynccontextmanager
async def final_judge(config: RunnableConfig) -> AsyncIterator[export.Graph]:
    """The comparison of final answers; it needs no model."""
    yield export_deepquestion.final_judge_graph()


@asynccontextmanager
async def question_creator(config: RunnableConfig) -> AsyncIterator[export.Graph]:
    """The writing of a question by an instruction: the target."""
    async with chats_of(config, TARGET) as (chat,):
        yield export_deepquestion.question_creator_graph(chat)


@asynccontextmanager
async def instruction_met_checker(config: RunnableConfig) -> AsyncIterator[export.Graph]:
    """Whether a written question keeps to its instruction, by the evaluator."""
    async with chats_of(config, EVALUATOR) as (chat,):
        yield export_deepquestion.instruction_met_checker_graph(chat)


@asynccontextmanager
async def question_comparer(config: RunnableConfig) -> AsyncIterator[export.Graph]:
    """The comparison of two questions: the judge."""
    async with chats_of(config, JUDGE) as (chat,):
        yield export_deepquestion.question_comparer_graph(chat)
