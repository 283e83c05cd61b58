"""What the pages of several methods say alike: how a run ended, its worst cases, and figures side
by side."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...state.rows import AnswerRow
from ..page import figures
from ..page.blocks import Block, Line, Text
from ..page.endings import ended_words
from ..page.remarks import left_out, sentence
from ..page.rows import clip
from ..page.sanitise import one_line
from .steps import Steps


def ending(
    steps: Steps, result: Any, total: int, unfinished: Sequence[str], *, told: bool = False
) -> list[str]:
    """How a run ended, unless everything was asked or it is `told` elsewhere, and which of its
    parts are not finished. `steps`: of its method."""
    lines = []
    if not told and (result.status != "complete" or result.stop_reason != "all_asked"):
        words = ended_words(result.spec, steps, result.status, one_line(result.stop_reason))
        detail = one_line(result.stop_detail).rstrip(".")
        more = f" ({detail})" if detail and detail not in words else ""
        lines.append(sentence(words + more))
    if unfinished:
        verb, all_parts = (
            "is" if len(unfinished) == 1 else "are",
            figures.count(total, steps.part),
        )
        out = (
            f"{len(unfinished):,} of {all_parts} {verb} not finished and excluded from all figures "
            "but the cost"
        )
        lines.append(f"{out}: {left_out(unfinished)}.")
    return lines


def wrong_case(head: str, texts: Mapping[str, str], step: str = "") -> list[str | Line]:
    """A wrong answer: where it was given, and what was asked, expected and said. `step`: the place
    of its step."""
    lines = [
        Line(clip(one_line(text), SHOWN), lead=f"{name}: ", indent=4)
        for name, text in texts.items()
        if text
    ]
    return [
        Line(head, lead=f"{figures.MARKS['wrong']} ", lead_style="wrong", step=step),
        *lines,
    ]


def wrong_answers(rows: Iterable[AnswerRow], most: int) -> Iterator[Block]:
    """Wrong answers to the questions that most answers are wrong to, one of each. Wordings of one
    question have a `question_id`, answers the id of their step as `answer_id`."""
    by_question: dict[tuple[str, Any], list[AnswerRow]] = defaultdict(list)
    for row in rows:
        if row.score is not None:
            by_question[row.run, row.tags.get("question_id", row.item)].append(row)
    worst = []
    for answers in by_question.values():
        wrong = [row for row in answers if not row.score]
        if wrong:
            worst.append((-len(wrong) / len(answers), -len(wrong), wrong[0]))
    worst.sort(key=lambda ranked: ranked[:2])
    lines = list[str | Line]()
    for *_, row in worst[:most]:
        place = figures.place(str(row.tags.get("answer_id", "")))
        texts = {name: row.texts.get(name, "") for name in CASE}
        lines += wrong_case(figures.joined([row.group, place]), texts, place)
    if lines:
        number = figures.count(len(worst), "question")
        yield Text(lines, f"First {min(most, len(worst))} of {number} answered wrongly")


SHOWN = 240
"""Characters of each."""
CASE = ("question", "options", "reference", "answer")
"""Texts of a wrong answer that are shown."""


def more_of(items: Sequence[Any], lines: int, style: str = "dim") -> list[str | Line]:
    """That there are more than so many."""
    return (
        [Line(f"and {len(items) - lines:,} more in the result", style)]
        if len(items) > lines
        else []
    )
