"""An agent's package, which programs call like its main skill."""

from importlib import import_module
from types import ModuleType
from typing import Any


class Agent(ModuleType):
    """`await judge(model, …)`, `judge.graph(model)` and `judge.tool(model)`: the skill is imported
    when it is first wanted. Type checkers are told in `fathom.agents`."""

    MAIN: str
    """Module and name of the main skill."""

    def _skill(self) -> Any:
        module, _, name = self.MAIN.partition(":")
        return getattr(import_module(f"{self.__name__}.{module}"), name)

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self._skill()(*args, **options)

    def graph(self, *args: Any, **options: Any) -> Any:
        return self._skill().graph(*args, **options)

    def tool(self, *args: Any, **options: Any) -> Any:
        return self._skill().tool(*args, **options)
