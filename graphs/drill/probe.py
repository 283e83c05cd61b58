"""One probe: question → answer beside the question check → verdict beside concepts and look-ups. Plain async code."""

import asyncio
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager

from ...agents.explainer.explain import Mentions, explain
from ...agents.judge.verdict import judge
from ...agents.prober.answer import answer_question
from ...agents.questioner.question import PassageAnswer, answer_from_passage, write_question
from ...agents.questioner.question_text import agrees
from ...state.channels import Candidate, Path, ProbeOutcome, ProbeTask
from ...state.errors import RunFailed
from ...state.events import Event, Notice, ProbeAnswered, ProbeAsked, ProbeJudged
from ...state.records import Answer, Evidence, Outcome, Probe, Question, Rejected, Scored, Stage, Unscored
from ...state.spec import DrillSpec
from ...state.tiers import tier_of
from ...tools.models.chat import Payer
from ..run.admission import admitted, slot_cost
from ..run.deps import DrillDeps
from ..run.emit import emit
from ..run.lookups import look_up, together
from ..step import Step
from .concepts import UNREAD, called, drawn, explained, lacking, path_of
from .duplicates import fact_of, is_duplicate
from .outcome import Played, in_vain, is_correct, probe_id, record, row_of, used_up, withdrawn


class ProbeRun:
    """Does one task. It reads nothing but its task and the bound models, sources and prompts."""

    def __init__(self, deps: DrillDeps, task: ProbeTask) -> None:
        self.deps, self.task = deps, task
        self.spec = DrillSpec.model_validate(task["spec"])
        self.id = probe_id(task["run_id"], task["depth"], task["slot"], task["round"])
        self.rejected: list[Rejected] = []
        self.told = self._told()
        self.passages: list[str] = []
        self.step: Step
        """Begins when there is something to ask."""
        self.unexplained = False

    async def play(self) -> ProbeOutcome:
        """The finished probe, journalled, as a row and (when correct) a path for the barrier."""
        memory = self.deps.sink.run(self.task["run_id"])
        known = self.deps.sink.get(self.task["run_id"], self.id)
        if known is not None and not lacking(memory, self.task, known):
            async with self.deps.gate:
                return await self._continue_known(known)
        if known is None and self.task["depth"] in memory.closed:
            raise RunFailed(
                f"Depth {self.task['depth']} is closed, but what it was dealt from is no longer what it was (the spec,"
                " a source or a page has changed), so the run cannot go through it again: undo that, or drill anew."
            )
        # who waits for the budget has not begun: the gate comes after it
        async with self._admitted() as payer, self.deps.gate:
            self.step = Step(self.deps, self.spec, self.id, payer)
            return await (self._play() if known is None else self._explain_again(known))

    def _admitted(self) -> AbstractAsyncContextManager[Payer | None]:
        return admitted(self.deps.budget, lambda: slot_cost(self.deps, self.spec, self.task))

    async def _play(self) -> ProbeOutcome:
        done = await self._play_cards()
        step, unexplained = self.step, bool(done.path and self.unexplained)
        probe = record(self.task, done, self.rejected, step.calls, self.spec.passes, step.elapsed_s, unexplained)
        await self._emit(ProbeJudged(run_id=self.task["run_id"], probe=probe))
        return ProbeOutcome(row=row_of(probe, self.passages), path=done.path)

    async def _play_cards(self) -> Played:
        """The first question that stands decides; where one is rejected, the passages that are left serve another."""
        candidates = list(self.task["cards"])
        while candidates:
            candidate = candidates[0]
            shown = [Evidence.model_validate(c["evidence"]) for c in candidates if c["concept"] == candidate["concept"]]
            written = await self._write(candidate["concept"], shown)
            if isinstance(written, Unscored):
                self.passages.append(shown[0].digest)
                return Played(candidate, written)
            spent = used_up(written)
            candidate = next(c for c in candidates if c["evidence"]["digest"] in spent)
            candidates = [c for c in candidates if c["evidence"]["digest"] not in spent]
            self.passages += spent
            if not isinstance(written, Question):
                self.rejected += written
            elif (done := await self._put(candidate, written)) is not None:
                return done
        last = self.rejected[-1]
        stage: Stage = "check" if last.asked else "question"
        return Played(candidate, Unscored(stage=stage, kind="rejected", message=in_vain(self.rejected)))

    async def _write(self, concept: str, shown: Sequence[Evidence]) -> Question | tuple[Rejected, ...] | Unscored:
        domain, line = self.spec.domain, self.task["chain"]
        written = await self.step.ask(write_question, domain, concept, shown, line, self.told)
        if isinstance(written, Question) and is_duplicate(
            fact_of(written.text, written.reference), self.task["ledger"]
        ):
            return (withdrawn(written, "this fact was asked for before"),)
        return written

    def _told(self) -> list[str]:
        """What was answered, and what was right, at the depths above on this line."""
        told, above = list[str](), self.task["parent"]
        while above is not None and (probe := self.deps.sink.get(self.task["run_id"], above)) is not None:
            told += [probe.question.reference] if probe.question else []
            told += [probe.answer.text] if probe.answer else []
            above = probe.parent
        return told

    async def _put(self, candidate: Candidate, question: Question) -> Played | None:
        """Ask and judge; None when the question turns out to be faulty."""
        run_id, depth = self.task["run_id"], self.task["depth"]
        chain = (*self.task["chain"], candidate["concept"])
        await self._emit(ProbeAsked(run_id=run_id, probe_id=self.id, depth=depth, chain=chain, question=question.text))
        answer, checked = await together(self._ask(question), self._check(question))
        if isinstance(checked, PassageAnswer) and checked.fault is not None:
            self.rejected.append(withdrawn(question, checked.fault, asked=True))
            return None
        failed = next((x for x in (answer, checked) if isinstance(x, Unscored)), None)
        if failed is not None:
            return Played(candidate, failed, question, answer if isinstance(answer, Answer) else None)
        outcome, agreed, path = await self._judge_and_explain(candidate, question, answer, checked.answer)
        if agreed is False:
            self.rejected.append(withdrawn(question, "the passage gives another answer than the reference", asked=True))
            return None
        if isinstance(agreed, Unscored):
            return Played(candidate, agreed, question, answer)
        correct = isinstance(outcome, Scored) and outcome.correct
        return Played(candidate, outcome, question, answer, path if correct else None)

    async def _ask(self, question: Question) -> Answer | Unscored:
        answer = await self.step.ask(answer_question, question.text, max_tokens=self.spec.answer_tokens)
        if isinstance(answer, Unscored):
            return answer
        event = ProbeAnswered(
            run_id=self.task["run_id"],
            probe_id=self.id,
            depth=self.task["depth"],
            text=answer.text,
            latency_s=answer.latency_s,
        )
        await self._emit(event)
        return answer

    async def _check(self, question: Question) -> PassageAnswer | Unscored:
        """The evaluator's own answer from the passage; the reference itself when questions are not verified."""
        if not self.spec.verify_questions:
            return PassageAnswer(answerable=True, answer=question.reference)
        return await self.step.ask(answer_from_passage, question)

    async def _judge_and_explain(
        self, candidate: Candidate, question: Question, answer: Answer, checked: str
    ) -> tuple[Outcome, bool | Unscored, Path | None]:
        judging = asyncio.ensure_future(self._judge(question, answer))
        explaining = self._explain(candidate, question, answer, judging)
        outcome, agreed, path = await together(judging, self._agrees(question, checked), explaining)
        return outcome, agreed, path

    async def _judge(self, question: Question, answer: Answer) -> Outcome:
        if answer.refusal:  # the endpoint itself says that this is a refusal
            return Scored(verdict="abstained", reason="the model refused to answer", judge=self.deps.judge.name)
        return await self.step.ask(judge, question.text, question.reference, answer.text)

    async def _agrees(self, question: Question, checked: str) -> bool | Unscored:
        """Whether the evaluator's own answer is the reference; where both say the same in as many words, no second
        call is needed."""
        if checked == question.reference or agrees(question.text, question.reference, checked):
            return True
        verdict = await self.step.ask(judge.by("evaluator", "check"), question.text, question.reference, checked)
        return verdict if isinstance(verdict, Unscored) else verdict.correct

    async def _explain(
        self, candidate: Candidate, question: Question, answer: Answer, judging: asyncio.Future[Outcome]
    ) -> Path | None:
        """What this answer can be continued with, and the first passages for it. Skipped for the last depth."""
        if self.task["k"] == 0 or answer.refusal:
            return None
        chain = [*self.task["chain"], candidate["concept"]]
        mentions = await self._mentions(candidate["concept"], question, answer, chain)
        self.unexplained = isinstance(mentions, Unscored)
        if isinstance(mentions, Unscored):
            await self._emit(
                Notice(
                    run_id=self.task["run_id"],
                    level="warning",
                    message=f"{self.id}: no concepts could be read from the answer ({mentions.kind})",
                )
            )
            mentions = Mentions((), ())  # the point stands all the same
        failed = [*UNREAD] if self.unexplained else []
        path = Path(
            id=self.id,
            root=self.task["root"],
            chain=chain,
            concepts=drawn(self.spec, self.task, mentions),
            said=called(mentions),
            found={},
            failed=failed,
        )
        if not (judging.done() and not is_correct(judging.result())):
            await self._look_up(path)
        return path

    async def _mentions(
        self, concept: str, question: Question, answer: Answer, chain: list[str]
    ) -> Mentions | Unscored:
        count = max(8, self.task["k"])
        return await self.step.ask(explain, self.spec.domain, concept, question.text, answer.text, chain, count)

    async def _explain_again(self, probe: Probe) -> ProbeOutcome:
        assert probe.question is not None  # a correct probe has both
        assert probe.answer is not None
        mentions = await self._mentions(probe.concept, probe.question, probe.answer, list(probe.chain))
        if isinstance(mentions, Unscored):
            return await self._continue_known(probe)
        order = drawn(self.spec, self.task, mentions)
        event = explained(self.task, probe, order, called(mentions), self.step.calls)
        await self._emit(event)
        return await self._continue_known(event.probe)

    async def _look_up(self, path: Path) -> None:
        tier, _ = tier_of(self.task["depth"] + 1, self.spec.passes)
        await look_up(self.deps, self.spec, path, [c for c, _ in path["concepts"][: self.task["k"]]], tier)

    async def _continue_known(self, probe: Probe) -> ProbeOutcome:
        """A probe that was journalled before a crash is not asked again; only its look-ups are repeated."""
        path = None
        if is_correct(probe.outcome) and self.task["k"]:
            path = path_of(probe)
            await self._look_up(path)
        used = len(probe.rejected) + 1
        return ProbeOutcome(row=row_of(probe, [c["evidence"]["digest"] for c in self.task["cards"][:used]]), path=path)

    async def _emit(self, event: Event) -> None:
        await emit(self.deps, event)
