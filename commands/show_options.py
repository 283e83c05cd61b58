"""What results are set beside (a benchmark, people's scores), how much of them is shown, and where their plots go."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import typer

from ..reports.page import figures
from ..reports.page.chart.picture import SUFFIXES, Picture, save
from ..reports.page.console import stdout_console
from ..reports.views.pages import PAGES
from ..state.deepquestion.result import DeepQuestionResult
from ..state.depthqa.items import Material, Mode
from ..state.depthqa.result import DepthQAResult, HumanScore
from ..state.eqt.result import BenchmarkScore, EqtResult
from ..state.errors import RunFailed, UsageError
from ..state.spec import EqtSpec
from ..tools.files.depthqa.ratings import read_human_scores
from .benchmarks import benchmark_for
from .comparison import drawn_with
from .deepquestion.files import EXPORT, NO_FILES, SAVE_PROMPTS, Files
from .ended import Ended, material_in, results_of
from .print_results import launch_document, print_launch
from .streams import print_json
from .writable import require_folder

NAMES = {
    "drill": "drills",
    "eqt": "Explain-Query-Tests",
    "depthqa": "DepthQA runs",
    "deepquestion": "DeepQuestion runs",
}
"""Methods whose results can be set beside something, as a sentence calls their runs."""
GOES_WITH: Mapping[str, tuple[str, ...]] = {
    "--benchmark": ("eqt",),
    "--plots": ("drill", "eqt", "depthqa", "deepquestion"),
    "--human": ("depthqa",),
    "--reference-metrics": ("depthqa",),
    EXPORT: ("deepquestion",),
    SAVE_PROMPTS: ("deepquestion",),
}


@dataclass(frozen=True, slots=True)
class ShowOptions:
    """What was asked for beside a result, by the flags of the command line."""

    benchmark: Path | None = None
    plots: Path | None = None
    human: Path | None = None
    reference_metrics: bool = False
    files: Files = NO_FILES

    @property
    def flags(self) -> list[str]:
        """Those that were given."""
        files = self.files.export, self.files.prompts
        said = (self.benchmark, self.plots, self.human, self.reference_metrics or None, *files)
        return [flag for flag, value in zip(GOES_WITH, said, strict=True) if value is not None]


@dataclass(frozen=True, slots=True)
class ShownWith:
    """What was asked for, read and looked at. `plots`: the folder, which need not exist yet."""

    benchmark: tuple[BenchmarkScore, ...] = ()
    plots: Path | None = None
    human: tuple[HumanScore, ...] = ()
    reference_metrics: bool = False
    files: Files = NO_FILES

    def show(self, runs: Sequence[Ended], *, as_json: bool, told: bool = True) -> None:
        """Print the runs to stdout, with what they amount to together."""
        if as_json:
            print_json(launch_document(runs, self.benchmark, self.human))
        elif told:
            print_launch(stdout_console(), runs, self.benchmark, self.human, reference_metrics=self.reference_metrics)

    def draw(self, runs: Sequence[Ended], *, told: bool = True) -> None:
        """Write the plots, where they are asked for, and say so on stderr. Raises RunFailed when that cannot be: what
        they show was found all the same."""
        if self.plots is None:
            return
        try:
            made = save(self.plots, pictures_of(runs, self.benchmark))
        except UsageError as error:
            raise RunFailed(str(error)) from error
        if told:
            names = f": {', '.join(path.name for path in made)}" if made else ""
            typer.echo(f"{figures.count(len(made), 'plot')} written to {self.plots}{names}.", err=True)


def pictures_of(runs: Sequence[Ended], benchmark: Sequence[BenchmarkScore]) -> Iterator[Picture]:
    """What there is to draw of the results, method by method."""
    done = [run for run in runs if run.result is not None]
    for method in dict.fromkeys(run.method or "" for run in done):
        draw, results = PAGES[method].pictures, [run.result for run in done if run.method == method]
        if draw is not None:
            yield from draw(results, drawn_with(method, results, benchmark))


def require_place(plots: Path) -> None:
    """Raises UsageError for a folder, or the folder of a file, that cannot be written."""
    require_folder(plots.parent if plots.suffix.casefold() in SUFFIXES else plots, "--plots")


def read_shown_with(benchmark: Path | None, plots: Path | None, specs: Iterable[EqtSpec]) -> ShownWith:
    """Of Explain-Query-Tests: the benchmark, read, and the folder for plots, looked at. Raises UsageError for a
    benchmark that cannot be read or that has nothing to compare with these runs, and for a folder that cannot be
    written."""
    scores = benchmark_for(benchmark, specs)
    if plots is not None:
        require_place(plots)
    return ShownWith(scores, plots)


def read_depthqa_shown_with(options_shown: ShowOptions, material: Material, modes: Sequence[Mode]) -> ShownWith:
    """Of DepthQA runs: people's scores, read, and the folder for plots, looked at. Raises UsageError for scores that
    cannot be read or of which none is of an answer in these modes, and for a folder that cannot be written."""
    human = human_scores(options_shown.human, material, modes)
    if options_shown.plots is not None:
        require_place(options_shown.plots)
    return ShownWith(plots=options_shown.plots, human=human, reference_metrics=options_shown.reference_metrics)


def read_deepquestion_shown_with(plots: Path | None, files: Files) -> ShownWith:
    """Of DeepQuestion runs: the folder for plots, looked at; the files have been. Raises UsageError for a folder that
    cannot be written."""
    if plots is not None:
        require_place(plots)
    return ShownWith(plots=plots, files=files)


def human_scores(file: Path | None, material: Material, modes: Sequence[Mode]) -> tuple[HumanScore, ...]:
    """People's scores; none without a file. Raises UsageError as `read_human_scores` does, and when none of them is of
    a question of the graph, asked in one of the modes."""
    if file is None:
        return ()
    scores = read_human_scores(file)
    nodes = material.graph.nodes
    if material.answers is not None:
        given = {answer.node for answer in material.answers}
        nodes = tuple(node for node in nodes if node.id in given)
    known = {node.id for node in nodes} | {node.question_id for node in nodes if node.question_id}
    if not any(score.node in known and score.mode in modes for score in scores):
        some = ", ".join(node.id for node in nodes[:3])
        raise UsageError(
            f"None of the scores in {file} is of an answer of this run: they are of {_some(scores)}, and it has answers"
            f" to questions such as {some}, asked in {', '.join(modes)}; name them alike."
        )
    return scores


def _some(scores: Sequence[HumanScore]) -> str:
    named = list(dict.fromkeys(f"{score.node} ({score.mode})" for score in scores))
    return ", ".join(named[:3]) + (", …" if len(named) > 3 else "")


def shown_with_of(runs: Sequence[Ended], options_shown: ShowOptions) -> ShownWith:
    """The same for runs that have ended, whatever their method. Raises UsageError when something is wished for that
    goes with no result among them, and as `read_shown_with` and `read_depthqa_shown_with` do."""
    results = [run.result for run in runs if run.result is not None]
    for flag in options_shown.flags:
        if not any(result.method in GOES_WITH[flag] for result in results):
            names, whose = ", ".join(run.run_id for run in runs), _joined([NAMES[m] for m in GOES_WITH[flag]])
            raise UsageError(f"{flag} is for results of {whose}, and {names} has none: name another run.")
    if results_of(runs, DeepQuestionResult):
        options_shown.files.require_from(runs)
        return read_deepquestion_shown_with(options_shown.plots, options_shown.files)
    asked = results_of(runs, DepthQAResult)
    if not asked:
        return read_shown_with(
            options_shown.benchmark, options_shown.plots, [result.spec for result in results_of(runs, EqtResult)]
        )
    if options_shown.human is not None and len(runs) > 1:
        raise UsageError(
            f"--human goes with one run, because people rate one model's answers: name one of the {len(runs)}."
        )
    return read_depthqa_shown_with(options_shown, material_in(runs[0].folder), asked[0].spec.modes)


def _joined(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
