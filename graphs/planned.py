"""What a run still has to ask, as its screen reads it."""

from collections.abc import Hashable
from typing import Any

from ..reports.step import RunContext
from .method import METHODS


def calls_of(scene: RunContext) -> Any:
    """What the run asks."""
    if scene.calls is None:
        calls = METHODS[scene.spec.method].calls
        scene.calls = calls(scene.spec, scene.material or scene.problems)
    return scene.calls


def planned(scene: RunContext, index: int, *without: str, alike: Hashable = None) -> float:
    """Steps of a part when nothing fails: the calls that are due, those of the prompts named apart.
    `alike`: what parts with as many share, so that they are counted once."""
    from .run.due import NOTHING  # heavy, and only needed while a run goes on

    key = index if alike is None else alike
    if key not in scene.plan:
        due = calls_of(scene).due(index, NOTHING)
        scene.plan[key] = sum(call.number.mid for call in due if call.purpose not in without)
    return scene.plan[key]
