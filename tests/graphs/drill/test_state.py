"""What a drill's graph keeps: between runs of one sink, and on a host's checkpointer."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from fathom.graphs.drill.barrier import recursion_limit
from fathom.graphs.drill.graph import build_graph
from fathom.state.errors import EndpointRefused
from fathom.state.result import DrillResult

from ...support.drill.toy import ToyChat, ToySource, toy_deps, toy_spec


async def test_one_thread_of_a_checkpointer_holds_one_drill_after_another() -> None:
    graph = build_graph(toy_deps(ToyChat(skill=0.8), ToySource()))
    graph.checkpointer = InMemorySaver()
    spec = toy_spec()
    config: Any = {"recursion_limit": recursion_limit(spec), "configurable": {"thread_id": "one"}}
    results = []
    for run_id in ("toy-run-1", "toy-run-2"):
        output = await graph.ainvoke({"spec": spec.model_dump(mode="json"), "run_id": run_id}, config)
        results.append(DrillResult.model_validate(output["result"]))
    assert results[0].depths == results[1].depths
    assert results[0].evd_ci == results[1].evd_ci


async def test_runs_side_by_side_in_one_sink_do_not_mix_even_when_their_ids_end_alike() -> None:
    chat, source = ToyChat(skill=0.8), ToySource()
    graph = build_graph(toy_deps(chat, source))
    specs = [toy_spec(), toy_spec(domain="Other toys", seed=5)]
    inputs: Any = [
        {"spec": spec.model_dump(mode="json"), "run_id": run_id}
        for spec, run_id in zip(specs, ("a-1", "b-1"), strict=True)
    ]
    together = await asyncio.gather(*(graph.ainvoke(given, {"recursion_limit": 500}) for given in inputs))
    for spec, output in zip(specs, together, strict=True):
        given: Any = {"spec": spec.model_dump(mode="json"), "run_id": "alone-1"}
        alone = await build_graph(toy_deps(ToyChat(skill=0.8), ToySource())).ainvoke(given, {"recursion_limit": 500})
        assert output["result"]["depths"] == alone["result"]["depths"]


async def test_a_run_begun_again_under_its_id_starts_from_nothing() -> None:
    deps = toy_deps(ToyChat(skill=1.0), ToySource())
    graph, spec = build_graph(deps), toy_spec()
    given: Any = {"spec": spec.model_dump(mode="json"), "run_id": "job-1"}

    class Refusing(ToyChat):
        async def complete(self, request: Any) -> Any:
            if request.purpose == "answer" and ".T" in request.messages[-1].content:
                raise EndpointRefused("no more")
            return await super().complete(request)

    failing = build_graph(replace(deps, target=Refusing(skill=1.0)))
    with pytest.raises(EndpointRefused):
        await failing.ainvoke(given, {"recursion_limit": 500})
    assert deps.sink.run("job-1").closed
    output = await graph.ainvoke(given, {"recursion_limit": 500})
    assert [row["depth"] for row in output["result"]["depths"]] == [1, 2, 3, 4, 5, 6]
