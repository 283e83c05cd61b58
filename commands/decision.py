"""What a decision is made of: the policy as it was said, and the runs it is about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..reports.page import figures
from ..state.comparison import Comparison
from ..state.decision import Condition, ConditionState, Decision, Policy, Preference
from ..state.errors import UsageError
from ..state.option import Option
from ..state.rows import AnswerRow, Estimate, Measure
from .comparison import ranking
from .declare import Given
from .ended import Ended, answers_of

LEAST_GROUPS, LEAST_ANSWERS = 6, 30
"""Sub-topics, and answers, below which nothing is certified."""
PREFERENCES: tuple[Preference, ...] = ("cheaper", "faster", "better")
MARGIN = Option(
    "--margin",
    "SIZE",
    "Smallest difference that matters: in steps of depth, or right answers in 100.",
    type=float,
    least=0.001,
    most=1000.0,
    default="none: no two models count as equal",
)
MUST = Option(
    "--must",
    "CONDITION",
    'What a model must keep to, such as "hallucination_rate[professional] <= 10%"; may be repeated.',
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
class StatedPolicy:
    """A policy as it was written, before it is known what is measured."""

    margin: float | None = None
    must: tuple[Condition, ...] = ()
    prefer: Preference = "cheaper"
    judge_checked: bool = False

    def over(self, compared: Comparison, alpha: float) -> Policy:
        """The same in the unit of what is compared."""
        shares = compared.measure not in ("EVD", "score")
        margin = self.margin / 100 if self.margin is not None and shares else self.margin
        return Policy(
            margin=margin,
            must=self.must,
            prefer=self.prefer,
            judge_checked=self.judge_checked,
            alpha=alpha,
        )


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision with what it was made from."""

    decision: Decision
    compared: Comparison
    runs: Mapping[str, Sequence[Ended]]
    """Model → its runs that count."""


def policy_of(given: Given, study: Mapping[str, Any] | None = None) -> StatedPolicy:
    """What was said on the command line counts instead of what stands in the study's `decide:`
    block. Raises UsageError."""
    from ..stats.conditions import parse_condition

    said = {key: given.get(key) for key in (option.key for option in POLICY_OPTIONS)}
    held = {**(study or {}), **{key: value for key, value in said.items() if value is not None}}
    prefer = held.get("prefer") or "cheaper"
    if prefer not in PREFERENCES:
        raise UsageError(f"--prefer knows {', '.join(PREFERENCES)}, not {prefer!r}.")
    margin = held.get("margin")
    if margin is not None and not _positive(margin):
        raise UsageError(f"--margin cannot be {margin!r}: it must be a number above 0.")
    must = held.get("must") or ()
    texts = [must] if isinstance(must, str) else [str(text) for text in must]
    return StatedPolicy(
        margin=float(margin) if margin is not None else None,
        must=tuple(parse_condition(text) for text in texts),
        prefer=prefer,
        judge_checked=bool(held.get("judge_checked")),
    )


def _positive(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e6


def decide_runs(
    runs: Sequence[Ended], stated: StatedPolicy, *, alpha: float = 0.05
) -> Decided | None:
    """The decision over runs of one method; None where there is nothing to compare. Raises
    UsageError for a condition on what is not measured."""
    from ..stats.decide import Candidate, decide

    compared = ranking(runs)
    if compared is None:
        return None
    policy = stated.over(compared, alpha)
    by_id = {run.run_id: run for run in runs}
    own = {
        model.label: [by_id[run_id] for run_id in model.run_ids if run_id in by_id]
        for model in compared.models
    }
    states = _condition_states(policy.must, own)
    candidates = [
        Candidate(
            label=model.label,
            gaps=_gaps(compared, model.label, own[model.label]),
            conditions=states[model.label],
            lower_limit=_lower_limit(own[model.label]) if model.at_least else "",
            usd_per_repeat=_usd_per_repeat(own[model.label], compared),
            repeats=_repeats(own[model.label], compared),
        )
        for model in compared.models
    ]
    return Decided(decide(compared, candidates, policy), compared, own)


def require_decided(runs: Sequence[Ended], stated: StatedPolicy) -> Decided:
    """The same. Raises UsageError where there is nothing to decide on."""
    methods = sorted({run.method or "no known method" for run in runs})
    if len(methods) > 1:
        raise UsageError(
            f"A decision is about runs of one method; these are of {', '.join(methods)}: name those "
            "of one."
        )
    decided = decide_runs(runs, stated)
    if decided is None:
        raise UsageError(
            f"There is nothing to decide on: no run of {methods[0]} has a result that models are "
            "compared by."
        )
    return decided


def _gaps(compared: Comparison, label: str, runs: Sequence[Ended]) -> tuple[str, ...]:
    """Why nothing can be certified of a model."""
    if not runs:
        ended = next(model.ended for model in compared.models if model.label == label)
        return (f"it has no finished run ({ended or 'nothing was measured'})",)
    gaps = [
        f"nothing was finished in {cell.domain}"
        for cell in compared.cells
        if cell.label == label and not cell.runs
    ]
    results: list[Any] = [run.result for run in runs]
    cut = next((r for r in results if r.stop_reason in ("infrastructure", "budget")), None)
    cut = cut or next((r for r in results if r.status != "complete"), None)
    if cut is not None:
        gaps.append(f"its run was cut short ({figures.stop_words(cut.stop_reason, None)})")
    rows = [row for run in runs for row in _scored(run)]
    groups = len({(row.domain, row.group) for row in rows})
    if rows and (groups < LEAST_GROUPS or len(rows) < LEAST_ANSWERS):
        gaps.append(
            f"it gave {len(rows)} answers on {groups} topics, and fewer than {LEAST_ANSWERS} "
            f"answers or {LEAST_GROUPS} topics are too few"
        )
    return tuple(gaps)


def _scored(run: Ended) -> list[AnswerRow]:
    return [
        row
        for row in answers_of(run)
        if row.score is not None and not row.condition.startswith("anchor")
    ]


def _lower_limit(runs: Sequence[Ended]) -> str:
    results: list[Any] = [run.result for run in runs]
    cut = next((result for result in results if getattr(result, "censored", None)), None)
    if cut is None:
        return "its figure is only a lower limit"
    return f"its questions ended at depth {cut.depth_reached} ({figures.stop_words(cut.stop_reason, None)})"


def _repeats(runs: Sequence[Ended], compared: Comparison) -> int:
    if compared.of != "drill":
        return max(1, sum(len(_scored(run)) for run in runs))
    return max(1, len(runs) // max(1, len(compared.domains)))


def _usd_per_repeat(runs: Sequence[Ended], compared: Comparison) -> float | None:
    """What one more repeat (or question) costs, what the cache has served at its price; None where
    a price is unknown."""
    usage = [row for run in runs if run.result for row in getattr(run.result, "usage", {}).values()]
    if not usage or any(row.cost_usd is None or row.saved_usd is None for row in usage):
        return None
    paid = sum((row.cost_usd or 0.0) + (row.saved_usd or 0.0) for row in usage)
    return paid / _repeats(runs, compared)


# conditions


def _condition_states(
    must: Sequence[Condition], own: Mapping[str, Sequence[Ended]]
) -> dict[str, tuple[ConditionState, ...]]:
    """Model → each condition on it. Raises UsageError for a measure or a tag that there is not."""
    from ..stats.conditions import condition_state

    if not must:
        return dict.fromkeys(own, ())
    rows = {label: [row for run in runs for row in answers_of(run)] for label, runs in own.items()}
    every = [row for part in rows.values() for row in part]
    found = [(condition, *_measured(condition, every)) for condition in must]
    return {
        label: tuple(
            condition_state(
                condition,
                label,
                _estimate(measure, _tagged(condition, tag, part)),
                measure.unit,
                measure.says,
            )
            for condition, measure, tag in found
        )
        for label, part in rows.items()
    }


def _estimate(measure: Measure, rows: Sequence[AnswerRow]) -> Estimate | None:
    return measure.of(rows) if rows else None


def _measured(condition: Condition, rows: Sequence[AnswerRow]) -> tuple[Measure, str]:
    """The measure that a condition is about, and the tag by which it is told apart."""
    from ..graphs.answers import measures_of
    from ..state.records import TIERS

    measures = {each.name: each for each in measures_of(rows[0].method)} if rows else {}
    measure = measures.get(condition.measure)
    if measure is None:
        raise UsageError(
            f"--must {condition.text!r}: there is no measure {condition.measure!r} here; there are "
            f"{', '.join(measures) or 'none'}."
        )
    if measure.unit == "share" and condition.bound > 1:
        raise UsageError(
            f"--must {condition.text!r}: {measure.name} is a share: write the bound in per cent, as "
            f"in {condition.bound:g}%."
        )
    if not condition.tag:
        return measure, ""
    key, _, value = condition.tag.rpartition("=")
    tags = [tag for tag in measure.by if key in ("", tag)]
    tag = next((tag for tag in tags if _values(rows, tag) & {_plain(value)}), "")
    if not tag and _plain(value) in {tier.value.lower() for tier in TIERS} and "tier" in tags:
        tag = "tier"  # one that no question reached: open, and never a pass
    if not tag:
        held = sorted({value for name in tags for value in _values(rows, name)})[:12]
        raise UsageError(
            f"--must {condition.text!r}: no answer is of {condition.tag!r}; there are "
            f"{', '.join(held) or 'no parts'}."
        )
    return measure, tag


def _values(rows: Sequence[AnswerRow], tag: str) -> set[str]:
    return {_plain(row.tags[tag]) for row in rows if tag in row.tags}


def _tagged(condition: Condition, tag: str, rows: Sequence[AnswerRow]) -> list[AnswerRow]:
    value = _plain(condition.tag.rpartition("=")[2])
    return [row for row in rows if not tag or _plain(row.tags.get(tag)) == value]


def _plain(value: object) -> str:
    return str(value).strip().lower().replace(" ", "_").replace("-", "_")
