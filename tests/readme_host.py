"""The programs of README's "Embed it" and of the pages, word for word; `test_readme_host.py`
compares them."""

import hashlib
import operator
import os
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from langchain_core.language_models import BaseChatModel
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

import fathom

EVALUATOR, FACTS = "sim:evaluator", "sim"
PAGES = {"neon": ["Neon glows red in a discharge tube."]}


class State(TypedDict, total=False):
    """A host's own channels."""

    spec: dict[str, Any]
    run_id: str
    result: dict[str, Any]


async def host(
    my_chat_model: BaseChatModel, builder: StateGraph[State, None, Any, State]
) -> None:
    """What stands in the README."""
    async with fathom.embed(
        "drill",
        {"target": my_chat_model, "evaluator": "openai:gpt-5"},
        material="wikipedia",
        env=os.environ,
    ) as drill:
        builder.add_node("judge", fathom.agents.judge.graph("openai:gpt-5", drill.clients))
        builder.add_node("drill", drill.graph)  # channels: spec, run_id → result
        app = builder.compile()
        async for part in app.astream(
            drill.input("Cardiology", n=10, max_depth=6),
            stream_mode=["custom", "values"],
            subgraphs=True,
            version="v2",
        ):
            print(part["ns"], part["data"])  # every event of the drill, with its namespace


async def examine(model: fathom.Model, answer: str) -> str:
    async with fathom.facts("COMMON=wikipedia", env=os.environ) as facts:
        passages = await fathom.agents.factfinder(facts, "Chemistry", "Gold")
    written = await fathom.agents.questioner(model, "Chemistry", "Gold", passages)
    if (question := written.question) is None:  # no passage carries one: each with the reason
        return written.rejected[0].reason
    scored = await fathom.agents.judge(model, question.text, question.reference, answer)
    return scored.verdict


async def measure(
    method: str, models: dict[str, fathom.Model], material: Any, *asked: Any
) -> fathom.Result:
    async with fathom.embed(method, models, material=material, env=os.environ) as embedded:
        return embedded.result(await embedded.graph.ainvoke(embedded.input(*asked)))


class Both(TypedDict):
    domain: str
    results: Annotated[list[dict[str, Any]], operator.add]


async def deeper_of(small: fathom.Model, large: fathom.Model, domain: str) -> str:
    def node(drill: fathom.EmbeddedDrill) -> Any:
        async def run(state: Both) -> dict[str, Any]:
            output = await drill.graph.ainvoke(drill.input(state["domain"], n=10, max_depth=3))
            return {"results": [output["result"]]}

        return run

    builder = StateGraph(Both)
    async with AsyncExitStack() as stack:
        for name, model in {"small": small, "large": large}.items():
            models = {"target": model, "evaluator": EVALUATOR}
            drill = await stack.enter_async_context(
                fathom.embed("drill", models, material=FACTS, env=os.environ)
            )
            builder.add_node(name, node(drill))
            builder.add_edge(START, name)  # side by side
            builder.add_edge(name, END)
        state = await builder.compile().ainvoke({"domain": domain, "results": []})
    return str(max(state["results"], key=lambda result: result["evd"])["spec"]["target"])


async def which_to_take(domain: str, models: list[str], runs: Path) -> fathom.Decision:
    drills = [
        fathom.spec(domain, target=model, evaluator=EVALUATOR, facts=FACTS, n=10, max_depth=3)
        for model in models
    ]
    print(fathom.plan(drills[0], env=os.environ).calls)  # calls nobody
    async with fathom.session(os.environ, budget=5.0, max_connections=16, runs=runs) as session:
        reports = await session.run(drills)
    for model in fathom.compare(reports).models:
        print(model.label, model.estimate, model.interval)
    return fathom.decide(reports, margin=0.5, prefer="cheaper")


async def without_langgraph(spec: fathom.DrillSpec) -> None:
    async for event in fathom.stream(
        spec
    ):  # kept in memory; give LaunchOptions for a folder, a cache, a budget
        print(event.type)
    options = fathom.LaunchOptions(runs=Path("runs"), max_calls=2000, env=os.environ)
    for report in await fathom.Launch([spec], options).run():
        print(report.status, report.result)


async def depth_of(app: Any, domain: str) -> fathom.Result:
    bot = fathom.AppChat(app, "support bot", input=lambda question: {"question": question})
    async with fathom.embed(
        "drill", {"target": bot, "evaluator": EVALUATOR}, material=FACTS, env=os.environ
    ) as drill:
        return drill.result(await drill.graph.ainvoke(drill.input(domain, n=10, max_depth=3)))


class Handbook:
    """Passages from a handbook of your own."""

    name = "handbook"
    tiers = frozenset({fathom.Tier.COMMON, fathom.Tier.TEXTBOOK})

    async def find(self, query: Any) -> list[fathom.Evidence]:
        """Passages on `query.concept`, in reading order; none when there is no page on it."""
        return [
            fathom.Evidence(
                text=text,
                title=query.concept,
                url=f"handbook://{query.concept}",
                source=self.name,
                tier=query.tier,
                retrieved_at=datetime.now(UTC),
                digest=hashlib.sha256(text.encode()).hexdigest()[:16],
            )
            for text in PAGES.get(query.concept.lower(), ())[: query.limit]
        ]

    async def aclose(self) -> None:
        """Nothing to close."""


SOURCE: fathom.FactSource = Handbook()
