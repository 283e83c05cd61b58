"""Profiles (METHODS.md, section 6): what runs of several methods say of each model, and where they
do not agree."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import product
from math import inf
from typing import Any, NamedTuple

from ..state.profile import (
    Contradiction,
    Ground,
    Profile,
    ProfileDocument,
    ProfileRow,
    Side,
)
from ..state.rows import AnswerRow, Measure
from .side_by_side import CHANCE, labels_of, settings_of

LOADS = ("none", "some", "many")
HEADLINES: Mapping[str, tuple[str, ...]] = {
    "drill": ("evd", "accuracy[tier]"),
    "eqt": (
        "accuracy",
        "acs",
        "acs_normalised",
    ),
    "depthqa": (
        "score",
        "score[depth]",
        "forward",
        "backward",
    ),
    "deepquestion": (
        "original",
        *(f"{figure}_{load}" for load in LOADS for figure in ("q2s", "drop")),
        "q2i",
        "distance",
    ),
}
"""Method → what of it stands in a profile; in brackets the tag by whose values it is told apart."""
EARLIEST = datetime.min.replace(tzinfo=UTC)


class MeasuredRun(NamedTuple):
    """A run that has a result. `started`: UTC; None where that is not known."""

    result: Any
    rows: Sequence[AnswerRow]
    started: datetime | None = None


Measures = Callable[[str], Sequence[Measure]]
"""What a method measures."""


def profile_document(
    runs: Iterable[MeasuredRun],
    measures: Measures,
    domain: str | None = None,
    notes: Iterable[str] = (),
) -> ProfileDocument:
    """One profile per model and domain. `runs`: of methods in `HEADLINES`; of those of one model,
    domain and settings the latest complete one counts, of drills that of each seed; where none is
    complete the latest. `domain`: what all are taken to be about."""
    alike: dict[tuple[str, str, str], list[MeasuredRun]] = defaultdict(list)
    for run in sorted(runs, key=lambda run: (run.started or EARLIEST, run.result.run_id)):
        spec = run.result.spec
        about = " ".join((domain or spec.domain).split()).casefold()
        alike[spec.target, about, settings_of(run.result)].append(run)
    sentences = [*notes]
    counting: dict[tuple[str, str], list[list[MeasuredRun]]] = defaultdict(list)
    for (model, about, _), group in alike.items():
        counts = _counting(group)
        counting[model, about].append(counts)
        counted = {run.result.run_id for run in counts}
        for run_id in (run.result.run_id for run in group):
            if run_id not in counted:
                last = counts[-1].result.run_id
                sentences.append(f"{run_id} is left out: {last} measures the same.")
    profiles = [_profile(groups, measures, domain) for groups in counting.values()]
    return ProfileDocument(
        simulated=any(profile.simulated for profile in profiles),
        profiles=tuple(profile for profile in profiles if profile.rows),
        notes=tuple(sentences),
    )


def _counting(alike: Sequence[MeasuredRun]) -> list[MeasuredRun]:
    complete = [run for run in alike if run.result.status == "complete"]
    if not complete:
        return [alike[-1]]
    if complete[0].result.method != "drill":
        return [complete[-1]]
    last_of_seed = {run.result.spec.seed: run.result.run_id for run in complete}
    return [run for run in complete if run.result.run_id in last_of_seed.values()]


def _profile(
    groups: Sequence[Sequence[MeasuredRun]], measures: Measures, domain: str | None
) -> Profile:
    rows: list[ProfileRow] = []
    for method in HEADLINES:
        part_rows = [group for group in groups if group[-1].result.method == method]
        results = [group[-1].result for group in part_rows]
        specs = [result.spec for result in results]
        labels = labels_of(specs, CHANCE, [result.run_id for result in results])
        for label, group in zip(labels, part_rows, strict=True):
            rows += _rows(label, group, measures(method))
    spec = groups[0][-1].result.spec
    return Profile(
        model=spec.target,
        domain=domain or spec.domain,
        simulated=any(row.simulated for row in rows),
        rows=tuple(rows),
        contradictions=contradictions(rows),
        cost_usd=_cost(run for group in groups for run in group),
    )


def _cost(runs: Iterable[MeasuredRun]) -> float | None:
    costs = [run.result.cost_usd for run in runs]
    return None if None in costs else sum(costs)


def _rows(
    label: str, runs: Sequence[MeasuredRun], measures: Sequence[Measure]
) -> Iterator[ProfileRow]:
    result, by_name = runs[-1].result, {measure.name: measure for measure in measures}
    parts: dict[tuple[str, str], list[AnswerRow]] = defaultdict(list)
    for headline in HEADLINES[result.method]:
        name, _, tag = headline.rstrip("]").partition("[")
        for row in (row for run in runs for row in run.rows):
            if not tag or row.tags.get(tag) is not None:
                parts[name, _part(row, tag)].append(row)
    for (name, part), part_rows in parts.items():
        estimate = by_name[name].of(part_rows)
        if estimate.value is not None:
            yield ProfileRow(
                measure=f"{name}{part}",
                unit=by_name[name].unit,
                value=estimate.value,
                interval=estimate.interval,
                n=estimate.n,
                at_least=estimate.at_least,
                method=result.method,
                domain=result.spec.domain,
                label=label,
                tier_depths=getattr(result.spec, "passes", 1),
                run_ids=tuple(run.result.run_id for run in runs),
                started=runs[-1].started,
                cost_usd=_cost(runs),
                simulated=any(run.result.simulated for run in runs),
                status=result.status,
            )


def _part(row: AnswerRow, tag: str) -> str:
    """`[common]`; sources do not tell a nominal tier apart."""
    nominal = " (nominal)" * (tag == "tier" and bool(row.tags.get("nominal")))
    return f"[{row.tags[tag]}{nominal}]" if tag else ""


# contradictions

Limit = tuple[Side, float]
"""On which side of what the whole interval has to lie; of an EVD in tiers."""


class Rule(NamedTuple):
    """A contradiction that there is when the figures of all these measures lie beyond limits."""

    says: str
    means: str
    limits: Mapping[str, Limit]


HIGH: Limit = ("at least", 0.8)
LOW: Limit = ("at most", 0.5)
DEEP: Limit = ("at least", 2)
"""Beyond the tiers COMMON and TEXTBOOK."""
SHALLOW: Limit = ("at most", 1)
LARGE: Limit = ("at least", 0.1)
"""Of a discrepancy. Above 0 alone would say nothing: no node counts below 0, so that scatter lifts
the average."""
LOST: Limit = ("at least", 0.05)
"""Of a drop: more than chance makes of the largest of three."""
FAR: Limit = ("at least", 0.2)
"""Of a distance: it is between two tasks, so that some is to be expected."""
EVD, COMMON = "drill.evd", "drill.accuracy[common]"
EXAM, CONSISTENCY = "eqt.accuracy", "eqt.acs_normalised"
STRATEGIC, SOLVED = "depthqa.score[3]", "deepquestion.original"

RULES = (
    Rule(
        "deep but inconsistent",
        "It answers far into the drill, yet the same question in other words gets another answer.",
        {EVD: DEEP, CONSISTENCY: LOW},
    ),
    Rule(
        "consistent but wrong",
        "It gives the same answer however it is asked, and mostly not the right one.",
        {CONSISTENCY: HIGH, EXAM: LOW},
    ),
    Rule(
        "passes the exam, lacks common knowledge",
        "It answers questions on an explanation, and not those that are checked against sources: "
        "what it agrees with may not be so.",
        {EXAM: HIGH, COMMON: LOW},
    ),
    Rule(
        "has common knowledge, fails the exam",
        "It answers what is checked against sources, and not questions on an explanation.",
        {COMMON: HIGH, EXAM: LOW},
    ),
    Rule(
        "answers deep questions, lacks what they rest on",
        "Where it answers the deeper questions it does worse on the shallower ones that lead to "
        "them: it may know the answers by heart.",
        {"depthqa.backward": LARGE},
    ),
    Rule(
        "good at strategic questions, shallow in the drill",
        "It answers questions of depth 3, and follow-up questions stop it within the COMMON tier.",
        {STRATEGIC: ("at least", 4), EVD: SHALLOW},
    ),
    Rule(
        "deep in the drill, poor at strategic questions",
        "It knows facts far down, and does not put them together to answer questions of depth 3.",
        {EVD: DEEP, STRATEGIC: ("at most", 3)},
    ),
    *(
        Rule(
            "solves bare problems, loses some in a scenario",
            "The same problem inside a scenario is solved less often.",
            {SOLVED: HIGH, f"deepquestion.drop_{load}": LOST},
        )
        for load in LOADS
    ),
    Rule(
        "solves problems, cannot pose them",
        "It solves problems of a kind that it cannot write to an instruction.",
        {
            SOLVED: HIGH,
            "deepquestion.q2i": LOW,
            "deepquestion.distance": FAR,
        },
    ),
)


def contradictions(rows: Sequence[ProfileRow]) -> tuple[Contradiction, ...]:
    """What the rows of one model and domain contradict each other in, in the order of the rules; of
    one method only rows of the same runs."""
    estimate = []
    for rule in RULES:
        beyond = [_beyond(measure, limit, rows) for measure, limit in rule.limits.items()]
        for grounds in product(*beyond):
            sources = {ground.row.run_ids for ground in grounds}
            if len(sources) == len({ground.row.method for ground in grounds}):
                estimate.append(
                    Contradiction(
                        says=rule.says,
                        means=rule.means,
                        grounds=grounds,
                    )
                )
    return tuple(estimate)


def _beyond(measure: str, limit: Limit, rows: Sequence[ProfileRow]) -> list[Ground]:
    """Figures with their whole interval beyond the limit; a lower limit is never below one."""
    grounds = []
    side, size = limit
    for row in rows:
        end = size * (row.tier_depths if row.unit == "depths" else 1)
        low, high = row.interval or (-inf, inf)
        met = low >= end if side == "at least" else high <= end and not row.at_least
        if met and measure == f"{row.method}.{row.measure}":
            grounds.append(Ground(row=row, side=side, limit=end))
    return grounds
