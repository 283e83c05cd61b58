"""`fathom judge`: other judges on a finished run's answers, how far each can be relied on, and what
another evaluator makes of the same passages."""

from ..state.option import Option
from ..state.spec import ReplaySpec
from .method import MethodCommand
from .options.shared import SEVERAL_RUNS, model

CALIBRATED = 30
"""References of each kind that a judge is tried on."""
EPILOG = """Examples:
  fathom judge last                       how reliable its own judge is
  fathom judge last --judge openai:gpt-5  another judge on the same answers
  fathom judge A B --judge X --judge Y    the ranking of A and B under each
  fathom judge last --second-evaluator X  other questions, the same passages
  fathom plan judge last --judge X        what it would cost

Exit codes:
  0 complete, 1 failed, 2 refused before any call,
  3 stopped by its budget, 130 interrupted
"""


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
    epilog=EPILOG,
)
