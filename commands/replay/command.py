"""`fathom replay`: a result computed again, and other models on the same questions."""

from dataclasses import dataclass, replace

from ...state.errors import UsageError
from ...state.spec import ReplaySpec
from ..declare import Given, options_of
from ..method import MethodCommand
from ..options.shared import FURTHER, SEVERAL_RUNS, model

EPILOG = """Examples:
  fathom replay last                       compute a result again, offline
  fathom replay run.fathom -t openai:gpt-5 another model, the same questions
  fathom replay A B C -t X -t Y -t Z       who knows whose questions

Exit codes:
  0 complete (and identical), 1 failed or not identical,
  2 refused before any call, 3 stopped by its budget, 130 interrupted
"""


@dataclass(frozen=True, slots=True)
class Replay(MethodCommand):
    """Without a model nothing is asked: then there is nothing to plan, to limit or to save."""

    def launch(self, values: Given) -> None:
        if values["target"]:
            MethodCommand.launch(self, values)
            return
        if values["judge"] is not None:
            raise UsageError("--target is missing; `fathom judge` has another judge judge answers.")
        from .request import recompute

        recompute(values)


REPLAY = Replay(
    "replay",
    ReplaySpec,
    ".replay.request:ask",
    """Compute a run's result again from its journal alone; or put its very questions to other models.

Without --target nothing is asked and no connection is opened: the result must come out byte for byte, for runs of \
any method. --target is for drills. Several targets or runs make a cross-examination: every model \
on every model's questions.""",
    own=(
        replace(SEVERAL_RUNS, help="Runs: a folder, an id, `last`, or a bundle's file."),
        model(
            "--target -t", "Put the same questions to this model; may be repeated.", type=list[str]
        ),
        model(
            "--judge",
            "Judge of all answers, old and new.",
            default="the drill's",
        ),
        *(option for option in options_of(ReplaySpec) if option.key in FURTHER),
    ),
    epilog=EPILOG,
)
