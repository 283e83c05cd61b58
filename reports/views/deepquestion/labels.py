"""DeepQuestion's terms and numbers as the screen and the pictures write them."""

from collections.abc import Iterable

from ....state.deepquestion.items import DISTRACTORS, Criterion, Kind, Load
from ....state.deepquestion.result import Check, InvalidWhy, PromptHistory, Share
from ....state.result import Interval
from ...page import figures

KIND_NAMES: dict[Kind, str] = {"q2s": "Q2S", "q2i": "Q2I"}
TEXTS: dict[Kind, str] = {"q2s": "scenario", "q2i": "instruction"}
"""What is written of a kind."""
CRITERION_NAMES: dict[Criterion, str] = {
    "clarity": "clarity",
    "reasoning_demand": "reasoning demand",
    "realism": "realism",
    "instruction_following": "instruction following",
    "no_giveaway": "no giveaway",
}
INVALID: dict[InvalidWhy, str] = {
    "nothing written": "nothing was written",
    "not answerable": "cannot be answered",
    "another answer": "has another answer than was required",
    "instruction not met": "does not keep to the instruction",
}
"""Why an attempt is not valid, in the order in which it is asked; the first that applies counts."""
CHECKS: dict[Check, str] = {
    "not written": "nothing usable was written",
    "malformed": "could not be put together",
    "answer changed": "answer changed",
    "not solvable": "cannot be solved",
    "quantity lost": "a quantity is lost",
    "bare problem": "no more than the problem",
    "gives away": "holds the question already",
    "incomplete": "solution path or answer missing",
}
"""Why a text was rejected; see `check_words`."""
FEW = 30
"""Below so many answers an accuracy is hardly more than a guess."""


def check_words(check: Check, kind: Kind) -> str:
    """Why a text of this kind was rejected: a scenario gives the answer away, an instruction the question."""
    return "tells the answer" if (kind, check) == ("q2s", "gives away") else CHECKS[check]


def load_words(load: Load) -> str:
    """`no distractors`, `2 distractors`."""
    number = DISTRACTORS[load]
    return figures.count(number, "distractor") if number else "no distractors"


def span(share: float | None, interval: Interval | None) -> str:
    """The interval of a share in per cent; a dash where there is no share, since 0–100 would say nothing."""
    return figures.NONE if share is None or interval is None else figures.percent_span(interval)


def share_words(share: Share) -> str:
    """`93% (87–97)`."""
    return figures.NONE if share.share is None else f"{figures.percent(share.share)} ({figures.percent_span(share.ci)})"


def kinds_words(kinds: Iterable[Kind]) -> str:
    """`Q2S and Q2I`."""
    return " and ".join(KIND_NAMES[kind] for kind in kinds)


def scores_words(history: PromptHistory) -> str:
    """The score of each draft in turn: `5 → 6 → 9`; a dash for a draft without one."""
    return (
        " → ".join(figures.NONE if each.score is None else str(each.score) for each in history.rounds) or figures.NONE
    )


def source_words(history: PromptHistory, rounds: int) -> str:
    """How a prompt came about: `loop, accepted in round 3 of at most 5`."""
    if history.source == "given":
        return "given"
    if not history.rounds:
        return "no draft was written"
    if history.source == "single pass":
        return "single pass: the first draft, whatever its score"
    if history.converged:
        return f"loop, accepted in round {history.best} of at most {rounds}"
    best = f"the best is of round {history.best}" if history.best is not None else "no draft has a score"
    return f"loop, not converged: {best}" + (", used on request" if history.used else "")
