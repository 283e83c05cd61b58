"""The nodes whose score falls furthest short of their neighbours', with what was answered."""

from typing import get_args

from ...state.depthqa.result import Case, Neighbour
from .gaps import Direction, measure, neighbours
from .scores import ModeScores

MOST = 10
"""Cases that are told of in each direction."""


def cases(scores: ModeScores, most: int = MOST) -> tuple[Case, ...]:
    """The worst in each direction, backward first; by falling discrepancy, those alike in the
    graph's order."""
    return tuple(
        case
        for direction in reversed(get_args(Direction))
        for case in _worst(scores, direction, most)
    )


def _worst(scores: ModeScores, direction: Direction, most: int) -> list[Case]:
    shown = [(each.d, each.node) for each in measure(scores, direction) if each.d]
    return [
        Case(
            mode=scores.mode,
            direction=direction,
            discrepancy=d,
            own=_neighbour(scores, node),
            neighbours=tuple(
                _neighbour(scores, each)
                for each in neighbours(scores, node, direction)
                if each in scores.scores
            ),
        )
        for d, node in sorted(shown, key=lambda each: -each[0])[:most]
    ]


def _neighbour(scores: ModeScores, name: str) -> Neighbour:
    node = scores.graph.by_id[name]
    answer, reason = _said(scores, name)
    return Neighbour(
        node=name,
        depth=node.depth,
        question=node.question,
        reference=node.reference,
        answer=answer,
        score=float(scores.scores[name]),
        reason=reason,
    )


def _said(scores: ModeScores, node: str) -> tuple[str, str]:
    """(answer, reason); those of several conversations one after the other, each under its name."""
    rows = [row for row in scores.answers[node] if row.score is not None]
    if len(rows) == 1:
        return rows[0].answer, rows[0].reason
    names = [f"[conversation that leads to {row.conversation}, score {row.score}]" for row in rows]
    return (
        "\n\n".join(f"{name}\n{row.answer}" for name, row in zip(names, rows, strict=True)),
        "\n\n".join(f"{name}\n{row.reason}" for name, row in zip(names, rows, strict=True)),
    )
