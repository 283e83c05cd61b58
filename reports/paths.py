"""Parts of a run by name: `part[.step]`, as in `c003.q2`, `1_d3@zero-shot`, `p007@some@solved` or `d03.s07`.

A part stands for all its steps, and a step for all that follow from it: the beginning of a name is enough, and letters
may be small or capital. The run may stand in front.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from ..state.errors import UsageError
from .page import figures
from .step import Scene
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


def find(steps: Steps, scene: Scene, path: str) -> Found:
    """The items of the run (all of them are in the scene) that a path names. Raises UsageError where nothing has the
    name."""
    before, _, rest = path.strip().rpartition("/")
    items = list(scene.items.values())
    run = next((item.id.partition("/")[0] for item in items), "")
    if before and run and figures.short_id(before.rpartition("/")[2]) != run:
        raise UsageError(f"{path!r} is of the run {before}, and this is {run}: show that run.")
    part, step = _part(steps.spelling(rest), steps.names(scene), path, steps.part)
    here = [(item, its) for item in items for name, its in steps.at(item, scene) if name == part]
    found = _begun(here, step.casefold())
    if here and not found:
        held = dict.fromkeys(its for _, its in here if its)
        raise UsageError(f"{part} has no step {step!r}: it has {_some(step, held)}.")
    once = list({item.id: item for item in found}.values())
    ordered = sorted(once, key=lambda item: steps.order(item, scene, part))
    return Found(part, step, tuple(steps.along(ordered, items)))


def _part(name: str, names: Mapping[str, str], path: str, kind: str) -> tuple[str, str]:
    """The part, and what is left of the name: the longest part that it begins with, or the only one that begins so."""
    folded = {known.casefold(): part for known, part in reversed(names.items())}
    key = name.casefold()
    ends = [len(key), *(place for place in range(len(key) - 1, 0, -1) if key[place] in SIGNS)]
    for end in ends:
        part = names.get(name[:end]) or folded.get(key[:end])
        if part is not None:
            return part, name[end + 1 :]
    begun = {part for known, part in folded.items() if key and (known.startswith(key) or known.endswith(key))}
    if len(begun) == 1:
        return begun.pop(), ""
    if begun:
        raise UsageError(
            f"{path!r} could be any of {len(begun)} ({_some(name, sorted(begun))}): give more of the name."
        )
    parts = list(dict.fromkeys(names.values()))
    number = figures.count(len(parts), kind)
    there = f"it has {number}{', ' if parts else ''}{_some(name, parts)}"
    raise UsageError(f"No part of this run is called {name!r}: {there}.")


def _begun(here: Sequence[tuple[Any, str]], step: str) -> list[Any]:
    """The steps that have this name, or begin with it and go on behind a sign; without any, those that begin so."""
    whole = [item for item, its in here if not step or _folded(its, step)]
    return whole or [item for item, its in here if its.casefold().startswith(step)]


def _folded(its: str, step: str) -> bool:
    name = its.casefold()
    return name == step or (name.startswith(step) and name[len(step)] in SIGNS)


def _some(name: str, known: Iterable[str]) -> str:
    """The names that are most like the one given, or the first."""
    held = list(known)
    close = get_close_matches(name, held, NAMED)
    if close:
        return f"perhaps {', '.join(close)}"
    return f"such as {', '.join(held[:NAMED])}" if held else ""
