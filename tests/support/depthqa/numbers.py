"""The figures that belong to made-up answers to a graph of questions; their intervals are made up."""

from collections.abc import Iterable, Sequence
from statistics import mean, median, quantiles
from typing import Literal, cast

from fathom.state.depthqa.items import Mode, QuestionGraph
from fathom.state.depthqa.result import (
    Asked,
    Case,
    Change,
    Discrepancies,
    DiscrepancyRow,
    LabelRow,
    Level,
    MinK,
    ModeNumbers,
    Neighbour,
    Pair,
    QuartileGap,
    ReferenceMetrics,
    ScoreRow,
    Spread5,
)

from .scores import node_scores

Direction = Literal["forward", "backward"]
Scores = dict[str, float]
WAYS: tuple[Direction, ...] = ("backward", "forward")
_PAIRS: tuple[tuple[Pair, int, int], ...] = (("D2 → D3", 3, 2), ("D1 → D2", 2, 1))
"""Pair, and the depth that is counted in it: forward, backward."""


def numbers_of(over: QuestionGraph, mode: Mode, asked: Sequence[Asked], min_k: MinK | None) -> ModeNumbers:
    """The figures of one mode."""
    scores = node_scores(asked, mode)
    accuracy = _accuracy(over, mode, scores, [node.id for node in over.nodes])
    found = {way: _rows(over, scores, way) for way in WAYS}
    bare = {way: {pair: row.average for pair, row in rows.items()} for way, rows in found.items()}
    return ModeNumbers(
        mode=mode,
        accuracy=accuracy,
        discrepancies=Discrepancies(**found),
        reference=ReferenceMetrics(accuracy={level: row.mean for level, row in accuracy.items()}, **bare),
        unscored={"judge": 1},
        refusals=1,
        silent=0,
        min_k=min_k,
        min_k_missing=None if min_k else "log-probabilities were not asked for",
    )


def _accuracy(over: QuestionGraph, mode: Mode, scores: Scores, within: Iterable[str]) -> dict[Level, ScoreRow]:
    firsts = [node for node in within if over.first_of[node] == node]
    rows: dict[Level, ScoreRow] = {}
    for depth in (1, 2, 3):
        own = [node for node in firsts if over.by_id[node].depth == depth]
        if depth > 1 or mode in ("zero-shot", "multi-turn"):
            rows[cast(Level, f"D{depth}")] = _score_row(own, scores)
    shown = [node for node in firsts if f"D{over.by_id[node].depth}" in rows]
    return {**rows, "overall": _score_row(shown, scores)}


def _score_row(nodes: Sequence[str], scores: Scores) -> ScoreRow:
    held = [scores[node] for node in nodes if node in scores]
    if not held:
        return ScoreRow(questions=len(nodes), scored=0, mean=None, ci=None)
    return ScoreRow(questions=len(nodes), scored=len(held), mean=mean(held), ci=_around(mean(held), 0.3, 1.0, 5.0))


def _around(value: float, half: float, low: float, high: float) -> tuple[float, float]:
    return (max(low, value - half), min(high, value + half))


def _neighbours(over: QuestionGraph, node: str, way: Direction) -> tuple[str, ...]:
    return over.by_id[node].predecessors if way == "forward" else over.successors[node]


def _gaps(over: QuestionGraph, scores: Scores, way: Direction, nodes: Iterable[str]) -> dict[str, float | None]:
    """Node → its discrepancy; None where its neighbours' mean is below 4. Nodes without scores are left out."""
    found: dict[str, float | None] = {}
    for node in nodes:
        held = [scores[each] for each in _neighbours(over, node, way) if each in scores]
        if held and node in scores:
            found[node] = max(0.0, mean(held) - scores[node]) / 4 if mean(held) >= 4 else None
    return found


def _row(over: QuestionGraph, scores: Scores, way: Direction, nodes: Sequence[str]) -> DiscrepancyRow:
    gaps = _gaps(over, scores, way, nodes)
    counted = [gap for gap in gaps.values() if gap is not None]
    positive = [gap for gap in counted if gap > 0]
    average = mean(counted) if counted else None
    frequency = len(positive) / len(counted) if counted else None
    intensity = mean(positive) if positive else None
    return DiscrepancyRow(
        eligible=len(counted),
        left_out=len(gaps) - len(counted),
        unscored=sum(bool(_neighbours(over, node, way)) for node in nodes) - len(gaps),
        average=average,
        average_ci=None if average is None else _around(average, 0.04, 0.0, 1.0),
        frequency=frequency,
        frequency_ci=None if frequency is None else _around(frequency, 0.12, 0.0, 1.0),
        intensity=intensity,
        intensity_ci=None if intensity is None else _around(intensity, 0.06, 0.0, 1.0),
    )


def _rows(over: QuestionGraph, scores: Scores, way: Direction) -> dict[Pair, DiscrepancyRow]:
    counted = {
        pair: [node.id for node in over.nodes if node.depth == (upper if way == "forward" else lower)]
        for pair, upper, lower in _PAIRS
    }
    rows = {pair: _row(over, scores, way, nodes) for pair, nodes in counted.items()}
    return {**rows, "overall": _row(over, scores, way, [node for nodes in counted.values() for node in nodes])}


def min_k_of(over: QuestionGraph, mode: Mode, asked: Sequence[Asked]) -> MinK | None:
    """Min-K% of a mode's answers; None without any."""
    own = [answer for answer in asked if answer.mode == mode and answer.min_k is not None]
    if not own:
        return None
    known = {node: answer.min_k for answer in own for node in answer.nodes if answer.min_k is not None}
    by_depth: dict[Level, Spread5 | None] = {
        cast(Level, f"D{depth}"): _spread([known[n.id] for n in over.nodes if n.depth == depth and n.id in known])
        for depth in (1, 2, 3)
    }
    tops = sorted((node for node in known if over.by_id[node].depth == 3), key=lambda node: known[node])
    return MinK(
        answers=len(own),
        missing=0,
        by_depth={**by_depth, "overall": _spread(list(known.values()))},
        quartiles=_quartiles(over, tops, known, node_scores(asked, mode)) if len(tops) > 3 else (),
    )


def _spread(values: Sequence[float]) -> Spread5 | None:
    if not values:
        return None
    q1, _, q3 = quantiles(values, n=4, method="inclusive") if len(values) > 1 else [values[0]] * 3
    return Spread5(
        n=len(values),
        minimum=min(values),
        q1=q1,
        median=median(values),
        q3=q3,
        maximum=max(values),
        mean=mean(values),
    )


def _quartiles(over: QuestionGraph, tops: Sequence[str], known: Scores, scores: Scores) -> tuple[QuartileGap, ...]:
    made = []
    for place in range(4):
        own = tops[place * len(tops) // 4 : (place + 1) * len(tops) // 4]
        pairs = [(top, below) for top in own for below in over.by_id[top].predecessors]
        gaps = [(scores[top] - scores[below]) / 4 for top, below in pairs if top in scores and below in scores]
        made.append(
            QuartileGap.model_validate(
                {
                    "quartile": place + 1,
                    "min_k": (known[own[0]], known[own[-1]]),
                    "questions": len(own),
                    "pairs": len(gaps),
                    "mean": mean(gaps) if gaps else None,
                    "ci": _around(mean(gaps), 0.1, -1.0, 1.0) if gaps and len(own) > 1 else None,
                    "gaps": _spread(gaps),
                }
            )
        )
    return tuple(made)


def changes_of(over: QuestionGraph, modes: Sequence[Mode], asked: Sequence[Asked]) -> tuple[Change, ...]:
    """Each further mode against zero-shot, where that is among them."""
    if "zero-shot" not in modes:
        return ()
    base = node_scores(asked, "zero-shot")
    return tuple(
        _change(over, mode, level, base, node_scores(asked, mode))
        for mode in modes
        if mode != "zero-shot"
        for level in ((1, 2, 3, 0) if mode == "multi-turn" else (2, 3, 0))
    )


def _change(over: QuestionGraph, mode: Mode, depth: int, base: Scores, own: Scores) -> Change:
    both = [node for node in base if node in own and depth in (0, over.by_id[node].depth)]
    before, after = (mean([scores[node] for node in both]) if both else None for scores in (base, own))
    difference = None if before is None or after is None else after - before
    return Change(
        mode=mode,
        level=cast(Level, f"D{depth}") if depth else "overall",
        nodes=len(both),
        zero_shot=before,
        score=after,
        difference=difference,
        ci=None if difference is None else _around(difference, 0.25, -4.0, 4.0),
    )


def labels_of(
    over: QuestionGraph, mode: Mode, asked: Sequence[Asked], kind: Literal["domain", "reasoning"]
) -> tuple[LabelRow, ...]:
    """The figures by domain or by type of reasoning."""
    scores = node_scores(asked, mode)
    held: dict[str, list[str]] = {}
    for node in over.nodes:
        for label in [node.domain] if kind == "domain" else node.reasoning:
            held.setdefault(label, []).append(node.id)
    return tuple(
        LabelRow(
            label=label,
            accuracy=_accuracy(over, mode, scores, nodes),
            forward=_row(over, scores, "forward", nodes),
            backward=_row(over, scores, "backward", nodes),
        )
        for label, nodes in sorted(held.items())
    )


def cases_of(over: QuestionGraph, mode: Mode, asked: Sequence[Asked], most: int = 3) -> tuple[Case, ...]:
    """The worst in each direction, backward first."""
    scores = node_scores(asked, mode)
    said = {node: answer for answer in asked if answer.mode == mode for node in answer.nodes}

    def shown(name: str) -> Neighbour:
        node = over.by_id[name]
        texts = {"question": node.question, "reference": node.reference, "answer": said[name].answer}
        return Neighbour(node=name, depth=node.depth, score=scores[name], reason=said[name].reason, **texts)

    made = []
    for way in WAYS:
        gaps = _gaps(over, scores, way, [node.id for node in over.nodes])
        worst = sorted(((gap, node) for node, gap in gaps.items() if gap), reverse=True)[:most]
        made += [
            Case(
                mode=mode,
                direction=way,
                discrepancy=gap,
                own=shown(node),
                neighbours=tuple(shown(each) for each in _neighbours(over, node, way) if each in scores),
            )
            for gap, node in worst
        ]
    return tuple(made)
