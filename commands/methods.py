"""The methods that have a command, and where their tables stand."""

from collections.abc import Sequence
from typing import Protocol

from ..graphs.method import METHODS
from ..state.option import Option
from ..state.worlds import RunSpec


class MethodTable(Protocol):
    """What the table of a method tells of it; `ask` is where what makes
    specs of what was said stands."""

    @property
    def words(self) -> str: ...
    @property
    def help(self) -> str: ...
    @property
    def planned(self) -> str: ...
    @property
    def spec(self) -> type[RunSpec]: ...
    @property
    def options(self) -> Sequence[Option]: ...
    @property
    def prompts(self) -> str: ...
    @property
    def ask(self) -> str: ...


def command_of(method: str) -> MethodTable:
    """The method's table."""
    table: MethodTable = METHODS[method].command
    return table
