"""What tells how far a judge and an evaluator can be relied on, on the material of one drill.

References in other words, put to the judge as answers among the real ones: to their own questions,
where they must pass, and to siblings, where they must fail. And a second evaluator, who writes
questions from passages that the drill has asked from.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from ...agents.questioner.question_text import same_in_code
from ...state.records import Probe
from ...state.spec import ReplaySpec
from ...state.text import contains

SAME, SIBLING, SECOND = ".same", ".sibling", ".second"
FURTHER = (SAME, SIBLING, SECOND)
"""End the ids of a restated reference put to its own question, of the same put to a sibling's, and of
what came of the second evaluator's question."""
SECOND_QUESTIONS = 20
"""Passages that a second evaluator is given."""


@dataclass(frozen=True, slots=True)
class Trials:
    """By ids of the drill's probes."""

    siblings: Mapping[str, Probe]
    """Whose reference is restated → the question that it is wrong for."""
    passages: Sequence[Probe]
    """Whose passage a second evaluator writes from."""


def trials_of(spec: ReplaySpec, probes: Sequence[Probe]) -> Trials:
    """Drawn by the seed, the same for all judges of a run."""
    name = f"{spec.seed}:{spec.domain}"
    order = Random(f"{name}:calibration").sample([*probes], len(probes))
    siblings: dict[str, Probe] = {}
    for probe in order if spec.calibration else ():
        if len(siblings) == spec.calibration:
            break
        sibling = _sibling(probe, order, [used.id for used in siblings.values()])
        if sibling is not None:
            siblings[probe.id] = sibling
    second = SECOND_QUESTIONS if spec.second_evaluator else 0
    passages = Random(f"{name}:second").sample([*probes], min(second, len(probes)))
    return Trials(siblings, passages)


def _sibling(probe: Probe, others: Sequence[Probe], used: Sequence[str]) -> Probe | None:
    """Another question for which this one's reference is wrong: of its root and tier if there is
    one, else of its root, else of its tier; one that serves for no other where possible."""
    wrong = [sibling for sibling in others if _is_wrong_for(probe, sibling)]

    def distance(sibling: Probe) -> tuple[bool, int, bool]:
        of_another_root, of_another_tier = (
            probe.root != sibling.root,
            probe.tier != sibling.tier,
        )
        return sibling.id in used, of_another_root + of_another_tier, of_another_root

    near = [sibling for sibling in wrong if distance(sibling)[1] < 2]
    return min(near, key=distance, default=None)


def _is_wrong_for(probe: Probe, sibling: Probe) -> bool:
    """Whether code finds nothing of the other's answer in this one's reference."""
    first, wanted = probe.question, sibling.question
    assert first is not None  # only scored probes are judged
    assert wanted is not None
    if first.text == wanted.text or contains(first.reference, wanted.answer):
        return False
    return not same_in_code(
        wanted.text, wanted.answer or wanted.reference, first.answer or first.reference
    )
