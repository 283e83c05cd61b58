"""What the steps of a DeepQuestion run come to, in a few words."""

from collections import Counter
from collections.abc import Iterable

from ....state.deepquestion.items import (
    Compared,
    Criterion,
    InstructionChecked,
    InstructionMet,
    Kind,
    PromptDraft,
    PromptScore,
    Same,
    ScenarioChecked,
    Solution,
)
from ....state.deepquestion.spec import DeepQuestionSpec
from ....state.events import PartMark
from ....stats.deepquestion.marks import reaches_none
from ...page import figures
from ...step import SIGNS, Mark
from .labels import KIND_NAMES

MARKS: dict[PartMark, Mark] = {"right": "correct", "wrong": "wrong", "unscored": "unscored", "rejected": "rejected"}
COLUMNS = ("original", "q2s-none", "q2s-some", "q2s-many", "q2i")
"""Marks of a problem, in their order."""
NAMES = {str(kind): name for kind, name in KIND_NAMES.items()}
LONGEST = 2000
"""Characters of a text that are looked at for a row."""
Looked = ScenarioChecked | InstructionChecked | Same | InstructionMet


def column_words(column: str) -> str:
    """`original`, `Q2S some`, `Q2I`."""
    kind, _, load = column.partition("-")
    return f"{NAMES.get(kind, kind)} {load}".strip()


def kind_words(spec: DeepQuestionSpec) -> str:
    """`Q2S (none, some), Q2I`."""
    loads = {"q2s": f" ({', '.join(spec.distractors)})"}
    return ", ".join(f"{column_words(kind)}{loads.get(kind, '')}" for kind in spec.kinds)


def marks_words(marks: dict[str, PartMark]) -> str:
    """`original ✓ right · Q2S some ✗ wrong · Q2I – rejected`."""
    held = [column for column in COLUMNS if column in marks]
    return figures.joined([f"{column_words(name)} {SIGNS[MARKS[marks[name]]][0]} {marks[name]}" for name in held])


def passes(score: int | None, spec: DeepQuestionSpec) -> bool:
    """Whether a draft with this score is used without further ado."""
    return spec.single_pass or (score is not None and score >= spec.threshold)


def score_words(score: int | None, spec: DeepQuestionSpec) -> str:
    """`4/10`, `9/10 accepted`, `4/10 single pass`."""
    said = "no score" if score is None else f"{score}/10"
    if spec.single_pass:
        return f"{said} single pass"
    return f"{said} accepted" if passes(score, spec) else said


def verdict_of(item: Looked) -> tuple[Mark, str]:
    """What somebody has found who looked at a text or an answer: its style and its words, the reason apart."""
    match item:
        case ScenarioChecked():
            if item.missing:
                return "rejected", f"quantity lost: {', '.join(item.missing)}"
            if item.bare:
                return "rejected", "bare problem"
            return ("rejected", "gives away") if item.gives_away else ("correct", "nothing is missing")
        case InstructionChecked():
            found = (("gives away", item.gives_away), ("incomplete", not item.complete))
            said = ", ".join(name for name, holds in found if holds)
            return ("rejected", said) if said else ("correct", "path and answer are there, the question is not")
        case Same():
            wrong: Mark = "rejected" if item.of.endswith("@solved") and not item.of.endswith("@q2i@solved") else "wrong"
            return ("correct", "the same answer") if item.equal else (wrong, "another answer")
        case InstructionMet():
            return ("correct", "instruction met") if item.met else ("wrong", "instruction not met")


def solution_words(item: Solution) -> tuple[Mark, str]:
    """What was read of a solution without a fault, and what that is worth: its style and its words."""
    if item.equal is None:
        return "open", f"{item.read or _start(item)}, for the judge to compare"
    if item.what in ("original", "scenario"):
        return ("correct" if item.equal else "wrong"), item.read or _start(item)
    if item.equal:
        return "correct", f"solved independently: {item.read}"
    if item.what == "check":
        return "rejected", "not solvable" if reaches_none(item) else f"answer changed: {item.read}"
    return "wrong", "not answerable" if reaches_none(item) else f"another answer: {item.read}"


def _start(item: Solution) -> str:
    """What stands in the place of an answer that could not be read."""
    if item.answer is not None and item.answer.refusal:
        return "refused"
    if item.answer is None or not item.answer.text.strip():
        return "no answer"
    return f"no final answer in “{item.answer.text[:LONGEST].strip()}”"


def preferred(item: Compared) -> dict[Criterion, str]:
    """Who is preferred, by criterion: `original`, `created` or `tie`; of a baseline pair `own`, `other` or `tie`."""
    own, other = ("original", "created") if item.pair == "created" else ("own", "other")
    first, second = (own, other) if item.original_first else (other, own)
    names = {"first": first, "second": second, "tie": "tie"}
    return {criterion: names[preference] for criterion, preference in item.preferences.items()}


def compared_words(item: Compared) -> str:
    """`original first: 3 original, 1 created, 1 tie`."""
    counted = Counter(preferred(item).values())
    own, other = ("original", "created") if item.pair == "created" else ("own", "other")
    said = ", ".join(f"{counted[name]} {name}" for name in (own, other, "tie") if counted[name])
    return f"{own if item.original_first else other} first: {said}"


def prompt_words(items: Iterable[PromptDraft | PromptScore], kind: Kind, spec: DeepQuestionSpec) -> list[str]:
    """How the prompt of a kind comes about: `round 1 4/10`, `round 2 9/10 accepted`; at the end that no draft was."""
    scores, over = dict[int, int | None](), False
    for item in (each for each in items if each.kind == kind):
        score = item.score if isinstance(item, PromptScore) else None
        scores[item.round] = score
        # a score that could not be read is none, and the loop goes on; without a draft it cannot
        ended = item.fault is not None if isinstance(item, PromptDraft) else item.lost or passes(score, spec)
        over = ended or (isinstance(item, PromptScore) and item.round >= spec.rounds)
    under_way = max(scores, default=0) if not over else 0
    rounds = [
        f"round {number} {'under way' if number == under_way and score is None else score_words(score, spec)}"
        for number, score in sorted(scores.items())
    ]
    if not over or any(passes(score, spec) for score in scores.values()):
        return rounds
    held = [(-score, number) for number, score in scores.items() if score is not None]
    best = f", round {min(held)[1]} is used" if spec.use_best and held else ""
    return [*rounds, f"not converged{best}"]
