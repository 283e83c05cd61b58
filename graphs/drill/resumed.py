"""A probe that the journal knows: what a run that goes on needs of it, without asking it again."""

from collections.abc import Sequence

from ...agents.explainer.explain import Concept, Mentions
from ...agents.questioner.question_text import first_question
from ...state.channels import Candidate, ProbeOutcome, ProbeTask
from ...state.events import ProbeJudged
from ...state.records import Probe, Unscored
from .look_up import UNREAD, explained, path_of
from .probe import ProbeRun, is_correct, remaining, shown_together


async def continue_finished(run: ProbeRun, probe: Probe) -> ProbeOutcome:
    """A probe that was journalled before a crash is not asked again; only its look-ups are
    repeated, and its concepts are asked for where they were lost and the depth that needs them is
    reopened."""
    task = run.task
    run.first_questions.tell(task, first_question(probe, first_shown(task)))
    resumed = run.deps.sink.run(task["run_id"]).resumed
    if probe.unexplained and any(event.reopened == task["depth"] + 1 for event in resumed):
        return await run.paid(lambda: _explain_again(run, probe))
    async with run.deps.gate:
        return _outcome(run, probe)


async def _explain_again(run: ProbeRun, probe: Probe) -> ProbeOutcome:
    assert probe.question is not None  # a correct probe has both
    assert probe.answer is not None
    mentions = await run.mentions(probe.question, probe.answer, probe.chain)
    if isinstance(mentions, Unscored):
        return _outcome(run, probe, mentions)
    calls = run.step.calls
    probe = explained(probe, mentions).model_copy(update={"calls": (*probe.calls, *calls)})
    await run.deps.emit(ProbeJudged(run_id=run.task["run_id"], probe=probe, added=len(calls)))
    return _outcome(run, probe)


def _outcome(run: ProbeRun, probe: Probe, fault: Unscored | None = None) -> ProbeOutcome:
    """`fault`: why its concepts could not be read just now."""
    path = None
    if is_correct(probe.outcome) and run.task["k"]:
        concepts = tuple(Concept(said=name, name=name) for name in probe.concepts)
        mentions = fault or Mentions(concepts, probe.aspects)
        path = path_of(probe.id, probe.root, probe.chain, mentions)
        if probe.unexplained:
            path["failed"].setdefault(UNREAD, {})  # why stands in the journal
        run.look_up(path)
    used = passages_of(probe, run.task["candidates"])
    return ProbeOutcome(id=probe.id, passages=used, path=path)


def first_shown(task: ProbeTask) -> list[str]:
    """The digests of the passages in the first call of a slot's Questioner."""
    digests = list[str]()
    for candidate in shown_together(task["candidates"]):
        digests += [passage["digest"] for passage in candidate["passages"]]
    return digests


def passages_of(probe: Probe, candidates: Sequence[Candidate]) -> list[str]:
    """The digests of the passages that a finished probe's questions were written from.
    `candidates`: those of its task."""
    sources = [rejected.passage for rejected in probe.rejected]
    used = [passage.digest for passage in sources if passage is not None]
    if probe.question is not None:
        used.append(probe.question.evidence.digest)
    elif isinstance(probe.outcome, Unscored) and probe.outcome.kind != "rejected":
        unused = remaining(candidates, used)  # nothing could be written from the first of them
        used += [shown_together(unused)[0]["passages"][0]["digest"]] if unused else []
    return used
