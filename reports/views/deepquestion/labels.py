"""DeepQuestion's terms as the page and the screen write them."""

from ....state.deepquestion.result import DeepQuestionResult, PromptHistory
from ....state.deepquestion.spec import DeepQuestionSpec
from ....state.problems import Kind
from ...page import figures
from ...page.sanitise import one_line

KIND_NAMES: dict[Kind, str] = {"q2s": "Q2S", "q2i": "Q2I"}
TEXTS: dict[Kind, str] = {"q2s": "scenario", "q2i": "instruction"}
"""What is written of a kind."""


def prompt_words(history: PromptHistory, spec: DeepQuestionSpec) -> str:
    """How the transformation prompt of a kind comes about: `Q2S prompt 3 → 5 → 9 of 10, accepted
    from 8`."""
    name = f"{KIND_NAMES[history.kind]} prompt"
    if history.source == "given":
        return f"{name} given"
    if not history.rounds:
        return f"{name} without a draft"
    scores = (figures.NONE if entry.score is None else str(entry.score) for entry in history.rounds)
    way = "a single pass" if spec.single_pass else f"accepted from {spec.threshold}"
    return f"{name} {' → '.join(scores)} of 10, {way}"


def given_words(result: DeepQuestionResult) -> str:
    """`texts given, written by sim:generator, checked by sim:evaluator in run 1f2e3d4c`."""
    about = {
        name: one_line(str(value)) for name, value in result.provenance.get("made", {}).items()
    }
    roles = {"generator": "written by", "evaluator": "checked by"}
    parts = ["texts given", "of the simulated world" if about.get("simulated") == "yes" else ""]
    parts += [f"{words} {about[role]}" for role, words in roles.items() if role in about]
    parts += [f"in run {figures.short_id(about['run'])}"] if "run" in about else []
    return figures.joined(parts, ", ")
