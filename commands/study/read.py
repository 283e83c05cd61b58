"""A study file read: its values as the command of its method would have them."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ValidationError

from ...graphs.method import METHODS, runnable
from ...graphs.run.checks import shown_value
from ...state.errors import UsageError
from ...state.faults import rule_of
from ...state.option import Option
from ...tools.files.text import STDIN, read_data, shown
from ...tools.files.trees import parse_json, require_bounded, twice
from ..method import MethodCommand
from ..options.shared import written
from .model import DECIDE, DecideBlock, in_study, model_of

SYSTEM_FILE = "system=@"


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

    def checked(self, kind: type[BaseModel], content: Mapping[str, Any]) -> BaseModel:
        """The content as this kind has it. Raises UsageError with the first fault."""
        try:
            return kind.model_validate(content)
        except ValidationError as error:
            fault = error.errors()[0]
        name, rule = str(fault["loc"][0]), rule_of(fault)
        if fault["type"] == "extra_forbidden":
            near = get_close_matches(name, list(kind.model_fields), 1)
            guess = (
                f"did you mean {near[0]}?" if near else "`fathom schema study` names all keys."
            )
            raise UsageError(f"{self.name}: {name} is nothing that this method takes: {guess}")
        if fault["type"] in ("string_type", "list_type", "dict_type"):
            rule = (
                "it must be a text, in quotes where YAML would read it as something else, or a "
                "list of them"
            )
        value = shown_value(fault["input"])
        raise UsageError(f"{self.name}: {name} cannot be {value}: {rule}.")


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
    """With underscores in the keys of the study and of its decision."""
    plain = {_plain_key(key): value for key, value in content.items()}
    block = plain.get(DECIDE)
    if isinstance(block, dict):
        plain[DECIDE] = _normalised(block)
    return plain


def decide_block(file: StudyFile) -> dict[str, Any]:
    """What the study says of the decision over its runs; nothing without the block. Raises
    UsageError for a key that there is not."""
    block = file.content.get(DECIDE) or {}
    if not isinstance(block, dict):
        raise UsageError(f"{file.name}: decide must be a mapping, such as `margin: 0.5`.")
    return file.checked(DecideBlock, block).model_dump(exclude_none=True)


def command_of(file: StudyFile) -> MethodCommand:
    """That of the study's method. Raises UsageError where there is none."""
    method, methods = file.content.get("method"), ", ".join(runnable())
    if method is None:
        raise UsageError(f"{file.name}: method is missing: write method: and one of {methods}.")
    if method not in [*runnable()]:
        raise UsageError(
            f"{file.name}: there is no method {method!r}: choose one of {methods}."
        )
    command: MethodCommand = METHODS[method].command
    return command


def values_of(file: StudyFile) -> dict[str, Any]:
    """What the file says, as the command of its method would have it. Raises UsageError with the
    first fault, and what to do."""
    command = command_of(file)
    plain = dict[str, Any]()
    for name, value in file.content.items():
        # a date as it was written: YAML reads it as one
        plain[name] = value.isoformat() if isinstance(value, date) else value
    plain.pop(DECIDE, None)
    study = file.checked(model_of(plain["method"]), plain)
    values = dict.fromkeys(option.key for option in command.options)
    for name, option in in_study(command).items():
        value = getattr(study, name)
        if value is not None:
            values[option.key] = _given(option, value, file.folder)
    return values


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
