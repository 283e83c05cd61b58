"""What `fathom show --path` and `--wrong` print: steps in full, from the same objects as the live
screen's rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.text import Text

from ..agents.skill import addressed
from .page import figures
from .page.rows import STYLES
from .page.sanitise import one_line, paragraphs
from .paths import Found
from .step import SIGNS, Field, RunContext, StepView
from .views.steps import Steps

INDENT = 4


@dataclass(frozen=True, slots=True)
class _Indented:
    """Text some cells from the left, with nothing behind the ends of its lines."""

    text: Text
    cells: int

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        room = max(1, options.max_width - self.cells)
        for row in self.text.wrap(console, room, overflow="fold"):
            row.rstrip()
            row.pad_left(self.cells if row.plain else 0)
            yield row


def line(text: Text, depth: int = 1) -> RenderableType:
    """The text, indented."""
    return _Indented(text, INDENT * depth)


def field(name: str, text: str, style: str = "", depth: int = 1) -> RenderableType:
    """`name: text`, the text made harmless, with its line ends."""
    label = (f"{one_line(name)}: ", "dim")
    value = (paragraphs(text), style)
    return line(Text.assemble(label, value), depth)


def step_trace(
    view: StepView, *, prompts: bool = False, in_full: bool = True
) -> Iterator[RenderableType]:
    """A step: what it is, the prompt as it was first sent if that is asked for, and what was
    written or said, word for word. Not `in_full`: without what only the path to it needs."""
    sign, style = SIGNS[view.mark]
    head = Text.assemble((f"{sign} ", STYLES.get(style, style)), (one_line(view.place), "bold"))
    yield line(
        head.append(f" · {one_line(view.title)}").append(
            f" · {figures.duration(view.elapsed_s)}", "dim"
        ),
        view.depth,
    )
    for sent in view.prompt if prompts else ():
        yield line(Text(f"sent to the {view.sent_to}, {sent.role}:", "dim"), view.depth + 1)
        yield _Indented(Text(paragraphs(sent.text)), INDENT * (view.depth + 2))
    for each in view.fields():
        if in_full or not each.context:
            yield from _shown(each, view.depth)
    if view.fault is not None:
        why = f"{view.fault.stage}: {view.fault.kind}. {view.fault.message}"
        yield field("lost to a fault, not counted", why, STYLES["unscored"], view.depth + 1)


def _shown(each: Field, depth: int) -> Iterator[RenderableType]:
    """A text, and below it that it speaks to a model or a marker; nothing is decided by that."""
    depth += each.depth
    text = Text(paragraphs(each.text), each.style)
    quote = paragraphs(each.quote)
    if quote and (start := text.plain.find(quote)) >= 0:
        text.stylize("bold underline", start, start + len(quote))
    yield line(
        Text.assemble((f"{one_line(each.name)}: ", "dim"), text) if each.name else text, depth
    )
    for note in speaks(each):
        yield field(note.name, note.text, note.style, depth)


def speaks(each: Field) -> Iterator[Field]:
    """That a text speaks to a model or a marker, where it does."""
    phrase = addressed(each.text) if each.said else None
    if phrase:
        yield Field("speaks to a model or a marker", f"“{phrase}”", STYLES["warning"], each.depth)


def path_trace(
    steps: Steps, scene: RunContext, found: Found, *, prompts: bool = False
) -> RenderableType:
    """The part of a run that a path names, as far as there is of it."""
    views = [steps.step(item, scene) for item in found.items]
    head = steps.head(scene, found.part, found.step, [view.place for view in views])
    parts: list[RenderableType] = [shown for each in head for shown in _shown(each, 0)]
    for view in views:
        parts += [*([""] if not view.depth else []), *step_trace(view, prompts=prompts)]
    if not views:
        parts += ["", Text("There is no step of it.")]
    return Group(*parts)


# wrong answers


def wrong_steps(steps: Steps, scene: RunContext) -> list[Any]:
    """The items that were found wrong and count, in their order."""
    items = (item for item in scene.items.values() if getattr(item, "excluded", None) is None)
    found = [item for item in items if steps.step(item, scene).mark == "wrong"]
    return sorted(found, key=lambda item: steps.order(item, scene, ""))


def wrong_trace(
    steps: Steps, scene: RunContext, wrong: Sequence[Any], limit: int
) -> RenderableType:
    """The first `limit` of these items with what was asked, expected and said, in full."""
    parts: list[RenderableType] = []
    for item in wrong[:limit]:
        parts += [*step_trace(_alone(steps.step(item, scene)), in_full=False), ""]
    more = f"; --limit {len(wrong)} shows all" if len(wrong) > limit else ""
    path = "; --path ID shows what led to one" if wrong else ""
    shown = f"{min(limit, len(wrong))} of " if len(wrong) > limit else ""
    return Group(
        *parts, Text(f"{shown}{figures.count(len(wrong), 'wrong answer')}{more}{path}.", "dim")
    )


def _alone(view: StepView) -> StepView:
    """The step with its question, where its part would tell that."""
    fields = list(view.fields())
    told = not view.text or any(each.name == "question" for each in fields)
    asked = [*([] if told else [Field("question", view.text, "bold")]), *fields]
    return replace(view, fields=lambda: asked, depth=0)
