"""`fathom freeze RUN -o FILE`: a finished run in one file."""

import typer

from ..state.option import OUTPUT, Option
from .declare import Command, Given
from .environment import runs_dir
from .options.shared import FORCE, ONE_RUN, RUNS


def _freeze(values: Given) -> None:
    from ..reports.page import figures
    from ..tools.runs.bundle import freeze
    from ..tools.runs.folders import find_run

    run, output = find_run(runs_dir(values["runs"]), values["run"]), values["output"]
    header = freeze(run, output, force=bool(values["force"]))
    size = f"{output.stat().st_size / 1000:,.0f} kB"
    typer.echo(
        f"{header.run_id}: {figures.count(header.events, 'event')} frozen in {output} ({size}).",
        err=True,
    )


FREEZE = Command(
    _freeze,
    """Freeze a finished run: spec, evidence, questions, answers, verdicts and digests in one file.

`fathom replay FILE` computes its result again, anywhere and without a network; the same run gives the same file.""",
    (
        ONE_RUN,
        Option(
            "--output -o",
            "FILE",
            "Bundle to write, as in run.fathom.",
            OUTPUT,
            kind="file",
            required=True,
        ),
        FORCE,
        RUNS,
    ),
)
