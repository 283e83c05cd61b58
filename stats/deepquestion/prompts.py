"""How the transformation prompts came about: drafts, their scores, and which of them is used."""

from collections.abc import Iterable, Sequence

from ...state.deepquestion.items import (
    InstructionWritten,
    PromptDraft,
    PromptScore,
    ScenarioWritten,
)
from ...state.deepquestion.result import PromptHistory, PromptRound
from ...state.deepquestion.spec import DeepQuestionSpec
from ...state.items import DeepQuestionItem
from ...state.problems import Kind
from .marks import why


def prompt_histories(
    spec: DeepQuestionSpec, items: Iterable[DeepQuestionItem]
) -> tuple[PromptHistory, ...]:
    """One for each kind that was asked for; none where what was written is given."""
    listed = list(items)
    return () if spec.given else tuple(prompt_history(spec, kind, listed) for kind in spec.kinds)


def prompt_history(
    spec: DeepQuestionSpec, kind: Kind, items: Iterable[DeepQuestionItem]
) -> PromptHistory:
    """The drafts of one kind among a run's items. It may be asked for in the middle of the loop.

    A draft or a score that did not come about has the reason in place of the feedback.
    """
    listed = list(items)
    used = any(
        isinstance(item, ScenarioWritten if kind == "q2s" else InstructionWritten)
        for item in listed
    )
    if kind in spec.guides:
        return PromptHistory(
            kind=kind, source="given", converged=None, guide=spec.guides[kind], used=used
        )
    rounds = _rounds(kind, listed)
    accepted = next(
        (entry for entry in rounds if entry.score is not None and entry.score >= spec.threshold),
        None,
    )
    best = max((entry for entry in rounds if entry.score is not None), key=_rank, default=None)
    drafted = [entry for entry in rounds if entry.draft]
    chosen = accepted or best or (drafted[0] if drafted else None)
    return PromptHistory(
        kind=kind,
        source="single pass" if spec.single_pass else "optimised",
        rounds=rounds,
        converged=accepted is not None,
        best=best.round if best is not None else None,
        score=best.score if best is not None else None,
        guide=chosen.draft if chosen is not None else "",
        used=used,
    )


def goes_ahead(spec: DeepQuestionSpec, history: PromptHistory) -> bool:
    """Whether anything is written by a prompt: one that was given, the only draft of a single pass
    whatever its score, one that reached the threshold, and where it was asked for the best that has
    a score."""
    if history.source == "given":
        return True
    wanted = (
        spec.single_pass or bool(history.converged) or (spec.use_best and history.best is not None)
    )
    return wanted and bool(history.guide)


def _rank(entry: PromptRound) -> tuple[int, int]:
    """By score; of several the earliest."""
    return entry.score or 0, -entry.round


def _rounds(kind: Kind, items: Sequence[DeepQuestionItem]) -> tuple[PromptRound, ...]:
    drafts = {
        item.round: item for item in items if isinstance(item, PromptDraft) and item.kind == kind
    }
    scores = {
        item.round: item for item in items if isinstance(item, PromptScore) and item.kind == kind
    }
    return tuple(_round(drafts[number], scores.get(number)) for number in sorted(drafts))


def _round(draft: PromptDraft, score: PromptScore | None) -> PromptRound:
    fault = draft.fault or (score.fault if score is not None else None)
    scored = score is not None and fault is None
    feedback = score.feedback if score is not None else ""
    if fault is not None:
        feedback = why(fault)
    return PromptRound(
        round=draft.round,
        draft=draft.text,
        score=score.score if score is not None and scored else None,
        feedback=feedback,
    )
