"""Parts of a run by name: `part[.step]`, as in `c003.q2`, `1_d3@zero-shot`, `p007@some@solved` or
`d03.s07`.

A part stands for all its steps, and a step for all that follow from it: the beginning of a name is
enough, and letters may be small or capital. The run may stand in front.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..state.errors import UsageError
from .page import figures
from .step import RunContext
from .views.steps import Steps

SIGNS = (".", "@")
"""What may stand between a part and its step."""
NAMED = 3
"""So many names are told where nothing has the one that was given."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a path names."""

    part: str
    step: str
    """Empty: the whole part."""
    items: tuple[Any, ...]
    """In the order in which they are shown; none where the run has not come to the part."""


def find(steps: Steps, scene: RunContext, path: str) -> Found:
    """The items of the run (all of them are in the scene) that a path names. Raises UsageError
    where nothing has the name."""
    before, _, rest = path.strip().rpartition("/")
    items = list(scene.items.values())
    run = next((item.id.partition("/")[0] for item in items), "")
    if before and run and figures.short_id(before.rpartition("/")[2]) != figures.short_id(run):
        raise UsageError(f"{path!r} is of the run {before}, and this is {run}: show that run.")
    names = steps.names(scene)
    name = steps.spelling(rest)
    part, step = _part(name, names)
    here = [(item, its) for item in items for name, its in steps.at(item, scene) if name == part]
    found = _begun(here, step.casefold())
    if not part or (here and not found):
        raise UsageError(_nothing(name, [*dict.fromkeys(names.values())]))
    once = list({item.id: item for item in found}.values())
    ordered = sorted(once, key=lambda item: steps.order(item, scene, part))
    return Found(part, step, tuple(steps.along(ordered, items)))


def _part(name: str, names: Mapping[str, str]) -> tuple[str, str]:
    """The part, and what is left of the name: the longest part that it begins with, or the only one
    that begins so. Raises UsageError where several do; empty where none does."""
    folded = {known.casefold(): part for known, part in reversed(list(names.items()))}
    key = name.casefold()
    for end in (len(key), *(place for place in range(len(key) - 1, 0, -1) if key[place] in SIGNS)):
        part = names.get(name[:end]) or folded.get(key[:end])
        if part is not None:
            return part, name[end + 1 :]
    begun = sorted({part for known, part in folded.items() if key and known.startswith(key)})
    if len(begun) > 1:
        more = ", …" if len(begun) > NAMED else ""
        raise UsageError(
            f"{name!r} could be any of {len(begun)} ({', '.join(begun[:NAMED])}{more}): give "
            "more of it."
        )
    return begun[0] if begun else "", ""


def _nothing(name: str, parts: Sequence[str]) -> str:
    """Nothing has the name: the parts that there are."""
    some = f"such as {', '.join(parts[:NAMED])}" if parts else ""
    there = figures.joined([figures.count(len(parts), "part"), some], ", ")
    return f"This run has no part named {name!r}; it has {there}."


def _begun(here: Sequence[tuple[Any, str]], step: str) -> list[Any]:
    """The steps that have this name, or begin with it and go on behind a sign; without any, those
    that begin so."""
    whole = [item for item, its in here if not step or _folded(its, step)]
    return whole or [item for item, its in here if its.casefold().startswith(step)]


def _folded(its: str, step: str) -> bool:
    name = its.casefold()
    return name == step or (name.startswith(step) and name[len(step)] in SIGNS)
