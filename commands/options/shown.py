"""Options for what is shown beside results, and what is written from them."""

from pathlib import Path
from typing import Annotated

import typer

Benchmark = Annotated[
    Path | None,
    typer.Option(
        "--benchmark", metavar="FILE", help="CSV of model, category, score (- for stdin) to compare the results with."
    ),
]
Export = Annotated[
    Path | None,
    typer.Option("--export", "-o", metavar="FILE", help="Write the texts that passed every check, as in texts.jsonl."),
]
SavePrompts = Annotated[
    Path | None,
    typer.Option("--save-prompts", metavar="FILE", help="Write the transformation prompts, as in prompts.json."),
]
ReferenceMetrics = Annotated[
    bool,
    typer.Option("--reference-metrics", help="Also show the figures computed as in the method's published code."),
]
Human = Annotated[
    Path | None,
    typer.Option(
        "--human", metavar="FILE", help="CSV of id, rater, score: measure agreement between people and judge."
    ),
]
Plots = Annotated[
    Path | None,
    typer.Option(
        "--plots",
        metavar="DIR|FILE",
        help="Write plots: as SVG into this folder, or as this file's suffix says (.svg, .png, .pdf).",
    ),
]
