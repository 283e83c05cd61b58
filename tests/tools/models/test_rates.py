"""Requests and tokens per minute: what `--rate` says, and that no model is asked faster. No real
waiting."""

import asyncio
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.command_line import Caller, assert_refused
from tests.support.model_server import FakeTime, ask, clients_at, ok, refuse, serving

from fathom.state.errors import UsageError
from fathom.tools.models.limiter import Limiter, Meter, Places
from fathom.tools.models.rates import Rate, Throttle, read_rates

ARRIVALS = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from([0.0, 0.0, 0.1, 1.0, 7.0, 70.0])), max_size=150
)
"""Which worker is asked, and the seconds since the last was."""
CHANGES = st.dictionaries(st.integers(0, 149), st.integers(1, 4), max_size=5)
"""After so many arrivals so many workers are there."""


def most_in(begun: list[float], window_s: float) -> int:
    return max(
        (sum(start <= each <= start + window_s for each in begun) for start in begun), default=0
    )


@given(ARRIVALS, CHANGES, st.sampled_from([1.0, 20.0, 60.0, 90.0, 600.0]))
def test_in_no_minute_begin_more_than_the_rate_and_its_bursts(
    arrivals: list[tuple[int, float]], changes: dict[int, int], rpm: float
) -> None:
    time, live = FakeTime(), 1
    throttles = [Throttle(Rate(rpm)) for _ in range(4)]
    limiters = [Limiter(3, time.timing, Meter(), throttle=throttle) for throttle in throttles]
    begun: list[float] = []

    async def play() -> None:
        nonlocal live
        for number, (worker, gap_s) in enumerate(arrivals):
            if number in changes:
                live = changes[number]
                for throttle in throttles[:live]:
                    throttle.allot(time.now, 1 / live)
            time.now += gap_s
            async with limiters[worker % live]:
                begun.append(time.now)

    asyncio.run(play())
    bursts = 4 * max(1.0, rpm / 60)
    assert most_in(begun, 60.0) <= rpm + bursts + 1e-6
    if not changes:
        assert most_in(begun, 60.0) <= rpm + bursts / 4 + 1e-6


async def test_those_that_wait_for_the_rate_come_in_turn_and_hold_no_place() -> None:
    time, meter, places, begun = FakeTime(), Meter(), Places(5), list[tuple[int, float]]()
    limiter = Limiter(50, time.timing, meter, places=places, throttle=Throttle(Rate(120)))

    async def call(number: int) -> None:
        async with limiter:
            begun.append((number, time.now - 1000.0))
            assert places.held <= 5

    await asyncio.gather(*(call(number) for number in range(20)))
    assert [number for number, _ in begun] == list(range(20))
    assert [at for _, at in begun] == pytest.approx([0.0, *(each / 2 for each in range(19))])
    assert (meter.in_flight, meter.queued, places.held) == (0, 0, 0)


async def test_a_429_counts_as_a_request_and_other_models_are_not_slowed_down() -> None:
    time = FakeTime()
    async with (
        serving(refuse(429, Retry_After="0"), ok()) as server,
        clients_at(time, rates=("x=1", "60")) as clients,
    ):
        model, other = (
            clients.get(f"openai@{server.base_url}:{name}") for name in ("m", "other")
        )
        await model.complete(ask("first"))
        after_one_s = time.now
        await other.complete(ask("second"))
        assert time.now == after_one_s >= 1001.0
        clients.destinations[server.base_url].allot(10, share=0.25)
        await other.complete(ask("third"))
        assert time.now == pytest.approx(after_one_s + 4.0), "a quarter of one a second"


async def test_tokens_used_are_waited_for() -> None:
    time = FakeTime()
    limiter = Limiter(5, time.timing, Meter(), throttle=Throttle(Rate(6000, 60_000)))
    for _ in range(10):
        async with limiter as counted:
            limiter.count(counted, 3000)
    assert time.now == pytest.approx(1000.0 + 9 * 3.0)  # 3000 tokens at 1000 a second
    async with limiter as counted:
        limiter.count(counted, None)  # a request that failed used none
    async with limiter:
        assert time.now == pytest.approx(1000.0 + 10 * 3.0)


@pytest.mark.parametrize(
    "text", ["", "0", "0.5", "x", "1/", "/1", "1/2/3", "nan", "inf", "1/inf", "-1", "=1"]
)
def test_a_malformed_rate_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        read_rates([text])


def test_a_rate_is_kept_for_resume_and_may_stand_in_a_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    call, rates = Caller(tmp_path, monkeypatch, capsys), ["6000/9000000", "sim:student=60000"]
    words = [
        "eqt",
        "Gold",
        "-t",
        "sim:student",
        "--questions",
        "2",
        "--paraphrases",
        "0",
        "--display",
        "none",
        "--max-calls",
        "3",
    ]
    assert call(*words, "--rate", rates[0], "--rate", rates[1]).code == 3
    (run,) = call.runs
    kept = (run / "launch.json").read_text()
    assert json.loads(kept)["rates"] == rates
    resume = ["resume", "last", "--max-calls", "500", "--display", "none"]
    (run / "launch.json").write_text(
        json.dumps({k: v for k, v in json.loads(kept).items() if k != "rates"})
    )
    assert call(*resume).code == 0, "a launch of before there were rates"
    (tmp_path / "s.yaml").write_text(
        "method: eqt\nconcepts: [Gold]\ntarget: sim:student\nrate: [sim:nobody=5]\n"
    )
    said = call("run", "s.yaml")
    assert (said.code, said.out, "--rate names sim:nobody" in said.err) == (2, "", True), said
    assert len(call.runs) == 1
    assert_refused(call, ["plan", "s.yaml"], "--rate names sim:nobody")
