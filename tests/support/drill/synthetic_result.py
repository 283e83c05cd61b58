"""The result that belongs to a synthetic stream of events."""

from collections.abc import Sequence
from math import prod

from fathom.state.result import DepthRow, DrillResult, RoleUsage, RootRow, TierRow
from fathom.state.tiers import TIERS, Tier

from .synthetic import Plan, cost_of, events_of, spec_of, wilson


def result_of(plan: Plan) -> DrillResult:
    """The result that belongs to `events_of(plan)`."""
    events_of(plan)
    rows, evd = plan.rows, sum(r.survival for r in plan.rows)
    scored, correct = sum(r.scored for r in rows), sum(r.correct for r in rows)
    cost = cost_of(plan)
    usage = RoleUsage(
        calls=len(plan.probes),
        cached=0,
        failed=1,
        attempts=len(plan.probes) + 3,
        input_tokens=120 * len(plan.probes),
        output_tokens=40 * len(plan.probes),
        cost_usd=None if cost is None else cost / 3,
    )
    return DrillResult(
        run_id=plan.run_id,
        spec=spec_of(plan),
        simulated=plan.simulated,
        status="complete",
        stop_reason=plan.stop_reason,
        stop_detail=f"depth {len(rows)} is the deepest this run was allowed to go",
        censored=None if plan.stop_reason == "threshold" else plan.stop_reason,
        depths=tuple(rows),
        evd=evd,
        evd_ci=(evd * 0.8, evd * 1.25),
        evd_se=0.4,
        evd_note=None,
        evd_bounds=(evd * 0.9, evd * 1.1),
        evd_no_evidence_wrong=evd * 0.85,
        evd_beyond_common=sum(r.survival for r in rows if r.tier is not Tier.COMMON),
        depth_reached=len(rows),
        median_depth=next((r.depth for r in rows if r.survival < 0.5), None),
        final_survival=rows[-1].survival,
        survival_last_k=prod(r.accuracy for r in rows[-3:]),
        survival_depth_weighted=sum(r.depth * r.accuracy for r in rows) / sum(r.depth for r in rows),
        accuracy=correct / scored,
        mean_error_depth=2.4,
        by_tier=_by_tier(rows),
        by_root={"Aspect 1": RootRow(scored=4, correct=3, accuracy=0.75, deepest=3)},
        aspects=tuple(f"Aspect {i + 1}" for i in range(plan.n)),
        probes=tuple(plan.probes),
        usage={"target": usage, "evaluator": usage, "judge": usage},
        cost_usd=cost,
        wall_s=75.2,
        conformance=("interval: mid-p beta product and simulated spread instead of the path bootstrap",),
        notes=("2 concepts had no evidence at depth 4.",),
        provenance={"fathom": "0.1.0"},
    )


def _by_tier(rows: Sequence[DepthRow]) -> dict[Tier, TierRow]:
    table: dict[Tier, TierRow] = {}
    for tier in TIERS:
        mine = [r for r in rows if r.tier is tier]
        if mine:
            n, correct = sum(r.scored for r in mine), sum(r.correct for r in mine)
            wrong, abstained = sum(r.wrong for r in mine), sum(r.abstained for r in mine)
            table[tier] = TierRow(
                scored=n,
                correct=correct,
                wrong=wrong,
                abstained=abstained,
                accuracy=correct / n,
                accuracy_ci=wilson(correct, n),
            )
    return table
