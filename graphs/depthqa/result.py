"""The result of a DepthQA run: a pure function of what its journal holds."""

from collections.abc import Sequence
from types import SimpleNamespace

from ...state.causes import with_causes
from ...state.channels import Stop
from ...state.depthqa.items import DepthAnswer, Material, Rating
from ...state.depthqa.result import DepthQAResult, ModeNumbers
from ...state.depthqa.spec import DepthQASpec
from ...state.errors import RunFailed
from ...state.items import DepthQAItem, depthqa_items, faults_of
from ...state.records import Role
from ...stats.depthqa.answers import asked_answers
from ...stats.depthqa.figures import figures_of
from ...tools.models.family import family_notices
from ..answers import row_maker
from ..run.record import (
    OWN_PROMPTS,
    SIMULATED,
    Deviation,
    RunRecord,
    bounds_notes,
    conformance,
    envelope,
    provenance_of,
    reasoning_notes,
)
from .protocol import planned_questions
from .rows import answer_rows

ROLES: tuple[Role, ...] = ("target", "judge")


def stop_of(spec: DepthQASpec, material: Material, items: Sequence[DepthQAItem]) -> Stop:
    """How a run ends that has asked all it could."""
    planned = sum(planned.scored for due in planned_questions(spec, material) for planned in due)
    lost = _scores_lost(items)
    if 2 * lost >= planned and lost:
        detail = f"{lost:,} of {planned:,} scores are missing because calls failed"
        return Stop(reason="infrastructure", detail=with_causes(detail, faults_of(items)))
    if not any(isinstance(item, Rating) and item.score is not None for item in items):
        return Stop(
            reason="no_questions", detail=with_causes("no answer could be scored", faults_of(items))
        )
    if lost:
        detail = f"{lost:,} of {planned:,} scores are missing: calls failed"
        return Stop(reason="all_asked", detail=with_causes(detail, faults_of(items)))
    return Stop(reason="all_asked", detail="every question was put")


def _scores_lost(items: Sequence[DepthQAItem]) -> int:
    """Scores that are missing for a fault of the infrastructure."""
    return sum(item.lost for item in items if _is_score(item))


def _is_score(item: DepthQAItem) -> bool:
    return isinstance(item, Rating) or item.scored


def result_of(record: RunRecord) -> DepthQAResult:
    """The result over all closed trees. Raises RunFailed when none was closed: there is nothing to
    report."""
    spec, ended, material = record.spec_as(DepthQASpec), record.finished, record.started.material
    if material is None:
        raise RunFailed(f"The journal of {record.run_id} lacks its questions: start the run again.")
    closed = {event.index for event in record.parts}
    if not closed:
        raise RunFailed(
            f"The run {record.run_id} ended before its first tree: {ended.stop_detail}."
        )
    items = depthqa_items(record.items)
    calls = [call for item in record.items for call in item.calls]
    common = envelope(record, calls)
    answers = asked_answers(material.graph, items, closed)
    make = row_maker(SimpleNamespace(method=spec.method, **common))
    rows = answer_rows(material.graph, answers, closed, spec.modes, make)
    figures = figures_of(spec, material.graph, answers, rows)
    return DepthQAResult(
        **common,
        **figures,
        open_trees=tuple(
            tree.root for index, tree in enumerate(material.graph.trees) if index not in closed
        ),
        conformance=conformance(DEVIATIONS, spec),
        notes=(
            *_again(record),
            *_notes(spec, material, common["simulated"], items, figures["modes"]),
            *record.forced,
            *ended.caveats,
        ),
        provenance={
            **provenance_of(record, calls, ROLES),
            "material": material.digest,
            "graph": dict(material.graph.made),
            "judge_decoding": {
                "temperature": spec.judge_temperature,
                "top_p": spec.judge_top_p,
                "max_tokens": spec.judge_tokens,
            },
        },
    ).about(material.graph)


def _again(record: RunRecord) -> tuple[str, ...]:
    """What has to be known of trees that were being asked again when the run was cut off."""
    if not record.reopened:
        return ()
    return (
        f"{len(record.reopened)} of the trees were being asked again for steps that had come to "
        "nothing: some of their"
        " scores are not there yet. `fathom resume` goes on with them.",
    )


def _notes(
    spec: DepthQASpec,
    material: Material,
    simulated: bool,
    items: Sequence[DepthQAItem],
    modes: Sequence[ModeNumbers],
) -> list[str]:
    notes = [SIMULATED] if simulated else []
    if not spec.given:
        notes += family_notices(spec.target, spec.judge, spec.judge)
    notes += material.notices
    if not material.graph.edges and "no discrepancies" not in " ".join(material.notices):
        notes.append("No question leads to another one: there are no discrepancies, only scores.")
    without = _without_answer(material)
    if without:
        notes.append(f"{without} of the questions have no given answer; they are in no number.")
    lost = [item for item in items if item.fault is not None and _is_score(item)]
    if lost:
        again = sum(item.lost for item in items)
        more = f" `fathom resume` tries {again} steps again." if again else ""
        notes.append(
            f"{len(lost)} scores are missing; what is missing counts neither for nor against "
            f"the model.{more}"
        )
    notes += reasoning_notes(item.answer for item in items if isinstance(item, DepthAnswer))
    bounds = {f"mean score {numbers.mode}": numbers.accuracy["overall"].bounds for numbers in modes}
    notes += bounds_notes(bounds, "{:.2f}")
    quoted = [item for item in items if isinstance(item, DepthAnswer) and not item.scored]
    if quoted:
        notes.append(
            f"{len(quoted)} zero-shot answers were asked for only to be quoted; they are not rated."
        )
    return notes


def _without_answer(material: Material) -> int:
    if material.answers is None:
        return 0
    answered = {material.graph.first_of[answer.node] for answer in material.answers}
    return len(material.graph.holders.keys() - answered)


def _decoding(spec: DepthQASpec) -> str:
    top_p = "not set" if spec.judge_top_p is None else f"{spec.judge_top_p:g}"
    temperature = "not set" if spec.judge_temperature is None else f"{spec.judge_temperature:g}"
    decoding = f"temperature {temperature}, top_p {top_p}, {spec.judge_tokens} tokens"
    return f"judge-decoding: {decoding} (the paper: 1, 0.9, 1024)"


DEVIATIONS = (
    "all-successors: backward discrepancy takes the mean of all direct successors, as the paper's "
    "equation 2 has it "
    "(the published code looks at the first one only; numbers by its rules stand in the result "
    "too)",
    (
        "empty-is-null: a discrepancy without any question that counts is null (the published "
        "code divides by zero)"
    ),
    "threshold: a question counts where its neighbours' mean is at least 4, as in the published "
    "code (the paper says "
    "that it exceeds 4)",
    "unscored-apart: an answer or a rating that a fault took is in no number; neighbours without a "
    "score are left out "
    "of the mean (in the published code an unreadable rating is 0)",
    "one-text: questions that share a text share one answer and one rating per mode, and count "
    "once in the accuracy; "
    "discrepancies are over nodes",
    "silence: what the endpoint marks as a refusal scores 1 without a judge, and a refusal in "
    "words is an answer like "
    "any other; a reply without a word, twice, and what was cut off or held back by a filter are "
    "unscored",
    "own-rubric: the judge's rubric from 1 to 5 is in words of our own",
    "clustered: intervals allow for questions of one tree being alike; the paper gives none",
    Deviation(
        lambda spec: (
            (spec.judge_temperature, spec.judge_top_p, spec.judge_tokens) != (1.0, 0.9, 1024)
        ),
        _decoding,
    ),
    Deviation(
        lambda spec: "multi-turn" in spec.modes and not spec.given,
        "multi-turn: each conversation has the direct predecessors as turns and generates every "
        "turn itself; a "
        "question is scored as a turn of the conversations that lead on from it (the mean of "
        "several), at the end of "
        "its own only where none does. The published code keeps the first such turn for all",
    ),
    Deviation(
        lambda spec: bool({"prompt-gold", "prompt-pred"} & set(spec.modes)),
        (
            "no-context: questions of depth 1 have nothing to quote and are in no number of the "
            "prompt modes"
        ),
    ),
    Deviation(
        lambda spec: spec.given,
        "given-answers: the answers were collected by somebody else; only the judge was asked",
    ),
    Deviation(
        lambda spec: spec.logprobs,
        (
            "min-k: natural logarithms, the least likely fifth of the answer's first 128 tokens, "
            "at least one"
        ),
    ),
    OWN_PROMPTS,
)
