"""The methods, by the `method` of a spec: how their steps are shown."""

from collections.abc import Mapping

from ...tools.on_demand import found_in
from .steps import Steps

STEPS: Mapping[str, Steps] = found_in(
    __package__,
    {
        "deepquestion": ".deepquestion.steps:STEPS",
        "depthqa": ".depthqa.steps:STEPS",
        "depthqa_build": ".depthqa.building.steps:STEPS",
        "drill": ".drill.steps:STEPS",
        "eqt": ".eqt.steps:STEPS",
        "replay": ".drill.steps:REPLAY",
    },
)
