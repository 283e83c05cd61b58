"""Several judges over the answers of one run or several: their verdicts side by side."""

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from ...state.replay import RejudgeResult
from ...stats.agreement import kappa
from .trials import FURTHER

Verdicts = Mapping[Hashable, bool]
"""Answer → whether it is right. An answer is (run, its place there)."""


def verdicts_by_judge(results: Sequence[RejudgeResult]) -> Mapping[str, Verdicts]:
    """The runs' own judges and the others. A result tells its own judge's verdict by where the two
    differ."""
    verdicts: dict[str, dict[Hashable, bool]] = defaultdict(dict)
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


def by_answer(verdicts: Mapping[str, Verdicts]) -> list[list[bool]]:
    """The verdicts that each answer was given."""
    answers: dict[Hashable, list[bool]] = defaultdict(list)
    for of_judge in verdicts.values():
        for answer, right in of_judge.items():
            answers[answer].append(right)
    return [*answers.values()]


def agreement(first: Verdicts, second: Verdicts) -> dict[str, Any]:
    """Of two judges, over the answers that both have judged."""
    both = [(right, second[answer]) for answer, right in first.items() if answer in second]
    equal = sum(right == second_right for right, second_right in both)
    return {
        "n": len(both),
        "agreement": equal / len(both) if both else None,
        "kappa": kappa(both),
    }
