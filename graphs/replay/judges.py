"""Several judges over the answers of one run or several: their verdicts side by side."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from ...reports.page.sanitise import model_name
from ...state.replay import Calibration, RejudgeResult
from ...stats.accuracy import wilson
from ...stats.agreement import kappa
from .trials import TRIED

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
            if probe.verdict is None or probe.id.endswith(TRIED):
                continue
            place = probe.id.rpartition("/")[2].removesuffix(".old")
            right, answer = probe.verdict == "correct", (result.source.run_id, place)
            verdicts[result.source.judge][answer] = right != (place in changed)
            verdicts[result.spec.judge][answer] = right
    return verdicts


def by_answer(verdicts: Verdicts) -> Mapping[AnswerId, Mapping[str, bool]]:
    """Answer → judge → whether it is right."""
    answers: dict[AnswerId, dict[str, bool]] = defaultdict(dict)
    for judge, of_judge in verdicts.items():
        for answer, right in of_judge.items():
            answers[answer][judge] = right
    return answers


def agreement(verdicts: Verdicts, one: str, other: str) -> dict[str, Any]:
    """Of two judges, over the answers that both have judged."""
    both = [
        (right, verdicts[other][answer])
        for answer, right in verdicts[one].items()
        if answer in verdicts[other]
    ]
    equal = sum(first == second for first, second in both)
    share = equal / len(both) if both else None
    return {"n": len(both), "agreement": share, "kappa": kappa(both)}


def calibration_of(
    right: int, accepted: int, wrong: int, rejected: int, unscored: int
) -> Calibration:
    """Of so many that must pass and so many that must fail."""
    return Calibration(
        right=right,
        accepted=accepted,
        sensitivity=accepted / right if right else None,
        sensitivity_ci=wilson(accepted, right),
        wrong=wrong,
        rejected=rejected,
        specificity=rejected / wrong if wrong else None,
        specificity_ci=wilson(rejected, wrong),
        unscored=unscored,
    )


def pooled_calibration(results: Sequence[RejudgeResult], judge: str) -> Calibration | None:
    """Of one judge over all runs; None where it was not tried."""
    tried = [r.calibration for r in results if r.spec.judge == judge and r.calibration]
    names = ("right", "accepted", "wrong", "rejected", "unscored")
    counts = {name: sum(getattr(one, name) for one in tried) for name in names}
    return calibration_of(**counts) if tried else None


def evd_by_run(results: Sequence[RejudgeResult]) -> dict[str, dict[str, dict[str, Any]]]:
    """Run, by its target → judge → EVD with its interval, the run's own judge first."""
    evds: dict[str, dict[str, dict[str, Any]]] = {}
    for result in results:
        source = result.source
        name = model_name(source.target)
        others = {r.source.run_id for r in results if r.source.target == source.target}
        if len(others) > 1:
            name = f"{name} ({source.run_id.rpartition('-')[2]})"
        of_run = evds.setdefault(name, {source.judge: {"evd": source.evd}})
        of_run[result.spec.judge] = {"evd": result.evd, "evd_ci": result.evd_ci}
    return evds
