"""Profiles (METHODS.md, section 6): what runs of several methods say of each model, and where they
do not agree."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ...state.profile import Profile, ProfileDocument, ProfileRow
from ...state.result import Status
from ...state.results import Result
from .rows import (
    ENOUGH,
    Figure,
    deepquestion_figures,
    depthqa_figures,
    drill_figures,
    eqt_figures,
    repeats_of,
)
from .rules import comparable, contradictions, plain
from .settings import differences, settings_of

EARLIEST = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Run:
    """A run that has a result. `started`: UTC; None where that is not known."""

    result: Any
    """Of a method that a profile knows; its type follows from the method."""
    started: datetime | None = None

    @property
    def id(self) -> str:
        return str(self.result.run_id)

    @property
    def name(self) -> str:
        """As a note calls it."""
        return f"{self.id} ({PARTS[self.result.method].name}, {self.result.spec.domain})"


@dataclass(frozen=True, slots=True)
class Part:
    """What a method adds to a profile."""

    name: str
    """As a reader calls the method."""
    subject: Callable[[Any], object]
    """Of a spec: what a run is about, as a reader is told. Of runs of one model, subject and
    settings the latest counts."""
    figures: Callable[[Sequence[Any]], Sequence[Figure]]
    """Of the results that count together, one of them alone but for repeats."""
    together: Callable[[Any, Sequence[Any]], Sequence[Any]] = lambda latest, _: [latest]
    """The results that count together with the latest, out of all others; it alone as a rule."""


def _of_one(
    figures: Callable[[Any], Sequence[Figure]],
) -> Callable[[Sequence[Any]], Sequence[Figure]]:
    return lambda results: figures(results[0])


def _concepts(spec: Any) -> object:
    """Few are named, in whatever order; of many it is said how many they are."""
    names = frozenset(concept.name for concept in spec.concepts)
    return names if len(names) <= FEW else spec.domain


FEW = 3
PARTS: Mapping[str, Part] = {
    "drill": Part("drill", lambda spec: plain(spec.domain), drill_figures, repeats_of),
    "eqt": Part("Explain-Query-Test", _concepts, _of_one(eqt_figures)),
    "depthqa": Part("DepthQA", lambda spec: spec.graph, _of_one(depthqa_figures)),
    "deepquestion": Part(
        "DeepQuestion", lambda spec: spec.benchmark, _of_one(deepquestion_figures)
    ),
}
"""By method, in the order of a profile. A further method adds a line."""

NO_PLACE: Mapping[str, str] = {
    "depthqa_build": "it builds a graph of questions and measures no model",
    "replay": "its questions were drilled with another model, so that it has no EVD of its own",
    "rejudge": "it judges another run's answers again and measures no model by itself",
}
"""Methods without a line in a profile, and why."""


def why_not(run_id: str, result: Result) -> str | None:
    """Why a run is not part of any profile, as a sentence; None where it can be."""
    if result.method in PARTS:
        return None
    why = NO_PLACE.get(result.method, f"a profile does not know the method {result.method}")
    return f"{run_id} has no place in a profile: {why}."


def profile_document(
    runs: Iterable[Run], domain: str | None = None, notes: Iterable[str] = ()
) -> ProfileDocument:
    """One profile per model, in the order in which the models first appear.

    `runs`: of methods in `PARTS`; one that is given twice counts once. Of several runs of one
    method, model, subject and settings the latest complete one counts, or the latest of all where
    none is complete; but three complete repeats of a drill count together, before any single one.
    Runs of other settings (`settings_of`) stand beside each other. `domain`: what all are taken to
    be about. `notes`: what else has to be said, in front. A model without any figure has no
    profile, and a note. Raises KeyError for a run of another method.
    """
    held = list({run.id: run for run in runs}.values())
    said = [*notes]
    profiles = []
    for model in dict.fromkeys(str(run.result.spec.target) for run in held):
        rows = _rows([run for run in held if run.result.spec.target == model], said)
        if rows:
            profiles.append(_profile(model, rows, one_domain=domain is not None))
    domains = tuple(dict.fromkeys(row.domain for profile in profiles for row in profile.rows))
    if domain is None and any(_apart(profile.rows) for profile in profiles):
        said.append(
            "The runs have different domains: results of different methods were not checked "
            "against each other; use"
            " --domain NAME to treat them as one domain."
        )
    if domain is not None and len(domains) > 1:
        said.append(f"The runs are treated as one domain, {domain}, as --domain says.")
    return ProfileDocument(
        domain=domain,
        domains=domains,
        simulated=any(profile.simulated for profile in profiles),
        profiles=tuple(profiles),
        notes=tuple(dict.fromkeys(said)),
    )


def _profile(model: str, rows: Sequence[ProfileRow], *, one_domain: bool) -> Profile:
    costs = {row.run_ids: row.cost_usd for row in rows}
    return Profile(
        model=model,
        simulated=any(row.simulated for row in rows),
        rows=tuple(rows),
        contradictions=contradictions(rows, one_domain=one_domain),
        missing=tuple(method for method in PARTS if not any(row.method == method for row in rows)),
        cost_usd=_sum(costs.values()),
    )


def _apart(rows: Sequence[ProfileRow]) -> bool:
    """Whether runs of two methods and two domains are among them."""
    each = list({row.run_ids: row for row in rows}.values())
    return any(
        one.method != other.method and not comparable([one, other], one_domain=False)
        for one in each
        for other in each
    )


def _rows(runs: Sequence[Run], said: list[str]) -> list[ProfileRow]:
    """The rows of one model; what has to be said of its runs is added to `said`."""
    rows: list[ProfileRow] = []
    for method, part in PARTS.items():
        own = [run for run in runs if run.result.method == method]
        for subject in dict.fromkeys(part.subject(run.result.spec) for run in own):
            about = [run for run in own if part.subject(run.result.spec) == subject]
            groups = _of_same_settings(about)
            apart = differences(
                [settings_of(group[0].result.spec, group[0].started) for group in groups]
            )
            for group, setting in zip(groups, apart, strict=True):
                rows += _of_alike(part, sorted(group, key=_rank, reverse=True), setting, said)
    return rows


def _of_same_settings(runs: Sequence[Run]) -> list[list[Run]]:
    """The runs by their settings, in the order in which these first appear."""
    groups: dict[frozenset[tuple[str, str]], list[Run]] = {}
    for run in runs:
        groups.setdefault(frozenset(settings_of(run.result.spec, run.started).items()), []).append(
            run
        )
    return list(groups.values())


def _rank(run: Run) -> tuple[bool, bool, datetime, str]:
    """What counts comes last: what has figures, is complete, is late. Ids begin with the time."""
    figures = PARTS[run.result.method].figures([run.result])
    return bool(figures), run.result.status == "complete", run.started or EARLIEST, run.id


def _of_alike(part: Part, alike: Sequence[Run], setting: str, said: list[str]) -> list[ProfileRow]:
    """The rows of runs that measure the same, the one that counts first. `setting`: what sets them
    apart."""
    groups = [
        part.together(run.result, [other.result for other in alike if other is not run])
        for run in alike
    ]
    ids = {result.run_id for result in max(groups, key=len)}  # repeats tell more than a later drill
    counting = [run for run in alike if run.id in ids]
    figures = part.figures([run.result for run in counting])
    if not figures:
        said.append(f"{counting[0].name} has no figures: {_ended(counting[0].result)}.")
    elif counting[0].result.status != "complete":
        said.append(
            f"{counting[0].name} is {counting[0].result.status}: {_ended(counting[0].result)}."
        )
    said += [*_lonely(counting), *_left_out(counting, [run for run in alike if run.id not in ids])]
    source = _source(counting) | {"setting": setting}
    return [
        ProfileRow(**{name: getattr(figure, name) for name in _FIELDS}, **source)
        for figure in figures
    ]


_FIELDS = tuple(Figure.__dataclass_fields__)


def _left_out(counting: Sequence[Run], others: Sequence[Run]) -> list[str]:
    """That the others do not count, and why."""
    first, *further = counting
    if further:
        why = f"{len(counting)} repeats measure the same and count together"
        return [f"{run.name} is left out: {why}." for run in others]
    said = []
    for run in others:
        better = first.result.status == "complete" != run.result.status
        said.append(
            f"{run.name} is superseded by the {'complete' if better else 'newer'} run "
            f"{first.id} and was left out."
        )
    return said


def _ended(result: Any) -> str:
    return str(result.stop_detail or result.stop_reason.replace("_", " ")).rstrip(".")


def _lonely(runs: Sequence[Run]) -> list[str]:
    """That repeats are reported one by one, where a drill is one of several."""
    result = runs[0].result
    if result.method != "drill" or result.spec.repeats == 1 or len(runs) > 1:
        return []
    which = f"repeat {result.spec.repeat} of {result.spec.repeats}"
    return [
        (
            f"{runs[0].name} is {which} and counts alone: a mean takes {ENOUGH} complete ones; "
            "name the launch."
        )
    ]


def _source(runs: Sequence[Run]) -> dict[str, Any]:
    """The fields of a row that are its runs'."""
    result = runs[0].result
    known = [run.started for run in runs if run.started is not None]
    status: Status = result.status
    return {
        "method": result.method,
        "domain": result.spec.domain,
        "run_ids": tuple(sorted(run.id for run in runs)),
        "started": min(known) if known else None,
        "cost_usd": _sum(run.result.cost_usd for run in runs),
        "simulated": any(run.result.simulated for run in runs),
        "status": status,
    }


def _sum(costs: Iterable[float | None]) -> float | None:
    total = 0.0
    for cost in costs:
        if cost is None:
            return None
        total += cost
    return total
