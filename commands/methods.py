"""The methods that have a command, and where their tables stand."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple, Protocol

from ..state.option import Option
from ..state.worlds import RunSpec


class MethodTable(Protocol):
    """What the table of a method tells of it; `ask` makes specs of what was said."""

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
    def ask(self) -> Any: ...


class Home(NamedTuple):
    """Where a method's table stands: module and name."""

    module: str
    constant: str


HOMES: dict[str, Home] = {
    "drill": Home(".drill.command", "DRILL"),
    "eqt": Home(".eqt.command", "EQT"),
    "depthqa": Home(".depthqa.command", "ASK"),
    "depthqa_build": Home(".depthqa.command", "BUILD"),
    "deepquestion": Home(".deepquestion.command", "DEEPQUESTION"),
}
"""By the `method` of a spec; read when it is needed."""


def command_of(method: str) -> MethodTable:
    """The method's table."""
    found: MethodTable = getattr(import_module(HOMES[method].module, __package__), HOMES[method].constant)
    return found
