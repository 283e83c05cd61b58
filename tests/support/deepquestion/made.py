"""Results of DeepQuestion runs, made by hand for whatever shows them at the end."""

from collections.abc import Sequence

from fathom.state.deepquestion.items import CRITERIA, DISTRACTORS, KINDS, LOADS, Criterion, Kind, Load
from fathom.state.deepquestion.result import (
    Comparisons,
    CriterionRow,
    DeepQuestionCell,
    DeepQuestionComparison,
    DeepQuestionResult,
    Drop,
    InstructionRow,
    LoadRow,
    PositionRow,
    ProblemRow,
    PromptHistory,
    PromptRound,
    Rejection,
    Share,
)
from fathom.state.deepquestion.spec import DeepQuestionSpec
from fathom.state.result import RoleUsage

FEEDBACK = (
    "It does not say that the answer has to stay the same, nor how long a scenario may be. Whoever reads it is free to"
    " drop a quantity, and nothing forbids a text that is little more than the problem told once more."
)
DRAFT = "Put the problem into a scenario of six to nine sentences.\n\n- every quantity stays\n- the answer stays"
Counts = tuple[int, int, int]


def share(count: int, n: int) -> Share:
    """So many of so many, with an interval that is made up around it."""
    if not n:
        return Share(n=0, count=0, share=None, ci=(0.0, 1.0))
    return Share(n=n, count=count, share=count / n, ci=(max(0.0, count / n - 0.15), min(1.0, count / n + 0.1)))


def load_row(load: Load, both: int, lost: int, gained: int, neither: int, *, unscored: int = 0) -> LoadRow:
    """Q2S at one load: problems right in both, only in the original, only in the scenario, in neither."""
    n = both + lost + gained + neither
    drop = Drop(
        n=n,
        both=both,
        only_original=lost,
        only_transformed=gained,
        neither=neither,
        original=(both + lost) / n,
        transformed=(both + gained) / n,
        drop=(lost - gained) / n,
        ci=((lost - gained) / n - 0.12, (lost - gained) / n + 0.12),
        mcnemar_p=0.0004 if lost > 2 * gained + 6 else 0.18,
        mcnemar_mid_p=0.1,
    )
    return LoadRow(
        load=load,
        distractors=DISTRACTORS[load],
        scenarios=n + unscored,
        unscored=unscored,
        accuracy=share(both + gained, n),
        drop=drop,
        words=60.0 + 12 * DISTRACTORS[load],
    )


def compared(
    outcomes: Sequence[Counts], places: Sequence[Counts], names: Sequence[Criterion] = CRITERIA, *, unscored: int = 0
) -> Comparisons:
    """By criterion: (wins, ties, losses), and (first, second, ties) of the single comparisons."""
    criteria = []
    for criterion, (wins, ties, losses) in zip(names, outcomes, strict=True):
        pairs = wins + ties + losses
        rate = (wins + ties / 2) / pairs
        criteria.append(
            CriterionRow(
                criterion=criterion,
                pairs=pairs,
                wins=wins,
                losses=losses,
                ties=ties,
                contradictory=ties // 3,
                win_rate=rate,
                ci=(max(0.0, rate - 0.14), min(1.0, rate + 0.14)),
            )
        )
    totals = tuple(sum(each) for each in zip(*places, strict=True))
    return Comparisons(
        pairs=criteria[0].pairs,
        unscored=unscored,
        criteria=tuple(criteria),
        position=tuple(_place(name, *counts) for name, counts in zip([*names, "all"], [*places, totals], strict=True)),
    )


def _place(name: str, first: int, second: int, ties: int) -> PositionRow:
    chosen = first + second
    of_first = first / chosen if chosen else None
    held = {"criterion": name, "comparisons": chosen + ties, "first": first, "second": second, "ties": ties}
    ci = (max(0.0, of_first - 0.09), min(1.0, of_first + 0.09)) if of_first is not None else None
    return PositionRow.model_validate({**held, "first_share": of_first, "ci": ci})


CREATED = compared(
    [(9, 12, 7), (4, 8, 16), (3, 9, 16), (10, 14, 4), (5, 20, 3)],
    [(24, 18, 14), (34, 16, 6), (30, 20, 6), (20, 10, 26), (9, 9, 38)],
    unscored=2,
)
"""28 pairs. All: 117 of 190 preferences go to the first place, 62 %."""
BASELINE = compared(
    [(1, 7, 2), (2, 6, 2), (2, 7, 1), (0, 10, 0)],
    [(8, 4, 8), (7, 8, 5), (8, 5, 7), (0, 0, 20)],
    [criterion for criterion in CRITERIA if criterion != "instruction_following"],
)
"""10 pairs of originals, of which none follows an instruction. All: 23 of 40 preferences, 57 %."""


def history(kind: Kind, *scores: int | None, used: bool = True, threshold: int = 8) -> PromptHistory:
    """A loop with these scores."""
    rounds = tuple(
        PromptRound(round=number, draft=DRAFT, score=score, feedback=FEEDBACK if number == 1 else "Clear and complete.")
        for number, score in enumerate(scores, start=1)
    )
    best = max((each for each in rounds if each.score), key=lambda each: each.score or 0, default=None)
    converged = best is not None and (best.score or 0) >= threshold
    return PromptHistory(
        kind=kind,
        source="optimised",
        rounds=rounds,
        converged=converged,
        best=best.round if best else None,
        score=best.score if best else None,
        guide=DRAFT if rounds else "",
        used=used,
    )


REJECTED = (
    Rejection(problem="p3", kind="q2s", check="answer changed", load="many", reason="It reaches 42, and 40 is right."),
    Rejection(problem="p3", kind="q2s", check="answer changed", load="some", reason="It reaches 42 once more."),
    Rejection(problem="p9", kind="q2s", check="answer changed", reason="It reaches 7."),
    Rejection(problem="p10", kind="q2s", check="quantity lost", reason="3 hours"),
    Rejection(problem="p4", kind="q2i", check="gives away", reason="The problem stands in it word for word."),
)
USAGE = RoleUsage(calls=120, cached=0, failed=1, attempts=123, input_tokens=48000, output_tokens=21000, cost_usd=0.12)


def result(
    target: str = "sim:student", loads: Sequence[Load] = LOADS, kinds: Sequence[Kind] = KINDS, **changes: object
) -> DeepQuestionResult:
    """A run over forty problems: 36 of 39 originals right; Q2S at 33 of 36, 28 of 35 and 22 of 34; Q2I at 18 of 37.

    `changes`: fields of the result to set. Any target but `sim:…` makes a result that is not simulated."""
    helper = "sim:helper" if target.startswith("sim:") else "openai:gpt-5"
    spec = DeepQuestionSpec(
        benchmark="gsm8k",
        material="0" * 16,
        problems=40,
        target=target,
        generator=helper,
        evaluator=helper,
        judge=helper,
        kinds=tuple(kinds),
        distractors=tuple(loads),
    )
    rows = {
        "none": load_row("none", 32, 2, 1, 1),
        "some": load_row("some", 27, 6, 1, 1, unscored=1),
        "many": load_row("many", 21, 11, 1, 1, unscored=2),
    }
    made = DeepQuestionResult(
        run_id=f"20260101-120000-deepquestion-gsm8k-{sum(map(ord, target)):08x}",
        spec=spec,
        simulated=spec.simulated,
        status="complete",
        stop_reason="all_asked",
        stop_detail="",
        prompts=tuple(history(kind, 5, 6, 9) for kind in spec.kinds),
        original=share(36, 39),
        original_unscored=1,
        q2s=tuple(rows[load] for load in loads) if "q2s" in kinds else (),
        q2i=_created() if "q2i" in kinds else None,
        baseline=BASELINE if "q2i" in kinds else None,
        rejected=tuple(each for each in REJECTED if each.kind in kinds),
        unwritten=dict.fromkeys(kinds, 2),
        problems=tuple(
            ProblemRow(id=f"p{number}", question="How many?", answer="3", answer_kind="number", original=None)
            for number in range(1, 41)
        ),
        transformed=(),
        usage=dict.fromkeys(("generator", "evaluator", "target", "judge"), USAGE),
        cost_usd=0.48,
        wall_s=75.2,
        conformance=("pairwise comparison: in both orders",),
        notes=("The judge could not be given a seed.",),
        provenance={"fathom": "0.1.0"},
    )
    return made.model_copy(update=changes)


def _created() -> InstructionRow:
    return InstructionRow(
        instructions=38,
        unscored=1,
        accuracy=share(18, 37),
        invalid={"nothing written": 1, "not answerable": 6, "another answer": 8, "instruction not met": 4},
        distance=36 / 39 - 18 / 37,
        distance_ci=(0.25, 0.6),
        comparisons=CREATED,
    )


def comparison(*results: DeepQuestionResult, same_texts: bool = True) -> DeepQuestionComparison:
    """The runs side by side, under their targets' names."""
    return DeepQuestionComparison(
        simulated=any(one.simulated for one in results),
        cells=tuple(
            DeepQuestionCell(
                run_id=one.run_id,
                label=one.spec.target,
                prompts={each.kind: f"loop, {each.score}/10 in round {each.best}" for each in one.prompts},
                written={each.kind: share(34, 37) for each in one.prompts},
                original=one.original,
                q2s=one.q2s,
                q2i=one.q2i.accuracy if one.q2i else None,
                distance=one.q2i.distance if one.q2i else None,
                distance_ci=one.q2i.distance_ci if one.q2i else None,
            )
            for one in results
        ),
        problems=39,
        same_texts=same_texts,
        notes=("the runs were not judged alike",),
    )
