"""`fathom status STUDY`: how the cells of a study stand, from wherever it is run."""

from pathlib import Path

from ..graphs.method import figure_of
from ..reports.views.campaign import campaign_blocks
from .declare import Command, Given
from .environment import runs_dir, store_of
from .launch import say
from .options.shared import AS_JSON, RUNS
from .streams import print_blocks, print_json
from .study.command import STORE, STUDY, cells_of
from .study.standing import next_steps

EPILOG = """Examples:
  fathom status study.yaml
  watch -n 10 fathom status study.yaml

Exit codes:
  0 done, 1 the index cannot be read, 2 refused (no such study)
"""


def _status(given: Given) -> None:
    runs = runs_dir(given["runs"])
    states = cells_of(given["study"], runs, store_of(given["store"]))
    if given["json"]:
        print_json([state.model_dump(mode="json") for state in states])
        return
    print_blocks(campaign_blocks(states, figure_of))
    for sentence in next_steps(states, Path(given["study"]), runs):
        say(sentence)


STATUS = Command(
    _status,
    """Show the progress of a study: of each cell (domain × target × repeat) what it has measured so far, whether \
it is running, and why it failed.

Reads the index that `fathom run STUDY` keeps: no model is called, and a campaign under way is not disturbed.""",
    (STUDY, STORE, AS_JSON, RUNS),
    EPILOG,
)
