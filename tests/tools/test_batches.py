"""Many keys in one request: each caller gets its own value or its own failure, whatever batches
came about."""

import asyncio
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fathom.tools.flight import Batches


class Service:
    """Answers with each key's square; fails for a batch that holds a bad key."""

    def __init__(self, bad: frozenset[int] = frozenset()) -> None:
        self.bad, self.asked, self.open, self.peak = bad, list[Sequence[int]](), 0, 0

    async def ask(self, keys: Sequence[int]) -> Mapping[int, int]:
        self.asked.append(keys)
        self.open += 1
        self.peak = max(self.peak, self.open)
        await asyncio.sleep(0)
        self.open -= 1
        if self.bad.intersection(keys):
            raise ValueError(min(self.bad.intersection(keys)))
        return {key: key * key for key in keys}


KEYS = st.lists(st.integers(0, 60), min_size=1, max_size=60)


@given(
    KEYS, st.frozensets(st.integers(0, 60), max_size=5), st.integers(1, 20), st.integers(1, 4)
)
def test_each_key_has_its_own_fate(
    keys: list[int], bad: frozenset[int], most: int, at_once: int
) -> None:
    async def run() -> tuple[list[int | BaseException], Service]:
        service = Service(bad)
        batches = Batches(service.ask, most=most, at_once=at_once)
        fates = await asyncio.gather(
            *(batches.get(key) for key in keys), return_exceptions=True
        )
        await batches.aclose()
        return fates, service

    fates, service = asyncio.run(run())
    for key, fate in zip(keys, fates, strict=True):
        assert isinstance(fate, ValueError) if key in bad else fate == key * key
    assert max(map(len, service.asked)) <= most
    assert service.peak <= at_once
    if not bad.intersection(keys):
        assert len(service.asked) == -(-len(set(keys)) // most)


async def test_a_failure_for_all_is_asked_once() -> None:
    service = Service(frozenset((3,)))
    batches = Batches(
        service.ask, most=9, at_once=1, final=lambda error: isinstance(error, ValueError)
    )
    fates = await asyncio.gather(
        *(batches.get(key) for key in range(5)), return_exceptions=True
    )
    assert all(isinstance(fate, ValueError) for fate in fates)
    assert len(service.asked) == 1


async def test_who_goes_away_takes_nobody_along() -> None:
    batches = Batches(Service().ask, most=9, at_once=1)
    one, other = (asyncio.ensure_future(batches.get(key)) for key in (4, 5))
    await asyncio.sleep(0)
    one.cancel()
    assert await other == 25
    with pytest.raises(asyncio.CancelledError):
        await one


async def test_closing_ends_what_is_under_way() -> None:
    sent = asyncio.Event()

    async def ask(keys: Sequence[int]) -> Mapping[int, int]:
        sent.set()
        await asyncio.Event().wait()
        return {}

    batches = Batches(ask, most=9, at_once=1)
    waiting = asyncio.ensure_future(batches.get(1))
    await sent.wait()
    await batches.aclose()
    with pytest.raises(asyncio.CancelledError):
        await waiting
