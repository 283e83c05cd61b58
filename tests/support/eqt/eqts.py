"""Whole Explain-Query-Tests over real HTTP, for tests."""

from typing import Any

import orjson

from fathom.graphs.run.launch import Launch, LaunchOptions, RunReport
from fathom.graphs.run.resume_check import take_up
from fathom.sim.server import Timing
from fathom.state.eqt.result import EqtResult
from fathom.state.spec import Concept, EqtSpec, WorldSpec
from fathom.tools.models.clients import Limits

ELEMENTS = (
    "Iron",
    "Gold",
    "Argon",
    "Sodium",
    "Helium",
    "Radium",
    "Carbon",
    "Mercury (element)",
    "Uranium",
    "Tin",
)
PASSING = {"latency_s", "elapsed_s", "wall_s", "usage", "run_id", "cost_usd", "spec_digest"}
"""Fields that may differ between runs of one spec: run id, times and usage."""


def eqt_spec(*concepts: str, **changes: Any) -> EqtSpec:
    """A run of the simulated student, its own examiner, over elements (or what is named)."""
    target = changes.pop("target", "sim:student")
    values: dict[str, Any] = {
        "concepts": tuple(
            Concept(name=name, category="elements") for name in concepts or ELEMENTS[:3]
        ),
        "target": target,
        "examiner": target,
        "judge": changes.get("examiner", target),
        "questions": 3,
        "options": 6,
        "paraphrases": 2,
        "world": WorldSpec(),
    }
    return EqtSpec.model_validate(values | changes)


async def eqt(
    spec: EqtSpec, *, timing: Timing | None = None, **options: Any
) -> RunReport[EqtResult]:
    """One run with a world of its own."""
    limits, listeners = options.pop("limits", Limits()), options.pop("listeners", ())
    launch = Launch[EqtResult](
        [spec], LaunchOptions(limits=limits, timing=timing or Timing(), **options), listeners
    )
    (report,) = await launch.run()
    return report


async def resumed(report: RunReport[EqtResult], **options: Any) -> RunReport[EqtResult]:
    """The run taken up again."""
    assert report.folder is not None
    taken = take_up(report.folder)
    own: dict[str, Any] = {"runs": report.folder.parent} | options
    again = Launch[EqtResult](
        [], LaunchOptions(**own), resumed=[taken], launch=taken.launch.launch
    )
    (done,) = await again.run()
    return done


def whole(report: RunReport[EqtResult]) -> EqtResult:
    assert report.result is not None, report.error
    return report.result


def lasting(result: EqtResult) -> Any:
    """The result without what may differ between two runs of one spec."""
    short = result.run_id.rsplit("-", 1)[-1]
    text = result.model_dump_json().replace(result.run_id, "RUN").replace(f'"{short}/', '"RUN/')
    return without_passing(orjson.loads(text))


def without_passing(value: Any) -> Any:
    """A result as JSON without what may differ."""
    if isinstance(value, dict):
        return {key: without_passing(item) for key, item in value.items() if key not in PASSING}
    if isinstance(value, list):
        return [without_passing(item) for item in value]
    return value
