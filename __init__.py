"""Fathom measures how deep a language model's knowledge goes, in any domain, and says how sure it
is.

What programs may rely on is here, and is imported when it is first named; all else may move.
`docs/embedding.md` shows its use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import agents as agents
    from .agents.skill import Ask as Ask
    from .commands.api import Run as Run
    from .commands.api import Runs as Runs
    from .commands.api import compare as compare
    from .commands.api import decide as decide
    from .commands.api import export as export
    from .commands.api import plan as plan
    from .commands.api import repeats as repeats
    from .commands.api import report as report
    from .commands.api import runs as runs
    from .commands.api import spec as spec
    from .graphs.embed import embed as embed
    from .graphs.embed.binding import Embedded as Embedded
    from .graphs.embed.methods import EmbeddedDeepQuestion as EmbeddedDeepQuestion
    from .graphs.embed.methods import EmbeddedDrill as EmbeddedDrill
    from .graphs.embed.serializer import safe_serializer as safe_serializer
    from .graphs.run.launch import Launch as Launch
    from .graphs.run.launch import LaunchOptions as LaunchOptions
    from .graphs.run.launch import RunReport as RunReport
    from .graphs.run.launch import stream as stream
    from .graphs.run.plan import Plan as Plan
    from .graphs.run.session import Session as Session
    from .graphs.run.session import session as session
    from .state.comparison import Comparison as Comparison
    from .state.decision import Decision as Decision
    from .state.deepquestion.result import DeepQuestionResult as DeepQuestionResult
    from .state.depthqa.result import DepthQAResult as DepthQAResult
    from .state.eqt.result import EqtResult as EqtResult
    from .state.errors import FathomError as FathomError
    from .state.errors import RunFailed as RunFailed
    from .state.errors import UsageError as UsageError
    from .state.events import Event as Event
    from .state.options import DrillOptions as DrillOptions
    from .state.records import Evidence as Evidence
    from .state.result import DrillResult as DrillResult
    from .state.results import Result as Result
    from .state.rows import AnswerRow as AnswerRow
    from .state.spec import Concept as Concept
    from .state.spec import DrillSpec as DrillSpec
    from .state.spec import Spec as Spec
    from .state.spec import WorldSpec as WorldSpec
    from .state.tiers import Tier as Tier
    from .tools.facts.base import Facts as Facts
    from .tools.facts.base import FactSource as FactSource
    from .tools.facts.registry import facts as facts
    from .tools.models.as_chat import Model as Model
    from .tools.models.as_chat import as_chat as as_chat
    from .tools.models.clients import Clients as Clients
    from .tools.models.clients import Limits as Limits
    from .tools.models.langchain import AppChat as AppChat

__version__ = "0.1.0"

_PUBLIC = {
    "agents.skill": "Ask",
    "commands.api": "Run Runs compare decide export plan repeats report runs spec",
    "graphs.embed": "embed",
    "graphs.embed.binding": "Embedded",
    "graphs.embed.methods": "EmbeddedDeepQuestion EmbeddedDrill",
    "graphs.embed.serializer": "safe_serializer",
    "graphs.run.launch": "Launch LaunchOptions RunReport stream",
    "graphs.run.plan": "Plan",
    "graphs.run.session": "Session session",
    "state.comparison": "Comparison",
    "state.decision": "Decision",
    "state.deepquestion.result": "DeepQuestionResult",
    "state.depthqa.result": "DepthQAResult",
    "state.eqt.result": "EqtResult",
    "state.errors": "FathomError RunFailed UsageError",
    "state.events": "Event",
    "state.records": "Evidence",
    "state.tiers": "Tier",
    "state.options": "DrillOptions",
    "state.result": "DrillResult",
    "state.results": "Result",
    "state.rows": "AnswerRow",
    "state.spec": "Concept DrillSpec Spec WorldSpec",
    "tools.facts.base": "Facts FactSource",
    "tools.facts.registry": "facts",
    "tools.models.clients": "Clients Limits",
    "tools.models.as_chat": "Model as_chat",
    "tools.models.langchain": "AppChat",
}
_HOME = {name: module for module, names in _PUBLIC.items() for name in names.split()}
if not TYPE_CHECKING:
    __all__ = ["agents", *_HOME]


def __getattr__(name: str) -> Any:
    if name == "agents":
        return import_module(".agents", __name__)
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOME[name]}", __name__), name)


def __dir__() -> list[str]:
    return sorted((*globals(), *_HOME))
