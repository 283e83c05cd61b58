"""One probe: question → answer beside the question check → verdict beside concepts → look-ups.

Each of these is a small step that takes what is known so far and returns what it adds. Here they
are called directly; `probe_graph` makes a LangGraph of them, whose nodes are the agents.
"""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from ...agents.explainer.explain import Mentions, explain
from ...agents.judge.verdict import judge
from ...agents.prober.answer import answer_question
from ...agents.questioner.question import PassageAnswer, answer_from_passage, write_question
from ...agents.questioner.question_text import agrees
from ...state.channels import Path, ProbeOutcome, ProbeTask
from ...state.errors import RunFailed
from ...state.events import Notice, ProbeAnswered, ProbeAsked, ProbeJudged
from ...state.records import Answer, Evidence, Probe, Question, Scored, Stage, Unscored
from ...state.spec import DrillSpec
from ...tools.models.chat import Payer
from ..run.deps import DrillDeps, together
from ..step import Step, admitted
from .anchors import ask_anchors
from .calls import slot_cost
from .look_up import LookUps
from .outcome import (
    UNREAD,
    Known,
    Played,
    answer_of,
    called,
    drawn,
    explained,
    fact_of,
    in_vain,
    is_correct,
    is_duplicate,
    lacking,
    passages_of,
    path_of,
    probe_id,
    question_of,
    record,
    row_of,
    used_up,
    withdrawn,
)


class ProbeRun:
    """Does one task. It reads nothing but its task and the bound models, sources and prompts."""

    def __init__(
        self,
        deps: DrillDeps,
        task: ProbeTask,
        look_ups: LookUps,
        through: "Through | None" = None,
    ) -> None:
        """`through`: what takes it from step to step; None: it does so itself."""
        self.deps, self.task, self._look_ups, self._through = deps, task, look_ups, through
        self.spec = DrillSpec.model_validate(task["spec"])
        self.id = probe_id(task["run_id"], task["depth"], task["slot"], task["round"])
        self.told = self._told()
        self._known_wrong = False
        self.step: Step
        """Begins when there is something to ask."""

    async def play(self) -> ProbeOutcome:
        """The finished probe, journalled, as a row and (when correct) a path for the barrier."""
        memory = self.deps.sink.run(self.task["run_id"])
        known = self.deps.sink.get(self.task["run_id"], self.id)
        if known is not None and not lacking(memory, self.task, known):
            async with self.deps.gate:
                return self._continue_known(known)
        if known is None and self.task["depth"] in memory.closed:
            raise RunFailed(
                f"Depth {self.task['depth']} is closed, but what it was dealt from is no longer "
                "what it was (the spec,"
                " a source or a page has changed), so the run cannot go through it again: undo "
                "that, or drill again."
            )
        # who waits for the budget has not begun: the gate comes after it
        async with self._admitted() as payer, self.deps.gate:
            self.step = Step(self.deps, self.spec, self.id, payer)
            return await (self._play() if known is None else self._explain_again(known))

    def _admitted(self) -> AbstractAsyncContextManager[Payer | None]:
        return admitted(self.deps.budget, lambda: slot_cost(self.deps, self.spec, self.task))

    async def _play(self) -> ProbeOutcome:
        begun = Known(left=list(self.task["cards"]), passages=[], rejected=[], question=None)
        known = await (self._steps(begun) if self._through is None else self._through(self, begun))
        step, done = self.step, known["done"]
        unexplained = bool(done.path and known["unexplained"])
        anchors = ()
        if isinstance(done.outcome, Scored) and done.question is not None:
            anchors = await ask_anchors(step, self.spec, done.question)
        probe = record(
            self.task,
            done,
            known["rejected"],
            step.calls,
            self.spec.passes,
            step.elapsed_s,
            unexplained,
            anchors,
        )
        await self.deps.emit(ProbeJudged(run_id=self.task["run_id"], probe=probe))
        return ProbeOutcome(row=row_of(probe, known["passages"]), path=done.path)

    async def _steps(self, known: Known) -> Known:
        """The first question that stands decides; where one is rejected, the passages that are left
        serve another."""
        while "done" not in known:
            known.update(await self.write(known))
            if known["question"] is None:
                continue
            for found in await together(self.answer(known), self.check(known)):
                known.update(found)
            known.update(self.weigh(known))
            if "done" in known or known["question"] is None:
                continue
            for found in await together(self.judge(known), self.agree(known), self.explain(known)):
                known.update(found)
            known.update(await self.find(known))
            known.update(self.settle(known))
        return known

    async def write(self, known: Known) -> Known:
        """Questioner: a question from the passages of the next candidate."""
        candidates = known["left"]
        if not candidates:
            last = known["rejected"][-1]
            stage: Stage = "check" if last.asked else "question"
            vain = Unscored(stage=stage, kind="rejected", message=in_vain(known["rejected"]))
            return {"done": Played(known["candidate"], vain), "question": None}
        first = candidates[0]
        shown = [
            Evidence.model_validate(c["evidence"])
            for c in candidates
            if c["concept"] == first["concept"]
        ]
        domain, line = self.spec.domain, self.task["chain"]
        written = await self.step.ask(
            write_question, domain, first["concept"], shown, line, self.told
        )
        if isinstance(written, Unscored):
            passages = [*known["passages"], shown[0].digest]
            return {"done": Played(first, written), "passages": passages, "question": None}
        spent = used_up(written)
        used: Known = {
            "candidate": next(c for c in candidates if c["evidence"]["digest"] in spent),
            "left": [c for c in candidates if c["evidence"]["digest"] not in spent],
            "passages": [*known["passages"], *spent],
        }
        if not isinstance(written, Question):
            return {**used, "question": None, "rejected": [*known["rejected"], *written]}
        if is_duplicate(fact_of(written.text, written.reference), self.task["ledger"]):
            twice = withdrawn(written, "this fact was asked for before")
            return {**used, "question": None, "rejected": [*known["rejected"], twice]}
        chain = (*self.task["chain"], used["candidate"]["concept"])
        await self.deps.emit(
            ProbeAsked(
                run_id=self.task["run_id"],
                probe_id=self.id,
                depth=self.task["depth"],
                chain=chain,
                question=written.text,
            )
        )
        return {**used, "question": written, "outcome": None}

    def _told(self) -> list[str]:
        """What was answered, and what was right, at the depths above on this line."""
        told, above = list[str](), self.task["parent"]
        while (
            above is not None
            and (probe := self.deps.sink.get(self.task["run_id"], above)) is not None
        ):
            told += [probe.question.reference] if probe.question else []
            told += [probe.answer.text] if probe.answer else []
            above = probe.parent
        return told

    async def answer(self, known: Known) -> Known:
        """Prober: the target's answer, closed book."""
        answer = await self.step.ask(
            answer_question.up_to(self.spec.answer_tokens), question_of(known).text
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

    async def check(self, known: Known) -> Known:
        """Questioner: the evaluator's own answer from the passage; the reference itself when
        questions are not verified."""
        question = question_of(known)
        if not self.spec.verify_questions:
            return {"checked": PassageAnswer(answerable=True, answer=question.reference)}
        return {"checked": await self.step.ask(answer_from_passage, question)}

    def weigh(self, known: Known) -> Known:
        """What answer and check say of the question: faulty, lost, or (nothing new) to be
        judged."""
        question, answer, checked = question_of(known), known["answer"], known["checked"]
        if isinstance(checked, PassageAnswer) and checked.fault is not None:
            faulty = withdrawn(question, checked.fault, asked=True)
            return {"question": None, "rejected": [*known["rejected"], faulty]}
        failed = next((x for x in (answer, checked) if isinstance(x, Unscored)), None)
        if failed is None:
            return {}
        own = answer if isinstance(answer, Answer) else None
        return {"done": Played(known["candidate"], failed, question, own)}

    async def judge(self, known: Known) -> Known:
        """Judge: does the answer assert the reference?"""
        question, answer = question_of(known), answer_of(known)
        if answer.refusal:  # the endpoint itself says that this is a refusal
            reason = "the model refused to answer"
            return {
                "outcome": Scored(verdict="abstained", reason=reason, judge=self.deps.judge.name)
            }
        outcome = await self.step.ask(judge, question.text, question.reference, answer.text)
        self._known_wrong = not is_correct(outcome)
        return {"outcome": outcome}

    async def agree(self, known: Known) -> Known:
        """Whether the evaluator's own answer is the reference; where both say the same in as many
        words, no second call is needed."""
        question, checked = question_of(known), known["checked"]
        assert isinstance(checked, PassageAnswer)  # what failed has been weighed
        if checked.answer == question.reference or agrees(
            question.text, question.reference, checked.answer
        ):
            return {"agreed": True}
        by_evaluator = judge.by("evaluator", "check")
        verdict = await self.step.ask(
            by_evaluator, question.text, question.reference, checked.answer
        )
        return {"agreed": verdict if isinstance(verdict, Unscored) else verdict.correct}

    async def explain(self, known: Known) -> Known:
        """Explainer: what this answer can be continued with. Skipped for the last depth."""
        question, answer, concept = (
            question_of(known),
            answer_of(known),
            known["candidate"]["concept"],
        )
        if self.task["k"] == 0 or answer.refusal:
            return {"path": None}
        chain = [*self.task["chain"], concept]
        mentions = await self._mentions(concept, question, answer, chain)
        failed, unexplained = dict[str, dict[str, Any]](), isinstance(mentions, Unscored)
        if isinstance(mentions, Unscored):
            failed = {UNREAD: mentions.model_dump(mode="json")}
            told = f"{self.id}: no concepts could be read from the answer ({mentions.message})"
            await self.deps.emit(Notice(run_id=self.task["run_id"], level="warning", message=told))
            mentions = Mentions((), ())  # the point stands all the same
        path = Path(
            id=self.id,
            root=self.task["root"],
            chain=chain,
            concepts=drawn(self.spec, self.task, mentions),
            said=called(mentions),
            found={},
            failed=failed,
        )
        if not self._known_wrong and self._look_ups.may_begin_early(self.task["depth"], self.spec):
            self._look_up(path)
        return {"path": path, "unexplained": unexplained}

    async def find(self, known: Known) -> Known:
        """FactFinder: begins to look for the next passages, unless that has begun, once the answer
        is known to be right and the question sound: what is asked of a source that is paid must not
        hang on which reply came first."""
        path, outcome = known["path"], known["outcome"]
        if (
            path is not None
            and outcome is not None
            and is_correct(outcome)
            and known["agreed"] is True
        ):
            self._look_up(path)
        return {"path": path}

    def settle(self, known: Known) -> Known:
        """The end of the probe, or another question where this one turns out to be faulty."""
        question, answer, agreed, outcome = (
            question_of(known),
            answer_of(known),
            known["agreed"],
            known["outcome"],
        )
        if agreed is False:
            other = withdrawn(
                question, "the passage gives another answer than the reference", asked=True
            )
            return {"question": None, "rejected": [*known["rejected"], other]}
        if isinstance(agreed, Unscored):
            return {"done": Played(known["candidate"], agreed, question, answer)}
        assert outcome is not None  # it was judged
        path = known["path"] if is_correct(outcome) else None
        return {"done": Played(known["candidate"], outcome, question, answer, path)}

    async def _mentions(
        self, concept: str, question: Question, answer: Answer, chain: list[str]
    ) -> Mentions | Unscored:
        count = max(8, self.task["k"])
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
        order = drawn(self.spec, self.task, mentions)
        event = explained(self.task, probe, order, called(mentions), self.step.calls)
        await self.deps.emit(event)
        return self._continue_known(event.probe)

    def _look_up(self, path: Path) -> None:
        self._look_ups.begin(
            self.task["run_id"], self.spec, path, self.task["depth"], self.task["k"]
        )

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
        passages = passages_of(probe, self.task["cards"])
        return ProbeOutcome(row=row_of(probe, passages), path=path)


Through = Callable[[ProbeRun, Known], Awaitable[Known]]
