"""`fathom sim`: what it refuses, and that it serves until told to stop."""

import re
import signal
import urllib.request
from typing import Any

import orjson
import pytest

from fathom.commands.options.shared import SIM
from fathom.commands.options.spec import TIMING_KEYS, parse_sim
from fathom.commands.sim import serve
from fathom.sim.server import start
from fathom.state.errors import UsageError
from fathom.state.spec import FaultRates, WorldSpec

from ..support.programs import PIPE, Programs

GOOD: dict[str, Any] = {
    "port": 0,
    "host": "127.0.0.1",
    "sim": (),
}


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        ("earthquake=0.1", "--sim earthquake cannot be"),
        ("hang", "--sim 'hang' is not of the form KEY=VALUE, as in --sim seed=7"),
        ("hang=often", "--sim hang cannot be 'often': it must be a number"),
        ("hang=1.5", "--sim hang cannot be '1.5': it must be at most 1"),
        ("hang=nan", "--sim hang cannot be 'nan'"),
        ("sensitivity=-0.1", "--sim sensitivity cannot be '-0.1': it must be at least 0"),
        ("latency=-1", "--sim latency=-1 is not a time in seconds"),
        ("jitter=inf", "--sim jitter=inf is not a time in seconds"),
    ],
)
def test_bad_settings_are_refused_in_one_sentence(pair: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        serve(GOOD | {"sim": ("seed=3", pair)})


def test_drill_and_sim_name_the_same_keys() -> None:
    world, timing = parse_sim(["seed=3", "hang=0.25", "latency=0.5"])
    assert (world.seed, world.faults, timing.latency_s) == (3, FaultRates(hang=0.25), 0.5)
    keys = {*FaultRates.model_fields, *WorldSpec.model_fields, *TIMING_KEYS} - {"faults"}
    named = set(re.findall(r"[a-z_]+", SIM.help))
    assert keys <= named


async def test_a_port_in_use_is_refused() -> None:
    import asyncio

    running = await start(WorldSpec())
    port = int(running.base_url.rpartition(":")[2])
    try:
        with pytest.raises(UsageError, match=f"{port}.*already in use"):
            await asyncio.to_thread(serve, GOOD | {"port": port})
    finally:
        await running.aclose()


def test_it_serves_until_interrupted_and_exits_with_0(programs: Programs) -> None:
    with programs.start("sim", "--port", "0", stderr=PIPE) as process:
        assert process.stderr is not None
        said = ""
        while "fathom drill" not in said:
            line = process.stderr.readline()
            assert line, said
            said += line
        found = re.search(r"models +(http://\S+)", said)
        assert found is not None
        assert "no real model" in said
        with urllib.request.urlopen(f"{found[1]}/models", timeout=10) as reply:
            names = [model["id"] for model in orjson.loads(reply.read())["data"]]
        assert "student" in names
        process.send_signal(signal.SIGINT)
        rest = process.communicate()[1]
    assert process.returncode == 0, rest
    assert "Served 1 request" in rest
