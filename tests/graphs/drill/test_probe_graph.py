"""The probe as a graph of agents: drawn, and the same journal and result as where its steps are
called directly."""

import re
from typing import Any

import pytest

from fathom.graphs.drill.barrier import recursion_limit
from fathom.graphs.drill.graph import build_graph
from fathom.graphs.drill.probe_graph import probe_graph
from fathom.state.events import Event
from fathom.tools.runs.journal import MemorySink

from ...support.drill.toy import START, ToyChat, ToySource, share, toy_deps, toy_spec
from ...support.embedded import bound, given_to, picture
from ...support.paths import ROOT


def test_the_graph_is_the_one_that_the_page_on_agents_shows() -> None:
    mermaid = re.search(
        r"```mermaid\n(.*?)```",
        (ROOT / "docs" / "agents.md").read_text(encoding="utf-8"),
        re.DOTALL,
    )
    assert mermaid is not None
    shown = {
        (one, other)
        for line in re.findall(r"(\S+(?: & \S+)*) -->(?:\|.*?\|)? (\S+(?: & \S+)*)", mermaid[1])
        for one in line[0].split(" & ")
        for other in line[1].split(" & ")
    }
    drawn = {(edge.source, edge.target) for edge in probe_graph().get_graph().edges}
    assert shown == drawn


class Mixed(ToyChat):
    """Writes what cannot be asked, checks that go against it, and calls that fail, each now and
    then."""

    def __init__(self) -> None:
        super().__init__(fault=lambda purpose, text: share("fault", purpose, text) < 0.08)

    def write(self, text: str) -> dict[str, str]:
        written = super().write(text)
        return written | {"quote": "Nothing."} if share("quote", text) < 0.1 else written

    def check(self, text: str) -> dict[str, object]:
        reading, number = super().check(text), share("check", text)
        if number < 0.1:
            return reading | {"answerable": False}
        other = {"answer": f"It is {len(text)}."} if number < 0.3 else {}
        return reading | other


async def played(**options: Any) -> tuple[list[Event], Any, ToyChat]:
    events, chat = list[Event](), Mixed()
    source = ToySource(
        missing=lambda c: share("missing", c) < 0.1, fails=lambda c: share("fails", c) < 0.1
    )
    spec = toy_spec(max_depth=3)
    graph = build_graph(
        toy_deps(chat, source, MemorySink(lambda: START, [events.append])), **options
    )
    given: Any = {"spec": spec.model_dump(mode="json"), "run_id": "toy-run-1"}
    output = await graph.ainvoke(given, {"recursion_limit": recursion_limit(spec)})
    return events, output["result"], chat


async def test_the_agents_as_nodes_leave_the_same_journal_and_result() -> None:
    (events, result, chat), (seen, nodes_result, nodes_chat) = (
        await played(),
        await played(agents_as_nodes=True),
    )

    def journal(of: list[Event]) -> list[str]:
        return sorted(event.model_dump_json(exclude={"seq"}) for event in of)

    assert nodes_result == result
    assert journal(seen) == journal(events)
    assert len(nodes_chat.requests) == len(chat.requests)
    fates = {probe["outcome"]["status"] for probe in result["probes"]}
    assert fates == {"scored", "unscored"}
    rejected = [each for probe in result["probes"] for each in probe["rejected"]]
    assert {each["asked"] for each in rejected} == {True, False}
    assert "another answer than the reference" in str(rejected)


@pytest.mark.parametrize("subgraphs", [True, False])
async def test_a_host_sees_the_agents_at_work_where_it_asks_for_them(subgraphs: bool) -> None:
    async with (
        bound("drill", ToyChat(), agents_as_nodes=True) as drill,
        bound("drill", ToyChat()) as plain,
    ):
        given = given_to(drill, "drill")
        nodes, result = set[str](), dict[str, Any]()
        async for part in drill.graph.astream(
            given, stream_mode=["updates"], subgraphs=subgraphs, version="v2"
        ):
            nodes |= set(part["data"]) if part["ns"] else set()
            result = part["data"].get("finish", result) if not part["ns"] else result
        expected = await plain.graph.ainvoke(given)
    agents = {
        "questioner",
        "prober",
        "check",
        "comparison",
        "judge",
        "agreement",
        "explainer",
        "factfinder",
        "weigh",
        "settle",
    }
    assert nodes == (agents if subgraphs else set())
    assert picture(result["result"]) == picture(expected["result"])
