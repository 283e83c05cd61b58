"""How own questions are told: the share right, by topic and level, and the references to look at."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ...reports.page import figures
from ...reports.page.blocks import Block, Line, Text
from ...reports.page.forms import CI, with_interval
from ...reports.page.picture import Picture
from ...reports.page.view import PageOptions, View
from ...reports.views.abstention import abstention_table
from ...reports.views.by_tag import by_tag, by_tier
from ...reports.views.findings import ending, wrong_answers
from ...reports.views.pictures import points_of
from ...state.ask.result import AskResult, Flag
from ...state.rows import AnswerRow
from ...state.worlds import label_of
from .measures import ACCURACY, MEASURES
from .result import AGREED
from .rows import rows_of
from .steps import STEPS

LOOK = "Look at these references"


def _headline(result: AskResult) -> str:
    accuracy = with_interval(result.accuracy, result.accuracy_ci, "percent", CI)
    return f"accuracy {accuracy} · {figures.count(len(result.answers), 'question')}"


def _remarks(result: AskResult) -> list[str]:
    abstained = sum(row.verdict == "abstained" for row in rows_of(result))
    total = len(result.spec.questions)
    return [
        *ending(STEPS, result, total, []),
        *([f"{abstained} abstained, which is not right"] if abstained else []),
        *([f"lost to faults: {figures.stages(result.unscored)}"] if result.unscored else []),
    ]


def _cases(result: AskResult, options: PageOptions) -> Iterator[Block]:
    rows = [replace(row, group=str(row.tag("topic"))) for row in rows_of(result)]
    return wrong_answers(rows, options.cases)


def _blocks(result: AskResult, options: PageOptions) -> Iterator[Block]:
    rows = rows_of(result)
    if any(row.tag("topic") for row in rows):
        yield by_tag("By topic", rows, [ACCURACY], "topic")
    if any(row.tag("tier") for row in rows):
        yield by_tier("By level", rows, [ACCURACY])
    yield from abstention_table(rows, MEASURES, "topic")
    yield from _look(result.flags)


def _look(flags: Iterable[Flag], title: str = LOOK) -> Iterator[Block]:
    """Questions whose reference may be wrong, each with the reasons."""
    lines: list[str | Line] = []
    for flag in flags:
        lines.append(Line(flag.text, "bold", lead=f"q{flag.question:03d} "))
        lines.append(Line(flag.reference, lead="reference: ", indent=4))
        lines += [Line(why, indent=4) for why in flag.why]
    if lines:
        yield Text(lines, title)


def _compare(results: Sequence[AskResult]) -> Iterator[Block]:
    """What several models, and the evaluator closed book, agree on against a reference."""
    answers = defaultdict[str, dict[str, AnswerRow]](dict)
    evaluators: dict[str, str] = {}
    for result in results:
        evaluators[result.spec.target] = result.spec.evaluator
        for row in rows_of(result):
            answers[row.item][row.model] = row
    flags = list[Flag]()
    for rows in answers.values():
        if len(rows) > 1 and all(_agrees(row, evaluators) for row in rows.values()):
            first = next(iter(rows.values()))
            models = dict.fromkeys([*rows, *(evaluators[model] for model in rows)])
            *names, last = map(label_of, models)
            step = figures.place(str(first.tag("answer_id")))
            flag = Flag(
                question=int(step.removeprefix("q")),
                text=first.texts["question"],
                reference=first.texts["reference"],
                why=(AGREED.format(", ".join(names), last, first.texts["answer"]),),
            )
            flags.append(flag)
    yield from _look(flags, f"{LOOK}: all models agree on another answer")


def _agrees(row: AnswerRow, evaluators: Mapping[str, str]) -> bool:
    """Whether a wrong answer says what the evaluator says; the evaluator's own does."""
    is_own = evaluators[row.model] == row.model
    return row.verdict == "wrong" and bool(row.tag("peer") or is_own)


def _pictures(results: Sequence[AskResult]) -> Iterator[Picture]:
    return points_of("ask", "Own questions", results, rows_of, [ACCURACY], "Share right.")


VIEW = View(
    headline=_headline,
    remarks=_remarks,
    cases=_cases,
    blocks=_blocks,
    compare=_compare,
    pictures=_pictures,
)
