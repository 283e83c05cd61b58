"""A probe that the journal knows: what a run that goes on needs of it, without asking it again."""

from collections.abc import Sequence
from typing import Any

from ...agents.explainer.explain import Mentions
from ...state.channels import Candidate, Path, ProbeOutcome, ProbeTask
from ...state.events import ProbeJudged
from ...state.records import Call, Probe, Unscored
from ...tools.runs.journal import RunMemory
from .duplicates import first_question
from .probe import UNREAD, ProbeRun, is_correct, remaining, shown_together


async def continue_finished(run: ProbeRun, probe: Probe) -> ProbeOutcome:
    """A probe that was journalled before a crash is not asked again; only its look-ups are
    repeated, and its concepts are asked for where they were lost."""
    run.first_questions.tell(run.task, first_question(probe, first_shown(run.task)))
    memory = run.deps.sink.run(run.task["run_id"])
    if concepts_must_be_asked_again(memory, run.task, probe):
        return await run.paid(lambda: _explain_again(run, probe))
    async with run.deps.gate:
        return _outcome(run, probe)


async def _explain_again(run: ProbeRun, probe: Probe) -> ProbeOutcome:
    assert probe.question is not None  # a correct probe has both
    assert probe.answer is not None
    mentions = await run.mentions(probe.question, probe.answer, list(probe.chain))
    if isinstance(mentions, Unscored):
        return _outcome(run, probe, {UNREAD: mentions.model_dump(mode="json")})
    probe, calls = explained(probe, mentions, run.step.calls), len(run.step.calls)
    await run.deps.emit(ProbeJudged(run_id=run.task["run_id"], probe=probe, added=calls))
    return _outcome(run, probe)


def _outcome(
    run: ProbeRun, probe: Probe, failed: dict[str, dict[str, Any]] | None = None
) -> ProbeOutcome:
    """`failed`: why its concepts could not be read just now."""
    path = None
    if is_correct(probe.outcome) and run.task["k"]:
        path = path_of(probe)
        path["failed"].update(failed or {})
        run.look_up(path)
    used = passages_of(probe, run.task["candidates"])
    return ProbeOutcome(id=probe.id, passages=used, path=path)


def first_shown(task: ProbeTask) -> list[str]:
    """The digests of the passages in the first call of a slot's Questioner."""
    digests = list[str]()
    for candidate in shown_together(task["candidates"]):
        digests += [passage["digest"] for passage in candidate["passages"]]
    return digests


def concepts_must_be_asked_again(memory: RunMemory, task: ProbeTask, probe: Probe) -> bool:
    """Whether a finished probe's concepts were lost to a fault, and the depth that needs them is
    reopened."""
    reopened = any(resumed.reopened == task["depth"] + 1 for resumed in memory.resumed)
    return reopened and probe.unexplained and bool(task["k"]) and is_correct(probe.outcome)


def explained(probe: Probe, mentions: Mentions, calls: Sequence[Call]) -> Probe:
    """The probe with its concepts at last; its verdict stands."""
    concepts = mentions.concepts
    changes = {
        "concepts": tuple(concept.name for concept in concepts),
        "said": tuple(concept.said for concept in concepts),
        "aspects": mentions.aspects,
        "unexplained": False,
        "calls": (*probe.calls, *calls),
    }
    return probe.model_copy(update=changes)


def path_of(probe: Probe) -> Path:
    """What a finished correct probe can be continued with, before anything is looked up."""
    return Path(
        id=probe.id,
        root=probe.root,
        chain=list(probe.chain),
        concepts=[
            *((concept, "answer") for concept in probe.concepts),
            *((aspect, "aspect") for aspect in probe.aspects),
        ],
        said=dict(zip(probe.concepts, probe.said, strict=False)),  # older runs do not tell it
        found={},
        failed={UNREAD: {}} if probe.unexplained else {},  # why stands in the journal
    )


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
