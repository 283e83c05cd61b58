"""How the transformation prompts came about: drafts, their scores, and which of them is used."""

from collections.abc import Collection
from typing import Any

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
from .checks import why

WRITTEN = {"q2s": ScenarioWritten, "q2i": InstructionWritten}


def prompt_histories(
    spec: DeepQuestionSpec, items: Collection[DeepQuestionItem]
) -> tuple[PromptHistory, ...]:
    """One for each kind that was asked for; none where what was written is given."""
    return () if spec.given else tuple(prompt_history(spec, kind, items) for kind in spec.kinds)


def prompt_history(
    spec: DeepQuestionSpec, kind: Kind, items: Collection[DeepQuestionItem]
) -> PromptHistory:
    """The drafts of one kind among a run's items. It may be asked for in the middle of the loop.

    A draft or a score that did not come about has the reason in place of the feedback.
    """
    used = any(isinstance(item, WRITTEN[kind]) for item in items)
    if kind in spec.guides:
        guide = spec.guides[kind]
        return PromptHistory(
            kind=kind,
            source="given",
            converged=None,
            guide=guide,
            used=used,
        )
    rounds = _rounds(kind, items)
    scored = [entry for entry in rounds if entry.score is not None]
    accepted = [entry for entry in scored if _rank(entry)[0] >= spec.threshold]
    best = max(scored, key=_rank, default=None)
    candidates = [*accepted, *([best] if best else []), *(entry for entry in rounds if entry.draft)]
    return PromptHistory(
        kind=kind,
        source="single pass" if spec.single_pass else "optimised",
        rounds=rounds,
        converged=bool(accepted),
        best=best.round if best is not None else None,
        score=best.score if best is not None else None,
        guide=candidates[0].draft if candidates else "",
        used=used,
    )


def _rank(entry: PromptRound) -> tuple[int, int]:
    """By score; of several the earliest."""
    return entry.score or 0, -entry.round


def _rounds(kind: Kind, items: Collection[DeepQuestionItem]) -> tuple[PromptRound, ...]:
    steps: dict[tuple[str, int], Any] = {
        (item.type, item.round): item
        for item in items
        if isinstance(item, PromptDraft | PromptScore) and item.kind == kind
    }
    rounds = []
    for number in sorted(number for step, number in steps if step == "prompt_draft"):
        draft, score = steps["prompt_draft", number], steps.get(("prompt_score", number))
        fault = draft.fault or (score.fault if score else None)
        feedback = why(fault) if fault else score.feedback if score else ""
        value = score.score if score and not fault else None
        entry = PromptRound(round=number, draft=draft.text, score=value, feedback=feedback)
        rounds.append(entry)
    return tuple(rounds)


def goes_ahead(spec: DeepQuestionSpec, history: PromptHistory) -> bool:
    """Whether anything is written by a prompt: one that was given, the only draft of a single pass
    whatever its score, one that reached the threshold, and where it was asked for the best that has
    a score."""
    if history.source == "given":
        return True
    best = spec.use_best and history.best is not None
    return bool(history.guide and (spec.single_pass or history.converged or best))


def lost_drafting(items: Collection[DeepQuestionItem]) -> DeepQuestionItem | None:
    """The first draft or score that the infrastructure took."""
    steps = [item for item in items if isinstance(item, PromptDraft | PromptScore)]
    return next((item for item in steps if item.lost), None)


def guides_of(spec: DeepQuestionSpec, items: Collection[DeepQuestionItem]) -> dict[Kind, str]:
    """Kinds that go on, with their transformation prompts; empty prompts where what was written is
    given. None of them goes on while the infrastructure has cut off the drafting of any: problems
    would be played twice."""
    if spec.given:
        return dict.fromkeys(spec.kinds, "")
    if lost_drafting(items) is not None:
        return {}
    histories = prompt_histories(spec, items)
    return {history.kind: history.guide for history in histories if goes_ahead(spec, history)}
