"""The answers of some runs that people review: drawn once, the same for each rater."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson

from ...reports.page import figures
from ...state.errors import RunFailed, UsageError
from ...state.review import DISPUTED, AnswerKey, Label, Review, Sampled
from ...state.rows import AnswerRow
from ...stats.review import latest
from ...stats.sampling import draw, is_reviewable, random_hex, strata_of
from ...tools.runs.folders import SPEC, json_object, run_paths
from ...tools.runs.reviews import append_review, read_review
from ..finished import FinishedRun, run_in

LABELS = 40
"""Answers that are drawn where nothing else is said."""
ID = 16
"""Hex digits of an answer's id in a review."""


@dataclass(frozen=True, slots=True)
class Item:
    """An answer that was drawn, or stands beside the sample."""

    id: str
    """Tells neither run nor model. The order of the ids is that in which answers are shown."""
    folder: Path
    row: AnswerRow
    sampled: Sampled
    labels: Mapping[str, Label]
    """Rater → the label that counts."""

    @property
    def is_shown(self) -> bool:
        """Whether raters are asked: not where a later, larger sample has left it out."""
        return self.sampled.probability > 0 or self.sampled.stratum == DISPUTED


def keep_label(item: Item, **fields: Any) -> None:
    """Write the label behind those in the run's folder."""
    label = Label(item=item.row.item, condition=item.row.condition, **fields)
    append_review(item.folder, [label])


class ReviewedRun:
    """A run with answers, and the review as its folder holds it."""

    def __init__(self, run: FinishedRun) -> None:
        assert run.folder is not None
        self.finished, self.folder, self.rows = run, run.folder, run.rows

    @property
    def review(self) -> Review:
        return read_review(self.folder)

    def items(self) -> Iterator[Item]:
        """Of several entries on an answer the last one counts."""
        review = self.review
        labels = latest(review.labels)
        sample = {sampled.key: sampled for sampled in review.sample}
        for key, row in {(row.item, row.condition): row for row in self.rows}.items():
            if key in sample:
                name = random_hex("order", row)[:ID]
                yield Item(name, self.folder, row, sample[key], labels.get(key, {}))


@dataclass(frozen=True)
class Pool:
    """The runs that are reviewed together."""

    runs: Sequence[ReviewedRun]

    def items(self) -> list[Item]:
        """As they stand in the folders now."""
        items = [item for run in self.runs for item in run.items()]
        return sorted(items, key=lambda item: item.id)

    @cached_property
    def strata(self) -> dict[str, list[AnswerRow]]:
        return strata_of([row for run in self.runs for row in run.rows])


def reviewed_runs(runs: Iterable[FinishedRun]) -> Pool:
    """Raises UsageError where no answer of the runs can be reviewed."""
    pool = Pool([ReviewedRun(run) for run in runs if run.result is not None])
    if not pool.strata:
        raise UsageError("None of these runs has answers that a judge has marked.")
    return pool


def draw_sample(pool: Pool, labels: int | None, runs_dir: Path) -> None:
    """Draw the sample, again where it is smaller than wanted or there are more answers than it was
    drawn from, and put beside it what judges disagree on."""
    stored = [item.sampled for item in pool.items() if item.sampled.probability]
    wanted = max(labels or len(stored) or LABELS, len(stored))
    sample = None
    if wanted > len(stored) or _has_grown(pool, stored):
        sample = draw(pool.strata, wanted)
    rejudged = _rejudgements(runs_dir)
    for run in pool.runs:
        before = {item.sampled.key: item.sampled for item in run.items()}
        after = dict(before)
        if sample is not None:
            after = {key: _beside(entry, entry.stratum) for key, entry in before.items()}
            after |= {
                (item, condition): entry
                for (name, item, condition), entry in sample.items()
                if name == run.finished.run_id
            }
        for key in _disputed(run, rejudged[run.finished.run_id]):
            entry = after.get(key) or Sampled(
                item=key[0], condition=key[1], stratum=DISPUTED, probability=0
            )
            after[key] = entry if entry.probability else _beside(entry, DISPUTED)
        changed = [entry for key, entry in after.items() if before.get(key) != entry]
        if changed:
            append_review(run.folder, changed)


def _has_grown(pool: Pool, stored: Sequence[Sampled]) -> bool:
    """Whether there are more answers than the sample was drawn from; where there are fewer, it was
    drawn from more runs than these, and stays."""
    before = {entry.stratum: entry.answers for entry in stored}
    now = {name: len(rows) for name, rows in pool.strata.items()}
    return now != before and all(now.get(name, 0) >= count for name, count in before.items())


def _beside(entry: Sampled, stratum: str) -> Sampled:
    return entry.model_copy(update={"probability": 0.0, "stratum": stratum, "answers": 0})


def _disputed(run: ReviewedRun, rejudged: Sequence[object]) -> Iterator[AnswerKey]:
    """Answers that one judge accepts and another does not."""
    places = {
        flip.id.rpartition("/")[2]
        for result in (run.finished.result, *rejudged)
        for flip in getattr(result, "flips", ())
    }
    for row in filter(is_reviewable, run.rows):
        if row.item.rpartition("/")[2] in places:
            yield row.item, row.condition


def _rejudgements(runs_dir: Path) -> dict[str, list[object]]:
    """Run → what its answers came to under other judges; one that cannot be read has no say."""
    by_run: dict[str, list[object]] = defaultdict(list)
    for path in run_paths(runs_dir):
        try:
            source = json_object((path / SPEC).read_bytes()).get("source_run")
            if source:
                by_run[source].append(run_in(path).result)
        except (OSError, orjson.JSONDecodeError, RunFailed):
            continue
    return by_run


def sample_sentence(items: Sequence[Item]) -> str:
    """What is asked, in a sentence."""
    disputed = sum(item.sampled.probability == 0 for item in items)
    answers = figures.count(len(items) - disputed, "answer")
    more = f", and {disputed} on which judges disagree" if disputed else ""
    return f"{answers}, drawn at random by tier and verdict{more}"
