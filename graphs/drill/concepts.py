"""What a probe can be continued with: the concepts of its answer in drilling order; when they are asked for anew."""

from collections.abc import Sequence
from random import Random

from ...agents.explainer.explain import Mentions
from ...state.channels import Origin, Path, ProbeTask
from ...state.events import ProbeJudged
from ...state.records import Call, Probe
from ...state.spec import DrillSpec
from ...tools.runs.journal import RunMemory
from .outcome import is_correct

UNREAD = ("the concepts of this answer",)
"""What stands among a path's failed look-ups when its answer's concepts could not be read."""


def drawn(spec: DrillSpec, task: ProbeTask, mentions: Mentions) -> list[tuple[str, Origin]]:
    """Drilling order: what the answer mentions, by lot; then further aspects, by lot."""
    rng = Random(f"{spec.seed}:{spec.domain}:{task['depth']}:s{task['slot']}r{task['round']}:concepts")
    concepts, aspects = sorted(concept.name for concept in mentions.concepts), sorted(mentions.aspects)
    rng.shuffle(concepts)
    rng.shuffle(aspects)
    return [*((c, "answer") for c in concepts), *((a, "aspect") for a in aspects)]


def lacking(memory: RunMemory, task: ProbeTask, probe: Probe) -> bool:
    """Whether a finished probe's concepts were lost to a fault, and the depth that needs them is reopened."""
    reopened = any(resumed.reopened == task["depth"] + 1 for resumed in memory.resumed)
    return reopened and probe.unexplained and bool(task["k"]) and is_correct(probe.outcome)


def called(mentions: Mentions) -> dict[str, str]:
    """Concept → what the answer calls it."""
    return {concept.name: concept.said for concept in mentions.concepts}


def path_of(probe: Probe) -> Path:
    """What a finished correct probe can be continued with, before anything is looked up."""
    concepts: list[tuple[str, Origin]] = [(concept, "answer") for concept in probe.concepts]
    return Path(
        id=probe.id,
        root=probe.root,
        chain=list(probe.chain),
        concepts=[*concepts, *((aspect, "aspect") for aspect in probe.aspects)],
        said=dict(zip(probe.concepts, probe.said, strict=False)),  # what older runs do not tell is left out
        found={},
        failed=[*UNREAD] if probe.unexplained else [],
    )


def explained(
    task: ProbeTask, probe: Probe, order: Sequence[tuple[str, Origin]], said: dict[str, str], calls: Sequence[Call]
) -> ProbeJudged:
    """The probe with its concepts at last, as it is journalled again; its verdict stands."""
    known = {
        "concepts": tuple(concept for concept, origin in order if origin == "answer"),
        "said": tuple(said[concept] for concept, origin in order if origin == "answer"),
        "aspects": tuple(concept for concept, origin in order if origin == "aspect"),
        "unexplained": False,
        "calls": (*probe.calls, *calls),
    }
    return ProbeJudged(run_id=task["run_id"], probe=probe.model_copy(update=known), added=len(calls))
