"""A skill as a node and as a tool of other apps, made from its own signature.

The arguments behind the first one, with their types, descriptions and defaults, are the input; what
the skill returns is the output. Both are JSON.
"""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, get_type_hints

from langchain_core.tools import BaseTool, StructuredTool, ToolException
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from pydantic import BaseModel, TypeAdapter, ValidationError, create_model
from typing_extensions import TypedDict

from ..state.errors import FathomError, UsageError

Graph = CompiledStateGraph[Any, None, Any, Any]
Work = Callable[..., Awaitable[Any]]


def graph_of(
    skill: Work,
    call: Work,
    output: str,
) -> Graph:
    """A graph of one node, whose channels are the arguments and `output`. `call` is the skill bound
    to its first argument.

    The node raises UsageError for arguments that will not do, before anybody is asked.
    """
    arguments, run = _arguments_of(skill), _checked_call(skill, call)

    async def node(state: dict[str, Any]) -> dict[str, Any]:
        return {output: await run(**state)}

    name, kind = skill.__name__, _hints(skill)["return"]
    channels = dict.fromkeys([*arguments.model_fields, output], Any)
    state: Any = TypedDict(f"{name}_state", channels, total=False)  # type: ignore[misc]  # made from a signature
    result: Any = TypedDict(f"{name}_output", {output: kind})  # type: ignore[misc]
    builder: Any = StateGraph(state, input_schema=arguments, output_schema=result)
    builder.add_node("run", node)
    builder.add_edge(START, "run")
    builder.add_edge("run", END)
    compiled: Graph = builder.compile(name=name)
    return compiled


def tool_of(skill: Work, call: Work) -> BaseTool:
    """A tool for `ainvoke`. A slip in the arguments and a call that fails are an error message to
    whoever calls, not the end of the host."""
    run = _checked_call(skill, call)

    async def run_or_tell(**values: Any) -> Any:
        try:
            return await run(**values)
        except FathomError as error:
            raise ToolException(str(error)) from error

    return StructuredTool(
        name=skill.__name__,
        description=inspect.getdoc(skill) or skill.__name__,
        args_schema=_arguments_of(skill),
        coroutine=run_or_tell,
        handle_tool_error=True,
        handle_validation_error=_fault,
    )


def _checked_call(skill: Work, call: Work) -> Work:
    """The call with JSON in and out. An argument that is null means its default."""
    arguments, result = _arguments_of(skill), TypeAdapter[Any](_hints(skill)["return"])

    async def run(**values: Any) -> Any:
        present = {name: value for name, value in values.items() if value is not None}
        try:
            checked = arguments.model_validate(present)
        except ValidationError as error:
            raise UsageError(_fault(error)) from None
        values = {name: value for name, value in checked if value is not None}
        return result.dump_python(await call(**values), mode="json")

    return run


def _arguments_of(skill: Work) -> type[BaseModel]:
    """The arguments behind the first one; those with a default may be left out, or null."""
    hints, fields = _hints(skill), dict[str, Any]()
    for parameter in list(inspect.signature(skill).parameters.values())[1:]:
        hint = hints[parameter.name]
        required = parameter.default is parameter.empty
        fields[parameter.name] = (hint, ...) if required else (hint | None, parameter.default)
    return create_model(skill.__name__, __doc__=skill.__doc__, **fields)


def _hints(skill: Work) -> dict[str, Any]:
    return get_type_hints(skill, include_extras=True)


def _fault(error: Any) -> str:
    slips = [f"{'.'.join(map(str, slip['loc']))}: {slip['msg']}" for slip in error.errors()]
    return f"These arguments will not do: {'; '.join(slips)}."
