"""Several DeepQuestion runs side by side: targets on the same problems, or ways of prompting (the
ablation)."""

from collections.abc import Sequence

from ...state.deepquestion.items import Kind, ProblemId
from ...state.deepquestion.result import (
    DeepQuestionCell,
    DeepQuestionComparison,
    DeepQuestionResult,
    ProblemRow,
    PromptHistory,
    Share,
)
from ...state.deepquestion.spec import DeepQuestionSpec
from ...state.worlds import label_of
from ..side_by_side import (
    ending,
    given_twice,
    in_common,
    labels_of,
    partly,
    unlike,
    without_figures,
)
from .shares import created_distance, created_share, load_row, share, share_of

Key = tuple[ProblemId, str, str]
"""Name, question and answer: what a problem is the same by in several runs."""
Texts = dict[str, dict[ProblemId, str]]
"""Load, or `q2i` → problem → what the target was asked, of everything that a run has figures for.
"""

_ASKED_ALIKE = ("evaluator", "judge", "tolerance", "language", "answer_tokens", "prompts", "world")
"""Fields of a spec on which its figures depend, besides target, benchmark, seed and how the texts
came about."""
NOTHING_SHARED = (
    "no problem was finished by all runs: each one's figures are over problems of its own, so "
    "that none is the best"
)


def compare_deepquestion(results: Sequence[DeepQuestionResult]) -> DeepQuestionComparison:
    """One cell per run, in the order given, over the problems that all runs with any finished
    problem have finished.

    A problem is the same where name, question and answer are. Where none is common, each run's
    figures are its own, with a note. A run without any finished problem leaves the others' problems
    as they are; a run that is given twice counts once. Raises ValueError without any result.
    """
    if not results:
        raise ValueError("a comparison needs at least one result")
    runs = list({result.run_id: result for result in results}.values())
    labels = labels_of([(run.run_id, run.spec) for run in runs], _marks)
    held = [run for run in runs if run.problems]
    common, left_out = in_common([{_key(row) for row in run.problems} for run in held])
    rows = [[row for row in run.problems if common is None or _key(row) in common] for run in runs]
    return DeepQuestionComparison(
        simulated=any(run.simulated for run in runs),
        cells=tuple(
            _cell(label, run, own) for label, run, own in zip(labels, runs, rows, strict=True)
        ),
        problems=None if common is None else len(common),
        same_texts=_same_texts(
            [_texts(run, own) for run, own in zip(runs, rows, strict=True) if own]
        ),
        notes=(
            *given_twice(results),
            *(
                without_figures(label, "problem", ending(run))
                for label, run in zip(labels, runs, strict=True)
                if not run.problems
            ),
            *([NOTHING_SHARED] if common is None and held else []),
            *partly(common, left_out, "problem", "run"),
            *unlike(
                [run.spec for run in held], _ASKED_ALIKE, "the runs were not asked and judged alike"
            ),
        ),
    )


def prompt_words(history: PromptHistory) -> str:
    """How a transformation prompt came about: `loop, 9/10 in round 3`, `single pass, 4/10`,
    `given`."""
    if history.source == "given":
        return "given"
    way = "loop" if history.source == "optimised" else "single pass"
    if history.score is None:
        return f"{way}, without a score" if history.rounds else f"{way}, without a draft"
    if history.source == "single pass":
        return f"{way}, {history.score}/10"
    told = f"{history.score}/10 in round {history.best}"
    if history.converged:
        return f"{way}, {told}"
    return f"{way} not converged, {told} at best" + (" and used" if history.used else "")


def _marks(spec: DeepQuestionSpec) -> tuple[str, ...]:
    return (
        _way(spec),
        "texts given" if spec.given else f"generator {label_of(spec.generator)}",
        f"evaluator {label_of(spec.evaluator)}",
        f"judge {label_of(spec.judge)}",
        f"seed {spec.seed}",
    )


def _way(spec: DeepQuestionSpec) -> str:
    if spec.given:
        return "texts given"
    if spec.single_pass:
        return "single pass"
    return "prompts given" if spec.guides else "loop"


def _cell(label: str, run: DeepQuestionResult, rows: Sequence[ProblemRow]) -> DeepQuestionCell:
    original = share_of(row.original for row in rows)
    created = created_share(row.created for row in rows) if run.q2i is not None else None
    far, interval = created_distance(rows) if created is not None else (None, None)
    return DeepQuestionCell(
        run_id=run.run_id,
        label=label,
        prompts=(
            dict.fromkeys(run.spec.kinds, "texts given")
            if run.spec.given
            else {history.kind: prompt_words(history) for history in run.prompts}
        ),
        written={kind: _written(run, rows, kind) for kind in run.spec.kinds},
        original=original,
        q2s=tuple(load_row(rows, row.load) for row in run.q2s),
        q2i=created,
        distance=far,
        distance_ci=interval,
    )


def _written(run: DeepQuestionResult, rows: Sequence[ProblemRow], kind: Kind) -> Share:
    """What passed every check, of what passed or was rejected; of nothing where texts are given."""
    if run.spec.given:
        return share(0, 0)
    names = {row.id for row in rows}
    passed = _passed(run, rows, kind)
    rejected = sum(each.kind == kind and each.problem in names for each in run.rejected)
    return share(passed, passed + rejected)


def _passed(run: DeepQuestionResult, rows: Sequence[ProblemRow], kind: Kind) -> int:
    if kind == "q2s":
        return sum(bool(row.scenarios) for row in rows)
    return len(_instructions(run, rows))


def _instructions(run: DeepQuestionResult, rows: Sequence[ProblemRow]) -> dict[ProblemId, str]:
    names = {row.id for row in rows}
    return {
        each.problem: each.instruction
        for each in run.transformed
        if each.instruction and each.problem in names
    }


def _texts(run: DeepQuestionResult, rows: Sequence[ProblemRow]) -> Texts:
    found: Texts = {
        row.load: {each.id: each.scenarios[row.load] for each in rows if row.load in each.scenarios}
        for row in run.q2s
    }
    return found | ({"q2i": _instructions(run, rows)} if run.q2i is not None else {})


def _same_texts(texts: Sequence[Texts]) -> bool:
    """Whether the figures that several runs have rest on the very same texts. A single run agrees
    with itself; runs that have no figure in common have no text in common."""
    if len(texts) < 2:
        return True
    names = dict.fromkeys(name for own in texts for name in own)
    shared = [
        held for name in names if len(held := [own[name] for own in texts if name in own]) > 1
    ]
    return bool(shared) and all(own == held[0] for held in shared for own in held)


def _key(row: ProblemRow) -> Key:
    return row.id, row.question, row.answer
