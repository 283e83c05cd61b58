"""What a reader of the event stream knows of a DeepQuestion run: marks and the newest steps, not the texts."""

from collections import Counter, deque
from dataclasses import dataclass, field

from ....state.deepquestion.items import Kind, ProblemSet, PromptDraft, PromptScore
from ....state.deepquestion.spec import DeepQuestionSpec
from ....state.events import PartMark, ProblemClosed, RunStarted
from ....state.items import DeepQuestionItem, PromptItem
from .steps import COLUMNS, Step, passes, score_words, step_of

KEPT_STEPS = 60
"""Newest steps, and newest closed problems, kept per run: as many as the tallest screen shows."""


@dataclass(slots=True)
class PromptLoop:
    """How the transformation prompt of one kind comes about."""

    kind: Kind
    scores: dict[int, int | None] = field(default_factory=dict)
    """Round → the score of its draft; None while there is none, and where none came about."""
    over: bool = False

    def take(self, item: PromptItem, spec: DeepQuestionSpec) -> None:
        """A draft or a score is there."""
        self.scores[item.round] = item.score if isinstance(item, PromptScore) else None
        # a score that could not be read is none, and the loop goes on; without a draft it cannot
        ended = item.fault is not None if isinstance(item, PromptDraft) else item.lost or passes(item.score, spec)
        self.over = ended or (isinstance(item, PromptScore) and item.round >= spec.rounds)

    @property
    def best(self) -> int | None:
        """The round of the best draft, the earliest of several; None without any score."""
        held = [(-score, number) for number, score in self.scores.items() if score is not None]
        return min(held)[1] if held else None

    def words(self, spec: DeepQuestionSpec) -> list[str]:
        """`round 1 4/10`, `round 2 7/10`, `round 3 9/10 accepted`; at the end that no draft was."""
        rounds = [f"round {number} {self._score(number, spec)}" for number in sorted(self.scores)]
        return [*rounds, *([self._missed(spec)] if self.over and not self._passed(spec) else [])]

    def _score(self, number: int, spec: DeepQuestionSpec) -> str:
        score = self.scores[number]
        under_way = score is None and not self.over and number == max(self.scores)
        return "under way" if under_way else score_words(score, spec)

    def _passed(self, spec: DeepQuestionSpec) -> bool:
        return any(passes(score, spec) for score in self.scores.values())

    def _missed(self, spec: DeepQuestionSpec) -> str:
        use = spec.use_best and self.best is not None
        return f"not converged, round {self.best} is used" if use else "not converged"


@dataclass(slots=True)
class DeepQuestionProgress:
    """One run. Its counts are of finished steps; one that was done again counts once, as it came out last."""

    spec: DeepQuestionSpec
    problems: ProblemSet | None = None
    """None in a stream that is read from its middle."""
    loops: dict[Kind, PromptLoop] = field(default_factory=dict)
    """Of kinds whose prompt is drafted, once there is a draft."""
    open: set[int] = field(default_factory=set)
    """Problems that are being worked on, by index."""
    closed: dict[int, ProblemClosed] = field(default_factory=dict)
    marks: Counter[tuple[str, PartMark]] = field(default_factory=Counter)
    """(column, mark) → closed problems that bear it."""
    steps: int = 0
    closings: deque[ProblemClosed] = field(default_factory=lambda: deque(maxlen=KEPT_STEPS))
    """Closed problems, the newest first."""
    newest: deque[Step] = field(default_factory=lambda: deque(maxlen=KEPT_STEPS))
    """Finished steps, the newest first."""
    _failed: set[str] = field(default_factory=set)
    """Steps that came to nothing; if the run goes on, they may be done again."""

    def begin(self, spec: DeepQuestionSpec, started: RunStarted | None) -> None:
        """The run begins, or goes on."""
        self.spec = spec
        self.problems = (started.problems if started else None) or self.problems

    def take(self, item: DeepQuestionItem) -> None:
        """A step is finished; one that had come to nothing takes its own place."""
        again = item.id in self._failed
        (self._failed.add if item.fault is not None else self._failed.discard)(item.id)
        self.steps += not again
        if isinstance(item, PromptDraft | PromptScore):
            self.loops.setdefault(item.kind, PromptLoop(item.kind)).take(item, self.spec)
        elif again or item.problem not in self.closed:
            self.open.add(item.problem)
        if again:
            self.newest = deque((one for one in self.newest if one.id != item.id), maxlen=KEPT_STEPS)
        self.newest.appendleft(step_of(item, self.spec))

    def close(self, event: ProblemClosed) -> None:
        """All about a problem is there; closed once more, it counts as it came out last."""
        before = self.closed.get(event.index)
        if before is not None:
            self.marks.subtract(before.marks.items())
            self.closings = deque((one for one in self.closings if one.index != event.index), maxlen=KEPT_STEPS)
        self.marks.update(event.marks.items())
        self.open.discard(event.index)
        self.closed[event.index] = event
        self.closings.appendleft(event)

    @property
    def lost(self) -> int:
        """Steps that came to nothing."""
        return len(self._failed)

    @property
    def columns(self) -> list[str]:
        """What is asked of a problem, as far as closed problems tell."""
        held = {column for (column, _), number in self.marks.items() if number}
        return [column for column in COLUMNS if column in held]

    def accuracy(self, column: str) -> float | None:
        """Right of right and wrong, over the problems closed so far; None without any."""
        right, wrong = self.marks[column, "right"], self.marks[column, "wrong"]
        return right / (right + wrong) if right + wrong else None

    @property
    def drafting(self) -> bool:
        """Whether transformation prompts are still being drafted: no problem was begun."""
        ended = len(self.loops) == len(self.spec.drafted) and all(loop.over for loop in self.loops.values())
        return not (ended or self.open or self.closed)

    def question(self, index: int) -> str:
        """A problem's question; empty where it is not known."""
        known = self.problems.problems if self.problems else ()
        return known[index].question if 0 <= index < len(known) else ""
