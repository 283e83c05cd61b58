"""Mean scores by depth and by label, and what a way of asking changes."""

from collections.abc import Collection, Sequence
from statistics import fmean

from ...state.depthqa.items import DEPTHS, PROMPT_MODES, REASONINGS, QuestionGraph, QuestionNode
from ...state.depthqa.result import Change, GraphRow, LabelRow, Level, ScoreRow
from ...state.records import LOST_AT_TARGET
from ..accuracy import bounds
from ..consistency import mean_interval_clustered
from .gaps import discrepancy_row, measure
from .scores import LEVEL_OF, ModeScores, stage_of

Labels = dict[str, tuple[str, ...]]
"""Node → its labels."""
_LOWEST, _HIGHEST = 1.0, 5.0


def accuracy(scores: ModeScores) -> dict[Level, ScoreRow]:
    """By depth and overall; in the prompt modes without depth 1."""
    rows = {LEVEL_OF[depth]: _row_at(scores, scores.nodes, depth) for depth in _depths(scores)}
    return {**rows, "overall": score_row(scores, scores.nodes)}


def _depths(scores: ModeScores) -> tuple[int, ...]:
    return tuple(depth for depth in DEPTHS if depth > 1 or scores.mode not in PROMPT_MODES)


def score_row(scores: ModeScores, nodes: Sequence[str]) -> ScoreRow:
    """The mean score over the distinct questions that these nodes hold; one that serves several
    trees counts in the tree of its first node. The interval is about new trees and new answers."""
    first: dict[str, str] = {}
    for node in nodes:
        first.setdefault(scores.question_of[node], node)
    held = [
        (scores.tree(node), float(scores.scores[node]))
        for node in first.values()
        if node in scores.scores
    ]
    unheard = [
        node for node in first.values() if node not in scores.scores and _is_lost(scores, node)
    ]
    return ScoreRow(
        questions=len(first),
        scored=len(held),
        mean=fmean(score for _, score in held) if held else None,
        ci=mean_interval_clustered(held, _LOWEST, _HIGHEST),
        bounds=bounds(sum(score for _, score in held), len(held), len(unheard), _LOWEST, _HIGHEST),
    )


def _is_lost(scores: ModeScores, node: str) -> bool:
    """Whether the target itself lost an answer to the node."""
    return any(stage_of(row) in LOST_AT_TARGET for row in scores.answers.get(node, ()))


def _row_at(scores: ModeScores, nodes: Sequence[str], depth: int) -> ScoreRow:
    return score_row(scores, [node for node in nodes if scores.depth(node) == depth])


def by_domain(scores: ModeScores) -> tuple[LabelRow, ...]:
    """By domain, in the order in which they first appear."""
    found: Labels = {
        node: (domain,) for node in scores.nodes if (domain := scores.graph.by_id[node].domain)
    }
    return _by_label(
        scores, found, tuple(dict.fromkeys(label for labels in found.values() for label in labels))
    )


def by_reasoning(scores: ModeScores) -> tuple[LabelRow, ...]:
    """By type of reasoning, the known ones first; a node counts under each of its types."""
    found: Labels = {
        node: labels for node in scores.nodes if (labels := scores.graph.by_id[node].reasoning)
    }
    present = dict.fromkeys(label for labels in found.values() for label in labels)
    known = [label for label in REASONINGS if label in present]
    return _by_label(scores, found, (*known, *(label for label in present if label not in known)))


def _by_label(
    scores: ModeScores, labels_of: Labels, labels: Collection[str]
) -> tuple[LabelRow, ...]:
    """A depth at which a label has no question has no row."""
    forward, backward = measure(scores, "forward"), measure(scores, "backward")
    rows = []
    for label in labels:
        nodes = [node for node, own in labels_of.items() if label in own]
        within = set(nodes)
        levels = {LEVEL_OF[depth]: _row_at(scores, nodes, depth) for depth in DEPTHS}
        rows.append(
            LabelRow(
                label=label,
                accuracy={
                    **{level: row for level, row in levels.items() if row.questions},
                    "overall": score_row(scores, nodes),
                },
                forward=discrepancy_row(scores, [each for each in forward if each.node in within]),
                backward=discrepancy_row(
                    scores, [each for each in backward if each.node in within]
                ),
            )
        )
    return tuple(rows)


def changes(base: ModeScores, modes: Sequence[ModeScores]) -> tuple[Change, ...]:
    """Each mode against `base`, the zero-shot scores, over the nodes that have both; by depth and
    overall."""
    found = []
    for scores in modes:
        both = [node for node in scores.nodes if node in scores.scores and node in base.scores]
        found += [
            _change(
                base,
                scores,
                LEVEL_OF[depth],
                [node for node in both if scores.depth(node) == depth],
            )
            for depth in _depths(scores)
        ]
        found.append(_change(base, scores, "overall", both))
    return tuple(found)


def _change(base: ModeScores, scores: ModeScores, level: Level, both: Sequence[str]) -> Change:
    differences = [
        (scores.tree(node), float(scores.scores[node] - base.scores[node])) for node in both
    ]
    most = _HIGHEST - _LOWEST
    return Change(
        mode=scores.mode,
        level=level,
        nodes=len(both),
        zero_shot=_mean_score(base, both),
        score=_mean_score(scores, both),
        difference=fmean(each for _, each in differences) if both else None,
        ci=mean_interval_clustered(differences, -most, most),
    )


def _mean_score(scores: ModeScores, nodes: Sequence[str]) -> float | None:
    return fmean(float(scores.scores[node]) for node in nodes) if nodes else None


def graph_row(graph: QuestionGraph) -> GraphRow:
    """What is asked about."""
    distinct = [node for node in graph.nodes if graph.first_of[node.id] == node.id]
    at_depth: dict[Level, int] = {
        LEVEL_OF[depth]: _questions(graph.nodes, graph, depth) for depth in DEPTHS
    }
    return GraphRow(
        name=graph.name,
        trees=len(graph.trees),
        nodes=len(graph.nodes),
        questions=len(distinct),
        edges=graph.edges,
        depths={**at_depth, "overall": len(distinct)},
    )


def _questions(nodes: Sequence[QuestionNode], graph: QuestionGraph, depth: int) -> int:
    return len({graph.first_of[node.id] for node in nodes if node.depth == depth})
