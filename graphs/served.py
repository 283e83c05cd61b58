"""A method's graph as LangGraph's server has it: asked for by what is to be measured, with the
server's models; a spec and a run id do as well."""

from collections.abc import Mapping
from contextlib import aclosing
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph
from pydantic import BaseModel, create_model

from ..state.channels import DrillInput, DrillOutput
from ..state.errors import UsageError
from ..state.results import RESULTS
from ..state.text import digest
from .embed.binding import Embedded, new_run_id
from .method import METHODS
from .run.deps import MethodGraph

BOUND = {
    *("method", "target", "evaluator", "examiner", "generator", "judge", "facts"),
    *("prompts", "world", "material", "graph", "benchmark"),
}
"""Fields of a spec that are the server's to say."""


class _Served(CompiledStateGraph[Any, None, DrillInput, DrillOutput]):
    """The method's graph, with an input that says what to measure."""

    method: str
    asks: type[BaseModel]
    embedded: Embedded

    def get_input_schema(self, config: RunnableConfig | None = None) -> type[BaseModel]:
        return self.asks

    def get_input_jsonschema(self, config: RunnableConfig | None = None) -> dict[str, Any]:
        return self.asks.model_json_schema()

    async def astream(
        self, input: Any, config: RunnableConfig | None = None, **options: Any
    ) -> Any:
        if isinstance(input, Mapping):  # else it goes on behind a checkpoint
            input = self._input(input, config or {})
        playing: Any = super().astream(input, config, **options)
        async with aclosing(playing) as parts:
            async for part in parts:
                yield part

    def _input(self, values: Mapping[str, Any], config: RunnableConfig) -> DrillInput:
        """A thread that is given the same input again has the same run, so that a journal finishes
        what was begun. Raises UsageError for an input that cannot be meant."""
        about, example = METHODS[self.method].asks
        fields = {name: value for name, value in values.items() if value is not None}
        unknown = sorted(fields.keys() - self.asks.model_fields.keys())
        if unknown:
            names = ", ".join(self.asks.model_fields)
            raise UsageError(f"{self.method} takes no {unknown[0]!r}: it takes {names}.")
        if about and not (fields.get(about) or fields.get("spec")):
            raise UsageError(f"What to measure is missing: give {{{about!r}: {example!r}}}.")
        thread = (config.get("configurable") or {}).get("thread_id")
        run_name = f"served-{digest(f'{thread} {sorted(fields.items())!r}')[:12]}"
        run_id = fields.pop("run_id", run_name if thread else new_run_id())
        if "spec" in fields:
            return DrillInput(spec=fields["spec"], run_id=run_id)
        subject = [fields.pop(about)] if about in fields else []
        spec = self.embedded.spec(*subject, **fields)
        return DrillInput(spec=spec.model_dump(mode="json"), run_id=run_id)


def served_graph(method: str, embedded: Embedded) -> MethodGraph:
    """The graph with typed input."""
    kind: Any = RESULTS[method].model_fields["spec"].annotation
    fields = {name: field.annotation for name, field in kind.model_fields.items()}
    about = METHODS[method].asks[0]
    accepted = {
        **{name: kind for name, kind in fields.items() if name not in BOUND},
        **({about: str if about == "domain" else Any} if about else {}),
        "spec": dict[str, Any],
        "run_id": str,
    }
    asks: dict[str, Any] = {name: (kind | None, None) for name, kind in accepted.items()}
    asks_for = create_model(f"{method}_input", **asks)
    graph: Any = embedded.graph
    # LangGraph's builder makes graphs of its own kind alone, and a copy (the server makes one for
    # each run) keeps its class and loses its attributes: what is asked for is the class's
    attributes = {"method": method, "embedded": embedded, "asks": asks_for}
    graph.__class__ = type(_Served.__name__, (_Served,), attributes)
    return graph  # type: ignore[no-any-return]
