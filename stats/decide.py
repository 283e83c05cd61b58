"""Which model to take, from a comparison, a margin and conditions (METHODS: Numbers for the drill).

Ahead: Holm's p below α. Beyond the margin: the difference less the margin, one-sided at α/2, by
Holm over all pairs. Equal: two one-sided tests at .8 α against ± margin, by Holm over all pairs. What
the judge could do to a difference is taken off it first, where the judge was not measured: a lead
that its errors could explain is not certified.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil, inf, sqrt
from typing import Literal

from ..state.comparison import ComparedModel, ComparedPair, Comparison
from ..state.decision import ConditionState, Decision, Outcome, Policy, State
from .decision_words import dollars, figure, listed, quoted, seconds, size_written, total_cost
from .ranking import holm

POWER_Z = 0.8416
"""Normal quantile of a chance of 80%."""
NORMAL_95 = 1.96
MOST_MORE = 60
"""Repeats beyond which nobody is advised to go on."""
MOST_QUESTIONS = 10_000
LIMIT = 1e-9
EQUAL = 0.8
"""Share of α at which each of the two one-sided tests is made. At α itself up to 6% of shallow
models that are a margin apart were found equal (bench/coverage/decide.py)."""
NO_NEED = "take what is cheaper or faster, or state a wider margin"
WAY_OUT = (
    "look for a model that meets the condition more clearly, or ask whether it must be as strict"
)
Relation = Literal["ahead", "beyond", "equal", "open"]


@dataclass(frozen=True, slots=True)
class Gap:
    """What is missing of a model, as a clause, and what to do about it."""

    why: str
    step: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """What is to be known of a model beside the comparison."""

    label: str
    gaps: tuple[Gap, ...] = ()
    """Why nothing can be certified of it: `its run was cut short by the budget`."""
    conditions: tuple[ConditionState, ...] = ()
    lower_limit: str = ""
    """Why its figure is only a lower limit; empty: it is none."""
    usd_per_repeat: float | None = None
    """What one more repeat of it costs (of questions: one more question)."""
    repeats: int = 1
    """How often it was repeated (of questions: how many)."""


def decide(compared: Comparison, candidates: Sequence[Candidate], policy: Policy) -> Decision:
    """The decision over all models of the comparison. `candidates`: one for each of its models."""
    return _Judgement(compared, {each.label: each for each in candidates}, policy).decision()


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
        if gaps:
            return self._not_certified(*gaps[0])
        left = [label for label in labels if not self._in_state(label, "failed")]
        if not left:
            return self._none_left()
        if len(labels) == 1 and not self.policy.must:
            return self._single(left[0])
        waiting = [label for label in left if self._in_state(label, "open")]
        if len(left) == 1:
            return self._open_condition(left[0]) if waiting else self._only(left[0], labels)
        return self._among(left)

    # several models that may be taken

    def _among(self, left: Sequence[str]) -> Decision:
        relations = self._relations()
        best = self._leader(left, relations)
        others = [label for label in left if label != best]
        pairs = {other: self._pair(best, other) for other in others}
        found = {other: relations[frozenset((best, other))] for other in others}
        hard = [other for other in others if found[other] == "open"]
        if hard:
            return self._not_decided(best, hard, pairs)
        shaky = [other for other in others if self._judge_could(pairs[other], found[other])]
        if shaky:
            return self._unmeasured_judge(best, shaky[0], pairs[shaky[0]])
        equals = [best, *(other for other in others if found[other] == "equal")]
        if self.policy.prefer == "better":
            ahead = [o for o in others if self._ahead(pairs[o])]
            equals = [label for label in equals if label not in ahead]
        cut = [label for label in equals if self.candidates[label].lower_limit]
        if len(equals) > 1 and cut:
            return self._not_certified(
                cut[0],
                Gap(
                    f"{self.candidates[cut[0]].lower_limit}, so that nobody knows whether it would "
                    "have gone deeper",
                    "measure deeper (--max-depth, or sources that reach further), then decide again.",
                ),
            )
        taken, why = self._preferred(equals)
        if self._in_state(taken or best, "open"):
            return self._open_condition(taken or best)
        if len(equals) > 1:
            return self._equal(taken, why, equals, pairs)
        beyond = all(found[other] == "beyond" for other in others)
        return self._better(best, others, pairs, beyond=beyond)

    def _leader(self, left: Sequence[str], relations: Mapping[frozenset[str], Relation]) -> str:
        """The first in the ranking, unless another one is ahead of it in what both were asked."""
        best = left[0]
        for other in left[1:]:
            pair = self._pair(best, other)
            if pair.one == other and relations[frozenset((best, other))] in ("ahead", "beyond"):
                best = other
        return best

    def _relations(self) -> dict[frozenset[str], Relation]:
        """How the two models of each pair stand to each other, over all pairs at once."""
        pairs = self.compared.pairs
        beyond = dict(
            zip(map(_names, pairs), holm([self._p_beyond(p) for p in pairs]), strict=True)
        )
        equal = dict(zip(map(_names, pairs), holm([self._p_equal(p) for p in pairs]), strict=True))
        relations: dict[frozenset[str], Relation] = {}
        for pair in pairs:
            name = _names(pair)
            margin = self.policy.margin
            if margin is not None and equal[name] < EQUAL * self.policy.alpha:
                relations[name] = "equal"
            elif margin is not None and beyond[name] < self.policy.alpha / 2:
                relations[name] = "beyond"
            else:
                relations[name] = "ahead" if self._ahead(pair) else "open"
        return relations

    def _ahead(self, pair: ComparedPair) -> bool:
        return pair.p_adjusted is not None and pair.p_adjusted < self.policy.alpha

    def _p_beyond(self, pair: ComparedPair) -> float:
        """One-sided: that the difference is no more than the margin."""
        se, margin = standard_error(pair), self.policy.margin
        if se is None or margin is None or pair.difference is None:
            return 1.0
        return _upper(pair, (pair.difference - self._judge - margin) / se)

    def _p_equal(self, pair: ComparedPair) -> float:
        """The larger of the two one-sided p against ± margin."""
        se, margin = standard_error(pair), self.policy.margin
        if se is None or margin is None or pair.difference is None:
            return 1.0
        return _upper(pair, (margin - abs(pair.difference)) / se)

    @property
    def _judge(self) -> float:
        """How far two points of difference between an unchecked judge's errors set two models
        apart."""
        return 0.0 if self.policy.judge_checked else self.compared.judge_points or 0.0

    def _judge_could(self, pair: ComparedPair, relation: Relation) -> bool:
        """Whether that would change what is said of the pair."""
        effect, se = self._judge, standard_error(pair)
        if not effect or se is None or pair.difference is None:
            return False
        if relation == "equal":
            left = (self.policy.margin or 0.0) - abs(pair.difference) - effect
            return _upper(pair, left / se) >= EQUAL * self.policy.alpha
        return _upper(pair, (pair.difference - effect) / se) >= self.policy.alpha / 2

    def _preferred(self, equals: Sequence[str]) -> tuple[str | None, str]:
        """Which of equal models is taken, and why; None where what is preferred is not known."""
        if len(equals) == 1 or self.policy.prefer == "better":
            return equals[0], "it came out first"
        cheaper = self.policy.prefer == "cheaper"
        price: Callable[[ComparedModel], float | None] = (
            (lambda model: model.usd_per_100) if cheaper else (lambda model: model.latency_s)
        )
        values = {label: price(self._model(label)) for label in equals}
        if any(value is None for value in values.values()):
            return None, "prices are not known" if cheaper else "waiting times are not known"
        ordered = sorted(values.items(), key=lambda item: item[1] or 0.0)
        (first, least), (_, second) = ordered[:2]
        write = dollars if cheaper else seconds
        if write(least) == write(second):
            return None, "they cost the same" if cheaper else "they are equally fast"
        what = "costs less" if cheaper else "is faster"
        aim = "price" if cheaper else "speed"
        return first, f"it {what} ({write(least)} against {write(second)}; {aim} was to decide)"

    # the verdicts

    def _made(self, verdict: Outcome, model: str | None, *lines: str, **more: object) -> Decision:
        answer, reason, next_step = lines
        fields: dict[str, object] = {
            "verdict": verdict,
            "model": model,
            "answer": answer,
            "reason": reason,
            "next_step": next_step,
            "conditions": tuple(
                state for model in self.compared.models for state in self._states(model.label)
            ),
            "policy": self.policy,
            "measure": self.compared.measure,
            "simulated": self.compared.simulated,
            "judge_effect": self._judge,
            "unit": "repeats" if self.compared.of == "drill" else "questions",
        }
        return Decision.model_validate(fields | more)

    def _better(
        self,
        best: str,
        others: Sequence[str],
        pairs: Mapping[str, ComparedPair],
        *,
        beyond: bool,
    ) -> Decision:
        nearest = min(others, key=lambda other: pairs[other].difference or 0.0)
        size = self._size(pairs[nearest].difference)
        than = f"than {nearest}" + (", the next best" if len(others) > 1 else "")
        reason = f"On the same topics {best} {self._verb(size)} {than}"
        if pairs[nearest].depth is not None:
            reason += f", as far as both were asked (depth {pairs[nearest].depth})"
        if beyond:
            end = f"; that is surely more than the {self._margin()} that matter."
            return self._made(
                "better_beyond_margin",
                best,
                f"Take {best}: it is clearly better.",
                reason + end,
                "none is needed.",
            )
        perhaps = (
            f"; whether by more than the {self._margin()} that matter is not sure."
            if self.policy.margin is not None
            else "; no margin was stated below which a difference does not matter."
        )
        return self._made(
            "better",
            best,
            f"Take {best}: it is better, though perhaps not by much."
            if self.policy.margin is not None
            else f"Take {best}: it is better.",
            reason + perhaps,
            "none is needed, unless the other model has advantages of its own."
            if len(others) == 1
            else "none is needed, unless another model has advantages of its own.",
        )

    def _equal(
        self,
        taken: str | None,
        why: str,
        equals: Sequence[str],
        pairs: Mapping[str, ComparedPair],
    ) -> Decision:
        names = listed(equals)
        last = max(equals[1:], key=lambda other: pairs[other].difference or 0.0)
        size = self._size(pairs[last].difference)
        reason = (
            f"{names} know equally much, for your purpose: they differ by about {size}, surely by "
            f"less than the {self._margin()} that matter."
        )
        answer = (
            f"Take {taken}: it is as good as {listed([e for e in equals if e != taken])}, and {why}."
            if taken is not None
            else f"Take any of {names}: they are equally good, and {why}."
        )
        return self._made("equal", taken, answer, reason, "none is needed.", equals=tuple(equals))

    def _only(self, label: str, labels: Sequence[str]) -> Decision:
        out = [other for other in labels if other != label]
        reason = f"{label} meets every condition."
        if out:
            failed = self._in_state(out[0], "failed")
            reason = f"{label} meets every condition; {out[0]} fails {quoted(failed[0])}."
        answer = f"Take {label}: it is the only one that meets the conditions."
        if not out:
            answer = f"Take {label}: it meets the conditions; no other model was measured."
        return self._made("meets_conditions", label, answer, reason, "none is needed.")

    def _single(self, label: str) -> Decision:
        return self._made(
            "not_decided",
            None,
            "There is nothing to decide yet: only one model was measured.",
            f"{label} was compared with no other model, and no condition was stated.",
            "measure a second model on the same topics, or state what it must keep to (--must).",
        )

    def _none_left(self) -> Decision:
        labels = [model.label for model in self.compared.models]
        failed = {label: self._in_state(label, "failed")[0] for label in labels}
        words = "; ".join(f"{label} fails {quoted(state)}" for label, state in failed.items())
        one = len(labels) == 1
        return self._made(
            "fails_condition",
            None,
            f"Do not take {labels[0]}: it fails a condition."
            if one
            else "Take none of them: each fails a condition.",
            f"{words}.",
            "try another model, or ask whether the condition is the one that you need.",
        )

    def _not_certified(self, label: str, gap: Gap) -> Decision:
        return self._made(
            "not_certified",
            None,
            "Do not decide on this: the measurement is not complete enough.",
            f"{label}: {gap.why}.",
            gap.step,
        )

    def _unmeasured_judge(self, best: str, other: str, pair: ComparedPair) -> Decision:
        return self._made(
            "not_certified",
            None,
            "Do not decide on this: nobody has checked the judge.",
            f"{best} and {other} differ by about {self._size(pair.difference)}; if the judge erred "
            "by two more answers in 100 with one of them than with the other, that alone could "
            "change the verdict.",
            "let people judge a sample of the answers (240 are a start), then decide again.",
        )

    def _open_condition(self, label: str) -> Decision:
        state = self._in_state(label, "open")[0]
        condition = next(c for c in self.policy.must if c.text == state.condition)
        more = None
        if state.interval is None or state.value is None:
            reason = f"Of {label} there is no figure for {state.condition!r}."
            step = "measure what the condition is about; what is missing is never a pass."
        else:
            reason = (
                f"{label} may or may not meet {quoted(state)}: the answers so far allow for "
                f"{figure(state.interval[0], state.unit)} to "
                f"{figure(state.interval[1], state.unit)}."
            )
            half = (state.interval[1] - state.interval[0]) / 2
            away = abs(state.value - condition.bound)
            now = self.candidates[label].repeats
            more = ceil(now * (half / away) ** 2) - now if away else None
            more = max(1, more) if more is not None else None
            step = ""
        return self._going_on(
            f"Do not choose {label} yet: a condition is open.", reason, step, more
        )

    def _not_decided(
        self, best: str, hard: Sequence[str], pairs: Mapping[str, ComparedPair]
    ) -> Decision:
        several = len(hard) > 1
        reason = (
            f"{best} came out first, but {listed(hard)} may be {'as good' if several else 'just as good'}"
            " or better."
        )
        untested = next((pairs[o] for o in hard if standard_error(pairs[o]) is None), None)
        if untested is not None:
            why = untested.note or "the two have too little in common"
            return self._going_on(
                "Do not choose yet: the models cannot be compared.",
                f"{reason[:-1]}: {why}.",
                "",
                None,
            )
        needs = [self._more_for(pairs[other]) for other in hard]
        known = [need for need in needs if need is not None]
        more = max(known) if len(known) == len(needs) else None
        step = ""
        if more is None and self.policy.margin is None:
            step = (
                "state the difference that matters to you (--margin): then two models can also be "
                "found equal."
            )
        return self._going_on("Do not choose yet: too few answers.", reason, step, more)

    def _going_on(
        self, answer: str, reason: str, step: str, more: int | None, instead: str = NO_NEED
    ) -> Decision:
        """Not decided, with what it would take."""
        drilled = self.compared.of == "drill"
        most, what = (MOST_MORE, "repeat") if drilled else (MOST_QUESTIONS, "question")
        if more is not None and more > most:
            more = None
        costs = [self.candidates[m.label].usd_per_repeat for m in self.compared.models]
        usd = None
        if more is not None and all(cost is not None for cost in costs):
            usd = more * sum(cost or 0.0 for cost in costs)
        if more is not None:
            of_each = " of each model" if drilled and len(costs) > 1 else ""
            step = f"about {more} more {what}{'s' * (more > 1)}{of_each}, {total_cost(usd)}."
        elif not step:
            step = f"more than {most} further {what}s might be needed: {instead}."
        return self._made("not_decided", None, answer, reason, step, more=more, more_usd=usd)

    def _more_for(self, pair: ComparedPair) -> int | None:
        """About how many more repeats (or questions) would tell the two apart, or show that they
        are equal, in four cases of five, were they as they seem; None: no number would."""
        se, margin = standard_error(pair), self.policy.margin
        if se is None or pair.difference is None or not pair.over:
            return None
        pairs, spread = max(1, len(self.compared.pairs)), se * sqrt(pair.over)
        away = abs(pair.difference)
        apart = _needed(_quantile(self.policy.alpha / 2 / pairs) + POWER_Z, spread, away)
        alike = inf
        if margin is not None:
            alike = _needed(
                _quantile(EQUAL * self.policy.alpha / pairs) + POWER_Z, spread, margin - away
            )
        needed = min(apart, alike)
        if needed == inf:
            return None
        domains = max(1, len(self.compared.domains))
        return max(1, ceil((needed - pair.over) / domains))

    # figures

    def _pair(self, one: str, other: str) -> ComparedPair:
        wanted = frozenset((one, other))
        found = next((pair for pair in self.compared.pairs if _names(pair) == wanted), None)
        return found or ComparedPair(one=one, other=other, difference=None)

    def _model(self, label: str) -> ComparedModel:
        return next(model for model in self.compared.models if model.label == label)

    def _states(self, label: str) -> Sequence[ConditionState]:
        return self.candidates[label].conditions

    def _in_state(self, label: str, state: State) -> list[ConditionState]:
        return [each for each in self._states(label) if each.state == state]

    def _margin(self) -> str:
        return self._size(self.policy.margin)

    def _size(self, difference: float | None) -> str:
        return size_written(self.compared.measure, difference)

    def _verb(self, size: str) -> str:
        if self.compared.measure == "EVD":
            return f"stays right about {size} deeper"
        return f"is about {size} better"


def standard_error(pair: ComparedPair) -> float | None:
    """Of the difference; where none is told, that of the normal curve whose 95% interval is the
    pair's."""
    if pair.se is not None:
        return max(pair.se, LIMIT)
    if pair.interval is None or pair.p is None:
        return None
    return max((pair.interval[1] - pair.interval[0]) / (2 * NORMAL_95), LIMIT)


def _upper(pair: ComparedPair, t: float) -> float:
    """The chance of so much or more, of Student's t."""
    from scipy.special import ndtr, stdtr

    return float(stdtr(pair.df, -t) if pair.df is not None else ndtr(-t))


def _quantile(tail: float) -> float:
    from statistics import NormalDist

    return NormalDist().inv_cdf(1 - tail)


def _needed(z: float, spread: float, distance: float) -> float:
    """Pairs of drills after which the standard error is `distance`/z."""
    return (z * spread / distance) ** 2 if distance > LIMIT else inf


def _names(pair: ComparedPair) -> frozenset[str]:
    return frozenset((pair.one, pair.other))
