"""What programs do with runs, by the names of the package: thin over what the commands call."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typing_extensions import Unpack

from ..graphs.drill.roots import check_topics
from ..graphs.outcome import entry_of
from ..graphs.run.checks import check_models, checked
from ..graphs.run.execute import RunReport
from ..state.comparison import Comparison
from ..state.decision import Decision, Preference
from ..state.errors import UsageError
from ..state.events import Event
from ..state.options import DrillOptions
from ..state.results import Result
from ..state.rows import AnswerRow
from ..state.spec import DrillSpec, Spec
from ..tools.runs.folders import RunEntry, find_run, read_events, run_paths
from .comparison import ranking
from .decision import policy_of, require_decided
from .finished import FinishedRun, run_in, run_of_report
from .options.spec import choose_facts, in_world, repeated

if TYPE_CHECKING:  # heavy: a program that looks at runs plans none
    from ..graphs.run.plan import Plan

Place = str | PathLike[str]


@dataclass(frozen=True, slots=True)
class Run:
    """A run as its folder holds it; read anew whenever it is asked."""

    path: Path

    @property
    def id(self) -> str:
        return self.path.name

    @property
    def entry(self) -> RunEntry:
        """Method, model, domain, status and headline figures, as a list shows them."""
        return entry_of(self.path)

    @property
    def result(self) -> Result | None:
        """None while it has none. Raises RunFailed where it cannot be read."""
        return run_in(self.path).result

    @property
    def answers(self) -> list[AnswerRow]:
        """A row for every question that was put to the model."""
        return run_in(self.path).rows

    def events(self, after: int = 0) -> Iterator[Event]:
        """What has happened so far, in order; `after`: those beyond the event with this number."""
        return (event for event in read_events(self.path) if event.seq > after)


@dataclass(frozen=True, slots=True)
class Runs:
    """The runs in a folder, the oldest first."""

    folder: Path

    def __iter__(self) -> Iterator[Run]:
        return map(Run, run_paths(self.folder))

    def __len__(self) -> int:
        return len(run_paths(self.folder))

    def open(self, name: str) -> Run:
        """The run of this name, of a part of its id, or the `last` one. Raises UsageError where
        there is none, or more than one."""
        return Run(find_run(self.folder, name))


Counted = Run | RunReport[Any]
"""A run in its folder, or one that has just ended."""


def spec(
    domain: str,
    *,
    target: str,
    evaluator: str,
    judge: str | None = None,
    facts: str | None = None,
    env: Mapping[str, str] | None = None,
    **options: Unpack[DrillOptions],
) -> DrillSpec:
    """A drill with the defaults of `fathom drill`: models and sources are written as there, the
    judge is the evaluator, sources are those that `env` has keys for. Raises UsageError with the
    first fault."""
    if isinstance(facts, Mapping):
        raise UsageError(
            "facts cannot be a mapping here: write it as on the command line, such as "
            "'COMMON=wikipedia'. Sources of your own go with embed_drill."
        )
    values = {
        "as_of": datetime.now(UTC).date(),
        **options,
        "domain": domain,
        "target": target,
        "evaluator": evaluator,
        "judge": judge,
        "facts": choose_facts(facts, evaluator, env or {}, Path.cwd()).facts,
    }
    drill = check_topics(checked(DrillSpec, values))
    check_models(drill)
    (placed,) = in_world([drill], options.get("world"))
    return placed


def repeats(drill: DrillSpec) -> list[DrillSpec]:
    """The drills that one with `repeats=R` stands for, each with roots of its own."""
    return repeated(drill)


def runs(folder: Place = "runs") -> Runs:
    """The runs in a folder."""
    return Runs(Path(folder))


def plan(
    specs: Spec | Sequence[Spec],
    *,
    env: Mapping[str, str] | None = None,
    prices: Sequence[str] = (),
    past: Place | None = None,
) -> "Plan":
    """What runs of one method would ask, cost and take; no model is called. `past`: a folder of
    runs by which it is sharpened. Raises UsageError for a method that needs material of its own."""
    from ..graphs.method import METHODS
    from ..graphs.run.past import read_past
    from ..graphs.run.plan import plan_of
    from ..tools.models.pricing import PriceList

    listed = list(specs) if isinstance(specs, Sequence) else [specs]
    methods = {planned.method for planned in listed}
    if methods != {"drill"} and methods != {"eqt"}:
        raise UsageError(
            "A plan takes specs of one method, drill or eqt: `fathom plan` has all."
        )
    models = [model for planned in listed for model in planned.asked]
    return plan_of(
        METHODS[listed[0].method].calls,
        listed,
        PriceList.parse(tuple(prices), env or {}),
        read_past(Path(past) if past is not None else None, models),
    )


def compare(runs: Iterable[Counted]) -> Comparison:
    """Which model is ahead, by how much, and how sure that is. Raises UsageError where runs of one
    method with results are not there."""
    compared = ranking([_finished(run) for run in runs])
    if compared is None:
        raise UsageError("A comparison takes finished runs of one method: there are none here.")
    return compared


def decide(
    runs: Iterable[Counted],
    *,
    margin: float | None = None,
    must: Sequence[str] = (),
    prefer: Preference = "cheaper",
    judge_checked: bool = False,
) -> Decision:
    """Which model to take, and how sure that is; the options are those of `fathom decide`. Raises
    UsageError."""
    policy = {
        "margin": margin,
        "must": must,
        "prefer": prefer,
        "judge_checked": judge_checked,
    }
    finished = [_finished(run) for run in runs]
    if not finished:
        raise UsageError("A decision takes finished runs: there are none here.")
    return require_decided(finished, policy_of(policy)).decision


def export(runs: Iterable[Counted]) -> list[dict[str, Any]]:
    """A row per answer with the columns of `fathom export`, as for `pandas.DataFrame`."""
    from ..reports.rows import answers_table

    rows = [row for run in runs for row in _finished(run).rows]
    return [dict(row) for row in answers_table(rows)]


def report(
    runs: Iterable[Run],
    file: Place,
    *,
    sheet: bool = False,
    title: str | None = None,
    overwrite: bool = False,
) -> Path:
    """Write runs as one document, or the decision over them as a `sheet` of one page; the end of
    the file's name says in which form (.html, .md, of a sheet also .pdf). Raises UsageError."""
    from .report import REPORT, write_report

    values: dict[str, Any] = dict.fromkeys(option.key for option in REPORT.options)
    values |= {
        "run": [str(run.path) for run in runs],
        "output": Path(file),
        "force": overwrite,
        "sheet": sheet,
        "title": title,
    }
    write_report(values)
    return Path(file)


def _finished(run: Counted) -> FinishedRun:
    return run_in(run.path) if isinstance(run, Run) else run_of_report(run)
