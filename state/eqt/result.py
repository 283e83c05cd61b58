"""What an Explain-Query-Test measured. Field names are the contract of `fathom schema eqt`."""

from typing import Annotated, Any, Literal

from ..records import UNSAID, Record
from ..result import Envelope, Interval, RoleUsage
from ..spec import EqtSpec
from .items import Cause, Kind, Option, Reading


class ShareRow(Record):
    """Accuracy over a group of answers: exactly the right options chosen."""

    scored: int
    correct: int
    accuracy: float | None
    """None without any answer."""
    ci: Interval
    """Wilson, as if all answers were independent."""
    ci_clustered: Interval | None
    """Allows for answers that share a concept (where only one concept has scored answers: a
    question); None with fewer than two of them."""
    bounds: Annotated[Interval | None, UNSAID] = None
    """The accuracy if all answers that the target itself lost had been wrong, and right; None where
    it lost none."""

    @property
    def wider(self) -> Interval | None:
        """The interval to be shown: the clustered one where there is one; None without any
        answer."""
        return None if self.accuracy is None else self.ci_clustered or self.ci


class ConsistencyRow(Record):
    """The Answer Consistency Score, averaged over the questions that can show any inconsistency."""

    questions: int
    """Questions with at least two readable answers: those that the averages are over."""
    uninformative: int
    """Questions with exactly one readable answer: their ACS is 1 whatever the model does, so that
    they stay apart."""
    unread: int = 0
    """Questions with answers of which none can be read: they have no ACS."""
    acs: float | None
    """1 − (|U| − 1)/|A| over readable answer sets, in [1/|A|, 1] (paper, equation 1); "none of
    them" is the empty set."""
    acs_ci: Interval | None
    """Clustered by concept (where only one has such questions: by question); None with fewer than
    two of them."""
    acs_normalised: float | None
    """(|A| − |U|)/(|A| − 1), in [0, 1]."""
    acs_normalised_ci: Interval | None
    """95% interval of the normalised ACS."""
    missing: str | None = None
    """Why there is no average; None where there is one."""


class Numbers(Record):
    """The figures of one concept, one category, or all."""

    concepts: int
    questions: int
    """Well-formed questions."""
    dropped: int
    """Questions that were malformed twice."""
    paraphrases: int
    paraphrases_dropped: int
    """Paraphrases that failed their check twice."""
    unscored: dict[str, int]
    """Steps that came to nothing for a fault, by stage: neither right nor wrong, and in no other
    number here."""
    all: ShareRow
    """Originals and paraphrases, closed book."""
    originals: ShareRow
    paraphrased: ShareRow
    consistency: ConsistencyRow
    format_failures: int
    """Closed-book answers without a readable selection; they are wrong."""
    refusals: int
    none_chosen: int
    """Closed-book answers that say that no option is right; they are wrong."""
    open_book: ShareRow | None = None
    """The same questions with the explanation at hand; None when that was not asked for."""
    open_book_gap: float | None = None
    """Open-book minus closed-book accuracy over the original questions that have both answers."""
    open_book_gap_ci: Interval | None = None
    """95% interval of the open-book gap."""


class AnswerRow(Record):
    """One asking, without the prompt."""

    id: str
    paraphrase: int
    """0: the original wording."""
    asked: str
    """The question's wording, without its options."""
    order: tuple[int, ...]
    """The options in the order shown: place of each in the question's own list, counted from 0."""
    letters: tuple[str, ...]
    """As chosen, by the order that was shown."""
    chosen: tuple[int, ...]
    """Places of the chosen options, counted from 0."""
    correct: bool | None
    reading: Reading | None
    """How the answer was read: letters, none, unreadable or refused; null with a fault."""
    said: str
    """The answer, word for word. Empty when a fault took it (`unscored` says why); in runs of
    earlier versions also when the model replied with nothing."""
    unscored: str | None = None
    """The fault for which there is no answer; never counted against the model."""


class QuestionRow(Record):
    id: str
    kind: Kind
    text: str
    options: tuple[Option, ...]
    dropped: str | None
    """Why it is not used; null: it is."""
    unscored: str | None
    """Lost to a fault; never counted as wrong."""
    acs: float | None
    """Over the readable answers; None without any."""
    acs_normalised: float | None
    """ACS stretched to 0 … 1 whatever the number of askings."""
    acs_missing: str | None = None
    """Why there is no ACS; None where there is one."""
    informative: bool
    """Whether at least two answers can be read."""
    answers: tuple[AnswerRow, ...]
    open_book: AnswerRow | None = None


class ConceptRow(Record):
    id: str
    concept: str
    category: str
    explanation: str
    unscored: str | None
    """Why there is no explanation, and so nothing else."""
    numbers: Numbers
    questions: tuple[QuestionRow, ...]


class AttributedCase(Record):
    id: str
    """The answer's."""
    cause: Cause
    reason: str


class AttributionRow(Record):
    """What the judge put a sample of wrong closed-book answers down to."""

    wrong: int
    """All there were to draw from: wrong answers that could be read."""
    sampled: int
    unscored: int
    """Lost to a fault; never counted as wrong."""
    causes: dict[Cause, int]
    cases: tuple[AttributedCase, ...]


class EqtResult(Envelope, extra="ignore"):
    """The whole outcome of one target's Explain-Query-Test. What results of older runs hold besides
    is passed over."""

    method: Literal["eqt"] = "eqt"
    spec: EqtSpec
    numbers: Numbers
    by_category: dict[str, Numbers]
    """Categories in the order of the spec; empty when no concept has one."""
    concepts: tuple[ConceptRow, ...]
    """Concepts that are finished; only they count."""
    open_concepts: tuple[str, ...] = ()
    """Concepts that were begun or not even that when the run ended; they stay out of every number
    but usage."""
    attribution: AttributionRow | None = None
    """What a sample of wrong answers is put down to; null when that was not asked for."""
    usage: dict[str, RoleUsage]
    cost_usd: float | None
    """What it cost in USD; null when the price of any call is unknown."""
    wall_s: float
    """Seconds from beginning to end, all sessions together."""
    conformance: tuple[str, ...]
    """Each place where this run deviates from the published method, by name."""
    notes: tuple[str, ...]
    provenance: dict[str, Any]
    """Versions, digests and models that the result was made with."""
