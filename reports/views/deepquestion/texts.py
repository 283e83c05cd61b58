"""What the steps of a DeepQuestion run come to: in a few words, and word for word."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from ....state.deepquestion.items import (
    DISTRACTORS,
    Compared,
    Created,
    Criterion,
    Distractor,
    DistractorsWritten,
    InstructionChecked,
    InstructionMet,
    InstructionWritten,
    Load,
    Problem,
    PromptDraft,
    PromptScore,
    Same,
    ScenarioChecked,
    ScenarioWritten,
    Solution,
)
from ....state.events import PartMark
from ....state.items import DeepQuestionItem
from ....stats.deepquestion.checks import too_few
from ....stats.deepquestion.marks import reaches_none
from ...page import figures
from ...page.rows import STYLES
from ...page.sanitise import one_line
from ...step import SIGNS, Field, Mark, Scene
from ..texts import answer_fields
from .labels import CRITERION_NAMES
from .prompts import passes, score_words

LONGEST = 2000
"""Characters of a text that are looked at for a row."""
TITLES = {
    "prompt_draft": ("a draft of the prompt", "generator"),
    "prompt_score": ("the evaluator scores the draft", "evaluator"),
    "scenario": ("the scenario", "generator"),
    "distractors": ("the distractors", "generator"),
    "scenario_check": ("the evaluator checks the scenario", "evaluator"),
    "instruction": ("the instruction", "generator"),
    "instruction_check": ("the evaluator checks the instruction", "evaluator"),
    "same": ("the judge compares the answers", "judge"),
    "created": ("the target writes a question", "target"),
    "met": ("the evaluator checks whether the question keeps to the instruction", "evaluator"),
    "solution of original": ("the target solves the problem", "target"),
    "solution of scenario": ("the target solves the scenario", "target"),
    "solution of check": ("the evaluator solves the scenario", "evaluator"),
    "solution of created": ("the evaluator solves the written question", "evaluator"),
    "comparison": ("the judge compares", "judge"),
}
"""Type of a step → what it is, and who was asked."""
MARKS: dict[PartMark, Mark] = {
    "right": "correct",
    "wrong": "wrong",
    "unscored": "unscored",
    "rejected": "rejected",
}
COLUMNS = {
    "original": "original",
    "q2s-none": "Q2S none",
    "q2s-some": "Q2S some",
    "q2s-many": "Q2S many",
    "q2i": "Q2I",
}
"""Marks of a problem, in their order, and what they are called."""
Told = tuple[Mark, str, Iterable[Field]]
"""What a step is worth, what came of it in a few words, and all of it."""
Looked = ScenarioChecked | InstructionChecked | Same | InstructionMet


def title_of(item: DeepQuestionItem) -> tuple[str, str]:
    """What the step is, and who was asked."""
    title, role = TITLES[f"{item.type} of {item.what}" if isinstance(item, Solution) else item.type]
    if isinstance(item, Solution) and item.load:
        title += f" with load {item.load}"
    if isinstance(item, Compared):
        own, other = (
            ("the original", "the written question")
            if item.pair == "created"
            else ("this problem", "another")
        )
        first, second = (own, other) if item.original_first else (other, own)
        title += f", {first} first, {second} second"
    return title, role


def told(item: DeepQuestionItem, scene: Scene) -> Told:
    """Of a step without a fault."""
    spec = scene.spec
    match item:
        case PromptDraft():
            return "correct", f"drafted: {item.text}", [Field("", item.text)]
        case PromptScore():
            said, good = score_words(item.score, spec), passes(item.score, spec)
            last = "" if good or item.round < spec.rounds else ", not converged"
            return ("correct" if good else "rejected"), said + last, [Field(said, item.feedback)]
        case ScenarioWritten():
            said = (
                f"{figures.count(len(item.sentences), 'sentence')} and the question: "
                f"{item.question}"
            )
            distractors = scene.items.get(f"{figures.place(item.id).partition('@')[0]}@distractors")
            return "correct", said, scenario_fields(item, distractors, spec.distractors)
        case DistractorsWritten():
            lacking = too_few(item, spec)
            said = (
                f"malformed: {lacking}"
                if lacking
                else figures.count(len(item.distractors), "distractor")
            )
            return ("rejected" if lacking else "correct"), said, _distractors(item, said)
        case InstructionWritten():
            return "correct", item.text, [Field("", item.text)]
        case Solution():
            mark, said = solution_words(item)
            return mark, said, _solution(item, said)
        case Created():
            written = bool(item.text.strip())
            return (
                ("correct" if written else "wrong"),
                item.text if written else "nothing written",
                _created(item),
            )
        case Compared():
            return "correct", compared_words(item), [*_reason(item.reason), *_compared(item, scene)]
        case _:
            mark, said = verdict_of(item)
            nobody = [] if item.prompt else [Field("", "no model was called", "dim")]
            reason = f": {item.reason}" if item.reason and mark != "correct" else ""
            return mark, said + reason, [Field("finding", said), *nobody, *_reason(item.reason)]


def _reason(reason: str) -> list[Field]:
    return [Field("reason", reason)] if reason.strip() else []


def verdict_of(item: Looked) -> tuple[Mark, str]:
    """What somebody has found who looked at a text or an answer; the reason stands apart."""
    match item:
        case ScenarioChecked():
            lost = f"quantity lost: {', '.join(item.missing)}" if item.missing else ""
            found = lost or (
                "bare problem" if item.bare else "gives away" if item.gives_away else ""
            )
            return ("rejected", found) if found else ("correct", "nothing is missing")
        case InstructionChecked():
            both = (("gives away", item.gives_away), ("incomplete", not item.complete))
            found = ", ".join(name for name, holds in both if holds)
            return (
                ("rejected", found)
                if found
                else ("correct", "path and answer are there, the question is not")
            )
        case Same():
            wrong: Mark = (
                "rejected"
                if item.of.endswith("@solved") and not item.of.endswith("@q2i@solved")
                else "wrong"
            )
            return ("correct", "the same answer") if item.equal else (wrong, "another answer")
        case InstructionMet():
            return ("correct", "instruction met") if item.met else ("wrong", "instruction not met")


def marks_words(marks: Mapping[str, PartMark]) -> str:
    """`original ✓ right · Q2S some ✗ wrong · Q2I – rejected`."""
    held = {COLUMNS[name]: marks[name] for name in COLUMNS if name in marks}
    return figures.joined([f"{name} {SIGNS[MARKS[mark]][0]} {mark}" for name, mark in held.items()])


# scenarios


def scenario_fields(
    written: ScenarioWritten, distractors: DistractorsWritten | None, loads: Sequence[Load]
) -> Iterator[Field]:
    """The scenario sentence by sentence, with every distractor in its place, marked by the lowest
    of these loads that has it; the question last."""
    marked: list[tuple[Distractor, Load]] = []
    for number, each in enumerate(distractors.distractors if distractors is not None else ()):
        marked += [(each, load) for load in loads if DISTRACTORS[load] > number][:1]
    if not written.question:
        return
    for number, sentence in enumerate(("", *written.sentences)):
        if number:
            yield Field(f"{number}", sentence)
        here = [(each, load) for each, load in marked if each.after == number]
        yield from (Field(f"+ {load}", each.text, STYLES["warning"], 2) for each, load in here)
    yield Field("question", written.question, "bold")
    if marked:
        named = "distractor, added from the named load upwards" if len(loads) > 1 else "distractor"
        yield Field("", f"+ {named}", "dim", 2)


def _distractors(item: DistractorsWritten, said: str) -> Iterator[Field]:
    yield Field("received", said)
    for number, each in enumerate(item.distractors, start=1):
        where = f"after sentence {each.after}" if each.after else "before all sentences"
        yield Field(f"{number}, {where}", each.text)
    yield from (Field(f"dropped, {each.why}", each.text) for each in item.dropped)


# solutions


def solution_words(item: Solution) -> tuple[Mark, str]:
    """What was read of a solution, and what that is worth."""
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


def _solution(item: Solution, said: str) -> Iterator[Field]:
    """The whole answer, and what was read of it."""
    target = item.what in ("original", "scenario")
    verdict = {True: "right", False: "wrong", None: "for the judge to compare"}[item.equal]
    yield from answer_fields(item.answer, said=target)
    yield (
        Field("parsed as", f"{item.read or 'nothing'} ({verdict})")
        if target
        else Field("finding", said)
    )


def _created(item: Created) -> Iterator[Field]:
    if item.text.strip():
        yield Field("question", item.text, "bold", said=True)
    else:
        yield from answer_fields(item.answer)
        yield Field("", "no question was written", STYLES["wrong"])


# comparisons


def preferred(item: Compared, names: tuple[str, str]) -> dict[Criterion, str]:
    """Who is preferred, by criterion: one of the names, those of the original and the other, or
    `tie`."""
    first, second = names if item.original_first else names[::-1]
    places = {"first": first, "second": second, "tie": "tie"}
    return {criterion: places[preference] for criterion, preference in item.preferences.items()}


def compared_words(item: Compared) -> str:
    """`original first: 3 original, 1 created, 1 tie`."""
    names = ("original", "created") if item.pair == "created" else ("own", "other")
    counted = Counter(preferred(item, names).values())
    said = ", ".join(f"{counted[name]} {name}" for name in (*names, "tie") if counted[name])
    return f"{names[not item.original_first]} first: {said}"


def _compared(item: Compared, scene: Scene) -> Iterator[Field]:
    """The other of two originals, and who is preferred by which criterion."""
    known: Sequence[Problem] = scene.problems.problems if scene.problems else ()
    other = known[item.other] if item.other is not None and 0 <= item.other < len(known) else None
    if other is not None:
        yield Field(f"the other, {other.id}", other.question)
    names = ("original", "written")
    if item.pair != "created":
        own = figures.place(item.id).partition("@")[0]
        names = one_line(own), one_line(other.id) if other else "the other"
    for criterion, name in preferred(item, names).items():
        yield Field(CRITERION_NAMES[criterion], name)
