"""One probe: question → answer beside the question check and the comparison with lower slots →
verdict beside concepts → look-ups."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Any

from ...agents.explainer.explain import Mentions, explain
from ...agents.prober.answer import answer_question
from ...agents.questioner.question import (
    QuestionReading,
    Written,
    check_question,
    same_answer,
    write_question,
)
from ...agents.questioner.question_text import (
    Fact,
    fact_of,
    first_question,
    is_duplicate,
    same_in_code,
)
from ...state.channels import Candidate, Path, ProbeOutcome, ProbeTask, new_path
from ...state.errors import BudgetSpent, RunFailed
from ...state.events import Notice, ProbeAnswered, ProbeAsked, ProbeJudged
from ...state.records import (
    Answer,
    Call,
    Evidence,
    Outcome,
    Probe,
    Question,
    Rejected,
    Scored,
    Unscored,
)
from ...state.spec import DrillSpec
from ...state.tiers import nominal_tiers, tier_of
from ...tools.models.budget import Reservation
from ...tools.runs.journal import Sink
from ..run.deps import RunDeps, together
from ..step import Step, admitted
from .calls import slot_cost
from .further import ask_further
from .look_up import LookUps
from .scheduler import MORE, OF_FIRST, OF_NEXT

ASKED_BEFORE = "this fact was asked for before"
UNREAD = "the concepts of this answer"
"""What stands among a path's failed look-ups when its answer's concepts could not be read."""
CALL_ORDER = ("question", "answer", "check", "verdict", "same", "concepts")
"""Calls of a probe run side by side; in the record they stand in this order, then the others."""
NOTHING = Mentions((), ())


class ProbeRun:
    """Does one task. It reads nothing but its task, the first questions of lower slots, and the
    bound models, sources and prompts."""

    def __init__(
        self, deps: RunDeps, task: ProbeTask, look_ups: LookUps, first_questions: "FirstQuestions"
    ) -> None:
        self.deps, self.task, self._look_ups = deps, task, look_ups
        self.first_questions = first_questions
        self.spec = DrillSpec.model_validate(task["spec"])
        self.tier, _ = tier_of(task["depth"], self.spec.passes)
        self.id = probe_id(task, task["slot"])
        self._left = list(task["candidates"])
        """Candidates with the passages that nothing was written from yet."""
        self._used: list[str] = []
        """Digests of the others."""
        self._rejected: list[Rejected] = []
        self._candidate: Candidate
        """The one that the question is on."""
        self._question: Question | None = None
        self._answer: Answer | None = None
        self._reading: QuestionReading | None = None
        """What the check says of the question."""
        self._mentions: Mentions | Unscored = NOTHING
        self._path: Path | None = None
        """What the answer can be continued with."""
        self._known_wrong = False
        self._reservation: Reservation | None = None
        self.step: Step
        """Begins when there is something to ask."""

    async def paid(self, work: Callable[[], Awaitable[ProbeOutcome]]) -> ProbeOutcome:
        """The work, once the budget and the gate admit it: who waits for the budget has not
        begun."""
        cost = lambda: slot_cost(self.deps, self.spec, self.task)  # noqa: E731
        async with admitted(self.deps.budget, cost) as self._reservation, self.deps.gate:
            self.step = Step(self.deps, self.spec, self.id, self._reservation)
            return await work()

    async def play(self) -> ProbeOutcome:
        """The finished probe, journalled, and (when correct) a path for the barrier."""
        if self.task["depth"] in self.deps.sink.run(self.task["run_id"]).closed:
            raise RunFailed(
                f"Depth {self.task['depth']} is closed, but what it was dealt from is no longer "
                "what it was (the spec, a source or a page has changed), so the run cannot go "
                "through it again: undo that, or drill again."
            )
        return await self.paid(self._play)

    async def _play(self) -> ProbeOutcome:
        """The first question that stands decides; where one is rejected, the passages that are left
        serve another."""
        outcome = None
        while outcome is None:
            outcome = await self._ask() if self._left else self._all_rejected()
        further = dict[str, Any]()
        if self.spec.asks_further and isinstance(outcome, Scored):
            assert self._question is not None  # what is scored has both
            assert self._answer is not None
            further = await ask_further(self.step, self.spec, self._question, self._answer, outcome)
        probe = self._record(outcome).model_copy(update=further)
        await self.deps.emit(ProbeJudged(run_id=self.task["run_id"], probe=probe))
        path = self._path if is_correct(outcome) else None
        return ProbeOutcome(id=self.id, passages=self._used, path=path)

    async def _ask(self) -> Outcome | None:
        """What one question comes to; None: it is rejected."""
        self._answer, self._reading, self._path = None, None, None
        self._mentions, self._known_wrong, opens = NOTHING, False, not self._used
        question = await self._write(opens)
        self._question = question if isinstance(question, Question) else None
        if not isinstance(question, Question):
            return question
        answer = await self._answer_if_sound(question, opens)
        if not isinstance(answer, Answer):
            return answer
        agreed: bool | Unscored
        verdict: Outcome
        verdict, agreed, _ = await together(
            self._judge(question, answer), self._agree(question), self._explain(question, answer)
        )
        if agreed is False:
            self._withdraw(question, "the passage gives another answer than the reference")
            return None
        if isinstance(agreed, Unscored):
            return agreed
        # what is asked of a source that is paid must not hang on which reply came first
        if self._path is not None and is_correct(verdict):
            self.look_up(self._path)
        return verdict

    async def _answer_if_sound(self, question: Question, opens: bool) -> Answer | Unscored | None:
        """None: the question is withdrawn."""
        answer, reading, facts = await together(
            self._answer_to(question), self._check(question), self._asked_by_lower_slots()
        )
        if opens and is_duplicate(_fact(question), facts):
            self._withdraw(question, ASKED_BEFORE)
            return None
        if isinstance(reading, QuestionReading):
            self._reading = reading
            fault = self._fault_of(reading)
            if fault is not None:
                self._withdraw(question, fault)
                return None
        lost = [reply for reply in (answer, reading) if isinstance(reply, Unscored)]
        return lost[0] if lost else self._answer

    def _all_rejected(self) -> Unscored:
        rejected = self._rejected
        refused, last = sum(not rejection.text for rejection in rejected), rejected[-1]
        return Unscored(
            stage="check" if last.asked else "question",
            kind="rejected",
            message=f"passages refused: {refused}, questions rejected: {len(rejected) - refused}; "
            f"the last: {last.reason}",
        )

    # Questioner

    async def _write(self, opens: bool) -> Question | Unscored | None:
        """A question from what is shown of the candidates that are left. `opens`: it is the first
        reply of the slot's Questioner."""
        hand = shown_together(self._left)
        written = await self._write_from(*hand)
        if isinstance(written, Unscored):
            self._candidate = hand[0]
            self._used.append(hand[0]["passages"][0]["digest"])
            if opens:
                self.first_questions.tell(self.task, None)
            return written
        question = written.question
        self._rejected += written.rejected
        sources = [rejected.passage for rejected in written.rejected]
        sources += [question.evidence] if question else []
        digests = [passage.digest for passage in sources if passage is not None]
        self._used += digests
        self._left = remaining(self._left, digests)
        for candidate in hand:
            if any(passage["digest"] == digests[-1] for passage in candidate["passages"]):
                self._candidate = candidate
        if question is not None:
            facts = list[Fact | None](self.task["ledger"])
            if not opens:  # the first one is compared with them while it is asked
                facts += await self._asked_by_lower_slots()
            if is_duplicate(_fact(question), facts):
                self._reject(question, ASKED_BEFORE)
                question = None
        if opens:
            self.first_questions.tell(self.task, _fact(question) if question else None)
        if question is not None:
            event = ProbeAsked(
                run_id=self.task["run_id"],
                probe_id=self.id,
                depth=self.task["depth"],
                chain=self._chain,
                question=question.text,
            )
            await self.deps.emit(event)
        return question

    async def _write_from(self, first: Candidate, *others: Candidate) -> Written | Unscored:
        return await self.step.ask(
            write_question,
            self.spec.domain,
            first["concept"],
            _evidence(first),
            first["chain"],
            [reference for _, reference in self._line(first)],
            others[0]["concept"] if others else "",
            _evidence(others[0]) if others else (),
        )

    async def _asked_by_lower_slots(self) -> list[Fact | None]:
        """The target's answer to a duplicate is dropped, not broken off: what is asked and paid for
        must not hang on which reply came first."""
        return await self.first_questions.of_lower_slots(self.task, self._reservation)

    @property
    def _chain(self) -> tuple[str, ...]:
        """Concepts from the root to the one that is asked about."""
        return *self._candidate["chain"], self._candidate["concept"]

    def _line(self, candidate: Candidate) -> list[tuple[str, str]]:
        """What was asked at the depths above on a candidate's line and what was right, the first
        above."""
        line, above = list[tuple[str, str]](), candidate["parent"]
        while above is not None:
            probe = self.deps.sink.get(self.task["run_id"], above)
            if probe is None:
                break
            line += [(probe.question.text, probe.question.reference)] if probe.question else []
            above = probe.parent
        return line[::-1]

    async def _answer_to(self, question: Question) -> Answer | Unscored:
        """The target's answer, closed book."""
        skill = answer_question.up_to(self.spec.answer_tokens)
        answer = await self.step.ask(skill, question.text)
        if isinstance(answer, Answer):
            self._answer = answer
            event = ProbeAnswered(
                run_id=self.task["run_id"],
                probe_id=self.id,
                depth=self.task["depth"],
                text=answer.text,
                latency_s=answer.latency_s,
            )
            await self.deps.emit(event)
        return answer

    async def _check(self, question: Question) -> QuestionReading | Unscored | None:
        """Reads the question, blind to its tier and its reference."""
        if not self.spec.verify_questions:
            return None
        about = (self._line(self._candidate), self.spec.domain, self._chain)
        return await self.step.ask(check_question, question, *about)

    def _fault_of(self, reading: QuestionReading) -> str | None:
        nominal = self.tier in nominal_tiers(self.spec.facts)
        follow_up = bool(self._line(self._candidate))
        return reading.withdrawn(self.tier, nominal=nominal, follow_up=follow_up)

    def _withdraw(self, question: Question, reason: str) -> None:
        self._reject(question, reason, asked=True)
        self._question = None

    def _reject(self, question: Question, reason: str, *, asked: bool = False) -> None:
        """`asked`: found out when the target had seen it."""
        rejected = Rejected(
            text=question.text,
            reason=reason,
            asked=asked,
            passage=question.evidence,
            reference=question.reference if asked else "",
            level=self._reading.level if self._reading else None,
        )
        self._rejected.append(rejected)

    # Judge, agreement and Explainer, side by side

    async def _judge(self, question: Question, answer: Answer) -> Outcome:
        verdict = await self.step.judge(question.text, question.reference, answer)
        self._known_wrong = not is_correct(verdict)
        return verdict

    async def _agree(self, question: Question) -> bool | Unscored:
        """Whether the evaluator's own answer is the reference; where both are the same in as many
        words, no second call is needed."""
        if self._reading is None:
            return True
        own, bare = self._reading.answer, question.answer or question.reference
        if same_in_code(question.text, bare, own):
            return True
        return await self.step.ask(same_answer, question.text, question.reference, own)

    async def _explain(self, question: Question, answer: Answer) -> None:
        """What this answer can be continued with. Skipped for the last depth."""
        if self.task["k"] == 0 or answer.refusal:
            return
        mentions = self._mentions = await self.mentions(question, answer, self._chain)
        if isinstance(mentions, Unscored):  # the point stands all the same
            message = f"{self.id}: no concepts could be read from the answer ({mentions.message})"
            notice = Notice(run_id=self.task["run_id"], level="warning", message=message)
            await self.deps.emit(notice)
        self._path = path_of(self.id, self._candidate["root"], self._chain, mentions)
        if not self._known_wrong and self._look_ups.may_begin_early(self.task["depth"], self.spec):
            self.look_up(self._path)

    async def mentions(
        self, question: Question, answer: Answer, chain: Sequence[str]
    ) -> Mentions | Unscored:
        """The concepts that an answer names, more than the path's share."""
        about, most = (self.spec.domain, chain[-1], question.text), self.task["k"] + MORE
        return await self.step.ask(explain, *about, answer.text, list(chain), most)

    def look_up(self, path: Path) -> None:
        """Begin to look up the next concepts of a path, unless that has begun."""
        task, spent = self.task, self.task.get("spent", ())
        self._look_ups.begin(task["run_id"], self.spec, path, task["depth"], task["k"], spent)

    def _record(self, outcome: Outcome) -> Probe:
        task, candidate, question = self.task, self._candidate, self._question
        calls = sorted(self.step.calls, key=_place_of)
        probe = Probe(
            id=self.id,
            depth=task["depth"],
            slot=task["slot"],
            round=task["round"],
            tier=self.tier,
            root=candidate["root"],
            parent=candidate["parent"],
            chain=self._chain,
            concept=candidate["concept"],
            origin=candidate["origin"],
            spare=candidate["spare"],
            question=question,
            answer=self._answer if question else None,
            outcome=outcome,
            rejected=tuple(self._rejected),
            no_evidence=tuple(task["no_evidence"]),
            calls=tuple(calls),
            elapsed_s=self.step.elapsed_s,
            check=self._reading.record if question and self._reading else None,
        )
        return explained(probe, self._mentions) if is_correct(outcome) else probe


def is_correct(outcome: Outcome) -> bool:
    return isinstance(outcome, Scored) and outcome.correct


def _fact(question: Question) -> Fact:
    return fact_of(question.text, question.reference)


def _place_of(call: Call) -> tuple[int, str]:
    return (*CALL_ORDER, call.purpose).index(call.purpose), call.role


# what an answer can be continued with


def explained(probe: Probe, mentions: Mentions | Unscored) -> Probe:
    """The probe with its concepts, or without where they could not be read."""
    if isinstance(mentions, Unscored):
        return probe.model_copy(update={"unexplained": True})
    concepts = {
        "concepts": tuple(concept.name for concept in mentions.concepts),
        "said": tuple(concept.said for concept in mentions.concepts),
        "aspects": mentions.aspects,
        "unexplained": False,
    }
    return probe.model_copy(update=concepts)


def path_of(probe_id: str, root: str, chain: Sequence[str], mentions: Mentions | Unscored) -> Path:
    """A path before anything is looked up for it."""
    path = new_path(probe_id, root, chain)
    if isinstance(mentions, Unscored):
        path["failed"] = {UNREAD: mentions.model_dump(mode="json")}
        return path
    path["concepts"] += [(concept.name, "answer") for concept in mentions.concepts]
    path["concepts"] += [(aspect, "aspect") for aspect in mentions.aspects]
    return path


# the hand: candidates with passages


def _evidence(candidate: Candidate) -> list[Evidence]:
    return [Evidence.model_validate(passage) for passage in candidate["passages"]]


def remaining(candidates: Sequence[Candidate], used: Collection[str]) -> list[Candidate]:
    """The candidates that have passages left, with these alone."""
    left = list[Candidate]()
    for candidate in candidates:
        passages = [passage for passage in candidate["passages"] if passage["digest"] not in used]
        if passages:
            left.append({**candidate, "passages": passages})
    return left


def shown_together(candidates: Sequence[Candidate]) -> list[Candidate]:
    """What one call of the Questioner is shown of a hand: passages of one concept, and of that one
    on its line which has the most. One passage alone is shown only where the hand holds no more:
    it costs as much as a full set and seldom serves."""
    sets = list[list[Candidate]]()
    for path in dict.fromkeys(candidate["path"] for candidate in candidates):
        first, *others = [candidate for candidate in candidates if candidate["path"] == path]
        hand: list[Candidate] = [{**first, "passages": first["passages"][:OF_FIRST]}]
        others = [{**other, "passages": other["passages"][:OF_NEXT]} for other in others]
        if others:
            hand.append(max(others, key=lambda candidate: len(candidate["passages"])))
        sets.append(hand)
    fuller = (hand for hand in sets if len(hand) > 1 or len(hand[0]["passages"]) > 1)
    return next(fuller, sets[0])


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
