"""A command from its table: the parser's parameters are built from the options, and the words come
back as one mapping, in which whatever was not given is None."""

import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import typer

from ..state.errors import UsageError
from ..state.option import Option
from .help import SETTINGS, PanelCommand

HALF = re.compile("[\ud800-\udfff]")
"""What stands for a byte that is no part of a character."""
Given = dict[str, Any]
"""Key of an option → its value; None: it was not given."""


@dataclass(frozen=True, slots=True)
class Command:
    """`run` gets the values; until then nothing but the table is read, so that help is quick."""

    run: Callable[[Given], None]
    help: str
    options: Sequence[Option]
    epilog: str = ""

    def build(self, name: str) -> Any:
        """The command as the parser has it."""
        parser = typer.Typer(
            add_completion=False,
            rich_markup_mode=None,
            context_settings=SETTINGS,
        )
        parser.command(name, cls=PanelCommand, help=self.help)(_function(self))
        built: Any = typer.main.get_command(parser)
        built.table = self
        return built


def _function(command: Command) -> Callable[..., None]:
    """What the parser calls: one parameter per option."""
    options = {f"{option.key}_": option for option in command.options}

    def run(**values: Any) -> None:
        read_values = {
            option.key: read_value(option, values[name]) for name, option in options.items()
        }
        require_together(command.options, read_values)
        command.run(read_values)

    parameters = [_parameter(name, option) for name, option in options.items()]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # what inspect looks for first
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def read_value(option: Option, value: Any) -> Any:
    """The value; models with what `.env` and their files say of them. Raises UsageError for bytes
    that are no text, and for a number out of its bounds."""
    if value is None:
        return None
    for text in value if isinstance(value, list) else [value]:
        if not f"{text}".isascii() and HALF.search(f"{text}"):
            raise UsageError(f"{option.flag} is not UTF-8 text: write it anew.")
    if option.kind == "model":
        from .options.shared import written

        return written(value)
    least, most = option.least, option.most
    if least is not None and not value >= least:  # nor is what is no number
        raise UsageError(f"{option.flag} cannot be {value}: it must be at least {least:g}.")
    if most is not None and not value <= most:
        raise UsageError(f"{option.flag} cannot be {value}: it must be at most {most:g}.")
    return value


def require_together(options: Sequence[Option], values: Given) -> None:
    """Raises UsageError for an option that is missing, for two that exclude each other, and for two
    that name one file (or both the standard input): what is read must not be overwritten."""
    flags_by_file: dict[Path, str] = {}
    for option in options:
        value = values[option.key]
        if option.kind not in ("file", "material") or not value:
            continue
        file = Path(value).resolve()
        if file in flags_by_file:
            raise UsageError(
                f"{option.flag} {value} is {flags_by_file[file]} itself: name another file."
            )
        flags_by_file[file] = option.flag
    by_key = {option.key: option for option in options}
    for option in options:
        if _is_given(values[option.key]):
            for key in option.excludes:
                if _is_given(values[key]):
                    flags = f"{by_key[key].flag} cannot go with {option.flag}"
                    raise UsageError(f"{flags}: leave one of them out.")
        elif option.required or (option.instead and not _is_given(values[option.instead])):
            what = option.help.partition(" [")[0]
            raise UsageError(f"{option.flag} is missing: {what}")


def _is_given(value: Any) -> bool:
    """Whether it says anything, and nothing in it is blank."""
    texts = value if isinstance(value, list) else [value]
    return value not in (None, False, []) and all(str(text).strip() for text in texts)


def _parameter(name: str, option: Option) -> inspect.Parameter:
    """The option as a parameter, None unless it is given."""
    settings: dict[str, Any] = {"metavar": option.metavar or None, "help": option.help}
    if option.env:
        settings |= {"envvar": option.env}
    kind = option.type or ((Path if option.kind == "file" else str) if option.metavar else bool)
    declaration = (
        typer.Option(*option.flags.split(), **settings)
        if option.flags
        else typer.Argument(**settings)
    )
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[kind | None, declaration],
    )


def options_of(spec: Any) -> list[Option]:
    """The options that are declared on a spec's fields, with the fields' names, types and
    defaults."""
    return [
        _completed(option, name, field)
        for name, field in spec.model_fields.items()
        for option in filter(lambda value: isinstance(value, Option), field.metadata)
    ]


def _completed(option: Option, name: str, field: Any) -> Option:
    kind, flags, default = option.type or _plain(field.annotation), option.flags, option.default
    if kind is bool and field.default is True:
        flags, default = f"{flags}/--no-{flags.removeprefix('--')}", default or "on"
    elif kind is not bool and not (default or option.required or field.is_required()):
        several = isinstance(field.default, tuple)
        default = ", ".join(field.default) if several else f"{field.default}"
    return replace(option, name=name, flags=flags, type=kind, default=default)


def _plain(annotation: Any) -> Any:
    """The type in an annotation."""
    if get_origin(annotation) is Annotated:
        return _plain(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return _plain(next(kind for kind in get_args(annotation) if kind is not NoneType))
    return str if get_origin(annotation) is Literal else annotation
