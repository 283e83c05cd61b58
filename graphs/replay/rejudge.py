"""The answers of a drill judged anew by another judge: one verdict, and the result over all of
them."""

from collections.abc import Mapping, Sequence

from ...agents.judge.verdict import judge
from ...state.errors import RunFailed
from ...state.records import Answer, Outcome, Probe, Question, Scored, Verdict
from ...state.replay import Agreement, ConditionalDepth, Flip, RejudgeResult
from ...state.worlds import label_of
from ...stats.accuracy import wilson
from ...stats.drill.survival import survival, survival_interval
from ...stats.drill.tree import Observation
from ...stats.replay.rejudged import ConditionalEvd, conditional_evd, kappa
from ..run.deps import RunDeps
from ..run.record import envelope
from ..step import Step
from .question_set import QuestionSet, provenance, simulated, source_of

CONDITIONAL = (
    "The EVD is conditional on the questions that were asked: the drill followed another judge's "
    "verdicts. What grew "
    "from answers that this judge rejects is left out; below answers that only this judge accepts "
    "nothing was asked."
)
ASSUMED_WRONG = (
    "The drill counted concepts without evidence as wrong; there is no answer of theirs to judge, "
    "so they are left out "
    "here."
)


async def verdict_on(deps: RunDeps, question: Question, answer: Answer, step: Step) -> Outcome:
    """The verdict on an answer; a failure is data. A refusal the endpoint reports is abstaining, as
    in drills."""
    if answer.refusal:
        return Scored(
            verdict="abstained", reason="the model refused to answer", judge=deps.judge.name
        )
    return await step.ask(judge, question.text, question.reference, answer.text)


def verdict_of(probe: Probe | None) -> Verdict | None:
    """The verdict, or None for a probe that has none (yet)."""
    return (
        probe.outcome.verdict if probe is not None and isinstance(probe.outcome, Scored) else None
    )


def agreement(
    one: str, other: str, verdicts: Sequence[tuple[Verdict | None, Verdict | None]]
) -> Agreement:
    """How far two judges agree, over the answers that both have judged."""
    both = [(a, b) for a, b in verdicts if a is not None and b is not None]
    right = [(a == "correct", b == "correct") for a, b in both]
    labels: dict[Verdict, dict[Verdict, int]] = {}
    for a, b in both:
        row = labels.setdefault(a, {})
        row[b] = row.get(b, 0) + 1
    return Agreement(
        judge=one,
        other=other,
        n=len(both),
        agreement=sum(a == b for a, b in right) / len(both) if both else None,
        kappa=kappa(right),
        verdicts=labels,
    )


def rejudge_result(material: QuestionSet) -> RejudgeResult:
    """The result of judging anew. Raises RunFailed when the judge reached no verdict at all."""
    record, spec = material.record, material.spec
    now = {probe.id: verdict_of(material.again.get(probe.id)) for probe in material.source}
    verdicts = {
        probe_id: verdict == "correct" for probe_id, verdict in now.items() if verdict is not None
    }
    if not verdicts:
        raise RunFailed(
            f"{label_of(spec.judge)} reached no verdict on any of {len(now)} answers: there "
            "is nothing to compare."
        )
    found = conditional_evd(
        [
            Observation(p.id, p.depth, p.root, p.parent, verdict_of(p) == "correct")
            for p in material.source
        ],
        verdicts,
        n=spec.source.n,
        threshold=spec.source.exact_threshold,
        max_depth=spec.source.max_depth,
        seed=f"{spec.seed}:{spec.domain}",
    )
    flips = [
        probe
        for probe in material.source
        if verdicts.get(probe.id, probe_right(probe)) != probe_right(probe)
    ]
    own = [material.again[probe.id] for probe in material.source if probe.id in material.again]
    calls = [call for probe in own for call in probe.calls]
    return RejudgeResult(
        **envelope(record, calls, simulated=simulated(record)),
        source=source_of(spec, material.source),
        judges=agreement(
            spec.source.judge, spec.judge, [(verdict_of(p), now[p.id]) for p in material.source]
        ),
        evd=found.estimate.evd,
        evd_ci=found.estimate.interval,
        evd_note=found.estimate.note,
        censored=not found.stopped,
        depths=_depths(material.source, found, verdicts),
        removed=len(found.removed),
        newly_accepted=sum(verdicts[probe.id] for probe in flips),
        flips=tuple(_flip(probe, material.again[probe.id]) for probe in flips),
        unscored=len(material.source) - len(verdicts),
        probes=tuple(own),
        notes=_notes(material, len(material.source) - len(verdicts)),
        provenance=provenance(record, spec, own),
    )


def probe_right(probe: Probe) -> bool:
    """Whether the drill's own judge accepted the answer."""
    return verdict_of(probe) == "correct"


def _depths(
    source: Sequence[Probe], found: ConditionalEvd, verdicts: Mapping[str, bool]
) -> tuple[ConditionalDepth, ...]:
    removed, rows = set(found.removed), list[ConditionalDepth]()
    for depth, (correct, n) in enumerate(found.counts, start=1):
        own = [probe for probe in source if probe.depth == depth]
        rest = [probe for probe in own if probe.id not in removed]
        counts = found.counts[:depth]
        rows.append(
            ConditionalDepth(
                depth=depth,
                tier=own[0].tier,
                asked=len(own),
                removed=len(own) - len(rest),
                unscored=sum(probe.id not in verdicts for probe in rest),
                n=n,
                correct=correct,
                accuracy=correct / n,
                accuracy_ci=wilson(correct, n),
                survival=float(survival(counts)[-1]),
                survival_ci=survival_interval(counts),
            )
        )
    return tuple(rows)


def _flip(old: Probe, new: Probe) -> Flip:
    assert old.question is not None  # what counts has all three
    assert old.answer is not None
    assert isinstance(old.outcome, Scored)
    assert isinstance(new.outcome, Scored)
    return Flip(
        id=old.id,
        depth=old.depth,
        question=old.question.text,
        reference=old.question.reference,
        answer=old.answer.text,
        judge=old.outcome.verdict,
        other=new.outcome.verdict,
        reason=new.outcome.reason,
    )


def _notes(material: QuestionSet, unscored: int) -> tuple[str, ...]:
    notes = [*material.remarks, CONDITIONAL]
    if material.spec.source.missing == "wrong":
        notes.append(ASSUMED_WRONG)
    if material.spec.judge == material.spec.source.target:
        notes.append("The judge is the model whose answers it judges; it may flatter them.")
    if unscored:
        notes.append(
            f"{unscored} answers have no verdict of this judge: they count nowhere, with what "
            "grew from them."
        )
    return (*notes, *material.record.finished.caveats)
