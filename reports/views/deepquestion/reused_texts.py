"""By whom scenarios and instructions of a DeepQuestion run were written and checked that were given to it."""

from collections.abc import Mapping

from ....state.deepquestion.result import DeepQuestionResult
from ....state.worlds import is_simulated
from ...page import figures
from ...page.sanitise import one_line

TEXTS_SIMULATED = "The texts were given and are SIMULATED."


def made_of(result: DeepQuestionResult) -> dict[str, str]:
    """What is known of how given texts came about, in words; empty of a run that wrote its own."""
    made = result.provenance.get("made")
    if not result.spec.given or not isinstance(made, Mapping):
        return {}
    return {str(name): one_line(value) for name, value in made.items() if isinstance(value, str) and value.strip()}


def texts_simulated(result: DeepQuestionResult) -> bool:
    """Whether given texts come from a simulated world."""
    made = made_of(result)
    said = made.get("simulated", "").casefold() not in ("", "no", "false", "0")
    return said or any(is_simulated(made.get(role, "")) for role in ("generator", "evaluator"))


def given_words(result: DeepQuestionResult) -> str:
    """`texts given (SIMULATED), written by sim:generator, checked by sim:evaluator in run 1f2e3d4c`."""
    made = made_of(result)
    writer, checker, run = (made.get(name, "") for name in ("generator", "evaluator", "run"))
    parts = ["texts given (SIMULATED)" if texts_simulated(result) else "texts given"]
    parts.append(f"written by {writer}" if writer else "by whom they were written is not known")
    parts += [f"checked by {checker}"] if checker else []
    return ", ".join(parts) + (f" in run {figures.short_id(run)}" if run else "")
