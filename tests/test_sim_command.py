"""`fathom sim`: what it refuses, and that it serves until told to stop."""

import os
import re
import signal
import subprocess
import sys
import urllib.request
from typing import Any

import orjson
import pytest

from fathom.commands.sim import fault_rates, serve
from fathom.sim.server import start
from fathom.state.errors import UsageError
from fathom.state.spec import FaultRates, WorldSpec

GOOD: dict[str, Any] = {
    "port": 0,
    "host": "127.0.0.1",
    "seed": 0,
    "latency_s": 0.0,
    "jitter_s": 0.0,
    "sensitivity": 1.0,
    "specificity": 1.0,
    "faults": (),
    "api_key": None,
}


def test_fault_pairs_become_rates() -> None:
    assert fault_rates(["hang=0.25", "refusal=1"]) == FaultRates(hang=0.25, refusal=1.0)
    assert fault_rates([]) == FaultRates()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"faults": ("earthquake=0.1",)}, "known name"),
        ({"faults": ("hang",)}, "NAME=RATE"),
        ({"faults": ("hang=often",)}, "no number"),
        ({"faults": ("hang=1.5",)}, "between 0 and 1"),
        ({"faults": ("hang=nan",)}, "between 0 and 1"),
        ({"sensitivity": -0.1}, "--sensitivity"),
        ({"specificity": 2.0}, "--specificity"),
        ({"latency_s": -1.0}, "--latency"),
        ({"jitter_s": float("inf")}, "--jitter"),
    ],
)
def test_bad_options_are_refused_in_one_sentence(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        serve(**{**GOOD, **wrong})


async def test_a_port_in_use_is_refused() -> None:
    import asyncio

    running = await start(WorldSpec())
    port = int(running.base_url.rpartition(":")[2])
    try:
        with pytest.raises(UsageError, match=f"{port}.*already in use"):
            await asyncio.to_thread(serve, **{**GOOD, "port": port})
    finally:
        await running.aclose()


def test_it_serves_until_interrupted_and_exits_with_0() -> None:
    command = [sys.executable, "-m", "fathom", "sim", "--port", "0", "--api-key", "open-sesame"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env={**os.environ, "PYTHONSAFEPATH": "1"})
    assert process.stderr is not None
    try:
        said = ""
        while "fathom drill" not in said:
            line = process.stderr.readline()
            assert line, said
            said += line
        found = re.search(r"models +(http://\S+)", said)
        assert found is not None
        assert "no real model" in said
        assert "open-sesame" not in said
        request = urllib.request.Request(f"{found[1]}/models", headers={"Authorization": "Bearer open-sesame"})
        with urllib.request.urlopen(request, timeout=10) as reply:
            names = [model["id"] for model in orjson.loads(reply.read())["data"]]
        assert "student" in names
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=20)[1]
    finally:
        process.kill()
    assert process.returncode == 0, rest
    assert "Served 1 request" in rest
