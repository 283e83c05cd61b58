"""The figures of a DepthQA run from its answers (METHODS.md, section 4)."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, get_args

from ...state.depthqa.items import (
    DEPTHS,
    LEAST,
    PROMPT_MODES,
    REASONINGS,
    SCALE,
    Mode,
    QuestionGraph,
)
from ...state.depthqa.result import (
    LEVEL_OF,
    Asked,
    Case,
    Change,
    Discrepancies,
    DiscrepancyRow,
    GraphRow,
    LabelRow,
    Level,
    ModeNumbers,
    Neighbour,
    Pair,
    ScoreRow,
)
from ...state.records import Stage
from ...state.rows import AnswerRow
from ...state.spec import DepthQASpec
from ..estimates import mean
from .answers import stage_of
from .min_k import min_k_missing, min_k_numbers
from .nodes import (
    MOST,
    Direction,
    Gap,
    Node,
    Nodes,
    discrepancy_row,
    gaps,
    neighbours,
    nodes_of,
    score_row,
)

_DEEPER: dict[Pair, int] = {"D2 → D3": 3, "D1 → D2": 2}
"""Pair of depths → the deeper one."""
MOST_CASES = 10
"""Cases that are told of in each direction."""


def figures_of(
    spec: DepthQASpec, graph: QuestionGraph, answers: Sequence[Asked], rows: Sequence[AnswerRow]
) -> dict[str, Any]:
    """Every field of `DepthQAResult` that rests on answers or the graph, by its name there.
    `rows`: of the answers."""
    modes = {mode: nodes_of(row for row in rows if row.condition == mode) for mode in spec.modes}
    main: Mode = "zero-shot" if "zero-shot" in modes else spec.modes[0]
    shown = modes[main]
    changed = list[Change]()
    for mode, nodes in modes.items():
        changed += changes(mode, shown, nodes) if mode != main == "zero-shot" else []
    domains = {name: [graph.by_id[name].domain] for _, name in shown}
    reasoning = {name: graph.by_id[name].reasoning for _, name in shown}
    return {
        "graph": graph_row(graph),
        "modes": tuple(_mode_numbers(spec, mode, modes[mode], answers) for mode in modes),
        "by_domain": _by_label(shown, domains),
        "by_reasoning": _by_label(shown, reasoning, REASONINGS),
        "changes": tuple(changed),
        "cases": (*_worst(main, shown, "backward"), *_worst(main, shown, "forward")),
        "answers": answers,
    }


def _mode_numbers(
    spec: DepthQASpec, mode: Mode, nodes: Nodes, answers: Iterable[Asked]
) -> ModeNumbers:
    """The figures of one way of asking."""
    own = [answer for answer in answers if answer.mode == mode]
    faults, memorised = Counter(map(stage_of, own)), min_k_numbers(nodes)
    silent = [one for one in own if not one.answer.strip() and not one.refused]
    return ModeNumbers(
        mode=mode,
        accuracy=accuracy(mode, nodes),
        discrepancies=Discrepancies(
            forward=_by_pair(gaps(nodes, "forward"), 0),
            backward=_by_pair(gaps(nodes, "backward"), 1),
        ),
        unscored={stage: faults[stage] for stage in get_args(Stage) if faults[stage]},
        refusals=sum(answer.refused for answer in own),
        silent=sum(answer.score is not None for answer in silent),
        min_k=memorised,
        min_k_missing=min_k_missing(spec) if memorised is None else None,
    )


def accuracy(mode: Mode, nodes: Nodes) -> dict[Level, ScoreRow]:
    """By depth and overall; in the prompt modes without depth 1."""
    rows = dict[Level, ScoreRow]()
    for depth in _depths(mode):
        answers = _at(nodes.values(), depth)
        rows[LEVEL_OF[depth]] = score_row(answers)
    rows["overall"] = score_row(nodes.values())
    return rows


def _depths(mode: Mode) -> list[int]:
    return [depth for depth in DEPTHS if depth > 1 or mode not in PROMPT_MODES]


def _at(nodes: Iterable[Node], depth: int) -> list[Node]:
    return [node for node in nodes if node.depth == depth]


def _by_pair(measured: Sequence[Gap], above: int) -> dict[Pair, DiscrepancyRow]:
    """By pair of depths and pooled. `above`: by how much the deeper of a pair lies above the nodes
    that are counted."""
    rows: dict[Pair, DiscrepancyRow] = {}
    for pair, deeper in _DEEPER.items():
        rows[pair] = discrepancy_row([gap for gap in measured if gap.node.depth + above == deeper])
    return {**rows, "overall": discrepancy_row(measured)}


def _by_label(
    nodes: Nodes, labels: Mapping[str, Collection[str]], order: Sequence[str] = ()
) -> tuple[LabelRow, ...]:
    """Labels in their order, others as they first appear; a node counts under each of its labels,
    and a depth at which a label has no question has no row."""
    forward, backward = gaps(nodes, "forward"), gaps(nodes, "backward")
    places = {name: place for place, name in enumerate(order)}
    every = dict.fromkeys(label for own in labels.values() for label in own if label)
    rows = []
    for label in sorted(every, key=lambda name: places.get(name, len(places))):
        own = [node for node in nodes.values() if label in labels[node.name]]
        names = {node.name for node in own}
        levels = {LEVEL_OF[depth]: score_row(_at(own, depth)) for depth in DEPTHS}
        scores: dict[Level, ScoreRow] = {**levels, "overall": score_row(own)}
        rows.append(
            LabelRow(
                label=label,
                accuracy={level: row for level, row in scores.items() if row.questions},
                forward=discrepancy_row([gap for gap in forward if gap.node.name in names]),
                backward=discrepancy_row([gap for gap in backward if gap.node.name in names]),
            )
        )
    return tuple(rows)


def changes(mode: Mode, base: Nodes, nodes: Nodes) -> list[Change]:
    """A mode against `base`, the zero-shot scores, over the nodes that have both; by depth and
    overall."""
    both = []
    for key, node in nodes.items():
        before = base[key].score if key in base else None
        if node.score is not None and before is not None:
            both.append((node, float(before), float(node.score)))
    rows = []
    for depth in _depths(mode):
        own = [one for one in both if one[0].depth == depth]
        rows.append(_change(mode, LEVEL_OF[depth], own))
    return [*rows, _change(mode, "overall", both)]


def _change(mode: Mode, level: Level, both: Sequence[tuple[Node, float, float]]) -> Change:
    """`both`: node, score in zero-shot and in the mode."""
    difference = mean([(node.group, after - before) for node, before, after in both], -SCALE, SCALE)
    return Change(
        mode=mode,
        level=level,
        nodes=len(both),
        zero_shot=mean([(node.group, before) for node, before, _ in both], LEAST, MOST).value,
        score=mean([(node.group, after) for node, _, after in both], LEAST, MOST).value,
        difference=difference.value,
        ci=difference.interval,
    )


# the nodes whose score falls furthest short of their neighbours', with what was answered


def _worst(mode: Mode, nodes: Nodes, direction: Direction) -> list[Case]:
    """By falling discrepancy, those alike in the graph's order."""
    short = [(gap.d, gap.node) for gap in gaps(nodes, direction) if gap.d]
    cases = []
    for d, node in sorted(short, key=lambda one: -one[0])[:MOST_CASES]:
        around = [one for one in neighbours(nodes, node, direction) if one.score is not None]
        cases.append(
            Case(
                mode=mode,
                direction=direction,
                discrepancy=d,
                own=_neighbour(node),
                neighbours=tuple(map(_neighbour, around)),
            )
        )
    return cases


def _neighbour(node: Node) -> Neighbour:
    rows = [row for row in node.rows if row.score is not None]
    texts = node.rows[0].texts
    return Neighbour.model_validate(
        {
            "node": node.name,
            "depth": node.depth,
            "question": texts["question"],
            "reference": texts["reference"],
            "answer": _joined(rows, "answer"),
            "score": float(node.score or 0),
            "reason": _joined(rows, "reason"),
        }
    )


def _joined(rows: Sequence[AnswerRow], text: str) -> str:
    """Those of several conversations one after the other, each under its name."""
    if len(rows) == 1:
        return rows[0].texts[text]
    parts = []
    for row in rows:
        score = f"score {LEAST + SCALE * (row.score or 0):g}"
        leads = f"conversation that leads to {row.tags['conversation']}"
        parts.append(f"[{leads}, {score}]\n{row.texts[text]}")
    return "\n\n".join(parts)


def graph_row(graph: QuestionGraph) -> GraphRow:
    """What is asked about."""
    depths: dict[Level, int] = {}
    for depth in DEPTHS:
        depths[LEVEL_OF[depth]] = len(
            {graph.first_of[node.id] for node in graph.nodes if node.depth == depth}
        )
    return GraphRow(
        name=graph.name,
        trees=len(graph.trees),
        nodes=len(graph.nodes),
        questions=len(graph.holders),
        edges=graph.edges,
        depths={**depths, "overall": len(graph.holders)},
    )
