"""DeepQuestion as plain lines: one per round of a prompt, per step that came to nothing, per closed problem."""

from ....state.deepquestion.items import PromptScore
from ....state.deepquestion.spec import DeepQuestionSpec
from ....state.events import ItemFinished, ProblemClosed
from ....state.items import DeepQuestionItem, deepquestion_items
from ....state.spec import Spec
from ...page import figures
from ...page.rows import Row, clip
from ...page.sanitise import model_name, one_line
from .steps import COLUMNS, DONE, LOST, MARKS, REJECTED, SIGNS, column_words, passes, score_words

FEEDBACK = 100
"""Cells of a feedback's start."""


def started_words(spec: DeepQuestionSpec) -> str:
    """Who takes part, how many problems there are, and what is asked of them."""
    roles = [] if spec.given else [f"generator {model_name(spec.generator)}"]
    roles += [f"evaluator {model_name(spec.evaluator)}", f"judge {model_name(spec.judge)}"]
    return "".join(f" · {part}" for part in [*roles, figures.count(spec.problems, "problem"), kind_words(spec)])


def kind_words(spec: DeepQuestionSpec) -> str:
    """`Q2S (none, some), Q2I`."""
    loads = {"q2s": f" ({', '.join(spec.distractors)})"}
    return ", ".join(f"{column_words(kind)}{loads.get(kind, '')}" for kind in spec.kinds)


def deepquestion_row(event: ItemFinished, spec: Spec | None) -> Row | None:
    """The event as one line; None for a step that went well and is no score of a prompt, and for other methods."""
    for item in deepquestion_items([event.item]):
        if item.fault is not None:
            return _lost(item)
        if isinstance(item, PromptScore) and spec is not None and spec.method == "deepquestion":
            return score_row(item, spec)
    return None


def score_row(item: PromptScore, spec: DeepQuestionSpec) -> Row:
    """`– Q2S prompt, round 1: 4/10 “The quantities are not …”`."""
    accepted = passes(item.score, spec)
    style = DONE if accepted else REJECTED
    last = not accepted and item.round >= spec.rounds
    said = f"{score_words(item.score, spec)}{', not converged' if last else ''}"
    feedback = clip(one_line(item.feedback[: 8 * FEEDBACK]), FEEDBACK)
    row: Row = [(f"{SIGNS[style]} ", style), (f"{column_words(item.kind)} prompt, round {item.round}: ", "quiet")]
    return [*row, (said, "title"), *([(f" “{feedback}”", "")] if feedback else [])]


def _lost(item: DeepQuestionItem) -> Row:
    place = one_line(figures.place(item.id))
    why = f"{item.fault.stage}: {item.fault.kind}, {one_line(item.fault.message)}" if item.fault else ""
    return [(f"{SIGNS[LOST]} ", LOST), (f"{place} ", "accuracy"), (f"({why})", LOST)]


def closed_row(event: ProblemClosed) -> Row:
    """`p007 closed: original ✓ right · Q2S some ✗ wrong · Q2I – rejected`."""
    row: Row = [(f"{one_line(event.problem)} closed:", "title")]
    for column in COLUMNS:
        if column in event.marks:
            mark = event.marks[column]
            sign = " · " if len(row) > 1 else " "
            row += [(f"{sign}{column_words(column)} ", ""), (f"{SIGNS[MARKS[mark]]} {mark}", MARKS[mark])]
    return row
