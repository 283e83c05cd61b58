"""A drill as rows of answers."""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from typing import Any

from ...state.records import Outcome, Probe, Verdict
from ...state.result import DrillResult
from ...state.rows import ANCHOR, AnswerRow, RowVerdict, Tag
from ...state.tiers import Tier, tier_of
from ..answers import row_maker
from .evd import Observation
from .summary import observe

VERDICTS: dict[Verdict, RowVerdict] = {
    "correct": "right",
    "wrong": "wrong",
    "abstained": "abstained",
}


def rows_of(result: DrillResult) -> list[AnswerRow]:
    """The probes by depth and slot, each with the anchors' answers behind it, and the slots that
    a depth counts as wrong without any probe. A probe that does not count is unscored: its stage
    is `duplicate`, or `open depth` where its depth was not closed."""
    spec = result.spec
    make = row_maker(
        result,
        repeat=spec.repeat,
        n=spec.n,
        threshold=spec.threshold,
        max_depth=spec.max_depth,
    )
    nominal = result.nominal
    probes = {probe.id: probe for probe in result.probes}
    observations = observe(result.depths, result.probes, spec.n)
    rows: list[AnswerRow] = []
    for observation in observations:
        if observation.id in probes:
            rows += probe_rows(make, probes.pop(observation.id), nominal)
        else:
            rows.append(_assumed(make, observation, spec.passes))
    for probe in probes.values():
        why = "open depth" if probe.outcome.status == "scored" else ""
        rows += probe_rows(make, probe, nominal, probe.excluded or why)
    return rows


def target_answers(rows: Sequence[AnswerRow]) -> list[AnswerRow]:
    """The target's scored answers, without those of anchors."""
    return [
        row for row in rows if row.score is not None and not row.condition.startswith(ANCHOR)
    ]


def observation(row: AnswerRow) -> Observation:
    """What a target's scored answer counts as."""
    tags: Mapping[str, Any] = row.tags
    return Observation(row.item, tags["depth"], row.group, tags["parent"], row.score == 1)


def probe_rows(
    make: Callable[..., AnswerRow],
    probe: Probe,
    nominal: Container[Tier],
    left_out: str = "",
) -> Iterator[AnswerRow]:
    """The target's answer, then those of the anchors. `left_out`: why a verdict does not count."""
    answers = [
        (
            f"depth {probe.depth}",
            probe.answer.text if probe.answer else "",
            probe.outcome,
        )
    ]
    answers += [
        (f"{ANCHOR}{answer.model}", answer.text, answer.outcome) for answer in probe.anchors
    ]
    further = further_tags(probe)
    for condition, answer, outcome in answers:
        verdict, score, stage, reason = mark_of(outcome)
        if left_out:
            verdict, score, stage = "unscored", None, left_out
        yield make(
            group=probe.root,
            item=probe.id,
            condition=condition,
            score=score,
            verdict=verdict,
            stage=stage,
            tags={**tags_of(probe, nominal), **further},
            texts={
                **texts_of(probe),
                "answer": answer,
                "reason": reason,
            },
        )
        further = {}  # what is known of the target's answer only


def mark_of(outcome: Outcome) -> tuple[RowVerdict, float | None, str, str]:
    """(verdict, score, stage, reason)."""
    if outcome.status == "unscored":
        return "unscored", None, outcome.stage, outcome.message or outcome.kind
    return VERDICTS[outcome.verdict], float(outcome.correct), "", outcome.reason


def tags_of(probe: Probe, nominal: Container[Tier]) -> dict[str, Tag]:
    """Where a question stands, and what the check says of it."""
    tags: dict[str, Tag] = {
        "depth": probe.depth,
        "tier": probe.tier.value.lower(),
        "nominal": probe.tier in nominal,
        "slot": probe.slot,
        "round": probe.round,
        "root": probe.root,
        "parent": probe.parent,
        "concept": probe.concept,
        "origin": probe.origin,
        "answer_id": probe.id,
    }
    check = probe.check
    if check is not None:
        tags |= {
            "level": check.level,
            "step": check.step,
            "doubtful": check.doubtful,
        }
    return tags


def further_tags(probe: Probe) -> dict[str, Tag]:
    """What was asked of the target's answer once it had a verdict."""
    tags: dict[str, Tag] = {"error": probe.error.kind} if probe.error else {}
    return tags | ({} if probe.confidence is None else {"confidence": probe.confidence})


def texts_of(probe: Probe) -> dict[str, str]:
    """The question with what it was written from."""
    question = probe.question
    if question is None:
        return {}
    evidence = question.evidence
    return {
        "question": question.text,
        "reference": question.reference,
        "passage": evidence.text,
        "title": evidence.title,
        "url": evidence.url,
        "date": f"{evidence.published or evidence.retrieved_at.date()}",
    }


def _assumed(
    make: Callable[..., AnswerRow], observation: Observation, passes: int
) -> AnswerRow:
    tier, _ = tier_of(observation.depth, passes)
    return make(
        group=observation.root,
        item=observation.id,
        condition=f"depth {observation.depth}",
        score=0.0,
        verdict="wrong",
        stage="assumed wrong",
        tags={
            "depth": observation.depth,
            "tier": tier.value.lower(),
            "root": observation.root,
            "parent": observation.parent,
        },
    )
