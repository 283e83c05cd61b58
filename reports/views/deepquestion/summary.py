"""What a DeepQuestion run found: the headline, what must stand beside it, and the worst cases."""

from collections.abc import Iterator, Sequence

from ....state.deepquestion.items import DISTRACTORS
from ....state.deepquestion.result import DeepQuestionResult, ProblemRow, PromptHistory
from ...page import figures
from ...page.blocks import Block, Line, Text
from ...page.endings import ended_sentence
from ...page.remarks import left_out, sentence
from ...page.sanitise import model_name, one_line
from ...page.view import CASES, How, View
from .compare import compare
from .labels import INVALID, KIND_NAMES, kinds_words, load_words, share_words
from .plots import pictures
from .prompts import unconverged
from .reused_texts import given_words
from .tables import blocks, measured


def _title(result: DeepQuestionResult) -> tuple[str, list[str]]:
    spec = result.spec
    parts = [model_name(spec.target), kinds_words(spec.kinds)]
    parts.append(given_words(result) if spec.given else f"generator {model_name(spec.generator)}")
    parts += [f"evaluator {model_name(spec.evaluator)}", f"judge {model_name(spec.judge)}"]
    return spec.benchmark, [*parts, f"seed {spec.seed}"]


def _headline(result: DeepQuestionResult) -> str:
    """`original 93% (95% CI 87–97) → Q2S 88% (81–93) → Q2I 40% (31–50) · drop +5 points (95% CI −1 to +11, p .180) ·
    distance to Q2I +53 (+42 to +63) · 100 problems`."""
    if not measured(result):
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


def _remarks(result: DeepQuestionResult) -> list[str]:
    lines = [*_ending(result), *_by_wish(result), *_losses(result)]
    return [*lines, *(note for note in result.notes if note.startswith("Resumed by force"))]


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


# the worst cases


def _cases(result: DeepQuestionResult, how: How) -> Iterator[Block]:
    """Problems solved as they stand and missed in a scenario, with the fewest distractors first; then other misses."""
    worst = [(_rank(row), row) for row in result.problems if _missed(row)]
    worst.sort(key=lambda each: each[0])
    lines = [line for _, row in worst[:CASES] for line in _case(row)]
    if lines:
        number = figures.count(len(worst), "problem")
        yield Text(lines, f"Missed: {min(CASES, len(worst))} of {number}, those first that were solved as they stand")


def _missed(row: ProblemRow) -> bool:
    marks = [row.original, *row.solved.values(), row.created]
    return any(each is not None and each.mark == "wrong" for each in marks)


def _rank(row: ProblemRow) -> tuple[bool, int]:
    """Solved as it stands and wrong in a scenario of few distractors is the worst."""
    wrong = [DISTRACTORS[load] for load, each in row.solved.items() if each.mark == "wrong"]
    return not (wrong and row.original is not None and row.original.mark == "right"), min(wrong, default=99)


def _case(row: ProblemRow) -> Iterator[Line]:
    marks = [f"original {figures.MARKS[_sign(row.original.mark)]}"] if row.original else []
    marks += [f"Q2S with {load_words(load)} {figures.MARKS[_sign(each.mark)]}" for load, each in row.solved.items()]
    marks += [f"Q2I {figures.MARKS[_sign(row.created.mark)]}"] if row.created else []
    yield Line(figures.joined([row.id, *marks]), lead=f"{figures.MARKS['wrong']} ", lead_style="wrong")
    yield Line(row.question, lead="problem: ", indent=4, lines=2)
    yield Line(row.answer, lead="answer: ", indent=4, lines=2)
    wrong = next((each for each in [*row.solved.values(), row.original] if each and each.mark == "wrong"), None)
    if wrong is not None:
        yield Line(wrong.said or "(nothing)", lead="received: ", indent=4, lines=2)
    elif row.created is not None and row.created.invalid:
        yield Line(row.created.question or "(nothing)", lead="written: ", indent=4, lines=2)
        yield Line(INVALID[row.created.invalid], lead="finding: ", indent=4, lines=2)


def _sign(mark: str) -> str:
    return "correct" if mark == "right" else mark


VIEW = View(
    headline=_headline,
    title=_title,
    warnings=unconverged,
    remarks=_remarks,
    cases=_cases,
    blocks=blocks,
    compare=compare,
    pictures=pictures,
)
