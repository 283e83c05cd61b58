"""What a DeepQuestion run found: the headline, what must stand beside it, and the worst cases."""

from collections.abc import Iterator, Sequence
from typing import Any

from ....state.deepquestion.items import DISTRACTORS
from ....state.deepquestion.result import DeepQuestionResult, ProblemRow, PromptHistory, Share
from ...page import figures
from ...page.blocks import Block, Line, Text
from ...page.sanitise import model_name
from ...page.view import How, View
from ..findings import ending, forced, wrong_case
from .labels import INVALID, KIND_NAMES, given_words, kinds_words, load_words
from .plots import pictures
from .prompts import unconverged
from .tables import blocks, measured


def _title(result: DeepQuestionResult) -> tuple[str, list[str]]:
    spec = result.spec
    parts = [model_name(spec.target), kinds_words(spec.kinds)]
    parts.append(given_words(result) if spec.given else f"generator {model_name(spec.generator)}")
    parts += [f"evaluator {model_name(spec.evaluator)}", f"judge {model_name(spec.judge)}"]
    return spec.benchmark, [*parts, f"seed {spec.seed}"]


def _headline(result: DeepQuestionResult) -> str:
    """`original 93% (95% interval 87–97) → Q2S 88% (81–93) → Q2I 40% (31–50) · drop +5 points (95%
    interval …) · distance to Q2I +53 (+42 to +63) · 100 problems`."""
    if not measured(result):
        return f"nothing was measured · {_sizes(result)}"
    told = _differing(result)
    way = [_accuracies("original", [result.original], [], told=told, ci="95% interval ")]
    if result.q2s:
        loads = "/".join(str(row.distractors) for row in result.q2s)
        originals = [row.drop.original if row.drop else None for row in result.q2s]
        shares = [row.accuracy for row in result.q2s]
        way.append(
            _accuracies("Q2S", shares, originals, told=told, of=f" with {loads} distractors")
        )
    row = result.q2i
    if row is not None:
        share, distance = row.accuracy.share, row.distance
        # with an original lost, the distance is over fewer problems than the accuracy, and their
        # sum is no accuracy
        lost = share is None or distance is None or result.original_unscored
        originals = [] if lost else [(share or 0.0) + (distance or 0.0)]
        way.append(_accuracies("Q2I", [row.accuracy], originals, told=told))
    return figures.joined([" → ".join(way), *_changes(result), _sizes(result)])


def _differing(result: DeepQuestionResult) -> bool:
    """Whether the accuracies are not all over the same number of problems, so that each needs its
    own."""
    shares = [
        result.original,
        *(row.accuracy for row in result.q2s),
        *([result.q2i.accuracy] if result.q2i else []),
    ]
    return len({share.n for share in shares}) > 1


def _accuracies(
    name: str,
    shares: Sequence[Share],
    originals: Sequence[float | None],
    *,
    told: bool,
    ci: str = "",
    of: str = "",
) -> str:
    """`Q2S 51% (36–67, n 37, their originals 51%)`; of several loads in turn `Q2S 90/86/80% with
    0/2/5 distractors`. `told`: with the problems they are over, and accuracy on the originals of
    these."""
    said, more = (
        f"{name} {'/'.join(figures.whole(share.share) for share in shares)}%{of}",
        list[str](),
    )
    if len(shares) == 1:
        said = f"{name} {figures.percent(shares[0].share)}"
        more += [f"{ci}{figures.percent_span(shares[0].ci)}"] if shares[0].share is not None else []
    if told:
        more.append(f"n {_in_turn([f'{share.n:,}' for share in shares])}")
        more += (
            [f"their originals {_in_turn([*map(figures.whole, originals)])}%"]
            if any(originals)
            else []
        )
    return said + (f" ({', '.join(more)})" if more else "")


def _in_turn(said: Sequence[str]) -> str:
    """Those that are all alike are told once."""
    return said[0] if len(set(said)) == 1 else "/".join(said)


def _changes(result: DeepQuestionResult) -> list[str]:
    drops = [row.drop for row in result.q2s]
    said = []
    if len(drops) == 1 and drops[0] is not None:
        drop = drops[0]
        p = figures.p_value(drop.mcnemar_p)
        over = (
            "" if drop.n == result.q2s[0].accuracy.n else f" over {figures.count(drop.n, 'pair')}"
        )
        said.append(
            f"drop {figures.points(drop.drop)} points{over} (95% interval "
            f"{figures.points_span(drop.ci)}, p {p})"
        )
    elif any(drops):
        said.append(
            f"drop {'/'.join(figures.points(drop.drop if drop else None) for drop in drops)} points"
        )
    row = result.q2i
    if row is not None and row.distance is not None:
        unit = "" if said else " points"
        said.append(
            f"distance to Q2I {figures.points(row.distance)}{unit} "
            f"({figures.points_span(row.distance_ci)})"
        )
    return said


def _sizes(result: DeepQuestionResult) -> str:
    """`100 problems`; of a run that was cut off `80 of 100 problems`."""
    every = figures.count(result.spec.problems, "problem")
    return f"{len(result.problems):,} of {every}" if result.open_problems else every


def _remarks(result: DeepQuestionResult) -> list[str]:
    told = result.stop_reason == "not_converged" and bool(unconverged(result))  # in full, and first
    ended = ending(result, "problem", result.spec.problems, result.open_problems, told=told)
    return [*ended, *_by_wish(result), *_losses(result), *forced(result)]


def _by_wish(result: DeepQuestionResult) -> list[str]:
    """Prompts below the threshold that were used because that was asked for."""
    return [
        f"The {KIND_NAMES[each.kind]} prompt {_score(each)} and was used on request ({how})."
        for each in result.prompts
        if (how := _asked_for(each.source)) and each.used and not each.converged
    ]


def _score(history: PromptHistory) -> str:
    return (
        "has no score"
        if history.score is None
        else f"scores {history.score} of 10, below the threshold,"
    )


def _asked_for(source: str) -> str:
    return {"optimised": "--use-best", "single pass": "--single-pass"}.get(source, "")


def _losses(result: DeepQuestionResult) -> list[str]:
    row = result.q2i
    several = len(result.q2s) > 1
    loads = {
        f"Q2S with {DISTRACTORS[each.load]} distractors" if several else "Q2S": each
        for each in result.q2s
    }
    lost = {"original": result.original_unscored} | {
        name: each.unscored for name, each in loads.items()
    }
    lost["Q2I"] = row.unscored if row else 0
    lost["comparisons by the judge"] = row.comparisons.unscored if row else 0
    lost["comparisons of originals"] = result.baseline.unscored if result.baseline else 0
    said = ", ".join(f"{name} {number:,}" for name, number in lost.items() if number)
    return [f"Lost to faults and excluded from all figures: {said}."] if said else []


# the worst cases


def _cases(result: DeepQuestionResult, how: How) -> Iterator[Block]:
    """Problems solved as they stand and missed in a scenario, with the fewest distractors first;
    then other misses."""
    worst = [(_rank(row), row) for row in result.problems if _missed(row)]
    worst.sort(key=lambda each: each[0])
    lines = [line for _, row in worst[: how.cases] for line in _case(row)]
    if lines:
        number, shown = figures.count(len(worst), "problem"), min(how.cases, len(worst))
        yield Text(
            lines, f"Missed: {shown} of {number}, those first that were solved as they stand"
        )


def _missed(row: ProblemRow) -> bool:
    marks = [row.original, *row.solved.values(), row.created]
    return any(each is not None and each.mark == "wrong" for each in marks)


def _rank(row: ProblemRow) -> tuple[bool, int]:
    """Solved as it stands and wrong in a scenario of few distractors is the worst."""
    wrong = [DISTRACTORS[load] for load, each in row.solved.items() if each.mark == "wrong"]
    return not (wrong and row.original is not None and row.original.mark == "right"), min(
        wrong, default=99
    )


def _case(row: ProblemRow) -> list[str | Line]:
    marks: dict[str, Any] = {"original": row.original} | {
        f"Q2S with {load_words(load)}": each for load, each in row.solved.items()
    }
    marks |= {"Q2I": row.created}
    head = [f"{name} {figures.MARKS[_sign(each.mark)]}" for name, each in marks.items() if each]
    texts = {"problem": row.question, "answer": row.answer}
    wrong = next(
        (each for each in [*row.solved.values(), row.original] if each and each.mark == "wrong"),
        None,
    )
    if wrong is not None:
        texts["received"] = wrong.said or "(nothing)"
    elif row.created is not None and row.created.invalid:
        texts |= {
            "written": row.created.question or "(nothing)",
            "finding": INVALID[row.created.invalid],
        }
    return wrong_case(figures.joined([row.id, *head]), texts, row.id)


def _sign(mark: str) -> str:
    return "correct" if mark == "right" else mark


VIEW = View(
    headline=_headline,
    title=_title,
    warnings=unconverged,
    remarks=_remarks,
    cases=_cases,
    blocks=blocks,
    pictures=pictures,
)
