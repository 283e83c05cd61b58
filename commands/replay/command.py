"""`fathom replay`: a result computed again, other models on the same questions, another judge on
the same answers."""

from dataclasses import dataclass, replace

from ...state.option import OUTPUT, Option
from ...state.spec import ReplaySpec
from ..declare import Given, options_of
from ..method import MethodCommand
from ..options.shared import FORCE, FURTHER, LAUNCHING, SEVERAL_RUNS, model

EPILOG = """Examples:
  fathom replay last                       compute a result again, offline
  fathom replay run.fathom -t openai:gpt-5 another model, the same questions
  fathom replay A B C -t X -t Y -t Z       who knows whose questions
  fathom replay last --judge openai:gpt-5  the same answers, another judge

Exit codes:
  0 complete (and identical), 1 failed or not identical,
  2 refused before any call, 3 stopped by its budget, 130 interrupted
"""


@dataclass(frozen=True, slots=True)
class Replay(MethodCommand):
    """Without a model nothing is asked: then there is nothing to plan, to limit or to save."""

    @property
    def options(self) -> list[Option]:
        return [*self.own, FORCE, *LAUNCHING]

    def launch(self, values: Given) -> None:
        if values["target"] or values["judge"] is not None:
            MethodCommand.launch(self, values)
            return
        from .request import recompute

        recompute(values)


REPLAY = Replay(
    "replay",
    ReplaySpec,
    ".replay.request:ask",
    """Compute a run's result again from its journal alone; or put its very questions to other models.

Without --target and --judge nothing is asked and no connection is opened: the result must come out byte for byte, for \
runs of any method. --target and --judge are for drills. Several targets or runs make a cross-examination: every model \
on every model's questions.""",
    own=(
        replace(SEVERAL_RUNS, help="Runs: a folder, an id, `last`, or a bundle's file."),
        model(
            "--target -t", "Put the same questions to this model; may be repeated.", type=list[str]
        ),
        model(
            "--judge",
            "Judge of all answers, old and new; alone: judge the old ones again.",
            default="the drill's",
        ),
        *(option for option in options_of(ReplaySpec) if option.key in FURTHER),
        Option("--output -o", "FILE", "Also write the result there, as JSON.", OUTPUT, kind="file"),
    ),
    epilog=EPILOG,
)
