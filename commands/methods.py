"""The methods that have a command, and where their tables stand."""

from collections import ChainMap
from collections.abc import Sequence
from typing import Protocol

from ..state.option import Option
from ..state.worlds import RunSpec
from .help import found


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


HOMES = {
    "drill": ".drill.command:DRILL",
    "eqt": ".eqt.command:EQT",
    "depthqa": ".depthqa.command:ASK",
    "depthqa_build": ".depthqa.command:BUILD",
    "deepquestion": ".deepquestion.command:DEEPQUESTION",
}
"""By the `method` of a spec, where its table stands; read when it is needed."""
IN_STUDIES = ChainMap({"replay": ".replay.command:REPLAY"}, HOMES)
"""A replay can stand in a study too; it begins with runs that there are."""


def command_of(method: str) -> MethodTable:
    """The method's table."""
    table: MethodTable = found(IN_STUDIES[method])
    return table
