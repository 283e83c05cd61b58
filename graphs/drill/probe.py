"""One probe: question → answer beside the question check and the comparison with lower slots →
verdict beside concepts → look-ups.

Each of these is a small step that takes what is known so far and returns what it adds. Here they
are called directly; `probe_graph` makes a LangGraph of them, whose nodes are the agents.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from ...agents.explainer.explain import Mentions, explain
from ...agents.judge.verdict import judge
from ...agents.prober.answer import answer_question
from ...agents.questioner.question import (
    QuestionReading,
    Written,
    check_question,
    same_answer,
    write_question,
)
from ...agents.questioner.question_text import same_in_code
from ...state.channels import Candidate, Path, ProbeOutcome, ProbeTask
from ...state.errors import RunFailed
from ...state.events import Notice, ProbeAnswered, ProbeAsked, ProbeJudged
from ...state.records import (
    AnchorAnswer,
    Answer,
    Evidence,
    Level,
    Probe,
    Question,
    Scored,
    Stage,
    Unscored,
    nominal_tiers,
    tier_of,
)
from ...state.spec import DrillSpec
from ...tools.models.budget import Reservation
from ..run.deps import RunDeps, together
from ..step import Step, admitted
from .anchors import ask_anchors
from .calls import slot_cost
from .look_up import LookUps
from .outcome import (
    UNREAD,
    FinishedProbe,
    FirstQuestions,
    ProbeState,
    all_rejected_message,
    answer_of,
    concepts_must_be_asked_again,
    concepts_of,
    explained,
    fact_of,
    first_question,
    first_shown,
    is_correct,
    is_duplicate,
    names_in_answer,
    passages_of,
    path_of,
    probe_id,
    question_of,
    record,
    remaining,
    row_of,
    shown_together,
    used_up,
    withdrawn,
)
from .scheduler import MORE

ASKED_BEFORE = "this fact was asked for before"


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
        """`graph_runner`: what takes it from step to step; None: it does so itself."""
        self.deps, self.task, self._look_ups = deps, task, look_ups
        self._first_questions, self._graph_runner = first_questions, graph_runner
        self.spec = DrillSpec.model_validate(task["spec"])
        self.id = probe_id(task["run_id"], task["depth"], task["slot"], task["round"])
        self._lines: dict[str | None, list[tuple[str, str]]] = {}
        self._known_wrong = False
        self._reservation: Reservation | None = None
        self.step: Step
        """Begins when there is something to ask."""

    async def play(self) -> ProbeOutcome:
        """The finished probe, journalled, as a row and (when correct) a path for the barrier."""
        memory = self.deps.sink.run(self.task["run_id"])
        known = self.deps.sink.get(self.task["run_id"], self.id)
        if known is not None:
            self._first_questions.tell(self.task, first_question(known, first_shown(self.task)))
            if not concepts_must_be_asked_again(memory, self.task, known):
                async with self.deps.gate:
                    return self._continue_known(known)
        elif self.task["depth"] in memory.closed:
            raise RunFailed(
                f"Depth {self.task['depth']} is closed, but what it was dealt from is no longer "
                "what it was (the spec,"
                " a source or a page has changed), so the run cannot go through it again: undo "
                "that, or drill again."
            )
        # who waits for the budget has not begun: the gate comes after it
        cost = lambda: slot_cost(self.deps, self.spec, self.task)  # noqa: E731
        async with admitted(self.deps.budget, cost) as self._reservation, self.deps.gate:
            self.step = Step(self.deps, self.spec, self.id, self._reservation)
            return await (self._ask() if known is None else self._explain_again(known))

    async def _ask(self) -> ProbeOutcome:
        begun = ProbeState(
            left=list(self.task["candidates"]), passages=[], rejected=[], question=None
        )
        runner = self._graph_runner
        state = await (self._steps(begun) if runner is None else runner(self, begun))
        finished, anchors = state["done"], tuple[AnchorAnswer, ...]()
        if self.spec.anchors and isinstance(finished.outcome, Scored) and finished.question:
            anchors = await ask_anchors(self.step, self.spec, finished.question)
        probe = record(
            self.task, state, self.step.calls, self.spec.passes, self.step.elapsed_s, anchors
        )
        await self.deps.emit(ProbeJudged(run_id=self.task["run_id"], probe=probe))
        return ProbeOutcome(row=row_of(probe, state["passages"]), path=finished.path)

    async def _steps(self, state: ProbeState) -> ProbeState:
        """The first question that stands decides; where one is rejected, the passages that are left
        serve another."""
        while "done" not in state:
            state.update(await self.write(state))
            if state["question"] is None:
                continue
            for update in await together(
                self.answer(state), self.check(state), self.compare(state)
            ):
                state.update(update)
            state.update(self.weigh(state))
            if "done" in state or state["question"] is None:
                continue
            for update in await together(self.judge(state), self.agree(state), self.explain(state)):
                state.update(update)
            state.update(await self.find(state))
            state.update(self.settle(state))
        return state

    async def write(self, state: ProbeState) -> ProbeState:
        """Questioner: a question from what is shown of the candidates that are left."""
        candidates, opens = state["left"], not state["passages"]
        if not candidates:
            return self._all_rejected(state)
        shown = shown_together(candidates)
        written = await self._written(*shown)
        if isinstance(written, Unscored):
            used = [*state["passages"], shown[0]["passages"][0]["digest"]]
            fate: ProbeState = {"done": FinishedProbe(shown[0], written), "passages": used}
            question, rejected = None, state["rejected"]
        else:
            spent = used_up(written)
            candidate = next(each for each in shown if spent[-1] in _digests(each))
            fate = {
                "candidate": candidate,
                "left": remaining(candidates, spent),
                "passages": [*state["passages"], *spent],
            }
            question, rejected = written.question, [*state["rejected"], *written.rejected]
        if question is not None and await self._was_asked(question, opens):
            rejected = [*rejected, withdrawn(question, ASKED_BEFORE)]
            question = None
        if opens:
            fact = fact_of(question.text, question.reference) if question else None
            self._first_questions.tell(self.task, fact)
        if question is not None:
            await self._tell_asked(fate["candidate"], question)
        self._known_wrong = False
        return {**fate, "question": question, "rejected": rejected, "opens": opens, "outcome": None}

    def _all_rejected(self, state: ProbeState) -> ProbeState:
        rejected = state["rejected"]
        stage: Stage = "check" if rejected[-1].asked else "question"
        outcome = Unscored(stage=stage, kind="rejected", message=all_rejected_message(rejected))
        return {"done": FinishedProbe(state["candidate"], outcome), "question": None}

    async def _written(self, first: Candidate, *others: Candidate) -> Written | Unscored:
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

    async def _was_asked(self, question: Question, opens: bool) -> bool:
        """Whether the ledger has its fact. A later question is also compared with the first ones of
        lower slots before it is asked; the slot's own first one while it is."""
        fact = fact_of(question.text, question.reference)
        if is_duplicate(fact, self.task["ledger"]):
            return True
        return not opens and is_duplicate(fact, await self._asked_by_lower_slots())

    async def _asked_by_lower_slots(self) -> list[Any]:
        return await self._first_questions.of_lower_slots(self.task, self._reservation)

    async def _tell_asked(self, candidate: Candidate, question: Question) -> None:
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
        above = candidate["parent"]
        if above not in self._lines:
            line, probe_above = list[tuple[str, str]](), above
            while (
                probe_above is not None
                and (probe := self.deps.sink.get(self.task["run_id"], probe_above)) is not None
            ):
                question, probe_above = probe.question, probe.parent
                line += [(question.text, question.reference)] if question else []
            self._lines[above] = line[::-1]
        return self._lines[above]

    async def answer(self, state: ProbeState) -> ProbeState:
        """Prober: the target's answer, closed book."""
        answer = await self.step.ask(
            answer_question.up_to(self.spec.answer_tokens), question_of(state).text
        )
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
        line, subjects = self._line(candidate), (*candidate["chain"], candidate["concept"])
        about = (line, self.spec.domain, subjects)
        return {"reading": await self.step.ask(check_question, question, *about)}

    async def compare(self, state: ProbeState) -> ProbeState:
        """Whether a lower slot asks for the same fact first. The target's answer to a duplicate is
        dropped, not broken off: what is asked and paid for must not hang on which reply came
        first."""
        question = question_of(state)
        fact = fact_of(question.text, question.reference)
        return {
            "duplicate": state["opens"] and is_duplicate(fact, await self._asked_by_lower_slots())
        }

    def weigh(self, state: ProbeState) -> ProbeState:
        """What answer, check and comparison say of the question: faulty, lost, or (nothing new) to
        be judged."""
        question, answer, reading = question_of(state), state["answer"], state["reading"]
        if state["duplicate"]:
            return self._withdraw(state, ASKED_BEFORE)
        if isinstance(reading, QuestionReading):
            tier, _ = tier_of(self.task["depth"], self.spec.passes)
            nominal = tier in nominal_tiers(self.spec.facts)
            follow_up = bool(self._line(state["candidate"]))
            fault = reading.withdrawn(tier, nominal=nominal, follow_up=follow_up)
            if fault is not None:
                return self._withdraw(state, fault, reading.level)
        failed = next((x for x in (answer, reading) if isinstance(x, Unscored)), None)
        if failed is None:
            return {}
        own = answer if isinstance(answer, Answer) else None
        return {"done": FinishedProbe(state["candidate"], failed, question, own)}

    def _withdraw(self, state: ProbeState, reason: str, level: Level | None = None) -> ProbeState:
        faulty = withdrawn(question_of(state), reason, asked=True, level=level)
        return {"question": None, "rejected": [*state["rejected"], faulty]}

    async def judge(self, state: ProbeState) -> ProbeState:
        """Judge: does the answer assert the reference?"""
        question, answer = question_of(state), answer_of(state)
        if answer.refusal:  # the endpoint itself says that this is a refusal
            reason = "the model refused to answer"
            return {
                "outcome": Scored(verdict="abstained", reason=reason, judge=self.deps.judge.name)
            }
        outcome = await self.step.ask(judge, question.text, question.reference, answer.text)
        self._known_wrong = not is_correct(outcome)
        return {"outcome": outcome}

    async def agree(self, state: ProbeState) -> ProbeState:
        """Whether the evaluator's own answer is the reference; where both are the same in as many
        words, no second call is needed."""
        question, reading = question_of(state), state["reading"]
        assert not isinstance(reading, Unscored)  # what failed has been weighed
        bare = question.answer or question.reference
        if reading is None or same_in_code(question.text, bare, reading.answer):
            return {"agreed": True}
        asked = (question.text, question.reference, reading.answer)
        return {"agreed": await self.step.ask(same_answer, *asked)}

    async def explain(self, state: ProbeState) -> ProbeState:
        """Explainer: what this answer can be continued with. Skipped for the last depth."""
        question, answer, candidate = question_of(state), answer_of(state), state["candidate"]
        if self.task["k"] == 0 or answer.refusal:
            return {"path": None}
        concept, chain = candidate["concept"], [*candidate["chain"], candidate["concept"]]
        mentions = await self._mentions(concept, question, answer, chain)
        failed, unexplained = dict[str, dict[str, Any]](), isinstance(mentions, Unscored)
        if isinstance(mentions, Unscored):
            failed = {UNREAD: mentions.model_dump(mode="json")}
            unread = f"{self.id}: no concepts could be read from the answer ({mentions.message})"
            await self.deps.emit(
                Notice(run_id=self.task["run_id"], level="warning", message=unread)
            )
            mentions = Mentions((), ())  # the point stands all the same
        path = Path(
            id=self.id,
            root=candidate["root"],
            chain=chain,
            concepts=concepts_of(mentions),
            said=names_in_answer(mentions),
            found={},
            failed=failed,
        )
        if not self._known_wrong and self._look_ups.may_begin_early(self.task["depth"], self.spec):
            self._look_up(path)
        return {"path": path, "unexplained": unexplained}

    async def find(self, state: ProbeState) -> ProbeState:
        """FactFinder: begins to look for the next passages, unless that has begun, once the answer
        is known to be right and the question sound: what is asked of a source that is paid must not
        hang on which reply came first."""
        path, outcome = state["path"], state["outcome"]
        if (
            path is not None
            and outcome is not None
            and is_correct(outcome)
            and state["agreed"] is True
        ):
            self._look_up(path)
        return {"path": path}

    def settle(self, state: ProbeState) -> ProbeState:
        """The end of the probe, or another question where this one turns out to be faulty."""
        question, answer, outcome = question_of(state), answer_of(state), state["outcome"]
        candidate, agreed, reading = state["candidate"], state["agreed"], state["reading"]
        if agreed is False:
            level = reading.level if isinstance(reading, QuestionReading) else None
            reason = "the passage gives another answer than the reference"
            return self._withdraw(state, reason, level)
        if isinstance(agreed, Unscored):
            return {"done": FinishedProbe(candidate, agreed, question, answer)}
        assert outcome is not None  # it was judged
        path = state["path"] if is_correct(outcome) else None
        return {"done": FinishedProbe(candidate, outcome, question, answer, path)}

    async def _mentions(
        self, concept: str, question: Question, answer: Answer, chain: list[str]
    ) -> Mentions | Unscored:
        count = self.task["k"] + MORE
        return await self.step.ask(
            explain, self.spec.domain, concept, question.text, answer.text, chain, count
        )

    async def _explain_again(self, probe: Probe) -> ProbeOutcome:
        assert probe.question is not None  # a correct probe has both
        assert probe.answer is not None
        mentions = await self._mentions(
            probe.concept, probe.question, probe.answer, list(probe.chain)
        )
        if isinstance(mentions, Unscored):
            return self._continue_known(probe, {UNREAD: mentions.model_dump(mode="json")})
        event = explained(self.task, probe, mentions, self.step.calls)
        await self.deps.emit(event)
        return self._continue_known(event.probe)

    def _look_up(self, path: Path) -> None:
        task, spent = self.task, self.task.get("spent", ())
        self._look_ups.begin(task["run_id"], self.spec, path, task["depth"], task["k"], spent)

    def _continue_known(
        self, probe: Probe, failed: dict[str, dict[str, Any]] | None = None
    ) -> ProbeOutcome:
        """A probe that was journalled before a crash is not asked again; only its look-ups are
        repeated. `failed`: why its concepts could not be read just now."""
        path = None
        if is_correct(probe.outcome) and self.task["k"]:
            path = path_of(probe)
            path["failed"].update(failed or {})
            self._look_up(path)
        passages = passages_of(probe, self.task["candidates"])
        return ProbeOutcome(row=row_of(probe, passages), path=path)


def _digests(candidate: Candidate) -> list[str]:
    return [passage["digest"] for passage in candidate["passages"]]


def _evidence(candidate: Candidate) -> list[Evidence]:
    return [Evidence.model_validate(passage) for passage in candidate["passages"]]


GraphRunner = Callable[[ProbeRun, ProbeState], Awaitable[ProbeState]]
