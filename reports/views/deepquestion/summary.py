"""What a DeepQuestion run found, as a reader sees it at the end: the headline first, the small print after."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.text import Text

from ....state.deepquestion.items import DISTRACTORS
from ....state.deepquestion.result import Comparisons, DeepQuestionComparison, DeepQuestionResult, PromptHistory
from ...page import figures
from ...page.endings import ended_sentence
from ...page.remarks import IN_FULL, SIMULATED, deviations_part, kept_in, left_out, listed, sentence
from ...page.rows import STYLES
from ...page.sanitise import model_name, one_line
from ...page.usage import usage_part
from .compare import comparison_tables
from .judged import position_part, wins_part
from .labels import KIND_NAMES, kinds_words, share_words
from .prompts import prompt_part, unconverged
from .rejected import rejected_part
from .reused_texts import given_words
from .tables import accuracy_part, invalid_part


def deepquestion_summary(
    result: DeepQuestionResult,
    *,
    width: int,
    kept: Path | None = None,
    prompts: bool = False,
    in_full: bool = True,
    headline_last: bool = False,
) -> RenderableType:
    """One run, for a console `width` cells wide. `kept`: the run's folder.

    `prompts`: every draft of a transformation prompt and all feedback, uncut. `in_full`: list every deviation from the
    published method, and show every draft cut short; otherwise they are counted. `headline_last`: for a terminal, where
    what was printed first has scrolled away.
    """
    deviations = deviations_part(result, kept, in_full=in_full)
    small = [*usage_part(result, width=width), *listed("Notes", result.notes), *deviations]
    end: list[RenderableType] = ["", Text(f"took {figures.duration(result.wall_s)}", "dim"), *kept_in(kept)]
    tables = _tables(result, width)
    written = [
        *prompt_part(result, width=width, rounds=in_full, whole=prompts),
        *rejected_part(result, width=width),
        *_pointer(result, kept),
    ]
    failed: list[RenderableType] = [Text(line, STYLES["error"]) for line in unconverged(result)]
    remarks: list[RenderableType] = [Text(line) for line in deepquestion_remarks(result)]
    best = Text(deepquestion_headline(result), "bold")
    if headline_last:
        return Group(*small[1:], *end, *written, *tables, "", *_heading(result), *remarks, best, *failed)
    return Group(*_heading(result), *failed, best, *remarks, *tables, *written, *small, *end)


def _tables(result: DeepQuestionResult, width: int) -> list[RenderableType]:
    row = result.q2i
    if not _measured(result):
        return []
    parts: list[RenderableType] = ["", *accuracy_part(result, width=width), *invalid_part(row, width=width)]
    created: Comparisons | None = row.comparisons if row else None
    if created:
        parts += wins_part(created, result.spec.judge, width=width)
    return [*parts, *position_part(created, result.baseline, width=width)]


def _measured(result: DeepQuestionResult) -> bool:
    shares = [result.original, *(row.accuracy for row in result.q2s)]
    return any(share.n for share in (*shares, *([result.q2i.accuracy] if result.q2i else [])))


def deepquestion_brief(result: DeepQuestionResult, *, width: int, kept: Path | None = None) -> RenderableType:
    """One run's headline and what must stand beside it; `fathom show` has the rest."""
    failed = [Text(line, STYLES["error"]) for line in unconverged(result)]
    lines = [Text(deepquestion_headline(result), "bold"), *(Text(line) for line in deepquestion_remarks(result))]
    return Group(*_heading(result), *failed, *lines, *kept_in(kept))


def deepquestion_headline(result: DeepQuestionResult) -> str:
    """`original 93% (95% CI 87–97) → Q2S 88% (81–93) → Q2I 40% (31–50) · drop +5 points (95% CI −1 to +11, p .180) ·
    distance to Q2I +53 (+42 to +63) · 100 problems`."""
    if not _measured(result):
        return f"nothing was measured · {_sizes(result)}"
    told = _differing(result)
    way = [
        _with_n(
            f"original {share_words(result.original).replace('(', '(95% CI ')}", [result.original.n] if told else []
        )
    ]
    way += [_q2s(result, told)] if result.q2s else []
    way += [_q2i(result, told)] if result.q2i else []
    return figures.joined([" → ".join(way), *_changes(result), _sizes(result)])


def _differing(result: DeepQuestionResult) -> bool:
    """Whether the accuracies are not all over the same number of problems, so that each needs its own."""
    shares = [result.original, *(row.accuracy for row in result.q2s), *([result.q2i.accuracy] if result.q2i else [])]
    return len({share.n for share in shares}) > 1


def _with_n(said: str, numbers: Sequence[int], originals: Sequence[float | None] = ()) -> str:
    """An accuracy with the problems it is over, and accuracy on the originals of these: `Q2S 51% (36–67, n 37, their
    originals 51%)`. Several are those of the loads in turn; those that are all alike are told once."""
    more = [f"n {_in_turn([f'{number:,}' for number in numbers])}"] if numbers else []
    more += [f"their originals {_in_turn([figures.whole(each) for each in originals])}%"] if any(originals) else []
    if not more:
        return said
    return f"{said.removesuffix(')')}, {', '.join(more)})" if said.endswith(")") else f"{said} ({', '.join(more)})"


def _in_turn(said: Sequence[str]) -> str:
    return said[0] if len(set(said)) == 1 else "/".join(said)


def _q2s(result: DeepQuestionResult, told: bool) -> str:
    """With several loads `Q2S 90/86/80% with 0/2/5 distractors`. `told`: with numbers of problems."""
    rows = result.q2s
    shares = "/".join(figures.whole(row.accuracy.share) for row in rows)
    said = f"Q2S {shares}% with {'/'.join(str(row.distractors) for row in rows)} distractors"
    if len(rows) == 1:
        said = f"Q2S {share_words(rows[0].accuracy)}"
    if not told:
        return said
    return _with_n(said, [row.accuracy.n for row in rows], [row.drop.original if row.drop else None for row in rows])


def _q2i(result: DeepQuestionResult, told: bool) -> str:
    row = result.q2i
    if row is None:
        return ""
    said, share = f"Q2I {share_words(row.accuracy)}", row.accuracy.share
    # with an original lost, the distance is over fewer problems than the accuracy, and their sum is no accuracy
    known = share is not None and row.distance is not None and not result.original_unscored
    originals = [share + row.distance] if known and share is not None and row.distance is not None else []
    return _with_n(said, [row.accuracy.n], originals) if told else said


def _changes(result: DeepQuestionResult) -> list[str]:
    drops = [row.drop for row in result.q2s]
    said = []
    if len(drops) == 1 and drops[0] is not None:
        drop = drops[0]
        p = figures.p_value(drop.mcnemar_p)
        over = "" if drop.n == result.q2s[0].accuracy.n else f" over {figures.count(drop.n, 'pair')}"
        said.append(f"drop {figures.points(drop.drop)} points{over} (95% CI {figures.points_span(drop.ci)}, p {p})")
    elif any(drops):
        said.append(f"drop {'/'.join(figures.points(drop.drop if drop else None) for drop in drops)} points")
    row = result.q2i
    if row is not None and row.distance is not None:
        unit = "" if said else " points"
        said.append(f"distance to Q2I {figures.points(row.distance)}{unit} ({figures.points_span(row.distance_ci)})")
    return said


def _sizes(result: DeepQuestionResult) -> str:
    """`100 problems`; of a run that was cut off `80 of 100 problems`."""
    every = figures.count(result.spec.problems, "problem")
    return f"{len(result.problems):,} of {every}" if result.open_problems else every


def deepquestion_remarks(result: DeepQuestionResult) -> list[str]:
    """What must stand beside the headline so that it is not misread."""
    lines = [*_ending(result), *_by_wish(result), *_losses(result)]
    return [*lines, *(one_line(note) for note in result.notes if note.startswith("Resumed by force"))]


def _ending(result: DeepQuestionResult) -> list[str]:
    lines = []
    told = result.stop_reason == "not_converged" and bool(unconverged(result))  # in full, and first
    if not told and (result.status != "complete" or result.stop_reason != "all_asked"):
        stop = one_line(result.stop_reason), one_line(result.stop_detail)
        lines.append(sentence(ended_sentence(result.spec, result.status, *stop)))
    if result.open_problems:
        out = len(result.open_problems)
        verb = "is" if out == 1 else "are"
        every = figures.count(result.spec.problems, "problem")
        lines.append(
            f"{out:,} of {every} {verb} not finished and excluded from all figures but the cost:"
            f" {left_out(result.open_problems)}."
        )
    return lines


def _by_wish(result: DeepQuestionResult) -> list[str]:
    """Prompts below the threshold that were used because that was asked for."""
    return [
        f"The {KIND_NAMES[each.kind]} prompt {_score(each)} and was used on request ({how})."
        for each in result.prompts
        if (how := _asked_for(each.source)) and each.used and not each.converged
    ]


def _score(history: PromptHistory) -> str:
    return "has no score" if history.score is None else f"scores {history.score} of 10, below the threshold,"


def _asked_for(source: str) -> str:
    return {"optimised": "--use-best", "single pass": "--single-pass"}.get(source, "")


def _losses(result: DeepQuestionResult) -> list[str]:
    row = result.q2i
    several = len(result.q2s) > 1
    loads = {f"Q2S with {DISTRACTORS[each.load]} distractors" if several else "Q2S": each for each in result.q2s}
    lost = {"original": result.original_unscored} | {name: each.unscored for name, each in loads.items()}
    lost["Q2I"] = row.unscored if row else 0
    lost["comparisons by the judge"] = row.comparisons.unscored if row else 0
    lost["comparisons of originals"] = result.baseline.unscored if result.baseline else 0
    said = ", ".join(f"{name} {number:,}" for name, number in lost.items() if number)
    return [f"Lost to faults and excluded from all figures: {said}."] if said else []


def _heading(result: DeepQuestionResult) -> list[RenderableType]:
    spec = result.spec
    parts = [model_name(spec.target), kinds_words(spec.kinds)]
    parts.append(given_words(result) if spec.given else f"generator {model_name(spec.generator)}")
    parts += [f"evaluator {model_name(spec.evaluator)}", f"judge {model_name(spec.judge)}"]
    parts += [f"seed {spec.seed}"]
    title = Text.assemble((one_line(spec.benchmark), "bold"), " · ", " · ".join(parts))
    return [title, Text(SIMULATED, STYLES["badge"])] if result.simulated else [title]


def _pointer(result: DeepQuestionResult, kept: Path | None) -> list[RenderableType]:
    if kept is None or not result.problems:
        return []
    run, problem = one_line(figures.short_id(result.run_id)), one_line(result.problems[0].id)
    said = f"`fathom show {run} --path {problem}` shows a problem with all its texts, questions and answers."
    return ["", Text(said, "dim")]


def print_deepquestion(
    console: Console,
    results: Sequence[DeepQuestionResult],
    kept: Mapping[str, Path] | None = None,
    comparison: DeepQuestionComparison | None = None,
) -> None:
    """The end of a launch. `kept`: folders by run id.

    One run: its summary, on a terminal with the headline last. Several: each run's summary, or its headline when they
    are many. Last, where there is one, the runs side by side.
    """
    folders, width = kept or {}, console.width
    for result in results:
        folder = folders.get(result.run_id)
        if len(results) > IN_FULL:
            view = deepquestion_brief(result, width=width, kept=folder)
        else:
            last = len(results) == 1 and comparison is None and console.is_terminal
            view = deepquestion_summary(result, width=width, kept=folder, in_full=False, headline_last=last)
        console.print(view, crop=False)
        if len(results) > 1 or comparison is not None:
            console.print()
    if comparison is not None:
        console.print(comparison_tables(comparison, width=width), crop=False)
