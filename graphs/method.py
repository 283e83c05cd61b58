"""The methods of evaluation: what the runner needs to know of each."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from ..state.results import Result
from .deepquestion import graph as deepquestion
from .deepquestion import result as deepquestion_result
from .deepquestion.calls import DeepQuestionCalls
from .depthqa import graph as depthqa
from .depthqa import result as depthqa_result
from .depthqa.building import graph as depthqa_build
from .depthqa.building import result as depthqa_build_result
from .depthqa.building.calls import BuildCalls
from .depthqa.calls import DepthQACalls
from .drill import graph as drill
from .drill import result
from .drill.barrier import recursion_limit as drill_limit
from .drill.calls import DrillCalls
from .eqt import graph as eqt
from .eqt import result as eqt_result
from .eqt.calls import EqtCalls
from .replay import graph as replay
from .replay.calls import ReplayCalls
from .run.deps import DrillDeps
from .run.due import Calls
from .run.lifecycle import Saver
from .run.record import RunRecord


class Build(Protocol):
    """Builds a method's graph, bound to its dependencies; its channels are `spec`, `run_id` in, `result` out."""

    def __call__(self, deps: DrillDeps, saver: Saver = None) -> Any: ...


@dataclass(frozen=True, slots=True)
class Method:
    """One method."""

    build_graph: Build
    recursion_limit: Callable[[Any], int]
    """Supersteps a run of a spec can take at most."""
    result_of: Callable[[RunRecord], Result]
    """The result, as a pure function of what the journal holds. Raises RunFailed when there is nothing to report."""
    calls: Callable[[Any, Any], Calls]
    """What a run asks, by its spec and what it asks about."""


METHODS: Mapping[str, Method] = {
    "deepquestion": Method(
        deepquestion.build_graph,
        deepquestion.recursion_limit,
        deepquestion_result.result_of,
        DeepQuestionCalls,
    ),
    "depthqa": Method(
        depthqa.build_graph,
        depthqa.recursion_limit,
        depthqa_result.result_of,
        DepthQACalls,
    ),
    "depthqa_build": Method(
        depthqa_build.build_graph,
        depthqa_build.recursion_limit,
        depthqa_build_result.result_of,
        BuildCalls,
    ),
    "drill": Method(drill.build_graph, drill_limit, result.result_of, DrillCalls),
    "eqt": Method(eqt.build_graph, eqt.recursion_limit, eqt_result.result_of, EqtCalls),
    "replay": Method(replay.build_graph, replay.recursion_limit, replay.result_of, ReplayCalls),
}
"""By the `method` of a spec."""


def result_of(record: RunRecord) -> Result:
    """The result of a run by whatever method. Raises RunFailed when there is nothing to report."""
    return METHODS[record.spec.method].result_of(record)
