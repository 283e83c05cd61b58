"""What `fathom show --path` and `--wrong` print: steps in full, from the same objects as the live
screen's rows; and how parts of a run are named: `part[.step]`, as in `c003.q2`, `1_d3@zero-shot`,
`p007@some@solved` or `d03.s07`.

A part stands for all its steps, and a step for all that follow from it: the beginning of a name is
enough, and letters may be small or capital. The run may stand in front.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from ..agents.skill import addressed
from ..state.errors import UsageError
from .page import figures
from .page.rows import STYLES
from .page.sanitise import one_line, paragraphs
from .step import SIGNS, Field, RunContext, StepView
from .views.steps import Steps

INDENT = 4
JOINTS = (".", "@")
"""What may stand between a part and its step."""
NAMES = 3
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
    names, name = steps.names(steps, scene), steps.spelling(rest)
    part, step = _part(name, names)
    in_part = [
        (item, step_name.casefold())
        for item in items
        for of_part, step_name in steps.at(item, scene)
        if of_part == part
    ]
    matching = _matching(in_part, step.casefold())
    if not part or (in_part and not matching):
        parts = [*dict.fromkeys(names.values())]
        examples = f", such as {', '.join(parts[:NAMES])}" if parts else ""
        count = figures.count(len(parts), "part")
        raise UsageError(f"This run has no part named {name!r}; it has {count}{examples}.")
    ordered = sorted(matching, key=lambda item: steps.order(item, scene, part))
    return Found(part, step, tuple(steps.along(ordered, items)))


def _part(name: str, names: Mapping[str, str]) -> tuple[str, str]:
    """The part, and what is left of the name: the longest part that it begins with, or the only one
    that begins so. Raises UsageError where several do; empty where none does."""
    folded = {full.casefold(): part for full, part in reversed(list(names.items()))}
    key = name.casefold()
    ends = [end for end in range(len(key), 0, -1) if end == len(key) or key[end] in JOINTS]
    for end in ends:
        part = names.get(name[:end]) or folded.get(key[:end])
        if part is not None:
            return part, name[end + 1 :]
    parts = sorted({part for full, part in folded.items() if key and full.startswith(key)})
    if len(parts) > 1:
        more = ", …" if len(parts) > NAMES else ""
        raise UsageError(
            f"{name!r} could be any of {len(parts)} ({', '.join(parts[:NAMES])}{more}): give "
            "more of it."
        )
    return parts[0] if parts else "", ""


def _matching(in_part: Sequence[tuple[Any, str]], step: str) -> list[Any]:
    """The items that have this name, or begin with it and go on behind a joint, once each; without
    any, those that begin so."""
    starting = {item.id: (item, name) for item, name in in_part if name.startswith(step)}
    whole = [item for item, name in starting.values() if name[len(step) :][:1] in ("", *JOINTS)]
    return [item for item, _ in starting.values()] if not step or not whole else whole


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
    """A text, and below it that it speaks to a model or a marker; nothing is decided by that."""
    depth += field.depth
    text = Text(paragraphs(field.text), field.style)
    quote = paragraphs(field.quote)
    if quote and (start := text.plain.find(quote)) >= 0:
        text.stylize("bold underline", start, start + len(quote))
    label = Text(f"{one_line(field.name)}: " if field.name else "", "dim")
    yield _line(Text.assemble(label, text), depth)
    for note in speaks(field):
        yield _field(note.name, note.text, note.style, depth)


def speaks(field: Field) -> Iterator[Field]:
    """That a text speaks to a model or a marker, where it does."""
    phrase = addressed(field.text) if field.said else None
    if phrase:
        yield Field("speaks to a model or a marker", f"“{phrase}”", STYLES["warning"], field.depth)


def path_trace(
    steps: Steps, scene: RunContext, found: Found, *, prompts: bool = False
) -> RenderableType:
    """The part of a run that a path names, as far as there is of it."""
    views = [steps.step(item, scene) for item in found.items]
    head = steps.head(scene, found.part, found.step, [view.place for view in views])
    parts: list[RenderableType] = []
    for field in head:
        parts += _field_lines(field, 0)
    for view in views:
        parts += [*([""] if not view.depth else []), *step_trace(view, prompts=prompts)]
    if not views:
        parts += ["", Text("There is no step of it.")]
    return Group(*parts)


# wrong answers


def wrong_steps(steps: Steps, scene: RunContext) -> list[Any]:
    """The items that were found wrong and count, in their order."""
    items = (item for item in scene.items.values() if getattr(item, "excluded", None) is None)
    wrong = [item for item in items if steps.step(item, scene).mark == "wrong"]
    return sorted(wrong, key=lambda item: steps.order(item, scene, ""))


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
