"""Tables whose rows are made when they are first asked for: who drills does not load what other
methods need."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib import import_module
from typing import Any, TypeVar

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


def found_in(package: str, homes: Mapping[str, str]) -> OnDemand[str, Any]:
    """A table by where each of its rows stands, as `module:NAME` seen from the package."""
    return OnDemand({key: partial(_found, package, home) for key, home in homes.items()})


def _found(package: str, home: str) -> Any:
    module, _, name = home.partition(":")
    return getattr(import_module(module, package), name)
