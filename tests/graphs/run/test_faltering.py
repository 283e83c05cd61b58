"""An endpoint under test that fails most calls: nothing is held against the model, and once the
endpoint is sound what was lost is asked for, and nothing else: of a method of steps in parts, and of
one whose steps go in rounds. A drill, which puts other probes in the place of those it lost, is in
`test_outage`."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import orjson
import pytest

from fathom.sim.server import RunningWorld, start
from fathom.state.spec import FaultRates, WorldSpec
from fathom.tools.models.limiter import RetryLoop

from ...support.command_line import Caller, on_a_thread
from ...support.killed import METHODS, picture

FAILING = {"depthqa build": 0.7, "deepquestion": 0.95}
"""Method → share of the endpoint's replies that are an HTTP 500; each call is sent up to five
times."""


@asynccontextmanager
async def endpoint(failing: float = 0.0, port: int = 0) -> AsyncIterator[RunningWorld]:
    running = await start(WorldSpec(faults=FaultRates(server_error=failing)), port=port)
    try:
        yield running
    finally:
        await running.aclose()


def words(method: str, base: str, folder: Path) -> list[str]:
    """A run whose model under test (of a build: its evaluator) is at the address; all else is in a
    world of its own."""
    kept = ("evaluator",) if method == "depthqa build" else ("student", "expert")
    own = [
        word if word.endswith(kept) else word.replace(f"sim@{base}/v1", "sim")
        for word in METHODS[method](base, folder)
    ]
    return ["sim" if word == f"sim@{base}" else word for word in own] + ["--no-cache"]


def answered(world: RunningWorld) -> set[str]:
    """The requests that had a reply, each of which had one only. How a gap in a graph is filled is
    asked about what the graph has, which is less where replies were lost."""
    replies = (
        one for one in world.log if one.kind in ("chat", "structured") and one.status == 200
    )
    digests = [one.digest for one in replies if one.purpose != "augmentation"]
    assert len(digests) == len(set(digests))
    return set(digests)


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Caller:
    monkeypatch.setattr(RetryLoop, "_wait_s", lambda self, state: 0.0)
    return Caller(tmp_path, monkeypatch, capsys)


def run_in(folder: Path, method: str) -> Path:
    (run,) = (folder / "runs").glob(f"*-{method.replace(' ask', '').replace(' ', '_')}-*")
    return run


@pytest.mark.parametrize("method", FAILING)
def test_what_an_endpoint_lost_is_asked_for_again_and_nothing_else(
    method: str, call: Caller, tmp_path: Path
) -> None:
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    whole.mkdir()
    cut.mkdir()
    with on_a_thread(endpoint) as sound:
        base = sound.base_url
        assert call(*words(method, base, whole)).code == 0
        expected, enough = picture(run_in(whole, method), base), answered(sound)
    port = int(base.rpartition(":")[2])
    with on_a_thread(partial(endpoint, FAILING[method], port)) as failing:
        assert call(*words(method, base, cut)).code == 1
        first = answered(failing)
    run = run_in(cut, method)
    ended: dict[str, Any] = orjson.loads((run / "events.jsonl").read_bytes().splitlines()[-1])
    assert ended["stop_reason"] == "infrastructure"
    with on_a_thread(partial(endpoint, 0.0, port)) as sound:
        assert (
            call(
                "resume", run.name, "--runs", str(run.parent), "--display", "none", "--no-cache"
            ).code
            == 0
        )
        again = answered(sound)
    assert picture(run, base) == expected
    assert first
    assert first | again == enough
    assert not first & again, "what was there is not asked for again"
