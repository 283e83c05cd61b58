"""The agents for other people's apps: a compiled one-node graph with typed input and output, and a tool, each.

A model is a provider string, a LangChain chat model, or anything with Fathom's `Chat` protocol. Everything is bound
when the graph or tool is built; nothing is read from the host's context. The skills of Explain-Query-Test are in
`agents.export.eqt`.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from typing import Any, NotRequired

from langchain_core.language_models import BaseChatModel
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.typing import NodeInputT, StateT
from pydantic import BaseModel, ValidationError, create_model
from pydantic.v1 import ValidationError as ValidationErrorV1
from typing_extensions import TypedDict, get_type_hints

from ...state.errors import FathomError
from ...state.records import Evidence, Question
from ...state.tiers import Tier
from ...tools.background import synchronous
from ...tools.facts.base import FactQuery, FactSource
from ...tools.models.as_chat import as_chat
from ...tools.models.chat import Chat
from ...tools.models.clients import Clients
from ..explainer import explain as explainer
from ..factfinder import find as factfinder
from ..judge import verdict as judge
from ..prober import answer as prober
from ..questioner import question as questioner

Model = str | BaseChatModel | Chat
Graph = CompiledStateGraph[Any, None, Any, Any]
AgentGraph = CompiledStateGraph[Any, None, NodeInputT, StateT]
"""A graph of one agent: the TypedDict that goes in, and the one that comes out."""


class ExplainerInput(TypedDict):
    """What the Explainer reads; `drilled` and `count` may be left out."""

    domain: str
    concept: str
    question: str
    answer: str
    drilled: NotRequired[list[str]]
    count: NotRequired[int]


class ExplainerOutput(TypedDict):
    """`said`: what the answer calls each of the concepts, in their order."""

    concepts: list[str]
    said: list[str]
    aspects: list[str]


class QuestionerInput(TypedDict):
    """`evidence` is an `Evidence` as JSON, such as the FactFinder returns; `line`: the concepts drilled before this
    one, `said`: earlier answers and references on that line."""

    domain: str
    concept: str
    line: NotRequired[list[str]]
    said: NotRequired[list[str]]
    evidence: dict[str, Any]


class QuestionerOutput(TypedDict):
    """The question, or None with the reason why what was written cannot be asked."""

    question: str | None
    reference: str | None
    quote: str | None
    rejected: str | None


class ProberInput(TypedDict):
    question: str


class ProberOutput(TypedDict):
    answer: str
    finish: str
    refusal: bool


class FactFinderInput(TypedDict):
    """`as_of` (ISO date) defaults to today, `language` to `en`, `limit` to 6 passages; `line`: the concepts drilled
    before this one."""

    domain: str
    concept: str
    tier: Tier
    as_of: NotRequired[str]
    language: NotRequired[str]
    limit: NotRequired[int]
    line: NotRequired[list[str]]


class FactFinderOutput(TypedDict):
    """Passages as JSON, in reading order; empty when no source has any."""

    evidence: list[dict[str, Any]]


class JudgeInput(TypedDict):
    question: str
    reference: str
    answer: str


class JudgeOutput(TypedDict):
    """`verdict` is correct, wrong or abstained."""

    verdict: str
    confidence: float | None
    reason: str


def explainer_graph(model: Model, clients: Clients | None = None) -> AgentGraph[ExplainerInput, ExplainerOutput]:
    """The Explainer: what an answer mentions and can be drilled into."""
    chat = as_chat(model, clients)

    async def explain(state: ExplainerInput) -> ExplainerOutput:
        mentions = await explainer.explain(
            chat,
            state["domain"],
            state["concept"],
            state["question"],
            state["answer"],
            state.get("drilled", []),
            state.get("count", 8),
        )
        return {
            "concepts": [concept.name for concept in mentions.concepts],
            "said": [concept.said for concept in mentions.concepts],
            "aspects": list(mentions.aspects),
        }

    return one_node("explainer", explain, ExplainerInput, ExplainerOutput)


def questioner_graph(model: Model, clients: Clients | None = None) -> AgentGraph[QuestionerInput, QuestionerOutput]:
    """The Questioner: one question from one passage."""
    chat = as_chat(model, clients)

    async def write(state: QuestionerInput) -> QuestionerOutput:
        evidence = Evidence.model_validate(state["evidence"])
        written = await questioner.write_question(
            chat, state["domain"], state["concept"], [evidence], line=state.get("line", []), said=state.get("said", [])
        )
        if not isinstance(written, Question):
            return {"question": None, "reference": None, "quote": None, "rejected": written[0].reason}
        return {"question": written.text, "reference": written.reference, "quote": written.quote, "rejected": None}

    return one_node("questioner", write, QuestionerInput, QuestionerOutput)


def prober_graph(model: Model, clients: Clients | None = None) -> AgentGraph[ProberInput, ProberOutput]:
    """The Prober: the model's own answer, closed book."""
    chat = as_chat(model, clients)

    async def ask(state: ProberInput) -> ProberOutput:
        answer = await prober.ask(chat, state["question"])
        return {"answer": answer.text, "finish": answer.finish, "refusal": answer.refusal}

    return one_node("prober", ask, ProberInput, ProberOutput)


def factfinder_graph(
    sources: Sequence[FactSource], today: Callable[[], date] | None = None
) -> AgentGraph[FactFinderInput, FactFinderOutput]:
    """The FactFinder over the given sources, asked in order."""
    clock = today or (lambda: datetime.now(UTC).date())

    async def find(state: FactFinderInput) -> FactFinderOutput:
        query = FactQuery(
            concept=state["concept"],
            domain=state["domain"],
            tier=Tier(state["tier"]),
            as_of=date.fromisoformat(state["as_of"]) if "as_of" in state else clock(),
            language=state.get("language", "en"),
            limit=state.get("limit", 6),
            line=tuple(state.get("line", ())),
        )
        found = await factfinder.find_evidence(sources, query)
        return {"evidence": [evidence.model_dump(mode="json") for evidence in found]}

    return one_node("factfinder", find, FactFinderInput, FactFinderOutput)


def judge_graph(model: Model, clients: Clients | None = None) -> AgentGraph[JudgeInput, JudgeOutput]:
    """The Judge: does the answer assert the reference?"""
    chat = as_chat(model, clients)

    async def mark(state: JudgeInput) -> JudgeOutput:
        scored = await judge.judge(chat, state["question"], state["reference"], state["answer"])
        return {"verdict": scored.verdict, "confidence": scored.confidence, "reason": scored.reason}

    return one_node("judge", mark, JudgeInput, JudgeOutput)


def explainer_tool(model: Model, clients: Clients | None = None) -> BaseTool:
    """The Explainer as a tool."""
    return tool_of(explainer_graph(model, clients), "explain_answer", "Find the concepts an answer mentions.")


def questioner_tool(model: Model, clients: Clients | None = None) -> BaseTool:
    """The Questioner as a tool."""
    graph = questioner_graph(model, clients)
    return tool_of(graph, "write_question", "Write one factual question from a passage of evidence.")


def prober_tool(model: Model, clients: Clients | None = None) -> BaseTool:
    """The Prober as a tool."""
    return tool_of(prober_graph(model, clients), "probe_model", "Ask the model under test one question.")


def factfinder_tool(sources: Sequence[FactSource], today: Callable[[], date] | None = None) -> BaseTool:
    """The FactFinder as a tool."""
    graph = factfinder_graph(sources, today)
    return tool_of(graph, "find_evidence", "Retrieve passages on a concept at a tier.")


def judge_tool(model: Model, clients: Clients | None = None) -> BaseTool:
    """The Judge as a tool."""
    graph = judge_graph(model, clients)
    return tool_of(graph, "judge_answer", "Judge whether an answer asserts the reference answer.")


def one_node(
    name: str, node: Callable[..., Any], takes: type[NodeInputT], gives: type[StateT]
) -> AgentGraph[NodeInputT, StateT]:
    """A compiled graph of one async node; `takes` and `gives` are TypedDicts: its input, and what the node returns."""
    own = name.title().replace("_", "")
    state = TypedDict(f"{own}State", {**takes.__annotations__, **gives.__annotations__}, total=False)  # type: ignore[misc]  # both halves in one channel set
    builder: Any = StateGraph(state, input_schema=takes, output_schema=gives)
    builder.add_node(name, node, input_schema=takes)  # whatever the node's own annotation says
    builder.add_edge(START, name)
    builder.add_edge(name, END)
    compiled: AgentGraph[NodeInputT, StateT] = builder.compile(name=name)
    return compiled


def tool_of(graph: Graph, name: str, description: str) -> BaseTool:
    """A graph as a tool, for `ainvoke` and for `invoke` outside a running event loop: its arguments are the graph's
    input, its result the graph's output.

    A slip in the arguments and a call that fails are an error message to whoever calls, not the end of the host.
    """

    async def run(**values: Any) -> Any:
        try:
            return await graph.ainvoke({key: value for key, value in values.items() if value is not None})
        except FathomError as error:
            raise ToolException(str(error)) from error

    return StructuredTool(
        name=name,
        description=description,
        args_schema=_arguments(name, graph.builder.input_schema),
        func=synchronous(run),
        coroutine=run,
        handle_tool_error=True,
        handle_validation_error=_slips,
    )


def _arguments(name: str, takes: type) -> type[BaseModel]:
    """A TypedDict as a Pydantic model; what may be left out stays out."""
    required: frozenset[str] = getattr(takes, "__required_keys__", frozenset())
    hints = get_type_hints(takes)
    fields: dict[str, Any] = {key: (hint, ...) if key in required else (hint, None) for key, hint in hints.items()}
    return create_model(name, __doc__=takes.__doc__, **fields)


def _slips(error: ValidationError | ValidationErrorV1) -> str:
    told = (f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
    return f"These arguments will not do: {'; '.join(told)}."
