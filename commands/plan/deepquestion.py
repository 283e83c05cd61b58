"""`fathom plan deepquestion`: what a launch would ask, cost and take. Nobody is asked anything."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...state.deepquestion.items import ProblemSet
from ...state.spec import DeepQuestionSpec
from ..deepquestion.command import deepquestion_command
from ..streams import print_json
from .common import figures_of, spread_of, takes_the_options_of

if TYPE_CHECKING:  # heavy: the command line starts without them
    from ...graphs.deepquestion.estimate import DeepQuestionPlan
    from ...graphs.run.options import LaunchOptions
    from ...tools.models.priced import PriceList


def plan_deepquestion(**given: Any) -> None:
    """Plan a DeepQuestion: calls, tokens, money and time, with ranges. Takes the options of `fathom deepquestion`.

    How many drafts a prompt takes and what passes the checks is not known beforehand, so the ranges are wide; with
    --from only what the target is asked counts, and what is said of its answers.
    """
    from ...tools.models.priced import PriceList
    from ..deepquestion.request import deepquestion_request
    from ..launch import tell

    asked = deepquestion_request(given)
    prices = PriceList.parse(asked.options.prices, asked.options.env)
    tell(asked.notices, asked.display)
    plan_questions(asked.specs, asked.problems, asked.options, prices, asked.options.runs, as_json=given["as_json"])


takes_the_options_of(deepquestion_command, plan_deepquestion)


def plan_questions(
    specs: Sequence[DeepQuestionSpec],
    problems: ProblemSet,
    options: "LaunchOptions",
    prices: "PriceList",
    runs_dir: Path | None,
    *,
    as_json: bool = False,
) -> int:
    """Print the plan of a launch over these problems to stdout, as a report or as one JSON document; past runs in
    `runs_dir` sharpen it.

    Returns the exit code, 0. Raises UsageError for a price given to a model that takes no part.
    """
    from ...graphs.deepquestion.estimate import estimate_deepquestion
    from ...graphs.deepquestion.past import read_deepquestion_priors

    prices.require_named(name for spec in specs for name in spec.asked)
    priors = read_deepquestion_priors(runs_dir) if runs_dir is not None else None
    plan = estimate_deepquestion(specs, problems, prices, priors, limits=options.limits, timing=options.timing)
    if as_json:
        print_json(deepquestion_plan_document(specs, plan))
        return 0
    from ...reports.page.console import stdout_console
    from ...reports.views.deepquestion.plan import deepquestion_plan_report

    console = stdout_console()
    report = deepquestion_plan_report(
        specs, plan, width=console.width, budget_usd=options.budget_usd, max_calls=options.max_calls
    )
    console.print(report, crop=False)
    return 0


def deepquestion_plan_document(specs: Sequence[DeepQuestionSpec], plan: "DeepQuestionPlan") -> dict[str, Any]:
    """The plan as JSON: each figure as {low, expected, high}, an unknown price as null."""
    named = ("target", "generator", "evaluator", "judge", "digest", "simulated")
    spec = specs[0]
    return {
        "method": "plan",
        "simulated": plan.simulated,
        "runs": [{name: getattr(each, name) for name in named} for each in specs],
        "benchmark": {"name": spec.benchmark, "problems": spec.problems, "answers_in_words": plan.words},
        "protocol": {
            "kinds": list(spec.kinds),
            "distractors": list(spec.distractors),
            "given": spec.given,
            "drafts": {kind: spread_of(rounds) for kind, rounds in plan.rounds.items()},
            "nothing_written_for": list(plan.left_out),
            "scenarios": spread_of(plan.scenarios),
            "instructions": spread_of(plan.instructions),
            "baseline_pairs": plan.pairs,
        },
        **figures_of(plan),
        "calls_by_prompt": {prompt: spread_of(calls) for prompt, calls in plan.by_prompt.items()},
        "basis": {
            "past_runs": plan.past_runs,
            "past_runs_of": dict(plan.learnt),
            "unreadable": plan.unreadable,
            "shared_runs": plan.shared,
        },
    }
