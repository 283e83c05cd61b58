"""What a DeepQuestion run found: the headline, what must stand beside it, the tables and the
picture."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...reports.page import figures
from ...reports.page.blocks import Block, Column, Table, Text
from ...reports.page.forms import CI, with_interval
from ...reports.page.picture import Picture
from ...reports.page.sanitise import model_name
from ...reports.page.view import PageOptions, View
from ...reports.views.abstention import abstention_table
from ...reports.views.by_tag import by_measure, by_tag, measured, parts_of
from ...reports.views.findings import ending, wrong_answers
from ...reports.views.pictures import points_of
from ...state.deepquestion.result import Comparisons, DeepQuestionResult
from .measures import ACCURACIES, LOSSES, MEASURES
from .rows import rows_of
from .steps import STEPS, prompt_words

CHANGES = (
    "drop: original minus scenario over problems with both, positive where scenarios are harder; "
    "distance: original minus Q2I, another task, so that there is no test of it"
)
WINS = (
    "win: the written question is preferred in both orders, loss: the original is; win %: (wins + "
    "ties/2)/pairs"
)
WIN_COLUMNS = (
    Column("", "criterion"),
    Column("win", "wins", "count"),
    Column("tie", "ties", "count"),
    Column("loss", "losses", "count"),
    Column("win %", "win_rate", "whole", interval="ci", style="bold"),
    Column("contrad.", "contradictory", "count", "contrad.: the same place in both orders"),
)


def _headline(result: DeepQuestionResult) -> str:
    """`original 93% (95% interval 87–97) → Q2S some 88% (81–93) → Q2I 40% (31–50) · drop some 5%
    (−2 to 12) · 100 problems`. Of several loads the other ones stand in the table."""
    rows, size = rows_of(result), figures.count(result.spec.problems, "problem")
    if result.open_problems:
        size = f"{len(result.problems):,} of {size}"
    loads = result.spec.distractors
    main = "some" if "some" in loads else loads[-1]
    rows = [row for row in rows if row.tags.get("load") in (None, main)]
    accuracies, losses = by_measure(rows, ACCURACIES), by_measure(rows, LOSSES)
    if not accuracies:
        return f"nothing was measured · {size}"
    words = {
        head: f"{head} {with_interval(entry.value, entry.interval, 'percent', CI * (not place))}"
        for place, (head, entry) in enumerate((accuracies | losses).items())
    }
    way = " → ".join(words[head] for head in accuracies)
    return figures.joined([way, *(words[head] for head in losses), size])


def _warnings(result: DeepQuestionResult) -> list[str]:
    """That nothing was written for want of a prompt."""
    return [
        f"NOTHING GENERATED for {entry.kind.upper()}: {prompt_words(entry, result.spec)}."
        for entry in result.prompts
        if not (entry.used or entry.converged or entry.source == "given")
    ]


def _remarks(result: DeepQuestionResult) -> list[str]:
    unscored = Counter(row.condition for row in rows_of(result) if row.score is None)
    for compared in (result.baseline, result.q2i.comparisons if result.q2i else None):
        unscored["comparisons by the judge"] += compared.unscored if compared else 0
    unscored.update({f"{kind.upper()} texts": n for kind, n in result.unwritten.items()})
    faults = ", ".join(f"{name} {number:,}" for name, number in unscored.items() if number)
    return [
        *ending(STEPS, result, result.spec.problems, result.open_problems),
        *([f"Lost to faults and excluded from all figures: {faults}."] if faults else []),
    ]


def _cases(result: DeepQuestionResult, how: PageOptions) -> Iterator[Block]:
    named = (
        replace(row, group=f"{row.tags['problem']} · {row.condition}")
        for row in rows_of(result)
    )
    return wrong_answers(named, how.cases)


def _blocks(result: DeepQuestionResult, how: PageOptions) -> Iterator[Block]:
    """All tables of a result."""
    rows = rows_of(result)
    if any(row.score is not None for row in rows):
        yield measured(rows, (*ACCURACIES, *LOSSES), "Original → Q2S → Q2I")
        yield Text([CHANGES, *_tests(result)])
        if len(parts_of(rows, "category")) > 1:
            yield by_tag("By category", rows, ACCURACIES, "category")
        yield from abstention_table(rows, MEASURES, "task")
    if result.q2i is not None:
        reasons = [f"{reason} {number}" for reason, number in result.q2i.invalid.items()]
        if reasons:
            attempts = figures.count(result.q2i.accuracy.n, "attempt")
            yield Text([f"Not valid of {attempts} at Q2I: {', '.join(reasons)}."])
        if result.q2i.comparisons.pairs:
            yield _wins(result.q2i.comparisons, result.baseline, result.spec.judge)
    prompts = [
        f"{prompt_words(entry, result.spec)}, {'used' if entry.used else 'not used'}"
        for entry in result.prompts
    ]
    if prompts:
        yield Text(prompts, "Transformation prompts")
    yield from _rejected(result)
    if result.problems:
        hint = "shows a problem with all its texts, questions and answers."
        yield from how.command(result, f"--path {result.problems[0].id}", hint)


def _tests(result: DeepQuestionResult) -> Iterator[str]:
    """McNemar's test of each drop, each load for itself."""
    for row in result.q2s:
        if row.drop is not None:
            p_value, number = figures.p_value(row.drop.mcnemar_p), row.drop.n
            problems = figures.count(number, "problem")
            yield f"McNemar's exact test of {row.load} alone: p {p_value} over {problems}"


def _wins(created: Comparisons, baseline: Comparisons | None, judge: str) -> Table:
    """Written questions against the originals, by criterion, and how the judge leans to a place, in
    these and between two originals (`baseline`)."""
    lines = [f"judged by {model_name(judge)}", WINS]
    for words, compared in (("these pairs", created), ("pairs of originals", baseline)):
        if compared is not None:
            overall = compared.position[-1]
            share = with_interval(overall.first_share, overall.ci, "percent")
            lines.append(
                f"the first position is preferred in {share} of {words}, whoever is there"
            )
    pairs = figures.count(created.pairs, "pair")
    title = f"Written questions against the originals, {pairs} in both orders"
    return Table(title, WIN_COLUMNS, created.criteria, lines)


def _rejected(result: DeepQuestionResult) -> Iterator[Block]:
    """Rejected texts by kind and check, each with one example; nothing without any."""
    numbers = Counter((entry.kind, entry.check) for entry in result.rejected)
    first = {(entry.kind, entry.check): entry for entry in reversed(result.rejected)}
    lines = [
        f"{kind.upper()} {check}: {number}, such as {first[kind, check].problem}: "
        f"{first[kind, check].reason}"
        for (kind, check), number in numbers.items()
    ]
    if lines:
        yield Text(lines, "Rejected")


def pictures(results: Sequence[DeepQuestionResult]) -> Iterator[Picture]:
    """Accuracy on originals, on scenarios by load and in Q2I. Without any figure there is no
    picture."""
    words = (
        "Each over its own problems; Q2S and Q2I: those whose texts passed their checks. Q2I is "
        "another task."
    )
    title = "Accuracy on originals, scenarios (Q2S) and written questions (Q2I)"
    return points_of("drop", title, results, rows_of, ACCURACIES, words)


VIEW = View(
    headline=_headline,
    warnings=_warnings,
    remarks=_remarks,
    cases=_cases,
    blocks=_blocks,
    pictures=pictures,
)
