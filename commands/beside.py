"""What Explain-Query-Tests are set beside, a benchmark, and where their plots go."""

import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from ..reports import figures
from ..reports.console import stdout_console
from ..state.eqt_result import BenchmarkScore
from ..state.errors import RunFailed, UsageError
from ..state.spec import EqtSpec
from ..stats.benchmark import OVERALL, model_names, plain
from ..stats.eqt_table import compare_eqt
from ..tools.benchmark import read_benchmark
from .launched import Ended, eqt_results, launch_document, print_launch
from .show import print_json


@dataclass(frozen=True, slots=True)
class Beside:
    """`benchmark`: empty where there is none; `plots`: the folder, which need not exist yet."""

    benchmark: tuple[BenchmarkScore, ...] = ()
    plots: Path | None = None

    def show(self, runs: Sequence[Ended], *, as_json: bool, told: bool = True) -> None:
        """Print the runs to stdout, with what they amount to together."""
        if as_json:
            print_json(launch_document(runs, self.benchmark))
        elif told:
            print_launch(stdout_console(), runs, self.benchmark)

    def draw(self, runs: Sequence[Ended], *, told: bool = True) -> None:
        """Write the plots, where they are asked for, and say so on stderr. Raises RunFailed when that cannot be: what
        they show was found all the same."""
        if self.plots is None:
            return
        from ..reports.eqt_plots import save_plots

        results = eqt_results(runs)
        try:
            made = save_plots(self.plots, results, compare_eqt(results, self.benchmark)) if results else []
        except UsageError as error:
            raise RunFailed(str(error)) from error
        if told:
            names = f": {', '.join(path.name for path in made)}" if made else ""
            typer.echo(f"{figures.count(len(made), 'plot')} written to {self.plots}{names}.", err=True)


def read_beside(benchmark: Path | None, plots: Path | None, specs: Iterable[EqtSpec]) -> Beside:
    """The benchmark, read, and the folder for plots, looked at. Raises UsageError for a benchmark that cannot be read
    or that has nothing to compare with these runs, and for a folder that cannot be written."""
    scores = read_benchmark(benchmark) if benchmark is not None else ()
    if scores and benchmark is not None:
        tested = list(specs)
        targets = list(dict.fromkeys(spec.target for spec in tested))
        _require_known(scores, targets, benchmark)
        categories = dict.fromkeys(concept.category for spec in tested for concept in spec.concepts)
        _require_shared(scores, targets, [category for category in categories if category], benchmark)
    if plots is not None:
        _require_folder(plots)
    return Beside(scores, plots)


def beside_of(runs: Sequence[Ended], benchmark: Path | None, plots: Path | None) -> Beside:
    """The same for runs that have ended, whatever their method. Raises UsageError when either is named and there is no
    Explain-Query-Test with a result among them, and as `read_beside` does."""
    results = eqt_results(runs)
    flag = "--benchmark" if benchmark is not None else "--plots" if plots is not None else ""
    if flag and not results:
        names = ", ".join(run.run_id for run in runs)
        raise UsageError(f"{flag} is for results of Explain-Query-Tests, and {names} has none: name another run.")
    return read_beside(benchmark, plots, [result.spec for result in results])


def _require_known(scores: Sequence[BenchmarkScore], targets: Sequence[str], file: Path) -> None:
    """A comparison with nobody in it is a slip in a name, which is better told before anything is paid for."""
    models = list(dict.fromkeys(score.model for score in scores))
    held = {name.casefold() for name in models}
    if not any(held & set(model_names(target)) for target in targets):
        raise UsageError(
            f"The benchmark {file} has no score of {' or '.join(targets)}: its models are {_some(models)}; name them"
            " there as they are named here, with or without the provider."
        )


def _require_shared(
    scores: Sequence[BenchmarkScore], targets: Sequence[str], categories: Sequence[str], file: Path
) -> None:
    """Of the targets' scores one must be of a category of the concepts, or over all of them."""
    names = {name for target in targets for name in model_names(target)}
    listed = list(dict.fromkeys(score.category for score in scores if score.model.casefold() in names))
    if {plain(category) for category in listed} & (OVERALL | {plain(category) for category in categories}):
        return
    here = f"the concepts' categories are {_some(categories)}" if categories else "the concepts have no category"
    raise UsageError(
        f"The benchmark {file} has nothing to compare: its categories are {_some(listed)}, and {here}; name them alike,"
        " or add scores of the category overall."
    )


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _require_folder(plots: Path) -> None:
    """Some folders only refuse when they are written, so that is tried; nothing of it stays."""
    made: list[Path] = []
    try:
        _require_no_file(plots)
        for path in (*reversed(plots.parents), plots):
            if not path.exists():
                path.mkdir()
                made.append(path)
        with tempfile.TemporaryFile(dir=plots):
            pass
    except OSError as error:
        said = error.strerror or error
        raise UsageError(f"--plots {plots} cannot be written ({said}): name another folder.") from None
    finally:
        for path in reversed(made):
            path.rmdir()


def _require_no_file(plots: Path) -> None:
    nearest = next(path for path in (plots, *plots.absolute().parents) if path.exists())
    if not nearest.is_dir():
        raise UsageError(f"--plots {plots} cannot be a folder, because {nearest} is a file: name another one.")
