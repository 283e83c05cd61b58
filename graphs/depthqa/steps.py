"""How the steps of asking a graph of questions are shown, and those of building one."""

from collections.abc import Iterator, Sequence
from functools import partial

from ...reports.page import figures
from ...reports.page.rows import STYLES
from ...reports.page.sanitise import model_name
from ...reports.progress import RunProgress
from ...reports.step import (
    Count,
    Field,
    PartName,
    RunContext,
    StepStatus,
    StepView,
    view_of,
)
from ...reports.views.steps import Figure, Steps, measured, no_words
from ...reports.views.texts import answer_fields
from ...state.depthqa.build import (
    Classified,
    Deconstructed,
    ReferenceWritten,
    RelationChecked,
    Rewritten,
    Sifted,
)
from ...state.depthqa.items import HIGH, DepthAnswer, Rating
from ...state.events import TreeClosed
from ...state.items import BuildItem, DepthQAItem
from ...state.question_graph import QuestionGraph
from ..planned import planned
from .min_k import min_k

NO_GRAPH = QuestionGraph.model_construct(nodes=())


def status_of(score: float | None) -> StepStatus:
    """From 4 on right, below 3 wrong."""
    if score is None:
        return "unscored"
    return "correct" if score >= HIGH else "partial" if score >= 3 else "wrong"


def _graph(scene: RunContext) -> QuestionGraph:
    """Of a run whose questions are not known an empty graph."""
    return scene.material.graph if scene.material else NO_GRAPH


def _size(scene: RunContext) -> list[str]:
    trees, questions = len(_graph(scene).trees), len(_graph(scene).holders)
    sizes = f"{figures.count(trees, 'tree')}, {figures.count(questions, 'question')}"
    return [", ".join(scene.spec.modes), *([sizes] if trees else [])]


def _tree_name(scene: RunContext, index: int) -> PartName:
    trees = _graph(scene).trees
    root = trees[index].root if index < len(trees) else ""
    return PartName(f"t{index + 1:03d}", root, _question(scene, root))


def _question(scene: RunContext, name: str) -> str:
    """A node's question; empty where it is not known."""
    node = _graph(scene).by_id.get(name)
    return node.question if node else ""


def _step(item: DepthQAItem, scene: RunContext) -> StepView:
    text = _question(scene, item.nodes[0]) if item.nodes else ""
    if isinstance(item, Rating):
        return _rating(item, scene, text)
    return view_of(
        item,
        "done",
        title="answer" if item.scored else "answer, only asked for to be quoted, not rated",
        said="answered",
        text=text,
        fields=partial(_answer_fields, item, scene),
        seen="trace",
    )


def _rating(item: Rating, scene: RunContext, text: str) -> StepView:
    judge = f"judge ({model_name(item.judge)})" if item.judge else "no model was called"
    score = "unscored" if item.score is None else f"{item.score} of 5"
    count = Count(f"{item.mode} unscored", "unscored")
    if item.score is not None:
        count = Count(item.mode, "", 1, item.score)
    return view_of(
        item,
        status_of(item.score),
        title=score,
        name=figures.place(item.id).removesuffix("@score"),
        said=score,
        text=text,
        fields=lambda: (Field(judge, item.reason),) if item.fault is None else (),
        depth=1,
        counts=(count,),
    )


def _answer_fields(item: DepthAnswer, scene: RunContext) -> Iterator[Field]:
    """Which conversation it is a turn of, and what was asked and answered, word for word."""
    if item.conversation is not None:
        yield Field("", f"a turn of the conversation that leads to {item.conversation}", "dim")
        yield Field("question", _question(scene, item.nodes[0]), "bold")
    if item.fault is not None:
        return
    yield from answer_fields(item.answer)
    value = min_k(item.answer.logprobs) if item.answer is not None else None
    if value is not None:
        yield Field("Min-K%", figures.number(value))


def _closed(event: TreeClosed, scene: RunContext) -> tuple[str, Sequence[Count]]:
    """`mean 4.38 (12) · unscored 2`, all ways of asking together."""
    marks = event.depths.values()
    scored = sum(mark.scored for mark in marks)
    unscored = sum(mark.unscored for mark in marks)
    mean = figures.number(sum(mark.total for mark in marks) / scored if scored else None)
    loss = f"unscored {unscored:,}" if unscored else ""
    return figures.joined([f"mean {mean} ({scored:,})", loss]), ()


def _figures(run: RunProgress) -> list[Figure]:
    """Mean scores so far by way of asking."""
    modes = run.scene.spec.modes if run.scene else ("zero-shot",)
    rated = sum(run.tallies[mode].number for mode in modes)
    lost = f"{run.lost:,} lost to faults" if run.lost else ""
    means = {mode: figures.number(run.tallies[mode].mean) for mode in modes}
    return [
        Figure(f"{rated:,} rated"),
        Figure(lost),
        *(measured(f"mean {mode}", mean, mode) for mode, mean in means.items()),
    ]


# what stands above the steps of a question


def _head(scene: RunContext, part: str) -> list[Field]:
    """The node, its question and reference, and its neighbours."""
    graph = _graph(scene)
    if part not in graph.by_id:
        return []
    node = graph.by_id[part]
    tree = _tree_name(scene, graph.tree_of[part])
    place = f"tree {tree.name} of {tree.about}"
    notes = [f"D{node.depth}", place, node.domain, ", ".join(node.reasoning)]
    fields = [
        Field(part, figures.joined(notes)),
        Field("question", node.question, "bold"),
        Field("reference", node.reference),
    ]
    neighbours = {"leads to": graph.successors[part], "builds on": node.predecessors}
    for title, names in neighbours.items():
        fields += [Field(title, f"{name} · {_question(scene, name)}") for name in names]
    return fields


STEPS = Steps(
    step=_step,
    part="tree",
    named=_tree_name,
    parts=lambda scene: len(_graph(scene).trees),
    planned=planned,
    legend={
        "correct": "4–5",
        "partial": "3",
        "wrong": "1–2",
        "unscored": "unscored",
    },
    figures=_figures,
    size=_size,
    closed=_closed,
    ending=lambda spec: {"no_questions": "no answer could be scored"},
    head=_head,
    kinds="mode",
    kind=lambda item, scene: item.mode,
)


# building a graph


def _build_step(item: BuildItem, scene: RunContext) -> StepView:
    is_good, words, fields = _outcome(item) if item.fault is None else (False, "", ())
    questions = len(item.questions) if isinstance(item, Deconstructed) else 0
    return view_of(
        item,
        "correct" if is_good else "rejected",
        title=item.type,
        said=words,
        fields=lambda: (Field("", words), *fields) if words else (),
        counts=(Count("written", "", questions),),
    )


def _outcome(item: BuildItem) -> tuple[bool, str, Sequence[Field]]:
    """What came of a step: whether it can be used, in words, and what else there is to read."""
    match item:
        case Classified():
            return item.depth == 3, f"depth {item.depth}: {item.reason}", ()
        case ReferenceWritten():
            return True, f"reference written: {item.text}", ()
        case Deconstructed():
            questions = figures.count(len(item.questions), "question")
            depth = "to fill a gap" if item.gap else "one depth below"
            fields = list[Field]()
            for number, sub in enumerate(item.questions, start=1):
                fields.append(Field(f"{number}", sub.question, "bold"))
                fields.append(Field("reference", sub.reference))
            return bool(item.questions), f"{questions} {depth}", fields
        case Rewritten():
            after = item.text or f"none: {item.dropped}"
            return bool(item.text), f"{item.before} → {after}", ()
        case Sifted():
            questions = figures.count(len(item.nodes), "question")
            gaps = figures.count(sum(item.gaps.values()), "gap")
            words = f"{questions} left, {len(item.removed):,} taken out, {gaps}"
            removed = [f"{row.node}: {row.reason} {row.like}" for row in item.removed]
            return (
                True,
                words,
                [Field("taken out", text, STYLES["warning"]) for text in removed],
            )
        case RelationChecked():
            ratings = [f"{name} {rating}" for name, rating in item.implicit.items()]
            words = figures.joined([str(item.comprehensive), *ratings], ", ")
            return True, words, [Field("missing", item.missing)]


def _build_figures(run: RunProgress) -> list[Figure]:
    number = f"{run.tallies['written'].number:,}"
    lost = f"{run.lost:,} lost to faults" if run.lost else ""
    row = Figure(f"{number} questions written", number, "written")
    return [Figure(lost), row]


def _sources(scene: RunContext) -> list[str]:
    return [source.id for source in scene.spec.questions]


def _build_head(scene: RunContext, part: str) -> list[Field]:
    sources = [source for source in scene.spec.questions if source.id == part]
    return [Field(part, source.question, "bold") for source in sources]


BUILD_STEPS = Steps(
    step=_build_step,
    part="question",
    closes=False,
    roles=no_words,
    named=lambda scene, index: PartName(_sources(scene)[index]),
    parts=lambda scene: len(_sources(scene)),
    planned=planned,
    figures=_build_figures,
    size=lambda scene: [f"{figures.count(len(_sources(scene)), 'question')} to break down"],
    target=lambda target: f"evaluator {model_name(target)}",
    ending=lambda spec: {
        "no_questions": "no question could be broken down",
        "all_asked": "every question was broken down",
    },
    head=_build_head,
)
