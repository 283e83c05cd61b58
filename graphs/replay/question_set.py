"""The drill behind a replay: which of its questions are replayed, and what a replay's journal holds
of them."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from ...state.errors import RunFailed
from ...state.records import Probe, Scored
from ...state.replay import ReplaySource
from ...state.result import FORMAT, DrillResult
from ...state.spec import ReplaySpec, WorldSpec, is_simulated
from ...stats.drill.ruler import by_tier, checked_of
from ...stats.drill.summary import counted
from ...stats.drill.survival import evd
from ..run.record import SIMULATED, RunRecord

AGAIN = ".old"
"""Ends the id of an old answer that another judge has judged anew."""
REPLAYED = ("answer", "verdict")
"""Prompts a replay uses."""


def questions_of(result: DrillResult) -> tuple[Probe, ...]:
    """The probes of a drill that count (scored, not excluded, at a closed depth), without the calls
    they cost then."""
    return tuple(
        probe.model_copy(update={"calls": ()}) for probe in counted(result.depths, result.probes)
    )


def digest_of(questions: Sequence[Probe]) -> str:
    """Sixteen hex digits over ids, questions, references and evidence."""
    told = [
        [probe.id, probe.question.model_dump(mode="json") if probe.question else None]
        for probe in questions
    ]
    return hashlib.sha256(orjson.dumps(told, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]


def replay_spec(result: DrillResult, target: str, judge: str) -> ReplaySpec:
    """The spec that puts a drill's questions to `target`, or (when that is the drill's own) has
    them judged anew."""
    world = result.spec.world
    if world is None and any(name.startswith("sim:") for name in (target, judge)):
        world = WorldSpec()
    return ReplaySpec(
        source=result.spec,
        source_run=result.run_id,
        questions=digest_of(questions_of(result)),
        target=target,
        judge=judge,
        seed=result.spec.seed,
        answer_tokens=result.spec.answer_tokens,
        prompts={name: text for name, text in result.spec.prompts.items() if name in REPLAYED},
        world=world,
    )


def new_id(run_id: str, probe: Probe, *, again: bool = False) -> str:
    """A source probe's id in the replay; `again`: its answer judged anew."""
    return place_in(run_id, probe.id, again=again)


def place_in(run_id: str, probe_id: str, *, again: bool = False) -> str:
    """The same place under the replay's own short id."""
    return f"{run_id.rpartition('-')[2]}/{probe_id.rpartition('/')[2]}{AGAIN if again else ''}"


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """What a replay's journal holds, sorted out."""

    record: RunRecord
    spec: ReplaySpec
    source: tuple[Probe, ...]
    """The drill's probes, in (depth, slot, round) order."""
    new: Mapping[str, Probe]
    """Source probe → the other model's probe."""
    again: Mapping[str, Probe]
    """Source probe → its answer judged anew."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """What stands first among the notes of any replay."""
        simulation = (SIMULATED,) if simulated(self.record) else ()
        return (*simulation, *self.record.forced)


def question_set_of(record: RunRecord) -> QuestionSet:
    """Sort out a replay's record. Raises RunFailed when it lacks questions that its spec names."""
    spec = record.spec_as(ReplaySpec)
    own = f"{record.run_id.rpartition('-')[2]}/"
    held = {probe.id: probe for probe in record.probes if probe.id.startswith(own)}
    source = tuple(probe for probe in record.probes if not probe.id.startswith(own))
    check_questions(spec, source)
    new = {
        probe.id: held[new_id(record.run_id, probe)]
        for probe in source
        if new_id(record.run_id, probe) in held
    }
    again = {
        probe.id: held[new_id(record.run_id, probe, again=True)]
        for probe in source
        if new_id(record.run_id, probe, again=True) in held
    }
    return QuestionSet(record, spec, source, new, again)


def check_questions(spec: ReplaySpec, questions: Sequence[Probe]) -> None:
    """Raises RunFailed unless these are the questions that the spec names."""
    if digest_of(questions) != spec.questions:
        raise RunFailed(
            f"The questions of {spec.source_run} are not all in this replay's journal, or were "
            "changed, and"
            " no model was called: replay that run again, and remove this one."
        )


def source_of(spec: ReplaySpec, questions: Sequence[Probe]) -> ReplaySource:
    """The drill as its own verdicts on the replayed questions describe it."""
    depths = range(1, max(probe.depth for probe in questions) + 1)
    right = [
        [isinstance(p.outcome, Scored) and p.outcome.correct for p in questions if p.depth == depth]
        for depth in depths
    ]
    return ReplaySource(
        run_id=spec.source_run,
        target=spec.source.target,
        judge=spec.source.judge,
        questions=len(questions),
        evd=float(evd([(sum(level), len(level)) for level in right])),
        nominal=tuple(t for t, row in by_tier(checked_of(questions)).items() if row.nominal),
    )


def simulated(record: RunRecord) -> bool:
    """Whether any part of the run was the simulated world, by name or by what the endpoint called
    itself."""
    told = (call.model for probe in record.probes for call in probe.calls)
    return record.started.simulated or any(
        is_simulated(name) or name.startswith("sim-") for name in told
    )


def provenance(record: RunRecord, spec: ReplaySpec, probes: Sequence[Probe]) -> dict[str, Any]:
    """With what the result was made."""
    started, libraries = record.started, dict(record.started.environment)
    calls = [call for probe in probes for call in probe.calls if call.failure is None]
    return {
        "fathom": started.version,
        "python": libraries.pop("python", "unknown"),
        "libraries": libraries,
        "spec_digest": spec.digest,
        "source_run": spec.source_run,
        "questions": spec.questions,
        "prompts": {name: started.prompts[name] for name in REPLAYED if name in started.prompts},
        "models": {
            role: sorted({c.model for c in calls if c.role == role}) for role in ("target", "judge")
        },
        "format": FORMAT,
    }
