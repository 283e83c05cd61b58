"""Help by panels, and commands that are read when they are asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from typer.core import TyperCommand, TyperGroup

from ..state.option import PANELS, Option

ARGUMENTS, OPTIONS = "Arguments", "Options"
SETTINGS: dict[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 110}
"""Of every command and group."""
Row = tuple[str, str]
"""Names, and what is said of them."""


class PanelCommand(TyperCommand):
    """A command whose help is printed from its table."""

    table: Any

    def format_options(self, ctx: Any, formatter: Any) -> None:
        panels: dict[str, list[Row]] = {name: [] for name in (ARGUMENTS, *PANELS, OPTIONS)}
        for option in self.table.options:
            panels[(option.panel or OPTIONS) if option.flags else ARGUMENTS].append(
                _row(option)
            )
        panels[OPTIONS].append(("-h, --help", "Show this message and exit."))
        _write(formatter, panels)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        if self.table.epilog:
            formatter.write(f"\n{self.table.epilog.strip()}\n")


@dataclass(frozen=True, slots=True)
class Entry:
    """A command of a group: where it stands, as `module:NAME` seen from this folder, and what the
    group's help says of it without reading it."""

    home: str
    help: str
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

    def __init__(self, entries: Mapping[str, Any], **settings: Any) -> None:
        super().__init__(**settings)
        self.entries = entries
        self.commands: Any = dict.fromkeys(entries)  # the names, for suggestions

    def list_commands(self, ctx: Any) -> list[str]:
        return [*self.entries]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in self.entries and self.commands[cmd_name] is None:
            self.commands[cmd_name] = self.entries[cmd_name].build(cmd_name)
        return self.commands.get(cmd_name)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        panels: dict[str, list[Row]] = {}
        for name, entry in self.entries.items():
            line = entry.help.partition("\n")[0]
            panels.setdefault(getattr(entry, "panel", "Commands"), []).append((name, line))
        _write(formatter, panels)


@dataclass(frozen=True, slots=True)
class Group:
    """Commands under one name."""

    help: str
    entries: Mapping[str, Any]
    kind: type[PanelGroup] = PanelGroup

    def build(self, name: str) -> PanelGroup:
        """The group as the parser has it."""
        return self.kind(
            self.entries,
            name=name,
            help=self.help,
            no_args_is_help=True,
            rich_markup_mode=None,
            context_settings=SETTINGS,
        )


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
    return f"{indent}{f'{names} {option.metavar}'.strip()}", " ".join(said)


def _write(formatter: Any, panels: Mapping[str, Sequence[Row]]) -> None:
    for title, rows in panels.items():
        if rows:
            with formatter.section(title):
                formatter.write_dl(rows)
