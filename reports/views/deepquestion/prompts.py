"""How DeepQuestion's transformation prompts came about: each round with its score, its feedback and its draft."""

from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text

from ....state.deepquestion.result import DeepQuestionResult, PromptHistory, PromptRound
from ...page import figures
from ...page.rows import STYLES, clip
from ...page.sanitise import model_name, one_line
from ...page.tables import Column, table_of, under
from ...trace import field, line
from .labels import KIND_NAMES, kinds_words, scores_words, source_words

LINES = 2
"""Lines that feedback and drafts are cut to, unless they are wanted whole."""


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


def prompt_part(
    result: DeepQuestionResult, *, width: int, rounds: bool = False, whole: bool = False
) -> list[RenderableType]:
    """How the prompts came about; nothing where everything written was given.

    `rounds`: also feedback and draft of each round, cut short. `whole`: the same, uncut, and the prompts given.
    """
    if not result.prompts:
        return []
    columns: tuple[Column[PromptHistory], ...] = (
        Column("", lambda h: KIND_NAMES[h.kind], text=True, fixed=True),
        Column("scores of 10", scores_words, text=True),
        Column("prompt", lambda h: source_words(h, result.spec.rounds), text=True),
        Column("used", lambda h: "yes" if h.used else "no"),
    )
    parts = under("Transformation prompts", table_of(columns, result.prompts, width=width))
    if any(history.source == "optimised" for history in result.prompts):
        said = (
            f"a draft is accepted from {result.spec.threshold} of 10 on, scored by {model_name(result.spec.evaluator)}"
        )
        parts.append(Text(said, "dim"))
    if rounds or whole:
        parts += prompt_rounds(result.prompts, width=width, whole=whole)
    return ["", *parts]


def prompt_rounds(histories: Sequence[PromptHistory], *, width: int, whole: bool = False) -> list[RenderableType]:
    """Every round of every kind, with score, feedback and draft; cut to a few lines unless `whole`."""
    parts: list[RenderableType] = []
    for history in histories:
        name = KIND_NAMES[history.kind]
        for each in history.rounds:
            parts += [_heading(name, history, each), *_texts(each, width, whole=whole)]
        if history.source == "given":
            parts.append(Text.assemble((f"{name} ", "bold"), "the prompt that was given"))
            parts.append(_field("prompt", history.guide, width, whole=whole))
    return parts


def _heading(name: str, history: PromptHistory, each: PromptRound) -> Text:
    score = "no score" if each.score is None else f"{each.score} of 10"
    text = Text.assemble((f"{name} ", "bold"), f"round {each.round}: ", (score, "bold"))
    if each.round == history.best:
        used = "used" if history.used else "accepted" if history.converged else "the best, not used"
        text.append(f" · {used}", STYLES["correct"] if history.used or history.converged else STYLES["warning"])
    return text


def _texts(each: PromptRound, width: int, *, whole: bool) -> list[RenderableType]:
    held = (("feedback", each.feedback), ("draft", each.draft))
    return [_field(name, text, width, whole=whole) for name, text in held if text.strip()]


def _field(name: str, text: str, width: int, *, whole: bool) -> RenderableType:
    if whole:
        return field(name, text)
    room = max(20, (width - 4) * LINES - len(name) - 12)  # lines break at words and are not full
    return line(Text.assemble((f"{name}: ", "dim"), clip(one_line(text[: 8 * room]), room)))
