"""The table of answers: one row per question put to a target, whatever the method, and what is
measured over such rows."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from .result import Interval
from .review import JudgeErrors

RowVerdict = Literal["right", "wrong", "abstained", "unreadable", "unscored"]
Tag = str | int | float | bool | None
ANCHOR = "anchor "
"""How the condition of an anchor's answer begins: another model's, of known strength."""


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """A subject was asked in a group under a condition and got a score, or a reason for none."""

    run: str
    """Id of the run; of another program's log its path."""
    method: str
    model: str
    """The target, as it was named."""
    domain: str
    group: str
    """What stands or falls together: root, concept, tree, problem."""
    item: str
    """The question's id, the same for all models that were asked it."""
    condition: str
    """`depth 4`, `original`, `paraphrase 2`, `open book`, `zero-shot`, `scenario`, `anchor …`."""
    score: float | None
    """0 … 1, ratings scaled; None: unscored."""
    verdict: RowVerdict
    stage: str = ""
    """Where an unscored one was lost."""
    tags: Mapping[str, Tag] = field(default_factory=dict)
    """`depth`, `tier`, `level`, `step`, `category`, `mode`, `repeat`, `seed` …"""
    settings: Mapping[str, Tag] = field(default_factory=dict)
    """What the run was asked under, the same object in all rows of a run: `seed`, `simulated`,
    `stop_reason`, `evaluator`, `judge`; of a drill also `n`, `threshold` …"""
    texts: Mapping[str, str] = field(default_factory=dict)
    """`question`, `reference`, `answer`, `passage`, `title`, `url`, `date`, `reason`, word for word."""
    judge: JudgeErrors | None = None
    """The judge's error by the labels of all models that are compared; None: what the labels of
    these rows say."""

    def tag(self, name: str) -> Tag:
        """A tag of the answer or a setting of its run; None where it has neither."""
        return self.tags.get(name, self.settings.get(name))


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure with its 95% interval."""

    value: float | None
    """None: nothing was scored."""
    low: float | None = None
    high: float | None = None
    n: int = 0
    """Scored answers that it rests on."""
    groups: int = 0
    """Independent groups among them."""
    at_least: bool = False
    """Whether the value is only a lower limit."""
    extrapolated: bool = False
    """Whether part of it lies deeper than was asked."""

    @property
    def interval(self) -> Interval | None:
        """Both ends; None where there is none."""
        return None if self.low is None or self.high is None else (self.low, self.high)


@dataclass(frozen=True, slots=True)
class Measure:
    """What a method measures over its rows."""

    name: str
    """As `must` and `--by` name it: `evd`, `accuracy`, `hallucination_rate`, …"""
    unit: Literal["depths", "share", "score", "index"]
    better: Literal["higher", "lower"]
    says: str
    """One plain sentence on what it tells."""
    of: Callable[[Sequence[AnswerRow]], Estimate]
    by: tuple[str, ...] = ()
    """Tags by which it may be told apart, such as `tier` and `depth`."""
