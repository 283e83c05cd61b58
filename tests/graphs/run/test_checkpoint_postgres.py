"""Checkpoints in a PostgreSQL server that the test starts: interrupted and resumed, and nobody
hears the password."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from fathom.graphs.run.launch import Launch, LaunchOptions
from fathom.sim.server import Timing
from fathom.tools.runs.folders import read_result

from ...support.command_line import Caller
from ...support.drill.drills import lasting, sim_spec
from ...support.postgres import Server, nowhere
from ...support.resuming import (
    SIZE,
    at_probe,
    folder_names,
    resumed,
    stopped,
    types_of,
    uninterrupted,
    whole,
)

pytestmark = pytest.mark.xdist_group("postgres")  # one worker starts the server


def everything_written(folder: Path) -> str:
    return "".join(
        path.read_bytes().decode(errors="replace") for path in folder.rglob("*") if path.is_file()
    )


async def test_interrupted_and_resumed(tmp_path: Path, server: Server) -> None:
    runs, checkpoint = tmp_path / "runs", server.address
    timing = Timing(latency_s=0.01, jitter_s=0.1)
    folder = await stopped(runs, at_probe(3, 1), hurry=True, checkpoint=checkpoint, timing=timing)
    assert "checkpoint.sqlite" not in folder_names(folder)
    assert server.rows("checkpoints") > 5
    report = await resumed(folder, checkpoint=checkpoint)
    assert report.exit_code == 0
    assert lasting(whole(report)) == await uninterrupted()
    assert types_of(folder).count("opened") == 1
    assert server.rows("checkpoints") == server.rows("checkpoint_writes") == 0, (
        "what is over is taken away"
    )
    nowhere(everything_written(tmp_path))


async def test_several_runs_at_once_on_a_new_database(tmp_path: Path, server: Server) -> None:
    specs = [
        sim_spec(**SIZE | {"max_depth": 2}, domain=d)
        for d in ("Chemical elements", "Noble gases", "Uranium")
    ]
    reports: list[Any] = await Launch(
        specs, LaunchOptions(runs=tmp_path, checkpoint=server.address)
    ).run()
    assert [report.status for report in reports] == ["complete"] * 3
    nowhere(everything_written(tmp_path))


def test_from_the_command_line(
    call: Caller, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = asyncio.run(stopped(call.folder / "runs", at_probe(2, 1), checkpoint=server.address))
    refused = call("resume", "last", "--display", "none")
    assert (refused.code, refused.out, refused.err.count("\n")) == (2, "", 1)
    assert "checkpoint is in a PostgreSQL database: name it again with --checkpoint" in refused.err
    monkeypatch.setenv("FATHOM_CHECKPOINT", server.address)
    said = call("resume", "last", "--display", "lines")
    assert said.code == 0, said.err
    result = read_result(folder)
    assert result is not None
    assert lasting(result) == asyncio.run(uninterrupted())
    nowhere(said.out + said.err + refused.err + everything_written(call.folder))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ((":{port}/", ":1/"), "nobody listens at its address"),
        (("fathom:canary", "fathom:other-canary"), "it refuses the user or the password"),
        (("fathom:canary", "nobody:canary"), "it refuses the user or the password"),
        (("{port}/fathom", "{port}/elsewhere"), "it has no such user or database"),
        (("%2F", "/"), "its address cannot be read"),
        (("%2F", "%zz"), "its address cannot be read"),
        (("127.0.0.1", "no.such.host.invalid"), "its host is unknown"),
    ],
    ids=["port", "password", "user", "database", "slash", "percent", "host"],
)
def test_an_address_that_is_wrong(
    call: Caller, server: Server, change: tuple[str, str], reason: str
) -> None:
    old, new = (part.format(port=server.port) for part in change)
    address = server.address.replace(old, new)
    assert address != server.address
    words = ["drill", "Art", "-t", "sim:student", "-e", "sim:evaluator", "--checkpoint", address]
    said = call(*words, "--display", "none")
    assert (said.code, said.out, said.err.count("\n")) == (2, "", 1), said.err
    assert f"The checkpoint database cannot be used: {reason}" in said.err
    nowhere(said.err)
    assert call.runs == []


async def test_a_server_that_goes_away(tmp_path: Path, server: Server) -> None:
    """Its end is not the run's: the journal has everything, and the run goes on once it is back."""

    def listen(event: Any) -> None:
        if event.type == "depth_planned" and event.depth == 2:
            server.cut_off()

    options = LaunchOptions(runs=tmp_path, checkpoint=server.address)
    (report,) = await Launch[Any]([sim_spec(**SIZE)], options, [listen]).run()
    assert (report.status, report.exit_code) == ("failed", 1)
    assert "The checkpoint database failed" in (report.error or "")
    assert "resume the run" in (report.error or "")
    assert report.folder is not None
    again = await resumed(report.folder, checkpoint=server.address)
    assert lasting(whole(again)) == await uninterrupted()
    nowhere(everything_written(tmp_path) + (report.error or ""))
