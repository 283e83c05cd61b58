"""DeepQuestion's terms and numbers as the screen and the pictures write them."""

from collections.abc import Iterable, Mapping

from ....state.deepquestion.items import DISTRACTORS, Criterion, Kind, Load
from ....state.deepquestion.result import Check, DeepQuestionResult, InvalidWhy, Share
from ....state.result import Interval
from ....state.worlds import is_simulated
from ...page import figures
from ...page.sanitise import one_line
from ..texts import with_interval

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
OTHER_TASK = (
    "Q2I is another task, a question to be written: its distance is over problems with both marks, "
    "with an interval of"
    " two independent shares"
)
MCNEMAR = "p: McNemar's exact test of the drop, two-sided"
WIDE = (
    f"an interval over fewer than {FEW} problems is wide: so few say little of what others would "
    "show"
)
TEXTS_SIMULATED = "The texts were given and are SIMULATED."


def check_words(check: Check, kind: Kind) -> str:
    """Why a text of this kind was rejected: a scenario gives the answer away, an instruction the
    question."""
    return "tells the answer" if (kind, check) == ("q2s", "gives away") else CHECKS[check]


def load_words(load: Load) -> str:
    """`no distractors`, `2 distractors`."""
    number = DISTRACTORS[load]
    return figures.count(number, "distractor") if number else "no distractors"


def span(share: float | None, interval: Interval | None) -> str:
    """The interval of a share in per cent; a dash where there is no share, since 0–100 would say
    nothing."""
    return figures.NONE if share is None or interval is None else figures.percent_span(interval)


def share_words(share: Share) -> str:
    """`93% (87–97)`."""
    return with_interval(share.share, share.ci, "percent")


def kinds_words(kinds: Iterable[Kind]) -> str:
    """`Q2S and Q2I`."""
    return " and ".join(KIND_NAMES[kind] for kind in kinds)


# texts that were given to a run


def made_of(result: DeepQuestionResult) -> dict[str, str]:
    """What is known of how given texts came about, in words; empty of a run that wrote its own."""
    made = result.provenance.get("made")
    if not result.spec.given or not isinstance(made, Mapping):
        return {}
    return {
        str(name): one_line(value)
        for name, value in made.items()
        if isinstance(value, str) and value.strip()
    }


def texts_simulated(result: DeepQuestionResult) -> bool:
    """Whether given texts come from a simulated world."""
    made = made_of(result)
    said = made.get("simulated", "").casefold() not in ("", "no", "false", "0")
    return said or any(is_simulated(made.get(role, "")) for role in ("generator", "evaluator"))


def given_words(result: DeepQuestionResult) -> str:
    """`texts given (SIMULATED), written by sim:generator, checked by sim:evaluator in run
    1f2e3d4c`."""
    made = made_of(result)
    writer, checker, run = (made.get(name, "") for name in ("generator", "evaluator", "run"))
    parts = ["texts given (SIMULATED)" if texts_simulated(result) else "texts given"]
    parts.append(f"written by {writer}" if writer else "by whom they were written is not known")
    parts += [f"checked by {checker}"] if checker else []
    return ", ".join(parts) + (f" in run {figures.short_id(run)}" if run else "")
