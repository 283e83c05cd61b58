"""What `fathom show --path` and `--wrong` print: steps in full, from the same objects as the live
screen's rows. A step is named by its place in the run, as in `c003.q2`, `1_d3@zero-shot`,
`p007@some@solved` or `d03.s07`; the beginning of a name stands for all that begin so.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from ..state.errors import UsageError
from .page import figures
from .page.rows import STYLES
from .page.sanitise import one_line, paragraphs
from .step import SIGNS, Field, RunContext, StepView
from .views.steps import Steps

INDENT = 4
NAMES = 3
"""So many names are told where nothing has the one that was given."""


def part_of(place: str) -> str:
    """The part of the run that a step belongs to: `c003` of `c003.q2`."""
    return next(_prefixes(place))


def _prefixes(place: str) -> Iterator[str]:
    """`p007`, `p007@some`, `p007@some@solved`; a name before an @ may hold dots."""
    joint = "@" if "@" in place else "."
    return accumulate(re.split(f"(?=[{joint}])", place))


def in_order(items: Sequence[Any]) -> list[Any]:
    """As they come, but what follows from a step stands behind it."""
    places = [[*_prefixes(figures.place(item.id))] for item in items]
    first = dict[str, int]()
    for number, place in enumerate(places):
        for prefix in place:
            first.setdefault(prefix, number)
    keys = [[first[prefix] for prefix in place] for place in places]
    return [items[number] for number in sorted(range(len(items)), key=keys.__getitem__)]


def find(scene: RunContext, path: str) -> list[Any]:
    """The items of the run (all of them are in the scene) that a path names, behind those that led
    to them. Raises UsageError where nothing has the name."""
    before, _, name = path.strip().rpartition("/")
    run = next((item.id.partition("/")[0] for item in scene.items.values()), "")
    if before and run and figures.short_id(before.rpartition("/")[2]) != figures.short_id(run):
        raise UsageError(f"{path!r} is of the run {before}, and this is {run}: show that run.")
    key = name.casefold()
    places = [place for place in scene.items if key and place.casefold().startswith(key)]
    if not places:
        examples = ", ".join([*scene.items][:NAMES])
        count = figures.count(len(scene.items), "step")
        such = f", such as {examples}" if examples else ""
        raise UsageError(f"This run has no part named {name!r}; it has {count}{such}.")
    whole = [place for place in places if key in map(str.casefold, _prefixes(place))]
    items = in_order([scene.items[place] for place in whole or places])
    return [*_ancestors(scene, items), *items]


def _ancestors(scene: RunContext, items: Sequence[Any]) -> list[Any]:
    """What led to all of these alike, the first first; a journal may name itself in a circle."""
    by_id = {item.id: item for item in scene.items.values()}
    parents = {getattr(item, "parent", None) for item in items}
    path = list[Any]()
    while len(parents) == 1 and (parent := by_id.pop(parents.pop(), None)) is not None:
        path.insert(0, parent)
        parents = {parent.parent}
    return path


def _line(text: Text, depth: int) -> RenderableType:
    """The text, indented."""
    return Padding(text, (0, 0, 0, INDENT * depth), expand=False)


def _field(name: str, text: str, style: str, depth: int) -> RenderableType:
    """`name: text`, the text made harmless, with its line ends."""
    label = (f"{one_line(name)}: ", "dim")
    return _line(Text.assemble(label, (paragraphs(text), style)), depth)


def step_trace(
    view: StepView, *, prompts: bool = False, in_full: bool = True
) -> Iterator[RenderableType]:
    """A step: what it is, the prompt as it was first sent if that is asked for, and what was
    written or said, word for word. Not `in_full`: without what only the path to it needs."""
    sign, style = SIGNS[view.mark]
    head = Text.assemble((f"{sign} ", STYLES.get(style, style)), (one_line(view.place), "bold"))
    yield _line(
        head.append(f" · {one_line(view.title)}").append(
            f" · {figures.duration(view.elapsed_s)}", "dim"
        ),
        view.depth,
    )
    for message in view.prompt if prompts else ():
        yield _line(Text(f"sent to the {view.sent_to}, {message.role}:", "dim"), view.depth + 1)
        yield _line(Text(paragraphs(message.text)), view.depth + 2)
    for field in view.fields():
        if in_full or not field.context:
            yield from _field_lines(field, view.depth)
    if view.fault is not None:
        why = f"{view.fault.stage}: {view.fault.kind}. {view.fault.message}"
        yield _field("lost to a fault, not counted", why, STYLES["unscored"], view.depth + 1)


def _field_lines(field: Field, depth: int) -> Iterator[RenderableType]:
    depth += field.depth
    text = Text(paragraphs(field.text), field.style)
    quote = paragraphs(field.quote)
    if quote and (start := text.plain.find(quote)) >= 0:
        text.stylize("bold underline", start, start + len(quote))
    label = Text(f"{one_line(field.name)}: " if field.name else "", "dim")
    yield _line(Text.assemble(label, text), depth)


def path_trace(
    steps: Steps, scene: RunContext, items: Sequence[Any], *, prompts: bool = False
) -> RenderableType:
    """Steps in full, with what stands above their part."""
    parts: list[RenderableType] = []
    names = {part_of(figures.place(item.id)) for item in items}
    for name in names if len(names) == 1 else ():
        for field in steps.head(scene, name):
            parts += _field_lines(field, 0)
    for item in items:
        view = steps.step(item, scene)
        parts += [*([""] if not view.depth else []), *step_trace(view, prompts=prompts)]
    return Group(*parts)


# wrong answers


def wrong_steps(steps: Steps, scene: RunContext) -> list[Any]:
    """The items that were found wrong and count, in their order."""
    items = (item for item in scene.items.values() if getattr(item, "excluded", None) is None)
    wrong = [item for item in items if steps.step(item, scene).mark == "wrong"]
    return in_order(wrong)


def wrong_trace(
    steps: Steps, scene: RunContext, wrong: Sequence[Any], limit: int
) -> RenderableType:
    """The first `limit` of these items with what was asked, expected and said, in full."""
    parts: list[RenderableType] = []
    for item in wrong[:limit]:
        parts += [*step_trace(_alone(steps.step(item, scene)), in_full=False), ""]
    more = f"; --limit {len(wrong)} shows all" if len(wrong) > limit else ""
    path = "; --path ID shows what led to one" if wrong else ""
    count = f"{min(limit, len(wrong))} of " if len(wrong) > limit else ""
    count += figures.count(len(wrong), "wrong answer")
    return Group(*parts, Text(f"{count}{more}{path}.", "dim"))


def _alone(view: StepView) -> StepView:
    """The step with its question, where its part would tell that."""
    fields = list(view.fields())
    if view.text and all(field.name != "question" for field in fields):
        fields.insert(0, Field("question", view.text, "bold"))
    return replace(view, fields=lambda: fields, depth=0)
