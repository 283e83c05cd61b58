"""The calls that a DeepQuestion run takes, by kind of call, each with the texts it sends and gets. Pure.

A problem, a sample of them, and texts that are given are as long as they are; what is still to be written is taken to
be as long as the rates say.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ...agents.questioner.transformation import TASKS, criteria_text, samples_text, shown
from ...state.deepquestion.items import DISTRACTORS as COUNTS
from ...state.deepquestion.items import Load, Problem, ProblemSet
from ...state.deepquestion.spec import DeepQuestionSpec
from ...state.spec import is_simulated
from ...stats.deepquestion.checks import given_texts
from ..run.loads import ZERO
from ..run.past import mean_of
from ..run.rates import CHARACTERS, Step
from ..run.spread import Spread, fixed, total
from .creating import baseline_pairs
from .loop import samples_of
from .past import (
    COMPARISON,
    CREATED,
    DISTRACTORS,
    DRAFT,
    INSTRUCTION,
    INSTRUCTION_CHECK,
    MET,
    REDRAFT,
    SCENARIO,
    SCENARIO_CHECK,
    SCORE,
    SOLUTION,
    SOLVED,
    VERDICT,
)
from .priors import ASSUMED, ROOM, DeepQuestionRates
from .solving import Wanted

JUDGED = Spread(0.0, 0.9, 1.0)
"""Share of the answers in words that are not the reference to the letter, so that the judge compares them."""
ANSWERED = Spread(0.9, 1.0, 1.0)
"""Share of the instructions by which a real target writes something."""
ALIKE = Spread(0.25, 1.0, 1.0)
"""Share of the questions of a simulated target that neither it nor another one has written before (`How many grams is
that?`): the same question is solved and checked once."""
AROUND_EACH = 32
"""Characters around a distractor in a reply."""


@dataclass(frozen=True, slots=True)
class Due:
    """Calls of one kind about texts of one kind."""

    step: Step
    calls: Spread
    sent: Spread
    """Characters per call, around the prompt's own text."""
    said: Spread
    """Tokens per reply, without hidden reasoning."""
    shared: bool = True
    """Whether it is asked whoever the target is."""


@dataclass(frozen=True, slots=True)
class Texts:
    """So many texts of one kind."""

    number: Spread
    length: Spread
    """Characters."""


class Counted:
    """What one run asks."""

    def __init__(self, spec: DeepQuestionSpec, problems: ProblemSet, rates: DeepQuestionRates) -> None:
        self.spec, self.set, self.rates = spec, problems, rates
        self.problems: Sequence[Problem] = problems.problems
        self.text = rates.texts
        self.question = _mean(map(shown, self.problems))
        self.options = self.question - _mean(problem.question.strip() for problem in self.problems)
        self.answer = _mean(problem.answer for problem in self.problems)
        self.final = _mean(problem.final_answer for problem in self.problems)
        self.words = sum(Wanted.of(problem).kind == "text" for problem in self.problems)
        """Problems whose answers the judge compares."""
        self.open_words = sum(Wanted.open(problem).kind == "text" for problem in self.problems)
        """Likewise of questions that ask for the same without options."""

    def due(self) -> list[Due]:
        """All calls; what is not asked at all is left out."""
        found = [*self._drafting()]
        if self.rates.kinds:
            found += [*self._originals(), *self._baseline()]
        if "q2s" in self.rates.kinds:
            found += self._q2s()
        if "q2i" in self.rates.kinds:
            found += self._q2i()
        return [each for each in found if each.calls.high > 0]

    @cached_property
    def pairs(self) -> int:
        """Baseline pairs; of two problems that are compared with each other the comparisons are the same."""
        if "q2i" not in self.spec.kinds:
            return 0
        drawn = baseline_pairs(self.spec, self.set)
        return len({frozenset(pair) for pair in drawn.items()})

    @cached_property
    def instructions(self) -> Texts:
        """By which the target is asked to write."""
        if not self.spec.given:
            number = fixed(len(self.problems)).times(self.rates.passing["instruction_accepted"])
            return Texts(number, self.text["instruction"])
        return _known(given_texts(self.spec, self.set.given.get(problem.id)).instruction for problem in self.problems)

    def scenarios(self, load: Load) -> Texts:
        """Those that the target is asked, options apart."""
        if not self.spec.given:
            return Texts(fixed(len(self.problems)).times(self.rates.passing["scenario_accepted"]), self._woven(load))
        held = [given_texts(self.spec, self.set.given.get(problem.id)).scenarios for problem in self.problems]
        return _known(scenarios.get(load, "") for scenarios in held)

    def _woven(self, load: Load) -> Spread:
        return self.text["scenario"].plus(self.text["distractor"].times(COUNTS[load]))

    def _drafting(self) -> Iterator[Due]:
        sample = len(samples_text(samples_of(self.spec, self.problems)))
        guide, feedback = self.text["guide"], self.text["feedback"]
        for kind, loop in self.rates.rounds.items():
            about = fixed(len(TASKS[kind]) + len(criteria_text(kind)) + sample)
            yield Due(DRAFT, fixed(1.0), about, self._said(DRAFT, guide))
            again = total([about, guide, feedback, fixed(8)])
            yield Due(REDRAFT, loop.redrafts, again, self._said(REDRAFT, guide))
            yield Due(SCORE, loop.scores, about.plus(guide), self._said(SCORE, feedback))

    def _originals(self) -> Iterator[Due]:
        yield from self._solved(SOLUTION, Texts(fixed(len(self.problems)), fixed(self.question)), shared=False)

    def _q2s(self) -> Iterator[Due]:
        if not self.spec.given:
            yield from self._scenarios()
        for load in self.spec.distractors:
            asked = self.scenarios(load)
            texts = Texts(asked.number, asked.length.plus(fixed(self.options)))
            yield from self._solved(SOLUTION, texts, shared=False)

    def _scenarios(self) -> Iterator[Due]:
        """Written, and checked."""
        written, plain = fixed(len(self.problems)), self.text["scenario"]
        problem, count = fixed(self.question + self.answer), max(COUNTS[load] for load in self.spec.distractors)
        yield Due(SCENARIO, written, self.text["guide"].plus(problem), self._said(SCENARIO, plain))
        checked = written.times(self.rates.passing["scenario_checked"])
        yield Due(SCENARIO_CHECK, checked, plain.plus(fixed(self.question + 20)), self._said(SCENARIO_CHECK))
        added = self.text["distractor"].plus(fixed(AROUND_EACH)).times(count)
        sent = total([plain, problem, fixed(20)])
        yield Due(DISTRACTORS, written.times(bool(count)), sent, self._said(DISTRACTORS, added))
        number = written.times(self.rates.passing["scenario_solved"])
        for load in self.spec.distractors:
            yield from self._solved(SOLVED, Texts(number, self._woven(load).plus(fixed(self.options))))

    def _q2i(self) -> Iterator[Due]:
        asked = self.instructions
        if not self.spec.given:
            yield from self._instructions()
        simulated = is_simulated(self.spec.target)
        created, number = self.text["created"], asked.number.times(self._answered)
        other = number.times(ALIKE) if simulated else number
        yield Due(CREATED, asked.number, asked.length, self._said(CREATED, created), shared=False)
        yield from self._solved(SOLVED, Texts(other, created), shared=False, open_ended=True)
        yield Due(MET, other, asked.length.plus(created), self._said(MET), shared=False)
        twice = asked.number.times(self.rates.passing["compared"]).times(2)
        sent = total([asked.length, created, fixed(self.question)])
        yield Due(COMPARISON, twice, sent, self._said(COMPARISON), shared=False)

    def _instructions(self) -> Iterator[Due]:
        """Written, and checked."""
        written, text = fixed(len(self.problems)), self.text["instruction"]
        way = _mean(problem.solution for problem in self.problems)
        sent = self.text["guide"].plus(fixed(self.question + self.final + way))
        yield Due(INSTRUCTION, written, sent, self._said(INSTRUCTION, text))
        checked = written.times(self.rates.passing["instruction_checked"])
        yield Due(
            INSTRUCTION_CHECK, checked, text.plus(fixed(self.question + self.final)), self._said(INSTRUCTION_CHECK)
        )

    def _baseline(self) -> Iterator[Due]:
        yield Due(COMPARISON, fixed(2.0 * self.pairs), fixed(2 * self.question + 15), self._said(COMPARISON))

    def _solved(self, step: Step, texts: Texts, *, shared: bool = True, open_ended: bool = False) -> Iterator[Due]:
        """Texts that are solved, with the judge's word where the answers are in words."""
        said = self.text["said"]
        yield Due(step, texts.number, texts.length, self._said(step, said if step == SOLUTION else ZERO), shared)
        share = (self.open_words if open_ended else self.words) / len(self.problems)
        answer = said if step == SOLUTION else fixed(self.final)  # of the evaluator only the answer is compared
        sent = total([texts.length, answer, fixed(self.final)])
        yield Due(VERDICT, texts.number.times(JUDGED).times(share), sent, self._said(VERDICT), shared)

    @property
    def _answered(self) -> Spread:
        """Share of the instructions by which the target writes something; a reply that is cut off is none."""
        if self.spec.answer_tokens < ROOM:
            return Spread(0.0, 1.0, 1.0)
        return fixed(1.0) if is_simulated(self.spec.target) else ANSWERED

    def _said(self, step: Step, text: Spread = ZERO) -> Spread:
        """Tokens of a reply with so many characters of text."""
        assumed = ASSUMED[step]
        if is_simulated(str(getattr(self.spec, step.role))):
            around = assumed.simulated
        else:
            around = Spread(assumed.tells / 2, assumed.tells, 3 * assumed.tells)
        return text.times(1 / CHARACTERS).plus(around)


def _mean(texts: Iterable[str]) -> float:
    return mean_of(map(len, texts))


def _known(texts: Iterable[str]) -> Texts:
    lengths = [len(text) for text in texts if text]
    return Texts(fixed(len(lengths)), fixed(mean_of(lengths) if lengths else 0.0))
