"""Knowing that it does not know (METHODS: Numbers for the drill): what a model does where it is not
right, over answers of any method."""

from collections.abc import Hashable, Mapping, Sequence

from ..state.rows import Estimate, RowVerdict
from .estimates import mean

Answers = Sequence[tuple[Hashable, RowVerdict]]
"""(group, verdict) of each answer; unscored ones count nowhere."""
BLUFF = 5
"""A model bluffs where more than one answer in so many is wrong and not abstained."""
_POINTS: Mapping[str, float] = {"right": 100.0, "wrong": -100.0}


def abstention(answers: Answers) -> dict[str, Estimate]:
    """Shares `right`, `wrong` and `abstained` of what was scored; `precision` when answering,
    right/(right + wrong); `hallucination_rate`, wrong/(wrong + abstained); `index`, 100·(right −
    wrong)/scored. Intervals are clustered by group. An answer that nobody can read is scored and
    none of the three."""
    scored = [one for one in answers if one[1] != "unscored"]
    answered = [one for one in scored if one[1] in ("right", "wrong")]
    not_known = [one for one in scored if one[1] in ("wrong", "abstained")]
    points = [(group, _POINTS.get(verdict, 0.0)) for group, verdict in scored]
    return {
        "right": _share(scored, "right"),
        "wrong": _share(scored, "wrong"),
        "abstained": _share(scored, "abstained"),
        "precision": _share(answered, "right"),
        "hallucination_rate": _share(not_known, "wrong"),
        "index": mean(points, -100, 100),
    }


def first_bluff(by_depth: Mapping[int, Answers]) -> int | None:
    """The first depth at which more than a fifth of the answers are wrong and not abstained."""
    for depth, answers in sorted(by_depth.items()):
        verdicts = [verdict for _, verdict in answers if verdict != "unscored"]
        if BLUFF * verdicts.count("wrong") > len(verdicts):
            return depth
    return None


def _share(answers: Answers, wanted: RowVerdict) -> Estimate:
    return mean([(group, float(verdict == wanted)) for group, verdict in answers])
