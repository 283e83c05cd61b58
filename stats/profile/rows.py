"""What a result of each method adds to a model's profile: its headline figures, each with its
interval."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from ...state.deepquestion.items import DISTRACTORS
from ...state.deepquestion.result import DeepQuestionResult, LoadRow, Share
from ...state.depthqa.result import DepthQAResult, ModeNumbers, ScoreRow
from ...state.eqt.result import EqtResult
from ...state.profile import Unit
from ...state.records import TIERS, Tier, tier_name
from ...state.result import DrillResult, Interval
from ..accuracy import Count, wilson
from ..consistency import clustered_interval
from ..deepquestion.shares import created_mark_of, original_mark
from ..drill.repeats import summarise_repeats
from ..drill.summary import counted
from ..ranking import holm

SHARES: Interval = (0.0, 1.0)
DIFFERENCES: Interval = (-1.0, 1.0)
SCORES: Interval = (1.0, 5.0)


@dataclass(frozen=True, slots=True)
class Figure:
    """The fields of a `ProfileRow` that are the measure's own."""

    measure: str
    label: str
    unit: Unit
    value: float
    ci: Interval | None
    n: int
    scale: Interval = SHARES
    lower_limit: bool = False
    tier_depths: int | None = None
    note: str = ""
    p: float | None = None


def drill_figures(results: Sequence[DrillResult]) -> list[Figure]:
    """EVD and the accuracy of each tier. `results`: one drill, or its repeats, three of them
    complete at least."""
    if not any(result.depths for result in results):
        return []
    first = results[0]
    evd, interval, note = _mean_evd(results) if len(results) > 1 else (first.evd, first.evd_ci, "")
    seldom = any(
        result.ruler is not None and result.ruler.overall.deeper.below_half for result in results
    )
    head = Figure(
        "evd",
        "EVD",
        "depths",
        evd,
        interval,
        n=sum(row.scored for result in results for row in result.depths),
        scale=(0.0, float(first.spec.max_depth)),
        lower_limit=any(result.censored is not None for result in results),
        tier_depths=first.spec.passes,
        note=", ".join(filter(None, [note, SELDOM_DEEPER if seldom else ""])),
    )
    return [head, *_tiers(results)]


SELDOM_DEEPER = "fewer than half of the follow-up questions go deeper"
ENOUGH = 3
"""Repeats from which their mean counts."""
CLUSTERED = "interval clustered by starting topic or repeat; the drill's own tables give Wilson's"


def _mean_evd(repeats: Sequence[DrillResult]) -> tuple[float, Interval | None, str]:
    (group,) = summarise_repeats(repeats)
    return fmean(group.evds), group.mean_ci, f"mean of {len(group.evds)} repeats"


def _tiers(results: Sequence[DrillResult]) -> Iterator[Figure]:
    for tier in TIERS:
        rows = [result.by_tier[tier] for result in results if tier in result.by_tier]
        correct, scored = sum(row.correct for row in rows), sum(row.scored for row in rows)
        if not scored:
            continue
        clusters = (
            [(row.correct, row.scored) for row in rows]
            if len(results) > 1
            else _by_root(results[0], tier)
        )
        nominal = any(tier in result.nominal for result in results)
        label = f"accuracy, {tier_name(tier, nominal=nominal)} tier"
        interval, note = _allowing(clusters, correct, scored)
        yield Figure(
            f"tier_{tier.value.lower()}",
            label,
            "share",
            correct / scored,
            interval,
            n=scored,
            note=note,
        )


def _by_root(result: DrillResult, tier: Tier) -> list[Count]:
    """(correct, scored) of each opening aspect within a tier."""
    found: dict[str, list[bool]] = defaultdict(list)
    for probe in counted(result.depths, result.probes):
        if probe.tier is tier and probe.outcome.status == "scored":
            found[probe.root].append(probe.outcome.correct)
    return [(sum(marks), len(marks)) for marks in found.values()]


def _allowing(clusters: Sequence[Count], correct: int, scored: int) -> tuple[Interval, str]:
    """The interval that allows for clusters, and why it differs from the drill's own; Wilson's, as
    there, where there are not two clusters, or where they are not all there is."""
    whole = sum(c for c, _ in clusters) == correct and sum(n for _, n in clusters) == scored
    allowing = clustered_interval(clusters) if whole else None
    return (allowing, CLUSTERED) if allowing else (wilson(correct, scored), "")


def repeats_of(latest: DrillResult, others: Sequence[DrillResult]) -> list[DrillResult]:
    """The complete repeats that the latest drill is one of, itself among them; it alone where fewer
    than three of them are there, by which nothing could be clustered."""
    if latest.spec.repeats == 1:
        return [latest]
    own = [
        result
        for result in (latest, *others)
        if _apart_from_seed(result) == _apart_from_seed(latest)
    ]
    complete = {result.spec.seed: result for result in reversed(own) if result.counts}
    return list(complete.values()) if len(complete) >= ENOUGH else [latest]


def _apart_from_seed(result: DrillResult) -> object:
    return result.spec.model_copy(update={"seed": 0, "repeat": 1})


def eqt_figures(result: EqtResult) -> list[Figure]:
    """Accuracy over all closed-book answers, and how consistent they are."""
    numbers = result.numbers
    share, alike = numbers.all, numbers.consistency
    own = result.spec.examiner == result.spec.target
    said = [] if own else [f"examined by {result.spec.examiner}"]
    if numbers.format_failures:
        number = numbers.format_failures
        said.append(
            f"answers without a readable selection: {number}; they are wrong, and not in ACS"
        )
    if alike.missing:
        said.append(f"ACS not measured: {alike.missing}")
    note = ", ".join(said)
    found = []
    if share.accuracy is not None:
        ci = share.ci_clustered or share.ci
        found.append(
            Figure(
                "eqt_accuracy",
                "EQT accuracy",
                "share",
                share.accuracy,
                ci,
                n=share.scored,
                note=note,
            )
        )
    for measure, label, value, interval in (
        ("acs", "ACS", alike.acs, alike.acs_ci),
        ("acs_normalised", "ACS normalised", alike.acs_normalised, alike.acs_normalised_ci),
    ):
        if value is not None:
            found.append(
                Figure(measure, label, "share", value, interval, n=alike.questions, note=note)
            )
    return found


def depthqa_figures(result: DepthQAResult) -> list[Figure]:
    """Mean scores and both discrepancies, in zero-shot or (without it) the first mode."""
    if not result.modes:
        return []
    mode = next(
        (numbers for numbers in result.modes if numbers.mode == "zero-shot"), result.modes[0]
    )
    note = "" if mode.mode == "zero-shot" else f"asked in {mode.mode}"
    scores = (
        ("depthqa_score", "mean score", mode.accuracy.get("overall")),
        ("depthqa_d3", "mean score at D3", mode.accuracy.get("D3")),
    )
    found = [
        _score(measure, label, row, note)
        for measure, label, row in scores
        if row and row.mean is not None
    ]
    return [*found, *_discrepancies(mode, note)]


def _score(measure: str, label: str, row: ScoreRow, note: str) -> Figure:
    return Figure(
        measure, label, "score", row.mean or 0.0, row.ci, n=row.scored, scale=SCORES, note=note
    )


def _discrepancies(mode: ModeNumbers, note: str) -> Iterator[Figure]:
    ways = (("forward", mode.discrepancies.forward), ("backward", mode.discrepancies.backward))
    for way, pairs in ways:
        row = pairs.get("overall")
        if row is not None and row.average is not None:
            yield Figure(
                way,
                f"{way} discrepancy",
                "gap",
                row.average,
                row.average_ci,
                n=row.eligible,
                note=note,
            )


def deepquestion_figures(result: DeepQuestionResult) -> list[Figure]:
    """Accuracy on the originals, in Q2S by load with the drop, and in Q2I with the distance."""
    found = [*_accuracy("original", "accuracy on originals", result.original)]
    dropped = [row.load for row in result.q2s if row.drop is not None]
    adjusted = dict(
        zip(
            dropped,
            holm([row.drop.mcnemar_p for row in result.q2s if row.drop is not None]),
            strict=True,
        )
    )
    for row in result.q2s:
        found += _load(row, adjusted.get(row.load))
    if result.q2i is not None:
        found += _accuracy("q2i", "Q2I accuracy", result.q2i.accuracy)
        if result.q2i.distance is not None:
            label, ci, n = "original − Q2I", result.q2i.distance_ci, _with_both_marks(result)
            found.append(
                Figure("distance", label, "gap", result.q2i.distance, ci, n=n, scale=DIFFERENCES)
            )
    return found


def _with_both_marks(result: DeepQuestionResult) -> int:
    """The problems that the distance to Q2I is over."""
    return sum(
        "unscored" not in (original_mark(row), created_mark_of(row)) for row in result.problems
    )


def _load(row: LoadRow, p: float | None) -> Iterator[Figure]:
    told = f"{DISTRACTORS[row.load] or 'no'} distractors"
    yield from _accuracy(f"q2s_{row.load}", f"Q2S accuracy, {told}", row.accuracy)
    if row.drop is not None:
        drop = row.drop
        label = f"original − Q2S, {told}"
        yield Figure(
            f"drop_{row.load}", label, "gap", drop.drop, drop.ci, n=drop.n, scale=DIFFERENCES, p=p
        )


def _accuracy(measure: str, label: str, share: Share) -> Iterator[Figure]:
    if share.share is not None:
        yield Figure(measure, label, "share", share.share, share.ci, n=share.n)
