"""The steps of a DeepQuestion run one by one, as `fathom show --path` prints them."""

from collections.abc import Sequence

from rich.console import RenderableType
from rich.text import Text

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
from ....state.deepquestion.spec import DeepQuestionSpec
from ....state.items import DeepQuestionItem
from ....state.records import Answer
from ...page import figures
from ...page.rows import STYLES, clip, pad
from ...page.sanitise import one_line, paragraphs
from ...trace import fault_lines, field, line, pointed_out, sent_lines
from .labels import CRITERION_NAMES
from .steps import SIGNS, preferred, score_words, step_of, verdict_of

NAME = 22
"""Cells of a criterion's name, and of a name in the table of preferences."""


def step_lines(item: DeepQuestionItem, spec: DeepQuestionSpec, *, prompts: bool) -> list[RenderableType]:
    """One step: what it is and came to, the prompt if asked for, and what was written or said, word for word."""
    step = step_of(item, spec)
    title, role = _title(item)
    head = Text.assemble((f"{SIGNS[step.style]} ", STYLES[step.style]), (one_line(figures.place(item.id)), "bold"))
    head.append(f" · {title}").append(f" · {figures.duration(item.elapsed_s)}", "dim")
    sent = sent_lines(item.prompt, f"sent to the {role}") if prompts else []
    return [head, *sent, *(fault_lines(item.fault) if item.fault is not None else _body(item, step.said, spec))]


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


def _title(item: DeepQuestionItem) -> tuple[str, str]:
    """What the step is, and who was asked."""
    if isinstance(item, Solution):
        title, role = _SOLVED[item.what]
        return title + (f" with load {item.load}" if item.load else ""), role
    return (_pair(item), "judge") if isinstance(item, Compared) else _TITLES[item.type]


def _pair(item: Compared) -> str:
    own, other = ("the original", "the written question") if item.pair == "created" else ("this problem", "another")
    first, second = (own, other) if item.original_first else (other, own)
    return f"the judge compares, {first} first, {second} second"


def _body(item: DeepQuestionItem, said: str, spec: DeepQuestionSpec) -> list[RenderableType]:
    """What came of a step without a fault. `said`: the same in a few words."""
    match item:
        case PromptDraft() | InstructionWritten():
            return [line(Text(paragraphs(item.text)))]
        case PromptScore():
            return [field(score_words(item.score, spec), item.feedback)]
        case ScenarioChecked() | InstructionChecked() | Same() | InstructionMet():
            asked = [] if item.prompt else [line(Text("no model was called", "dim"))]
            return [field("finding", verdict_of(item)[1]), *asked, *_reason(item.reason)]
        case Solution():
            return _solution(item, said)
        case Created():
            return _created(item)
        case Compared():
            return _reason(item.reason)
        case ScenarioWritten():
            return []
        case DistractorsWritten():
            dropped = [field(f"dropped, {each.why}", each.text) for each in item.dropped]
            kept = [_distractor(number, each) for number, each in enumerate(item.distractors, start=1)]
            return [field("received", said), *kept, *dropped]


def _reason(reason: str) -> list[RenderableType]:
    return [field("reason", reason)] if reason.strip() else []


def _distractor(number: int, distractor: Distractor) -> RenderableType:
    where = f"after sentence {distractor.after}" if distractor.after else "before all sentences"
    return field(f"{number}, {where}", distractor.text)


def _solution(item: Solution, said: str) -> list[RenderableType]:
    """The whole answer, and what was read of it."""
    target = item.what in ("original", "scenario")
    verdict = {True: "right", False: "wrong", None: "for the judge to compare"}[item.equal]
    found = field("parsed as", f"{item.read or 'nothing'} ({verdict})") if target else field("finding", said)
    return [*_answer(item.answer, target=target), found]


def _answer(answer: Answer | None, *, target: bool) -> list[RenderableType]:
    if answer is None or not answer.text.strip():
        refused = " (the endpoint marks it as a refusal)" if answer is not None and answer.refusal else ""
        return [line(Text(f"no answer{refused}", "dim"))]
    odd = "" if answer.finish == "stop" else f" (finish: {one_line(answer.finish)})"
    refused = " (the endpoint marks it as a refusal)" if answer.refusal else ""
    return [field(f"answer{odd}{refused}", answer.text), *(pointed_out(answer.text) if target else [])]


def _created(item: Created) -> list[RenderableType]:
    if not item.text.strip():
        return [*_answer(item.answer, target=True), line(Text("no question was written", STYLES["wrong"]))]
    return [field("question", item.text, "bold"), *pointed_out(item.text)]


def options_lines(problem: Problem) -> list[RenderableType]:
    """Options of multiple choice, the right one marked."""
    lines: list[RenderableType] = []
    for place, option in enumerate(problem.options):
        letter = chr(65 + place)
        right = letter == problem.answer
        text = f"{'✓' if right else ' '} {letter}. {one_line(option)}"
        lines.append(line(Text(text, STYLES["correct"] if right else "")))
    return lines


def scenario_lines(
    written: ScenarioWritten, distractors: DistractorsWritten | None, loads: Sequence[Load]
) -> list[RenderableType]:
    """The scenario sentence by sentence, with every distractor in its place, marked by the lowest of these loads that
    has it; the question last."""
    drawn = distractors.distractors if distractors is not None else ()
    marked: list[tuple[Distractor, Load]] = []
    for number, each in enumerate(drawn):
        load = next((load for load in loads if DISTRACTORS[load] > number), None)
        if load is not None:
            marked.append((each, load))
    lines: list[RenderableType] = []
    for number, sentence in enumerate(("", *written.sentences)):
        lines += [_numbered(number, sentence)] if number else []
        lines += [field(f"   + {load}", each.text, STYLES["warning"]) for each, load in marked if each.after == number]
    lines.append(field("   question", written.question, "bold"))
    named = "distractor, added from the named load upwards" if len(loads) > 1 else "distractor"
    return [*lines, *([line(Text(f"   + {named}", "dim"))] if marked else [])]


def _numbered(number: int, sentence: str) -> RenderableType:
    return field(f"{number:>2}", sentence)


def compared_lines(compared: Sequence[Compared], own: str, other: str) -> list[RenderableType]:
    """The preferences of a pair by criterion, a column for each order, and both together; nothing without any. `own`,
    `other`: what the two problems of a baseline pair are called."""
    held = [item for item in compared if item.preferences]
    if not held:
        return []
    own, other = one_line(own), one_line(other)
    names = {"original": "original", "created": "written", "own": own, "other": other, "tie": "tie"}
    heads = [f"{own if item.original_first else other} first" for item in held]
    if held[0].pair == "created":
        heads = ["original first" if item.original_first else "written first" for item in held]
    both = ["together"] if len(held) > 1 else []
    lines: list[RenderableType] = [line(Text(_cells("", [*heads, *both]), "dim"))]
    for criterion in CRITERIA:
        if criterion in held[0].preferences:
            told = [names[preferred(item).get(criterion, "tie")] for item in held]
            lines.append(line(Text(_cells(CRITERION_NAMES[criterion], [*told, *_together(held, criterion, told)]))))
    return lines


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
