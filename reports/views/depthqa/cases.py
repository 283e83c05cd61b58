"""The questions of a DepthQA run that its numbers are at odds with: what was asked, said and thought of it."""

from collections.abc import Sequence

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from ....state.depthqa.result import Case, Neighbour
from ...page import figures
from ...page.rows import STYLES, clip
from ...page.sanitise import one_line
from .figures import gap, plain_score, sign_of

CASES = 5
"""Cases shown."""
LINES = 2
"""Lines that a text is cut to."""
DEEPER = 3
"""Deeper questions shown of a case."""


def case_part(cases: Sequence[Case], run: str, *, width: int, kept: bool) -> list[RenderableType]:
    """The worst backward cases with both answers, shortened. `run`: its short id; `kept`: whether it has a folder."""
    backward = [case for case in cases if case.direction == "backward"]
    shown = backward[:CASES]
    parts: list[RenderableType] = []
    if shown:
        title = "The worst backward cases" if len(shown) > 1 else "The worst backward case"
        title += f", {shown[0].mode}" + (f" ({len(shown)} of {len(backward)})" if len(backward) > len(shown) else "")
        parts += ["", Text(title, "bold")]
        for case in shown:
            parts += _case(case, width)
    return [*parts, *_pointer(cases, backward, run, kept=kept)]


def _case(case: Case, width: int) -> list[RenderableType]:
    own = case.own
    scores = [each.score for each in case.neighbours]
    above = plain_score(sum(scores) / max(1, len(scores)))
    said = f"{gap(case.discrepancy)} {_place(own)} scores {plain_score(own.score)}, the "
    if len(scores) == 1:
        head = Text(f"{said}deeper question it leads to {above}")
    else:
        head = Text(f"{said}{len(scores)} deeper questions it leads to {above} on average")
    parts: list[RenderableType] = [head, *_texts(own, width, 2)]
    for each in case.neighbours[:DEEPER]:
        parts += [_indented(_scored(each), 2), *_texts(each, width, 4)]
    more = len(case.neighbours) - DEEPER
    return [*parts, *([_indented(Text(f"and {figures.count(more, 'more')}", "dim"), 2)] if more > 0 else [])]


def _scored(each: Neighbour) -> Text:
    sign, style = sign_of(each.score)
    return Text.assemble((f"{sign} ", STYLES[style]), f"{_place(each)} scores {plain_score(each.score)}")


def _place(each: Neighbour) -> str:
    return f"{one_line(each.node)} (D{each.depth})"


def _texts(each: Neighbour, width: int, depth: int) -> list[RenderableType]:
    held = (("question", each.question), ("answer", each.answer or "(nothing)"), ("judge", each.reason))
    return [_field(name, text, width, depth) for name, text in held if text.strip()]


def _field(name: str, text: str, width: int, depth: int) -> RenderableType:
    room = max(20, (width - depth) * LINES - len(name) - 12)  # lines break at words and are not full
    return _indented(Text.assemble((f"{name}: ", "dim"), clip(one_line(text[: 8 * room]), room)), depth)


def _indented(text: Text, depth: int) -> RenderableType:
    return Padding(text, (0, 0, 0, depth), expand=False)


def _pointer(cases: Sequence[Case], backward: Sequence[Case], run: str, *, kept: bool) -> list[RenderableType]:
    forward = len(cases) - len(backward)
    if not cases:
        return []
    parts = [f"{len(backward):,} backward"] if backward else []
    parts += [f"{forward:,} forward"] if forward else []
    where = f"`fathom show {one_line(run)} --json` has them" if kept else "the result has them"
    counted = f"{' and '.join(parts)} {'case' if len(cases) == 1 else 'cases'} in full: {where}"
    one = f"; `fathom show {one_line(run)} --path {one_line(cases[0].own.node)}` shows one question" if kept else ""
    lead: list[RenderableType] = [] if backward else [""]
    return [*lead, Text(counted + one, "dim")]
