"""`fathom decide STUDY|RUN…`: which model to take, and how sure that is."""

from dataclasses import replace

import typer

from ..reports.views.decision import decision_blocks
from .decision import POLICY_OPTIONS, policy_of, require_decided
from .declare import Command, Given
from .environment import runs_dir
from .options.shared import AS_JSON, RUNS, SEVERAL_RUNS
from .run_names import named_runs, stated_rule
from .streams import print_blocks, print_json

EPILOG = """Examples:
  fathom decide study.yaml
  fathom decide LAUNCH --margin 0.5 --prefer cheaper
  fathom decide LAUNCH --must "accuracy[professional] >= 80%"

A study file may hold the same:
  decide:
    margin: 0.5
    must: ["accuracy[professional] >= 80%"]
    prefer: cheaper

Exit codes:
  0 decided, 1 a run cannot be read, 2 refused (no such run, or a
  condition on what is not measured), 4 not decided yet, 5 a condition
  fails, or the measurement is not complete enough
"""


def _decide(values: Given) -> None:
    policy = policy_of(values, stated_rule(values["run"], runs_dir(values["runs"])))
    decided = require_decided(named_runs(values), policy)
    if values["json"]:
        print_json(decided.decision.model_dump(mode="json"))
    else:
        print_blocks(decision_blocks(decided.decision, decided.compared))
    raise typer.Exit(decided.decision.exit_code)


DECIDE = Command(
    _decide,
    """Decide which model to take: better, equal, not decided yet, or not to be decided on.

The models are compared as `fathom compare` does. With --margin, models that differ by less than what matters count \
as equal, and the cheaper (or faster) one is taken. With --must, a model has to keep to a bound with its whole 95% \
interval; what was not measured is never a pass. Where it is not decided, it says about how many more repeats it \
would take and what they cost. No model is called.""",
    (
        replace(
            SEVERAL_RUNS,
            metavar="STUDY|RUN",
            help=f"A study file; or {SEVERAL_RUNS.help.lower()}",
        ),
        *POLICY_OPTIONS,
        AS_JSON,
        RUNS,
    ),
    EPILOG,
)
