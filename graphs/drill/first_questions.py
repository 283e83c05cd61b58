"""What the slots of a round ask first, told to those above them."""

import asyncio

from ...agents.questioner.question_text import Fact, first_question
from ...state.channels import ProbeTask
from ...state.errors import BudgetSpent
from ...tools.models.budget import Reservation
from ...tools.runs.journal import Sink

# A slot waits for lower ones only. Lower slots are begun, admitted to the budget and let through
# the gate before it, and their first reply waits for nobody, so that no two wait for each other.


def probe_id(task: ProbeTask, slot: int) -> str:
    """`run/d03.s07.r0`, the run by the short id its name ends with; of any slot of a task's
    round."""
    short = task["run_id"].rsplit("-", 1)[-1]
    return f"{short}/d{task['depth']:02d}.s{slot:02d}.r{task['round']}"


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
