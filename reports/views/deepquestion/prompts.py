"""How DeepQuestion's transformation prompts came about: each round with its score, its feedback and
its draft."""

from collections.abc import Iterable, Iterator, Sequence

from ....state.deepquestion.items import Kind, PromptDraft, PromptScore
from ....state.deepquestion.result import DeepQuestionResult, PromptHistory
from ....state.deepquestion.spec import DeepQuestionSpec
from ...page import figures
from ...page.blocks import Block, Column, Table
from ...page.sanitise import model_name
from .labels import KIND_NAMES, kinds_words


def unconverged(result: DeepQuestionResult) -> list[str]:
    """For each kind without a prompt that could be used: that nothing was generated, and what can
    be done about it."""
    spec, said, failed = result.spec, list[str](), list[PromptHistory]()
    early = result.status != "complete" and result.stop_reason != "not_converged"
    for history in result.prompts:
        if history.used or history.source == "given" or history.converged:
            continue
        name, drafts = KIND_NAMES[history.kind], len(history.rounds)
        nothing = f"NOTHING GENERATED for {name}:"
        if not drafts:
            said.append(f"{nothing} no draft of its prompt was written.")
        elif history.source == "single pass":
            said.append(f"{nothing} the only draft of its prompt could not be used.")
        elif early and drafts < spec.rounds:
            said.append(
                f"{nothing} the run ended after draft {drafts} of at most {spec.rounds} of "
                "its prompt."
            )
        else:
            failed.append(history)
            scored = f"the best, of round {history.best}, has {history.score}"
            best = "no draft got a score" if history.score is None else scored
            said.append(
                f"NOT CONVERGED: none of {figures.count(drafts, 'draft')} of the {name} prompt "
                f"reached {spec.threshold}"
                f" of 10 ({best}). Nothing was generated for {name}."
            )
    return [*said, *([_advice(result, failed)] if failed else [])]


def _advice(result: DeepQuestionResult, failed: Sequence[PromptHistory]) -> str:
    """What can be done where no draft was good enough."""
    any_best = not result.spec.use_best and any(history.score is not None for history in failed)
    steps = ["--use-best takes the best draft anyway, "] if any_best else []
    steps.append(
        f"--rounds above {result.spec.rounds} allows more drafts, and another --generator may "
        "write better ones"
    )
    return f"What to do for {kinds_words(history.kind for history in failed)}: {''.join(steps)}."


COLUMNS = (
    Column("", "name"),
    Column("scores of 10", "scores", fold=True),
    Column("prompt", "source", fold=True),
    Column("used", "used"),
)


def scores_words(history: PromptHistory) -> str:
    """The score of each draft in turn: `5 → 6 → 9`; a dash for a draft without one."""
    return (
        " → ".join(
            figures.NONE if each.score is None else str(each.score) for each in history.rounds
        )
        or figures.NONE
    )


def source_words(history: PromptHistory, rounds: int) -> str:
    """How a prompt came about: `loop, accepted in round 3 of at most 5`."""
    if history.source == "given":
        return "given"
    if not history.rounds:
        return "no draft was written"
    if history.source == "single pass":
        return "single pass: the first draft, whatever its score"
    if history.converged:
        return f"loop, accepted in round {history.best} of at most {rounds}"
    best = (
        f"the best is of round {history.best}"
        if history.best is not None
        else "no draft has a score"
    )
    return f"loop, not converged: {best}" + (", used on request" if history.used else "")


def draft_blocks(result: DeepQuestionResult) -> Iterator[Block]:
    """How the prompts came about; nothing where everything written was given."""
    if not result.prompts:
        return
    spec = result.spec
    rows = [
        {
            "name": KIND_NAMES[each.kind],
            "scores": scores_words(each),
            "source": source_words(each, spec.rounds),
            "used": "yes" if each.used else "no",
        }
        for each in result.prompts
    ]
    accepted = (
        f"a draft is accepted from {spec.threshold} of 10 on, scored by "
        f"{model_name(spec.evaluator)}"
    )
    loops = any(history.source == "optimised" for history in result.prompts)
    yield Table("Transformation prompts", COLUMNS, rows, [accepted] if loops else [])


# while the run goes on


def passes(score: int | None, spec: DeepQuestionSpec) -> bool:
    """Whether a draft with this score is used without further ado."""
    return spec.single_pass or (score is not None and score >= spec.threshold)


def score_words(score: int | None, spec: DeepQuestionSpec) -> str:
    """`4/10`, `9/10 accepted`, `4/10 single pass`."""
    said = "no score" if score is None else f"{score}/10"
    return (
        f"{said} single pass"
        if spec.single_pass
        else f"{said} accepted"
        if passes(score, spec)
        else said
    )


def prompt_words(
    items: Iterable[PromptDraft | PromptScore], kind: Kind, spec: DeepQuestionSpec
) -> list[str]:
    """How the prompt of a kind comes about: `round 1 4/10`, `round 2 9/10 accepted`; at the end
    that no draft was."""
    scores, over = dict[int, int | None](), False
    for item in (each for each in items if each.kind == kind):
        score = item.score if isinstance(item, PromptScore) else None
        scores[item.round] = score
        # a score that could not be read is none, and the loop goes on; without a draft it cannot
        ended = (
            item.fault is not None
            if isinstance(item, PromptDraft)
            else item.lost or passes(score, spec)
        )
        over = ended or (isinstance(item, PromptScore) and item.round >= spec.rounds)
    under_way = max(scores, default=0) if not over else 0
    rounds = [
        (
            f"round {number} "
            f"{'under way' if number == under_way and score is None else score_words(score, spec)}"
        )
        for number, score in sorted(scores.items())
    ]
    if not over or any(passes(score, spec) for score in scores.values()):
        return rounds
    held = [(-score, number) for number, score in scores.items() if score is not None]
    best = f", round {min(held)[1]} is used" if spec.use_best and held else ""
    return [*rounds, f"not converged{best}"]
