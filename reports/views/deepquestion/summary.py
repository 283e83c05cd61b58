"""What a DeepQuestion run found: the headline, what must stand beside it, the worst cases, and the
picture."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from ....graphs.answers import rows_of
from ....state.deepquestion.result import DeepQuestionResult
from ....state.problems import DISTRACTORS, LOADS
from ....state.rows import AnswerRow
from ...page import figures
from ...page.blocks import Block, Text
from ...page.chart.picture import Picture
from ...page.chart.runs import MOST_RUNS, notes
from ...page.sanitise import model_name
from ...page.view import PageOptions, View
from ..by_tag import by_measure, points, sides_of
from ..findings import ending, forced, wrong_case
from ..texts import CI, with_interval
from .labels import KIND_NAMES, given_words, prompt_words
from .steps import STEPS
from .tables import ACCURACIES, blocks, shown

OVER = "each over its own problems; Q2S and Q2I: those whose texts passed their checks"


def _title(result: DeepQuestionResult) -> tuple[str, list[str]]:
    spec = result.spec
    parts = [model_name(spec.target), " and ".join(KIND_NAMES[kind] for kind in spec.kinds)]
    parts.append(given_words(result) if spec.given else f"generator {model_name(spec.generator)}")
    parts += [f"evaluator {model_name(spec.evaluator)}", f"judge {model_name(spec.judge)}"]
    return spec.benchmark, [*parts, f"seed {spec.seed}"]


def _headline(result: DeepQuestionResult) -> str:
    """`original 93% (95% interval 87–97) → Q2S some 88% (81–93) → Q2I 40% (31–50) · drop some 5%
    (−2 to 12) · 100 problems`."""
    total = figures.count(result.spec.problems, "problem")
    size = f"{len(result.problems):,} of {total}" if result.open_problems else total
    figures_of = {
        head: with_interval(entry.value, entry.interval, "percent", CI * (head == "original"))
        for head, entry in by_measure(rows_of(result), shown()).items()
    }
    if not figures_of:
        return f"nothing was measured · {size}"
    changes = [head for head in figures_of if head.startswith(("drop", "distance"))]
    way = " → ".join(f"{head} {entry}" for head, entry in figures_of.items() if head not in changes)
    return figures.joined([way, *(f"{head} {figures_of[head]}" for head in changes), size])


def _warnings(result: DeepQuestionResult) -> list[str]:
    """That nothing was written for want of a prompt."""
    return [
        f"NOTHING GENERATED for {KIND_NAMES[entry.kind]}: {prompt_words(entry, result.spec)}."
        for entry in result.prompts
        if not (entry.used or entry.converged or entry.source == "given")
    ]


def _remarks(result: DeepQuestionResult) -> list[str]:
    under_threshold = [entry for entry in result.prompts if entry.used and entry.converged is False]
    wished = [f"Used on request: {prompt_words(entry, result.spec)}." for entry in under_threshold]
    end_lines = ending(STEPS, result, result.spec.problems, result.open_problems)
    return [*end_lines, *wished, *_losses(result), *forced(result)]


def _losses(result: DeepQuestionResult) -> list[str]:
    unscored = Counter(row.condition for row in rows_of(result) if row.score is None)
    judged = [result.baseline, result.q2i.comparisons if result.q2i else None]
    unscored["comparisons by the judge"] = sum(
        entry.unscored for entry in judged if entry is not None
    )
    lines = ", ".join(f"{name} {number:,}" for name, number in unscored.items() if number)
    return [f"Lost to faults and excluded from all figures: {lines}."] if lines else []


def _cases(result: DeepQuestionResult, how: PageOptions) -> Iterator[Block]:
    """Wrong answers: first those in a scenario of a problem that is solved as it stands, with the
    fewest distractors first."""
    rows = rows_of(result)
    solved = {row.group for row in rows if row.condition == "original" and row.score}

    def rank(row: AnswerRow) -> tuple[bool, int]:
        load = next((load for load in LOADS if load == row.tags.get("load")), None)
        return load is None or row.group not in solved, DISTRACTORS[load or "none"]

    wrong = sorted((row for row in rows if row.score == 0), key=rank)
    lines = [
        line
        for row in wrong[: how.cases]
        for line in wrong_case(
            f"{row.tags['problem']} · {row.condition}", row.texts, str(row.tags["problem"])
        )
    ]
    if lines:
        number = figures.count(len(wrong), "wrong answer")
        yield Text(lines, f"{min(how.cases, len(wrong))} of {number}, scenarios first")


def pictures(results: Sequence[DeepQuestionResult], _: Any = None) -> Iterator[Picture]:
    """Accuracy on originals, on scenarios by load and in Q2I. Without any figure there is no
    picture."""
    runs = results[:MOST_RUNS]
    measures = shown(ACCURACIES)
    sides = {label: by_measure(rows, measures) for label, rows in sides_of(runs, rows_of).items()}
    unfinished = [
        f"{run.spec.target}: {len(run.problems)} of {run.spec.problems} problems are finished."
        for run in runs
        if run.open_problems
    ]
    lines = [
        *notes(results, {run.run_id: run for run in runs}, "runs", unfinished),
        *dict.fromkeys(f"{given_words(run)}." for run in runs if run.spec.given),
        f"Accuracy with its 95% interval, {OVER}. Q2I is another task.",
    ]
    title = "Accuracy on originals, scenarios (Q2S) and written questions (Q2I)"
    picture = points("drop", title, {"": sides}, said=lines)
    if picture is not None:
        yield picture


VIEW = View(
    headline=_headline,
    title=_title,
    warnings=_warnings,
    remarks=_remarks,
    cases=_cases,
    blocks=blocks,
    pictures=pictures,
)
