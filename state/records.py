"""What one probe consists of, and what is kept of it. All frozen."""

from datetime import date, datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from .tiers import Level, Tier

Stage = Literal[
    "facts",
    "question",
    "check",
    "answer",
    "judge",
    "explanation",
    "paraphrase",
    "context",
    "classification",
    "reference",
    "deconstruction",
    "rewriting",
    "relation",
    "prompt",
    "scenario",
    "distractors",
    "instruction",
    "solution",
    "creation",
    "comparison",
]
"""The stage of a probe at which it could not go on. `facts`: the look-up; `check`: the question
check, or that of a paraphrase, scenario or instruction; `context`: an answer that the question
should have quoted; `solution`: the evaluator solves; `creation`: the target writes a question."""

Role = Literal[
    "target",
    "evaluator",
    "judge",
    "examiner",
    "generator",
    "anchor",
    "anchor_2",
    "anchor_3",
    "second_evaluator",
]
"""`examiner`: who explains, asks and paraphrases in Explain-Query-Test, even when it is the target
itself. `generator`: who drafts prompts and writes from problems. The anchors:
models of known strength that a drill's questions are put to as well. `second_evaluator`: who writes
questions from passages of a finished drill."""
ANCHORS: tuple[Role, ...] = ("anchor", "anchor_2", "anchor_3")
BESIDE: tuple[Role, ...] = (*ANCHORS, "second_evaluator")
"""Who takes part beside target, evaluator and judge, and changes nothing of what they do."""

Verdict = Literal["correct", "wrong", "abstained"]

Step = Literal["deeper", "level", "off"]
"""`deeper`: who knows this mostly knows the parent's answer, and not the other way round; `level`:
neither leads to the other; `off`: it has left the line."""


_NOT_REMEMBERED: set[str] = set()


UNSAID = Field(exclude_if=lambda value: not value)
"""Of a field that came later: it is written only where it says something, so that what was written
before stays."""


class Record(BaseModel):
    """Base of all that is kept: frozen, and closed to unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    def model_post_init(self, context: Any, /) -> None:
        """Which fields were given is not remembered: nobody asks, and it is half of what a record
        weighs."""
        object.__setattr__(self, "__pydantic_fields_set__", _NOT_REMEMBERED)


class Evidence(Record):
    """A passage: 1-4 consecutive sentences, at most 800 characters, of a retrieved page."""

    text: str
    title: str
    url: str
    """Address of the page, or the file's path."""
    source: str
    """The source as named in the spec: `wikipedia`, `mediawiki:URL`, `tavily`, `sim`."""
    tier: Tier
    section: str | None = None
    """Heading the passage stands under; None in the lead."""
    revision: str | None = None
    """Revision of the page; null: unknown."""
    published: date | None = None
    """Date of publication; null: unknown."""
    retrieved_at: datetime
    """When the passage was retrieved, UTC."""
    digest: str
    """`fathom.state.text.digest` of the text: the passage's identity."""


class Usage(Record):
    """Tokens of one call or of many, as the endpoint counted them."""

    input_tokens: int = 0
    """Tokens that were sent."""
    output_tokens: int = 0
    """Tokens of the replies."""


HEDGED = "hedged"
"""The failure of a call of older runs that was given up because an identical one, sent at its
side, was replied to first."""


class Call(Record):
    """One model call as the figures see it: a reply, or a failure after all attempts."""

    role: Role
    purpose: str
    """Name of the agent's prompt: `aspects`, `question`, `answer`, `check`, `verdict`, `concepts`.
    """
    model: str
    """The model as the endpoint named it, or as asked for when it did not say."""
    usage: Usage = Usage()
    cost_usd: float | None = None
    """None: the price is unknown (never 0 by default). 0 for a cached call."""
    saved_usd: float | None = None
    """For a cached call: what it cost when it was made, None when that is unknown."""
    latency_s: float = 0.0
    """Seconds from the request to its reply."""
    attempts: int = 1
    """Requests sent, repeated ones included."""
    cached: bool = False
    """Served from the cache."""
    request: str | None = None
    """Digest of the canonical request, by which the cache knows it; None for a model that is not
    cached."""
    failure: str | None = None
    """Kind of failure when the call had no usable reply."""


class Question(Record):
    """A question, its reference answer of 1-2 sentences, and the quote in the passage that supports
    it."""

    text: str
    reference: str
    quote: str
    evidence: Evidence
    answer: Annotated[str, UNSAID] = ""
    """The bare answer; empty in runs that did not keep it."""


class QuestionCheck(Record):
    """What the evaluator's check said of a question that counts, blind to its tier."""

    level: Level
    step: Step | None = None
    """None at depth 1, where there is no parent."""
    doubtful: bool = False
    """What the passage says is outdated or disputed."""


class Answer(Record):
    """What the target said, word for word, without its thoughts."""

    text: str
    finish: str
    """Why the reply ended: stop, length, refusal, …"""
    refusal: bool = False
    thoughts: Annotated[bool, UNSAID] = False
    """It came with its reasoning, which was cut off it."""
    usage: Usage = Usage()
    latency_s: float = 0.0
    """Seconds from the request to its reply."""
    logprobs: tuple[float, ...] | None = None
    """Log-probabilities of the answer's tokens (natural logarithm, at most 0); null: not there."""


class Scored(Record):
    """A verdict was reached."""

    status: Literal["scored"] = "scored"
    verdict: Verdict
    confidence: Annotated[float, Field(ge=0.0, le=1.0)] | None = None
    """The judge's confidence, 0 … 1; null where it gave none."""
    reason: str = ""
    judge: str = ""

    @property
    def correct(self) -> bool:
        return self.verdict == "correct"


class Unscored(Record):
    """No verdict was possible; never a wrong answer."""

    status: Literal["unscored"] = "unscored"
    stage: Stage
    """At which stage it could not go on."""
    kind: str
    """timeout, rate_limit, server, connection, bad_request, parse, empty, thoughts, refusal,
    cut_off, content_filter, rejected"""
    message: str

    @property
    def at_target(self) -> bool:
        """Whether the target could have influenced it."""
        return self.stage in LOST_AT_TARGET


LOST_AT_TARGET: tuple[Stage, ...] = ("answer", "context", "creation")
"""Stages at which the target itself is asked, or misses an answer of its own."""

Outcome = Annotated[Scored | Unscored, Field(discriminator="status")]


class Rejected(Record):
    """A question that was written and thrown away, or a passage that was refused, with the reason;
    `asked` when the target had already seen the question."""

    text: str
    """Empty where the passage was refused and no question written."""
    reason: str
    asked: bool = False
    passage: Evidence | None = None
    """The passage that was refused, or that the question was written from."""
    reference: Annotated[str, UNSAID] = ""
    """Of a question that was asked."""
    level: Annotated[Level | None, UNSAID] = None
    """Of a question that the check withdrew."""


ErrorKind = Literal["wrong value", "wrong thing", "outdated", "partial", "invented", "refused"]
"""What is wrong with an answer. `wrong thing`: it is true of something else; `partial`: what it says
is true and not all that is asked for; `refused`: it commits to nothing."""


class AnswerError(Record):
    """What is wrong with an answer that is not right."""

    kind: ErrorKind
    reason: str = ""
    """The judge's; empty where the verdict says it all."""


class AnchorAnswer(Record):
    """What a model of known strength said to the same question, closed book."""

    model: str
    text: str = ""
    """Empty where its call failed."""
    outcome: Outcome


class Probe(Record):
    """One slot of one round, from evidence to verdict. `id` is `run/d03.s07.r0` (depth, slot,
    round)."""

    id: str
    depth: int
    """Depth, counted from 1."""
    slot: int
    """Place within the depth, counted from 0."""
    round: int
    tier: Tier
    root: str
    """The opening aspect this path began with."""
    parent: str | None
    """Id of the correct probe that is continued; None at depth 1."""
    chain: tuple[str, ...]
    """Concepts from the root to this probe's concept, this one included."""
    concept: str
    origin: Literal["root", "answer", "aspect"]
    """Where the concept came from: the opening, the target's own answer, or a further aspect of the
    path's concept."""
    spare: bool = False
    """True when the slot's own path had nothing left and another path's concept took its place."""
    question: Question | None = None
    answer: Answer | None = None
    outcome: Outcome
    rejected: tuple[Rejected, ...] = ()
    concepts: tuple[str, ...] = ()
    """Concepts found in the answer, what leads deepest first (in older runs in drilling order), by
    the names they are looked up with."""
    said: tuple[str, ...] = ()
    """What the answer calls each of `concepts`; empty in runs that did not tell the two apart."""
    no_evidence: tuple[str, ...] = ()
    """Concepts of the path whose turn came before this one's and that have no evidence at this
    tier."""
    aspects: tuple[str, ...] = ()
    """Further aspects of this probe's own concept, drilled when the answer's concepts run out."""
    unexplained: bool = False
    """True when the concepts of a correct answer could not be read, for a fault of the evaluator.
    """
    calls: tuple[Call, ...] = ()
    elapsed_s: float = 0.0
    """Seconds it took."""
    check: Annotated[QuestionCheck | None, UNSAID] = None
    """None where questions are not verified, and in runs before the check said it."""
    anchors: Annotated[tuple[AnchorAnswer, ...], UNSAID] = ()
    """Of a scored probe, in the order of the spec's anchors."""
    error: Annotated[AnswerError | None, UNSAID] = None
    """None where it is not asked for, of right answers, and where the judge could not say."""
    confidence: Annotated[
        float | None, Field(ge=0.0, le=1.0, exclude_if=lambda value: value is None)
    ] = None
    """How likely the target says its answer is right, in a turn of its own; None where it is not
    asked, and of an answer that commits to nothing."""
    excluded: Literal["duplicate"] | None = None
    """Set in results: why a scored probe does not count. None: it counts (if scored)."""

    @property
    def verdict(self) -> Verdict | None:
        """None: none was possible."""
        return self.outcome.verdict if self.outcome.status == "scored" else None

    @property
    def asked(self) -> int:
        """How many questions of this probe were put to the target, those that were withdrawn
        included."""
        return sum(r.asked for r in self.rejected) + (
            self.answer is not None or self._failed_at_target
        )

    @property
    def _failed_at_target(self) -> bool:
        return self.outcome.status == "unscored" and self.outcome.stage == "answer"


MODELS_OWN = frozenset({"refusal", "parse", "empty", "thoughts", "content_filter", "cut_off"})
"""Kinds of fault that are not the infrastructure's: the model was reached and replied."""


class Sent(Record):
    """One message as it was sent."""

    role: Literal["system", "user", "assistant"]
    text: str


class Item(Record):
    """One step of one concept, or question. `concept` counts from 0 in the spec's list; ids count
    from 1."""

    id: str
    """`run/c001`, `…/c001.q2`, `….q2.p1`, `….q2.a0` (a1 … ak: paraphrases), `….q2.open`,
    `….q2.a0.why`; of an own question `run/q001`."""
    concept: int
    prompt: tuple[Sent, ...] = ()
    """The messages as they were first sent; none when nobody was asked."""
    fault: Unscored | None = None
    """Why there is nothing, when the infrastructure failed; never counted against the model under
    test."""
    calls: tuple[Call, ...] = ()
    elapsed_s: float = 0.0
    """Seconds it took."""

    @property
    def lost(self) -> bool:
        """Whether the infrastructure failed, so that it is worth while to try again."""
        return self.fault is not None and self.fault.kind not in MODELS_OWN
