"""The methods of evaluation: what the runner needs to know of each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from ..state.results import Result
from ..tools.on_demand import OnDemand
from .run.deps import DrillDeps
from .run.due import Calls
from .run.record import RunRecord


class Build(Protocol):
    """Builds a method's graph, bound to its dependencies; its channels are `spec`, `run_id` in,
    `result` out."""

    def __call__(self, deps: DrillDeps) -> Any: ...


@dataclass(frozen=True, slots=True)
class Method:
    """One method."""

    build_graph: Build
    recursion_limit: Callable[[Any], int]
    """Supersteps a run of a spec can take at most."""
    result_of: Callable[[RunRecord], Result]
    """The result, as a pure function of what the journal holds. Raises RunFailed when there is
    nothing to report."""
    calls: Callable[[Any, Any], Calls]
    """What a run asks, by its spec and what it asks about."""


def _drill() -> Method:
    from .drill import barrier, graph, result
    from .drill.calls import DrillCalls

    return Method(graph.build_graph, barrier.recursion_limit, result.result_of, DrillCalls)


def _replay() -> Method:
    from .replay import graph
    from .replay.calls import ReplayCalls

    return Method(graph.build_graph, graph.recursion_limit, graph.result_of, ReplayCalls)


def _eqt() -> Method:
    from .eqt import graph, result
    from .eqt.calls import EqtCalls

    return Method(graph.build_graph, graph.recursion_limit, result.result_of, EqtCalls)


def _depthqa() -> Method:
    from .depthqa import graph, result
    from .depthqa.calls import DepthQACalls

    return Method(graph.build_graph, graph.recursion_limit, result.result_of, DepthQACalls)


def _depthqa_build() -> Method:
    from .depthqa.building import graph, result
    from .depthqa.building.calls import BuildCalls

    return Method(graph.build_graph, graph.recursion_limit, result.result_of, BuildCalls)


def _deepquestion() -> Method:
    from .deepquestion import graph, result
    from .deepquestion.calls import DeepQuestionCalls

    return Method(graph.build_graph, graph.recursion_limit, result.result_of, DeepQuestionCalls)


METHODS: Mapping[str, Method] = OnDemand(
    {
        "deepquestion": _deepquestion,
        "depthqa": _depthqa,
        "depthqa_build": _depthqa_build,
        "drill": _drill,
        "eqt": _eqt,
        "replay": _replay,
    }
)
"""By the `method` of a spec; each is loaded when it is first asked for."""


def result_of(record: RunRecord) -> Result:
    """The result of a run by whatever method. Raises RunFailed when there is nothing to report."""
    return METHODS[record.spec.method].result_of(record)
