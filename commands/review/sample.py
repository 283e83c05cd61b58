"""The answers of some runs that people review: drawn once, the same for each rater."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from ...reports.page import figures
from ...state.errors import RunFailed, UsageError
from ...state.review import DISPUTED, Label, Sampled
from ...state.rows import AnswerRow
from ...stats.review import latest
from ...stats.sampling import Answer, answer_of, draw, is_reviewable, random_hex, strata_of
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


class Pool:
    """The runs that are reviewed together."""

    def __init__(self, runs: Iterable[FinishedRun]) -> None:
        """Raises UsageError where no answer of the runs can be reviewed."""
        self.folders = dict[str, Path]()
        self.results = dict[str, Any]()
        """Run → its result."""
        self.rows = dict[Answer, AnswerRow]()
        for run in runs:
            if run.result is not None and run.folder is not None:
                self.folders[run.run_id] = run.folder
                self.results[run.run_id] = run.result
                self.rows |= {answer_of(row): row for row in run.rows}
        self.strata = strata_of([*self.rows.values()])
        if not self.strata:
            raise UsageError("None of these runs has answers that a judge has marked.")

    def items(self) -> list[Item]:
        """As they stand in the folders now; of several entries on an answer the last one counts."""
        items = []
        for run, folder in self.folders.items():
            review = read_review(folder)
            labels = latest(review.labels)
            for key, sampled in {entry.key: entry for entry in review.sample}.items():
                row = self.rows.get((run, *key))
                if row is not None:
                    name = random_hex("order", row)[:ID]
                    items.append(Item(name, folder, row, sampled, labels.get(key, {})))
        return sorted(items, key=lambda item: item.id)


def draw_sample(pool: Pool, labels: int | None, runs_dir: Path) -> None:
    """Draw the sample, again where it is smaller than wanted or there are more answers than it was
    drawn from, and put beside it what judges disagree on."""
    before = {answer_of(item.row): item.sampled for item in pool.items()}
    stored = [entry for entry in before.values() if entry.probability]
    wanted = max(labels or len(stored) or LABELS, len(stored))
    after = dict(before)
    if wanted > len(stored) or _has_grown(pool, stored):
        after = {answer: _beside(entry, entry.stratum) for answer, entry in before.items()}
        after |= draw(pool.strata, wanted)
    for run, item, condition in _disputed(pool, runs_dir):
        new = Sampled(item=item, condition=condition, stratum=DISPUTED, probability=0)
        entry = after.get((run, item, condition), new)
        after[run, item, condition] = entry if entry.probability else _beside(entry, DISPUTED)
    for run, folder in pool.folders.items():
        changed = [
            entry
            for answer, entry in after.items()
            if answer[0] == run and before.get(answer) != entry
        ]
        if changed:
            append_review(folder, changed)


def _has_grown(pool: Pool, stored: Sequence[Sampled]) -> bool:
    """Whether there are more answers than the sample was drawn from; where there are fewer, it was
    drawn from more runs than these, and stays."""
    before = {entry.stratum: entry.answers for entry in stored}
    now = {name: len(rows) for name, rows in pool.strata.items()}
    return now != before and all(now.get(name, 0) >= count for name, count in before.items())


def _beside(entry: Sampled, stratum: str) -> Sampled:
    return entry.model_copy(update={"probability": 0.0, "stratum": stratum, "answers": 0})


def _disputed(pool: Pool, runs_dir: Path) -> list[Answer]:
    """Answers that one judge accepts and another does not; a run of other judges that cannot be
    read has no say."""
    results = [*pool.results.items()]
    for path in run_paths(runs_dir):
        try:
            run = json_object((path / SPEC).read_bytes()).get("source_run")
            if run in pool.folders:
                results.append((run, run_in(path).result))
        except (OSError, orjson.JSONDecodeError, RunFailed):
            continue
    places = {
        (run, flip.id.rpartition("/")[2])
        for run, result in results
        for flip in getattr(result, "flips", ())
    }
    return [
        answer
        for answer, row in pool.rows.items()
        if is_reviewable(row) and (row.run, row.item.rpartition("/")[2]) in places
    ]


def sample_sentence(items: Sequence[Item]) -> str:
    """What is asked, in a sentence."""
    disputed = sum(item.sampled.probability == 0 for item in items)
    answers = figures.count(len(items) - disputed, "answer")
    more = f", and {disputed} on which judges disagree" if disputed else ""
    return f"{answers}, drawn at random by tier and verdict{more}"
