"""The questions of a replay one by one, as those of the drill they come from."""

from dataclasses import replace

from ...reports.progress import RunProgress
from ...reports.step import PartName, RunContext
from ...reports.views.steps import Figure, tallied
from ..drill.steps import STEPS as DRILL
from .trials import SECOND_QUESTIONS


def _planned(scene: RunContext, index: int = 0) -> float:
    """Under another judge the old answers are judged as well; where nothing else is asked, only
    those."""
    spec = scene.spec
    answers: int = (not spec.rejudges) + (spec.judge != spec.source.judge)
    second = SECOND_QUESTIONS if spec.second_evaluator else 0
    further: int = 2 * min(spec.calibration, scene.carried) + min(second, scene.carried)
    return scene.carried * answers + further


def _figures(run: RunProgress) -> list[Figure]:
    planned = _planned(run.scene) if run.scene else 0
    done = f"{run.steps:,}" + (f"/{planned:,.0f}" if planned else "")
    return [Figure(f"probes {done}", done, "probes"), *tallied(run, "probes", DRILL.legend)]


STEPS = replace(
    DRILL,
    part="question",
    closes=False,
    index=lambda probe: 0,
    named=lambda scene, index: PartName("", ""),
    parts=lambda scene: 1,
    planned=_planned,
    figures=_figures,
    size=lambda scene: ["replay"],
    table=lambda run: [],
)
