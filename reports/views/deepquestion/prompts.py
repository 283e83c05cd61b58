"""How DeepQuestion's transformation prompts came about: each round with its score, its feedback and its draft."""

from collections.abc import Iterator, Sequence

from ....state.deepquestion.result import DeepQuestionResult, PromptHistory
from ...page import figures
from ...page.blocks import Block, Column, Line, Table, Text
from ...page.sanitise import model_name
from .labels import KIND_NAMES, kinds_words, scores_words, source_words


def unconverged(result: DeepQuestionResult) -> list[str]:
    """For each kind without a prompt that could be used: that nothing was generated, and what can be done about it."""
    said: list[str] = []
    failed: list[PromptHistory] = []
    for history in result.prompts:
        if history.used or history.source == "given" or history.converged:
            continue
        name = KIND_NAMES[history.kind]
        if not history.rounds:
            said.append(f"NOTHING GENERATED for {name}: no draft of its prompt was written.")
        elif history.source == "single pass":
            said.append(f"NOTHING GENERATED for {name}: the only draft of its prompt could not be used.")
        elif _cut_off(result, history):
            drafts = f"{len(history.rounds)} of at most {result.spec.rounds}"
            said.append(f"NOTHING GENERATED for {name}: the run ended after draft {drafts} of its prompt.")
        else:
            failed.append(history)
            said.append(f"NOT CONVERGED: {_missed(result, history)} Nothing was generated for {name}.")
    return [*said, *([_steps(result, failed)] if failed else [])]


def _steps(result: DeepQuestionResult, failed: Sequence[PromptHistory]) -> str:
    """What can be done where no draft was good enough."""
    spec = result.spec
    any_best = not spec.use_best and any(history.score is not None for history in failed)
    steps = ["--use-best takes the best draft anyway"] if any_best else []
    steps += [f"--rounds above {spec.rounds} allows more drafts", "another --generator may write better ones"]
    return (
        f"What to do for {kinds_words(history.kind for history in failed)}: {', '.join(steps[:-1])}, and {steps[-1]}."
    )


def _missed(result: DeepQuestionResult, history: PromptHistory) -> str:
    best = "no draft got a score"
    if history.score is not None:
        best = f"the best, of round {history.best}, has {history.score}"
    number = figures.count(len(history.rounds), "draft")
    threshold = result.spec.threshold
    return f"none of {number} of the {KIND_NAMES[history.kind]} prompt reached {threshold} of 10 ({best})."


def _cut_off(result: DeepQuestionResult, history: PromptHistory) -> bool:
    """Whether the run ended before the loop did."""
    early = result.status != "complete" and result.stop_reason != "not_converged"
    return early and len(history.rounds) < result.spec.rounds


COLUMNS = (
    Column("", "name"),
    Column("scores of 10", "scores", fold=True),
    Column("prompt", "source", fold=True),
    Column("used", "used"),
)


def draft_blocks(result: DeepQuestionResult, *, rounds: bool, whole: bool) -> Iterator[Block]:
    """How the prompts came about; nothing where everything written was given.

    `rounds`: also feedback and draft of each round, cut short. `whole`: the same, uncut, and the prompts given.
    """
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
    accepted = f"a draft is accepted from {spec.threshold} of 10 on, scored by {model_name(spec.evaluator)}"
    loops = any(history.source == "optimised" for history in result.prompts)
    yield Table("Transformation prompts", COLUMNS, rows, [accepted] if loops else [])
    lines = [line for history in result.prompts for line in _rounds(history, 0 if whole else 2)]
    if lines and (rounds or whole):
        yield Text(lines)


def _rounds(history: PromptHistory, lines: int) -> Iterator[Line]:
    """Every round with score, feedback and draft, cut to so many lines; 0: whole."""
    name = KIND_NAMES[history.kind]
    for each in history.rounds:
        score = "no score" if each.score is None else f"{each.score} of 10"
        used = "used" if history.used else "accepted" if history.converged else "the best, not used"
        best = f" · {used}" if each.round == history.best else ""
        yield Line(f"round {each.round}: {score}{best}", lead=f"{name} ", lead_style="bold")
        held = (("feedback", each.feedback), ("draft", each.draft))
        yield from (
            Line(text, lead=f"{what}: ", indent=4, lines=lines, ends=not lines) for what, text in held if text.strip()
        )
    if history.source == "given":
        yield Line("the prompt that was given", lead=f"{name} ", lead_style="bold")
        yield Line(history.guide, lead="prompt: ", indent=4, lines=lines, ends=not lines)
