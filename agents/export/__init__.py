"""The skills for other people's apps: of each a compiled one-node graph with typed input and output, and a tool.

A model is a provider string, a LangChain chat model, or anything with Fathom's `Chat` protocol. Everything is bound
when the graph or tool is built; nothing is read from the host's context. The skills of a drill stand here, those of the
other methods in `agents.export.eqt`, `.depthqa` and `.deepquestion`.
"""

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import partial
from typing import Annotated, Any, NotRequired, get_args

from langchain_core.language_models import BaseChatModel
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from pydantic import BaseModel, Field, ValidationError, create_model
from pydantic.v1 import ValidationError as ValidationErrorV1
from typing_extensions import TypedDict, get_type_hints

from ...state.errors import FathomError, UsageError
from ...state.records import Answer, Evidence, Question, Rejected, Role
from ...state.tiers import Tier
from ...tools.background import synchronous
from ...tools.facts.base import FactQuery, FactSource
from ...tools.models.as_chat import as_chat
from ...tools.models.chat import Chat
from ...tools.models.clients import Clients
from ..explainer.explain import explain
from ..factfinder.find import find_evidence
from ..judge import verdict
from ..prober.answer import answer_question
from ..questioner.question import write_question
from ..skill import Ask

Model = str | BaseChatModel | Chat
Graph = CompiledStateGraph[Any, None, Any, Any]
Language = Annotated[str, Field(description="Code of the language to write in; en where it is left out.")]
Refusal = Annotated[bool, Field(description="The endpoint says that the model refused.")]


@dataclass(frozen=True, slots=True)
class Exported:
    """A skill as hosts get it. Its parameters are the channels it reads, and those with a default may be left out; what
    it returns, a TypedDict or a pydantic model, has the channels it writes. Parameters behind `*` are settled when it
    is bound, and are no channels."""

    work: Callable[..., Awaitable[Any]]
    tool: str
    """Name of the tool."""
    says: str
    """What the tool is for."""
    role: Role | None
    """Who is asked on a server; None: no model."""

    @property
    def name(self) -> str:
        """Of the graph and its node."""
        return self.work.__name__

    @property
    def takes(self) -> Any:
        """A TypedDict of the channels it reads."""
        hints = get_type_hints(self.work, include_extras=True)
        every = [one for one in inspect.signature(self.work).parameters.values() if hints[one.name] is not Ask]
        read = {one.name: one for one in every if one.kind is not one.KEYWORD_ONLY}
        optional: Any = NotRequired
        return _shape(
            f"{self.name}_input",
            {name: hints[name] if one.default is one.empty else optional[hints[name]] for name, one in read.items()},
            self.work.__doc__,
        )

    @property
    def gives(self) -> Any:
        """A TypedDict of the channels it writes."""
        told: Any = get_type_hints(self.work)["return"]
        if not issubclass(told, BaseModel):
            return told
        hints = get_type_hints(told, include_extras=True)
        return _shape(f"{self.name}_output", {name: hints[name] for name in told.model_fields}, None)


def exported(tool: str, says: str, role: Role | None = None) -> Callable[[Callable[..., Awaitable[Any]]], Exported]:
    """Makes a skill for hosts of a function, which takes an `Ask` first where a model is asked."""
    return lambda work: Exported(work, tool, says, role)


def graph_of(skill: Exported, model: Model | None = None, clients: Clients | None = None, **settled: Any) -> Graph:
    """The skill as a compiled graph of one node."""
    takes, gives = skill.takes, skill.gives
    asking = () if skill.role is None else (Ask(as_chat(model, clients)),)  # type: ignore[arg-type]  # it says so itself

    async def node(state: Mapping[str, Any]) -> dict[str, Any]:
        values = {name: state[name] for name in takes.__annotations__ if name in state}
        told = await skill.work(*asking, **values, **settled)
        return told if isinstance(told, dict) else {name: getattr(told, name) for name in gives.__annotations__}

    channels = _shape(f"{skill.name}_state", {**takes.__annotations__, **gives.__annotations__}, None, total=False)
    builder: Any = StateGraph(channels, input_schema=takes, output_schema=gives)
    builder.add_node(skill.name, node, input_schema=takes)
    builder.add_edge(START, skill.name)
    builder.add_edge(skill.name, END)
    compiled: Graph = builder.compile(name=skill.name)
    return compiled


def tool_of(skill: Exported, model: Model | None = None, clients: Clients | None = None, **settled: Any) -> BaseTool:
    """The skill as a tool."""
    return as_tool(graph_of(skill, model, clients, **settled), skill.tool, skill.says)


def doors(skill: Exported) -> tuple[Callable[..., Graph], Callable[..., BaseTool]]:
    """What hosts call, with a model and, where that is a provider string, clients: `judge_graph` and `judge_tool`."""
    return partial(graph_of, skill), partial(tool_of, skill)


def as_tool(graph: Graph, name: str, says: str) -> BaseTool:
    """A graph as a tool, for `ainvoke` and for `invoke` outside a running event loop: its arguments are the graph's
    input, its result the graph's output.

    A slip in the arguments and a call that fails are an error message to whoever calls, not the end of the host.
    """

    async def run(**values: Any) -> Any:
        try:
            return await graph.ainvoke({key: value for key, value in values.items() if value is not None})
        except FathomError as error:
            raise ToolException(str(error)) from error

    takes: Any = graph.builder.input_schema
    fields: dict[str, Any] = {
        key: (hint, ...) if key in takes.__required_keys__ else (get_args(hint)[0], None)
        for key, hint in get_type_hints(takes, include_extras=True).items()
    }
    return StructuredTool(
        name=name,
        description=says,
        args_schema=create_model(name, __doc__=takes.__doc__, **fields),
        func=synchronous(run),
        coroutine=run,
        handle_tool_error=True,
        handle_validation_error=_slips,
    )


def _slips(error: ValidationError | ValidationErrorV1) -> str:
    told = (f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
    return f"These arguments will not do: {'; '.join(told)}."


def _shape(name: str, fields: dict[str, Any], doc: str | None, *, total: bool = True) -> Any:
    shape = TypedDict(name.title().replace("_", ""), fields, total=total)  # type: ignore[misc]  # made from a signature
    shape.__doc__ = doc
    return shape


def require_text(**texts: str) -> None:
    """Raises UsageError for one without a word."""
    for name, text in texts.items():
        if not text.strip():
            raise UsageError(f"The {name} is empty: write it.")


def plain(rejected: Sequence[Rejected]) -> list[dict[str, Any]]:
    """What was written in vain, as JSON."""
    return [one.model_dump(mode="json", include={"text", "reason"}) for one in rejected]


class Explained(TypedDict):
    """`said`: what the answer calls each of the concepts, in their order."""

    concepts: list[str]
    said: list[str]
    aspects: list[str]


@exported("explain_answer", "Find the concepts an answer mentions.", "evaluator")
async def explainer(
    ask: Ask, domain: str, concept: str, question: str, answer: str, drilled: Sequence[str] = (), count: int = 8
) -> Explained:
    """The Explainer: what an answer mentions and can be drilled into."""
    mentions = await explain(ask, domain, concept, question, answer, drilled, count)
    names, said = [each.name for each in mentions.concepts], [each.said for each in mentions.concepts]
    return {"concepts": names, "said": said, "aspects": list(mentions.aspects)}


class Questioned(TypedDict):
    """The question, or None with the reason why what was written cannot be asked."""

    question: str | None
    reference: str | None
    quote: str | None
    rejected: str | None


@exported("write_question", "Write one factual question from a passage of evidence.", "evaluator")
async def questioner(
    ask: Ask, domain: str, concept: str, evidence: dict[str, Any], line: Sequence[str] = (), said: Sequence[str] = ()
) -> Questioned:
    """The Questioner: one question from one passage. `evidence` is an `Evidence` as JSON, such as the FactFinder
    returns; `line`: the concepts drilled before this one, `said`: earlier answers and references on that line."""
    written = await write_question(ask, domain, concept, [Evidence.model_validate(evidence)], line, said)
    if not isinstance(written, Question):
        return {"question": None, "reference": None, "quote": None, "rejected": written[0].reason}
    return {"question": written.text, "reference": written.reference, "quote": written.quote, "rejected": None}


class Answered(TypedDict):
    """The whole answer, and why it ended."""

    answer: str
    finish: str
    refusal: bool


def answered(said: Answer) -> Answered:
    """An answer as hosts get it."""
    return {"answer": said.text, "finish": said.finish, "refusal": said.refusal}


@exported("probe_model", "Ask the model under test one question.", "target")
async def prober(ask: Ask, question: str) -> Answered:
    """The Prober: the model's own answer, closed book."""
    return answered(await answer_question(ask, question))


class Found(TypedDict):
    """Passages as JSON, in reading order; empty when no source has any."""

    evidence: list[dict[str, Any]]


def utc_today() -> date:
    return datetime.now(UTC).date()


@exported("find_evidence", "Retrieve passages on a concept at a tier.")
async def factfinder(
    domain: str,
    concept: str,
    tier: Tier,
    as_of: str = "",
    language: str = "en",
    limit: int = 6,
    line: Sequence[str] = (),
    *,
    sources: Sequence[FactSource],
    today: Callable[[], date] | None = None,
) -> Found:
    """The FactFinder over the given sources, asked in order. `as_of` (ISO date) defaults to today; `line`: the concepts
    drilled before this one."""
    day = date.fromisoformat(as_of) if as_of else (today or utc_today)()
    query = FactQuery(concept, domain, Tier(tier), day, language=language, limit=limit, line=tuple(line))
    return {"evidence": [each.model_dump(mode="json") for each in await find_evidence(sources, query)]}


class Judged(TypedDict):
    """`verdict` is correct, wrong or abstained."""

    verdict: str
    confidence: float | None
    reason: str


@exported("judge_answer", "Judge whether an answer asserts the reference answer.", "judge")
async def judge(ask: Ask, question: str, reference: str, answer: str) -> Judged:
    """The Judge: does the answer assert the reference?"""
    scored = await verdict.judge(ask, question, reference, answer)
    return {"verdict": scored.verdict, "confidence": scored.confidence, "reason": scored.reason}


def factfinder_graph(sources: Sequence[FactSource], today: Callable[[], date] | None = None) -> Graph:
    """The FactFinder's graph over the given sources."""
    return graph_of(factfinder, sources=sources, today=today)


def factfinder_tool(sources: Sequence[FactSource], today: Callable[[], date] | None = None) -> BaseTool:
    """The FactFinder as a tool."""
    return tool_of(factfinder, sources=sources, today=today)


explainer_graph, explainer_tool = doors(explainer)
questioner_graph, questioner_tool = doors(questioner)
prober_graph, prober_tool = doors(prober)
judge_graph, judge_tool = doors(judge)
EXPORTED = (explainer, questioner, prober, factfinder, judge)
