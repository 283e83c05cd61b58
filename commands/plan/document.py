"""A plan as one JSON document: each figure as {low, expected, high}, an unknown price as null."""

from collections.abc import Callable, Mapping
from typing import Any

from ...graphs.drill.depths import separation_of
from ...graphs.run.plan import Plan, RolePlan
from ...graphs.run.spread import Spread, fixed


def document_of(plan: Plan) -> dict[str, Any]:
    """Calls, tokens, money and time, in all and by role, and what is the method's own."""
    own = OWN[plan.specs[0].method](plan)
    basis = {
        "past_runs": len(set().union(*plan.behind.values())),
        "past_runs_of": {model: len(runs) for model, runs in plan.behind.items()},
        "unreadable": plan.past.unreadable,
        "shared_runs": sum(run.shares for run in plan.runs),
        "repeated_calls": sum(run.repeated for run in plan.runs),
    }
    return {
        "method": "plan",
        "simulated": plan.simulated,
        **own,
        **_figures(plan.calls, plan.input_tokens, plan.output_tokens, plan.usd),
        "known_cost_usd": spread_of(plan.known_usd),
        "unknown_prices": plan.unknown,
        "wall_s": spread_of(plan.wall_s),
        "roles": [_role(role) for role in plan.roles],
        "calls_by_prompt": {
            purpose: spread_of(calls) for purpose, calls in plan.by_purpose.items()
        },
        "basis": basis | own.get("basis", {}),
    }


def _figures(calls: Spread, into: Spread, out: Spread, usd: Spread | None) -> dict[str, Any]:
    return {
        "calls": spread_of(calls),
        "input_tokens": spread_of(into),
        "output_tokens": spread_of(out),
        "cost_usd": spread_of(usd),
    }


def _role(role: RolePlan) -> dict[str, Any]:
    figures = _figures(role.calls, role.input_tokens, role.output_tokens, role.usd)
    return {"role": role.role, "model": role.model, **figures}


def spread_of(value: Spread | None) -> dict[str, float] | None:
    """A figure as {low, expected, high}; null when it is unknown."""
    return None if value is None else {"low": value.low, "expected": value.mid, "high": value.high}


def _fields(spec: Any, *names: str) -> dict[str, Any]:
    return {name: getattr(spec, name) for name in names}


def _drill(plan: Plan) -> dict[str, Any]:
    made, spread = separation_of(plan.specs, plan.past.runs)
    return {
        "drills": [_fields(spec, "domain", "target", "repeat", "digest") for spec in plan.specs],
        "depths": spread_of(plan.parts.plus(fixed(-1.0))),
        "basis": {"evd_sd": spread},
        "separation": None
        if made is None
        else {
            "evd_sd": made.sd,
            "repeats": made.repeats,
            "smallest_difference": made.smallest,
            "power": {f"{difference:g}": chance for difference, chance in made.power.items()},
            "repeats_needed": {
                f"{difference:g}": needed for difference, needed in made.needed.items()
            },
        },
    }


def _eqt(plan: Plan) -> dict[str, Any]:
    named = ("target", "examiner", "judge", "digest", "simulated")
    return {
        "runs": [_fields(spec, *named) | {"concepts": len(spec.concepts)} for spec in plan.specs]
    }


def _depthqa(plan: Plan) -> dict[str, Any]:
    graph = plan.declared.graph
    by_mode = plan.declared.by_mode().items()
    return {
        "runs": [
            _fields(spec, "target", "judge", "modes", "digest", "simulated") for spec in plan.specs
        ],
        "graph": {
            "name": plan.specs[0].graph,
            "trees": len(graph.trees),
            "nodes": len(graph.nodes),
            "questions": len(graph.holders),
        },
        "protocol": {
            mode: {"answers": answers, "ratings": ratings} for mode, (answers, ratings) in by_mode
        },
    }


def _build(plan: Plan) -> dict[str, Any]:
    spec = plan.specs[0]
    named = ("name", "evaluator", "similarity", "width", "classify", "check", "digest", "simulated")
    return {"build": _fields(spec, *named) | {"questions": len(spec.questions)}}


def _deepquestion(plan: Plan) -> dict[str, Any]:
    spec, calls = plan.specs[0], plan.declared
    named = ("target", "generator", "evaluator", "judge", "digest", "simulated")
    return {
        "runs": [_fields(each, *named) for each in plan.specs],
        "benchmark": {
            "name": spec.benchmark,
            "problems": spec.problems,
            "answers_in_words": calls.words,
        },
        "protocol": {
            **_fields(spec, "kinds", "distractors", "given"),
            "drafts": {kind: spread_of(calls.drafts) for kind in spec.drafted},
            "scenarios": spread_of(calls.scenarios),
            "instructions": spread_of(calls.instructions),
            "baseline_pairs": len(calls.pairs),
        },
    }


OWN: Mapping[str, Callable[[Plan], dict[str, Any]]] = {
    "drill": _drill,
    "eqt": _eqt,
    "depthqa": _depthqa,
    "depthqa_build": _build,
    "deepquestion": _deepquestion,
}
"""What is a method's own, by the `method` of its spec."""
