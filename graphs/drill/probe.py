"""One probe: question → answer beside the question check and the comparison with lower slots →
verdict beside concepts → look-ups."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Any

from typing_extensions import TypedDict

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
    is_duplicate,
    same_in_code,
)
from ...state.channels import Candidate, Path, ProbeOutcome, ProbeTask
from ...state.errors import RunFailed
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
from ..run.deps import RunDeps, together
from ..step import Step, admitted
from .calls import slot_cost
from .first_questions import FirstQuestions, probe_id
from .further import ask_further
from .look_up import LookUps, explained, path_of
from .scheduler import MORE, OF_FIRST, OF_NEXT

ASKED_BEFORE = "this fact was asked for before"
CALL_ORDER = ("question", "answer", "check", "verdict", "same", "concepts")
"""Calls of a probe run side by side; in the record they stand in this order, then the others."""
NOTHING = Mentions((), ())


class ProbeSeen(TypedDict, total=False):
    """What a stage adds, as a host sees it that watches the agents."""

    question: Question | None
    """None: there is none, or it was withdrawn."""
    answer: Answer | Unscored
    reading: QuestionReading | Unscored | None
    """What the check says of the question; None: it is not checked."""
    verdict: Outcome
    agreed: bool | Unscored
    path: Path | None
    """What the answer can be continued with."""
    outcome: Outcome | None
    """What the probe comes to; None: nothing yet."""


class ProbeRun:
    """Does one task. It reads nothing but its task, the first questions of lower slots, and the
    bound models, sources and prompts.

    Its stages are the agents' turns. Here they are called one after the other; `probe_graph` makes
    a LangGraph of them."""

    def __init__(
        self,
        deps: RunDeps,
        task: ProbeTask,
        look_ups: LookUps,
        first_questions: FirstQuestions,
        graph_runner: "GraphRunner | None" = None,
    ) -> None:
        """`graph_runner`: what takes it from stage to stage; None: it does so itself."""
        self.deps, self.task, self._look_ups = deps, task, look_ups
        self.first_questions, self._graph_runner = first_questions, graph_runner
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
        self._opens = True
        """Whether the question is the first reply of the slot's Questioner."""
        self._lower: list[Fact | None] = []
        """What the lower slots ask first."""
        self.seen = ProbeSeen(question=None, outcome=None)
        """What the stages have added."""
        self._mentions: Mentions | Unscored = NOTHING
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
        await (self._graph_runner or ProbeRun._through_stages)(self)
        outcome, further = self.seen["outcome"], dict[str, Any]()
        assert outcome is not None  # the last stage leaves one
        if self.spec.asks_further and isinstance(outcome, Scored):
            about = (self.question, self.answer, outcome)
            further = await ask_further(self.step, self.spec, *about)
        probe = self._record(outcome).model_copy(update=further)
        await self.deps.emit(ProbeJudged(run_id=self.task["run_id"], probe=probe))
        path = self.seen["path"] if is_correct(outcome) else None
        return ProbeOutcome(id=self.id, passages=self._used, path=path)

    async def _through_stages(self) -> None:
        """The first question that stands decides; where one is rejected, the passages that are left
        serve another."""
        while self.seen["outcome"] is None:
            await self.write()
            if self._goes_on:
                await together(self.ask(), self.check(), self.compare())
                await self.weigh()
            if self._goes_on:
                await together(self.judge(), self.agree(), self.explain())
                await self.find()
                await self.settle()

    @property
    def _goes_on(self) -> bool:
        return self.seen["question"] is not None and self.seen["outcome"] is None

    @property
    def question(self) -> Question:
        """The question that was written."""
        question = self.seen["question"]
        assert question is not None  # a stage that needs it comes after it
        return question

    @property
    def answer(self) -> Answer:
        """The answer that was given."""
        answer = self.seen["answer"]
        assert isinstance(answer, Answer)  # what failed has been weighed
        return answer

    def _add(self, seen: ProbeSeen) -> ProbeSeen:
        self.seen.update(seen)
        return seen

    # Questioner

    async def write(self) -> ProbeSeen:
        """Questioner: a question from what is shown of the candidates that are left."""
        if not self._left:
            return self._add({"question": None, "outcome": self._all_rejected()})
        self._opens, self._known_wrong, self._mentions = not self._used, False, NOTHING
        hand = shown_together(self._left)
        written = await self._write_from(*hand)
        if isinstance(written, Unscored):
            self._candidate = hand[0]
            self._used.append(hand[0]["passages"][0]["digest"])
            if self._opens:
                self.first_questions.tell(self.task, None)
            return self._add({"question": None, "outcome": written})
        self._take_from(hand, written)
        question = written.question
        if question is not None and await self._was_asked(question):
            self._reject(question, ASKED_BEFORE)
            question = None
        if self._opens:
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
        return self._add({"question": question})

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

    def _take_from(self, hand: Sequence[Candidate], written: Written) -> None:
        """What a reply has used up of the hand."""
        self._rejected += written.rejected
        sources = [rejected.passage for rejected in written.rejected]
        sources += [written.question.evidence] if written.question else []
        digests = [passage.digest for passage in sources if passage is not None]
        self._used += digests
        self._left = remaining(self._left, digests)
        for candidate in hand:
            if any(passage["digest"] == digests[-1] for passage in candidate["passages"]):
                self._candidate = candidate

    async def _was_asked(self, question: Question) -> bool:
        """Whether the ledger has its fact. A later question is also compared with the first ones of
        lower slots before it is asked; the slot's own first one while it is."""
        facts = list[Fact | None](self.task["ledger"])
        if not self._opens:
            facts += await self._asked_by_lower_slots()
        return is_duplicate(_fact(question), facts)

    async def _asked_by_lower_slots(self) -> list[Fact | None]:
        return await self.first_questions.of_lower_slots(self.task, self._reservation)

    def _all_rejected(self) -> Unscored:
        rejected = self._rejected
        refused, last = sum(not rejection.text for rejection in rejected), rejected[-1]
        return Unscored(
            stage="check" if last.asked else "question",
            kind="rejected",
            message=f"passages refused: {refused}, questions rejected: {len(rejected) - refused}; "
            f"the last: {last.reason}",
        )

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

    # Prober, check and comparison, side by side

    async def ask(self) -> ProbeSeen:
        """Prober: the target's answer, closed book."""
        skill = answer_question.up_to(self.spec.answer_tokens)
        answer = await self.step.ask(skill, self.question.text)
        if isinstance(answer, Answer):
            event = ProbeAnswered(
                run_id=self.task["run_id"],
                probe_id=self.id,
                depth=self.task["depth"],
                text=answer.text,
                latency_s=answer.latency_s,
            )
            await self.deps.emit(event)
        return self._add({"answer": answer})

    async def check(self) -> ProbeSeen:
        """Questioner: reads the question, blind to its tier and its reference."""
        if not self.spec.verify_questions:
            return self._add({"reading": None})
        about = (self._line(self._candidate), self.spec.domain, self._chain)
        reading = await self.step.ask(check_question, self.question, *about)
        return self._add({"reading": reading})

    async def compare(self) -> ProbeSeen:
        """What the lower slots ask first. The target's answer to a duplicate is dropped, not broken
        off: what is asked and paid for must not hang on which reply came first."""
        self._lower = await self._asked_by_lower_slots()
        return {}

    async def weigh(self) -> ProbeSeen:
        """What answer, check and comparison say of the question: faulty, lost, or (nothing new) to
        be judged."""
        if self._opens and is_duplicate(_fact(self.question), self._lower):
            return self._withdraw(ASKED_BEFORE)
        reading = self.seen["reading"]
        if isinstance(reading, QuestionReading):
            nominal = self.tier in nominal_tiers(self.spec.facts)
            follow_up = bool(self._line(self._candidate))
            fault = reading.withdrawn(self.tier, nominal=nominal, follow_up=follow_up)
            if fault is not None:
                return self._withdraw(fault, reading)
        for reply in (self.seen["answer"], reading):
            if isinstance(reply, Unscored):
                return self._add({"outcome": reply})
        return {}

    def _withdraw(self, reason: str, reading: QuestionReading | None = None) -> ProbeSeen:
        self._reject(self.question, reason, reading, asked=True)
        return self._add({"question": None})

    def _reject(
        self,
        question: Question,
        reason: str,
        reading: QuestionReading | None = None,
        *,
        asked: bool = False,
    ) -> None:
        """`asked`: found out when the target had seen it."""
        rejected = Rejected(
            text=question.text,
            reason=reason,
            asked=asked,
            passage=question.evidence,
            reference=question.reference if asked else "",
            level=reading.level if reading else None,
        )
        self._rejected.append(rejected)

    # Judge, agreement and Explainer, side by side

    async def judge(self) -> ProbeSeen:
        """Judge: does the answer assert the reference?"""
        verdict = await self.step.judge(
            self.question.text, self.question.reference, self.answer
        )
        self._known_wrong = not is_correct(verdict)
        return self._add({"verdict": verdict})

    async def agree(self) -> ProbeSeen:
        """Whether the evaluator's own answer is the reference; where both are the same in as many
        words, no second call is needed."""
        question, reading = self.question, self.seen["reading"]
        assert not isinstance(reading, Unscored)  # what failed has been weighed
        bare = question.answer or question.reference
        if reading is None or same_in_code(question.text, bare, reading.answer):
            return self._add({"agreed": True})
        answers = (question.reference, reading.answer)
        return self._add({"agreed": await self.step.ask(same_answer, question.text, *answers)})

    async def explain(self) -> ProbeSeen:
        """Explainer: what this answer can be continued with. Skipped for the last depth."""
        if self.task["k"] == 0 or self.answer.refusal:
            return self._add({"path": None})
        mentions = self._mentions = await self.mentions(self.question, self.answer, self._chain)
        if isinstance(mentions, Unscored):  # the point stands all the same
            message = (
                f"{self.id}: no concepts could be read from the answer ({mentions.message})"
            )
            notice = Notice(run_id=self.task["run_id"], level="warning", message=message)
            await self.deps.emit(notice)
        path = path_of(self.id, self._candidate["root"], self._chain, mentions)
        if not self._known_wrong and self._look_ups.may_begin_early(
            self.task["depth"], self.spec
        ):
            self.look_up(path)
        return self._add({"path": path})

    async def mentions(
        self, question: Question, answer: Answer, chain: Sequence[str]
    ) -> Mentions | Unscored:
        """The concepts that an answer names, more than the path's share."""
        about, most = (self.spec.domain, chain[-1], question.text), self.task["k"] + MORE
        return await self.step.ask(explain, *about, answer.text, list(chain), most)

    # FactFinder, and the end

    async def find(self) -> ProbeSeen:
        """FactFinder: begins to look for the next passages, unless that has begun, once the answer
        is known to be right and the question sound: what is asked of a source that is paid must not
        hang on which reply came first."""
        path = self.seen["path"]
        if (
            path is not None
            and is_correct(self.seen["verdict"])
            and self.seen["agreed"] is True
        ):
            self.look_up(path)
        return {"path": path}

    async def settle(self) -> ProbeSeen:
        """The end of the probe, or another question where this one turns out to be faulty."""
        agreed, reading = self.seen["agreed"], self.seen["reading"]
        if agreed is False:
            assert isinstance(reading, QuestionReading)  # there is nothing else to agree with
            reason = "the passage gives another answer than the reference"
            return self._withdraw(reason, reading)
        outcome = agreed if isinstance(agreed, Unscored) else self.seen["verdict"]
        return self._add({"outcome": outcome})

    def look_up(self, path: Path) -> None:
        """Begin to look up the next concepts of a path, unless that has begun."""
        task, spent = self.task, self.task.get("spent", ())
        self._look_ups.begin(task["run_id"], self.spec, path, task["depth"], task["k"], spent)

    def _record(self, outcome: Outcome) -> Probe:
        task, candidate, question = self.task, self._candidate, self.seen["question"]
        answer, reading = self.seen.get("answer"), self.seen.get("reading")
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
            answer=answer if question and isinstance(answer, Answer) else None,
            outcome=outcome,
            rejected=tuple(self._rejected),
            no_evidence=tuple(task["no_evidence"]),
            calls=tuple(calls),
            elapsed_s=self.step.elapsed_s,
            check=reading.record if question and isinstance(reading, QuestionReading) else None,
        )
        return explained(probe, self._mentions) if is_correct(outcome) else probe


GraphRunner = Callable[[ProbeRun], Awaitable[None]]


def is_correct(outcome: Outcome) -> bool:
    return isinstance(outcome, Scored) and outcome.correct


def _fact(question: Question) -> Fact:
    return fact_of(question.text, question.reference)


def _place_of(call: Call) -> tuple[int, str]:
    return (*CALL_ORDER, call.purpose).index(call.purpose), call.role


# the hand: candidates with passages


def _evidence(candidate: Candidate) -> list[Evidence]:
    return [Evidence.model_validate(passage) for passage in candidate["passages"]]


def remaining(candidates: Sequence[Candidate], used: Collection[str]) -> list[Candidate]:
    """The candidates that have passages left, with these alone."""
    left = list[Candidate]()
    for candidate in candidates:
        passages = [
            passage for passage in candidate["passages"] if passage["digest"] not in used
        ]
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
