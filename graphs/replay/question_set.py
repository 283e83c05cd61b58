"""The drill behind a replay: which of its questions are replayed, and what a replay's journal holds
of them."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from ...state.errors import RunFailed
from ...state.records import Probe
from ...state.replay import ReplayResult
from ...state.result import DrillResult
from ...state.spec import DrillSpec, ReplaySpec, WorldSpec
from ..drill.summary import counted
from ..run.record import RunRecord
from .trials import FURTHER

AGAIN = ".old"
"""Ends the id of an old answer that another judge has judged anew."""
REPLAYED = ("answer", "verdict", "confidence", "error", "restatement")
"""Prompts a replay uses."""


def questions_of(result: DrillResult | ReplayResult) -> tuple[Probe, ...]:
    """The probes of a drill that count (scored, not excluded, at a closed depth), without the calls
    they cost then. Of a replay the other model's, which grew from no answers of its own."""
    without: dict[str, Any] = {"calls": ()}
    if result.method == "drill":
        probes = counted(result.depths, result.probes)
    else:
        without |= {"parent": None}
        new = [probe for probe in result.probes if not probe.id.endswith(AGAIN)]
        probes = [probe for probe in new if probe.verdict is not None]
    return tuple(probe.model_copy(update=without) for probe in probes)


def drill_spec(result: DrillResult | ReplayResult) -> DrillSpec:
    """The spec of a drill; of a replay that of its drill with the models of the replay."""
    if result.method == "drill":
        return result.spec
    models = {"target": result.spec.target, "judge": result.spec.judge}
    return result.spec.source.model_copy(update=models)


def digest_of(questions: Sequence[Probe]) -> str:
    """Sixteen hex digits over ids, questions, references and evidence."""
    content = [
        [probe.id, probe.question and probe.question.model_dump(mode="json")]
        for probe in questions
    ]
    return hashlib.sha256(orjson.dumps(content, option=orjson.OPT_SORT_KEYS)).hexdigest()[:16]


def place_of(probe: Probe) -> str:
    """Where a question stands in its drill."""
    return probe.id.rpartition("/")[2]


def replay_spec(
    result: DrillResult | ReplayResult,
    target: str,
    judge: str,
    answers: Mapping[str, str] | None = None,
    **further: Any,
) -> ReplaySpec:
    """The spec that puts a drill's questions to `target`, or (when that is the drill's own) has
    them judged anew. `answers`: of a person who was asked some of them, by their places;
    `further`: what else is asked for."""
    models = [target, judge, *map(str, further.values())]
    is_simulated = any(name.startswith("sim:") for name in models)
    questions = [
        probe for probe in questions_of(result) if answers is None or place_of(probe) in answers
    ]
    return ReplaySpec(
        source=drill_spec(result),
        source_run=result.run_id,
        questions=digest_of(questions),
        answers=answers or {},
        target=target,
        judge=judge,
        seed=result.spec.seed,
        answer_tokens=result.spec.answer_tokens,
        prompts={name: text for name, text in result.spec.prompts.items() if name in REPLAYED},
        world=result.spec.world or (WorldSpec() if is_simulated else None),
        **further,
    )


def place_in(run_id: str, probe_id: str, end: str = "") -> str:
    """A source probe's id in the replay, under its own short id. `end`: what is made of it there,
    where that is not another model's answer."""
    return f"{run_id.rpartition('-')[2]}/{probe_id.rpartition('/')[2]}{end}"


def probe_ids(spec: ReplaySpec, run_id: str, source: Probe) -> dict[str, bool]:
    """The probes that come of a source probe: id → whether its old answer is judged again."""
    kinds = [False] * (not spec.rejudges) + [True] * (spec.judge != spec.source.judge)
    return {
        place_in(run_id, source.id, AGAIN if rejudged else ""): rejudged for rejudged in kinds
    }


def line_of(probes: Sequence[Probe], last: Probe) -> list[tuple[str, str]]:
    """What was asked above a probe on its line and what was right, the first above."""
    by_id, line = {probe.id: probe for probe in probes}, list[tuple[str, str]]()
    probe = by_id.get(last.parent or "")
    while probe is not None and probe.question is not None:
        line.insert(0, (probe.question.text, probe.question.reference))
        probe = by_id.get(probe.parent or "")
    return line


def source_probes(probes: Sequence[Probe], run_id: str) -> list[Probe]:
    """Of the probes in a replay's journal those of the drill, in (depth, slot, round) order."""
    short = f"{run_id.rpartition('-')[2]}/"
    drilled = [probe for probe in probes if not probe.id.startswith(short)]
    return sorted(drilled, key=lambda probe: (probe.depth, probe.slot, probe.round))


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """What a replay's journal holds, sorted out."""

    record: RunRecord
    spec: ReplaySpec
    source: Sequence[Probe]
    """The drill's probes, in (depth, slot, round) order."""
    new: Mapping[str, Probe]
    """Source probe → the other model's probe."""
    rejudged: Mapping[str, Probe]
    """Source probe → its answer judged anew."""
    trials: Mapping[str, Mapping[str, Probe]]
    """`.same`, `.sibling`, `.second` → source probe → what came of it."""


def question_set_of(record: RunRecord) -> QuestionSet:
    """Sort out a replay's record. Raises RunFailed when it lacks questions that its spec names."""
    spec, by_id = record.spec_as(ReplaySpec), {probe.id: probe for probe in record.probes}
    source = source_probes(record.probes, record.run_id)
    check_questions(spec, source)
    made: dict[str, dict[str, Probe]] = {end: {} for end in ("", AGAIN, *FURTHER)}
    for probe in source:
        for end, by_source in made.items():
            made_of = by_id.get(place_in(record.run_id, probe.id, end))
            if made_of is not None:
                by_source[probe.id] = made_of
    return QuestionSet(record, spec, source, made[""], made[AGAIN], made)


def check_questions(spec: ReplaySpec, questions: Sequence[Probe]) -> None:
    """Raises RunFailed unless these are the questions that the spec names."""
    if digest_of(questions) != spec.questions:
        raise RunFailed(
            f"The questions of {spec.source_run} are not all in this replay's journal, or were "
            "changed, and"
            " no model was called: replay that run again, and remove this one."
        )
