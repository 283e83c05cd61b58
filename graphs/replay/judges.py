"""Several judges over the answers of one run or several: their verdicts side by side."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from ...state.replay import RejudgeResult
from ...stats.agreement import kappa
from .trials import FURTHER

AnswerId = tuple[str, str]
"""(run, place of the answer in it)."""
Verdicts = Mapping[str, Mapping[AnswerId, bool]]
"""Judge → answer → whether it is right."""


def verdicts_by_judge(results: Sequence[RejudgeResult]) -> Verdicts:
    """The runs' own judges and the others. A result tells its own judge's verdict by where the two
    differ."""
    verdicts: dict[str, dict[AnswerId, bool]] = defaultdict(dict)
    for result in results:
        changed = {flip.id.rpartition("/")[2] for flip in result.flips}
        for probe in result.probes:
            if probe.verdict is None or probe.id.endswith(FURTHER):
                continue
            place = probe.id.rpartition("/")[2].removesuffix(".old")
            right = probe.verdict == "correct"
            answer = (result.source.run_id, place)
            verdicts[result.source.judge][answer] = right != (place in changed)
            verdicts[result.spec.judge][answer] = right
    return verdicts


def by_answer(verdicts: Verdicts) -> list[list[bool]]:
    """The verdicts that each answer was given."""
    answers: dict[AnswerId, list[bool]] = defaultdict(list)
    for of_judge in verdicts.values():
        for answer, right in of_judge.items():
            answers[answer].append(right)
    return [*answers.values()]


def agreement(first: Mapping[AnswerId, bool], second: Mapping[AnswerId, bool]) -> dict[str, Any]:
    """Of two judges, over the answers that both have judged."""
    both: list[tuple[bool, bool]] = []
    for answer, right in first.items():
        if answer in second:
            both.append((right, second[answer]))
    equal = sum(right == second_right for right, second_right in both)
    return {
        "n": len(both),
        "agreement": equal / len(both) if both else None,
        "kappa": kappa(both),
    }
