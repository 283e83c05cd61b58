"""How the transformation prompts came about: drafts, their scores, and which of them is used."""

from collections.abc import Collection

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
    """The drafts of one kind among a run's items. It may be asked for in the middle of the loop."""
    used = any(isinstance(item, WRITTEN[kind]) for item in items)
    if kind in spec.guides:
        guide = spec.guides[kind]
        return PromptHistory(kind=kind, source="given", converged=None, guide=guide, used=used)
    rounds = _rounds(kind, items)
    # the first one accepted, else the best one, the earliest of several
    accepted = [entry for entry in rounds if (entry.score or 0) >= spec.threshold]
    best = max(rounds, key=lambda entry: (entry.score or 0, -entry.round), default=None)
    if best is not None and best.score is None:
        best = None
    drafts = [entry for entry in rounds if entry.draft]
    guides = [*accepted, *([best] if best else []), *drafts]
    return PromptHistory(
        kind=kind,
        source="single pass" if spec.single_pass else "optimised",
        rounds=rounds,
        converged=bool(accepted),
        best=best.round if best else None,
        score=best.score if best else None,
        guide=guides[0].draft if guides else "",
        used=used,
    )


def _rounds(kind: Kind, items: Collection[DeepQuestionItem]) -> tuple[PromptRound, ...]:
    """A draft or a score that did not come about has the reason in place of the feedback."""
    drafts, scores = dict[int, PromptDraft](), dict[int, PromptScore]()
    for item in items:
        if isinstance(item, PromptDraft) and item.kind == kind:
            drafts[item.round] = item
        elif isinstance(item, PromptScore) and item.kind == kind:
            scores[item.round] = item
    rounds = []
    for number, draft in sorted(drafts.items()):
        score = scores.get(number)
        fault = draft.fault or (score and score.fault)
        entry = PromptRound(
            round=number,
            draft=draft.text,
            score=score.score if score and not fault else None,
            feedback=why(fault) if fault else score.feedback if score else "",
        )
        rounds.append(entry)
    return tuple(rounds)


def goes_ahead(spec: DeepQuestionSpec, history: PromptHistory) -> bool:
    """Whether anything is written by a prompt: one that was given, the only draft of a single pass
    whatever its score, one that reached the threshold, and where it was asked for the best that has
    a score."""
    best = spec.use_best and history.best is not None
    good_enough = history.converged is not False
    return bool(history.guide) and (spec.single_pass or good_enough or best)


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
