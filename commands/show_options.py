"""What results are set beside (a benchmark), and where their plots and files go."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from ..graphs.method import METHODS
from ..reports.page import figures
from ..reports.page.console import stdout_console
from ..reports.page.picture import SUFFIXES, Picture, save
from ..reports.page.sanitise import one_line
from ..state.benchmark import BenchmarkScore
from ..state.decision import Policy
from ..state.errors import UsageError
from ..state.spec import EqtSpec
from .declare import Given
from .finished import FinishedRun, with_result
from .streams import print_json
from .writable import require_folder

Write = Callable[[Sequence[FinishedRun]], tuple[str, bool]]
"""Writes a file of runs that have ended: a sentence on it, and whether there was something to
write. Raises UsageError when that cannot be."""


@dataclass(frozen=True, slots=True)
class ShowOptions:
    """What was asked for, read and looked at. `plots`: the folder, which need not exist yet."""

    benchmark: tuple[BenchmarkScore, ...] = ()
    plots: Path | None = None
    write: Write | None = None
    policy: Policy = Policy()  # noqa: RUF009  # frozen

    @property
    def wanted(self) -> bool:
        """Whether any file is to be written."""
        return self.plots is not None or self.write is not None

    def show(self, runs: Sequence[FinishedRun], *, as_json: bool, told: bool = True) -> None:
        """Print the runs to stdout, with what they amount to together."""
        if as_json:
            print_json(self.document(runs))
        elif told:
            from .print_results import (
                print_launch,
            )  # heavy: only when there is something to show

            print_launch(stdout_console(), runs, self.benchmark, self.policy)

    def document(self, runs: Sequence[FinishedRun]) -> Any:
        """What is printed as JSON."""
        from .print_results import launch_document

        return launch_document(runs, self.benchmark)

    def save(self, runs: Sequence[FinishedRun], *, told: bool = True) -> bool:
        """Write the file that is wanted, then the plots, and say so on stderr; returns whether there
        was something for the file. Raises UsageError when one cannot be written."""
        sentences, is_written = list[str](), True
        if self.write is not None:
            sentence, is_written = self.write(runs)
            sentences.append(sentence)
        if self.plots is not None:
            paths = save(self.plots, pictures_of(runs))
            names = f": {', '.join(path.name for path in paths)}" if paths else ""
            where = paths[0].parent if paths else self.plots
            sentences.append(f"{figures.count(len(paths), 'plot')} written to {where}{names}.")
        for sentence in sentences if told else ():
            typer.echo(one_line(sentence), err=True)
        return is_written


def pictures_of(runs: Sequence[FinishedRun]) -> Iterator[Picture]:
    """What there is to draw of the results, method by method."""
    for method, of_method in with_result(runs).items():
        draw = METHODS[method].page.pictures
        if draw is not None:
            yield from draw([run.result for run in of_method])


def shown_beside(
    values: Given, *, specs: Iterable[EqtSpec] | None = None, write: Write | None = None
) -> ShowOptions:
    """What was asked for beside results, the folder for plots looked at. `specs`: what a benchmark
    is compared with. Raises UsageError for a folder that cannot be written, and for a benchmark
    that cannot be read or has no score of these models."""
    plots: Path | None = values["plots"]
    if plots is not None:
        require_folder(
            plots.parent if plots.suffix.casefold() in SUFFIXES else plots, "--plots"
        )
    benchmark: tuple[BenchmarkScore, ...] = ()
    if specs is not None and values["benchmark"] is not None:
        benchmark = _benchmark(values["benchmark"], specs)
    return ShowOptions(benchmark, plots, write)


def _benchmark(file: Path, specs: Iterable[EqtSpec]) -> tuple[BenchmarkScore, ...]:
    from ..stats.benchmark import model_names
    from ..tools.files.benchmark_scores import read_scores

    scores = read_scores(file)
    listed = {score.model.casefold() for score in scores}
    if not any(listed.intersection(model_names(spec.target)) for spec in specs):
        raise UsageError(
            f"The benchmark {file} has no score of the models tested here: its models are "
            f"{', '.join(sorted(listed))}; name them there as they are named here."
        )
    return scores
