"""What a probe came to: what is known of it on the way, the record that is kept, the row that the
graph remembers, what the drill can be continued with from its answer, and whether its question asks
for a fact that was asked for already."""

import asyncio
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from typing_extensions import TypedDict

from ...agents.explainer.explain import Mentions
from ...agents.questioner.question import QuestionReading, Written
from ...agents.questioner.question_text import KINDS, added, roots
from ...state.channels import Candidate, Origin, Path, ProbeTask, Row
from ...state.errors import BudgetSpent
from ...state.events import ProbeJudged
from ...state.records import (
    AnchorAnswer,
    Answer,
    Call,
    Evidence,
    Level,
    Outcome,
    Probe,
    Question,
    Rejected,
    Scored,
    Unscored,
    tier_of,
)
from ...state.text import Word, content, listed
from ...tools.models.budget import Reservation
from ...tools.runs.journal import RunMemory, Sink
from .scheduler import OF_FIRST, OF_NEXT

CALL_ORDER = {"question": 0, "answer": 1, "check": 2, "verdict": 3, "same": 4, "concepts": 5}
"""Calls of a probe run side by side; in the record they stand in this order."""


def probe_id(run_id: str, depth: int, slot: int, round_: int) -> str:
    """`run/d03.s07.r0`, the run by the short id its name ends with."""
    return f"{run_id.rsplit('-', 1)[-1]}/d{depth:02d}.s{slot:02d}.r{round_}"


@dataclass(slots=True)
class FinishedProbe:
    """What became of one task: the candidate that decided, the outcome, and how a correct answer
    can be continued."""

    candidate: Candidate
    outcome: Outcome
    question: Question | None = None
    answer: Answer | None = None
    path: Path | None = None


def record(
    task: ProbeTask,
    state: "ProbeState",
    calls: Sequence[Call],
    passes: int,
    elapsed_s: float,
    anchors: tuple[AnchorAnswer, ...] = (),
) -> Probe:
    """The finished probe."""
    finished, reading = state["done"], state.get("reading")
    candidate, path = finished.candidate, finished.path
    tier, _ = tier_of(task["depth"], passes)
    answered = (
        [concept for concept, origin in path["concepts"] if origin == "answer"] if path else []
    )
    return Probe(
        id=probe_id(task["run_id"], task["depth"], task["slot"], task["round"]),
        depth=task["depth"],
        slot=task["slot"],
        round=task["round"],
        tier=tier,
        root=candidate["root"],
        parent=candidate["parent"],
        chain=(*candidate["chain"], candidate["concept"]),
        concept=candidate["concept"],
        origin=candidate["origin"],
        spare=candidate["spare"],
        question=finished.question,
        answer=finished.answer,
        outcome=finished.outcome,
        rejected=tuple(state["rejected"]),
        concepts=tuple(answered),
        said=tuple(path["said"].get(concept, concept) for concept in answered) if path else (),
        no_evidence=tuple(task["no_evidence"]),
        aspects=tuple(c for c, o in path["concepts"] if o == "aspect") if path else (),
        unexplained=path is not None and state["unexplained"],
        calls=tuple(
            sorted(calls, key=lambda c: (CALL_ORDER.get(c.purpose, len(CALL_ORDER)), c.role))
        ),
        elapsed_s=elapsed_s,
        anchors=anchors,
        check=reading.record
        if isinstance(reading, QuestionReading) and finished.question
        else None,
    )


def withdrawn(
    question: Question, reason: str, *, asked: bool = False, level: Level | None = None
) -> Rejected:
    """A question that will not do; `asked`: found out when the target had seen it."""
    return Rejected(
        text=question.text,
        reason=reason,
        asked=asked,
        passage=question.evidence,
        reference=question.reference if asked else "",
        level=level,
    )


def used_up(written: Written) -> list[str]:
    """The digests of the passages that nothing else is written from; last that of the question."""
    passages = [one.passage for one in written.rejected]
    passages += [written.question.evidence] if written.question else []
    return [passage.digest for passage in passages if passage is not None]


def remaining(candidates: Sequence[Candidate], used: Collection[str]) -> list[Candidate]:
    """The candidates that have passages left, with these alone."""
    rest = list[Candidate]()
    for candidate in candidates:
        passages = [each for each in candidate["passages"] if each["digest"] not in used]
        if passages:
            rest.append({**candidate, "passages": passages})
    return rest


def shown_together(candidates: Sequence[Candidate]) -> list[Candidate]:
    """What one call of the Questioner is shown of a hand: passages of one concept, and of that one
    on its line which has the most. One passage alone is shown only where the hand holds no more:
    it costs as much as a full set and seldom serves."""
    lines = list(dict.fromkeys(each["path"] for each in candidates))
    sets = [_shown_of(candidates, path) for path in lines]
    return next((each for each in sets if sum(map(_size, each)) > 1), sets[0])


def _shown_of(candidates: Sequence[Candidate], path: int) -> list[Candidate]:
    first, *others = [each for each in candidates if each["path"] == path]
    beside = max(others, key=lambda each: min(OF_NEXT, _size(each)), default=None)
    shown = [(first, OF_FIRST)] + ([(beside, OF_NEXT)] if beside else [])
    return [{**each, "passages": each["passages"][:most]} for each, most in shown]


def _size(candidate: Candidate) -> int:
    return len(candidate["passages"])


def passages_of(probe: Probe, candidates: Sequence[Candidate]) -> list[str]:
    """The digests of the passages that a finished probe's questions were written from.
    `candidates`: those of its task."""
    sources = [rejected.passage for rejected in probe.rejected]
    used = [passage.digest for passage in sources if passage is not None]
    if probe.question is not None:
        used.append(probe.question.evidence.digest)
    elif isinstance(probe.outcome, Unscored) and probe.outcome.kind != "rejected":
        unused = remaining(candidates, used)  # nothing could be written from the first of them
        used += [shown_together(unused)[0]["passages"][0]["digest"]] if unused else []
    return used


def all_rejected_message(rejected: Sequence[Rejected]) -> str:
    """One sentence on a task of which nothing came."""
    refused = sum(not r.text for r in rejected)
    counts = [(refused, "passage", "refused"), (len(rejected) - refused, "question", "rejected")]
    named = ", ".join(
        f"{many} {thing}{'s' * (many > 1)} {fate}" for many, thing, fate in counts if many
    )
    return f"{named}; the last: {rejected[-1].reason}"


def is_correct(outcome: Outcome) -> bool:
    return isinstance(outcome, Scored) and outcome.correct


def row_of(probe: Probe, passages: list[str]) -> Row:
    """What the graph remembers of a probe."""
    scored = isinstance(probe.outcome, Scored)
    return Row(
        id=probe.id,
        depth=probe.depth,
        slot=probe.slot,
        round=probe.round,
        root=probe.root,
        parent=probe.parent,
        concept=probe.concept,
        spare=probe.spare,
        status=probe.outcome.verdict if isinstance(probe.outcome, Scored) else "unscored",
        stage=None if isinstance(probe.outcome, Scored) else probe.outcome.stage,
        kind=None if isinstance(probe.outcome, Scored) else probe.outcome.kind,
        question=probe.question.text if probe.question and scored else None,
        reference=probe.question.reference if probe.question and scored else None,
        passages=passages,
        asked=probe.asked,
        rejected=sum(bool(r.text) for r in probe.rejected),
        refused=sum(not r.text for r in probe.rejected),
        retracted=sum(r.asked for r in probe.rejected),
        excluded=None,
        anchors={
            each.model: each.outcome.correct
            for each in probe.anchors
            if isinstance(each.outcome, Scored)
        },
    )


class ProbeState(TypedDict, total=False):
    """A probe on its way: what each step adds, in this order."""

    left: list[Candidate]
    """Candidates with the passages that nothing was written from yet."""
    passages: list[str]
    """Digests of those that were used up."""
    rejected: list[Rejected]
    candidate: Candidate
    """The one that the question is on."""
    question: Question | None
    """None: another one has to be written."""
    opens: bool
    """Whether it came of the first reply of the slot's Questioner."""
    answer: Answer | Unscored
    reading: QuestionReading | Unscored | None
    """None: questions are not verified."""
    duplicate: bool
    """Whether a lower slot asks for the same fact first."""
    outcome: Outcome | None
    """None: not judged yet."""
    agreed: bool | Unscored
    """Whether the evaluator's own answer is the reference."""
    path: Path | None
    unexplained: bool
    done: FinishedProbe


UNREAD = "the concepts of this answer"
"""What stands among a path's failed look-ups when its answer's concepts could not be read."""


def concepts_of(mentions: Mentions) -> list[tuple[str, Origin]]:
    """What an answer can be continued with, in the Explainer's order, aspects last."""
    concepts: list[tuple[str, Origin]] = [(each.name, "answer") for each in mentions.concepts]
    return [*concepts, *((aspect, "aspect") for aspect in mentions.aspects)]


def concepts_must_be_asked_again(memory: RunMemory, task: ProbeTask, probe: Probe) -> bool:
    """Whether a finished probe's concepts were lost to a fault, and the depth that needs them is
    reopened."""
    reopened = any(resumed.reopened == task["depth"] + 1 for resumed in memory.resumed)
    return reopened and probe.unexplained and bool(task["k"]) and is_correct(probe.outcome)


def names_in_answer(mentions: Mentions) -> dict[str, str]:
    """Concept → what the answer calls it."""
    return {concept.name: concept.said for concept in mentions.concepts}


def path_of(probe: Probe) -> Path:
    """What a finished correct probe can be continued with, before anything is looked up."""
    concepts: list[tuple[str, Origin]] = [(concept, "answer") for concept in probe.concepts]
    return Path(
        id=probe.id,
        root=probe.root,
        chain=list(probe.chain),
        concepts=[*concepts, *((aspect, "aspect") for aspect in probe.aspects)],
        said=dict(
            zip(probe.concepts, probe.said, strict=False)
        ),  # what older runs do not tell is left out
        found={},
        failed={UNREAD: {}} if probe.unexplained else {},  # why stands in the journal
    )


def explained(
    task: ProbeTask, probe: Probe, mentions: Mentions, calls: Sequence[Call]
) -> ProbeJudged:
    """The probe with its concepts at last, as it is journalled again; its verdict stands."""
    changes = {
        "concepts": tuple(concept.name for concept in mentions.concepts),
        "said": tuple(concept.said for concept in mentions.concepts),
        "aspects": mentions.aspects,
        "unexplained": False,
        "calls": (*probe.calls, *calls),
    }
    return ProbeJudged(
        run_id=task["run_id"], probe=probe.model_copy(update=changes), added=len(calls)
    )


def question_of(state: ProbeState) -> Question:
    """The question that was written."""
    question = state["question"]
    assert question is not None  # a step that needs it comes after it
    return question


def answer_of(state: ProbeState) -> Answer:
    """The answer that was given."""
    answer = state["answer"]
    assert isinstance(answer, Answer)  # what failed has been weighed
    return answer


Fact = tuple[str, str]
"""The words of the value, and those of the subject: what else question and reference say. Each
once, in one order."""

_VAGUE = roots(" ".join(KINDS)) | roots("first many much take place use")
_OF_A_THING = _VAGUE & roots("temperature point value number name quantity amount figure")
_NUMBER = re.compile(r"[-+]?\d")
_YEAR = re.compile(r"1\d\d\d|20\d\d")
_APART = re.compile(
    r".*[\d_]|.$|[^a-z]+$|(?:not|no|never|without|second|third|fourth|fifth|last|next|after|before)$"
)
_ENDINGS = listed("s y ed er or ing ion ation ment al ance ence ive ative") | {""}


@lru_cache(maxsize=4096)  # each is compared with all that come after it
def fact_of(question: str, reference: str) -> Fact:
    """The fact that a question with its reference is about."""
    value = _value(added(question, reference) or content(reference))
    return " ".join(sorted(value)), " ".join(sorted((roots(question) | roots(reference)) - value))


def is_duplicate(fact: Fact, ledger: Iterable[Fact | None]) -> bool:
    """Whether the ledger holds the same fact: an equal value alone is not enough ("Period 4"
    answers many)."""
    value, subject = fact
    return any(
        known == value and (_same_subject(subject, about) or _says_it_all(value, subject, about))
        for known, about in filter(None, ledger)
    )


def _says_it_all(value: str, one: str, other: str) -> bool:
    """Whether a value of three words or more tells one fact, about subjects that are half alike and
    do not differ in one word alone, as the same question about two things does."""
    a, b = _split(one), _split(other)
    half = 2 * len(a & b) >= min(len(a), len(b))
    return half and len(_split(value)) >= 3 and not len(a - b) == len(b - a) == 1


def _value(words: Iterable[Word]) -> set[str]:
    """The numbers with their units, else the names, else all: other words of an answer may be
    worded otherwise."""
    new = [word for word in words if word.key not in KINDS] or list(words)
    measured = [
        word.root
        for before, word in zip([None, *new], new, strict=False)
        if _NUMBER.match(word.key) or (before and _NUMBER.match(before.key) and len(word.key) < 4)
    ]
    return set(measured or _names(new) or [word.root for word in new])


def _names(words: list[Word]) -> list[str]:
    """The words with a capital. One at the beginning of a sentence is a name if one follows it at
    once."""
    capital = [not word.written.islower() for word in words]
    follows = [*capital[1:], False]
    return [
        word.root
        for word, is_capital, goes_on in zip(words, capital, follows, strict=True)
        if is_capital and (goes_on or not word.first)
    ]


def _same_subject(one: str, other: str) -> bool:
    """Whether the subjects differ by additions or word forms only.

    Likeness of letters would not do: chlorate and chlorite, mitosis and meiosis, the period of
    sodium and of argon are more alike than two wordings of one question. So a word that stands in
    one place of each but differs is a difference, and one that only one of them has is none, unless
    it tells one thing from another, as numbers do; but a year may be told in addition.
    """
    a, b = _split(one), _split(other)
    years = {word for word in a ^ b if _YEAR.fullmatch(word)}
    fewer, more = sorted((a - b - years, b - a - years), key=lambda words: len(words - _VAGUE))
    if not a & b or not (years <= a or years <= b) or any(map(_tells_apart, fewer | more)):
        return False
    if fewer - _VAGUE:
        return all(any(_forms_of_one(word, found) for found in more) for word in fewer - _VAGUE)
    return not (fewer & _OF_A_THING and more - _VAGUE)  # the atomic number is not the atomic weight


@lru_cache(maxsize=4096)
def _tells_apart(word: str) -> bool:
    """Whether a word makes another of a subject by being there: numbers, symbols, single letters,
    numerals, not."""
    return _APART.match(word) is not None


@lru_cache(maxsize=4096)
def _split(subject: str) -> frozenset[str]:
    return frozenset(subject.split())


@lru_cache(maxsize=4096)
def _forms_of_one(one: str, other: str) -> bool:
    """Discovery and discovered, found and foundation; not chlorate and chlorite."""
    shared = next(
        (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
    return shared > 3 and one[shared:] in _ENDINGS and other[shared:] in _ENDINGS


# A slot waits for lower ones only. Lower slots are begun, admitted to the budget and let through
# the gate before it, and their first reply waits for nobody, so that no two wait for each other.

Key = tuple[str, int, int, int]


def first_shown(task: ProbeTask) -> list[str]:
    """The digests of the passages in the first call of a slot's Questioner."""
    shown = shown_together(task["candidates"])
    return [passage["digest"] for candidate in shown for passage in candidate["passages"]]


def first_question(probe: Probe, shown: Collection[str]) -> Fact | None:
    """The fact that the first reply of a finished probe's Questioner put to the target; None where
    nothing came of that reply. `shown`: the digests of what it was written from."""
    written = [one for one in (*probe.rejected, probe.question) if one is not None and one.text]
    first = written[0] if written else None
    if isinstance(first, Question):
        passage: Evidence | None = first.evidence
    elif first is not None and first.asked:
        passage = first.passage
    else:
        return None
    is_shown = passage is not None and passage.digest in shown
    return fact_of(first.text, first.reference) if is_shown else None


class FirstQuestions:
    """Tells the slots of a round what lower ones ask first."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._futures: dict[Key, asyncio.Future[Fact | None]] = {}

    def begin(self, task: ProbeTask) -> None:
        """The slot's first question will come."""
        self._futures[_key(task, task["slot"])] = asyncio.get_running_loop().create_future()

    def tell(self, task: ProbeTask, fact: Fact | None) -> None:
        """The slot's first question; None: its Questioner's first reply brought none."""
        self._futures[_key(task, task["slot"])].set_result(fact)

    def end(self, task: ProbeTask, spent: BudgetSpent) -> None:
        """The budget does not suffice for the slot: who waits for its question cannot go on
        either."""
        future = self._futures[_key(task, task["slot"])]
        if not future.done():
            future.set_exception(spent)
            future.exception()  # perhaps nobody waits

    async def of_lower_slots(
        self, task: ProbeTask, reservation: Reservation | None
    ) -> list[Fact | None]:
        """What the lower slots of the round ask first. Raises BudgetSpent where one of them cannot
        go on."""
        facts, awaited = list[Fact | None](), list[asyncio.Future[Fact | None]]()
        for slot, shown in task["lower"]:
            future = self._futures.get(_key(task, slot))
            if future is not None:
                awaited.append(future)
                continue
            # a host went on from within the round, and does not begin again what had finished
            probe = self._sink.get(task["run_id"], probe_id(*_key(task, slot)))
            facts.append(first_question(probe, shown) if probe else None)
        if awaited:
            replies = asyncio.wait(awaited)
            await (reservation.while_idle(replies) if reservation else replies)
        return facts + [future.result() for future in awaited]

    def forget(self, run_id: str) -> None:
        """A depth is closed: nothing is compared with its questions in this way any more."""
        for key in [key for key in self._futures if key[0] == run_id]:
            del self._futures[key]


def _key(task: ProbeTask, slot: int) -> Key:
    return task["run_id"], task["depth"], slot, task["round"]
