"""The MCP server as a client of the protocol sees it."""

import asyncio
import signal
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from fathom.service.guard import token_in

from ..support.command_line import Caller
from ..support.programs import PIPE, Programs

pytestmark = pytest.mark.skipif(find_spec("mcp") is None, reason="the extra [mcp] is missing")

SERVED = [
    *("mcp", "-t", "sim:student", "-t", "sim:expert"),
    *("-e", "sim:evaluator", "--facts", "sim", "--most-probes", "6", "--max-calls", "2000"),
]
TOOLS = {
    *("plan_drill", "start_drill", "run_status", "run_result", "stop_run", "wrong_answers"),
    *("find_evidence", "write_question", "judge_answer"),
}
STRANGE = (
    ({"Authorization": "Bearer nobody"}, 401),
    ({"Authorization": ""}, 401),
    ({"Host": "evil.example"}, 421),
    ({"Origin": "http://evil.example"}, 403),
)


async def test_it_speaks_over_the_streams_of_a_program(tmp_path: Path) -> None:
    from mcp import Client, StdioServerParameters, stdio_client

    served = StdioServerParameters(
        command=sys.executable,
        args=["-P", "-m", "fathom", *SERVED],
        env={"FATHOM_RUNS": str(tmp_path), "FATHOM_CACHE": str(tmp_path / "cache")},
    )
    async with Client(stdio_client(served)) as client:
        listed = await client.list_tools()
        assert {tool.name for tool in listed.tools} == TOOLS
        assert "No run" in await refused(client, "run_status", id="../../etc")


async def call(client: Any, name: str, **said: Any) -> Any:
    found = await client.call_tool(name, said)
    assert not found.is_error, found.content
    held = found.structured_content
    assert held is not None
    return held.get("result", held)


async def refused(client: Any, name: str, **said: Any) -> str:
    found = await client.call_tool(name, said)
    assert found.is_error
    return "".join(getattr(part, "text", "") for part in found.content)


ASKED = {"domain": "Noble gases", "target": "sim:student", "probes": 3, "max_depth": 2}


async def use(client: Any) -> str:
    """Plan a drill, run it to its end, read it, call the agents alone; then the id of a drill that
    goes on."""
    planned = await call(client, "plan_drill", **ASKED)
    assert planned["simulated"]
    assert planned["calls"]["expected"] > 10
    run = (await call(client, "start_drill", **ASKED))["id"]
    status = await call(client, "run_status", id=run)
    for _ in range(600):
        if status["status"] != "running":
            break
        await asyncio.sleep(0.05)
        status = await call(client, "run_status", id=run)
    assert status["status"] == "complete"
    assert (await call(client, "run_result", id=run))["summary"]["evd"] == status["evd"]
    assert all(row["reference"] for row in await call(client, "wrong_answers", id=run))
    neon = {"domain": "Noble gases", "concept": "Neon"}
    passages = await call(client, "find_evidence", **neon)
    assert passages[0]["title"] == "Neon"
    question = (await call(client, "write_question", **neon))["question"]
    known = {"reference": question["reference"], "answer": question["reference"]}
    judged = await call(client, "judge_answer", question=question["text"], **known)
    assert judged["verdict"] == "correct"
    other = {**ASKED, "probes": 6}
    stopped = (await call(client, "start_drill", **other | {"target": "sim:expert"}))["id"]
    await call(client, "stop_run", id=stopped)
    assert "sim:nobody" in await refused(
        client, "start_drill", **ASKED | {"target": "sim:nobody"}
    )
    assert "give 1 to 6" in await refused(client, "start_drill", **ASKED | {"probes": 99})
    return str((await call(client, "start_drill", **other))["id"])


async def test_its_agents_stay_within_the_limits_and_its_runs_within_their_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from fathom import UsageError, session
    from fathom.commands.mcp import Tools
    from fathom.state.errors import BudgetSpent

    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "events.jsonl").touch()
    monkeypatch.chdir(tmp_path)
    targets = {"sim:student": "sim:student"}
    async with session(max_calls=3, runs=tmp_path / "runs") as held:
        tools = Tools(held, targets, "sim:evaluator", None, "sim", 6)
        for number in (1, 2, 2, 3):  # what is in the cache is no call
            await tools.judge_answer("How many electrons has helium?", "2", f"It has {number}.")
        with pytest.raises(BudgetSpent):
            await tools.judge_answer("How many electrons has helium?", "2", "It has 4.")
        assert held.spent[1] == 3
        with pytest.raises(UsageError):
            await tools.run_status("outside")


async def test_over_http_it_answers_whoever_has_the_token(
    programs: Programs, tmp_path: Path
) -> None:
    from httpx2 import AsyncClient
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    words = [*SERVED, "--http", "0", "--runs", str(tmp_path)]
    with programs.start(*words, stderr=PIPE) as process:
        assert process.stderr is not None
        while "served at" not in (line := await asyncio.to_thread(process.stderr.readline)):
            assert line, "it did not start"
        url = line.split()[4].removesuffix(".")
        headers = {"Authorization": f"Bearer {token_in(tmp_path / '.token')[0]}"}
        async with AsyncClient(headers=headers) as http:
            async with Client(streamable_http_client(url, http_client=http)) as client:
                going_on = await use(client)
            for strange, status in STRANGE:
                answer = await http.post(url, json={}, headers=strange)
                assert answer.status_code == status
        process.send_signal(signal.SIGINT)
        assert await asyncio.to_thread(process.wait) == 0
        journal = tmp_path / going_on / "events.jsonl"
        assert b"run_finished" in journal.read_bytes().splitlines()[-1]


def test_it_does_not_start_without_a_key(call: Caller) -> None:
    words = ["mcp", "-t", "openai:gpt-5-mini", "-e", "sim:evaluator", "--facts", "sim"]
    said = call(*words)
    assert (said.code, said.out) == (2, "")
    assert "OPENAI_API_KEY" in said.err
