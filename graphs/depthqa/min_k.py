"""How likely an answer's least likely words were (Min-K%), by depth and beside the gap between
neighbouring questions."""

from collections.abc import Iterable, Sequence
from itertools import chain
from math import isfinite
from statistics import fmean, quantiles

from ...state.depthqa.items import MIN_K_SHARE, MIN_K_TOKENS, SCALE
from ...state.depthqa.result import MinK, QuartileGap, Spread5
from ...state.question_graph import DEPTHS
from ...state.rows import AnswerRow
from ...stats.estimates import mean
from .discrepancy import Node, Nodes, levels_of, scored_neighbours

QUARTILES = 4
_NO_LOGPROB = -9999.0
"""What OpenAI-compatible endpoints send for a token that is not among the likeliest."""
_ROUNDING = 1e-3
"""So far above 0 a log-probability may lie by half-precision arithmetic."""


def min_k(logprobs: Sequence[float] | None) -> float | None:
    """Min-K% of an answer in nats: the mean negative log-likelihood of the max(1, ⌊.2·T⌋) least
    likely of its first T ≤ 128 tokens (Shi et al. 2023, Detecting pretraining data from large
    language models; METHODS.md, section 4).

    None without any token, and where one of these has no log-probability: -9999 and below, not
    finite, or positive.
    """
    first = (logprobs or ())[:MIN_K_TOKENS]
    usable = all(isfinite(value) and _NO_LOGPROB < value <= _ROUNDING for value in first)
    if not first or not usable:
        return None
    tokens = max(
        1, int(MIN_K_SHARE * len(first) + 1e-9)
    )  # .2·T may miss a whole number by an ulp
    return fmean(max(0.0, -value) for value in sorted(first)[:tokens])


def min_k_numbers(nodes: Nodes) -> MinK | None:
    """Distribution by depth of the answer, and the score gaps by quartile; None when no answer has
    a Min-K%."""
    answers = _answers(nodes.values())
    values = _values(answers)
    if not values:
        return None
    levels = levels_of(nodes.values())
    return MinK(
        answers=len(values),
        missing=len(answers) - len(values),
        by_depth={level: spread5(_values(_answers(part))) for level, part in levels.items()},
        quartiles=_quartiles(nodes),
    )


def _answers(nodes: Iterable[Node]) -> list[AnswerRow]:
    """All answers with any word, each once."""
    rows = chain.from_iterable(node.rows for node in nodes)
    with_words = (row for row in rows if row.texts["answer"].strip())
    by_id = {row.tags["answer_id"]: row for row in with_words}
    return [*by_id.values()]


def _values(rows: Iterable[AnswerRow]) -> list[float]:
    return [float(value) for row in rows if (value := row.tags["min_k"]) is not None]


def spread5(values: list[float]) -> Spread5 | None:
    """Five numbers and the mean; quantiles lie at 1 + p(n − 1) and are interpolated linearly. None
    without a value."""
    if not values:
        return None
    cuts = quantiles(values, n=QUARTILES, method="inclusive") if len(values) > 1 else values * 3
    q1, median, q3 = cuts
    return Spread5(
        n=len(values),
        minimum=min(values),
        q1=q1,
        median=median,
        q3=q3,
        maximum=max(values),
        mean=fmean(values),
    )


def _quartiles(nodes: Nodes) -> tuple[QuartileGap, ...]:
    """Nodes of depth 3 by Min-K%, those alike in the graph's order, cut after each quarter of
    them."""
    deep = [(_values(node.rows), node) for node in nodes.values() if node.depth == max(DEPTHS)]
    ranked = [(fmean(values), node) for values, node in deep if values]
    ranked.sort(key=lambda pair: pair[0])
    if len(ranked) < QUARTILES:
        return ()
    cuts = [quarter * len(ranked) // QUARTILES for quarter in range(QUARTILES + 1)]
    return tuple(
        _quartile(nodes, quarter, ranked[cuts[quarter - 1] : cuts[quarter]])
        for quarter in range(1, QUARTILES + 1)
    )


def _quartile(nodes: Nodes, quartile: int, ranked: Sequence[tuple[float, Node]]) -> QuartileGap:
    """`ranked`: (Min-K%, node), rising."""
    gaps = list[tuple[str, float]]()
    for _, node in ranked:
        for below in (
            scored_neighbours(nodes, node, "forward") if node.score is not None else ()
        ):
            gaps.append((node.group, float((node.score or 0) - (below.score or 0)) / SCALE))
    gap = mean(gaps, -1.0)
    return QuartileGap.model_validate(
        {
            "quartile": quartile,
            "min_k": (ranked[0][0], ranked[-1][0]),
            "questions": len(ranked),
            "pairs": gap.n,
            "mean": gap.value,
            "ci": gap.interval,
            "gaps": spread5([value for _, value in gaps]),
        }
    )
