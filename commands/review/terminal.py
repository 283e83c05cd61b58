"""A review in the terminal: one answer at a time, a key for each thing that can be said."""

import os
import sys
import termios
import tty
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import typer

from ...reports.page import figures
from ...reports.page.blocks import Block, Text
from ...reports.page.console import stdout_console
from ...reports.page.sanitise import one_line
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

ESCAPE, END = "\x1b", "\x04"
BACK = "b"
STEPS = {BACK: -1, "s": 1}
OTHER_KEYS = "n note  b back  s skip  ? rule  q quit"
GAIN_EVERY = 10
"""Labels after which it is said what more of them would bring."""


class Keyboard:
    """Keys as a person presses them; of what is no terminal, the signs of its lines."""

    def __init__(self) -> None:
        self.is_terminal = sys.stdin.isatty()
        self._waiting = ""

    def key(self) -> str:
        """The next key in small letters; empty for what is none. Raises EOFError at the end."""
        if not self._waiting:
            self._waiting = self._pressed() if self.is_terminal else self._line().strip()
        key, self._waiting = self._waiting[:1], self._waiting[1:]
        return key.casefold()

    def text(self) -> str:
        """The rest of the line, or a line of its own."""
        waiting, self._waiting = self._waiting, ""
        return (waiting or self._line()).strip()

    def _line(self) -> str:
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        return line

    def _pressed(self) -> str:
        file = sys.stdin.fileno()
        before = termios.tcgetattr(file)
        try:
            tty.setcbreak(file)
            signs = os.read(file, 64).decode(errors="ignore")
        finally:
            termios.tcsetattr(file, termios.TCSADRAIN, before)
        if not signs or signs.startswith(END):
            raise EOFError
        return "" if signs.startswith(ESCAPE) else signs  # an arrow is a row of signs


@dataclass
class Draft:
    """What was said so far of an answer, by its keys."""

    question: str = ""
    answer: str = ""
    note: str = ""

    @property
    def is_whole(self) -> bool:
        return bool(self.question and self.answer)

    @property
    def line(self) -> str:
        question = _name(QUESTION_KEYS, self.question)
        answer = _name(ANSWER_KEYS, self.answer)
        note = f" · note: {one_line(self.note)}" if self.note else ""
        return f"question: {question} · answer: {answer}{note}"


class Session:
    """Asks a rater about these answers. `gain`: what her open labels would bring."""

    def __init__(self, rater: str, items: Sequence[Item], gain: Callable[[], str]) -> None:
        self._rater, self._items, self._gain = rater, items, gain
        self._drafts = [Draft() for _ in items]
        self._saved = set[str]()
        self._keyboard, self._console = Keyboard(), stdout_console()

    def run(self) -> int:
        """To the last answer, or until the rater leaves; returns the exit code."""
        code = 0
        try:
            self._show_rule()
            position = 0
            while True:
                at_end = position == len(self._items)
                step = self._leave_or_go_back() if at_end else self._ask(position)
                position = max(0, position + step)
        except EOFError:
            pass  # she goes on another time
        except KeyboardInterrupt:
            code = 130
        self._close()
        return code

    def _ask(self, position: int) -> int:
        """How many answers to go on: 1, or -1 to go back."""
        draft = self._drafts[position]
        self._show(position)
        while True:
            typer.echo(f"{draft.line} > ", nl=False)
            key = self._keyboard.key()
            if self._keyboard.is_terminal:
                typer.echo()
            if key == "q":
                raise EOFError
            if key in STEPS:
                return STEPS[key]
            if key == "?":
                self._show_rule()
                self._show(position)
            elif self._take(draft, key) and draft.is_whole:
                self._keep(position)
                return 1

    def _leave_or_go_back(self) -> int:
        typer.echo("That was the last answer. b goes back, any other key ends: ", nl=False)
        if self._keyboard.key() == BACK:
            return STEPS[BACK]
        raise EOFError

    def _take(self, draft: Draft, key: str) -> bool:
        """Whether the key says anything of the answer."""
        if key in QUESTION_KEYS:
            draft.question = key
        elif key in ANSWER_KEYS:
            draft.answer = key
        elif key == "n":
            typer.echo("note: ", nl=False)
            note = self._keyboard.text().encode(errors="replace").decode()
            draft.note = note[:MOST_NOTE]
        else:
            if key:
                typer.echo(f"{one_line(key)} is none of the keys; ? explains them.")
            return False
        return True

    def _keep(self, position: int) -> None:
        draft, item = self._drafts[position], self._items[position]
        keep_label(
            item,
            rater=self._rater,
            question=QUESTION_KEYS[draft.question][0],
            answer=ANSWER_KEYS[draft.answer][0],
            note=draft.note,
            rule=RULE_DIGEST,
            at=datetime.now(UTC),
        )
        self._saved.add(item.id)
        if len(self._saved) % GAIN_EVERY == 0:
            self._say_gain()

    def _show(self, position: int) -> None:
        self._clear()
        self._print(
            [
                Text([f"Answer {position + 1} of {len(self._items)}"], style="dim"),
                *answer_blocks(self._items[position].row),
                Text([_keys(QUESTION_KEYS), _keys(ANSWER_KEYS), OTHER_KEYS], style="dim"),
            ]
        )

    def _show_rule(self) -> None:
        self._clear()
        self._print(rule_blocks())
        if self._keyboard.is_terminal:
            typer.echo("\nAny key goes on. ", nl=False)
            self._keyboard.key()

    def _close(self) -> None:
        open_items = len(self._items) - len(self._saved)
        rest = (
            f"{figures.count(open_items, 'answer')} left: the same command goes on with them."
            if open_items
            else "All answers are labelled."
        )
        typer.echo(f"\n{figures.count(len(self._saved), 'label')} kept. {rest}")
        self._say_gain()

    def _say_gain(self) -> None:
        line = self._gain()
        if line:
            typer.echo(line)

    def _print(self, blocks: Iterable[Block]) -> None:
        self._console.print(rendered(blocks, self._console.width), crop=False)

    def _clear(self) -> None:
        if self._keyboard.is_terminal:
            self._console.clear()


def _name(keys: Mapping[str, tuple[str | None, str]], key: str) -> str:
    return keys[key][0] or NOTHING if key else "–"


def _keys(keys: Mapping[str, tuple[str | None, str]]) -> str:
    return "  ".join(f"{key} {_name(keys, key)}" for key in keys)
