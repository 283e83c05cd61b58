"""Cross-examination: several models on each other's questions, and how much a model gains from
questions of its own.

A drill's questions at depth 2 and below follow the target's own answers, so they lie where that
model had something to say. Its home advantage on them is its own accuracy minus the mean of the
others' on the same questions.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import fmean

from ...state.records import Verdict
from ...state.replay import CrossCell, CrossResult, CrossSet, HomeRow, ReplayResult
from ..accuracy import Bounds, usage_by_role
from ..moderated import Mean, mean_of
from ..paired import tally

OWN_QUESTIONS = (
    "The home advantage of a single question set is confounded with the model's overall strength; "
    "only the mean over "
    "balanced sets is not."
)
UNBALANCED = (
    "Not every model is at home equally often, or not every set was put to the same models: the "
    "mean home advantage "
    "also depends on which model knows more."
)
SEVERAL_DOMAINS = (
    "The questions are of several domains: a column compares models, a row does not compare "
    "domains, which differ in "
    "how deep their sources and questions go."
)
SEVERAL_JUDGES = (
    "The sets of questions have different judges: name one with --judge to judge all of them alike."
)


@dataclass(frozen=True)
class QuestionSet:
    """One drill's questions, with what each model made of them."""

    name: str
    home: str
    """The model that was drilled."""
    roots: Mapping[str, str]
    """Question → its root."""
    verdicts: Mapping[str, Mapping[str, bool]]
    """Model → question → right or not; a question without a verdict is left out. A model may be
    missing altogether."""


@dataclass(frozen=True)
class HomeAdvantage:
    """One question set. Shares in 0 … 1, over the questions on which every model that was asked has
    a verdict."""

    set: str
    home: str
    questions: int
    own: float
    others: float
    """Mean of the other models' accuracies, each model counting alike."""
    advantage: float
    interval: Bounds | None
    """95%; None where fewer than two roots, or roots that do not differ, give nothing to see a
    scatter in."""


@dataclass(frozen=True)
class CrossEstimate:
    """`advantages`: one per question set that can be compared; `mean`: of them, None without
    any."""

    advantages: tuple[HomeAdvantage, ...]
    mean: float | None
    interval: Bounds | None
    balanced: bool
    """Whether all sets were put to the same models, and each of these is at home in equally many
    sets. Then the mean is free of who knows more altogether: under accuracy = model + set + home,
    model and set cancel."""


def cross(sets: Sequence[QuestionSet]) -> CrossEstimate:
    """Home advantage per set and on average, with 95% intervals by t on the sums over roots: the
    pairing, and what questions of one root share, are both kept; sets are independent."""
    found: list[HomeAdvantage] = []
    means: list[Mean | None] = []
    for questions in sets:
        rows = _rows(questions)
        if not rows:
            continue
        own, others = fmean(own for _, own, _ in rows), fmean(rest for _, _, rest in rows)
        mean = _mean([(root, mine - theirs) for root, mine, theirs in rows])
        means.append(mean)
        found.append(
            HomeAdvantage(
                set=questions.name,
                home=questions.home,
                questions=len(rows),
                own=own,
                others=others,
                advantage=own - others,
                interval=_interval(mean),
            )
        )
    if not found:
        return CrossEstimate((), None, None, balanced=False)
    scattering = [mean for mean in means if mean is not None]
    overall = mean_of(scattering) if len(scattering) == len(means) else None
    return CrossEstimate(
        tuple(found),
        fmean(one.advantage for one in found),
        _interval(overall),
        balanced=len(found) == len(sets) and _balanced(sets),
    )


def _rows(questions: QuestionSet) -> list[tuple[str, float, float]]:
    """(root, right of the home model, mean of the others) of each question with everybody's
    verdict; none where the home model or all others have no verdict."""
    others = [
        model for model, held in questions.verdicts.items() if held and model != questions.home
    ]
    home = questions.verdicts.get(questions.home, {})
    rows = []
    for question, root in questions.roots.items():
        theirs = [questions.verdicts[model].get(question) for model in others]
        if question in home and theirs and None not in theirs:
            rows.append((root, float(home[question]), fmean(map(bool, theirs))))
    return rows


def _mean(values: Sequence[tuple[str, float]]) -> Mean | None:
    """Of (root, value), V = K/(K−1)·Σ_roots[Σ(x − m)]²/n² at K − 1 degrees of freedom; None where
    there is no scatter to see."""
    mean, sums = fmean(value for _, value in values), defaultdict[str, float](float)
    for root, value in values:
        sums[root] += value - mean
    roots, squares = len(sums), sum(own**2 for own in sums.values())
    if roots < 2 or squares < 1e-12:
        return None
    return Mean(mean, sqrt(roots / (roots - 1) * squares) / len(values), roots - 1)


def _interval(mean: Mean | None) -> Bounds | None:
    if mean is None:
        return None
    low, high = mean.interval()
    return max(-1.0, low), min(1.0, high)


def _balanced(sets: Sequence[QuestionSet]) -> bool:
    asked = [frozenset(model for model, held in s.verdicts.items() if held) for s in sets]
    homes = [s.home for s in sets]
    return len(set(asked)) == 1 and len({homes.count(model) for model in asked[0]}) == 1


def cross_result(replays: Sequence[ReplayResult]) -> CrossResult:
    """The matrix of several replays: every model by row, every drill's questions by column.

    The cell of a model on its own questions holds the verdicts on its drill's answers, which no
    replay asked for again. Raises ValueError without any replay.
    """
    if not replays:
        raise ValueError("a cross-examination needs at least one replay")
    sets = {replay.source.run_id: replay for replay in replays}
    cells: list[CrossCell] = []
    asked: list[QuestionSet] = []
    for run_id, first in sets.items():
        mine = [replay for replay in replays if replay.source.run_id == run_id]
        pairs = [pair for replay in mine for pair in replay.pairs]
        sides: list[tuple[str, str | None, dict[str, Verdict]]] = [
            (
                first.source.target,
                None,
                {p.id: p.source for p in reversed(pairs) if p.source is not None},
            )
        ]
        sides += [
            (r.spec.target, r.run_id, {p.id: p.target for p in r.pairs if p.target is not None})
            for r in mine
        ]
        roots = {pair.id: pair.root for pair in first.pairs}
        for model, replay_id, verdicts in sides:
            held = [(roots[q], verdicts[q]) for q in roots if q in verdicts]
            cells.append(CrossCell(run_id=run_id, replay=replay_id, tally=tally(model, held)))
        right = {
            model: {q: verdict == "correct" for q, verdict in held.items()}
            for model, _, held in sides
        }
        asked.append(QuestionSet(run_id, first.source.target, roots, right))
    found = cross(asked)
    usage = usage_by_role(
        call for replay in replays for probe in replay.probes for call in probe.calls
    )
    costs = [role.cost_usd for role in usage.values()]
    prices = [cost for cost in costs if cost is not None]
    return CrossResult(
        simulated=any(replay.simulated for replay in replays),
        models=tuple(dict.fromkeys(cell.tally.model for cell in cells)),
        sets=tuple(
            CrossSet(
                run_id=run_id,
                domain=replay.spec.domain,
                home=replay.source.target,
                judge=replay.spec.judge,
                questions=replay.source.questions,
            )
            for run_id, replay in sets.items()
        ),
        cells=tuple(cells),
        home=tuple(
            HomeRow(
                run_id=row.set,
                home=row.home,
                questions=row.questions,
                own=row.own,
                others=row.others,
                advantage=row.advantage,
                advantage_ci=row.interval,
            )
            for row in found.advantages
        ),
        home_advantage=found.mean,
        home_advantage_ci=found.interval,
        balanced=found.balanced,
        replays=tuple(replays),
        usage=usage,
        cost_usd=sum(prices, 0.0) if len(prices) == len(costs) else None,
        notes=_notes(list(sets.values()), found),
    )


def _notes(sets: Sequence[ReplayResult], found: CrossEstimate) -> tuple[str, ...]:
    notes = [OWN_QUESTIONS]
    if not found.balanced:
        notes.append(UNBALANCED)
    if len({replay.spec.domain for replay in sets}) > 1:
        notes.append(SEVERAL_DOMAINS)
    if len({replay.spec.judge for replay in sets}) > 1:
        notes.append(SEVERAL_JUDGES)
    return tuple(notes)
