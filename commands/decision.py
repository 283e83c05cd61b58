"""What a decision is made of: the policy as it was said, and the runs it is about."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from statistics import NormalDist
from typing import Any

from ..reports.page import figures
from ..state.comparison import ComparedModel, Comparison
from ..state.decision import Condition, ConditionState, Decision, Policy, Preference
from ..state.errors import UsageError
from ..state.option import Option
from ..state.rows import ANCHOR, AnswerRow, Estimate, Measure
from ..state.tiers import TIERS
from ..stats.decide import Gap
from .comparison import ranking
from .declare import Given
from .finished import FinishedRun, require_one_method, rows_of_runs

LEAST_GROUPS, LEAST_ANSWERS = 6, 30
"""Sub-topics, and answers, below which nothing is certified; a drill whose model gave out early
asks few questions by its own rule."""
SCALES = {
    "depths": (0.0, inf, "in steps of depth, from 0 on"),
    "share": (0.0, 1.0, "in per cent, from 0% to 100%"),
    "score": (1.0, 5.0, "as a mean rating, from 1 to 5"),
    "index": (-100.0, 100.0, "from -100 to 100"),
}
"""Unit of a measure → its lowest and highest value, and how a bound on it is stated."""
FINISH = "`fathom resume` goes on with a run that was cut short; then decide again"
DEEPER = "measure deeper (--max-depth, or sources that reach further), then decide again"
PREFERENCES: tuple[Preference, ...] = ("cheaper", "faster", "better")
MARGIN = Option(
    "--margin",
    "SIZE",
    "Smallest difference that matters: steps of depth; of DepthQA points; else answers in 100.",
    type=float,
    default="none: no two models count as equal",
)
MUST = Option(
    "--must",
    "CONDITION",
    'What a model must keep to, such as "accuracy[professional] >= 80%"; may be repeated.',
    type=list[str],
)
PREFER = Option(
    "--prefer", "WHICH", f"Of equal models: {', '.join(PREFERENCES)}.", default="cheaper"
)
CHECKED = Option(
    "--judge-checked",
    "",
    "People have checked a sample of the judge's verdicts and found it reliable.",
)
POLICY_OPTIONS = (MARGIN, MUST, PREFER, CHECKED)


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision with what it was made from."""

    decision: Decision
    compared: Comparison
    runs: Mapping[str, Sequence[FinishedRun]]
    """Model → its runs that count."""

    @property
    def open_targets(self) -> set[str]:
        """Those of which more answers might decide."""
        return {
            run.spec["target"]
            for label in self.decision.waiting
            for run in self.runs[label][:1]
        }


def policy_of(given: Given, study: Mapping[str, Any] | None = None) -> Policy:
    """What was said on the command line counts instead of what stands in the study's `decide:`
    block. Raises UsageError."""
    from ..stats.decide import parse_condition

    stated = {**(study or {})}
    for option in POLICY_OPTIONS:
        if given.get(option.key) is not None:
            stated[option.key] = given[option.key]
    prefer, must = stated.get("prefer") or "cheaper", stated.get("must") or ()
    if prefer not in PREFERENCES:
        raise UsageError(f"--prefer knows {', '.join(PREFERENCES)}, not {prefer!r}.")
    require_margin(stated.get("margin"), inf)
    texts = [must] if isinstance(must, str) else must
    return Policy(
        margin=stated.get("margin"),
        must=tuple(map(parse_condition, texts)),
        prefer=prefer,
        judge_checked=bool(stated.get("judge_checked")),
    )


def require_margin(margin: float | None, scale: float) -> None:
    """Raises UsageError for one that is not on the scale of what is measured."""
    if margin is not None and not 0 < margin < scale:
        limit = f" and below {scale:g}, which is the whole scale" if scale < inf else ""
        raise UsageError(
            f"--margin cannot be {margin:g}: it must lie above 0{limit}; state the smallest "
            "difference that matters."
        )


def scale_of(spec: Any) -> float:
    """What no margin can reach, in the unit in which it is stated: steps of depth, points, answers
    in 100."""
    return {"drill": float(getattr(spec, "max_depth", inf)), "depthqa": 4.0}.get(
        spec.method, 100.0
    )


def _in_unit(policy: Policy, compared: Comparison, runs: Sequence[FinishedRun]) -> Policy:
    """The same in the unit of what is compared, at the level of one look where a launch of these
    runs went on until it was decided."""
    from ..graphs.drill.paired import level_of_each

    margin, alpha = policy.margin, policy.alpha
    require_margin(margin, min(scale_of(run.result.spec) for run in runs if run.result))
    if margin is not None and compared.measure not in ("EVD", "score"):
        margin = margin / 100
    launches = [run.launch for run in runs if run.result is not None]
    most = max((launch.until_decided or 0 for launch in launches if launch), default=0)
    update = {"margin": margin, "alpha": level_of_each(most) if most else alpha}
    return policy.model_copy(update=update)


def decide_runs(runs: Sequence[FinishedRun], stated: Policy) -> Decided | None:
    """The decision over runs of one method; None where there is nothing to compare. Raises
    UsageError for a margin or a condition on what is not measured."""
    from ..stats.decide import Candidate, decide, rule_change

    compared = ranking(runs)
    if compared is None:
        return None
    compared = compared.corrected or compared
    policy = _in_unit(stated, compared, runs)
    by_id = {run.run_id: run for run in runs}
    counted = {
        model.label: [by_id[run_id] for run_id in model.run_ids if run_id in by_id]
        for model in compared.models
    }
    states = _condition_states(policy, counted)
    candidates = []
    for model in compared.models:
        runs_of_model = counted[model.label]
        repeats = _repeats(runs_of_model, compared)
        candidate = Candidate(
            label=model.label,
            gaps=tuple(_gaps(compared.of, model, runs_of_model, runs)),
            conditions=states[model.label],
            lower_limit=_lower_limit(runs_of_model, at_least=model.at_least),
            usd_per_repeat=_usd_per_repeat(runs_of_model, repeats),
            repeats=repeats,
        )
        candidates.append(candidate)
    launches = [run.launch for run in runs]
    before = [launch.policy for launch in launches if launch and launch.policy is not None]
    decision = decide(compared, candidates, policy)
    change = {"rule_change": rule_change(stated, before)}
    return Decided(decision.model_copy(update=change), compared, counted)


def require_decided(runs: Sequence[FinishedRun], stated: Policy) -> Decided:
    """The same. Raises UsageError where there is nothing to decide on."""
    method = require_one_method(runs, "name those of one")
    decided = decide_runs(runs, stated)
    if decided is None:
        launches = {run.launch.launch for run in runs if run.launch and run.result is None}
        resume = "".join(f" (`fathom resume {launch}`)" for launch in sorted(launches))
        raise UsageError(
            f"There is nothing to decide on: no run of {method} has a result that models are "
            f"compared by{resume}."
        )
    return decided


def _gaps(
    of: str,
    model: ComparedModel,
    runs: Sequence[FinishedRun],
    everything: Sequence[FinishedRun],
) -> Iterator[Gap]:
    """Why nothing can be certified of a model. `every`: the runs of all models, those without a
    result among them."""
    if not runs:
        yield Gap(f"it has no finished run ({model.ended or 'nothing was measured'})", FINISH)
        return
    target = runs[0].spec["target"]
    cut = [run for run in everything if run.spec.get("target") == target and _is_cut(run)]
    if cut:
        yield Gap(f"{figures.count(len(cut), 'run')} of it did not finish", FINISH)
    rows = [row for run in runs for row in _scored(run)]
    groups = len({(row.domain, row.group) for row in rows})
    gave_out = all(run.result and run.result.stop_reason == "threshold" for run in runs)
    too_few = len(rows) < LEAST_ANSWERS and not gave_out
    if rows and (too_few or groups < LEAST_GROUPS):
        yield Gap(
            f"it gave {len(rows)} answers on {groups} topics, and {LEAST_ANSWERS} on "
            f"{LEAST_GROUPS} are needed",
            "ask more questions, about more topics, then decide again",
            by_repeats=of == "drill",
        )


def _is_cut(run: FinishedRun) -> bool:
    """Whether it came to no end of its own."""
    result = run.result
    if result is None or result.status != "complete":
        return True
    return result.stop_reason in ("infrastructure", "budget")


def _scored(run: FinishedRun) -> list[AnswerRow]:
    rows = run.rows
    return [
        row for row in rows if row.score is not None and not row.condition.startswith(ANCHOR)
    ]


def _lower_limit(runs: Sequence[FinishedRun], *, at_least: bool) -> Gap | None:
    """Why a model might have gone deeper than it was asked; None where it could not."""
    for run in runs:
        result: Any = run.result
        if _allowed_no_deeper(result) or getattr(result, "censored", None):
            return Gap(f"its questions ended at depth {result.depth_reached}", DEEPER)
    return Gap("its figure is only a lower limit", DEEPER) if at_least else None


def _allowed_no_deeper(result: Any) -> bool:
    """Whether a drill ended at a limit above the depth that a drill has by itself."""
    if result.method != "drill" or result.stop_reason != "max_depth":
        return False
    return bool(result.spec.max_depth < len(TIERS) * result.spec.passes)


def _repeats(runs: Sequence[FinishedRun], compared: Comparison) -> int:
    if compared.of != "drill":
        return max(1, sum(len(_scored(run)) for run in runs))
    return max(1, len(runs) // max(1, len(compared.domains)))


def _usd_per_repeat(runs: Sequence[FinishedRun], repeats: int) -> float | None:
    """What one more repeat (or question) costs, what the cache has served at its price; None where
    a price is unknown."""
    usage = [role for run in runs if run.result for role in run.result.usage.values()]
    costs = [cost for role in usage for cost in (role.cost_usd, role.saved_usd)]
    if not costs or None in costs:
        return None
    return sum(cost or 0.0 for cost in costs) / repeats


# conditions


def _condition_states(
    policy: Policy, runs: Mapping[str, Sequence[FinishedRun]]
) -> dict[str, tuple[ConditionState, ...]]:
    """Model → each condition on it. Raises UsageError for a measure or a tag that there is not."""
    from ..stats.correction import with_shared_errors
    from ..stats.decide import condition_state

    if not policy.must:
        return dict.fromkeys(runs, ())
    rows = with_shared_errors({label: rows_of_runs(part) for label, part in runs.items()})
    everything = [row for part in rows.values() for row in part]
    about = [(condition, *_measured(condition, everything)) for condition in policy.must]
    states = dict[str, tuple[ConditionState, ...]]()
    for label, part in rows.items():
        shallow = any(_allowed_no_deeper(run.result) for run in runs[label])
        of_model = []
        for condition, measure, tag in about:
            value = plain(condition.tag.rpartition("=")[2])
            tagged = [row for row in part if not tag or plain(row.tags.get(tag)) == value]
            estimate = _estimate(measure, tagged, policy, shallow=shallow)
            of_model.append(condition_state(condition, label, estimate, measure))
        states[label] = tuple(of_model)
    return states


def _estimate(
    measure: Measure, rows: Sequence[AnswerRow], policy: Policy, *, shallow: bool
) -> Estimate:
    """At the level of one look, by the normal curve. `shallow`: whether a depth is only a lower
    limit, as the model was asked no deeper."""
    estimate = measure.of(rows) if rows else Estimate(None)
    if estimate.value is None or estimate.interval is None:
        return estimate
    level, usual = (1 - alpha / 2 for alpha in (policy.alpha, Policy().alpha))
    wider = NormalDist().inv_cdf(level) / NormalDist().inv_cdf(usual)
    least, most, _ = SCALES[measure.unit]
    value, (low, high) = estimate.value, estimate.interval
    return replace(
        estimate,
        low=max(least, value - wider * (value - low)),
        high=min(most, value + wider * (high - value)),
        at_least=estimate.at_least or (shallow and measure.unit == "depths"),
    )


def _measured(condition: Condition, rows: Sequence[AnswerRow]) -> tuple[Measure, str]:
    """The measure that a condition is about, and the tag by which it is told apart. A tier that no
    question reached is one too: a condition on it is open."""
    measure = measure_of(condition, rows[0].method)
    if not condition.tag:
        return measure, ""
    key, _, value = condition.tag.rpartition("=")
    for tag in measure.by if not key else {key} & {*measure.by}:
        values = {plain(row.tags[tag]) for row in rows if tag in row.tags}
        if tag == "tier":
            values |= {plain(tier.value) for tier in TIERS}
        if plain(value) in values:
            return measure, tag
    raise UsageError(
        f"--must {condition.text!r}: no answer is of {condition.tag!r}; {measure.name} is told "
        f"apart by {', '.join(measure.by) or 'nothing'}."
    )


def measures_by_name(method: str) -> dict[str, Measure]:
    """Those that a condition can be about; none of a method that asks no target."""
    from ..graphs.answers import measures_of

    return {measure.name: measure for measure in measures_of(method)}


def measure_of(condition: Condition, method: str) -> Measure:
    """The measure of a method that a condition is about. Raises UsageError where there is none, or
    the bound is not on its scale."""
    measures = measures_by_name(method)
    measure = measures.get(condition.measure)
    if measure is None:
        raise UsageError(
            f"--must {condition.text!r}: there is no measure {condition.measure!r} here; there are "
            f"{', '.join(measures) or 'none'}."
        )
    low, high, stated = SCALES[measure.unit]
    percent = "%" in condition.text and measure.unit != "share"
    if percent or not low <= condition.bound <= high:
        raise UsageError(f"--must {condition.text!r}: {measure.name} is stated {stated}.")
    return measure


def plain(value: object) -> str:
    """A value of a tag as a condition may write it."""
    return str(value).strip().lower().replace(" ", "_").replace("-", "_")
