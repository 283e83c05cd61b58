"""Faults of a real endpoint, by construction: what is raised, and after exactly how many calls."""

import asyncio
import json

import aiohttp
import pytest
from aiohttp.client_reqrep import ConnectionKey
from tests.support.model_server import (
    FakeTime,
    Step,
    answer,
    ask,
    clients_at,
    completion,
    cut,
    drip,
    hang,
    ok,
    refuse,
    serving,
)

from fathom.state.errors import CallFailed, EndpointRefused, EndpointUnreachable
from fathom.tools.models.endpoint import fault_of
from fathom.tools.models.faults import redact, retry_after

GOOD = json.dumps(completion()).encode()


@pytest.mark.parametrize(
    "fault",
    [
        refuse(429),
        refuse(429, Retry_After="3"),
        refuse(408),
        refuse(409),
        refuse(425),
        refuse(500),
        refuse(503, Retry_After="1"),
        refuse(529),
        cut,
        answer(GOOD[:60]),
        answer(b"<html><body>Bad gateway</body></html>", content_type="text/html"),
        answer(b""),
        answer(b'{"choices": []}'),
        answer(b'{"error": {"message": "upstream", "code": 502}}'),
    ],
)
async def test_a_passing_fault_is_retried_and_each_attempt_counted(fault: Step) -> None:
    async with serving(fault, fault, ok("Neon.")) as server, clients_at(FakeTime()) as clients:
        reply = await clients.get(f"openai@{server.base_url}:m").complete(ask())
    assert (reply.text, reply.attempts, server.calls) == ("Neon.", 3, 3)


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (refuse(500), "server"),
        (refuse(408), "timeout"),
        (cut, "connection"),
        (answer(GOOD[:60]), "server"),
        (answer(b"<html>x</html>", content_type="text/html"), "server"),
        (answer(b""), "server"),
    ],
)
async def test_a_lasting_fault_ends_after_exactly_the_attempts_allowed(
    fault: Step, kind: str
) -> None:
    async with serving(fault) as server, clients_at(FakeTime(), attempts=4) as clients:
        with pytest.raises(CallFailed) as caught:
            await clients.get(f"openai@{server.base_url}:m").complete(ask())
    assert (caught.value.kind, caught.value.attempts, server.calls) == (kind, 4, 4)


@pytest.mark.parametrize("step", [hang, drip])
async def test_a_hang_ends_at_the_time_limit_of_each_attempt(step: Step) -> None:
    async with (
        serving(step) as server,
        clients_at(FakeTime(), attempts=2, timeout_s=0.1) as clients,
    ):
        with pytest.raises(CallFailed) as caught:
            await clients.get(f"openai@{server.base_url}:m").complete(ask())
    assert (caught.value.kind, server.calls) == ("timeout", 2)


async def test_a_wrong_content_type_over_good_json_is_read() -> None:
    async with (
        serving(answer(GOOD, content_type="text/plain")) as server,
        clients_at() as clients,
    ):
        assert (
            await clients.get(f"openai@{server.base_url}:m").complete(ask())
        ).text == "Neon."


@pytest.mark.parametrize(
    "fault",
    [
        refuse(401, "Incorrect API key provided: sk-secret99*yyy."),
        refuse(402),
        refuse(403),
        refuse(404, "no model m"),
        refuse(405),
        answer(b"", 307, Location="https://elsewhere.example/v1"),
        refuse(429, "You exceeded your quota", code="insufficient_quota"),
        answer(b'{"error": {"message": "no credit", "code": 402}}'),
    ],
)
async def test_a_refusal_costs_one_call_and_is_remembered_for_that_model_only(
    fault: Step,
) -> None:
    env = {"OPENAI_API_KEY": "sk-secret99"}
    async with serving(fault, ok()) as server, clients_at(FakeTime(), env) as clients:
        chat = clients.get(f"openai@{server.base_url}:m")
        for _ in range(3):
            with pytest.raises(EndpointRefused) as caught:
                await chat.complete(ask())
            assert "secret99" not in str(caught.value)
        assert server.calls == 1
        assert (
            await clients.get(f"openai@{server.base_url}:other").complete(ask())
        ).text == "Neon."


async def test_calls_that_queue_behind_a_refusal_are_not_sent() -> None:
    async with serving(refuse(401)) as server, clients_at(max_connections=2) as clients:
        chat = clients.get(f"openai@{server.base_url}:m")
        ended = await asyncio.gather(
            *(chat.complete(ask(str(i))) for i in range(50)), return_exceptions=True
        )
    assert all(isinstance(error, EndpointRefused) for error in ended)
    assert server.calls == 2


async def test_another_400_is_a_failure_of_that_call_alone_and_not_retried() -> None:
    async with (
        serving(refuse(400, "the prompt is too long"), ok()) as server,
        clients_at() as clients,
    ):
        chat = clients.get(f"openai@{server.base_url}:m")
        with pytest.raises(CallFailed, match="too long") as caught:
            await chat.complete(ask())
        assert (caught.value.kind, server.calls) == ("bad_request", 1)
        assert (await chat.complete(ask())).text == "Neon."


@pytest.mark.parametrize(
    "fault",
    [
        refuse(400, "The response was filtered", code="content_filter"),
        refuse(403, "Your input was flagged by moderation"),
    ],
)
async def test_a_content_filter_is_a_finish_and_no_refusal_of_the_run(fault: Step) -> None:
    async with serving(fault) as server, clients_at() as clients:
        reply = await clients.get(f"openai@{server.base_url}:m").complete(ask())
    assert (reply.finish, reply.text, server.calls) == ("content_filter", "", 1)


async def test_an_endpoint_that_never_answered_is_given_up_for_good() -> None:
    async with serving(ok()) as server:
        gone = server.base_url
    time = FakeTime()
    async with clients_at(time) as clients:
        chat = clients.get(f"openai@{gone}:m")
        with pytest.raises(EndpointUnreachable, match="cannot be reached"):
            await chat.complete(ask())
        assert len(time.slept) == 2  # three attempts
        with pytest.raises(EndpointUnreachable):
            await clients.get(f"openai@{gone}:other").complete(ask())
        assert len(time.slept) == 2


async def test_a_server_of_this_machine_that_is_not_there_is_said_how_to_start() -> None:
    async with serving(ok()) as server:
        gone = server.base_url
    async with clients_at(FakeTime()) as clients:
        with pytest.raises(
            EndpointUnreachable, match=r"Start it with `ollama serve`, or set the address\.$"
        ):
            await clients.get(f"ollama@{gone}:llama3").complete(ask())


def test_what_really_happened_is_told_by_the_error() -> None:
    key = ConnectionKey("no-such-host", 80, False, True, None, None, None)
    for cause, expected in (
        (aiohttp.ClientConnectorDNSError(key, OSError("unknown host")), ("connection", True)),
        (aiohttp.ConnectionTimeoutError("connecting took too long"), ("connection", True)),
        (aiohttp.ServerDisconnectedError(), ("connection", False)),
        (aiohttp.SocketTimeoutError("no byte came"), ("timeout", False)),
    ):
        fault = fault_of(cause, 5.0)
        assert (fault.kind, fault.unreached) == expected, cause


async def test_an_endpoint_that_answered_before_fails_the_call_only() -> None:
    time = FakeTime()
    async with clients_at(time, attempts=4) as clients:
        async with serving(ok()) as server:
            chat = clients.get(f"openai@{server.base_url}:m")
            await chat.complete(ask())
        with pytest.raises(CallFailed) as caught:
            await chat.complete(ask())
    assert (caught.value.kind, caught.value.attempts, len(time.slept)) == ("connection", 4, 3)


async def test_cancelling_a_call_cancels_it_and_frees_its_place() -> None:
    async with serving(hang, ok()) as server, clients_at(max_connections=1) as clients:
        chat = clients.get(f"openai@{server.base_url}:m")
        task = asyncio.create_task(chat.complete(ask()))
        await server.asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (clients.meter.in_flight, clients.meter.queued) == (0, 0)
        assert (await chat.complete(ask())).text == "Neon."


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "900"}, 60.0),
        # 2023-11-14 22:13:20 UTC is 1,700,000,000
        ({"retry-after": "Tue, 14 Nov 2023 22:13:29 GMT"}, 9.0),
        ({"retry-after": "Tue, 14 Nov 2023 22:13:10 GMT"}, 0.0),
        # an hour off, but its own Date header says it means 5 seconds
        (
            {
                "retry-after": "Tue, 14 Nov 2023 23:13:25 GMT",
                "date": "Tue, 14 Nov 2023 23:13:20 GMT",
            },
            5.0,
        ),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "1e308"}, 60.0),
        ({"retry-after": "Fri, 01 May 99999999999999 12:00:20 GMT"}, None),
        ({}, None),
    ],
)
def test_retry_after_in_seconds_and_as_a_date(
    headers: dict[str, str], seconds: float | None
) -> None:
    assert retry_after(headers, 1_700_000_000.0, 60.0) == seconds


async def test_waits_follow_retry_after_or_double_and_are_the_same_for_the_same_request() -> (
    None
):
    waits = []
    for _ in range(2):
        time = FakeTime()
        steps = (refuse(500), refuse(500), refuse(429, Retry_After="9"), refuse(500), ok())
        async with serving(*steps) as server, clients_at(time, backoff_s=1.0) as clients:
            await clients.get(f"openai@{server.base_url}:m").complete(ask())
        waits.append(time.slept)
    assert waits[0] == waits[1]
    first, second, told, fourth = waits[0]
    assert 0.5 <= first <= 1.0
    assert 1.0 <= second <= 2.0
    assert 9.0 <= told <= 10.0
    assert 2.0 <= fourth <= 4.0  # the third ordinary fault: a 429 is none


def test_redaction_takes_the_key_and_all_that_looks_like_one() -> None:
    text = "Bearer abc.def, sk-proj-1234567890, gsk_abcdefgh, and my odd key hunter2!"
    assert redact(text, "hunter2!") == "[key], [key], [key], and my odd key [key]"
