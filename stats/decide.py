"""Which model to take, from a comparison, a margin and conditions (METHODS: Numbers for the drill).

Ahead: Holm's p below α. Beyond the margin: the difference less the margin, one-sided at α/2, by
Holm over all pairs. Equal: two one-sided tests at .8 α against ± margin, by Holm over all pairs. What
the judge could do to a difference is taken off it first, where the judge was not measured: a lead
that its errors could explain is not certified.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, inf, sqrt
from statistics import NormalDist
from typing import Any, Literal

from ..state.comparison import ComparedPair, Comparison
from ..state.decision import Condition, ConditionState, Decision, Outcome, Policy, State
from ..state.errors import UsageError
from ..state.rows import Estimate, Measure
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
LESS_HANGS_ON_IT = "take the cheaper one, or state a margin (--margin) or another bound"
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

    def states(self, state: State) -> list[ConditionState]:
        """Its conditions in this state."""
        return [condition for condition in self.conditions if condition.state == state]


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
        labels = [model.label for model in self.compared.models]
        gaps = [(label, gap) for label in labels for gap in self.candidates[label].gaps]
        for label, gap in sorted(gaps, key=lambda gap: gap[1].by_repeats):
            waiting = dict.fromkeys(label for label, _ in gaps) if gap.by_repeats else ()
            return self._not_certified(label, gap, waiting=tuple(waiting))
        failures = {label: self.candidates[label].states("failed") for label in labels}
        left = [label for label in labels if not failures[label]]
        failing = "; ".join(
            f"{label} fails {states[0].condition}"
            for label, states in failures.items()
            if states
        )
        if not left:
            step = "try another model, or ask whether the condition is the one that you need"
            answer = "Take none of them: each fails a condition."
            return self._made("fails_condition", answer, failing, step)
        if len(left) > 1:
            return self._among(left)
        label = left[0]
        if len(labels) == 1 and not self.policy.must:
            answer = "There is nothing to decide yet: only one model was measured."
            step = "measure a second model on the same topics, or state a condition (--must)"
            return self._made("not_decided", answer, f"it is {label}", step)
        if self.candidates[label].states("open"):
            return self._open_condition(label)
        answer = f"Take {label}: it alone meets the conditions."
        reason = failing or "no other model was measured"
        return self._made("meets_conditions", answer, reason, model=label)

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
        for label in equals if len(equals) > 1 else ():
            limit = self.candidates[label].lower_limit
            if limit is not None:
                return self._not_certified(label, limit)
        chosen = self._preferred(equals)
        if self.candidates[chosen or best].states("open"):
            return self._open_condition(chosen or best)
        if len(equals) > 1:
            return self._equal(chosen, equals, pairs)
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
        equal = holm([_chance(pair, margin - _distance(pair)) for pair in pairs])
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
        room = _distance(pair)
        if relation == "equal":
            room = (self.policy.margin or 0.0) - room
        return room - self._judge

    def _judge_could(self, pair: ComparedPair, relation: Relation) -> bool:
        """Whether its errors would change what is said of the pair."""
        level = EQUAL if relation == "equal" else 0.5
        chance = _chance(pair, self._room(pair, relation))
        return bool(self._judge) and chance >= level * self.policy.alpha

    def _preferred(self, equals: Sequence[str]) -> str | None:
        """Which of equal models is taken; None where what is preferred is alike, or not known."""
        if len(equals) == 1 or self.policy.prefer == "better":
            return equals[0]
        field = "usd_per_100" if self.policy.prefer == "cheaper" else "latency_s"
        models = {model.label: model for model in self.compared.models}
        values = [(getattr(models[label], field), label) for label in equals]
        if any(value is None for value, _ in values):
            return None
        (least, first), (second, _) = sorted(values)[:2]
        return first if least < second else None

    # the verdicts

    def _made(
        self,
        verdict: Outcome,
        answer: str,
        reason: str,
        step: str = "none is needed",
        **more: object,
    ) -> Decision:
        candidates = [self.candidates[model.label] for model in self.compared.models]
        fields: dict[str, object] = {
            "verdict": verdict,
            "answer": answer,
            "reason": f"{reason}.",
            "next_step": f"{step}.",
            "conditions": [state for one in candidates for state in one.conditions],
            "policy": self.policy,
            "measure": self.compared.measure,
            "simulated": self.compared.simulated,
            "judge_effect": self._judge,
            "unit": f"{self._unit}s",
        }
        return Decision.model_validate(fields | more)

    def _better(
        self, best: str, pairs: Mapping[str, ComparedPair], *, beyond: bool
    ) -> Decision:
        nearest = min(pairs.values(), key=lambda pair: pair.difference or 0.0)
        margin = ""
        if self.policy.margin is not None:
            margin = (
                ", surely by more than the margin" if beyond else ", perhaps within the margin"
            )
        answer = f"Take {best}: it is better{margin}."
        verdict: Outcome = "better_beyond_margin" if beyond else "better"
        return self._made(verdict, answer, self._lead(nearest), model=best)

    def _equal(
        self, chosen: str | None, equals: Sequence[str], pairs: Mapping[str, ComparedPair]
    ) -> Decision:
        farthest = max((pairs[rival] for rival in equals[1:]), key=_distance)
        answer = f"Take any of {listed(equals)}: they differ by less than the margin."
        if chosen is not None:
            rest = listed([label for label in equals if label != chosen])
            quality = "came out first" if self.policy.prefer == "better" else self.policy.prefer
            answer = f"Take {chosen}: it is as good as {rest} within the margin ({quality})."
        reason = self._lead(farthest)
        return self._made("equal", answer, reason, model=chosen, equals=tuple(equals))

    def _lead(self, pair: ComparedPair) -> str:
        """`a is ahead of b by 1.2 steps`."""
        size = size_written(self.compared.measure, pair.difference)
        depth = f", as far as both were asked (depth {pair.depth})" if pair.depth else ""
        return f"{pair.one} is ahead of {pair.other} by about {size}{depth}"

    def _not_certified(self, label: str, gap: Gap, **more: object) -> Decision:
        answer = "Do not decide on this: the measurement is not complete enough."
        return self._made("not_certified", answer, f"{label}: {gap.why}", gap.step, **more)

    def _unmeasured_judge(self, pair: ComparedPair, relation: Relation) -> Decision:
        return self._made(
            "not_certified",
            "Do not decide on this: nobody has checked the judge.",
            f"{self._lead(pair)}; two more of its errors in 100 answers of one could change that",
            "let people judge a sample of the answers (240 are a start), then decide again",
            waiting=(pair.one, pair.other) if self._room(pair, relation) > 0 else (),
        )

    def _open_condition(self, label: str) -> Decision:
        state = self.candidates[label].states("open")[0]
        answer = f"Do not choose {label} yet: a condition is open."
        if state.interval is None or state.value is None:
            reason = f"{label} has too few answers ({state.n}) for {state.condition}"
            return self._made("not_decided", answer, reason, "measure what it is about")
        low, high = state.interval
        bound = next(c.bound for c in self.policy.must if c.text == state.condition)
        distance, repeats = abs(state.value - bound), self.candidates[label].repeats
        more = inf
        if distance:
            more = max(1, ceil(repeats * ((high - low) / 2 / distance) ** 2) - repeats)
        reason = f"{label} may or may not meet {state.condition}"
        return self._going_on(answer, reason, more, [label])

    def _not_decided(
        self, best: str, undecided: Sequence[str], pairs: Mapping[str, ComparedPair]
    ) -> Decision:
        reason = f"{best} came out first, but {listed(undecided)} may be as good or better"
        for rival in undecided:
            if standard_error(pairs[rival]) is None:
                why = pairs[rival].note or "the two have too little in common"
                answer = "Do not choose yet: the models cannot be compared."
                return self._going_on(answer, f"{reason}: {why}", inf, ())
        more = max(self._more_for(pairs[rival]) for rival in undecided)
        answer = "Do not choose yet: too few answers."
        return self._going_on(answer, reason, more, [best, *undecided])

    def _going_on(
        self, answer: str, reason: str, more: float, waiting: Sequence[str]
    ) -> Decision:
        """Not decided, with what it would take of those that wait for it."""
        most, unit = MOST_MORE[self._unit], self._unit
        fields: dict[str, Any] = {"waiting": tuple(waiting)}
        step = f"more than {most} further {unit}s might be needed: {LESS_HANGS_ON_IT}"
        if more <= most:
            costs = [self.candidates[label].usd_per_repeat for label in waiting]
            usd = None if None in costs else more * sum(cost or 0.0 for cost in costs)
            price = "cost unknown" if usd is None else f"about USD {usd:.2f} in all"
            step = f"about {more:g} more {unit}s of {listed(waiting)}, {price}"
            fields |= {"more": int(more), "more_usd": usd}
        return self._made("not_decided", answer, reason, step, **fields)

    def _more_for(self, pair: ComparedPair) -> float:
        """About how many more repeats (or questions) would tell the two apart, or show that they
        are equal, in four cases of five, were they as they seem; infinitely many: no number
        would."""
        pairs, spread = (
            len(self.compared.pairs),
            (standard_error(pair) or 0.0) * sqrt(pair.over),
        )

        def needed(level: float, distance: float) -> float:
            z = NormalDist().inv_cdf(1 - level * self.policy.alpha / pairs) + POWER_Z
            return (z * spread / distance) ** 2 if distance > LIMIT else inf

        alike = inf
        if self.policy.margin is not None:
            alike = needed(EQUAL, self.policy.margin - _distance(pair))
        wanted = min(needed(0.5, _distance(pair)), alike) - pair.over
        domains = max(1, len(self.compared.domains))
        return max(1, ceil(wanted / domains)) if pair.over and wanted < inf else inf

    @property
    def _unit(self) -> str:
        return "repeat" if self.compared.of == "drill" else "question"

    def _pair(self, first: str, rival: str) -> ComparedPair:
        return next(pair for pair in self.compared.pairs if _names(pair) == {first, rival})


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
    return float(
        stdtr(pair.df, -distance / se) if pair.df is not None else ndtr(-distance / se)
    )


def _distance(pair: ComparedPair) -> float:
    return abs(pair.difference or 0.0)


def _names(pair: ComparedPair) -> frozenset[str]:
    return frozenset((pair.one, pair.other))


def size_written(measure: str, difference: float | None) -> str:
    """`1.2 steps`, `6 answers in 100`, `0.4 on the scale of 5`."""
    amount = abs(difference or 0.0)
    if measure == "EVD":
        return f"{amount:.2g} steps"
    if measure == "score":
        return f"{amount:.2f} on the scale of 5"
    return f"{amount * 100:.3g} answers in 100" if amount < 1.5 else f"{amount:.3g}"


def listed(names: Sequence[str]) -> str:
    """`A, B and C`."""
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def rule_change(policy: Policy, before: Sequence[Policy]) -> str:
    """That it is not the rule of the beginning, in one sentence; empty where it is. That people
    have checked the judge can only come later, and is no change."""
    same = all(_rule(earlier) == _rule(policy) for earlier in before)
    return "" if same else "The rule was stated or changed after the runs."


def _rule(policy: Policy) -> object:
    conditions = {"".join(condition.text.split()) for condition in policy.must}
    return policy.margin, conditions, policy.prefer


# conditions

_CONDITION = re.compile(
    r"\s*([a-z][a-z0-9_]*)\s*(?:\[([^\]]+)\])?\s*(<=|>=)\s*(\d*\.?\d+)\s*(%?)\s*"
)


def parse_condition(text: str) -> Condition:
    """A condition as it is written. Raises UsageError."""
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise UsageError(
            f"--must {text!r} is no condition: write MEASURE <= BOUND, or MEASURE[TIER] >= BOUND, "
            'such as "accuracy[professional] >= 80%".'
        )
    measure, tag, sense, bound, percent = match.groups()
    return Condition(
        text=" ".join(text.split()),
        measure=measure,
        tag=(tag or "").strip(),
        sense=sense,
        bound=float(bound) / (100 if percent else 1),
    )


def condition_state(
    condition: Condition, model: str, estimate: Estimate, measure: Measure | None = None
) -> ConditionState:
    """Whether a model keeps to it. What is missing is never a pass."""
    state: State = "open"
    interval = estimate.interval if estimate.value is not None else None
    if interval is not None:
        low, high = interval
        inside, outside = high <= condition.bound, low > condition.bound
        if condition.sense == ">=":
            inside, outside = low >= condition.bound, high < condition.bound
        state = "met" if inside else "failed" if outside else "open"
    against = "failed" if condition.sense == ">=" else "met"
    if estimate.at_least and state == against:
        state = "open"  # a lower limit is not behind, nor known to stay below a bound
    return ConditionState(
        model=model,
        condition=condition.text,
        state=state,
        value=estimate.value,
        interval=interval,
        n=estimate.n,
        unit=measure.unit if measure else "",
        says=f"{measure.name}: {measure.says}" if measure else "",
    )
