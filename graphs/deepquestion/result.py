"""The result of a DeepQuestion run: a pure function of what its journal holds."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from statistics import fmean
from typing import Any, get_args

from ...state.causes import with_causes
from ...state.channels import Stop
from ...state.deepquestion.items import PromptDraft, PromptScore, Solution
from ...state.deepquestion.result import (
    DeepQuestionResult,
    InstructionRow,
    InvalidWhy,
    LoadRow,
    ProblemRow,
    Share,
)
from ...state.deepquestion.spec import DeepQuestionSpec
from ...state.errors import RunFailed
from ...state.items import DeepQuestionItem, deepquestion_items, faults_of
from ...state.problems import DISTRACTORS, KINDS, Kind, Load, ProblemSet
from ...state.records import LOST_AT_TARGET, Role
from ...state.rows import AnswerRow
from ...stats.accuracy import bounds
from ...tools.models.family import family_notices
from ..run.record import RunRecord, assembled, bounds_notes, reasoning_notes, stop_of
from .checks import solution_mark
from .measures import CREATED, ORIGINAL, accuracy, distance, drop, scenario, with_both
from .pairs import BASELINE_CRITERIA, Pair, baseline_pair, comparisons, created_pair
from .prompts import guides_of, lost_drafting, prompt_histories
from .rows import baseline_cases, by_problem, problem_outcome, problem_rows

ROLES: tuple[Role, ...] = ("generator", "evaluator", "target", "judge")


def ending_of(spec: DeepQuestionSpec, items: Sequence[DeepQuestionItem]) -> Stop:
    """How a run ends that has asked all it could."""
    drafting = lost_drafting(items)
    if drafting is not None and drafting.fault is not None:
        detail = (
            f"a prompt could not be drafted or scored: {drafting.fault.message.rstrip('.')}"
        )
        return Stop(reason="infrastructure", detail=detail)
    guides = guides_of(spec, items)
    histories = [entry for entry in prompt_histories(spec, items) if entry.kind not in guides]
    if histories:
        shortfalls = []
        for history in histories:
            last = history.rounds[-1].feedback if history.rounds else "no draft"
            best = f"best score {history.score}" if history.score else last
            shortfalls.append(f"{history.kind} ({best})")
        detail = (
            f"no draft of the prompt reached {spec.threshold}/10 for {' and '.join(shortfalls)}, so "
            "nothing was written there; allow more --rounds, use the best with --use-best, or give "
            "prompts with --prompts"
        )
        return Stop(reason="not_converged", detail=detail)
    steps = [item for item in items if not isinstance(item, PromptDraft | PromptScore)]
    missing = sum(item.lost for item in steps)
    faults = faults_of(steps)
    problems = by_problem(items, range(spec.problems)).values()
    is_answered = any(solution_mark(steps, ORIGINAL)[0] != "unscored" for steps in problems)
    return stop_of(
        missing,
        f"{missing:,} of {len(steps):,} steps are missing because calls failed",
        faults,
        is_short=_half_lost(steps),
        nothing="" if is_answered else with_causes("no problem was answered", faults),
        whole="every problem was put",
    )


def _half_lost(steps: Sequence[DeepQuestionItem]) -> bool:
    """Whether the infrastructure has taken half of the steps of any kind: nothing that rests on
    them can be there."""
    by_kind = defaultdict[str, list[bool]](list)
    for item in steps:
        by_kind[item.what if isinstance(item, Solution) else item.type].append(item.lost)
    return any(any(lost) and 2 * sum(lost) >= len(lost) for lost in by_kind.values())


def result_of(record: RunRecord) -> DeepQuestionResult:
    """The result over all finished problems. Raises RunFailed when none was finished although some
    were to be."""
    spec, finish = record.spec_as(DeepQuestionSpec), record.finished
    problems = record.started.problems
    if problems is None:
        raise RunFailed(
            f"The journal of {record.run_id} lacks its problems: start the run again."
        )
    items = deepquestion_items(record.items)
    closed = {event.index for event in record.parts}
    if not closed and finish.stop_reason != "not_converged":
        raise RunFailed(
            f"The run {record.run_id} ended before its first problem: {finish.stop_detail}."
        )
    figures = figures_of(spec, problems, items, closed)
    ids = [problem.id for problem in problems.problems]
    return DeepQuestionResult(
        **assembled(
            record,
            ROLES,
            deviations=(DEVIATIONS, chosen(spec)),
            notes=_notes(record, spec, problems, items, figures),
            material=problems.digest,
            made=dict(problems.made),
        ),
        **figures,
        open_problems=tuple(name for index, name in enumerate(ids) if index not in closed),
    )


def figures_of(
    spec: DeepQuestionSpec,
    problems: ProblemSet,
    items: Sequence[DeepQuestionItem],
    closed: Collection[int],
) -> dict[str, Any]:
    """Every field of `DeepQuestionResult` that rests on items, by its name there: in the problems'
    order, in whatever order the items came; of items with one place the last counts. `closed`:
    indices of the finished problems; nothing of another one counts, but for the history of the
    prompts."""
    outcomes = []
    for index, own_items in by_problem(items, closed).items():
        problem = problems.problems[index]
        texts = problems.given.get(problem.id)
        outcomes.append(problem_outcome(spec, problem, own_items, texts))
    finished = [outcome.row for outcome in outcomes]
    ids = tuple(problem.id for problem in problems.problems)
    make = partial(AnswerRow, run="", method=spec.method, model=spec.target, domain=spec.domain)
    rows = problem_rows(finished, make)
    reached = set[Kind](spec.kinds if spec.given and finished else ())
    unwritten = Counter[Kind]()
    baseline, created = list[Pair](), list[Pair]()
    for outcome in outcomes:
        reached |= outcome.verdicts.keys()
        unwritten.update(outcome.row.unwritten.keys())
        baseline.append(baseline_pair(outcome.items))
        if outcome.texts.instruction:
            created.append(created_pair(outcome.items))
    baseline = [pair for pair in baseline if any(pair)]
    loads = spec.distractors if "q2s" in reached else ()
    original = share_of(ORIGINAL, rows)
    return {
        "prompts": prompt_histories(spec, items),
        "original": original,
        "original_unscored": len(finished) - original.n,
        "q2s": tuple(_load_row(rows, load, finished) for load in loads),
        "q2i": _instruction_row(rows, created) if "q2i" in reached else None,
        "baseline": comparisons(baseline, BASELINE_CRITERIA) if baseline else None,
        "rejected": tuple(entry for outcome in outcomes for entry in outcome.rejected),
        "unwritten": {kind: unwritten[kind] for kind in KINDS if unwritten[kind]},
        "problems": tuple(finished),
        "baseline_cases": tuple(
            case for outcome in outcomes for case in baseline_cases(outcome.items, ids)
        ),
        "transformed": tuple(
            outcome.texts
            for outcome in outcomes
            if outcome.texts.scenarios or outcome.texts.instruction
        ),
    }


def share_of(task: str, rows: Sequence[AnswerRow]) -> Share:
    """Right answers in a task over those with a score."""
    right = accuracy(task, rows)
    count = round((right.value or 0.0) * right.n)
    lost = sum(row.condition == task and row.stage in LOST_AT_TARGET for row in rows)
    return Share(
        n=right.n,
        count=count,
        share=right.value,
        ci=right.interval or (0.0, 1.0),
        bounds=bounds(count, right.n, lost),
    )


def _load_row(rows: Sequence[AnswerRow], load: Load, problems: Sequence[ProblemRow]) -> LoadRow:
    """Q2S at one load."""
    task = scenario(load)
    right = share_of(task, rows)
    words = [len(row.scenarios[load].split()) for row in problems if load in row.scenarios]
    return LoadRow(
        load=load,
        distractors=DISTRACTORS[load],
        scenarios=len(words),
        unscored=len(words) - right.n,
        accuracy=right,
        drop=drop(with_both(task, rows)),
        words=fmean(words) if words else None,
    )


def _instruction_row(rows: Sequence[AnswerRow], pairs: Sequence[Pair]) -> InstructionRow:
    """Q2I. `pairs`: of each instruction that has passed what the target wrote, beside the
    original."""
    right = share_of(CREATED, rows)
    invalid = Counter(row.tags.get("invalid") for row in rows)
    far = distance(with_both(CREATED, rows))
    return InstructionRow(
        instructions=len(pairs),
        unscored=len(pairs) - right.n,
        accuracy=right,
        invalid={reason: invalid[reason] for reason in get_args(InvalidWhy) if invalid[reason]},
        distance=far.value,
        distance_ci=far.interval,
        comparisons=comparisons(pairs),
    )


def _notes(
    record: RunRecord,
    spec: DeepQuestionSpec,
    problems: ProblemSet,
    items: Sequence[DeepQuestionItem],
    figures: dict[str, Any],
) -> Iterator[str]:
    writer = None if spec.given else spec.generator
    yield from family_notices(spec.target, spec.evaluator, spec.judge, writer)
    yield from problems.notices
    if record.reopened:
        yield (
            f"{len(record.reopened)} of the problems were being asked again for steps that had "
            "come to nothing: some of their answers are not there yet. `fathom resume` goes on "
            "with them."
        )
    faults = sum(item.fault is not None for item in items)
    if faults:
        yield (
            f"{faults} steps came to nothing; what is missing counts neither for nor against the "
            f"model. `fathom resume` tries {sum(item.lost for item in items)} of them again."
        )
    yield from reasoning_notes(getattr(item, "answer", None) for item in items)
    shares = {"originals": figures["original"].bounds}
    shares |= {f"scenarios ({row.load})": row.accuracy.bounds for row in figures["q2s"]}
    shares |= {"Q2I": figures["q2i"].accuracy.bounds} if figures["q2i"] else {}
    yield from bounds_notes(shares, "{:.1%}")


def chosen(spec: DeepQuestionSpec) -> dict[str, object]:
    """Deviations that depend on the spec, by name."""
    q2s, q2i, written = "q2s" in spec.kinds, "q2i" in spec.kinds, not spec.given
    drafted = bool(spec.drafted)
    of_q2i = ("instruction-met", "no-paired-test", "both-orders", "answerable-only")
    return {
        **dict.fromkeys(("one-frame", "score-of-the-prompt"), drafted),
        "every-item-verified": written,
        **dict.fromkeys(("core-fixed", "same-problems"), q2s),
        **dict.fromkeys(("answer-held-back", "distractors-by-rule"), q2s and written),
        **dict.fromkeys((*of_q2i, "instruction-following", "unlike-forms"), q2i),
        "given-texts": spec.given,
        "single-pass": spec.single_pass,
        "use-best": not spec.single_pass and spec.use_best and drafted,
        "threshold": spec.threshold != 8 and drafted,
        "given-prompts": " and ".join(sorted(spec.guides)),
        "tolerance": spec.tolerance is not None,
        "two-models": spec.generator != spec.evaluator and written,
    }


DEVIATIONS = """
own-prompts-and-criteria: prompts, the criteria that drafts are scored by and the five criteria of
comparison are in words of our own

unscored-apart: a fault of the infrastructure, a reply that cannot be read, and what was cut off
or filtered count neither for nor against the model; a refusal is no answer and so wrong

numbers-by-rule: answers that are numbers are compared by value, unit and precision, those of
multiple choice by letter; a measured quantity may be off by one in its last place, money and bare
numbers are exact to the precision given

unreadable-to-judge: an answer that no rule can read or compare goes to the judge

one-frame: the drafted prompt guides the writer inside a fixed frame that sets the form of the
reply and the rules that hold for every benchmark

score-of-the-prompt: the evaluator scores the draft itself against written criteria, with samples
of the benchmark at hand; no trial items are written

every-item-verified: what was written counts only once the evaluator, without sight of the
reference, has reached the same answer and has found every quantity; what is rejected is reported
and not written again

core-fixed: distractors are sentences put between those of one and the same scenario, so that a
load changes nothing else; 2 are some and 5 are many, the first ones of the same list

same-problems: a problem whose scenario is rejected at one load is left out at all of them

answer-held-back: a scenario that tells the answer, or an intermediate result that the problem
does not state, is rejected by the evaluator, who is shown the answer for this check

distractors-by-rule: a distractor that states the final answer where the problem does not (a
number of two or more significant digits, or words), or repeats another sentence, is dropped; with
too few left the scenario is rejected

instruction-met: an attempt is valid when an independent solver reaches the required answer and
the evaluator finds the instruction kept; a mere solution by the solver is not enough

no-paired-test: writing a question is another task than solving one, so the distance from the
originals, over the problems that have both marks, has an interval and no McNemar test

both-orders: each comparison is made twice, and a question wins only where it is preferred in both
orders

answerable-only: only questions with the required answer are compared with their originals

instruction-following: the original was not written by the instruction, so that this criterion
favours the written question by its nature

unlike-forms: of multiple choice the judge sees the original with its lettered options, and the
written question without any

given-texts: scenarios and instructions were written and checked by an earlier run

single-pass: the first draft of the prompt was used whatever its score (ablation)

use-best: where no draft reaches the threshold, the best one is used

threshold: drafts are accepted from {spec.threshold} of 10 (the paper: 8)

given-prompts: the transformation prompt for {} was given

tolerance: numbers that differ by a share of at most {spec.tolerance:g} are the same

two-models: generator and evaluator are different models (the paper: one)
"""
"""`name: sentence` of each place where runs deviate from the published method; `chosen` says which
of them only some runs have."""
