"""`fathom depthqa draw`: a graph as a picture."""

from pathlib import Path

import typer

from ...reports.page import figures
from ...reports.page.chart.picture import SUFFIXES, ground_of
from ...reports.page.sanitise import one_line
from ...state.errors import UsageError
from ..declare import Given
from ..environment import runs_dir
from ..writable import require_file, require_other
from .source import graph_from


def draw(given: Given) -> None:
    """Write the drawing, and say so on stderr. Raises UsageError for a graph that cannot be read,
    and a file that cannot be written."""
    graph, output = given["graph"], given["output"]
    if graph is None:
        raise UsageError(
            "GRAPH is missing: name a graph's file, a folder of tables or a run of fathom "
            "depthqa build."
        )
    if output is None:
        raise UsageError("--output is missing: name the file to write, as in -o graph.svg.")
    require_other(output, "--output", Path(graph), "GRAPH")
    require_file(output, "--output", *SUFFIXES, force=bool(given["force"]))
    found = graph_from(graph, runs_dir(given["runs"]))
    from ...reports.views.depthqa.drawing import save_drawing

    save_drawing(output, found.graph, ground_of(given))
    for notice in found.notices:
        typer.echo(one_line(notice), err=True)
    trees = figures.count(len(found.graph.trees), "tree")
    typer.echo(
        one_line(
            f"{found.graph.name} drawn in {output}: {trees}, "
            f"{figures.count(len(found.graph.nodes), 'node')}."
        ),
        err=True,
    )
