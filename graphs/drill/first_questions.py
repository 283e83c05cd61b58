"""The first question of each slot of a round, known as soon as its Questioner has replied once: what
no higher slot asks again.

A slot waits for lower ones only. Lower slots are begun, admitted to the budget and let through the
gate before it, and their first reply waits for nobody, so that no two wait for each other.
"""

import asyncio
from collections.abc import Collection

from ...state.channels import ProbeTask
from ...state.errors import BudgetSpent
from ...state.records import Evidence, Probe, Question
from ...tools.models.budget import Reservation
from ...tools.runs.journal import Sink
from .outcome import Fact, fact_of, probe_id, shown_together

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
