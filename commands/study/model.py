"""What may stand in a study file, by the options of the methods' commands."""

from functools import cache
from typing import Annotated, Any, Literal, Union

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, create_model

from ...graphs.method import METHODS, runnable
from ...state.option import Option
from ..decision import CHECKED, MARGIN, MUST, PREFER
from ..declare import options_of
from ..method import MethodCommand
from ..options.shared import UNTIL_DECIDED

DECIDE = "decide"
"""The key of what `fathom decide` is to go by."""
FORM = "A file for `fathom run`, in YAML or JSON; paths in it are relative to it."

STUDIES = "studies"
"""Where the records seem to stand that are made up here: each field brings its description."""


class DecideBlock(BaseModel):
    """What `fathom decide STUDY` goes by."""

    model_config = ConfigDict(extra="forbid")

    margin: float | None = Field(None, gt=0, description=MARGIN.help)
    must: str | list[str] | None = Field(None, description=MUST.help)
    prefer: Literal["cheaper", "faster", "better"] | None = Field(None, description=PREFER.help)
    judge_checked: bool | None = Field(None, description=CHECKED.help)
    until_decided: int | None = Field(None, ge=4, le=12, description=UNTIL_DECIDED.help)


class _Study(BaseModel):
    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)


def in_study(command: MethodCommand) -> dict[str, Option]:
    """Name in a study → option, of all that can stand there."""
    return {
        option.study or option.long: option for option in command.options if option.study != "-"
    }


@cache
def model_of(method: str) -> type[BaseModel]:
    """What a study of this method may say."""
    command: MethodCommand = METHODS[method].command
    fields: dict[str, Any] = {
        name: (_type_of(command, option) | None, Field(None, description=_described(option)))
        for name, option in in_study(command).items()
    }
    fields[DECIDE] = (DecideBlock | None, Field(None, description=DecideBlock.__doc__))
    fields["method"] = (Literal[method], Field(description="The method."))
    name = f"{method.title().replace('_', '')}Study"
    purpose = f"{command.help.splitlines()[0]} {FORM}"
    return create_model(name, __base__=_Study, __doc__=purpose, __module__=STUDIES, **fields)


def _described(option: Option) -> str:
    return f"{option.help} [default: {option.default}]" if option.default else option.help


def _type_of(command: MethodCommand, option: Option) -> Any:
    """The type of a value: a word may stand for a list of one, pairs may be a mapping."""
    if option.type != list[str]:
        declared = option in options_of(command.spec)
        metadata = command.spec.model_fields[option.key].metadata if declared else []
        bounds = [bound for bound in metadata if not isinstance(bound, Option)]
        plain = option.type or (str if option.metavar else bool)
        if option.kind == "sources":
            return str | dict[str, str | list[str]]
        if plain in (int, float):
            bounds.append(Field(ge=option.least, le=option.most))
        kind: Any = str if option.kind == "file" else plain
        return Annotated[kind, *bounds] if bounds else kind
    return (
        str | list[str] | dict[str, str]
        if option.metavar in ("KEY=VALUE", "NAME=FILE")
        else str | list[str]
    )


def study_schema() -> dict[str, Any]:
    """The JSON schema of a study."""
    of_any: Any = Union[tuple(map(model_of, runnable()))]  # noqa: UP007  # made up as it runs
    study: TypeAdapter[Any] = TypeAdapter(Annotated[of_any, Field(discriminator="method")])
    return {"title": "Study", "description": FORM, **study.json_schema()}
