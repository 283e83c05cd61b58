"""A recorded DepthQA run and a build under other names, for tests of several methods together."""

from collections.abc import Sequence
from typing import Any

from fathom.state.depthqa.build import DepthQABuildResult
from fathom.state.depthqa.items import Mode
from fathom.state.depthqa.result import DepthQAResult

from ..edited import edited
from ..reports import changed, result_of

PLACES: dict[str, int] = {"zero-shot": 0, "prompt-gold": 1, "prompt-pred": 1, "multi-turn": 2}


def result(
    target: str = "sim:student", modes: Sequence[Mode] = ("zero-shot",), *, trees: int = 2, **changes: Any
) -> DepthQAResult:
    """The recorded run as if this target had been asked in these modes, with intervals of the discrepancies; the
    recorded one has too few trees for them. `changes`: fields of the result to set."""
    run: DepthQAResult = edited(
        result_of("depthqa"),
        {
            "modes.0.discrepancies.backward.overall.average": 0.125,
            "modes.0.discrepancies.*.overall.average_ci": (0.085, 0.165),
            "run_id": f"20260101-120000-depthqa-{target.partition(':')[2]}",
        },
    )
    assert run.graph.trees == trees
    numbers = tuple(changed(run.modes[PLACES[mode]], mode=mode) for mode in modes)
    made: DepthQAResult = changed(run, **{"spec__target": target, "modes": numbers, "changes": (), **changes})
    return made


def build_result() -> DepthQABuildResult:
    made: DepthQABuildResult = result_of("depthqa_build")
    return made
