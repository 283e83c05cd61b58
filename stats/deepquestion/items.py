"""The items of a DeepQuestion run, sorted by problem."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from ...state.deepquestion.items import (
    Compared,
    Created,
    DeepItem,
    DistractorsWritten,
    InstructionChecked,
    InstructionMet,
    InstructionWritten,
    Load,
    Same,
    ScenarioChecked,
    ScenarioWritten,
    Solution,
)
from ...state.items import DeepQuestionItem
from .marks import Solved

_PLACES: dict[type[DeepItem], str] = {
    ScenarioWritten: "scenario",
    ScenarioChecked: "scenario_check",
    DistractorsWritten: "distractors",
    InstructionWritten: "instruction",
    InstructionChecked: "instruction_check",
    Created: "created",
    InstructionMet: "met",
}
"""What there is once in a problem → the field that keeps it."""


@dataclass(slots=True)
class ProblemItems:
    """What there is of one problem. Of items with the same place the last one is kept: it was asked
    for again."""

    scenario: ScenarioWritten | None = None
    scenario_check: ScenarioChecked | None = None
    distractors: DistractorsWritten | None = None
    instruction: InstructionWritten | None = None
    instruction_check: InstructionChecked | None = None
    created: Created | None = None
    met: InstructionMet | None = None
    original: Solution | None = None
    """By the target, as are `solved`."""
    solved: dict[Load, Solution] = field(default_factory=dict)
    checked: dict[Load, Solution] = field(default_factory=dict)
    """By the evaluator, as is `answered`."""
    answered: Solution | None = None
    """Of the question that the target wrote."""
    compared: dict[bool, Compared] = field(default_factory=dict)
    """Whether the original stands first → the comparison with what the target wrote."""
    baseline: dict[bool, Compared] = field(default_factory=dict)
    """Whether this problem's question stands first → the comparison with another original."""
    same: dict[str, Same] = field(default_factory=dict)
    """Id of a solution → the judge's word on it."""

    def add(self, item: DeepQuestionItem) -> None:
        match item:
            case Solution():
                self._add_solution(item)
            case Same():
                self.same[item.of] = item
            case Compared():
                (self.baseline if item.pair == "baseline" else self.compared)[
                    item.original_first
                ] = item
            case _ if type(item) in _PLACES:
                setattr(self, _PLACES[type(item)], item)

    def _add_solution(self, item: Solution) -> None:
        if item.what == "original":
            self.original = item
        elif item.what == "created":
            self.answered = item
        elif item.load is not None:
            (self.solved if item.what == "scenario" else self.checked)[item.load] = item

    def word_on(self, solution: Solution | None) -> Same | None:
        """What the judge says of a solution; None where it was not asked."""
        return None if solution is None else self.same.get(solution.id)

    @property
    def checks(self) -> dict[Load, Solved]:
        """Load → what the evaluator makes of the scenario."""
        return {load: (solution, self.word_on(solution)) for load, solution in self.checked.items()}


def by_problem(
    items: Iterable[DeepQuestionItem], closed: Collection[int]
) -> dict[int, ProblemItems]:
    """Index → items of each finished problem, ascending; a problem without any item is there too.
    `closed`: indices of the problems that are finished."""
    held = {index: ProblemItems() for index in sorted(set(closed))}
    for item in items:
        if item.problem in held:
            held[item.problem].add(item)
    return held
