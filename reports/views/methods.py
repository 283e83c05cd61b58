"""The methods, by the `method` of a spec: how their steps are shown."""

from .deepquestion.steps import STEPS as DEEPQUESTION
from .depthqa.building.steps import STEPS as BUILDING
from .depthqa.steps import STEPS as DEPTHQA
from .drill.steps import REPLAY
from .drill.steps import STEPS as DRILL
from .eqt.steps import STEPS as EQT
from .steps import Steps

STEPS: dict[str, Steps] = {
    "deepquestion": DEEPQUESTION,
    "depthqa": DEPTHQA,
    "depthqa_build": BUILDING,
    "drill": DRILL,
    "eqt": EQT,
    "replay": REPLAY,
}
