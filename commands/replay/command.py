"""`fathom replay`: a result computed again, and other models on the same questions; `fathom judge`:
other judges on the same answers."""

from dataclasses import dataclass, replace

from ...state.option import Option
from ...state.spec import ReplaySpec
from ..declare import Given, options_of
from ..method import MethodCommand
from ..options.shared import CALIBRATED, FURTHER, SEVERAL_RUNS, model

EPILOG = """Examples:
  fathom replay last                       compute a result again, offline
  fathom replay run.fathom -t openai:gpt-5 another model, the same questions
  fathom replay A B C -t X -t Y -t Z       who knows whose questions

Exit codes:
  0 complete (and identical), 1 failed or not identical,
  2 refused before any call, 3 stopped by its budget, 130 interrupted
"""

JUDGE_EPILOG = """Examples:
  fathom judge last                       how reliable its own judge is
  fathom judge last --judge openai:gpt-5  another judge on the same answers
  fathom judge A B --judge X --judge Y    the ranking of A and B under each
  fathom judge last --second-evaluator X  other questions, the same passages
  fathom plan judge last --judge X        what it would cost

Exit codes:
  0 complete, 1 failed, 2 refused before any call,
  3 stopped by its budget, 130 interrupted
"""


@dataclass(frozen=True, slots=True)
class Replay(MethodCommand):
    """Without a model nothing is asked: then there is nothing to plan, to limit or to save."""

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

Without --target nothing is asked and no connection is opened: the result must come out byte for byte, for runs of \
any method. --target is for drills. Several targets or runs make a cross-examination: every model \
on every model's questions.""",
    own=(
        replace(SEVERAL_RUNS, help="Runs: a folder, an id, `last`, or a bundle's file."),
        model(
            "--target -t",
            "Put the same questions to this model; may be repeated.",
            type=list[str],
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
JUDGE = MethodCommand(
    "judge",
    ReplaySpec,
    ".replay.request:ask_judges",
    """Have other judges judge the answers of finished drills or replays, and say how far each can be relied on.

Each judge is tried on 30 references in other words, which it must accept, and on the same as answers to other \
questions, which it must reject, mixed in among the real answers. Agreement, EVD and ranking are shown under each \
judge. Answers are not asked for anew; EVD is conditional on the questions that were asked.""",
    own=(
        SEVERAL_RUNS,
        model(
            "--judge",
            "Judge of the old answers; may be repeated.",
            type=list[str],
            default="the run's own",
        ),
        model(
            "--evaluator -e",
            "Model that puts references in other words.",
            default="the run's own",
        ),
        Option(
            "--calibration",
            "N",
            "References of each kind that a judge is tried on; 0: none.",
            type=int,
            least=0,
            most=1000,
            default=f"{CALIBRATED}",
        ),
        model(
            "--second-evaluator",
            "Write questions from 20 of the same passages with this model, put them to the target, and "
            "compare level and accuracy.",
            default="none",
        ),
    ),
    epilog=JUDGE_EPILOG,
)
