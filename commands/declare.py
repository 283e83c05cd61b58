"""A command from its table: the parser's parameters are built from the options, and what was said
comes back as one mapping, in which whatever was not said is None."""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import typer

from ..state.option import Option
from .help import SETTINGS, PanelCommand

Given = dict[str, Any]
"""Key of an option → what was said; None: nothing."""


@dataclass(frozen=True, slots=True)
class Command:
    """`run` gets what was said; until then nothing but the table is read, so that help is quick."""

    run: Callable[[Given], None]
    help: str
    options: Sequence[Option]
    epilog: str = ""

    def build(self, name: str) -> Any:
        """The command as the parser has it."""
        held = typer.Typer(
            add_completion=False,
            rich_markup_mode=None,
            context_settings=SETTINGS,
        )
        held.command(name, cls=PanelCommand, help=self.help)(_function(self))
        built: Any = typer.main.get_command(held)
        built.table = self
        return built


def _function(command: Command) -> Callable[..., None]:
    """What the parser calls: one parameter per option."""
    options = {f"{option.key}_": option for option in command.options}

    def run(**said: Any) -> None:
        command.run({option.key: _whole(option, said[name]) for name, option in options.items()})

    parameters = [_parameter(name, option) for name, option in options.items()]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # what inspect looks for first
    run.__annotations__ = {each.name: each.annotation for each in parameters}
    return run


def _whole(option: Option, value: Any) -> Any:
    """The value; models as they are with what `.env` and their files say of them."""
    if option.kind != "model" or value is None:
        return value
    from .options.shared import written

    return written(value)


def _parameter(name: str, option: Option) -> inspect.Parameter:
    """The option as a parameter, None unless it is given; the parser insists on arguments that are
    required."""
    said: dict[str, Any] = {"metavar": option.metavar or None, "help": option.help}
    if option.env:
        said |= {"envvar": option.env}
    kept = option.type or (_usual(option))
    if kept in (int, float):
        said |= {"min": option.least, "max": option.most}
    insists = option.required and not option.flags
    declared = (
        typer.Option(*option.flags.split(), **said) if option.flags else typer.Argument(**said)
    )
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=inspect.Parameter.empty if insists else None,
        annotation=Annotated[kept if insists else kept | None, declared],
    )


def _usual(option: Option) -> Any:
    return (Path if option.kind == "file" else str) if option.metavar else bool


def options_of(spec: Any) -> list[Option]:
    """The options that are declared on a spec's fields, with the fields' names, types and
    defaults."""
    found = []
    for name, field in spec.model_fields.items():
        for option in (each for each in field.metadata if isinstance(each, Option)):
            kind, flags, default = (
                option.type or _plain(field.annotation),
                option.flags,
                option.default,
            )
            if kind is bool and field.default is True:
                flags, default = f"{flags}/--no-{flags.removeprefix('--')}", default or "on"
            elif (
                not default and not option.required and kind is not bool and not field.is_required()
            ):
                default = (
                    ", ".join(field.default)
                    if isinstance(field.default, tuple)
                    else f"{field.default}"
                )
            found.append(
                replace(
                    option,
                    name=name,
                    flags=flags,
                    type=kind,
                    default=default,
                    most=None,
                )
            )
    return found


def _plain(annotation: Any) -> Any:
    """The type in an annotation."""
    if get_origin(annotation) is Annotated:
        return _plain(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return _plain(next(kind for kind in get_args(annotation) if kind is not NoneType))
    return str if get_origin(annotation) is Literal else annotation
