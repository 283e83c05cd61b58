"""Asking a graph of questions step by step: an answer, and the judge's score for it."""

from collections.abc import Iterator, Sequence
from functools import partial

from ....graphs.depthqa.min_k import min_k
from ....graphs.planned import calls_of
from ....state.depthqa.items import MODES, DepthAnswer, Mode, QuestionGraph, Rating
from ....state.depthqa.spec import DepthQASpec
from ....state.events import TreeClosed
from ....state.items import DepthQAItem
from ...page import figures
from ...page.rows import clip
from ...page.sanitise import model_name, one_line
from ...progress import RunProgress
from ...step import Count, Field, PartName, RunContext, StepStatus, StepView, view_of
from ..steps import Figure, Steps, measured
from ..texts import answer_fields
from .figures import sign_of, target_words

QUESTION = 70
"""Cells of a neighbour's question."""
LEVELS = ("D1", "D2", "D3", "all")
SIGNED: dict[str, StepStatus] = {
    "✓": "correct",
    "~": "partial",
    "✗": "wrong",
    "?": "unscored",
}


NO_GRAPH = QuestionGraph.model_construct(nodes=())


def _graph(scene: RunContext) -> QuestionGraph:
    """Of a scene without one an empty graph."""
    return scene.material.graph if scene.material else NO_GRAPH


def _size(scene: RunContext) -> list[str]:
    graph = _graph(scene)
    sizes = (
        f"{figures.count(len(graph.trees), 'tree')}, "
        f"{figures.count(len(graph.holders), 'question')}"
    )
    return [", ".join(scene.spec.modes), *([sizes] if graph.trees else [])]


def _named(scene: RunContext, index: int) -> PartName:
    trees = _graph(scene).trees
    root = trees[index].root if index < len(trees) else ""
    return PartName(f"t{index + 1:03d}", root, _question(scene, root))


def _question(scene: RunContext, node_id: str) -> str:
    """A node's question; empty where it is not known."""
    node = _graph(scene).by_id.get(node_id)
    return node.question if node else ""


def _planned(scene: RunContext, index: int) -> float:
    """Answers that are given count as steps too: they are handed in, not asked for."""
    if scene.material is None:
        return 0.0
    trees = calls_of(scene).trees
    return (
        len(trees[index]) + sum(each.scored for each in trees[index]) if index < len(trees) else 0.0
    )


# a step


def _step(item: DepthQAItem, scene: RunContext) -> StepView:
    text = _question(scene, item.nodes[0]) if item.nodes else ""
    if isinstance(item, Rating):
        return _rating(item, scene, text)
    fields, title = partial(_answered, item, scene), "answer"
    title += "" if item.scored else ", only asked for to be quoted, not rated"
    return view_of(
        item,
        "done",
        title=title,
        said="answered",
        text=text,
        fields=fields,
        sent_to="target",
        seen="trace",
    )


def _rating(item: Rating, scene: RunContext, text: str) -> StepView:
    mark = SIGNED[sign_of(item.score)[0]]
    judge = f"judge ({model_name(item.judge)})" if item.judge else "no model was called"
    score = "unscored" if item.score is None else f"{item.score} of 5"
    return view_of(
        item,
        mark,
        title=f"scores {score}" if item.score is not None else score,
        name=figures.place(item.id).removesuffix("@score"),
        about=f"and {figures.count(len(item.nodes) - 1, 'node')} more"
        if len(item.nodes) > 1
        else "",
        said=score,
        text=text,
        fields=lambda: (Field(judge, item.reason),) if item.fault is None else (),
        sent_to="judge",
        depth=1,
        counts=tuple(_counts(item, scene)),
    )


def _counts(item: Rating, scene: RunContext) -> Iterator[Count]:
    """The score, at each depth of its nodes and over all. A turn of several conversations counts
    with its mean."""
    if item.score is None:
        yield Count(f"{item.mode} unscored", "unscored")
        return
    known = _graph(scene).by_id
    depths = sorted({known[node].depth for node in item.nodes if node in known})
    unit = item.nodes[0] if item.mode == "multi-turn" else ""
    for level in (*(f"D{depth}" for depth in depths), "all"):
        yield Count(f"{item.mode} {level}", "", 1, item.score, unit)


def _answered(item: DepthAnswer, scene: RunContext) -> Iterator[Field]:
    """Which turn of which conversation it is, and what was asked and said there, word for word."""
    graph = _graph(scene)
    if item.conversation in graph.by_id:
        turns, node = turns_of(scene, item.conversation or ""), item.nodes[0]
        number = turns.index(node) + 1 if node in turns else len(turns)
        yield Field(
            "",
            f"turn {number} of {len(turns)} of the conversation that leads to {item.conversation}",
            "dim",
        )
        if node in graph.by_id:
            yield Field("question", graph.by_id[node].question, "bold")
    if item.fault is not None:
        return
    yield from answer_fields(item.answer)
    value = min_k(item.answer.logprobs) if item.answer is not None else None
    if value is not None:
        yield Field("Min-K%", figures.number(value))


# a tree


def _closed(event: TreeClosed, scene: RunContext) -> tuple[str, Sequence[Count]]:
    """`mean 4.38 (12) · unscored 2`, all ways of asking together."""
    marks = event.depths.values()
    scored = sum(mark.scored for mark in marks)
    unscored = sum(mark.unscored for mark in marks)
    mean = figures.NONE
    if scored:
        mean = figures.number(sum(mark.total for mark in marks) / scored)
    loss = f"unscored {unscored:,}" if unscored else ""
    return figures.joined([f"mean {mean} ({scored:,})", loss]), ()


def _figures(run: RunProgress) -> list[Figure]:
    """Mean scores so far, in zero-shot or (without it) the first mode."""
    modes = run.scene.spec.modes if run.scene else ("zero-shot",)
    main = "zero-shot" if "zero-shot" in modes else modes[0]
    rated = sum(run.tallies[f"{mode} all"].number for mode in modes)
    lost = f"{run.lost:,} lost to faults" if run.lost else ""
    counted = [
        Figure(f"{rated:,} rated", f"{rated:,}", "rated", 6, wide=True),
        Figure(lost, f"{run.lost:,}", "?", 4, wide=True),
    ]
    for level in LEVELS:
        mean = figures.number(run.tallies[f"{main} {level}"].mean)
        counted.append(measured(f"mean {level}", mean, level, wide=level != "all"))
    return counted


# the path to a step


def turns_of(scene: RunContext, node: str) -> tuple[str, ...]:
    """The turns of the conversation that leads to a node, in order; none where there is no
    conversation. The node itself is its last turn where it leads to nothing further."""
    graph = _graph(scene)
    return (*graph.by_id[node].predecessors, *(() if graph.successors[node] else (node,)))


def _names(scene: RunContext) -> dict[str, str]:
    """A node by its id, by the published dataset's name of its question, and a tree by its
    number."""
    graph = _graph(scene)
    trees = {f"t{number:03d}": tree.root for number, tree in enumerate(graph.trees, start=1)}
    questions = {node.question_id: node.id for node in reversed(graph.nodes) if node.question_id}
    return questions | trees | {node.id: node.id for node in graph.nodes}


def _at(item: DepthQAItem, scene: RunContext) -> Iterator[tuple[str, str]]:
    """A turn belongs to its own question, and to the conversation that leads to another."""
    yield from ((node, item.mode) for node in item.nodes)
    if item.conversation is not None:
        yield from ((item.conversation, f"{item.mode}@{node}") for node in item.nodes)


def _order(item: DepthQAItem, scene: RunContext, part: str) -> tuple[int, int, str, int, int]:
    """By mode; the conversation that leads to the node first, its turns in order; an answer before
    its rating."""
    ends = item.conversation or ""
    turns = turns_of(scene, ends) if ends in _graph(scene).by_id else ()
    turn = next((number for number, node in enumerate(turns) if node in item.nodes), 0)
    is_rating = not isinstance(item, DepthAnswer)
    return MODES.index(item.mode), ends != part, ends, turn, is_rating


def _head(scene: RunContext, part: str, step: str, found: Sequence[str]) -> list[Field]:
    """The node's place, question, reference and neighbours."""
    spec: DepthQASpec = scene.spec
    graph, node = _graph(scene), _graph(scene).by_id[part]
    notes = [
        f"D{node.depth}",
        f"tree t{graph.tree_of[node.id] + 1:03d} of {graph.trees[graph.tree_of[node.id]].root}",
        node.domain,
        ", ".join(node.reasoning),
        "written to fill a gap" if node.augmented else "",
        f"question {node.question_id}" if node.question_id else "",
    ]
    fields = [
        Field(node.id, figures.joined(notes), "", 0),
        Field("question", node.question, "bold", 0),
    ]
    fields.append(Field("reference", node.reference, "", 0))
    same = [name for name in graph.holders[graph.first_of[node.id]] if name != node.id]
    fields += [Field("the same question", ", ".join(same), "", 0)] if same else []
    mode = next((mode for mode in MODES if step.startswith(mode)), None)
    for title, names in (("leads to", graph.successors[node.id]), ("builds on", node.predecessors)):
        if names:
            fields += [
                Field("", f"{title}:", "dim", 0),
                *(_neighbour(scene, name, mode) for name in names),
            ]
    asked = target_words(spec.target) if spec.given else f"asked {target_words(spec.target)}"
    fields.append(Field("", f"{asked}, judged by {model_name(spec.judge)}", "dim", 0))
    return fields


def _neighbour(scene: RunContext, name: str, mode: Mode | None) -> Field:
    """`✓ 1_d2_n1 (D2) zero-shot 4, multi-turn 3.50 · By which steps …`."""
    node, held = _graph(scene).by_id[name], dict[Mode, list[int]]()
    for item in scene.items.values():
        if (
            isinstance(item, Rating)
            and item.score is not None
            and name in item.nodes
            and mode in (None, item.mode)
        ):
            held.setdefault(item.mode, []).append(item.score)
    means = {m: sum(held[m]) / len(held[m]) for m in scene.spec.modes if m in held}
    sign = sign_of(next(iter(means.values()), None))[0]
    words = (
        ", ".join(f"{each} {figures.number(value)}" for each, value in means.items()) or "no score"
    )
    question = clip(one_line(node.question[: 8 * QUESTION]), QUESTION)
    return Field("", f"{sign} {name} (D{node.depth}) {words} · {question}")


STEPS = Steps(
    step=_step,
    part="tree",
    named=_named,
    parts=lambda scene: len(_graph(scene).trees),
    planned=_planned,
    legend={
        "correct": "4–5",
        "partial": "3",
        "wrong": "1–2",
        "unscored": "unscored",
    },
    figures=_figures,
    roles=lambda scene: [f"judge {model_name(scene.spec.judge)}"],
    size=_size,
    closed=_closed,
    target=target_words,
    ending=lambda spec: {
        "no_questions": "no answer could be scored",
        **({"all_asked": "every answer was judged"} if spec.given else {}),
    },
    names=_names,
    at=_at,
    spelling=lambda path: path.removesuffix("@score"),
    order=_order,
    head=_head,
    kinds="mode",
    kind=lambda item, scene: item.mode,
)
