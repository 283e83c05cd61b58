"""Cross-examination: several models on each other's questions, and how much a model gains from
questions of its own.

A drill's questions at depth 2 and below follow the target's own answers, so they lie where that
model had something to say. Its home advantage on them is its own accuracy minus the mean of the
others' on the same questions.
"""

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...state.records import Verdict
from ...state.replay import CrossCell, CrossResult, CrossSet, HomeRow, ReplayResult
from ..accuracy import Bounds, usage_by_role
from ..paired import tally

_TAILS = (0.025, 0.975)

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


def cross(sets: Sequence[QuestionSet], *, seed: int | str, runs: int = 4000) -> CrossEstimate:
    """Home advantage per set and on average, with 95% percentile intervals of a cluster bootstrap.

    A resample draws the roots of each set with replacement and takes every question of a drawn root
    along with all models' verdicts on it, so that the pairing and what questions of one root share
    are both kept; sets are resampled independently of each other. Generators are named by `seed`
    and set: the same arguments give the same interval.
    """
    found: list[HomeAdvantage] = []
    resampled: list[NDArray[np.float64]] = []
    for questions in sets:
        table = _table(questions)
        if table is None:
            continue
        sizes, right = table
        own, rest = right[0].sum() / sizes.sum(), right[1:].sum(axis=1) / sizes.sum()
        draws = _resample(sizes, right, _generator(f"{seed}:{questions.name}:home"), runs)
        found.append(
            HomeAdvantage(
                set=questions.name,
                home=questions.home,
                questions=int(sizes.sum()),
                own=float(own),
                others=float(rest.mean()),
                advantage=float(own - rest.mean()),
                interval=_ends(draws),
            )
        )
        resampled.append(draws)
    if not found:
        return CrossEstimate((), None, None, balanced=False)
    mean = sum(a.advantage for a in found) / len(found)
    known = all(a.interval is not None for a in found)
    interval = _ends(np.mean(resampled, axis=0)) if known else None
    return CrossEstimate(
        tuple(found), mean, interval, balanced=len(found) == len(sets) and _balanced(sets)
    )


def _table(questions: QuestionSet) -> tuple[NDArray[np.int64], NDArray[np.int64]] | None:
    """Questions per root, [roots]; right answers per model and root, [models, roots], the home
    model first.

    None when the home model or all others have no verdict, or no question has everybody's.
    """
    others = [
        model for model, held in questions.verdicts.items() if held and model != questions.home
    ]
    if not questions.verdicts.get(questions.home) or not others:
        return None
    models = [questions.home, *others]
    held = [q for q in questions.roots if all(q in questions.verdicts[model] for model in models)]
    if not held:
        return None
    by_root: dict[str, list[str]] = defaultdict(list)
    for question in held:
        by_root[questions.roots[question]].append(question)
    sizes = np.array([len(own) for own in by_root.values()])
    right = np.array(
        [[sum(questions.verdicts[m][q] for q in own) for own in by_root.values()] for m in models]
    )
    return sizes, right


def _resample(
    sizes: NDArray[np.int64], right: NDArray[np.int64], rng: np.random.Generator, runs: int
) -> NDArray[np.float64]:
    """The advantage in each of `runs` resamples of the roots."""
    roots = len(sizes)
    times = rng.multinomial(roots, np.full(roots, 1 / roots), size=runs)
    shares = (times @ right.T) / (times @ sizes)[:, None]
    advantage: NDArray[np.float64] = shares[:, 0] - shares[:, 1:].mean(axis=1)
    return advantage


def _ends(draws: NDArray[np.float64]) -> Bounds | None:
    if np.ptp(draws) < 1e-12:
        return None
    lower, upper = np.quantile(draws, _TAILS)
    return float(lower), float(upper)


def _generator(name: str) -> np.random.Generator:
    return np.random.default_rng(int.from_bytes(hashlib.sha256(name.encode()).digest()))


def _balanced(sets: Sequence[QuestionSet]) -> bool:
    asked = [frozenset(model for model, held in s.verdicts.items() if held) for s in sets]
    homes = [s.home for s in sets]
    return len(set(asked)) == 1 and len({homes.count(model) for model in asked[0]}) == 1


def cross_result(replays: Sequence[ReplayResult], *, seed: int) -> CrossResult:
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
    found = cross(asked, seed=seed)
    usage = usage_by_role(
        call for replay in replays for probe in replay.probes for call in probe.calls
    )
    costs = [role.cost_usd for role in usage.values()]
    known = [cost for cost in costs if cost is not None]
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
        cost_usd=sum(known, 0.0) if len(known) == len(costs) else None,
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
