"""A study file read: each of its methods with its values, as its command would have them."""

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, Field, ValidationError

from ...graphs.method import METHODS, runnable
from ...graphs.run.checks import shown_value
from ...state.errors import UsageError
from ...state.faults import rule_of
from ...state.option import Option
from ...tools.files.text import STDIN, read_data, shown
from ...tools.files.trees import parse_json, require_bounded, twice
from ..declare import Given
from ..method import MethodCommand
from ..options.shared import written
from .model import DECIDE, SEVERAL, DecideBlock, in_study, model_of

SYSTEM_FILE = "system=@"


class _Limits(BaseModel):
    """Above several methods they hold for all of them together."""

    budget: float | None = Field(None, gt=0)
    max_calls: int | None = Field(None, ge=1)


@dataclass(frozen=True, slots=True)
class Part:
    """One method of a study. `called`: what messages call it; `folder`: where its paths begin."""

    command: MethodCommand
    values: Given
    called: str
    folder: Path


@dataclass(frozen=True, slots=True)
class StudyFile:
    """A file's content, its keys with underscores."""

    path: Path
    content: Mapping[str, Any]

    @property
    def name(self) -> str:
        """What messages call it."""
        return f"{shown(self.path)}"

    @property
    def folder(self) -> Path:
        """Where its paths begin."""
        return Path.cwd() if self.path == STDIN else self.path.absolute().parent

    def limits(self, values: Given) -> dict[str, float]:
        """Those of all methods together, by what was given and what stands above. Raises
        UsageError."""
        limits = {
            name: self.content.get(name) if values[name] is None else values[name]
            for name in _Limits.model_fields
        }
        try:
            return _Limits.model_validate(limits).model_dump(exclude_none=True)
        except ValidationError as error:
            raise self.refused(error) from None

    def refused(self, error: ValidationError) -> UsageError:
        """The first fault of a value."""
        fault = error.errors()[0]
        name, rule = str(fault["loc"][0]), rule_of(fault)
        if fault["type"] in ("string_type", "list_type", "dict_type"):
            rule = (
                "it must be a text, in quotes where YAML would read it as something else, or a "
                "list of them"
            )
        value = shown_value(fault["input"])
        return UsageError(f"{self.name}: {name} cannot be {value}: {rule}.")

    def unknown(self, key: str, names: Iterable[str]) -> UsageError:
        """A key that is none of these."""
        near = get_close_matches(key, list(names), 1)
        guess = f"did you mean {near[0]}?" if near else "`fathom schema study` names all keys."
        return UsageError(f"{self.name}: {key} is nothing that this method takes: {guess}")


class _Loader(yaml.CSafeLoader):
    """Refuses a key that stands there twice."""

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        if key := twice([_plain_key(key.value) for key, _ in node.value]):
            problem = f"{key} stands there twice"
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)
        return super().construct_mapping(node, deep)


def read_file(path: Path) -> StudyFile:
    """The content of the file, or of stdin. Raises UsageError for what is no mapping in YAML or
    JSON."""
    text, name = read_data(path, "a study").text, f"{shown(path)}"
    try:
        if path.suffix.casefold() == ".json":
            content = parse_json(text, name)
            if key := twice([_plain_key(key) for key in content]):
                raise UsageError(f"{name}: {key} stands there twice: keep one of them.")
        else:
            require_bounded(text, name)
            content = yaml.load(text, Loader=_Loader)  # a safe loader
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise UsageError(
            f"{name}, line {line}: this is not valid YAML ({error.problem}): fix the line."
        ) from None
    except UsageError:
        raise
    except (yaml.YAMLError, ValueError) as error:
        raise UsageError(
            f"{name} is neither YAML nor JSON ({error}): write it as `fathom init` does."
        ) from None
    if not isinstance(content, dict):
        raise UsageError(
            f"{name} is no study, which has lines such as `method: drill`: `fathom init` writes "
            "one."
        )
    return StudyFile(path, _normalised(content))


def _plain_key(key: Any) -> str:
    return str(key).replace("-", "_")


def _normalised(content: Mapping[Any, Any]) -> dict[str, Any]:
    """With underscores in the keys of the study, of its methods and of its decision."""
    plain = {_plain_key(key): value for key, value in content.items()}
    block, parts = plain.get(DECIDE), plain.get(SEVERAL)
    if isinstance(block, dict):
        plain[DECIDE] = _normalised(block)
    if isinstance(parts, list):
        plain[SEVERAL] = [_normalised(part) if isinstance(part, dict) else part for part in parts]
    return plain


def decide_block(file: StudyFile) -> dict[str, Any]:
    """What the study says of the decision over its runs; nothing without the block. Raises
    UsageError for a key that there is not."""
    block = file.content.get(DECIDE) or {}
    if not isinstance(block, dict):
        raise UsageError(f"{file.name}: decide must be a mapping, such as `margin: 0.5`.")
    for name in block:
        if name not in DecideBlock.model_fields:
            raise file.unknown(name, DecideBlock.model_fields)
    try:
        return DecideBlock.model_validate(block).model_dump(exclude_none=True)
    except ValidationError as error:
        raise file.refused(error) from None


def parts_of(file: StudyFile) -> list[Part]:
    """The methods in the file, in their order. Raises UsageError with the first fault, its line,
    and what to do."""
    shared = {name: value for name, value in file.content.items() if name != DECIDE}
    if SEVERAL not in shared:
        return [_part(file, shared)]
    parts = shared.pop(SEVERAL)
    is_list = isinstance(parts, list) and all(isinstance(part, dict) for part in parts)
    if not (parts and is_list):
        raise UsageError(
            f"{file.name}: methods must be a list of methods, each beginning `- method: drill`."
        )
    if "method" in shared:
        raise UsageError(
            f"{file.name}: method and methods cannot stand side by side: move it into the list."
        )
    takers = [in_study(_command(file, part)) for part in parts]
    names = {name for options in takers for name in options}
    for name in shared:
        if name not in names:
            raise file.unknown(name, names)
    whole_parts = []
    for part, options in zip(parts, takers, strict=True):
        above = {name: value for name, value in shared.items() if name in options}
        whole_parts.append(_part(file, above | part, several=True))
    return whole_parts


def _command(file: StudyFile, content: Mapping[str, Any]) -> MethodCommand:
    method, methods = content.get("method"), ", ".join(runnable())
    if method is None:
        raise UsageError(f"{file.name}: method is missing: write method: and one of {methods}.")
    if method not in [*runnable()]:
        raise UsageError(f"{file.name}: there is no method {method!r}: choose one of {methods}.")
    command: MethodCommand = METHODS[method].command
    return command


def _part(file: StudyFile, content: Mapping[str, Any], *, several: bool = False) -> Part:
    command = _command(file, content)
    options = in_study(command)
    for name in content:
        if name not in options and name != "method":
            raise file.unknown(name, options)
    # a date as it was written: YAML reads it as one
    plain = {
        name: value.isoformat() if isinstance(value, date) else value
        for name, value in content.items()
    }
    try:
        part = model_of(content["method"]).model_validate(plain)
    except ValidationError as error:
        raise file.refused(error) from None
    values = dict.fromkeys(option.key for option in command.options)
    for name, option in options.items():
        value = getattr(part, name)
        if value is not None:
            values[option.key] = _given(option, value, file.folder)
    called = f"{file.name} ({command.words})" if several else file.name
    return Part(command, values, called, file.folder)


def _given(option: Option, value: Any, folder: Path) -> Any:
    """The value as the command line gives it, its paths from the folder on."""
    if option.kind == "sources":
        return _sources(value) if isinstance(value, dict) else value
    if isinstance(value, dict):
        value = [f"{key}={text}" for key, text in value.items()]
    if option.type == list[str] and isinstance(value, str):
        value = [value]
    if isinstance(value, list):
        return [_word(option, text, folder) for text in value]
    return _word(option, value, folder)


def _word(option: Option, value: Any, folder: Path) -> Any:
    if option.kind == "file":
        return _beside(folder, value)
    if option.kind in ("material", "run"):  # a file, else the name of a run
        return str(_beside(folder, value)) if (folder / value).exists() else value
    if option.kind == "pair":
        name, sign, file = value.partition("=")
        return f"{name}{sign}{_beside(folder, file.strip()) if file.strip() else ''}"
    return written(_model(value, folder)) if option.kind == "model" else value


def _beside(folder: Path, name: str) -> Path:
    """The path, as short as it can be written from here."""
    path = Path(name)
    if path == STDIN or path.is_absolute():
        return path
    path, here = folder / path, Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _sources(tiers: Mapping[str, str | list[str]]) -> str:
    parts = []
    for tier, texts in tiers.items():
        names = texts if isinstance(texts, str) else "+".join(texts)
        parts.append(f"{tier}={names}")
    return ",".join(parts)


def _model(text: str, folder: Path) -> str:
    """The model whose file with a system prompt is found from here."""
    if SYSTEM_FILE not in text:
        return text
    try:
        words = shlex.split(text)
    except ValueError:
        return text  # what is wrong is said where models are read
    for place, word in enumerate(words):
        if word.startswith(SYSTEM_FILE):
            words[place] = f"{SYSTEM_FILE}{_beside(folder, word.removeprefix(SYSTEM_FILE))}"
    return " ".join(map(shlex.quote, words))
