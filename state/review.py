"""What people say of a run's questions and of the judge's verdicts on the answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from .records import UNSAID, Record

Soundness = Literal[
    "sound", "ambiguous", "another answer", "outdated", "faulty reference", "below level"
]
"""Of a question beside its passage. `another answer`: an expert would accept another one as well;
`faulty reference`: the passage does not say it; `below level`: easier than its tier."""

HumanVerdict = Literal["right", "wrong", "abstained", "cannot say"]

FILE = "review.jsonl"
"""In the run's folder: one line per entry, in the order in which they came."""

MOST_NOTE = 4_000
"""Characters of a note."""

AnswerKey = tuple[str, str]
"""(item, condition) of the row that is reviewed."""


DISPUTED = "judges differ"


class Sampled(Record):
    """An answer that was drawn to be reviewed."""

    kind: Literal["sampled"] = "sampled"
    item: str
    condition: str
    stratum: str
    """`textbook · right`: its tier, or without tiers its condition, and the judge's verdict; or
    `DISPUTED`."""
    probability: Annotated[float, Field(ge=0, le=1)]
    """With which it was drawn. 0: it stands beside the sample, because judges disagree on it, and
    no estimate may rest on it."""
    answers: Annotated[int, UNSAID] = 0
    """In its stratum, of all runs that were drawn from together; 0: beside the sample."""

    @property
    def key(self) -> AnswerKey:
        return self.item, self.condition


class Label(Record):
    """What one rater says of one answer. Of several by the same rater the last one counts."""

    kind: Literal["label"] = "label"
    item: str
    condition: str
    rater: str
    question: Soundness | None
    """None: skipped, or the question is not what was asked about."""
    answer: HumanVerdict | None
    note: Annotated[str, UNSAID] = ""
    rule: str
    """Digest of the rule that the rater was shown."""
    at: datetime

    @property
    def key(self) -> AnswerKey:
        return self.item, self.condition


Entry = Annotated[Sampled | Label, Field(discriminator="kind")]


class Review(Record):
    """All that stands in a run's review file."""

    sample: tuple[Sampled, ...] = ()
    labels: tuple[Label, ...] = ()


@dataclass(frozen=True, slots=True)
class Rate:
    """A share that labels tell, drawn with unequal chances."""

    value: float
    hits: float
    misses: float
    """Parameters of the Beta distribution of what the share may be."""
    labels: int
    answers: float = 0.0
    """For which the labels stand."""


@dataclass(frozen=True, slots=True)
class JudgeError:
    """How far the judge's verdicts agree with people's."""

    sensitivity: Rate
    """Of answers that people call right, the share that it does."""
    specificity: Rate
    """Of those that they do not, the share that it does not."""

    @property
    def labels(self) -> tuple[int, int]:
        """Of right answers, and of others."""
        return self.sensitivity.labels, self.specificity.labels

    @property
    def informed(self) -> float:
        """Sensitivity + specificity − 1: 0 of a judge that guesses, 1 of one that is always
        right."""
        return self.sensitivity.value + self.specificity.value - 1

    @property
    def overlap(self) -> float:
        """How much of what the judge did to the reviewed answers the labels have seen: 1 where every
        answer has one."""
        rates = self.sensitivity, self.specificity
        seen = [(rate.hits + rate.misses) / rate.answers for rate in rates if rate.answers]
        return min(1.0, sum(seen) / len(seen)) if seen else 0.0


JudgeErrors = Mapping[str, JudgeError]
"""Tier group → the judge's error there; under "" over all tiers, which stands for groups that are
not there."""
