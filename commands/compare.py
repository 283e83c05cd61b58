"""`fathom compare RUN…`: which model is ahead, by how much, and how sure that is."""

from ..state.errors import UsageError
from .comparison import ranking
from .declare import Command, Given
from .ended import ended_in
from .environment import runs_dir
from .options.shared import AS_JSON, RUNS, SEVERAL_RUNS
from .run_names import named_folders
from .streams import print_json

BUNDLE = "compare takes run folders: name the run it was frozen from"
EPILOG = """Examples:
  fathom compare 7f3a9c01 e9e9e9e9
  fathom compare LAUNCH --json

Exit codes:
  0 done, 1 a run cannot be read, 2 refused (no such run, or nothing
  to compare)
"""


def _compare(given: Given) -> None:
    runs = [ended_in(folder) for folder in named_folders(given["run"], runs_dir(given["runs"]), BUNDLE)]
    from ..reports.page.console import stdout_console
    from ..reports.page.terminal import rendered
    from ..reports.views.comparison import comparison_blocks

    methods = sorted({run.method or "no known method" for run in runs})
    if len(methods) > 1:
        raise UsageError(
            f"Runs of one method are compared; these are of {', '.join(methods)}: for several, `fathom profile`."
        )
    done = sum(run.result is not None for run in runs)
    if done < 2:
        raise UsageError(f"A comparison takes two finished runs; there is {done}: name more of them.")
    compared = ranking(runs)
    if compared is None:
        raise UsageError(f"Runs of {methods[0]} have no measure to be compared by.")
    if len(compared.models) < 2:
        raise UsageError(
            "All that counts of these runs is of one model: they differ in domain or seed alone. Name runs of another"
            " model, or two runs of this one in one domain; `fathom show` has the mean of repeats."
        )
    if given["json"]:
        print_json(compared.model_dump(mode="json"))
        return
    console = stdout_console()
    console.print(rendered(comparison_blocks(compared), console.width), crop=False)


COMPARE = Command(
    _compare,
    """Compare models: who is ahead, by how much, and how sure that is.

Runs of one method. Drills are compared in Expected Valid Depth over the domains that all models were drilled in; runs \
of the other methods by the questions that both models were asked. Of two runs of one model it also says what has \
changed. No model is called.""",
    (SEVERAL_RUNS, AS_JSON, RUNS),
    EPILOG,
)
