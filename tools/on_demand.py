"""Tables whose rows are made when they are first asked for: who drills does not load what other
methods need."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

Key = TypeVar("Key")
Row = TypeVar("Row")


class OnDemand(Mapping[Key, Row]):
    """A table by what makes each of its rows."""

    def __init__(self, makers: Mapping[Key, Callable[[], Row]]) -> None:
        self._makers, self._rows = dict(makers), dict[Key, Row]()

    def __getitem__(self, key: Key) -> Row:
        if key not in self._rows:
            self._rows[key] = self._makers[key]()
        return self._rows[key]

    def __setitem__(self, key: Key, row: Row) -> None:
        self._makers[key] = lambda: row
        self._rows[key] = row

    def __iter__(self) -> Iterator[Key]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)
