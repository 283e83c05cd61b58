"""A question of a build of a DepthQA graph: every step that was taken with it, and what is left of it."""

from collections.abc import Sequence
from difflib import get_close_matches

from rich.console import Group, RenderableType
from rich.text import Text

from .....state.depthqa.build import (
    Classified,
    Deconstructed,
    ReferenceWritten,
    RelationChecked,
    Removal,
    Rewritten,
    Sifted,
)
from .....state.depthqa.items import QuestionNode
from .....state.depthqa.spec import DepthQABuildSpec
from .....state.errors import UsageError
from .....state.items import BuildItem
from ....page import figures
from ....page.rows import STYLES
from ....page.sanitise import one_line
from ....trace import fault_lines, field, line, sent_lines
from .progress import SIGNS, built_of, relation_words, sifted_words

NAMED = 3
"""So many ids are named where there is no such question."""


def build_trace(
    spec: DepthQABuildSpec, items: Sequence[BuildItem], part: str, *, prompts: bool = False
) -> RenderableType:
    """The steps of a question, by its id or a step's (`q1.2`, `q1.2@parts`), with or without the run in front.

    `prompts`: show every prompt word for word as it was first sent. Raises UsageError for what the run does not have.
    """
    found = build_items_at(spec, items, part)
    node = _name(part).partition("@")[0]
    known, removals = _written(spec, items), _removals(items)
    parts: list[RenderableType] = [Text(one_line(node), "bold")]
    if node in known:
        question, reference = known[node]
        parts.append(field("question", question, "bold", 0))
        parts += [field("reference", reference, depth=0)] if reference else []
    parts += [_removal(row) for row in removals if row.node == node]
    parts += [_kept(kept) for kept in _last_nodes(items) if kept.id == node]
    for item in found:
        parts += ["", *_step(item), *(sent_lines(item.prompt, "sent") if prompts else []), *_body(item)]
    return Group(*parts, *([] if found else [Text("No step was taken with it alone.", "dim")]))


def build_items_at(spec: DepthQABuildSpec, items: Sequence[BuildItem], part: str) -> tuple[BuildItem, ...]:
    """The steps that a part names, in the order they were taken; of a repeated id the last. Raises UsageError where
    there is nothing of that name."""
    latest = {item.id: item for item in items}
    run = next(iter(latest), "").partition("/")[0]
    before = part.strip().rpartition("/")[0]
    if before and run and figures.short_id(before.rpartition("/")[2]) != run:
        raise UsageError(f"{part!r} is of the run {before}, and this is {run}: show that run.")
    name = _name(part)
    found = tuple(i for i in latest.values() if name in (node_of(spec, i), figures.place(i.id)))
    known = [*_written(spec, items), *(row.node for row in _removals(items))]
    if not found and name not in known:
        close = get_close_matches(name, known, NAMED)
        some = f"{'perhaps' if close else 'such as'} {', '.join(close or known[:NAMED])}"
        number = figures.count(len(dict.fromkeys(known)), "question")
        raise UsageError(f"No question and no step of this run is called {name!r}: it has {number}, {some}.")
    return found


def _name(part: str) -> str:
    return part.strip().rpartition("/")[2]


def node_of(spec: DepthQABuildSpec, item: BuildItem) -> str:
    """The question that a step is about; empty for what is about all of them."""
    if isinstance(item, Classified):
        return spec.questions[item.tree].id if item.tree < len(spec.questions) else ""
    return "" if isinstance(item, Sifted) else item.node


def _written(spec: DepthQABuildSpec, items: Sequence[BuildItem]) -> dict[str, tuple[str, str]]:
    """Question → its text and reference as they were last: brought, asked openly, or left after sifting."""
    found = {source.id: (source.question, source.reference) for source in spec.questions}
    for item in items:
        if isinstance(item, Sifted):
            found |= {node.id: (node.question, node.reference) for node in item.nodes}
        elif isinstance(item, ReferenceWritten) and item.node in found:
            found[item.node] = (found[item.node][0], item.text)
        elif isinstance(item, Rewritten):
            found[item.node] = (item.text or item.before, found.get(item.node, ("", ""))[1])
    return found


def _removals(items: Sequence[BuildItem]) -> list[Removal]:
    rows = [row for item in items if isinstance(item, Sifted) for row in item.removed]
    return list({(row.node, row.reason): row for row in rows}.values())


def _last_nodes(items: Sequence[BuildItem]) -> tuple[QuestionNode, ...]:
    sifted = [item for item in items if isinstance(item, Sifted)]
    return sifted[-1].nodes if sifted else ()


def _removal(row: Removal) -> Text:
    like = "" if row.similarity is None else f" (likeness {figures.score(row.similarity)})"
    more = f", like {row.like}{like}: {row.like_question}" if row.like else ""
    return Text.assemble(("taken out: ", "dim"), (one_line(f"{row.node}: {row.reason}{more}"), STYLES["warning"]))


def _kept(node: QuestionNode) -> RenderableType:
    below = f", builds on {', '.join(one_line(name) for name in node.predecessors)}" if node.predecessors else ""
    return field("in the graph", f"D{node.depth}{below}", depth=0)


def _step(item: BuildItem) -> list[RenderableType]:
    built = built_of(item)
    head = Text.assemble((f"{SIGNS[built.style]} ", STYLES[built.style]), (one_line(figures.place(item.id)), "bold"))
    return [head.append(f" · {item.type} · {figures.duration(item.elapsed_s)}", "dim")]


def _body(item: BuildItem) -> list[RenderableType]:
    """What came of the step, word for word."""
    if item.fault is not None:
        return fault_lines(item.fault)
    match item:
        case Classified():
            return [field(f"depth {item.depth}", item.reason)]
        case ReferenceWritten():
            return [field("reference", item.text)]
        case Deconstructed():
            return _questions(item)
        case Rewritten():
            return [field("before", item.before), field("after", item.text or f"none: {item.dropped}")]
        case Sifted():
            return [line(Text(sifted_words(item))), *(line(_removal(row)) for row in item.removed)]
        case RelationChecked():
            missing = [field("missing", item.missing)] if item.missing.strip() else []
            ratings = [line(Text(f"{one_line(name)}: {rating}")) for name, rating in item.implicit.items()]
            return [line(Text(relation_words(item))), *missing, *ratings]


def _questions(item: Deconstructed) -> list[RenderableType]:
    kinds = [field("the question asks for", ", ".join(item.reasoning))] if item.reasoning else []
    lines: list[RenderableType] = []
    for number, sub in enumerate(item.questions, start=1):
        lines += [field(f"{number}", sub.question, "bold"), field("reference", sub.reference, depth=2)]
    return [*kinds, *lines] if lines else [*kinds, line(Text("no question", "dim"))]
