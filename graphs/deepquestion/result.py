"""The result of a DeepQuestion run: a pure function of what its journal holds."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from ...agents.answers.final_answer import answer_kind
from ...state.causes import with_causes
from ...state.channels import Stop
from ...state.deepquestion.items import PromptDraft, PromptScore, Same, Solution
from ...state.deepquestion.result import DeepQuestionResult, Share
from ...state.deepquestion.spec import DeepQuestionSpec
from ...state.errors import RunFailed
from ...state.items import DeepQuestionItem, deepquestion_items, faults_of
from ...state.problems import DISTRACTORS, KINDS, Kind, ProblemSet
from ...state.records import Role
from ...state.rows import AnswerRow
from ...stats.deepquestion.marks import solution_mark
from ...stats.deepquestion.pairs import (
    BASELINE_CRITERIA,
    baseline_pair,
    comparisons,
    created_pair,
)
from ...stats.deepquestion.prompts import goes_ahead, prompt_histories
from ...stats.deepquestion.rows import (
    Items,
    ProblemOutcome,
    baseline_cases,
    by_problem,
    problem_outcome,
)
from ...stats.deepquestion.shares import ORIGINAL, instruction_row, load_row, share_of
from ...tools.models.family import family_notices
from ..run.record import (
    OWN_PROMPTS,
    SIMULATED,
    Deviation,
    RunRecord,
    bounds_notes,
    conformance,
    envelope,
    provenance_of,
    reasoning_notes,
)
from .rows import problem_rows

ROLES: tuple[Role, ...] = ("generator", "evaluator", "target", "judge")


def guides_of(spec: DeepQuestionSpec, items: Sequence[DeepQuestionItem]) -> dict[Kind, str]:
    """Kinds that go on, with their transformation prompts; empty prompts where what was written is
    given. None of them goes on while the infrastructure has cut off the drafting of any: problems
    would be played twice."""
    if spec.given:
        return dict.fromkeys(spec.kinds, "")
    if any(item.lost for item in items if isinstance(item, PromptDraft | PromptScore)):
        return {}
    return {
        history.kind: history.guide
        for history in prompt_histories(spec, items)
        if goes_ahead(spec, history)
    }


def stop_of(spec: DeepQuestionSpec, items: Sequence[DeepQuestionItem]) -> Stop:
    """How a run ends that has asked all it could."""
    drafting = next(
        (item for item in items if item.lost and isinstance(item, PromptDraft | PromptScore)), None
    )
    if drafting is not None and drafting.fault is not None:
        detail = f"a prompt could not be drafted or scored: {drafting.fault.message.rstrip('.')}"
        return Stop(reason="infrastructure", detail=detail)
    left_out = [kind for kind in spec.kinds if kind not in guides_of(spec, items)]
    if left_out:
        return Stop(reason="not_converged", detail=_not_converged(spec, items, left_out))
    steps = [item for item in items if not isinstance(item, PromptDraft | PromptScore)]
    faulty = sum(item.lost for item in steps)
    if _half_lost(steps):
        detail = f"{faulty:,} of {len(steps):,} steps are missing because calls failed"
        return Stop(reason="infrastructure", detail=with_causes(detail, faults_of(steps)))
    if not _any_original(items):
        return Stop(
            reason="no_questions", detail=with_causes("no problem was answered", faults_of(steps))
        )
    if faulty:
        detail = f"{faulty:,} of {len(steps):,} steps are missing: calls failed"
        return Stop(reason="all_asked", detail=with_causes(detail, faults_of(steps)))
    return Stop(reason="all_asked", detail="every problem was put")


def _half_lost(steps: Sequence[DeepQuestionItem]) -> bool:
    """Whether the infrastructure has taken half of the steps of any kind: nothing that rests on
    them can be there."""
    counts, faulty = Counter[str](), Counter[str]()
    for item in steps:
        kind = item.what if isinstance(item, Solution) else item.type
        counts[kind] += 1
        faulty[kind] += item.lost
    return any(times and 2 * times >= counts[kind] for kind, times in faulty.items())


def _any_original(items: Sequence[DeepQuestionItem]) -> bool:
    """Whether any original has a mark."""
    judged = {item.of: item for item in items if isinstance(item, Same)}
    solutions = [item for item in items if isinstance(item, Solution)]
    originals = [item for item in solutions if item.what == "original"]
    marks = (solution_mark(item, judged.get(item.id))[0] for item in originals)
    return any(mark != "unscored" for mark in marks)


def _not_converged(
    spec: DeepQuestionSpec, items: Sequence[DeepQuestionItem], left_out: Iterable[Kind]
) -> str:
    """What the drafts have come to, and what can be done."""
    shortfalls = []
    histories = {history.kind: history for history in prompt_histories(spec, items)}
    for kind in left_out:
        rounds = histories[kind].rounds if kind in histories else ()
        reason = f"no score; {rounds[-1].feedback}" if rounds else "no draft"
        score = histories[kind].score if kind in histories else None
        shortfalls.append(f"{kind} ({reason})" if score is None else f"{kind} ({score}/10 at best)")
    return (
        f"no draft of the prompt reached {spec.threshold}/10 for {' and '.join(shortfalls)}, so nothing "
        "was written there;"
        " allow more --rounds, use the best with --use-best, or give prompts with --prompts"
    )


def result_of(record: RunRecord) -> DeepQuestionResult:
    """The result over all finished problems. Raises RunFailed when none was finished although some
    were to be."""
    spec, finish, problems = (
        record.spec_as(DeepQuestionSpec),
        record.finished,
        record.started.problems,
    )
    if problems is None:
        raise RunFailed(f"The journal of {record.run_id} lacks its problems: start the run again.")
    items = deepquestion_items(record.items)
    closed = {event.index for event in record.parts}
    if not closed and finish.stop_reason != "not_converged":
        raise RunFailed(
            f"The run {record.run_id} ended before its first problem: {finish.stop_detail}."
        )
    figures = figures_of(spec, problems, items, closed)
    calls = [call for item in record.items for call in item.calls]
    common = envelope(record, calls)
    shares = {"originals": figures["original"]}
    shares |= {f"scenarios ({row.load})": row.accuracy for row in figures["q2s"]}
    shares |= {"Q2I": figures["q2i"].accuracy} if figures["q2i"] is not None else {}
    return DeepQuestionResult(
        **common,
        **figures,
        open_problems=tuple(
            p.id for index, p in enumerate(problems.problems) if index not in closed
        ),
        conformance=conformance(DEVIATIONS, spec),
        notes=(
            *([SIMULATED] if common["simulated"] else []),
            *_notes(record, spec, problems, items, shares),
            *record.forced,
            *finish.caveats,
        ),
        provenance={
            **provenance_of(record, calls, ROLES),
            "material": problems.digest,
            "made": dict(problems.made),
        },
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
    done = _outcomes(spec, problems, by_problem(items, closed))
    finished = [outcome.row for outcome in done]
    make = partial(
        AnswerRow,
        run="",
        method=spec.method,
        model=spec.target,
        domain=spec.domain,
    )
    rows = problem_rows(finished, make)
    original = share_of(rows, ORIGINAL)
    names = tuple(problem.id for problem in problems.problems)
    unwritten = Counter(kind for row in finished for kind in row.unwritten)
    pairs = [pair for outcome in done if (pair := baseline_pair(outcome.items)).items]
    reached = {kind for item in done for kind in (spec.kinds if spec.given else item.verdicts)}
    created = [created_pair(outcome.items) for outcome in done if outcome.texts.instruction]
    scenarios = {
        load: [row.scenarios[load] for row in finished if load in row.scenarios]
        for load in (spec.distractors if "q2s" in reached else ())
    }
    return {
        "prompts": prompt_histories(spec, items),
        "original": original,
        "original_unscored": len(finished) - original.n,
        "q2s": tuple(load_row(rows, load, texts) for load, texts in scenarios.items()),
        "q2i": instruction_row(rows, created) if "q2i" in reached else None,
        "baseline": comparisons(pairs, BASELINE_CRITERIA) if pairs else None,
        "rejected": tuple(item for outcome in done for item in outcome.rejected),
        "unwritten": {kind: unwritten[kind] for kind in KINDS if unwritten[kind]},
        "problems": tuple(finished),
        "baseline_cases": tuple(
            case for item in done for case in baseline_cases(item.items, names)
        ),
        "transformed": tuple(
            item for outcome in done if (item := outcome.texts).scenarios or item.instruction
        ),
    }


def _outcomes(
    spec: DeepQuestionSpec, problems: ProblemSet, items: Mapping[int, Items]
) -> list[ProblemOutcome]:
    outcomes = []
    for index, own_items in items.items():
        problem = problems.problems[index]
        texts = problems.given.get(problem.id)
        outcomes.append(problem_outcome(spec, problem, own_items, answer_kind(problem), texts))
    return outcomes


def _notes(
    record: RunRecord,
    spec: DeepQuestionSpec,
    problems: ProblemSet,
    items: Sequence[DeepQuestionItem],
    shares: dict[str, Share],
) -> list[str]:
    writer = None if spec.given else spec.generator
    notes = [*family_notices(spec.target, spec.evaluator, spec.judge, writer), *problems.notices]
    if record.reopened:
        notes.append(
            f"{len(record.reopened)} of the problems were being asked again for steps that had "
            "come to nothing: some of"
            " their answers are not there yet. `fathom resume` goes on with them."
        )
    faulty = [item for item in items if item.fault is not None]
    if faulty:
        retried = sum(item.lost for item in items)
        more = f" `fathom resume` tries {retried} of them again." if retried else ""
        notes.append(
            f"{len(faulty)} steps came to nothing; what is missing counts neither for nor "
            f"against the model.{more}"
        )
    notes += reasoning_notes(getattr(item, "answer", None) for item in items)
    notes += bounds_notes({name: share.bounds for name, share in shares.items()}, "{:.1%}")
    return notes


def _drafted(spec: DeepQuestionSpec) -> bool:
    return bool(spec.drafted)


def _writes(spec: DeepQuestionSpec) -> bool:
    return not spec.given


def _scenarios(spec: DeepQuestionSpec) -> bool:
    return "q2s" in spec.kinds


def _scenarios_written(spec: DeepQuestionSpec) -> bool:
    return _scenarios(spec) and _writes(spec)


def _instructions(spec: DeepQuestionSpec) -> bool:
    return "q2i" in spec.kinds


DEVIATIONS = (
    "own-prompts-and-criteria: prompts, the criteria that drafts are scored by and the five "
    "criteria of comparison are"
    " in words of our own",
    "unscored-apart: a fault of the infrastructure, a reply that cannot be read, and what was cut "
    "off or filtered "
    "count neither for nor against the model; a refusal is no answer and so wrong",
    "numbers-by-rule: answers that are numbers are compared by value, unit and precision, those of "
    "multiple choice by "
    "letter; a measured quantity may be off by one in its last place, money and bare numbers are "
    "exact to the "
    "precision given",
    "unreadable-to-judge: an answer that no rule can read or compare goes to the judge",
    Deviation(
        _drafted,
        "one-frame: the drafted prompt guides the writer inside a fixed frame that sets the form "
        "of the reply and the "
        "rules that hold for every benchmark",
    ),
    Deviation(
        _drafted,
        "score-of-the-prompt: the evaluator scores the draft itself against written criteria, with "
        "samples of the "
        "benchmark at hand; no trial items are written",
    ),
    Deviation(
        _writes,
        "every-item-verified: what was written counts only once the evaluator, without sight of "
        "the reference, has "
        "reached the same answer and has found every quantity; what is rejected is reported and "
        "not written again",
    ),
    Deviation(
        _scenarios,
        "core-fixed: distractors are sentences put between those of one and the same scenario, so "
        "that a load changes "
        f"nothing else; {DISTRACTORS['some']} are some and {DISTRACTORS['many']} are many, the "
        "first ones of the same "
        "list",
    ),
    Deviation(
        _scenarios,
        (
            "same-problems: a problem whose scenario is rejected at one load is left out at all "
            "of them"
        ),
    ),
    Deviation(
        _scenarios_written,
        "answer-held-back: a scenario that tells the answer, or an intermediate result that the "
        "problem does not "
        "state, is rejected by the evaluator, who is shown the answer for this check",
    ),
    Deviation(
        _scenarios_written,
        "distractors-by-rule: a distractor that states the final answer where the problem does not "
        "(a number of two or"
        " more significant digits, or words), or repeats another sentence, is dropped; with too "
        "few left the scenario "
        "is rejected",
    ),
    Deviation(
        _instructions,
        "instruction-met: an attempt is valid when an independent solver reaches the required "
        "answer and the evaluator "
        "finds the instruction kept; a mere solution by the solver is not enough",
    ),
    Deviation(
        _instructions,
        "no-paired-test: writing a question is another task than solving one, so the distance from "
        "the originals, over "
        "the problems that have both marks, has an interval and no McNemar test",
    ),
    Deviation(
        _instructions,
        (
            "both-orders: each comparison is made twice, and a question wins only where it is "
            "preferred in both orders"
        ),
    ),
    Deviation(
        _instructions,
        (
            "answerable-only: only questions with the required answer are compared with their "
            "originals"
        ),
    ),
    Deviation(
        _instructions,
        "instruction-following: the original was not written by the instruction, so that this "
        "criterion favours the "
        "written question by its nature",
    ),
    Deviation(
        _instructions,
        "unlike-forms: of multiple choice the judge sees the original with its lettered options, "
        "and the written "
        "question without any",
    ),
    Deviation(
        lambda spec: spec.given,
        "given-texts: scenarios and instructions were written and checked by an earlier run",
    ),
    Deviation(
        lambda spec: spec.single_pass,
        "single-pass: the first draft of the prompt was used whatever its score (ablation)",
    ),
    Deviation(
        lambda spec: not spec.single_pass and spec.use_best and _drafted(spec),
        "use-best: where no draft reaches the threshold, the best one is used",
    ),
    Deviation(
        lambda spec: spec.threshold != 8 and _drafted(spec),
        "threshold: drafts are accepted from {spec.threshold} of 10 (the paper: 8)",
    ),
    Deviation(
        lambda spec: bool(spec.guides),
        lambda spec: (
            "given-prompts: the transformation prompt for "
            f"{' and '.join(sorted(spec.guides))} was given"
        ),
    ),
    Deviation(
        lambda spec: spec.tolerance is not None,
        "tolerance: numbers that differ by a share of at most {spec.tolerance:g} are the same",
    ),
    Deviation(
        lambda spec: spec.generator != spec.evaluator and not spec.given,
        "two-models: generator and evaluator are different models (the paper: one)",
    ),
    OWN_PROMPTS,
)
