"""Which model to take, from a comparison, a margin and conditions (METHODS: Numbers for the drill).

Ahead: Holm's p below α. Beyond the margin: the difference less the margin, one-sided at α/2, by
Holm over all pairs. Equal: two one-sided tests at .8 α against ± margin, by Holm over all pairs. What
the judge could do to a difference is taken off it first, where the judge was not measured: a lead
that its errors could explain is not certified.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, inf, sqrt
from statistics import NormalDist
from typing import Literal

from ..state.comparison import ComparedModel, ComparedPair, Comparison
from ..state.decision import ConditionState, Decision, Outcome, Policy, State
from .decision_words import figure, listed, quoted, size_written, total_cost, usd_written
from .moderated import WIDTH
from .ranking import holm

POWER_Z = 0.8416
"""Normal quantile of a chance of 80%."""
MOST_MORE = {"repeat": 60, "question": 10_000}
"""How many more nobody is advised to go beyond."""
LIMIT = 1e-9
EQUAL = 0.8
"""Share of α at which each of the two one-sided tests is made. At α itself up to 6% of shallow
models that are a margin apart were found equal (bench/coverage/decide.py)."""
NONE = "none is needed."
Relation = Literal["ahead", "beyond", "equal", "open"]


@dataclass(frozen=True, slots=True)
class Gap:
    """What is missing of a model, as a clause, and what to do about it."""

    why: str
    step: str
    by_repeats: bool = False
    """Whether more repeats would close it."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """What is to be known of a model beside the comparison."""

    label: str
    gaps: tuple[Gap, ...] = ()
    """Why nothing can be certified of it: `its run was cut short by the budget`."""
    conditions: tuple[ConditionState, ...] = ()
    lower_limit: Gap | None = None
    """Why its figure is only a lower limit; None: it is none."""
    usd_per_repeat: float | None = None
    """What one more repeat of it costs (of questions: one more question)."""
    repeats: int = 1
    """How often it was repeated (of questions: how many)."""


def decide(compared: Comparison, candidates: Sequence[Candidate], policy: Policy) -> Decision:
    """The decision over all models of the comparison. `candidates`: one for each of its models."""
    by_label = {candidate.label: candidate for candidate in candidates}
    return _Judgement(compared, by_label, policy).decision()


@dataclass(slots=True)
class _Judgement:
    """A comparison on its way to a decision."""

    compared: Comparison
    candidates: Mapping[str, Candidate]
    policy: Policy

    def decision(self) -> Decision:
        """The first of the possible verdicts that holds."""
        labels = [*self._models]
        gaps = [(label, gap) for label in labels for gap in self.candidates[label].gaps]
        for label, gap in sorted(gaps, key=lambda gap: gap[1].by_repeats):
            waiting = dict.fromkeys(label for label, _ in gaps) if gap.by_repeats else ()
            return self._not_certified(label, gap, tuple(waiting))
        left = [label for label in labels if not self._in_state(label, "failed")]
        if not left:
            return self._none_left(labels)
        if len(left) > 1:
            return self._among(left)
        if len(labels) == 1 and not self.policy.must:
            return self._made(
                "not_decided",
                "There is nothing to decide yet: only one model was measured.",
                f"{labels[0]} was compared with no other model, and no condition was stated.",
                "measure a second model on the same topics, or state what it must keep to (--must).",
            )
        return self._only(left[0], labels)

    # several models that may be taken

    def _among(self, left: Sequence[str]) -> Decision:
        relations = self._relations()
        best = self._first(left, relations)
        pairs = {rival: self._pair(best, rival) for rival in left if rival != best}
        of_best = {rival: relations[_names(pair)] for rival, pair in pairs.items()}
        undecided = [rival for rival, relation in of_best.items() if relation == "open"]
        if undecided:
            return self._not_decided(best, undecided, pairs)
        for rival, pair in pairs.items():
            if self._judge_could(pair, of_best[rival]):
                return self._unmeasured_judge(pair, of_best[rival])
        better = self.policy.prefer == "better"
        equals = [best]
        for rival, pair in pairs.items():
            if of_best[rival] == "equal" and not (better and self._ahead(pair)):
                equals.append(rival)
        limits = [(label, self.candidates[label].lower_limit) for label in equals]
        for label, gap in limits if len(equals) > 1 else ():
            if gap is not None:
                return self._not_certified(label, gap)
        chosen, why = self._preferred(equals)
        if self._in_state(chosen or best, "open"):
            return self._open_condition(chosen or best)
        if len(equals) > 1:
            return self._equal(chosen, why, equals, pairs)
        return self._better(best, pairs, beyond={*of_best.values()} == {"beyond"})

    def _first(self, left: Sequence[str], relations: Mapping[frozenset[str], Relation]) -> str:
        """The first in the ranking, unless another one is ahead of it in what both were asked."""
        best = left[0]
        for rival in left[1:]:
            pair = self._pair(best, rival)
            if pair.one == rival and relations[_names(pair)] in ("ahead", "beyond"):
                best = rival
        return best

    def _relations(self) -> dict[frozenset[str], Relation]:
        """How the two models of each pair stand to each other, over all pairs at once."""
        pairs, alpha, margin = self.compared.pairs, self.policy.alpha, self.policy.margin
        relations: dict[frozenset[str], Relation] = {
            _names(pair): "ahead" if self._ahead(pair) else "open" for pair in pairs
        }
        if margin is None:
            return relations
        off = self._judge + margin
        beyond = holm([_chance(pair, (pair.difference or 0.0) - off) for pair in pairs])
        equal = holm([_chance(pair, margin - abs(pair.difference or 0.0)) for pair in pairs])
        for pair, p_beyond, p_equal in zip(pairs, beyond, equal, strict=True):
            if p_equal < EQUAL * alpha:
                relations[_names(pair)] = "equal"
            elif p_beyond < alpha / 2:
                relations[_names(pair)] = "beyond"
        return relations

    def _ahead(self, pair: ComparedPair) -> bool:
        return pair.p_adjusted is not None and pair.p_adjusted < self.policy.alpha

    @property
    def _judge(self) -> float:
        """How far two points of difference between an unchecked judge's errors set two models
        apart."""
        return 0.0 if self.policy.judge_checked else self.compared.judge_points or 0.0

    def _room(self, pair: ComparedPair, relation: Relation) -> float:
        """What is left of a lead, or of the margin, when the judge's errors are taken off."""
        distance_apart = abs(pair.difference or 0.0)
        return (
            (self.policy.margin or 0.0) - distance_apart if relation == "equal" else distance_apart
        ) - self._judge

    def _judge_could(self, pair: ComparedPair, relation: Relation) -> bool:
        """Whether its errors would change what is said of the pair."""
        level = EQUAL if relation == "equal" else 0.5
        chance = _chance(pair, self._room(pair, relation))
        return bool(self._judge) and chance >= level * self.policy.alpha

    def _preferred(self, equals: Sequence[str]) -> tuple[str | None, str]:
        """Which of equal models is taken, and why; None where what is preferred is not known."""
        if len(equals) == 1 or self.policy.prefer == "better":
            return equals[0], "it came out first"
        cheaper = self.policy.prefer == "cheaper"
        quality, field, noun = ("faster", "latency_s", "waiting times")
        if cheaper:
            quality, field, noun = ("cheaper", "usd_per_100", "prices")
        values = [(getattr(self._models[label], field), label) for label in equals]
        if any(value is None for value, _ in values):
            return None, f"{noun} are not known"
        (least, first), (second, _) = sorted(values)[:2]
        form = usd_written if cheaper else "{:.1f} s".format
        if form(least) == form(second):
            return None, f"their {noun} are the same"
        per = "per 100 answers" if cheaper else "per answer"
        return first, f"it is {quality} ({form(least)} against {form(second)} {per})"

    # the verdicts

    def _made(
        self, verdict: Outcome, answer: str, reason: str, next_step: str, **more: object
    ) -> Decision:
        states = [state for label in self._models for state in self.candidates[label].conditions]
        fields: dict[str, object] = {
            "verdict": verdict,
            "answer": answer,
            "reason": reason,
            "next_step": next_step,
            "conditions": states,
            "policy": self.policy,
            "measure": self.compared.measure,
            "simulated": self.compared.simulated,
            "judge_effect": self._judge,
            "unit": f"{self._unit}s",
        }
        return Decision.model_validate(fields | more)

    def _better(self, best: str, pairs: Mapping[str, ComparedPair], *, beyond: bool) -> Decision:
        nearest = min(pairs, key=lambda rival: pairs[rival].difference or 0.0)
        size, depth = self._size(pairs[nearest].difference), pairs[nearest].depth
        how = f"stays right about {size} deeper" if self._is_deep else f"is about {size} better"
        reason = f"On the same topics {best} {how} than {nearest}"
        if depth is not None:
            reason += f", as far as both were asked (depth {depth})"
        margin = self._size(self.policy.margin)
        verdict: Outcome = "better"
        quality, step = "better", "none is needed, unless another model has advantages of its own."
        says = "no margin was stated below which a difference does not matter"
        if beyond:
            verdict, quality, step = "better_beyond_margin", "clearly better", NONE
            says = f"that is surely more than the {margin} that matter"
        elif self.policy.margin is not None:
            quality = "better, though perhaps not by much"
            says = f"whether by more than the {margin} that matter is not sure"
        answer = f"Take {best}: it is {quality}."
        return self._made(verdict, answer, f"{reason}; {says}.", step, model=best)

    def _equal(
        self,
        chosen: str | None,
        why: str,
        equals: Sequence[str],
        pairs: Mapping[str, ComparedPair],
    ) -> Decision:
        names, margin = listed(equals), self._size(self.policy.margin)
        farthest = self._size(max(pairs[rival].difference or 0.0 for rival in equals[1:]))
        reason = (
            f"{names} know equally much, for your purpose: they differ by about {farthest}, surely "
            f"by less than the {margin} that matter."
        )
        answer = f"Take any of {names}: they are equally good, and {why}."
        if chosen is not None:
            others = listed([label for label in equals if label != chosen])
            answer = f"Take {chosen}: it is as good as {others}, and {why}."
        return self._made("equal", answer, reason, NONE, model=chosen, equals=tuple(equals))

    def _only(self, label: str, labels: Sequence[str]) -> Decision:
        """The only one that fails no condition."""
        if self._in_state(label, "open"):
            return self._open_condition(label)
        others = self._fails([rival for rival in labels if rival != label])
        answer = f"Take {label}: it alone meets the conditions."
        reason = "; ".join([f"{label} meets every condition", *others])
        return self._made("meets_conditions", answer, f"{reason}.", NONE, model=label)

    def _none_left(self, labels: Sequence[str]) -> Decision:
        answer = "Take none of them: each fails a condition."
        if len(labels) == 1:
            answer = f"Do not take {labels[0]}: it fails a condition."
        step = "try another model, or ask whether the condition is the one that you need."
        reason = f"{'; '.join(self._fails(labels))}."
        return self._made("fails_condition", answer, reason, step)

    def _fails(self, labels: Sequence[str]) -> list[str]:
        return [f"{label} fails {quoted(self._in_state(label, 'failed')[0])}" for label in labels]

    def _not_certified(self, label: str, gap: Gap, waiting: tuple[str, ...] = ()) -> Decision:
        answer = "Do not decide on this: the measurement is not complete enough."
        why = f"{label}: {gap.why}."
        return self._made("not_certified", answer, why, gap.step, waiting=waiting)

    def _unmeasured_judge(self, pair: ComparedPair, relation: Relation) -> Decision:
        return self._made(
            "not_certified",
            "Do not decide on this: nobody has checked the judge.",
            f"{pair.one} and {pair.other} differ by about {self._size(pair.difference)}; if the judge erred "
            "by two more answers in 100 with one of them than with the other, that alone could "
            "change the verdict.",
            "let people judge a sample of the answers (240 are a start), then decide again.",
            waiting=(pair.one, pair.other) if self._room(pair, relation) > 0 else (),
        )

    def _open_condition(self, label: str) -> Decision:
        state = self._in_state(label, "open")[0]
        answer = f"Do not choose {label} yet: a condition is open."
        if state.interval is None or state.value is None:
            reason = f"{label} has too few answers ({state.n}) for {state.condition!r}."
            step = "measure what the condition is about; what is missing is never a pass."
            return self._made("not_decided", answer, reason, step)
        low, high = state.interval
        reason = (
            f"{label} may or may not meet {quoted(state)}: the answers so far allow for "
            f"{figure(low, state.unit)} to {figure(high, state.unit)}."
        )
        bound = next(c.bound for c in self.policy.must if c.text == state.condition)
        distance_apart, repeats = abs(state.value - bound), self.candidates[label].repeats
        more = inf
        if distance_apart:
            more = max(1, ceil(repeats * ((high - low) / 2 / distance_apart) ** 2) - repeats)
        step = "take a model that meets every condition, or state another bound"
        return self._going_on(answer, reason, more, [label], step)

    def _not_decided(
        self, best: str, undecided: Sequence[str], pairs: Mapping[str, ComparedPair]
    ) -> Decision:
        reason = f"{best} came out first, but {listed(undecided)} may be as good or better"
        step = "take what is cheaper or faster, or state a wider margin"
        for rival in undecided:
            if standard_error(pairs[rival]) is None:
                why = pairs[rival].note or "the two have too little in common"
                answer = "Do not choose yet: the models cannot be compared."
                return self._going_on(answer, f"{reason}: {why}.", inf, (), step)
        if self.policy.margin is None:
            step = (
                "state the difference that matters to you (--margin): then two models can also be "
                "found equal"
            )
        more = max(self._more_for(pairs[rival]) for rival in undecided)
        answer = "Do not choose yet: too few answers."
        return self._going_on(answer, f"{reason}.", more, [best, *undecided], step)

    def _going_on(
        self, answer: str, reason: str, more: float, waiting: Sequence[str], instead: str
    ) -> Decision:
        """Not decided, with what it would take of those that wait for it, and else what to do
        instead."""
        most, unit = MOST_MORE[self._unit], self._unit
        if more > most:
            step = f"more than {most} further {unit}s might be needed: {instead}."
            return self._made("not_decided", answer, reason, step, waiting=tuple(waiting))
        costs = [self.candidates[label].usd_per_repeat for label in waiting]
        usd = None if None in costs else more * sum(cost or 0.0 for cost in costs)
        of_whom = f" of {listed(waiting)}" if unit == "repeat" and len(self._models) > 1 else ""
        step = f"about {more:g} more {unit}{'s' * (more > 1)}{of_whom}, {total_cost(usd)}."
        counts = {"more": int(more), "more_usd": usd, "waiting": tuple(waiting)}
        return self._made("not_decided", answer, reason, step, **counts)

    def _more_for(self, pair: ComparedPair) -> float:
        """About how many more repeats (or questions) would tell the two apart, or show that they
        are equal, in four cases of five, were they as they seem; infinitely many: no number
        would."""
        pairs, spread = len(self.compared.pairs), (standard_error(pair) or 0.0) * sqrt(pair.over)
        distance_apart = abs(pair.difference or 0.0)

        def needed(level: float, distance: float) -> float:
            z = NormalDist().inv_cdf(1 - level * self.policy.alpha / pairs) + POWER_Z
            return (z * spread / distance) ** 2 if distance > LIMIT else inf

        alike = (
            inf
            if self.policy.margin is None
            else needed(EQUAL, self.policy.margin - distance_apart)
        )
        wanted = min(needed(0.5, distance_apart), alike) - pair.over
        domains = max(1, len(self.compared.domains))
        return max(1, ceil(wanted / domains)) if pair.over and wanted < inf else inf

    # figures

    @property
    def _models(self) -> dict[str, ComparedModel]:
        return {model.label: model for model in self.compared.models}

    @property
    def _is_deep(self) -> bool:
        return self.compared.measure == "EVD"

    @property
    def _unit(self) -> str:
        return "repeat" if self.compared.of == "drill" else "question"

    def _pair(self, first: str, rival: str) -> ComparedPair:
        return next(pair for pair in self.compared.pairs if _names(pair) == {first, rival})

    def _in_state(self, label: str, state: State) -> list[ConditionState]:
        return [each for each in self.candidates[label].conditions if each.state == state]

    def _size(self, difference: float | None) -> str:
        return size_written(self.compared.measure, difference)


def standard_error(pair: ComparedPair) -> float | None:
    """Of the difference; where none is told, that of the normal curve whose 95% interval is the
    pair's."""
    if pair.se is not None:
        return max(pair.se, LIMIT)
    if pair.interval is None or pair.p is None:
        return None
    low, high = pair.interval
    return max((high - low) / WIDTH, LIMIT)


def _chance(pair: ComparedPair, distance: float) -> float:
    """One-sided, by Student's t, of so much or more; 1 where there is no test."""
    from scipy.special import ndtr, stdtr

    se = standard_error(pair)
    if se is None or pair.difference is None:
        return 1.0
    return float(stdtr(pair.df, -distance / se) if pair.df is not None else ndtr(-distance / se))


def _names(pair: ComparedPair) -> frozenset[str]:
    return frozenset((pair.one, pair.other))
