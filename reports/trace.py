"""Steps in full, for `fathom show --path` and `--wrong` and for reports, from the same objects as
the live screen's rows. A step is named by its place in the run, as in `c003.q2`, `1_d3@zero-shot`,
`p007@some@solved` or `d03.s07`; the beginning of a name stands for all that begin so.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

from ..state.errors import UsageError
from .page import figures
from .page.blocks import Block, Line, Text
from .page.plain import Plain, style_words
from .page.sanitise import model_name, one_line, paragraphs
from .step import SIGNS, Field, RunContext
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


def step_document(steps: Steps, scene: RunContext, item: Any) -> Plain:
    """All that is shown of a step, harmless: the page of a report and a terminal read this."""
    view = steps.step(item, scene)
    fields = [*view.fields()]
    if view.fault is not None:
        why = f"{view.fault.stage}: {view.fault.kind}. {view.fault.message}"
        fields.append(Field("lost to a fault, not counted", why, "unscored"))
    values = {
        "place": one_line(view.place),
        "sign": SIGNS[view.mark][0],
        "title": one_line(view.title),
        "about": one_line(view.about),
        "said": one_line(view.said),
        "text": one_line(view.text),
        "level": view.depth,
        "kind": steps.kind(item, scene),
        "took": figures.duration(view.elapsed_s),
        "calls": [_call(call) for call in getattr(item, "calls", ())],
    }
    filled = {name: value for name, value in values.items() if value}
    return {"mark": view.mark, "fields": [*map(field_document, fields)], **filled}


def field_document(field: Field) -> Plain:
    """A text of a step, harmless."""
    values = {
        "name": one_line(field.name),
        "text": paragraphs(field.text),
        "style": style_words(field.style),
        "quote": paragraphs(field.quote),
        "link": one_line(field.link),
    }
    return {name: value for name, value in values.items() if value}


def _call(call: Any) -> str:
    """`judge · verdict · gpt-5 · 812 + 40 tokens · 1.3 s · USD 0.0021`."""
    parts = [
        call.role,
        call.purpose,
        model_name(call.model),
        f"{call.usage.input_tokens:,} + {call.usage.output_tokens:,} tokens",
        figures.duration(call.latency_s),
        "from the cache" if call.cached else figures.money(call.cost_usd),
        f"{call.attempts} attempts" if call.attempts > 1 else "",
        f"failed: {call.failure}" if call.failure else "",
    ]
    return figures.joined([one_line(part) for part in parts])


# on a terminal


def _step_block(step: Plain) -> Text:
    """What a step is, and what was written or said, word for word."""
    head = figures.joined([step["place"], step.get("title", ""), step["took"]])
    indent = INDENT * step.get("level", 0)
    style = SIGNS[step["mark"]][1]
    first = Line(head, "bold", lead=f"{step['sign']} ", lead_style=style, indent=indent)
    return Text([first, *_field_lines(step["fields"], indent + INDENT)])


def _field_lines(fields: Sequence[Plain], indent: int) -> Iterator[Line]:
    for field in fields:
        lead = f"{field['name']}: " if "name" in field else ""
        text, style = field.get("text", ""), field.get("style", "")
        yield Line(text, style, lead=lead, indent=indent, ends=True)


def path_blocks(steps: Steps, scene: RunContext, items: Sequence[Any]) -> Iterator[Block]:
    """Steps in full, with what stands above their part."""
    names = {part_of(figures.place(item.id)) for item in items}
    for name in names if len(names) == 1 else ():
        head = [field_document(field) for field in steps.head(scene, name)]
        yield Text([*_field_lines(head, 0)])
    for item in items:
        yield _step_block(step_document(steps, scene, item))


def wrong_steps(steps: Steps, scene: RunContext) -> list[Any]:
    """The items that were found wrong and count, in their order."""
    items = (item for item in scene.items.values() if getattr(item, "excluded", None) is None)
    wrong = [item for item in items if steps.step(item, scene).mark == "wrong"]
    return in_order(wrong)


def wrong_blocks(
    steps: Steps, scene: RunContext, wrong: Sequence[Any], limit: int
) -> Iterator[Block]:
    """The first `limit` of these items with what was asked, expected and said, in full."""
    for item in wrong[:limit]:
        step = step_document(steps, scene, item)
        names = [field.get("name") for field in step["fields"]]
        if "text" in step and "question" not in names:  # where its part would tell that
            question = {"name": "question", "text": step["text"], "style": "bold"}
            step["fields"].insert(0, question)
        yield _step_block({**step, "level": 0})
    count = figures.count(len(wrong), "wrong answer")
    if len(wrong) > limit:
        count = f"{limit} of {count}; --limit {len(wrong)} shows all"
    yield Text([f"{count}."], style="dim")
