"""A commented study file to start from."""

from textwrap import wrap

from ..method import MethodCommand
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


def commented(command: MethodCommand, method: str) -> str:
    """A study to start from: what the method needs is filled in for the simulated world, all else
    stands as a comment with what it means."""
    lines = [
        f"# {command.help.splitlines()[0]}",
        "# What it will take: fathom plan FILE; run it, or go on with it: fathom run FILE.",
        "# Lines that begin with # are options: remove the # to set them. Paths begin here.",
        "# The models are simulated: replace them by yours, as in openai:gpt-5-mini.",
        f"method: {method}",
    ]
    for name, option in in_study(command).items():
        is_needed = option.required or not option.flags or "[required" in option.help
        setting = f"#{name}: {option.default or option.metavar or 'false'}"
        if is_needed and name in STARTERS:
            setting = f"{name}: {STARTERS[name]}"
        lines += ["", *wrap(option.help, 100, initial_indent="# ", subsequent_indent="# ")]
        lines.append(setting)
    return "\n".join(lines) + "\n"
