"""Parts of a DeepQuestion run by the ids it shows: a problem, one of its steps, the prompt of a kind."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from ....state.deepquestion.items import KINDS, LOADS, Kind, Problem, PromptDraft, PromptScore
from ....state.deepquestion.spec import DeepQuestionSpec
from ....state.errors import UsageError
from ....state.items import DeepQuestionItem
from ...page import figures

SAME = "@same"
_SOLVED, _ASKED = ("@solved", f"@solved{SAME}"), ("", SAME)
_Q2S = ("scenario", "scenario@check", "distractors")
_Q2I = ("instruction", "instruction@check", *(f"q2i{end}" for end in ("", *_SOLVED, "@met", "@first", "@second")))
_BASELINE = ("baseline", "baseline@first", "baseline@second")
NAMED = 3
"""So many ids are named where there is no such problem."""
_ROUND = re.compile(r"(draft|score)\d+")


@dataclass(frozen=True, slots=True)
class Place:
    """What a path names."""

    name: str
    """A problem's id, or a kind."""
    step: str = ""
    """What stands behind the name in the ids of its steps; empty: all of them."""
    kind: Kind | None = None
    """Set where the path names the prompt of a kind, in place of a problem."""


def places_of(spec: DeepQuestionSpec) -> tuple[str, ...]:
    """All places that steps of a problem can have, in the order in which they are shown."""
    loads = [f"{load}{end}" for load in spec.distractors for end in (*_SOLVED, *_ASKED)]
    own = {"q2s": (*_Q2S, *loads), "q2i": _Q2I}
    asked = [place for kind in spec.kinds for place in own[kind]]
    return ("original", f"original{SAME}", *asked, *(_BASELINE if "q2i" in spec.kinds else ()))


def place_of(spec: DeepQuestionSpec, problems: Sequence[Problem], path: str, run: str = "") -> Place:
    """`p007`, `p007@original`, `p007@some`, `p007@q2i@solved`, with or without the run in front; `p007@q2s` is all
    about its scenario. `q2s`, `q2i`, `q2i@draft2`: how the prompt of a kind came about; a problem of that name is
    meant first, but has no drafts.

    `run`: the short id that items bear; empty when there is none to compare with. Raises UsageError for anything else.
    """
    before, _, rest = path.strip().rpartition("/")
    if before and run and figures.short_id(before.rpartition("/")[2]) != run:
        raise UsageError(f"{path!r} is of the run {before}, and this is {run}: show that run.")
    name, _, step = rest.partition("@")
    step = step.casefold()
    for kind in KINDS:
        a_problem = any(problem.id == name for problem in problems) and not _ROUND.fullmatch(step)
        if name.casefold() == kind and not a_problem:
            return Place(kind, _round(spec, kind, step, path), kind)
    return Place(_problem(problems, name), _step(spec, step, path))


def _round(spec: DeepQuestionSpec, kind: Kind, step: str, path: str) -> str:
    if kind not in spec.kinds:
        raise UsageError(f"This run has no {kind}: it was asked for {', '.join(spec.kinds)}.")
    if step and not _ROUND.fullmatch(step):
        raise UsageError(
            f"{path!r} names no step of a prompt: give the kind alone, or a draft or score of it, such as {kind}@draft1"
            f" or {kind}@score1."
        )
    return step


def _problem(problems: Sequence[Problem], name: str) -> str:
    """The problem's id, in whatever letters it was written."""
    ids = [problem.id for problem in problems]
    folded = {known.casefold(): known for known in reversed(ids)}
    found = name if name in ids else folded.get(name.casefold())
    if found is None:
        close = get_close_matches(name, ids, NAMED)
        some = f"{'perhaps' if close else 'such as'} {', '.join(close or ids[:NAMED])}"
        number = figures.count(len(ids), "problem")
        raise UsageError(f"No problem of this run is called {name!r}: it has {number}, {some}.")
    return found


def _step(spec: DeepQuestionSpec, step: str, path: str) -> str:
    """The step's place. `q2s-some`, as marks are called, is `some`."""
    step = step.removeprefix("q2s-")
    if step and step not in places_of(spec) and not (step == "q2s" and "q2s" in spec.kinds):
        heads = dict.fromkeys(place.partition("@")[0] for place in places_of(spec))
        raise UsageError(f"{path!r} names no step of a problem of this run: there is {', '.join(heads)}.")
    return step


def items_at(
    spec: DeepQuestionSpec, problems: Sequence[Problem], items: Sequence[DeepQuestionItem], path: str
) -> tuple[DeepQuestionItem, ...]:
    """The steps that a path names, in the order in which they are shown; of a repeated id the last. Raises UsageError
    for a path that names no part of the run; a part that the run has not come to has no steps."""
    latest = {item.id: item for item in items}
    place = place_of(spec, problems, path, next(iter(latest), "").partition("/")[0])
    found = [item for item in latest.values() if _belongs(item, place)]
    if place.kind is not None:
        return tuple(sorted(found, key=_of_round))
    order = places_of(spec)
    steps = {item.id: step_in(item) for item in found}
    return tuple(sorted(found, key=lambda item: order.index(steps[item.id]) if steps[item.id] in order else len(order)))


def step_in(item: DeepQuestionItem) -> str:
    """An item's place within its problem or kind: `some@solved`."""
    return figures.place(item.id).partition("@")[2]


def _belongs(item: DeepQuestionItem, place: Place) -> bool:
    name, _, step = figures.place(item.id).partition("@")
    if isinstance(item, PromptDraft | PromptScore):
        return item.kind == place.kind and place.step in ("", step)
    if place.kind is not None or name != place.name:
        return False
    if place.step == "q2s":
        return step.partition("@")[0] in ("scenario", "distractors", *LOADS)
    return not place.step or step == place.step or step.startswith(f"{place.step}@")


def _of_round(item: DeepQuestionItem) -> tuple[int, bool]:
    return (item.round, isinstance(item, PromptScore)) if isinstance(item, PromptDraft | PromptScore) else (0, False)
