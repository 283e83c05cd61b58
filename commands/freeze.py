"""`fathom freeze RUN -o FILE`: a finished run in one file."""

from pathlib import Path
from typing import Annotated

import typer

from .environment import RunsDir, runs_dir

Force = Annotated[bool, typer.Option("--force", help="Overwrite the file when it exists.")]


def freeze_command(
    run: Annotated[str, typer.Argument(metavar="RUN", help="A run's folder, its name, a part of its id, or `last`.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Bundle to write, as in run.fathom.")],
    force: Force = False,
    runs: RunsDir = None,
) -> None:
    """Freeze a finished run: spec, evidence, questions, answers, verdicts and digests in one file.

    `fathom replay FILE` computes its result again, anywhere and without a network; the same run gives the same file.
    """
    from ..reports.page import figures
    from ..tools.runs.bundle import freeze
    from ..tools.runs.folders import find_run

    header = freeze(find_run(runs_dir(runs), run), output, force=force)
    size = f"{output.stat().st_size / 1000:,.0f} kB"
    typer.echo(f"{header.run_id}: {figures.count(header.events, 'event')} frozen in {output} ({size}).", err=True)
