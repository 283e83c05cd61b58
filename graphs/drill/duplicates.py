"""Which fact a question asks for, and whether it was asked for before: by an earlier probe, or by a
lower slot of the same round."""

import asyncio
import re
from collections.abc import Collection, Iterable, Sequence
from functools import lru_cache

from ...agents.questioner.question_text import KINDS, added, roots
from ...state.channels import ProbeTask
from ...state.errors import BudgetSpent
from ...state.records import Probe, Question
from ...state.text import Word, content, listed
from ...tools.models.budget import Reservation
from ...tools.runs.journal import Sink

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
        asked_value == value
        and (_same_subject(subject, about) or _says_it_all(value, subject, about))
        for asked_value, about in filter(None, ledger)
    )


def _says_it_all(value: str, subject: str, about: str) -> bool:
    """Whether a value of three words or more tells one fact, about subjects that are half alike and
    do not differ in one word alone, as the same question about two things does."""
    a, b = _split(subject), _split(about)
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


def _same_subject(subject: str, about: str) -> bool:
    """Whether the subjects differ by additions or word forms only.

    Likeness of letters would not do: chlorate and chlorite, mitosis and meiosis, the period of
    sodium and of argon are more alike than two wordings of one question. So a word that stands in
    one place of each but differs is a difference, and one that only one of them has is none, unless
    it tells one thing from another, as numbers do; but a year may be told in addition.
    """
    a, b = _split(subject), _split(about)
    years = {word for word in a ^ b if _YEAR.fullmatch(word)}
    fewer, more = sorted((a - b - years, b - a - years), key=lambda words: len(words - _VAGUE))
    if not a & b or not (years <= a or years <= b) or any(map(_tells_apart, fewer | more)):
        return False
    if fewer - _VAGUE:
        return all(any(_forms_of_one(word, longer) for longer in more) for word in fewer - _VAGUE)
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
def _forms_of_one(word: str, form: str) -> bool:
    """Discovery and discovered, found and foundation; not chlorate and chlorite."""
    shared = next(
        (i for i, (a, b) in enumerate(zip(word, form, strict=False)) if a != b),
        min(len(word), len(form)),
    )
    return shared > 3 and word[shared:] in _ENDINGS and form[shared:] in _ENDINGS


# between probes


def fact_asked(probe: Probe) -> Fact | None:
    """The fact that a scored probe asked for; None of one without a verdict."""
    question = probe.question
    if question is None or probe.outcome.status == "unscored":
        return None
    return fact_of(question.text, question.reference)


def mark_duplicates(probes: Sequence[Probe], ledger: Iterable[Fact]) -> list[Probe]:
    """The probes of a depth in order, each scored one excluded that repeats a fact of the ledger or
    of a lower slot."""
    facts = list(ledger)
    marked = list[Probe]()
    for probe in probes:
        fact = fact_asked(probe)
        if fact is not None and is_duplicate(fact, facts):
            marked.append(probe.model_copy(update={"excluded": "duplicate"}))
            continue
        facts += [fact] if fact is not None else []
        marked.append(probe)
    return marked


# A slot waits for lower ones only. Lower slots are begun, admitted to the budget and let through
# the gate before it, and their first reply waits for nobody, so that no two wait for each other.


def probe_id(task: ProbeTask, slot: int) -> str:
    """`run/d03.s07.r0`, the run by the short id its name ends with; of any slot of a task's
    round."""
    short = task["run_id"].rsplit("-", 1)[-1]
    return f"{short}/d{task['depth']:02d}.s{slot:02d}.r{task['round']}"


def first_question(probe: Probe, shown: Collection[str]) -> Fact | None:
    """The fact that the first reply of a finished probe's Questioner put to the target; None where
    nothing came of that reply. `shown`: the digests of what it was written from."""
    written = [each for each in (*probe.rejected, probe.question) if each is not None and each.text]
    if not written:
        return None
    first = written[0]
    passage = first.evidence if isinstance(first, Question) else first.passage
    is_asked = isinstance(first, Question) or first.asked
    if not is_asked or passage is None or passage.digest not in shown:
        return None
    return fact_of(first.text, first.reference)


class FirstQuestions:
    """Tells the slots of a round what lower ones ask first."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink
        self._futures: dict[tuple[str, str], asyncio.Future[Fact | None]] = {}
        """By run and probe: short ids of two runs may be alike."""

    def begin(self, task: ProbeTask) -> None:
        """The slot's first question will come."""
        self._futures[_key(task)] = asyncio.get_running_loop().create_future()

    def tell(self, task: ProbeTask, fact: Fact | None) -> None:
        """The slot's first question; None: its Questioner's first reply brought none."""
        self._futures[_key(task)].set_result(fact)

    def end(self, task: ProbeTask, spent: BudgetSpent) -> None:
        """The budget does not suffice for the slot: who waits for its question cannot go on
        either."""
        future = self._futures[_key(task)]
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
            probe = self._sink.get(task["run_id"], probe_id(task, slot))
            facts.append(first_question(probe, shown) if probe else None)
        if awaited:
            replies = asyncio.wait(awaited)
            await (reservation.while_idle(replies) if reservation else replies)
        return facts + [future.result() for future in awaited]

    def forget(self, run_id: str) -> None:
        """A depth is closed: nothing is compared with its questions in this way any more."""
        for key in [key for key in self._futures if key[0] == run_id]:
            del self._futures[key]


def _key(task: ProbeTask, slot: int | None = None) -> tuple[str, str]:
    return task["run_id"], probe_id(task, task["slot"] if slot is None else slot)
