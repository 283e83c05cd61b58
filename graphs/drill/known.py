"""What the steps of a probe hand to each other."""

from typing_extensions import TypedDict

from ...agents.questioner.question import PassageAnswer
from ...state.channels import Candidate, Path
from ...state.records import Answer, Outcome, Question, Rejected, Unscored
from .outcome import Played


class Known(TypedDict, total=False):
    """What is known of a probe so far."""

    left: list[Candidate]
    """Candidates that nothing was written from yet."""
    candidate: Candidate
    passages: list[str]
    """Digests of those that were used up."""
    rejected: list[Rejected]
    question: Question | None
    """None: another one has to be written."""
    answer: Answer | Unscored
    checked: PassageAnswer | Unscored
    outcome: Outcome | None
    """None: not judged yet."""
    agreed: bool | Unscored
    """Whether the evaluator's own answer is the reference."""
    path: Path | None
    unexplained: bool
    done: Played
