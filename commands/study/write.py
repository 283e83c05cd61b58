"""A study file written: what a command was asked for, or a commented one to start from."""

import os
from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap
from typing import Any

import typer
import yaml

from ...reports.page.sanitise import one_line
from ...state.option import PANELS, Option
from ...tools.files.text import STDIN
from ..declare import Given
from ..methods import MethodTable
from ..request import Request
from ..writable import require_file
from .model import in_study

SUFFIXES = (".yaml", ".yml")
STARTERS = {
    "domains": "[Chemical elements]",
    "concepts": "[Gold, Neon]",
    "graph": "graph.json",
    "questions": "questions.csv",
    "benchmark": "problems.jsonl",
    "target": "[sim:student]",
    "evaluator": "sim:evaluator",
    "judge": "sim:evaluator",
}
"""What a commented study begins with, of what its method needs."""
MARGIN, WIDTH = 30, 110


def save(given: Given, command: MethodTable, request: Request) -> None:
    """Write what was said where `--save-study` wants it, its paths relative to the file, and say so
    on stderr. Raises UsageError for a file that cannot be written, or exists unless that is meant.
    """
    file: Path = given["save_study"]
    require_file(file, "--save-study", *SUFFIXES, force=bool(given["force"]))
    spec, folder = request.specs[0], file.absolute().parent
    said: dict[str, Any] = {"method": spec.method}
    for name, option in in_study(command).items():
        if given[option.key] is not None:
            said[name] = _kept(option, given[option.key], folder, spec)
    text = yaml.safe_dump(said, sort_keys=False, allow_unicode=True, width=100)
    file.write_text(
        f"# A study of Fathom. Run it: fathom run {one_line(file.name)}\n{text}", encoding="utf-8"
    )
    typer.echo(
        one_line(f"The study is written to {file}; nothing was run. Run it: fathom run {file}"),
        err=True,
    )


def _kept(option: Option, value: Any, folder: Path, spec: Any) -> Any:
    """A value as it stands in a study in this folder."""
    if option.kind == "sources":  # as they were understood, with absolute paths
        return {str(tier): list(names) for tier, names in spec.facts.items()}
    if option.kind == "pair":
        pairs = (pair.partition("=") for pair in value)
        return {name.strip(): _from(folder, file.strip()) for name, _, file in pairs}
    if option.kind == "run":
        return [_from(folder, each) if Path(each).exists() else each for each in value]
    if option.kind == "file" or (option.kind == "material" and Path(value).exists()):
        return _from(folder, value)
    return value


def _from(folder: Path, path: Path | str) -> str:
    if Path(path) == STDIN or Path(path).is_absolute():
        return str(path)
    return os.path.relpath(Path.cwd() / path, folder)


def commented(command: MethodTable, method: str) -> str:
    """A study to start from: what the method needs is filled in for the simulated world, all else
    stands as a comment with what it means."""
    options = in_study(command)
    lines = [
        f"# {command.help.splitlines()[0]}",
        (
            "# What it will take: fathom plan FILE; run it: fathom run FILE. Paths are relative "
            "to this file."
        ),
        (
            "# Run it again to continue: what is finished is not asked again, and what was added "
            "runs alone."
        ),
        "# Lines that begin with # are options at their defaults: remove the # to set them.",
        (
            "# The models are simulated: replace them by yours, as in openai:gpt-5-mini or "
            "ollama:llama3."
        ),
        "",
        f"method: {method}",
    ]
    needed = {name for name in STARTERS if name in options and _is_needed(options[name])}
    for panel in ("", *PANELS):
        held = [
            name
            for name, option in options.items()
            if (option.panel if option.flags else "") == panel
        ]
        if held:
            lines += ["", *([f"# {panel}"] if panel else [])]
        for name in held:
            lines += _lines(
                f"{name}: {STARTERS[name]}"
                if name in needed
                else f"#{name}: {_usual(command, options[name])}",
                options[name],
            )
    return "\n".join(lines) + "\n"


def _is_needed(option: Option) -> bool:
    return option.required or not option.flags or "[required" in option.help


def _usual(command: MethodTable, option: Option) -> str:
    """The default, or what kind of value it takes."""
    field = command.spec.model_fields.get(option.key)
    if not option.metavar:
        return "true" if field is not None and field.default is True else "false"
    plain = field is not None and isinstance(field.default, str | int | float)
    usual = (
        option.default if (plain and " " not in option.default) or option.default.isdigit() else ""
    )
    return usual or option.metavar


def _lines(setting: str, option: Option) -> Iterator[str]:
    """The setting with what it means beside it."""
    beside, *below = wrap(option.help, WIDTH - MARGIN)
    if len(setting) >= MARGIN - 1:
        yield setting
        setting = ""
    yield f"{setting:{MARGIN}}# {beside}"
    yield from (f"{'':{MARGIN}}# {line}" for line in below)
