"""A review in the terminal: one answer at a time, and a line for what is said of it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime

import typer

from ...reports.page import figures
from ...reports.page.blocks import Block, Text
from ...reports.page.console import stdout_console
from ...reports.page.terminal import rendered
from ...reports.views.review import (
    ANSWER_KEYS,
    NOTHING,
    QUESTION_KEYS,
    RULE_DIGEST,
    answer_blocks,
    rule_blocks,
)
from ...state.review import MOST_NOTE
from .sample import Item, keep_label

QUIT = "q"
STEPS = {"b": -1, "s": 1}
USAGE = "Both keys, then a note if any: 1r. Or b back, s skip, ? rule, q quit."


GAIN_EVERY = 20
"""Labels after which it is said again what more would bring."""


def review_in_terminal(rater: str, items: Sequence[Item], gain: Callable[[], str]) -> None:
    """Ask the rater about these answers, to the last one or until she leaves. `gain`: what her open
    labels would bring."""
    _print(rule_blocks())
    _say(gain())
    labelled = set[str]()
    position = 0
    while position < len(items):
        item = items[position]
        _print(_shown(position, items))
        keys, _, note = _line().partition(" ")
        if keys == QUIT:
            break
        question, answer = QUESTION_KEYS.get(keys[:1]), ANSWER_KEYS.get(keys[1:])
        if keys in STEPS:
            position = max(0, position + STEPS[keys])
        elif question and answer:
            keep_label(
                item,
                rater=rater,
                question=question[0],
                answer=answer[0],
                note=note.encode(errors="replace").decode()[:MOST_NOTE],
                rule=RULE_DIGEST,
                at=datetime.now(UTC),
            )
            labelled.add(item.id)
            position += 1
            if len(labelled) % GAIN_EVERY == 0:
                _say(gain())
        else:
            _print(rule_blocks())
    left = len(items) - len(labelled)
    typer.echo(f"\n{figures.count(len(labelled), 'label')} kept, {left} left.")


def _say(line: str) -> None:
    if line:
        typer.echo(line)


def _line() -> str:
    """The next line; at the end of the input that which leaves."""
    try:
        return input("> ").strip()
    except EOFError:
        return QUIT


def _shown(position: int, items: Sequence[Item]) -> list[Block]:
    return [
        Text([f"Answer {position + 1} of {len(items)}"], style="dim"),
        *answer_blocks(items[position].row),
        Text([_names(QUESTION_KEYS), _names(ANSWER_KEYS), USAGE], style="dim"),
    ]


def _names(keys: Mapping[str, tuple[str | None, str]]) -> str:
    return "  ".join(f"{key} {name or NOTHING}" for key, (name, _) in keys.items())


def _print(blocks: Iterable[Block]) -> None:
    console = stdout_console()
    console.print(rendered(blocks, console.width), crop=False)
