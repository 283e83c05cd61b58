"""How a skill becomes a graph and a tool: what its arguments mean, what may be left out, what is
refused."""

import inspect
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, NotRequired, get_args, get_origin

from langchain_core.language_models import BaseChatModel
from langchain_core.tools import BaseTool, StructuredTool, ToolException
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from pydantic import BaseModel, Field, ValidationError, create_model
from pydantic.fields import FieldInfo
from pydantic.v1 import ValidationError as ValidationErrorV1
from typing_extensions import TypedDict, get_type_hints

from ...state.errors import FathomError, UsageError
from ...state.records import Rejected, Role
from ...tools.background import synchronous
from ...tools.models.as_chat import as_chat
from ...tools.models.chat import Chat
from ...tools.models.clients import Clients
from ..skill import Ask

Model = str | BaseChatModel | Chat
Graph = CompiledStateGraph[Any, None, Any, Any]
Language = Annotated[
    str, Field(description="Code of the language to write in; en where it is left out.")
]
WORDS = {
    "domain": "The field that the concepts are meant in.",
    "concept": "What is asked about.",
    "question": "The question in full.",
    "reference": "The right answer, in a sentence or two.",
    "answer": "The answer word for word.",
    "drilled": "Concepts that need not be named again; none where it is left out.",
    "line": "The concepts drilled before this one; none where it is left out.",
    "said": "Earlier answers and references on the line; none where it is left out.",
    "language": "Code of the language; en where it is left out.",
    "kind": "The transformation: q2s (a scenario) or q2i (an instruction).",
}
"""What arguments mean, by name, where nothing stands at the argument itself."""
Refusal = Annotated[bool, Field(description="The endpoint says that the model refused.")]


@dataclass(frozen=True, slots=True)
class Exported:
    """A skill as hosts get it. Its parameters are the channels it reads, and those with a default
    may be left out; what it returns, a TypedDict or a pydantic model, has the channels it writes.
    Parameters behind `*` are settled when it is bound, and are no channels."""

    work: Callable[..., Awaitable[Any]]
    tool: str
    """Name of the tool."""
    says: str
    """What the tool is for."""
    role: Role | None
    """Who is asked on a server; None: no model."""
    may_be_empty: str = ""
    """A text that says something also where there is no word in it."""

    @property
    def name(self) -> str:
        """Of the graph and its node."""
        return self.work.__name__

    @property
    def takes(self) -> Any:
        """A TypedDict of the channels it reads."""
        hints = {name: _with_words(name, hint) for name, hint in _hints(self.work).items()}
        every = [
            one
            for one in inspect.signature(self.work).parameters.values()
            if hints[one.name] is not Ask
        ]
        read = {one.name: one for one in every if one.kind is not one.KEYWORD_ONLY}
        optional: Any = NotRequired
        return _shape(
            f"{self.name}_input",
            {
                name: hints[name] if one.default is one.empty else optional[hints[name]]
                for name, one in read.items()
            },
            self.work.__doc__,
        )

    @property
    def gives(self) -> Any:
        """A TypedDict of the channels it writes."""
        told: Any = get_type_hints(self.work)["return"]
        if not issubclass(told, BaseModel):
            return told
        hints = get_type_hints(told, include_extras=True)
        return _shape(
            f"{self.name}_output", {name: hints[name] for name in told.model_fields}, None
        )


def exported(
    tool: str, says: str, role: Role | None = None, may_be_empty: str = ""
) -> Callable[[Callable[..., Awaitable[Any]]], Exported]:
    """Makes a skill for hosts of a function, which takes an `Ask` first where a model is asked."""
    return lambda work: Exported(work, tool, says, role, may_be_empty)


def graph_of(
    skill: Exported, model: Model | None = None, clients: Clients | None = None, **settled: Any
) -> Graph:
    """The skill as a compiled graph of one node."""
    takes, gives = skill.takes, skill.gives
    asking = () if skill.role is None else (Ask(as_chat(model, clients)),)  # type: ignore[arg-type]  # it says so itself

    async def node(state: Mapping[str, Any]) -> dict[str, Any]:
        values = {name: state[name] for name in takes.__annotations__ if name in state}
        if skill.role is not None:  # else nothing is paid
            texts = takes.__required_keys__ - {skill.may_be_empty}
            require_text(**{name: values[name] for name in takes.__annotations__ if name in texts})
        told = await skill.work(*asking, **values, **settled)
        return (
            told
            if isinstance(told, dict)
            else {name: getattr(told, name) for name in gives.__annotations__}
        )

    channels = _shape(
        f"{skill.name}_state", {**takes.__annotations__, **gives.__annotations__}, None, total=False
    )
    builder: Any = StateGraph(channels, input_schema=takes, output_schema=gives)
    builder.add_node(skill.name, node, input_schema=takes)
    builder.add_edge(START, skill.name)
    builder.add_edge(skill.name, END)
    compiled: Graph = builder.compile(name=skill.name)
    return compiled


def tool_of(
    skill: Exported, model: Model | None = None, clients: Clients | None = None, **settled: Any
) -> BaseTool:
    """The skill as a tool."""
    return as_tool(graph_of(skill, model, clients, **settled), skill.tool, skill.says)


def doors(skill: Exported) -> tuple[Callable[..., Graph], Callable[..., BaseTool]]:
    """What hosts call, with a model and, where that is a provider string, clients: `judge_graph`
    and `judge_tool`."""
    return partial(graph_of, skill), partial(tool_of, skill)


def as_tool(graph: Graph, name: str, says: str) -> BaseTool:
    """A graph as a tool, for `ainvoke` and for `invoke` outside a running event loop: its arguments
    are the graph's input, its result the graph's output.

    A slip in the arguments and a call that fails are an error message to whoever calls, not the end
    of the host.
    """

    async def run(**values: Any) -> Any:
        try:
            return await graph.ainvoke(
                {key: value for key, value in values.items() if value is not None}
            )
        except FathomError as error:
            raise ToolException(str(error)) from error

    takes: Any = graph.builder.input_schema
    fields: dict[str, Any] = {
        key: (hint, ...) if key in takes.__required_keys__ else (_or_null(get_args(hint)[0]), None)
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
    return f"These arguments will not do: {faults(error)}."


def faults(error: ValidationError | ValidationErrorV1) -> str:
    """What is wrong with each field."""
    return "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())


def _shape(name: str, fields: dict[str, Any], doc: str | None, *, total: bool = True) -> Any:
    shape = TypedDict(name.title().replace("_", ""), fields, total=total)  # type: ignore[misc]  # made from a signature
    shape.__doc__ = doc
    return shape


def _hints(work: Callable[..., Any]) -> dict[str, Any]:
    return get_type_hints(work, include_extras=True)


def _with_words(name: str, hint: Any) -> Any:
    """The type of an argument with what it means, where that does not stand at it."""
    described = any(
        isinstance(more, FieldInfo) and more.description
        for more in getattr(hint, "__metadata__", ())
    )
    return (
        hint if described or name not in WORDS else Annotated[hint, Field(description=WORDS[name])]
    )


def _or_null(hint: Any) -> Any:
    """The type of an argument that may be left out: whoever has to send it sends null."""
    if get_origin(hint) is not Annotated:
        return hint | None
    kind, *more = get_args(hint)
    return Annotated[(kind | None, *more)]


def require_text(**texts: Any) -> None:
    """Raises UsageError for a text without a word."""
    for name, text in texts.items():
        if isinstance(text, str) and not text.strip():
            raise UsageError(f"The {name} is empty: write it.")


def require_one(name: str, number: int) -> None:
    """Raises UsageError for a number below 1."""
    if number < 1:
        raise UsageError(f"The {name} cannot be {number}: give 1 or more.")


def plain(rejected: Sequence[Rejected]) -> list[dict[str, Any]]:
    """What was written in vain, as JSON."""
    return [one.model_dump(mode="json", include={"text", "reason"}) for one in rejected]
