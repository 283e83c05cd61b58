"""Where replies come from: endpoints by address, simulated worlds by what they are; and no key in
the file."""

from contextlib import aclosing
from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from langchain_core.language_models import FakeListChatModel

from fathom.sim import world as identity_of_worlds
from fathom.sim.server import start
from fathom.sim.world import identity
from fathom.state.errors import CallFailed, EndpointRefused, EndpointUnreachable
from fathom.state.spec import FaultRates, WorldSpec
from fathom.state.tiers import Tier
from fathom.tools.cache.store import Store
from fathom.tools.facts.base import FactQuery
from fathom.tools.facts.registry import SimSource, cached_source
from fathom.tools.facts.transport import Network
from fathom.tools.models.chat import Placed
from fathom.tools.models.clients import Clients
from fathom.tools.models.integrations import _addresses
from fathom.tools.models.langchain import LangChainChat

from ...support.cached import ask, cached, noon, store
from ...support.model_server import clients_at, ok, refuse, serving

KEY = "canary5f3a9c7e21d4"
TODAY = date(2026, 11, 20)
QUERY = FactQuery("Neon", "Chemical elements", Tier.COMMON, TODAY)


def source_at(base_url: str) -> SimSource:
    return SimSource(base_url, Network("tests", lambda: datetime(2026, 11, 20, tzinfo=UTC)))


def all_of(folder: Path) -> bytes:
    return b"".join(file.read_bytes() for file in folder.iterdir())


async def place_of(clients: Clients, name: str) -> str:
    chat = clients.get(name)
    assert isinstance(chat, Placed)
    return await chat.place()


async def test_an_endpoint_is_its_address() -> None:
    env = {
        "OPENAI_API_KEY": KEY,
        "GROQ_API_KEY": KEY,
        "GROQ_BASE_URL": "https://proxy.host/groq/",
    }
    async with clients_at(env=env) as clients:
        assert await place_of(clients, "openai:m") == "https://api.openai.com/v1"
        assert await place_of(clients, "groq:m") == "https://proxy.host/groq"
        assert await place_of(clients, "vllm@http://box:8000:m") == "http://box:8000/v1"


def test_a_hosts_own_model_object_has_no_place() -> None:
    assert not isinstance(LangChainChat(FakeListChatModel(responses=["x"])), Placed)


def test_an_integrations_address_is_told_without_what_may_be_secret() -> None:
    class Model(FakeListChatModel):
        azure_endpoint: str = f"https://user:{KEY}@own.azure.com/?api-key={KEY}"
        endpoint: str = "not an address"

    assert _addresses(Model(responses=[])) == ["https://own.azure.com"]


async def test_a_world_is_the_same_at_every_port_and_another_one_at_the_same() -> None:
    specs = [
        WorldSpec(),
        WorldSpec(),
        WorldSpec(seed=1),
        WorldSpec(faults=FaultRates(refusal=0.1)),
    ]
    places = []
    for spec in specs:
        world = await start(spec, today=TODAY)
        async with clients_at() as clients, aclosing(source_at(world.base_url)) as source:
            clients.sim_url = world.api_url
            places.append(await place_of(clients, "sim:student"))
            assert await place_of(clients, f"sim@{world.api_url}:expert") == places[-1]
            assert await source.place() == places[-1]
            asked = [served.kind for served in world.log]
        await world.aclose()
        assert (
            asked == ["models"] * 2
        )  # once by the endpoint, however many models are there, and once by the source
    assert places[0] == places[1]
    assert len(set(places)) == 3
    assert all(place.startswith("sim:") and len(place) == 36 for place in places)


def test_the_day_and_the_program_are_part_of_a_world(monkeypatch: pytest.MonkeyPatch) -> None:
    first = identity(WorldSpec(), TODAY)
    assert first == identity(WorldSpec(), TODAY)
    assert first != identity(WorldSpec(), date(2026, 11, 21))
    monkeypatch.setattr(identity_of_worlds, "__version__", "0.0.0")
    assert first != identity(WorldSpec(), TODAY)


async def test_a_second_run_in_the_same_world_asks_nothing_again() -> None:
    shared, texts = store(), []
    for run_id in ("run-a", "run-b"):
        world = await start(WorldSpec(), today=TODAY)
        async with clients_at() as clients, aclosing(source_at(world.base_url)) as source:
            clients.sim_url = world.api_url
            reply = await cached(clients.get("sim:student"), shared, run_id).complete(ask())
            found = await cached_source(source, shared).find(QUERY)
            texts.append((reply.text, found))
            asked = [served.kind for served in world.log if served.kind != "models"]
        await world.aclose()
        assert bool(asked) is (run_id == "run-a")
    assert texts[0] == texts[1]
    assert texts[0][1]


async def test_what_is_no_world_or_does_not_answer_is_asked_without_a_cache() -> None:
    async with serving(ok()) as server, clients_at() as clients:
        chat = cached(clients.get(f"sim@{server.base_url}:m"), store())
        assert await chat.place() == ""
        assert [(await chat.complete(ask())).cached for _ in range(2)] == [False, False]
        dead = server.base_url
    async with clients_at(attempts=1) as clients:
        chat = cached(clients.get(f"sim@{dead}:m"), store())
        with pytest.raises(EndpointUnreachable, match="cannot be reached"):
            await chat.complete(ask())


async def test_a_world_that_wants_a_key_says_so_as_ever() -> None:
    refusals = [refuse(401, "no such key")] * 2
    async with serving(*refusals) as server, clients_at() as clients:
        with pytest.raises(EndpointRefused):
            await cached(clients.get(f"sim@{server.base_url}:student"), store()).complete(ask())


async def test_no_key_is_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    echo = refuse(400, f"cannot accept {KEY}")
    async with (
        serving(ok(), echo) as server,
        clients_at(env={"OPENAI_API_KEY": KEY}) as clients,
    ):
        cache = await Store.open(path, now=noon)
        chat = cached(clients.get(f"openai@{server.base_url}:m key=OPENAI_API_KEY"), cache)
        await chat.complete(ask("kept"))
        with pytest.raises(CallFailed):
            await chat.complete(ask("refused"))
        during = all_of(tmp_path)
        await cache.aclose()
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert b"Neon." in during
    assert KEY.encode() not in during + path.read_bytes()
    assert b"Which gas" not in during  # nor what was asked
