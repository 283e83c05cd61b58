"""One probe: question → answer beside the question check and the comparison with lower slots →
verdict beside concepts → look-ups.

Each of these is a stage that takes what is known so far and returns what it adds. Here they are
called directly; `probe_graph` makes a LangGraph of them, whose nodes are the agents.
"""

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
from ...agents.questioner.question_text import same_in_code
from ...state.channels import Candidate, Path, ProbeOutcome, ProbeState, ProbeTask
from ...state.errors import RunFailed
from ...state.events import Notice, ProbeAnswered, ProbeAsked, ProbeJudged
from ...state.records import (
    Answer,
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
from .duplicates import Fact, FirstQuestions, fact_of, is_duplicate, probe_id
from .further import ask_further
from .look_up import LookUps
from .scheduler import MORE, OF_FIRST, OF_NEXT

ASKED_BEFORE = "this fact was asked for before"
UNREAD = "the concepts of this answer"
"""What stands among a path's failed look-ups when its answer's concepts could not be read."""
CALL_ORDER = {"question": 0, "answer": 1, "check": 2, "verdict": 3, "same": 4, "concepts": 5}
"""Calls of a probe run side by side; in the record they stand in this order."""


class ProbeRun:
    """Does one task. It reads nothing but its task, the first questions of lower slots, and the
    bound models, sources and prompts."""

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
        self.id = probe_id(task, task["slot"])
        self._lines: dict[str | None, list[tuple[str, str]]] = {}
        self._known_wrong = False
        self._reservation: Reservation | None = None
        self.step: Step
        """Begins when there is something to ask."""

    async def paid(self, work: "Callable[[], Awaitable[ProbeOutcome]]") -> ProbeOutcome:
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
        return await self.paid(self._ask)

    async def _ask(self) -> ProbeOutcome:
        hand, runner = list(self.task["candidates"]), self._graph_runner
        first = ProbeState(left=hand, passages=[], rejected=[], question=None)
        state = await (self._through_stages(first) if runner is None else runner(self, first))
        outcome, further = state["outcome"], dict[str, Any]()
        if self.spec.asks_further and isinstance(outcome, Scored):
            about = (question_of(state), answer_of(state), outcome)
            further = await ask_further(self.step, self.spec, *about)
        probe = record(self, state).model_copy(update=further)
        await self.deps.emit(ProbeJudged(run_id=self.task["run_id"], probe=probe))
        path = state["path"] if is_correct(probe.outcome) else None
        return ProbeOutcome(id=self.id, passages=state["passages"], path=path)

    async def _through_stages(self, state: ProbeState) -> ProbeState:
        """The first question that stands decides; where one is rejected, the passages that are left
        serve another."""
        while "outcome" not in state:
            state.update(await self.write(state))
            if state["question"] is None:
                continue
            for update in await together(
                self.answer(state), self.check(state), self.compare(state)
            ):
                state.update(update)
            state.update(await self.weigh(state))
            if "outcome" in state or state["question"] is None:
                continue
            for update in await together(self.judge(state), self.agree(state), self.explain(state)):
                state.update(update)
            state.update(await self.find(state))
            state.update(await self.settle(state))
        return state

    # Questioner

    async def write(self, state: ProbeState) -> ProbeState:
        """Questioner: a question from what is shown of the candidates that are left."""
        candidates, opens = state["left"], not state["passages"]
        if not candidates:
            return self._all_rejected(state["rejected"])
        hand = shown_together(candidates)
        reply = await self._write_from(*hand)
        update: ProbeState = {"question": None, "opens": opens}
        if isinstance(reply, Unscored):
            first = hand[0]["passages"][0]["digest"]
            update |= {
                "candidate": hand[0],
                "outcome": reply,
                "passages": [*state["passages"], first],
            }
        else:
            behind = [rejected.passage for rejected in reply.rejected]
            behind += [reply.question.evidence] if reply.question else []
            used_up = [passage.digest for passage in behind if passage is not None]
            update |= {
                "candidate": next(
                    candidate for candidate in hand if used_up[-1] in _digests(candidate)
                ),
                "left": remaining(candidates, used_up),
                "passages": [*state["passages"], *used_up],
                "rejected": [*state["rejected"], *reply.rejected],
                "question": reply.question,
            }
        question = update["question"]
        if question is not None and await self._was_asked(question, opens=opens):
            update["rejected"].append(withdrawn(question, ASKED_BEFORE))
            question = update["question"] = None
        if opens:
            self.first_questions.tell(self.task, _fact(question) if question else None)
        if question is not None:
            await self._announce(update["candidate"], question)
        self._known_wrong = False
        return update

    def _all_rejected(self, rejected: Sequence[Rejected]) -> ProbeState:
        refused, last = sum(not rejection.text for rejection in rejected), rejected[-1]
        outcome = Unscored(
            stage="check" if last.asked else "question",
            kind="rejected",
            message=f"passages refused: {refused}, questions rejected: {len(rejected) - refused}; "
            f"the last: {last.reason}",
        )
        return {"outcome": outcome, "question": None}

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

    async def _was_asked(self, question: Question, *, opens: bool) -> bool:
        """Whether the ledger has its fact. A later question is also compared with the first ones of
        lower slots before it is asked; the slot's own first one while it is."""
        fact = _fact(question)
        if is_duplicate(fact, self.task["ledger"]):
            return True
        return not opens and is_duplicate(fact, await self._asked_by_lower_slots())

    async def _asked_by_lower_slots(self) -> list[Fact | None]:
        return await self.first_questions.of_lower_slots(self.task, self._reservation)

    async def _announce(self, candidate: Candidate, question: Question) -> None:
        event = ProbeAsked(
            run_id=self.task["run_id"],
            probe_id=self.id,
            depth=self.task["depth"],
            chain=(*candidate["chain"], candidate["concept"]),
            question=question.text,
        )
        await self.deps.emit(event)

    def _line(self, candidate: Candidate) -> list[tuple[str, str]]:
        """What was asked at the depths above on a candidate's line and what was right, the first
        above."""
        parent = candidate["parent"]
        if parent not in self._lines:
            line, above = list[tuple[str, str]](), parent
            while above is not None:
                probe = self.deps.sink.get(self.task["run_id"], above)
                if probe is None:
                    break
                question, above = probe.question, probe.parent
                line += [(question.text, question.reference)] if question else []
            self._lines[parent] = line[::-1]
        return self._lines[parent]

    # Prober, check and comparison, side by side

    async def answer(self, state: ProbeState) -> ProbeState:
        """Prober: the target's answer, closed book."""
        skill = answer_question.up_to(self.spec.answer_tokens)
        answer = await self.step.ask(skill, question_of(state).text)
        if isinstance(answer, Answer):
            event = ProbeAnswered(
                run_id=self.task["run_id"],
                probe_id=self.id,
                depth=self.task["depth"],
                text=answer.text,
                latency_s=answer.latency_s,
            )
            await self.deps.emit(event)
        return {"answer": answer}

    async def check(self, state: ProbeState) -> ProbeState:
        """Questioner: reads the question, blind to its tier and its reference."""
        if not self.spec.verify_questions:
            return {"reading": None}
        question, candidate = question_of(state), state["candidate"]
        subjects = (*candidate["chain"], candidate["concept"])
        about = (self._line(candidate), self.spec.domain, subjects)
        return {"reading": await self.step.ask(check_question, question, *about)}

    async def compare(self, state: ProbeState) -> ProbeState:
        """Whether a lower slot asks for the same fact first. The target's answer to a duplicate is
        dropped, not broken off: what is asked and paid for must not hang on which reply came
        first."""
        facts = await self._asked_by_lower_slots()
        return {"duplicate": state["opens"] and is_duplicate(_fact(question_of(state)), facts)}

    async def weigh(self, state: ProbeState) -> ProbeState:
        """What answer, check and comparison say of the question: faulty, lost, or (nothing new) to
        be judged."""
        answer, reading = state["answer"], state["reading"]
        if state["duplicate"]:
            return self._withdraw(state, ASKED_BEFORE)
        if isinstance(reading, QuestionReading):
            tier, _ = tier_of(self.task["depth"], self.spec.passes)
            nominal = tier in nominal_tiers(self.spec.facts)
            follow_up = bool(self._line(state["candidate"]))
            fault = reading.withdrawn(tier, nominal=nominal, follow_up=follow_up)
            if fault is not None:
                return self._withdraw(state, fault, reading)
        for reply in (answer, reading):
            if isinstance(reply, Unscored):
                return {"outcome": reply}
        return {}

    def _withdraw(
        self, state: ProbeState, reason: str, reading: QuestionReading | None = None
    ) -> ProbeState:
        faulty = withdrawn(question_of(state), reason, reading, asked=True)
        return {"question": None, "rejected": [*state["rejected"], faulty]}

    # Judge, agreement and Explainer, side by side

    async def judge(self, state: ProbeState) -> ProbeState:
        """Judge: does the answer assert the reference?"""
        question, answer = question_of(state), answer_of(state)
        verdict = await self.step.judge(question.text, question.reference, answer)
        self._known_wrong = not is_correct(verdict)
        return {"verdict": verdict}

    async def agree(self, state: ProbeState) -> ProbeState:
        """Whether the evaluator's own answer is the reference; where both are the same in as many
        words, no second call is needed."""
        question, reading = question_of(state), state["reading"]
        assert not isinstance(reading, Unscored)  # what failed has been weighed
        bare = question.answer or question.reference
        if reading is None or same_in_code(question.text, bare, reading.answer):
            return {"agreed": True}
        answers = (question.reference, reading.answer)
        return {"agreed": await self.step.ask(same_answer, question.text, *answers)}

    async def explain(self, state: ProbeState) -> ProbeState:
        """Explainer: what this answer can be continued with. Skipped for the last depth."""
        question, answer, candidate = question_of(state), answer_of(state), state["candidate"]
        if self.task["k"] == 0 or answer.refusal:
            return {"path": None}
        chain = [*candidate["chain"], candidate["concept"]]
        mentions = await self.mentions(question, answer, chain)
        failed = dict[str, dict[str, Any]]()
        if isinstance(mentions, Unscored):
            failed = {UNREAD: mentions.model_dump(mode="json")}
            message = f"{self.id}: no concepts could be read from the answer ({mentions.message})"
            notice = Notice(run_id=self.task["run_id"], level="warning", message=message)
            await self.deps.emit(notice)
            mentions = Mentions((), ())  # the point stands all the same
        path = Path(
            id=self.id,
            root=candidate["root"],
            chain=chain,
            concepts=[
                *((concept.name, "answer") for concept in mentions.concepts),
                *((aspect, "aspect") for aspect in mentions.aspects),
            ],
            said={concept.name: concept.said for concept in mentions.concepts},
            found={},
            failed=failed,
        )
        if not self._known_wrong and self._look_ups.may_begin_early(self.task["depth"], self.spec):
            self.look_up(path)
        return {"path": path, "unexplained": bool(failed)}

    async def mentions(
        self, question: Question, answer: Answer, chain: list[str]
    ) -> Mentions | Unscored:
        """The concepts that an answer names, more than the path's share."""
        about, most = (self.spec.domain, chain[-1], question.text), self.task["k"] + MORE
        return await self.step.ask(explain, *about, answer.text, chain, most)

    # FactFinder, and the end

    async def find(self, state: ProbeState) -> ProbeState:
        """FactFinder: begins to look for the next passages, unless that has begun, once the answer
        is known to be right and the question sound: what is asked of a source that is paid must not
        hang on which reply came first."""
        path = state["path"]
        if path is not None and is_correct(state["verdict"]) and state["agreed"] is True:
            self.look_up(path)
        return {"path": path}

    def look_up(self, path: Path) -> None:
        """Begin to look up the next concepts of a path."""
        task, spent = self.task, self.task.get("spent", ())
        self._look_ups.begin(task["run_id"], self.spec, path, task["depth"], task["k"], spent)

    async def settle(self, state: ProbeState) -> ProbeState:
        """The end of the probe, or another question where this one turns out to be faulty."""
        agreed, reading = state["agreed"], state["reading"]
        if agreed is False:
            assert isinstance(reading, QuestionReading)  # there is nothing else to agree with
            reason = "the passage gives another answer than the reference"
            return self._withdraw(state, reason, reading)
        return {"outcome": agreed if isinstance(agreed, Unscored) else state["verdict"]}


GraphRunner = Callable[[ProbeRun, ProbeState], Awaitable[ProbeState]]


def question_of(state: ProbeState) -> Question:
    """The question that was written."""
    question = state["question"]
    assert question is not None  # a stage that needs it comes after it
    return question


def answer_of(state: ProbeState) -> Answer:
    """The answer that was given."""
    answer = state["answer"]
    assert isinstance(answer, Answer)  # what failed has been weighed
    return answer


def is_correct(outcome: Outcome) -> bool:
    return isinstance(outcome, Scored) and outcome.correct


# the record


def record(run: ProbeRun, state: ProbeState) -> Probe:
    """The finished probe."""
    task, candidate, question = run.task, state["candidate"], state["question"]
    answer, reading = state.get("answer"), state.get("reading")
    tier, _ = tier_of(task["depth"], run.spec.passes)
    path = state["path"] if is_correct(state["outcome"]) else None
    by_origin: dict[str, tuple[str, ...]] = {"answer": (), "aspect": ()}
    for concept, origin in path["concepts"] if path else ():
        by_origin[origin] += (concept,)
    calls = sorted(
        run.step.calls,
        key=lambda call: (CALL_ORDER.get(call.purpose, len(CALL_ORDER)), call.role),
    )
    return Probe(
        id=run.id,
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
        question=question,
        answer=answer if question and isinstance(answer, Answer) else None,
        outcome=state["outcome"],
        rejected=tuple(state["rejected"]),
        concepts=by_origin["answer"],
        said=tuple(path["said"].get(name, name) for name in by_origin["answer"]) if path else (),
        no_evidence=tuple(task["no_evidence"]),
        aspects=by_origin["aspect"],
        unexplained=path is not None and state["unexplained"],
        calls=tuple(calls),
        elapsed_s=run.step.elapsed_s,
        check=reading.record if question and isinstance(reading, QuestionReading) else None,
    )


def withdrawn(
    question: Question,
    reason: str,
    reading: QuestionReading | None = None,
    *,
    asked: bool = False,
) -> Rejected:
    """A question that will not do; `asked`: found out when the target had seen it."""
    return Rejected(
        text=question.text,
        reason=reason,
        asked=asked,
        passage=question.evidence,
        reference=question.reference if asked else "",
        level=reading.level if reading else None,
    )


# the hand: candidates with passages


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
    lines = dict.fromkeys(candidate["path"] for candidate in candidates)
    sets = [_shown_of(candidates, path) for path in lines]
    return next((hand for hand in sets if sum(map(_size, hand)) > 1), sets[0])


def _shown_of(candidates: Sequence[Candidate], path: int) -> list[Candidate]:
    first, *others = [candidate for candidate in candidates if candidate["path"] == path]
    beside = max(others, key=lambda candidate: min(OF_NEXT, _size(candidate)), default=None)
    hand: list[Candidate] = [{**first, "passages": first["passages"][:OF_FIRST]}]
    if beside:
        hand.append({**beside, "passages": beside["passages"][:OF_NEXT]})
    return hand


def _size(candidate: Candidate) -> int:
    return len(candidate["passages"])


def _digests(candidate: Candidate) -> list[str]:
    return [passage["digest"] for passage in candidate["passages"]]


def _evidence(candidate: Candidate) -> list[Evidence]:
    return [Evidence.model_validate(passage) for passage in candidate["passages"]]


def _fact(question: Question) -> Fact:
    return fact_of(question.text, question.reference)
