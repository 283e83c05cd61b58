"""`fathom review RUN|STUDY`: people say whether questions are sound and answers right."""

import io
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from getpass import getuser
from pathlib import Path
from typing import Annotated, Literal

import typer
from pydantic import AwareDatetime, Field

from ...graphs.answers import expected_half_width, measures_of
from ...reports.document import review
from ...reports.page import figures
from ...reports.page.forms import written
from ...reports.page.sanitise import one_line
from ...state.errors import UsageError
from ...state.option import OUTPUT, Option
from ...state.records import Record
from ...state.review import MOST_NOTE, HumanVerdict, Soundness
from ...state.rows import AnswerRow
from ...stats.review import with_review
from ...tools.files.output import write_whole
from ...tools.runs.reviews import MOST_BYTES, read_review
from ..declare import Command, Given
from ..environment import runs_dir
from ..exam import read_saved
from ..options.shared import FORCE, RUNS, SEVERAL_RUNS
from ..run_names import named_runs
from ..writable import require_file
from .sample import LABELS, Item, Pool, draw_sample, keep_label, sample_sentence
from .terminal import review_in_terminal

EPILOG = """Examples:
  fathom review last
  fathom review study.yaml --labels 240 --rater ann
  fathom review last --html review.html --rater bob
  fathom review last --import review-bob.json

Labels are kept in review.jsonl in the folder of each run, and stand in the
tables of `fathom export`.

Exit codes:
  0 done, or left for another time, 1 a run or a file failed, 2 refused,
  130 interrupted (all labels are kept)
"""
FORMS = {"depths": "number", "score": "number", "index": "index", "share": "percent"}
"""Unit of a measure → how its interval is written."""
RATER = 60
"""Signs that a rater's name has at most."""


class PageLabel(Record):
    """A label by the answer's id in the review, which names neither run nor model."""

    id: str
    question: Soundness | None
    answer: HumanVerdict
    note: Annotated[str, Field(max_length=MOST_NOTE)] = ""
    at: AwareDatetime


class PageLabels(Record):
    """What the page of a review saves."""

    format: Literal["fathom-review"]
    version: Literal[1]
    rater: str
    rule: Annotated[str, Field(pattern="^[0-9a-f]{16}$")]
    labels: tuple[PageLabel, ...]


def _review(values: Given) -> None:
    page, saved = values["html"], values["import"]
    pool = Pool(named_runs(values))
    if saved:
        _import(pool, saved)
        return
    rater = _rater(getuser() if values["rater"] is None else values["rater"])
    if page:
        require_file(page, "--html", ".html", ".htm", force=bool(values["force"]))
    draw_sample(pool, values["labels"], runs_dir(values["runs"]))
    sample = [item for item in pool.items() if item.is_shown]
    items = [item for item in sample if rater not in item.labels]
    if not items:
        raise UsageError(
            f"{rater} has labelled all {len(sample)} answers: --labels draws more, "
            "--rater names another person."
        )
    if page:
        _write_page(page, items, rater)
        return
    typer.echo(f"{sample_sentence(sample)}. Rater: {rater}, who has {len(items)} to label.")
    review_in_terminal(rater, items, lambda: gain_line(pool, rater))


def _rater(name: str) -> str:
    """The name, harmless. Raises UsageError for one that is none."""
    rater = one_line(name)
    if not 0 < len(rater) <= RATER or "," in rater:
        raise UsageError(
            f"A rater has a name of 1 to {RATER} characters without commas: give one with --rater."
        )
    return rater


def gain_line(pool: Pool, rater: str) -> str:
    """What the labels that this rater has not given yet would bring; empty where that cannot be
    said."""
    items = [item for item in pool.items() if item.sampled.probability]
    more = sum(rater not in item.labels for item in items)
    by_model: dict[tuple[str, str], list[AnswerRow]] = defaultdict(list)
    for run, folder in pool.folders.items():
        rows = [row for (name, *_), row in pool.rows.items() if name == run]
        for row in with_review(rows, read_review(folder)):
            by_model[row.method, row.model].append(row)
    widths = {key: expected_half_width(rows, more) for key, rows in by_model.items() if more}
    half_widths = {key: width for key, width in widths.items() if width is not None}
    if not half_widths:
        return ""
    widest = max(half_widths, key=lambda key: half_widths[key][0])
    measures = measures_of(widest[0])
    corrected = (measure for measure in measures if measure.name.startswith("corrected_"))
    measure = next(corrected, measures[0])
    now, after = (written(width, FORMS[measure.unit]) for width in half_widths[widest])
    if now == after:
        return ""
    name = measure.name.replace("_", " ").replace("evd", "EVD")
    which = "the widest interval" if len(half_widths) > 1 else "the interval"
    labels = figures.count(more, "more label")
    return f"{labels} would narrow {which} of {name} from ±{now} to ±{after}."


def _write_page(path: Path, items: Sequence[Item], rater: str) -> None:
    page = io.StringIO()
    review.write([(item.id, item.row) for item in items], rater, page)
    write_whole(path, page.getvalue().encode(), "The page")
    typer.echo(
        f"{figures.count(len(items), 'answer')} for {rater}: {path}. "
        "`fathom review … --import FILE` takes what the page saves.",
        err=True,
    )


def _import(pool: Pool, path: Path) -> None:
    """Keep the labels that are newer than those in the folders. Raises UsageError for a file that
    is none of a review's, and for an answer that these runs do not have."""
    file = read_saved(path, "labels that a review page saved", PageLabels, MOST_BYTES)
    rater = _rater(file.rater)
    items = {item.id: item for item in pool.items()}
    unknown = [label for label in file.labels if label.id not in items]
    if unknown:
        raise UsageError(
            f"{len(unknown)} of the {len(file.labels)} labels in {path} are of answers that "
            "were not drawn from these runs: name those that the page was written for."
        )
    if any(label.at > datetime.now(UTC) + timedelta(days=1) for label in file.labels):
        raise UsageError(
            f"{path} has labels of a day to come: set the clock of the machine that the page "
            "was open on, or correct the file."
        )
    count = 0
    latest = {label.id: label for label in sorted(file.labels, key=lambda label: label.at)}
    for label in latest.values():
        item = items[label.id]
        earlier = item.labels.get(rater)
        if earlier is None or earlier.at < label.at:
            keep_label(item, rater=rater, rule=file.rule, **label.model_dump(exclude={"id"}))
            count += 1
    typer.echo(f"{figures.count(count, 'new label')} by {rater}.", err=True)


REVIEW = Command(
    _review,
    """Review a sample of questions and answers: is the question sound, is the answer right?

You see question, level, passage with its source, reference and answer; neither the model's name nor the judge's \
verdict. The sample is drawn once, from each tier and verdict, and is the same for every rater; beside it stand all \
answers on which two judges disagree. A line such as 1r says both things, and what was \
labelled is not asked again. With --html the same is one page that works without a \
network and saves a file for --import. No model is called.""",
    (
        replace(
            SEVERAL_RUNS,
            metavar="STUDY|RUN",
            help=f"A study file; or {SEVERAL_RUNS.help.lower()}",
        ),
        Option(
            "--labels",
            "N",
            "Answers in the sample; it only grows. 240 are a start for correcting a result.",
            type=int,
            least=1,
            most=50_000,
            default=f"that there is, else {LABELS}",
        ),
        Option(
            "--rater",
            "NAME",
            "Who labels.",
            default="the name of your account",
        ),
        Option(
            "--html",
            "FILE",
            "Write the rater's answers as a page to label them in.",
            OUTPUT,
            kind="file",
            excludes=("import",),
        ),
        Option(
            "--import",
            "FILE",
            "Take the labels that a page has saved (- for stdin).",
            OUTPUT,
            kind="file",
            excludes=("labels", "rater"),
        ),
        FORCE,
        RUNS,
    ),
    EPILOG,
)
