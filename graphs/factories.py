"""What langgraph.json names: a factory for each method and each agent, configured by `configurable`
values or environment variables. `make langgraph` writes the file.

Each is an async context manager, as LangGraph's server takes them: clients are closed when the run
is over.

`target`, `evaluator`, `examiner`, `judge`, `generator`, `facts` and `language` come from the run's
configurable values, else from FATHOM_TARGET, FATHOM_EVALUATOR, …, FATHOM_FACTS. A role that is not
named is filled by another: judge and generator by the evaluator, the examiner by the target, the
judge of an Explain-Query-Test by the examiner. What is asked comes from `question_graph` (a file or
folder that `tools.files.question_graph.read_graph` reads, or JSON) and `benchmark` (a file, or
problems as JSON), what tells which questions are alike when a question graph is built from
`similarity` (`lexical`, as without it, or an embeddings model). A graph that is only drawn needs
none of them; one that is to be run is refused without, by the name of what is missing.
FATHOM_JOURNAL names a folder for the journals of the methods' runs, one file per thread: a run that
the server tries again after it was killed, or that is started again with the same input, goes on
there.
"""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from langchain_core.runnables import RunnableConfig

from ..agents.explainer.explain import explain
from ..agents.factfinder.find import find_passages
from ..agents.graph_of import Graph
from ..agents.judge.verdict import judge
from ..agents.paraphraser.paraphrase import paraphrase_question
from ..agents.prober.answer import answer_question
from ..agents.questioner.question import write_question
from ..agents.skill import Skill
from ..state.errors import UsageError
from ..tools.facts.registry import facts
from ..tools.models.clients import Clients
from .embed import embed
from .embed.binding import stand_ins
from .method import METHODS, served
from .served import served_graph

Factory = Callable[[RunnableConfig], AbstractAsyncContextManager[Graph]]
STAND_INS = {"judge": "evaluator", "generator": "evaluator", "examiner": "target"}
"""Role of a skill → who stands in."""
DRAWN = {
    "question_graph": '{"nodes": [{"id": "a", "depth": 1, "question": "?", "reference": "!"}]}',
    "benchmark": '[{"question": "?", "answer": "!"}]',
}
"""Stands in where a graph is only drawn."""
DRAWN_MODEL = "ollama:none"


class Settings:
    """A run's configurable values, else variables of the environment."""

    def __init__(self, config: RunnableConfig) -> None:
        self._values = config.get("configurable") or {}
        self.only_drawn = not self._values.get("__is_for_execution__", True)

    def get(self, name: str) -> Any:
        return self._values.get(name) or os.environ.get(f"FATHOM_{name.upper()}")

    def need(self, names: tuple[str, ...], when_drawn: str) -> Any:
        """The first of the settings that is there. Raises UsageError where none is, and the graph
        is to be run."""
        for name in names:
            if value := self.get(name):
                return value
        if self.only_drawn:
            return when_drawn
        ways = " or ".join(f"FATHOM_{name.upper()}" for name in names)
        raise UsageError(f"No {names[0]} is named: set {ways}, or the configurable value.")

    async def journal(self) -> Path | None:
        """Where the events of the thread's runs go; no client of a server names a folder. A graph
        that is only drawn leaves the thread's journal alone.

        Raises UsageError for a folder that cannot be written."""
        folder, thread = os.environ.get("FATHOM_JOURNAL"), self._values.get("thread_id")
        if not folder or not thread or self.only_drawn:
            return None
        try:
            await asyncio.to_thread(Path(folder).mkdir, parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(
                f"FATHOM_JOURNAL={folder} is no folder to write to ({error.strerror}): name another."
            ) from error
        return Path(folder, f"{quote(str(thread), safe='')}.jsonl")


def of_method(method: str) -> Factory:
    """A method's graph; its input says what is to be measured, with the configured models."""

    @asynccontextmanager
    async def factory(config: RunnableConfig) -> AsyncIterator[Any]:
        settings = Settings(config)
        roles = METHODS[method].embedded.roles
        models = {
            role: settings.need(tuple(stand_ins(roles, role)), DRAWN_MODEL) for role in roles
        }
        options: dict[str, Any] = {"env": os.environ, "journal": await settings.journal()}
        setting = METHODS[method].material
        if setting in DRAWN:
            options["material"] = settings.need((setting,), DRAWN[setting])
        elif setting:
            options["material"] = settings.get(setting)
        if method == "drill":
            options["language"] = settings.get("language") or "en"
        async with embed(method, models, **options) as embedded:
            yield served_graph(method, embedded)

    return factory


def of_agent(skill: Skill[..., Any]) -> Factory:
    """The graph of an agent's main skill, which is done by whose role it is."""

    @asynccontextmanager
    async def factory(config: RunnableConfig) -> AsyncIterator[Graph]:
        model = Settings(config).need(tuple(stand_ins(STAND_INS, skill.role)), DRAWN_MODEL)
        clients = Clients(os.environ)
        try:
            yield skill.graph(model, clients)
        finally:
            await clients.aclose()

    return factory


@asynccontextmanager
async def factfinder(config: RunnableConfig) -> AsyncIterator[Graph]:
    """The FactFinder over the configured sources."""
    settings = Settings(config)
    language = settings.get("language") or "en"
    async with facts(settings.get("facts"), env=os.environ, language=language) as sources:
        yield find_passages.graph(sources)


FACTORIES: Mapping[str, Factory] = {
    **{method: of_method(method) for method in served()},
    "explainer": of_agent(explain),
    "questioner": of_agent(write_question),
    "paraphraser": of_agent(paraphrase_question),
    "prober": of_agent(answer_question),
    "factfinder": factfinder,
    "judge": of_agent(judge),
}
globals().update(FACTORIES)  # LangGraph's server takes them from the module by name


def langgraph_json() -> str:
    """The file by which LangGraph's server finds them."""
    graphs = {name: f"fathom.graphs.factories:{name}" for name in FACTORIES}
    entries = {
        "dependencies": ["."],
        "graphs": graphs,
        "env": ".env",
        "python_version": "3.11",
    }
    return json.dumps(entries, indent=2) + "\n"


if __name__ == "__main__":
    print(langgraph_json(), end="")
