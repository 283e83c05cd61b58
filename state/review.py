"""What people say of a run's questions and of the judge's verdicts on the answers."""

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
