"""A study file read: each of its methods with what is said of it, as its command would have it."""

import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, Field, ValidationError

from ...graphs.run.checks import shown_value
from ...state.errors import UsageError
from ...state.faults import rule_of
from ...state.option import Option
from ...tools.files.text import STDIN, read_data, shown
from ...tools.files.trees import parse_json, require_bounded, twice
from ..declare import Given
from ..methods import MethodTable, command_of
from ..options.shared import written
from .model import DECIDE, SEVERAL, DecideBlock, in_study, model_of


class _Limits(BaseModel):
    """Above several methods they hold for all of them together."""

    budget: float | None = Field(None, gt=0)
    max_calls: int | None = Field(None, ge=1)


@dataclass(frozen=True, slots=True)
class Part:
    """One method of a study. `called`: what messages call it; `folder`: where its paths begin."""

    command: MethodTable
    given: Given
    called: str
    folder: Path


@dataclass(frozen=True, slots=True)
class StudyFile:
    """A file's content. `lines`: where each key stands."""

    path: Path
    content: Mapping[str, Any]
    lines: Mapping[tuple[Any, ...], int]

    @property
    def folder(self) -> Path:
        """Where its paths begin."""
        return Path.cwd() if self.path == STDIN else self.path.absolute().parent

    def limits(self, given: Given) -> dict[str, float]:
        """Those of all methods together, by what was given and what stands above. Raises
        UsageError."""
        above = {_name(key): value for key, value in self.content.items()}
        found = {
            name: above.get(name) if given[name] is None else given[name]
            for name in _Limits.model_fields
        }
        try:
            return _Limits.model_validate(found).model_dump(exclude_none=True)
        except ValidationError as error:
            raise _refused(self, (), error) from None

    def at(self, *keys: Any) -> str:
        """The file with the line in which that stands."""
        line = next(
            (self.lines[keys[:n]] for n in range(len(keys), 0, -1) if keys[:n] in self.lines), None
        )
        return f"{shown(self.path)}, line {line}" if line else f"{shown(self.path)}"


def read_file(path: Path) -> StudyFile:
    """The content of the file, or of stdin. Raises UsageError for what is no mapping in YAML or
    JSON."""
    text = read_data(path, "a study").text
    try:
        if path.suffix.casefold() == ".json":
            content, lines = parse_json(text, f"{shown(path)}"), dict[tuple[Any, ...], int]()
            if name := twice([_name(key) for key in content]):
                raise UsageError(f"{shown(path)}: {name} stands there twice: keep one of them.")
        else:
            require_bounded(text, f"{shown(path)}")
            node = yaml.compose(text, Loader=yaml.CSafeLoader)
            lines = dict(_lines(node, (), path)) if node is not None else {}
            content = yaml.load(text, Loader=yaml.CSafeLoader)  # a safe loader
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise UsageError(
            f"{shown(path)}, line {line}: this is not valid YAML ({error.problem}): fix the line."
        ) from None
    except UsageError:
        raise
    except (yaml.YAMLError, ValueError) as error:
        raise UsageError(
            f"{shown(path)} is neither YAML nor JSON ({error}): write it as `fathom init` does."
        ) from None
    if not isinstance(content, dict):
        raise UsageError(
            f"{shown(path)} is no study, which has lines such as `method: drill`: `fathom "
            "init` writes one."
        )
    return StudyFile(path, content, lines)


def _lines(node: Any, at: tuple[Any, ...], path: Path) -> Iterator[tuple[tuple[Any, ...], int]]:
    """The line of each key and item. Raises UsageError for a key that stands there twice."""
    if isinstance(node, yaml.MappingNode):
        seen = set()
        for key, value in node.value:
            line = key.start_mark.line + 1
            name = _name(key.value)
            if name in seen:
                raise UsageError(
                    f"{shown(path)}, line {line}: {key.value} stands there twice: keep one of them."
                )
            seen.add(name)
            yield (*at, name), line
            yield from _lines(value, (*at, name), path)
    elif isinstance(node, yaml.SequenceNode):
        for place, value in enumerate(node.value):
            yield (*at, place), value.start_mark.line + 1
            yield from _lines(value, (*at, place), path)


def _name(key: Any) -> str:
    return str(key).replace("-", "_")


def decide_block(file: StudyFile) -> dict[str, Any]:
    """What the study says of the decision over its runs; nothing without the block. Raises
    UsageError for a key that there is not."""
    content = {_name(key): value for key, value in file.content.items()}
    block = content.get(DECIDE) or {}
    if not isinstance(block, dict):
        raise UsageError(f"{file.at(DECIDE)}: decide must be a mapping, such as `margin: 0.5`.")
    held = {_name(key): value for key, value in block.items()}
    for name in held:
        if name not in DecideBlock.model_fields:
            raise _unknown(file, name, DecideBlock.model_fields, (DECIDE, name))
    try:
        return DecideBlock.model_validate(held).model_dump(exclude_none=True)
    except ValidationError as error:
        raise _refused(file, (DECIDE,), error) from None


def parts_of(file: StudyFile) -> list[Part]:
    """The methods in the file, in their order. Raises UsageError with the first fault, its line,
    and what to do."""
    content = {_name(key): value for key, value in file.content.items()}
    content.pop(DECIDE, None)
    if SEVERAL not in content:
        return [_part(file, content, ())]
    several = content.pop(SEVERAL)
    if (
        not isinstance(several, list)
        or not several
        or not all(isinstance(each, dict) for each in several)
    ):
        raise UsageError(
            f"{file.at(SEVERAL)}: methods must be a list of methods, each beginning `- "
            "method: drill`."
        )
    if "method" in content:
        raise UsageError(
            f"{file.at('method')}: method and methods cannot stand side by side: move it into "
            "the list."
        )
    held = [{_name(key): value for key, value in each.items()} for each in several]
    takers = [in_study(_command(file, each, (SEVERAL, place))) for place, each in enumerate(held)]
    for name in content:
        if not any(name in taken for taken in takers):
            raise _unknown(file, name, {name for taken in takers for name in taken}, (name,))
    return [
        _part(
            file,
            {**{name: value for name, value in content.items() if name in taken}, **each},
            (SEVERAL, place),
        )
        for place, (each, taken) in enumerate(zip(held, takers, strict=True))
    ]


def _command(file: StudyFile, content: Mapping[str, Any], at: tuple[Any, ...]) -> MethodTable:
    method = content.get("method")
    if method is None:
        raise UsageError(
            f"{file.at(*at)}: method is missing: write method: and one of {', '.join(runnable())}."
        )
    if method not in runnable():
        raise UsageError(
            f"{file.at(*at, 'method')}: there is no method {method!r}: choose one of "
            f"{', '.join(runnable())}."
        )
    return command_of(method)


def _unknown(file: StudyFile, name: str, known: Iterable[str], at: tuple[Any, ...]) -> UsageError:
    near = get_close_matches(name, list(known), 1)
    what = f"did you mean {near[0]}?" if near else "`fathom schema study` names all that it takes."
    return UsageError(f"{file.at(*at)}: {name} is nothing that this method takes: {what}")


def _part(file: StudyFile, content: Mapping[str, Any], at: tuple[Any, ...]) -> Part:
    command = _command(file, content, at)
    options = in_study(command)
    plain = {name: _plain(value) for name, value in content.items()}
    for name in plain:
        if name not in options and name != "method":
            raise _unknown(file, name, options, (*at, name))
    try:
        checked: Any = model_of(plain["method"]).model_validate(plain)
    except ValidationError as error:
        raise _refused(file, at, error) from None
    given = dict.fromkeys((option.key for option in command.options), None)
    for name, option in options.items():
        value = getattr(checked, name)
        if value is not None:
            given[option.key] = _as_said(option, value, file.folder)
    return Part(
        command, given, f"{shown(file.path)}{f' ({command.words})' if at else ''}", file.folder
    )


def _refused(file: StudyFile, at: tuple[Any, ...], error: ValidationError) -> UsageError:
    fault = error.errors()[0]
    name = str(fault["loc"][0])
    return UsageError(
        f"{_at(file, at, name)}: {name} cannot be {shown_value(fault['input'])}: {_rule(fault)}."
    )


def _at(file: StudyFile, at: tuple[Any, ...], name: str) -> str:
    place = (*at, name)
    return file.at(*place) if place in file.lines else file.at(name)


def _rule(fault: Any) -> str:
    if fault["type"] in ("string_type", "list_type", "dict_type"):
        return (
            "it must be a text, in quotes where YAML would read it as something else, or a list "
            "of them"
        )
    return rule_of(fault)


def _plain(value: Any) -> Any:
    """A date as it was written: YAML reads it as one."""
    return value.isoformat() if isinstance(value, date) else value


def _as_said(option: Option, value: Any, folder: Path) -> Any:
    """The value as the command line gives it, its paths from the folder on."""
    if option.kind == "sources":
        return _sources(value) if isinstance(value, dict) else value
    if isinstance(value, dict):
        value = [f"{key}={each}" for key, each in value.items()]
    if option.type == list[str] and isinstance(value, str):
        value = [value]
    if option.kind == "file":
        return _beside(folder, value)
    if option.kind in ("material", "run"):  # a file, else the name of a run
        held = [
            str(_beside(folder, each)) if (folder / each).exists() else each
            for each in _listed(value)
        ]
        return held if isinstance(value, list) else held[0]
    if option.kind == "pair":
        pairs = (pair.partition("=") for pair in value)
        return [
            f"{name}{sign}{_beside(folder, file.strip()) if file.strip() else ''}"
            for name, sign, file in pairs
        ]
    if option.kind == "model":
        return written(
            [_model(text, folder) for text in value]
            if isinstance(value, list)
            else _model(value, folder)
        )
    return value


def _listed(value: str | list[str]) -> list[str]:
    return value if isinstance(value, list) else [value]


def _beside(folder: Path, name: str) -> Path:
    """The path, as short as it can be written from here."""
    path = Path(name)
    if path == STDIN or path.is_absolute():
        return path
    found = folder / path
    return found.relative_to(Path.cwd()) if found.is_relative_to(Path.cwd()) else found


def _sources(tiers: Mapping[str, str | list[str]]) -> str:
    return ",".join(
        f"{tier}={'+'.join([held] if isinstance(held, str) else map(_source, held))}"
        for tier, held in tiers.items()
    )


def _source(text: str) -> str:
    """A source whose path is quoted where it needs that."""
    kind, colon, path = text.partition(":")
    return (
        f'{kind}{colon}"{path}"'
        if kind in ("folder", "zim") and set(path) & {",", "+"} and '"' not in path
        else text
    )


def _model(text: str, folder: Path) -> str:
    """The model whose file with a system prompt is found from here."""
    if "system=@" not in text:
        return text
    try:
        words = shlex.split(text)
    except ValueError:
        return text  # what is wrong is said where models are read
    mark = "system=@"
    found = (
        f"{mark}{_beside(folder, word.removeprefix(mark))}" if word.startswith(mark) else word
        for word in words
    )
    return " ".join(map(shlex.quote, found))
