"""`fathom profile RUN…`: what runs of all methods say of each model together."""

from collections.abc import Sequence

from ..graphs.answers import measures_of
from ..graphs.method import title_of
from ..graphs.outcome import entry_of
from ..reports.page import figures
from ..reports.views.profile import profile_blocks
from ..state.errors import UsageError
from ..state.option import Option
from ..state.profile import ProfileDocument
from ..stats.profile import HEADLINES, MeasuredRun, profile_document
from .declare import Command, Given
from .finished import FinishedRun
from .options.shared import AS_JSON, RUNS, SEVERAL_RUNS
from .run_names import named_runs
from .streams import print_blocks, print_json

EPILOG = """Examples:
  fathom profile 7f3a9c01 e9e9e9e9 d3d3d3d3
  fathom profile LAUNCH RUN RUN --domain Cardiology

Exit codes:
  0 done, 1 a run failed, 2 refused (no such run, or none
  with a figure)
"""


def _profile(given: Given) -> None:
    domain: str | None = given["domain"]
    if domain is not None and not domain.strip():
        raise UsageError("--domain is empty: give the domain's name, or leave the option out.")

    document = profile_of(named_runs(given), domain and domain.strip())
    if not document.profiles:
        raise UsageError(f"There is nothing to make a profile of. {' '.join(document.notes)}")
    if given["json"]:
        print_json(document.model_dump(mode="json"))
    else:
        print_blocks(profile_blocks(document, title_of))


def profile_of(runs: Sequence[FinishedRun], domain: str | None = None) -> "ProfileDocument":
    """The profiles of these runs, and a sentence on each that cannot be part of any."""
    measured, notes = [], []
    for run in runs:
        if run.result is None:
            resume = f"`fathom resume {figures.short_id(run.run_id)}` goes on with it"
            status = run.fragment.get("status") or "unfinished"
            notes.append(f"{run.run_id} has no result ({status}): {resume}.")
        elif run.method not in HEADLINES:
            notes.append(f"{run.run_id} has no place in a profile: its method is {run.method}.")
        else:
            started = entry_of(run.folder).when if run.folder is not None else None
            measured.append(MeasuredRun(run.result, run.rows, started))
    return profile_document(measured, measures_of, domain, notes)


PROFILE = Command(
    _profile,
    """One profile per model and domain: depth, accuracy, consistency, discrepancies and drops, each with its interval.

Figures that do not go together are pointed out where their intervals support it. --domain says that all runs are \
about one domain. No model is called.""",
    (
        SEVERAL_RUNS,
        Option("--domain", "NAME", "Take all runs as being about this one domain.", ""),
        AS_JSON,
        RUNS,
    ),
    EPILOG,
)
