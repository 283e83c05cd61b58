"""What past runs of DeepQuestion tell: how many drafts a prompt takes, what passes the checks, how long texts are and
how long replies take."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Literal

from ...state.deepquestion.items import (
    Created,
    DistractorsWritten,
    InstructionWritten,
    Kind,
    PromptDraft,
    PromptScore,
    ScenarioWritten,
    Solution,
    woven,
)
from ...state.events import Event, ItemFinished, ProblemClosed, RunStarted
from ...state.items import DeepQuestionItem
from ...state.records import Answer
from ...state.spec import DeepQuestionSpec
from ...stats.deepquestion.items import by_problem
from ...tools.runs.folders import read_events
from ..run.past import MOST_EVENTS, StepMeans, mean_of, read_past, step_means
from ..run.rates import Step

DRAFT, REDRAFT = Step("generator", "prompt_draft"), Step("generator", "prompt_redraft")
SCORE = Step("evaluator", "prompt_score")
SCENARIO, DISTRACTORS = Step("generator", "scenario"), Step("generator", "distractors")
SCENARIO_CHECK = Step("evaluator", "scenario_check")
INSTRUCTION, INSTRUCTION_CHECK = Step("generator", "instruction"), Step("evaluator", "instruction_check")
SOLVED, SOLUTION = Step("evaluator", "independent_solution"), Step("target", "solution")
CREATED, MET = Step("target", "created_question"), Step("evaluator", "instruction_met")
COMPARISON, VERDICT = Step("judge", "comparison"), Step("judge", "verdict")

Passing = Literal[
    "scenario_checked",
    "scenario_solved",
    "scenario_accepted",
    "instruction_checked",
    "instruction_accepted",
    "compared",
]
"""What goes on. Of the scenarios written those that the evaluator is asked to check, to solve, and those that the
target is asked; of the instructions written those that the evaluator is asked to check, and those that the target is
given; of the target's questions those that are compared."""
Text = Literal["guide", "feedback", "scenario", "distractor", "instruction", "created", "said"]
"""What is written: a transformation prompt, what was found wanting in one, a scenario without distractors, a single
distractor, an instruction, the target's question, and what it says to a problem."""


@dataclass(frozen=True, slots=True)
class PastDeepQuestion:
    """What one finished run tells."""

    spec: DeepQuestionSpec
    steps: Mapping[Step, StepMeans]
    lost: int = 0
    """Steps that came to nothing; what would have followed them was never asked."""
    rounds: Mapping[Kind, int] = field(default_factory=dict)
    """Drafts of each prompt that was drafted."""
    passed: Mapping[Passing, tuple[int, int]] = field(default_factory=dict)
    """How many of how many, over problems in which nothing was lost."""
    lengths: Mapping[Text, float] = field(default_factory=dict)
    """Mean characters."""


@dataclass(frozen=True, slots=True)
class DeepQuestionPriors:
    """Past runs, the newest first."""

    runs: Sequence[PastDeepQuestion] = ()
    unreadable: int = 0


def read_deepquestion_priors(runs_dir: Path) -> DeepQuestionPriors:
    """The newest finished runs of a folder. What cannot be read is counted and left out."""
    return DeepQuestionPriors(*read_past(runs_dir, "deepquestion", _past))


def _past(path: Path) -> PastDeepQuestion | None:
    return past_deepquestion(islice(read_events(path), MOST_EVENTS))


def past_deepquestion(events: Iterator[Event]) -> PastDeepQuestion | None:
    """What a run's events tell; None when nothing was finished."""
    spec: DeepQuestionSpec | None = None
    items: dict[str, DeepQuestionItem] = {}
    closed = set[int]()
    for event in events:
        if isinstance(event, RunStarted) and isinstance(event.spec, DeepQuestionSpec):
            spec = event.spec
        elif isinstance(event, ItemFinished) and isinstance(event.item, DeepQuestionItem):
            items[event.item.id] = event.item  # what was done again has its earlier calls, too
        elif isinstance(event, ProblemClosed):
            closed.add(event.index)
    if spec is None or not items:
        return None
    done = list(items.values())
    lost = sum(item.fault is not None for item in done)
    return PastDeepQuestion(spec, step_means(done), lost, _rounds(spec, done), _passed(done, closed), _lengths(done))


def _rounds(spec: DeepQuestionSpec, items: Iterable[DeepQuestionItem]) -> dict[Kind, int]:
    """A single pass says nothing of how many drafts it takes, and a loop that a fault ended neither."""
    found = dict[Kind, int]()
    for item in items:
        if isinstance(item, PromptScore) and item.fault is None and not spec.single_pass:
            found[item.kind] = max(item.round, found.get(item.kind, 0))
    return found


def _passed(items: Sequence[DeepQuestionItem], closed: Collection[int]) -> dict[Passing, tuple[int, int]]:
    spoilt = {item.problem for item in items if item.fault is not None}
    found: dict[Passing, tuple[int, int]] = {}
    for own in by_problem(items, set(closed) - spoilt).values():
        stages: dict[Passing, tuple[object, object]] = {
            "scenario_checked": (own.scenario_check and own.scenario_check.calls, own.scenario),
            "scenario_solved": (own.checked, own.scenario),
            "scenario_accepted": (own.solved, own.scenario),
            "instruction_checked": (own.instruction_check and own.instruction_check.calls, own.instruction),
            "instruction_accepted": (own.created, own.instruction),
            "compared": (own.compared, own.created),
        }
        for name, (after, before) in stages.items():
            if before:
                passed, of = found.get(name, (0, 0))
                found[name] = passed + bool(after), of + 1
    return found


def _lengths(items: Iterable[DeepQuestionItem]) -> dict[Text, float]:
    told: dict[Text, list[int]] = defaultdict(list)
    for item in items:
        for name, text in _texts(item):
            if text:
                told[name].append(len(text))
    return {name: mean_of(lengths) for name, lengths in told.items()}


def _texts(item: DeepQuestionItem) -> Iterator[tuple[Text, str]]:
    match item:
        case Solution(what="original" | "scenario", answer=Answer(text=said)):
            yield "said", said
        case PromptDraft():
            yield "guide", item.text
        case PromptScore():
            yield "feedback", item.feedback
        case ScenarioWritten():
            yield "scenario", woven(item.sentences, item.question, ())
        case DistractorsWritten():
            yield from (("distractor", each.text) for each in item.distractors)
        case InstructionWritten():
            yield "instruction", item.text
        case Created():
            yield "created", item.text
