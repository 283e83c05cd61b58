"""What results are set beside (a benchmark), and where their plots and files go."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import typer

from ..graphs.method import METHODS
from ..reports.page import figures
from ..reports.page.chart.picture import SUFFIXES, Picture, save
from ..reports.page.console import stdout_console
from ..state.benchmark import BenchmarkScore
from ..state.decision import Policy
from ..state.eqt.result import EqtResult
from ..state.errors import RunFailed, UsageError
from .declare import Given
from .deepquestion.files import NO_FILES, OUTPUT, Files
from .finished import FinishedRun, results_of, with_result
from .streams import print_json
from .writable import require_folder

GOES_WITH: Mapping[str, tuple[str, ...]] = {
    "--benchmark": ("eqt",),
    "--plots": ("drill", "eqt", "depthqa", "deepquestion"),
    OUTPUT: ("deepquestion",),
}
"""What can be asked for beside a result, and of which methods."""


def asked_beside(given: Given) -> list[str]:
    """The flags of what was asked for beside a result."""
    return [flag for flag in GOES_WITH if given[flag.removeprefix("--").replace("-", "_")]]


class Written(Protocol):
    """Files that are written of runs that have ended; `save` tells whether there was something for
    each."""

    def save(self, runs: Sequence[FinishedRun], *, told: bool = True) -> bool: ...


@dataclass(frozen=True, slots=True)
class ShowOptions:
    """What was asked for, read and looked at. `plots`: the folder, which need not exist yet."""

    benchmark: tuple[BenchmarkScore, ...] = ()
    plots: Path | None = None
    files: "Written" = NO_FILES
    policy: Policy = Policy()  # noqa: RUF009  # frozen

    @property
    def wanted(self) -> bool:
        """Whether any file is to be written."""
        return self.plots is not None or self.files is not NO_FILES

    def show(self, runs: Sequence[FinishedRun], *, as_json: bool, told: bool = True) -> None:
        """Print the runs to stdout, with what they amount to together."""
        if as_json:
            print_json(self.document(runs))
        elif told:
            from .print_results import print_launch  # heavy: only when there is something to show

            print_launch(stdout_console(), runs, self.benchmark, policy=self.policy)

    def document(self, runs: Sequence[FinishedRun]) -> Any:
        """What is printed as JSON."""
        from .print_results import launch_document

        return launch_document(runs, self.benchmark)

    def draw(self, runs: Sequence[FinishedRun], *, told: bool = True) -> None:
        """Write the plots, where they are asked for, and say so on stderr. Raises RunFailed when
        that cannot be: what they show was found all the same."""
        if self.plots is None:
            return
        try:
            paths = save(self.plots, pictures_of(runs, self.benchmark))
        except UsageError as error:
            raise RunFailed(str(error)) from error
        if told:
            names = f": {', '.join(path.name for path in paths)}" if paths else ""
            where = paths[0].parent if paths else self.plots
            typer.echo(f"{figures.count(len(paths), 'plot')} written to {where}{names}.", err=True)

    def save(self, runs: Sequence[FinishedRun], *, told: bool = True) -> bool:
        """Write the other files that are wanted; returns whether there was something for each."""
        return self.files.save(runs, told=told)


def pictures_of(
    runs: Sequence[FinishedRun], benchmark: Sequence[BenchmarkScore]
) -> Iterator[Picture]:
    """What there is to draw of the results, method by method."""
    for method, of_method in with_result(runs).items():
        draw = METHODS[method].page.pictures
        if draw is not None:
            yield from draw([run.result for run in of_method], None)


def require_place(plots: Path) -> None:
    """Raises UsageError for a folder, or the folder of a file, that cannot be written."""
    require_folder(plots.parent if plots.suffix.casefold() in SUFFIXES else plots, "--plots")


def shown_beside(
    given: Given,
    *,
    benchmark: Sequence[BenchmarkScore] = (),
    files: Files = NO_FILES,
) -> ShowOptions:
    """What was asked for beside results, the folder for plots looked at. Raises UsageError for one
    that cannot be written."""
    plots: Path | None = given["plots"]
    if plots is not None:
        require_place(plots)
    return ShowOptions(tuple(benchmark), plots, files)


def shown_with_of(runs: Sequence[FinishedRun], given: Given, files: Files) -> ShowOptions:
    """The same for runs that have ended, whatever their method. Raises UsageError when something is
    wished for that goes with no result among them, and as `benchmark_for` does."""
    from .benchmarks import benchmark_for

    for flag in asked_beside(given):
        if with_result(runs).keys().isdisjoint(GOES_WITH[flag]):
            names = ", ".join(run.run_id for run in runs)
            raise UsageError(
                f"{flag} is for results of {', '.join(GOES_WITH[flag])}, and {names} has none: name "
                "another run."
            )
    files.require_from(runs)
    benchmark = benchmark_for(
        given["benchmark"], [result.spec for result in results_of(runs, EqtResult)]
    )
    return shown_beside(given, benchmark=benchmark, files=files)
