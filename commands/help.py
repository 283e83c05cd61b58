"""Help in panels, as wide as the terminal."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from typer.core import TyperCommand, TyperGroup

from ..state.option import PANELS, Option

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

ARGUMENTS, OPTIONS = "Arguments", "Options"
WIDEST = 28
"""Cells that the names of an option take; longer ones stand above what is said of them."""
Row = tuple[bool, str, str]
"""Whether it is required, names, what is said of it."""
Cells = tuple[int, int]
"""Widths of the columns of marks and names."""


class PanelCommand(TyperCommand):
    """A command whose help is printed from its table."""

    table: Any

    def format_help(self, ctx: Any, formatter: Any) -> None:
        panels: dict[str, list[Row]] = {
            ARGUMENTS: [],
            OPTIONS: [],
            **{panel: [] for panel in PANELS},
        }
        for option in self.table.options:
            panels[(option.panel or OPTIONS) if option.flags else ARGUMENTS].append(_row(option))
        held = {name: rows for name, rows in panels.items() if rows}
        last = [*held][-1] if set(held) - {ARGUMENTS} else OPTIONS
        held.setdefault(last, []).append(_row_of_parser(self.get_help_option(ctx)))
        formatter.write(printed(ctx, self.table.help, held, self.table.epilog))


@dataclass(frozen=True, slots=True)
class Entry:
    """A command of a group: where it stands, as `module:NAME` seen from this folder, and what the
    group's help says of it without reading it."""

    home: str
    said: str
    panel: str = "Commands"

    def build(self, name: str) -> Any:
        """The command or group."""
        return found(self.home).build(name)


def found(home: str) -> Any:
    """What stands there, as `module:name` seen from this folder; the module is read now."""
    module, _, name = home.partition(":")
    return getattr(import_module(module, __package__), name)


class PanelGroup(TyperGroup):
    """A group whose commands are read when they are asked for; its help reads none."""

    def __init__(self, entries: Mapping[str, Entry], **settings: Any) -> None:
        super().__init__(**settings)
        self.entries = entries
        self.commands: Any = dict.fromkeys(entries)  # the names, for suggestions

    def list_commands(self, ctx: Any) -> list[str]:
        return [*self.entries]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in self.entries and self.commands[cmd_name] is None:
            self.commands[cmd_name] = self.entries[cmd_name].build(cmd_name)
        return self.commands.get(cmd_name)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        options = [_row_of_parser(option) for option in self.get_params(ctx)]
        panels: dict[str, list[Row]] = {}
        for name, entry in self.entries.items():
            panels.setdefault(entry.panel, []).append((False, name, entry.said))
        formatter.write(printed(ctx, self.help or "", {**panels, OPTIONS: options}))


@dataclass(frozen=True, slots=True)
class Group:
    """Commands under one name."""

    help: str
    entries: Mapping[str, Entry]
    kind: type[PanelGroup] = PanelGroup

    def build(self, name: str) -> PanelGroup:
        """The group as the parser has it."""
        return self.kind(self.entries, name=name, help=self.help, no_args_is_help=True)


def _row(option: Option) -> Row:
    names = ", ".join(sorted(option.flags.split(), key=len))
    if "/" in names:
        names = f"--[no-]{names.partition('/')[0].removeprefix('--')}"
    indent = "    " if names.startswith("--") else ""
    said = [option.help]
    said += ["[required]"] if option.required else []
    shown = [f"env: {option.env}"] if option.env else []
    shown += [f"default: {option.default}"] if option.default else []
    said += [f"[{'; '.join(shown)}]"] if shown else []
    return option.required, f"{indent}{f'{names} {option.metavar}'.strip()}", " ".join(said)


def _row_of_parser(option: Any) -> Row:
    """An option of the parser itself."""
    names = ", ".join(sorted(option.opts, key=len))
    return False, names if len(option.opts) > 1 else f"    {names}", option.help


def printed(ctx: Any, help: str, panels: Mapping[str, Sequence[Row]], epilog: str = "") -> str:
    """The whole help for the terminal that there is."""
    from rich.padding import Padding
    from rich.panel import Panel
    from rich.text import Text

    from ..reports.page.console import stdout_console

    console = stdout_console()
    own = (
        OPTIONS if len(panels) > 1 and ARGUMENTS not in panels else ""
    )  # a group's: its commands are in line
    alike = _cells([row for title, rows in panels.items() if title != own for row in rows])
    parts: list[RenderableType] = [
        Text(ctx.command.get_usage(ctx), "bold"),
        Padding(Text(help), (1, 1)),
    ]
    for title, rows in panels.items():
        lines = _lines(rows, console.width - 4, _cells(rows) if title == own else alike)
        parts.append(Panel(lines, title=title, title_align="left", border_style="dim"))
    if epilog:
        parts.append(Padding(Text(epilog.strip()), (1, 1, 0, 1)))
    with console.capture() as held:
        for part in parts:
            console.print(part)
    return "\n".join(line.rstrip() for line in held.get().splitlines())


def _cells(rows: Sequence[Row]) -> Cells:
    marks = 2 if any(required for required, _, _ in rows) else 0
    return marks, max((len(name) for _, name, _ in rows if len(name) <= WIDEST), default=0)


def _lines(rows: Sequence[Row], width: int, cells: Cells) -> "Text":
    """The rows of a panel: what is required is marked, and beside the names stands what is said of
    each."""
    from rich.text import Text

    marks, names = cells
    margin = marks + names + 2
    text = Text()
    for required, name, said in rows:
        text.append(("*" if required else "").ljust(marks), "red")
        text.append(name.ljust(names) if len(name) <= names else name, "cyan")
        lines = wrap(said, max(width - margin, 20), break_on_hyphens=False)
        beside = len(name) <= names
        for place, line in enumerate(lines):
            text.append("  " if beside and not place else f"\n{' ' * margin}")
            text.append(line)
        text.append("\n")
    text.right_crop(1)
    return text
