"""Building a DepthQA graph step by step: questions are taken apart, asked openly, sifted, and their
relations rated."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain

from .....graphs.planned import planned
from .....state.depthqa.build import (
    Classified,
    Deconstructed,
    ReferenceWritten,
    RelationChecked,
    Removal,
    Rewritten,
    Sifted,
)
from .....state.items import BuildItem
from ....page import figures
from ....page.rows import STYLES
from ....page.sanitise import model_name, one_line
from ....progress import RunProgress
from ....step import Count, Field, PartName, RunContext, StepStatus, StepView, view_of
from ...steps import Figure, Steps

KINDS = {
    "classified": "classified",
    "reference": "references",
    "deconstructed": "broken down",
    "rewritten": "reworded",
    "sifted": "sifted",
    "relation": "relations rated",
}
"""What the steps are called when they are counted, in their order."""
HEADS = {
    "deconstructed": "broken down",
    "relation": "relations",
    "written": "written",
}
"""What is counted in the table of several runs."""


def _step(item: BuildItem, scene: RunContext) -> StepView:
    mark, said, fields = _told(item) if item.fault is None else ("unscored", "", ())
    written = len(item.questions) if isinstance(item, Deconstructed) else 0
    return view_of(
        item,
        mark,
        title=KINDS[item.type],
        said=said,
        fields=lambda: fields,
        sent_to="evaluator",
        counts=(Count(item.type), Count("written", "", written)),
    )


def _told(item: BuildItem) -> tuple[StepStatus, str, Sequence[Field]]:
    """What came of a step, in a few words, and word for word."""
    match item:
        case Classified():
            good: StepStatus = "correct" if item.depth == 3 else "rejected"
            return (
                good,
                f"depth {item.depth}: {item.reason}",
                [Field(f"depth {item.depth}", item.reason)],
            )
        case ReferenceWritten():
            return "correct", f"reference written: {item.text}", [Field("reference", item.text)]
        case Deconstructed():
            said = (
                f"{figures.count(len(item.questions), 'question')} "
                f"{'to fill a gap' if item.gap else 'one depth below'}"
            )
            return ("correct" if item.questions else "rejected"), said, [*_parts(item)]
        case Rewritten():
            after = (
                f"{item.before} → {item.text}" if item.text else f"{item.before}: {item.dropped}"
            )
            both = [
                Field("before", item.before),
                Field("after", item.text or f"none: {item.dropped}"),
            ]
            return ("correct" if item.text else "rejected"), after, both
        case Sifted():
            said = _sifted_words(item)
            return "correct", said, [Field("", said), *(_removal(row, 1) for row in item.removed)]
        case RelationChecked():
            counted = Counter(item.implicit.values())
            implicit = ", ".join(f"{number} {name}" for name, number in counted.items())
            said = figures.joined([str(item.comprehensive), implicit], "; ")
            missing = [Field("missing", item.missing)] if item.missing.strip() else []
            ratings = [Field("", f"{name}: {rating}") for name, rating in item.implicit.items()]
            return "correct", said, [Field("", said), *missing, *ratings]


def _sifted_words(item: Sifted) -> str:
    """`43 questions are left, 5 taken out, 2 gaps`."""
    gaps = sum(item.gaps.values())
    left = figures.count(len(item.nodes), "question is left", "questions are left")
    out = f"{len(item.removed):,} taken out" if item.removed else ""
    holes = figures.count(
        gaps, "gap stays" if item.settled else "gap", "gaps stay" if item.settled else "gaps"
    )
    return figures.joined([left, out, holes if gaps else ""], ", ")


def _parts(item: Deconstructed) -> Iterator[Field]:
    if item.reasoning:
        yield Field("the question asks for", ", ".join(item.reasoning))
    for number, sub in enumerate(item.questions, start=1):
        yield Field(f"{number}", sub.question, "bold")
        yield Field("reference", sub.reference, depth=2)
    if not item.questions:
        yield Field("", "no question", "dim")


def _removal(row: Removal, depth: int) -> Field:
    like = "" if row.similarity is None else f" (likeness {figures.score(row.similarity)})"
    more = f", like {row.like}{like}: {row.like_question}" if row.like else ""
    return Field("taken out", one_line(f"{row.node}: {row.reason}{more}"), STYLES["warning"], depth)


# the run as a whole


def _sources(scene: RunContext) -> int:
    return len(scene.spec.questions)


def _figures(run: RunProgress) -> list[Figure]:
    """How many steps there are of each kind, and what they have written."""
    counted = [Figure(f"{run.lost:,} lost to faults" if run.lost else "")]
    for kind, words in {**KINDS, "written": "questions written"}.items():
        number = run.tallies[kind].number
        said = f"{words} {number:,}" if number else ""
        head = HEADS.get(kind, "")
        counted.append(Figure(said, f"{number:,}", head, len(head), wide=kind == "relation"))
    return counted


# the path to a step


def node_of(item: BuildItem, scene: RunContext) -> str:
    """The question that a step is about; empty for what is about all of them."""
    if isinstance(item, Classified):
        return scene.spec.questions[item.tree].id if item.tree < _sources(scene) else ""
    return "" if isinstance(item, Sifted) else item.node


def _at(item: BuildItem, scene: RunContext) -> list[tuple[str, str]]:
    place = figures.place(item.id)
    return [(node_of(item, scene) or place, place.partition("@")[2])]


def _texts(scene: RunContext) -> dict[str, tuple[str, str]]:
    """Question → its text and reference as they were last: brought, asked openly, or left after
    sifting."""
    found = {source.id: (source.question, source.reference) for source in scene.spec.questions}
    for item in scene.items.values():
        if isinstance(item, Sifted):
            found |= {node.id: (node.question, node.reference) for node in item.nodes}
        elif isinstance(item, ReferenceWritten) and item.node in found:
            found[item.node] = (found[item.node][0], item.text)
        elif isinstance(item, Rewritten):
            found[item.node] = (item.text or item.before, found.get(item.node, ("", ""))[1])
    return found


def _removals(scene: RunContext) -> list[Removal]:
    rows = chain.from_iterable(item.removed for item in _sifted(scene))
    return list({(row.node, row.reason): row for row in rows}.values())


def _names(scene: RunContext) -> dict[str, str]:
    names = [*_texts(scene)]
    names += [row.node for row in _removals(scene)]
    names += [figures.place(item.id) for item in _sifted(scene)]
    return {name: name for name in names}


def _sifted(scene: RunContext) -> list[Sifted]:
    return [item for item in scene.items.values() if isinstance(item, Sifted)]


def _head(scene: RunContext, part: str, step: str, found: Sequence[str]) -> list[Field]:
    question, reference = _texts(scene).get(part, ("", ""))
    fields = [Field("", part, "bold", 0)]
    fields += [Field("question", question, "bold", 0)] if question else []
    fields += [Field("reference", reference, "", 0)] if reference else []
    fields += [_removal(row, 0) for row in _removals(scene) if row.node == part]
    for node in chain.from_iterable(item.nodes for item in _sifted(scene)[-1:]):
        if node.id == part:
            below = f", builds on {', '.join(node.predecessors)}" if node.predecessors else ""
            fields.append(Field("in the graph", f"D{node.depth}{below}", "", 0))
    return fields


STEPS = Steps(
    step=_step,
    part="question",
    closes=False,
    named=lambda scene, index: PartName(
        scene.spec.questions[index].id if 0 <= index < _sources(scene) else ""
    ),
    parts=_sources,
    planned=lambda scene, index: planned(scene, index) if 0 <= index < _sources(scene) else 0.0,
    legend={
        "correct": "done",
        "rejected": "taken out",
        "unscored": "lost to a fault",
    },
    figures=_figures,
    size=lambda scene: [f"{figures.count(_sources(scene), 'question')} to break down"],
    target=lambda target: f"evaluator {model_name(target)}",
    kept=(Sifted,),
    ending=lambda spec: {
        "no_questions": "no question could be broken down",
        "all_asked": "every question was broken down",
    },
    names=_names,
    at=_at,
    head=_head,
)
