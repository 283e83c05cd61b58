"""A node of a DepthQA run: its place in the graph, what it asks, what was said word for word, and the judge's view."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from rich.console import Group, RenderableType
from rich.text import Text

from ....state.depthqa.items import PROMPT_MODES, DepthAnswer, Mode, QuestionGraph, Rating
from ....state.depthqa.spec import DepthQASpec
from ....state.items import DepthQAItem
from ....stats.depthqa.scores import min_k
from ...page import figures
from ...page.rows import STYLES, clip
from ...page.sanitise import model_name, one_line
from ...trace import fault_lines, field, line, pointed_out, sent_lines
from .figures import plain_score, sign_of, target_words
from .paths import Place, items_at, place_of, turns_of

QUESTION = 70
"""Cells of a neighbour's question."""


class _Said(NamedTuple):
    """An answer and what the judge says of it, as far as they are there."""

    answer: DepthAnswer | None
    rating: Rating | None

    @property
    def item(self) -> DepthQAItem:
        return self.answer or self.rating  # type: ignore[return-value]  # one of them is there


@dataclass(frozen=True, slots=True)
class _Scene:
    """What a trace is drawn from."""

    graph: QuestionGraph
    place: Place
    scores: dict[tuple[str, Mode], list[int]]
    prompts: bool


def depthqa_trace(
    spec: DepthQASpec, graph: QuestionGraph, items: Sequence[DepthQAItem], part: str, *, prompts: bool = False
) -> RenderableType:
    """The part of a run that `part` names (see `place_of`), as far as there is of it.

    `prompts`: show every prompt word for word as it was first sent. Raises UsageError for a path that names nothing.
    """
    found = items_at(spec, graph, items, part)
    place = place_of(spec, graph, part)
    scene = _Scene(graph, place, _scores(items), prompts)
    head = f"asked {target_words(spec.target)}, judged by {model_name(spec.judge)}"
    if spec.given:
        head = f"{target_words(spec.target)}, judged by {model_name(spec.judge)}"
    parts: list[RenderableType] = [*_node(spec, scene), Text(head, "dim")]
    said = _paired(found)
    for one in said:
        parts += _answered(one, scene)
    return Group(*parts, *([] if said else [_nothing(scene)]))


def _scores(items: Iterable[DepthQAItem]) -> dict[tuple[str, Mode], list[int]]:
    """(node, mode) → its scores: several where it is a turn of several conversations. Of a repeated id the last."""
    found: dict[tuple[str, Mode], list[int]] = {}
    for item in {item.id: item for item in items}.values():
        if isinstance(item, Rating) and item.score is not None:
            for node in item.nodes:
                found.setdefault((node, item.mode), []).append(item.score)
    return found


def _node(spec: DepthQASpec, scene: _Scene) -> list[RenderableType]:
    """The node's head, question, reference and neighbours."""
    node, graph = scene.graph.by_id[scene.place.node], scene.graph
    root = graph.trees[graph.tree_of[node.id]].root
    notes = [
        f"D{node.depth}",
        f"tree t{graph.tree_of[node.id] + 1:03d} of {one_line(root)}",
        one_line(node.domain),
        ", ".join(one_line(kind) for kind in node.reasoning),
        "written to fill a gap" if node.augmented else "",
        f"question {one_line(node.question_id)}" if node.question_id else "",
    ]
    head = Text.assemble((one_line(node.id), "bold"), f" · {figures.joined(notes)}")
    parts: list[RenderableType] = [head, field("question", node.question, "bold", 0)]
    parts.append(field("reference", node.reference, depth=0))
    same = [one_line(name) for name in graph.holders[graph.first_of[node.id]] if name != node.id]
    parts += [field("the same question", ", ".join(same), depth=0)] if same else []
    for title, names in (("leads to", graph.successors[node.id]), ("builds on", node.predecessors)):
        if names:
            parts += [Text(f"{title}:", "dim"), *(_neighbour(spec, scene, name) for name in names)]
    return parts


def _neighbour(spec: DepthQASpec, scene: _Scene, name: str) -> RenderableType:
    """`✓ 1_d2_n1 (D2) zero-shot 4, multi-turn 3.50 · By which steps …`."""
    node, modes = scene.graph.by_id[name], [scene.place.mode] if scene.place.mode else list(spec.modes)
    held = [(mode, scores) for mode in modes if (scores := scene.scores.get((name, mode)))]
    means = [(mode, float(Fraction(sum(scores), len(scores)))) for mode, scores in held]
    sign, style = sign_of(means[0][1] if means else None)
    words = ", ".join(f"{mode} {plain_score(value)}" for mode, value in means) or "no score"
    question = clip(one_line(node.question[: 8 * QUESTION]), QUESTION)
    text = Text.assemble(
        (f"{sign} ", STYLES[style]), (one_line(name), "bold"), f" (D{node.depth}) {words} · {question}"
    )
    return line(text)


def _paired(items: Iterable[DepthQAItem]) -> list[_Said]:
    """Each answer with its rating, in the order of the items."""
    found: dict[str, _Said] = {}
    for item in items:
        if isinstance(item, DepthAnswer):
            found[item.id] = _Said(item, None)
        else:
            before = found.get(item.of)
            found[item.of] = _Said(before.answer if before else None, item)
    return list(found.values())


def _answered(said: _Said, scene: _Scene) -> list[RenderableType]:
    """One answer, its rating, and where it stands in a conversation."""
    item, answer, rating = said.item, said.answer, said.rating
    score = rating.score if rating is not None else None
    sign, style = sign_of(score)
    place = one_line(figures.place(item.id)).removesuffix("@score")
    notes = [_scored(said), figures.duration(answer.elapsed_s) if answer else ""]
    head = Text.assemble((f"{sign} ", STYLES[style]), (place, "bold"), f" · {figures.joined(notes)}")
    parts: list[RenderableType] = ["", head, *_turn(item, scene)]
    if answer is not None:
        parts += [*(sent_lines(answer.prompt, "sent") if scene.prompts else []), *_words(answer)]
    if rating is not None:
        parts += [*(sent_lines(rating.prompt, "sent to the judge") if scene.prompts else []), *_judged(rating)]
    return parts


def _scored(said: _Said) -> str:
    answer, rating = said
    if rating is not None and rating.score is not None:
        return f"scores {rating.score} of 5"
    if answer is not None and not answer.scored:
        return "only asked for to be quoted, not rated"
    lost = (answer is not None and answer.fault is not None) or (rating is not None and rating.fault is not None)
    return "unscored" if lost else "not rated yet"


def _turn(item: DepthQAItem, scene: _Scene) -> list[RenderableType]:
    """Which turn of which conversation it is, with the question where that is not the node's own."""
    node = item.nodes[0]
    parts: list[RenderableType] = []
    if item.conversation is not None and item.conversation in scene.graph.by_id:
        turns = turns_of(scene.graph, item.conversation)
        number = turns.index(node) + 1 if node in turns else len(turns)
        end = one_line(item.conversation)
        parts.append(line(Text(f"turn {number} of {len(turns)} of the conversation that leads to {end}", "dim")))
    if scene.place.node not in item.nodes and node in scene.graph.by_id:
        parts.append(field("question", scene.graph.by_id[node].question, "bold"))
    return parts


def _words(item: DepthAnswer) -> list[RenderableType]:
    """What was said, word for word."""
    if item.fault is not None:
        return fault_lines(item.fault)
    answer = item.answer
    if answer is None or not answer.text.strip():
        return [line(Text("no answer", "dim"))]
    odd = "" if answer.finish in ("stop", "given") else f" (finish: {one_line(answer.finish)})"
    refused = " (the endpoint marks it as a refusal)" if answer.refusal else ""
    parts = [field(f"answer{odd}{refused}", answer.text), *pointed_out(answer.text)]
    value = min_k(answer.logprobs) if answer.logprobs is not None else None
    return [*parts, *([field("Min-K%", figures.number(value))] if value is not None else [])]


def _judged(rating: Rating) -> list[RenderableType]:
    if rating.fault is not None:
        return fault_lines(rating.fault)
    return [field(f"judge ({model_name(rating.judge)})" if rating.judge else "no model was called", rating.reason)]


def _nothing(scene: _Scene) -> RenderableType:
    """Why there is no answer here."""
    mode, node = scene.place.mode, scene.graph.by_id[scene.place.node]
    if mode in PROMPT_MODES and not node.predecessors:
        return Text(f"It is not asked in {mode}: it has no predecessors to quote.")
    return Text("There is no answer yet: the run has not come to it.")
