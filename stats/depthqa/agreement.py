"""How far people agree with each other, and with the judge, on the scores of answers (DepthQA,
appendix F)."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from statistics import fmean
from typing import NamedTuple

from ...state.depthqa.items import DEPTHS, Mode, QuestionGraph
from ...state.depthqa.result import Agreement, AgreementRow, Asked, HumanScore, Level
from .scores import LEVEL_OF, mode_scores

Key = tuple[str, Mode]
"""(a node's or a published question's id, mode)."""


class Judged(NamedTuple):
    """What the judge made of the answer to a question in one mode."""

    score: float
    """1 … 5; the mean where the question is a turn of several conversations."""
    depth: int
    answer: str
    """Which answer it is: the same for all ids of one answer."""


def judged(graph: QuestionGraph, answers: Sequence[Asked]) -> dict[Key, Judged]:
    """Every id by which an answer with a score can be named. `answers`: as a result keeps them.

    A published question's id names an answer only where all nodes that hold the question share it.
    """
    found: dict[Key, Judged] = {}
    for mode in dict.fromkeys(row.mode for row in answers):
        scores = mode_scores(graph, answers, range(len(graph.trees)), mode)
        held = {
            node: Judged(float(score), scores.depth(node), scores.question_of[node])
            for node, score in scores.scores.items()
        }
        by_question: dict[str, list[Judged]] = {}
        for node, own in held.items():
            by_question.setdefault(graph.by_id[node].question_id, []).append(own)
        for name, own_answers in by_question.items():
            if name and len({each.answer for each in own_answers}) == 1:
                found[name, mode] = own_answers[0]
        found |= {(node, mode): own for node, own in held.items()}
    return found


def agreement(judge: str, human: Sequence[HumanScore], scores: Mapping[Key, Judged]) -> Agreement:
    """Krippendorff's α, ordinal, among people and between people and judge, for D3, D2, D1 and
    overall.

    Human–human: over the answers that two people at least have rated. Human–judge: the mean of the
    human scores beside the judge's, over all rated answers. Of several scores that one person gives
    one answer the last counts. `scores`: from `judged`. Ids without a score there are listed, with
    `@MODE` where the mode is not zero-shot. Names of people that differ in small and capital
    letters only are one person's.
    """
    raters: dict[str, str] = {}
    rated: dict[str, dict[str, float]] = {}
    known: dict[str, Judged] = {}
    unmatched: dict[str, None] = {}
    for line in human:
        rater = raters.setdefault(line.rater.casefold(), line.rater)
        own = scores.get((line.node, line.mode))
        if own is None:
            unmatched[line.node if line.mode == "zero-shot" else f"{line.node}@{line.mode}"] = None
        else:
            known[own.answer] = own
            rated.setdefault(own.answer, {})[rater] = line.score
    levels: list[tuple[Level, Iterable[int]]] = [
        (LEVEL_OF[depth], (depth,)) for depth in reversed(DEPTHS)
    ]
    return Agreement(
        judge=judge,
        raters=tuple(raters.values()),
        rows=tuple(
            _row(
                level,
                {answer: by for answer, by in rated.items() if known[answer].depth in depths},
                known,
            )
            for level, depths in [*levels, ("overall", DEPTHS)]
        ),
        unmatched=tuple(unmatched),
    )


def _row(
    level: Level, rated: Mapping[str, Mapping[str, float]], known: Mapping[str, Judged]
) -> AgreementRow:
    several = [list(by.values()) for by in rated.values() if len(by) > 1]
    beside = [[fmean(by.values()), known[answer].score] for answer, by in rated.items()]
    among, why_not = ordinal_alpha(several)
    with_judge, why_not_judge = ordinal_alpha(beside)
    notes = [
        f"{name}: {why}"
        for name, why in (("human–human", why_not), ("human–judge", why_not_judge))
        if why
    ]
    return AgreementRow(
        level=level,
        human_human=among,
        human_human_n=len(several),
        human_judge=with_judge,
        human_judge_n=len(beside),
        note="; ".join(notes),
    )


def ordinal_alpha(units: Sequence[Sequence[float]]) -> tuple[float | None, str]:
    """(Krippendorff's α for ordinal data, why it is undefined). `units`: of each answer two values
    or more, in any order. It is 1 where they agree throughout and 0 where they agree as by chance.

    Krippendorff, Content Analysis (2018), chapter 12. Its ordinal difference is the distance
    between the mean ranks of two values, so that α takes time and room in proportion to the values:
    any number may be one. Undefined with fewer than two answers, and where all values are the same,
    so that there is nothing to agree or differ on.
    """
    if len(units) < 2:
        return None, "a single answer" if units else "no answer"
    alike = [[round(value, 9) for value in unit] for unit in units]  # means, free of rounding
    counts = Counter(value for unit in alike for value in unit)
    if len(counts) < 2:
        return None, "all scores are the same"
    ranks, below = dict[float, int](), 0
    for value in sorted(counts):
        ranks[value] = (
            2 * below + counts[value]
        )  # twice the mean rank, less a constant: whole numbers are exact
        below += counts[value]
    ranked = [[ranks[value] for value in unit] for unit in alike]
    observed = sum(Fraction(_differences(unit), len(unit) - 1) for unit in ranked)
    expected = Fraction(_differences([rank for unit in ranked for rank in unit]), below - 1)
    return float(1 - observed / expected), ""


def _differences(ranks: Sequence[int]) -> int:
    """Half the sum of (r − s)² over all ordered pairs."""
    return len(ranks) * sum(rank * rank for rank in ranks) - sum(ranks) ** 2
