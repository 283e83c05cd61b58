"""What a drill's graph keeps: between runs of one sink, and on a host's checkpointer."""

from dataclasses import replace
from typing import Any

import pytest

from fathom.graphs.drill.graph import build_graph
from fathom.state.errors import EndpointRefused

from ...support.drill.toy import ToyChat, ToySource, toy_deps, toy_spec


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
