"""A commented study file to start from."""

from collections.abc import Iterator
from textwrap import wrap

from ...state.option import PANELS, Option
from ..methods import MethodTable
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
        names = [
            name
            for name, option in options.items()
            if (option.panel if option.flags else "") == panel
        ]
        if names:
            lines += ["", *([f"# {panel}"] if panel else [])]
        for name in names:
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
    first, *rest = wrap(option.help, WIDTH - MARGIN)
    if len(setting) >= MARGIN - 1:
        yield setting
        setting = ""
    yield f"{setting:{MARGIN}}# {first}"
    yield from (f"{'':{MARGIN}}# {line}" for line in rest)
