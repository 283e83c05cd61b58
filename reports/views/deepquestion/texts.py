"""What was written and said in the steps of a DeepQuestion run, word for word."""

from collections.abc import Iterator, Sequence

from ....state.deepquestion.items import (
    CRITERIA,
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
    SolvedWhat,
)
from ....state.items import DeepQuestionItem
from ....state.records import Answer
from ...page import figures
from ...page.rows import STYLES, clip, pad
from ...page.sanitise import one_line
from ...step import Field, Scene
from .labels import CRITERION_NAMES
from .words import preferred, score_words, verdict_of

NAME = 22
"""Cells of a criterion's name, and of a name in the table of preferences."""
_TITLES = {
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
}
"""Type of a step → what it is, and who was asked."""
_SOLVED: dict[SolvedWhat, tuple[str, str]] = {
    "original": ("the target solves the problem", "target"),
    "scenario": ("the target solves the scenario", "target"),
    "check": ("the evaluator solves the scenario", "evaluator"),
    "created": ("the evaluator solves the written question", "evaluator"),
}


def title_of(item: DeepQuestionItem) -> tuple[str, str]:
    """What the step is, and who was asked."""
    if isinstance(item, Solution):
        title, role = _SOLVED[item.what]
        return title + (f" with load {item.load}" if item.load else ""), role
    return (_pair(item), "judge") if isinstance(item, Compared) else _TITLES[item.type]


def _pair(item: Compared) -> str:
    own, other = ("the original", "the written question") if item.pair == "created" else ("this problem", "another")
    first, second = (own, other) if item.original_first else (other, own)
    return f"the judge compares, {first} first, {second} second"


def fields_of(item: DeepQuestionItem, said: str, scene: Scene) -> Iterator[Field]:
    """What came of a step without a fault. `said`: the same in a few words."""
    match item:
        case PromptDraft() | InstructionWritten():
            yield Field("", item.text)
        case PromptScore():
            yield Field(score_words(item.score, scene.spec), item.feedback)
        case ScenarioChecked() | InstructionChecked() | Same() | InstructionMet():
            yield Field("finding", verdict_of(item)[1])
            if not item.prompt:
                yield Field("", "no model was called", "dim")
            yield from _reason(item.reason)
        case Solution():
            yield from _solution(item, said)
        case Created():
            yield from _created(item)
        case Compared():
            yield from _reason(item.reason)
            yield from _compared(item, scene)
        case ScenarioWritten():
            distractors = scene.items.get(f"{figures.place(item.id).partition('@')[0]}@distractors")
            yield from scenario_fields(item, distractors, scene.spec.distractors)
        case DistractorsWritten():
            yield Field("received", said)
            yield from _distractors(item)


def _distractors(item: DistractorsWritten) -> Iterator[Field]:
    for number, each in enumerate(item.distractors, start=1):
        where = f"after sentence {each.after}" if each.after else "before all sentences"
        yield Field(f"{number}, {where}", each.text)
    yield from (Field(f"dropped, {each.why}", each.text) for each in item.dropped)


def _reason(reason: str) -> list[Field]:
    return [Field("reason", reason)] if reason.strip() else []


def _solution(item: Solution, said: str) -> Iterator[Field]:
    """The whole answer, and what was read of it."""
    target = item.what in ("original", "scenario")
    verdict = {True: "right", False: "wrong", None: "for the judge to compare"}[item.equal]
    yield from _answer(item.answer, target=target)
    yield Field("parsed as", f"{item.read or 'nothing'} ({verdict})") if target else Field("finding", said)


def _answer(answer: Answer | None, *, target: bool) -> Iterator[Field]:
    refused = " (the endpoint marks it as a refusal)" if answer is not None and answer.refusal else ""
    if answer is None or not answer.text.strip():
        yield Field("", f"no answer{refused}", "dim")
        return
    odd = "" if answer.finish == "stop" else f" (finish: {answer.finish})"
    yield Field(f"answer{odd}{refused}", answer.text, said=target)


def _created(item: Created) -> Iterator[Field]:
    if item.text.strip():
        yield Field("question", item.text, "bold", said=True)
    else:
        yield from _answer(item.answer, target=True)
        yield Field("", "no question was written", STYLES["wrong"])


def options_fields(problem: Problem) -> Iterator[Field]:
    """Options of multiple choice, the right one marked."""
    for place, option in enumerate(problem.options):
        letter = chr(65 + place)
        right = letter == problem.answer
        text = f"{'✓' if right else ' '} {letter}. {one_line(option)}"
        yield Field("", text, STYLES["correct"] if right else "")


def scenario_fields(
    written: ScenarioWritten, distractors: DistractorsWritten | None, loads: Sequence[Load]
) -> Iterator[Field]:
    """The scenario sentence by sentence, with every distractor in its place, marked by the lowest of these loads that
    has it; the question last."""
    marked: list[tuple[Distractor, Load]] = []
    for number, each in enumerate(distractors.distractors if distractors is not None else ()):
        load = next((load for load in loads if DISTRACTORS[load] > number), None)
        if load is not None:
            marked.append((each, load))
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


# comparisons


def _compared(item: Compared, scene: Scene) -> Iterator[Field]:
    """The other of two originals; and, once both orders are known, the preferences in both."""
    place = figures.place(item.id)
    if not place.endswith("@second") and f"{place.rpartition('@')[0]}@second" in scene.items:
        return
    other = _other(item, scene)
    if other is not None:
        yield Field(f"the other, {other.id}", other.question)
    first = scene.items.get(f"{place.rpartition('@')[0]}@first")
    held = [each for each in (first, item) if isinstance(each, Compared) and each.preferences]
    both = held if len({each.id for each in held}) == len(held) else held[:1]
    yield from _preferences(both, place.partition("@")[0], other.id if other is not None else "the other")


def _other(item: Compared, scene: Scene) -> Problem | None:
    """The other problem of a baseline pair."""
    known = scene.problems.problems if scene.problems else ()
    return known[item.other] if item.other is not None and 0 <= item.other < len(known) else None


def _preferences(held: Sequence[Compared], own: str, other: str) -> Iterator[Field]:
    """By criterion, a column for each order, and both together; nothing without any. `own`, `other`: what the two
    problems of a baseline pair are called."""
    if not held:
        return
    own, other = one_line(own), one_line(other)
    names = {"original": "original", "created": "written", "own": own, "other": other, "tie": "tie"}
    heads = [f"{own if item.original_first else other} first" for item in held]
    if held[0].pair == "created":
        heads = ["original first" if item.original_first else "written first" for item in held]
    yield Field("", _cells("", [*heads, *(["together"] if len(held) > 1 else [])]), "dim")
    for criterion in CRITERIA:
        if criterion in held[0].preferences:
            told = [names[preferred(item).get(criterion, "tie")] for item in held]
            yield Field("", _cells(CRITERION_NAMES[criterion], [*told, *_together(held, criterion, told)]))


def _together(held: Sequence[Compared], criterion: Criterion, told: Sequence[str]) -> list[str]:
    """Who is preferred in both orders. The same place twice, whoever stands there, is a tie that contradicts itself."""
    if len(held) < 2:
        return []
    if len(set(told)) == 1:
        return [told[0]]
    places = {item.preferences.get(criterion, "tie") for item in held}
    return [f"tie (the {places.pop()} both times)" if len(places) == 1 else "tie"]


def _cells(name: str, cells: Sequence[str]) -> str:
    return " ".join([pad(name, NAME), *(pad(clip(cell, NAME), 16) for cell in cells[:-1]), *cells[-1:]]).rstrip()
