"""`fathom compare RUN…`: which model is ahead, by how much, and how sure that is."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ..graphs.answers import measures_of
from ..reports.page.blocks import Block
from ..reports.views.comparison import comparison_blocks
from ..state.comparison import Comparison
from ..state.errors import UsageError
from ..state.option import METHOD, Option
from ..stats.items import Scored, compare_items
from ..tools.files.logs import ScoreLog, less_is_better, logs_in, read_log
from ..tools.files.text import quoted
from ..tools.runs.folders import is_run
from .comparison import ranking, ranking_blocks
from .declare import Command, Given
from .finished import require_one_method
from .options.shared import AS_JSON, RUNS, SEVERAL_RUNS
from .run_names import named_runs
from .streams import print_blocks, print_json

EPILOG = """Examples:
  fathom compare 7f3a9c01 e9e9e9e9
  fathom compare LAUNCH --json
  fathom compare logs/a.eval logs/b.eval --metric match
  fathom compare A/samples_x.jsonl B/samples_x.jsonl --cluster passage

Logs of Inspect AI that are packed with Zstandard need the extra [inspect].

Exit codes:
  0 done, 1 a run cannot be read, 2 refused (no such run, or nothing
  to compare)
"""


def _compare(given: Given) -> None:
    runs = [name for name in given["run"] if is_run(Path(name))]
    logs_by_name = {name: logs_in(name) for name in given["run"] if name not in runs}
    logs = [path for paths in logs_by_name.values() for path in paths]
    if logs and (runs or not all(logs_by_name.values())):
        raise UsageError(
            "Runs and logs of other programs are not compared with each other: name one kind."
        )
    if not logs and (given["metric"] or given["cluster"] or given["item"]):
        raise UsageError(
            "--metric, --cluster and --item are for logs of other programs: name .eval, .json "
            "or .jsonl files."
        )
    compared, blocks = _of_logs(logs, given) if logs else _of_runs(given)
    if given["json"]:
        print_json(compared.model_dump(mode="json"))
        return
    print_blocks(blocks)


def _of_logs(files: Sequence[Path], given: Given) -> "tuple[Comparison, Iterator[Block]]":
    paths = [*{path.resolve(): path for path in files}.values()]
    if len(paths) < 2:
        raise UsageError(
            f"A comparison takes two logs; there is only {files[0]}: name more of them."
        )
    read = [
        read_log(file, given["metric"] or (), given["cluster"], given["item"]) for file in paths
    ]
    logs = _by_model(read)
    if len(logs) < 2:
        raise UsageError(
            f"All of these logs are of {quoted(logs[0].model)}, and share no item: name another "
            "model's, or say"
            " with --item what is the same."
        )
    by_label = dict(zip(_labels(logs), logs, strict=True))
    metrics = list(dict.fromkeys(log.metric for log in logs))
    notes = [note for log in logs for note in log.notes]
    if len(metrics) > 1:
        notes.append(f"the logs are of several metrics: {', '.join(metrics)}")
    if any(log.scores.keys() != logs[0].scores.keys() for log in logs):
        notes.append(
            "each estimate is over all items of the model, a difference over those that both have"
        )
    values = [value for log in logs for _, value in log.scores.values()]
    span = min(0.0, *values), max(1.0, *values)
    if span != (0.0, 1.0):
        span = min(values), max(values)
        notes.append(
            f"the intervals take {span[0]:g} to {span[1]:g} for the metric's whole range"
        )
    compared = compare_items(
        ", ".join(dict.fromkeys(log.of for log in logs)),
        ", ".join(metrics),
        [Scored(label, (str(log.path),), log.scores) for label, log in by_label.items()],
        simulated=any(log.simulated for log in logs),
        span=span,
        notes=notes,
        less_is_better=less_is_better(logs),
    )
    sides = {label: log.answers for label, log in by_label.items()}
    return compared, comparison_blocks(compared, sides, measures_of(logs[0].of))


def _by_model(logs: "Sequence[ScoreLog]") -> "list[ScoreLog]":
    """Logs of one model that have no item in common are one, as lm-eval writes a file per task."""
    merged: list[ScoreLog] = []
    for log in logs:
        for place, first in enumerate(merged):
            if first.model == log.model and first.scores.keys().isdisjoint(log.scores.keys()):
                answers, notes = [*first.answers, *log.answers], [*first.notes, *log.notes]
                merged[place] = replace(first, answers=answers, notes=notes)
                break
        else:
            merged.append(log)
    return merged


def _labels(logs: "Sequence[ScoreLog]") -> list[str]:
    """The models, told apart by file where one is there twice."""
    models = Counter(log.model for log in logs)
    names = Counter((log.model, log.path.name) for log in logs)
    files = [
        log.path.name if names[log.model, log.path.name] == 1 else log.path for log in logs
    ]
    return [
        f"{log.model} ({file})" if models[log.model] > 1 else log.model
        for log, file in zip(logs, files, strict=True)
    ]


def _of_runs(given: Given) -> "tuple[Comparison, Iterator[Block]]":
    runs = named_runs(given)
    method = require_one_method(runs, "for several, `fathom profile`")
    done = sum(run.result is not None for run in runs)
    if done < 2:
        raise UsageError(
            f"A comparison takes two finished runs; there is {done}: name more of them."
        )
    compared = ranking(runs)
    if compared is None:
        raise UsageError(f"Runs of {method} have no measure to be compared by.")
    if len(compared.models) < 2:
        raise UsageError(
            "All that counts of these runs is of one model: they differ in domain or seed alone. "
            "Name runs of another"
            " model, or two runs of this one in one domain; `fathom show` has the mean of repeats."
        )
    return compared, ranking_blocks(compared, runs)


COMPARED = replace(
    SEVERAL_RUNS,
    metavar="RUN|LOG",
    help=f"{SEVERAL_RUNS.help[:-1]}; or a log of another program, or a folder of logs.",
)
METRIC = Option(
    "--metric",
    "NAME",
    (
        "Of other programs' logs: which scorer or metric counts, where there are several; may be "
        "repeated."
    ),
    METHOD,
    type=list[str],
    default="the only one",
)
CLUSTER = Option(
    "--cluster",
    "FIELD",
    (
        "Of other programs' logs: the field of a document, or of the metadata, by which items "
        "belong together."
    ),
    METHOD,
    default="the sample, or the document",
)
ITEM = Option(
    "--item",
    "FIELD",
    "Of other programs' logs: the field by which items are the same in all of them.",
    METHOD,
    default="id and input of a sample, hash of a document",
)

COMPARE = Command(
    _compare,
    """Compare models: who is ahead, by how much, and how sure that is.

Runs of one method. Drills are compared in Expected Valid Depth over the domains that all models were drilled in; runs \
of the other methods by the questions that both models were asked. Of two runs of one model it also says what has \
changed. No model is called.

Or logs of other programs, or folders of them: .eval and .json files of Inspect AI, samples_*.jsonl of \
lm-evaluation-harness, one file per model or, of several tasks, one per model and task. Each pair is compared over \
the items that both have a score for.""",
    (COMPARED, METRIC, CLUSTER, ITEM, AS_JSON, RUNS),
    EPILOG,
)
