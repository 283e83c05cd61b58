"""Single flight: of callers with one key, one asks, and the others wait for what comes of it."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Flight(Generic[Value]):
    """One call under way. Whoever leads it may land it once, with the value the others then share."""

    def __init__(self) -> None:
        self.off = True
        """False while its leader still waits for something that a follower may be holding: then nobody should wait for
        it, or both might wait for ever."""
        self._landed: asyncio.Future[Value | None] = asyncio.get_running_loop().create_future()

    def land(self, value: Value | None) -> None:
        if not self._landed.done():
            self._landed.set_result(value)

    async def wait(self) -> Value | None:
        """What it landed with; None when nothing came of it, and somebody else has to ask."""
        # a follower that is cancelled must not take the others with it
        return await asyncio.shield(self._landed)


class Flights(Generic[Value]):
    """The calls under way, by key. A leader that fails or is cancelled leaves the lead to one of those that waited."""

    def __init__(self) -> None:
        self._under_way: dict[str, Flight[Value]] = {}

    def __len__(self) -> int:
        return len(self._under_way)

    def of(self, key: str) -> Flight[Value] | None:
        """The call under way for this key, if there is one to wait for."""
        flight = self._under_way.get(key)
        return flight if flight is not None and flight.off else None

    @contextmanager
    def lead(self, key: str) -> Iterator[Flight[Value]]:
        """The caller asks. When it leaves without a landing, those that waited get nothing."""
        flight = self._under_way[key] = Flight[Value]()
        try:
            yield flight
        finally:
            if self._under_way.get(key) is flight:
                del self._under_way[key]
            flight.land(None)
