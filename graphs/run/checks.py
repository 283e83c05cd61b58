"""Models that a spec names, and values that none can have: refused in one sentence, whoever asks."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import orjson
from pydantic import BaseModel, ValidationError

from ...state.depthqa.spec import GIVEN, LEXICAL
from ...state.errors import UsageError
from ...state.faults import place_of, rule_of
from ...state.option import Option
from ...state.spec import NEW
from ...state.worlds import RunSpec, is_simulated
from ...tools.models.address import parse_model

S = TypeVar("S", bound=BaseModel)
ARGUMENTS = {"domain": "DOMAIN", "concepts": "CONCEPT"}
"""Fields that a command takes as arguments."""


def checked(kind: type[S], values: Mapping[str, Any]) -> S:
    """A spec of these values, or another record. Raises UsageError with the first fault, which is
    called as on the command line."""
    try:
        record = kind.model_validate(values, context=NEW)
    except ValidationError as error:
        raise UsageError(_sentence(kind, error)) from None
    for name, value in record.model_dump(mode="json").items():
        try:
            orjson.dumps(value)
        except TypeError as error:
            raise UsageError(
                f"{flag_of(kind, name)} cannot be {shown_value(value)}, because it cannot be kept: "
                f"{str(error)[0].lower()}{str(error)[1:]}."
            ) from None
    return record


def declared(kind: type[BaseModel]) -> Iterator[tuple[str, Option]]:
    """The fields on which options are declared, with these."""
    for name, field in kind.model_fields.items():
        for option in field.metadata:
            if isinstance(option, Option):
                yield name, option


def check_models(spec: RunSpec) -> None:
    """Raises UsageError for a field that names no model, or several."""
    for name, option in declared(type(spec)):
        value = getattr(spec, name)
        if option.kind != "model":
            continue
        for text in (value,) if isinstance(value, str) else value:
            if name == "similarity":
                check_embeddings(text)
            elif not text.startswith(GIVEN):
                one_model(option.flag, text)


def one_model(flag: str, text: str) -> str:
    """The model. Raises UsageError where none or several are named, and as `check_persona` does."""
    models = models_in(text)
    if not models[0]:
        raise UsageError(f"{flag} is missing: name a model, as in {flag} openai:gpt-5-mini.")
    if len(models) > 1:
        again = " ".join(f"{flag} {model}" for model in models)
        raise UsageError(
            f"{flag} takes one model, but {text.strip()!r} names {len(models)}: give one of them, "
            f"or several targets as {again}."
        )
    check_persona(models[0])
    return models[0]


def models_in(text: str) -> list[str]:
    """The models named with commas between them. The settings of a simulated model have commas too,
    and so may what stands behind a model's name."""
    text = text.strip()
    comma = re.compile(r",\s*(?=\w+[:@])" if is_simulated(text) else r",\s*")
    first = comma.search(text)
    return (
        comma.split(text) if first and first.start() < len(text.partition(" ")[0]) else [text]
    )


def check_persona(name: str) -> None:
    """Raises UsageError when a simulated model is neither a persona nor the evaluator, or its
    settings are wrong."""
    address = parse_model(name)
    if address.provider == "sim":
        from ...sim.personas import persona_of

        try:
            persona_of(address.model)
        except ValueError as error:
            raise UsageError(str(error)) from None


def check_embeddings(name: str) -> None:
    """Raises UsageError for a malformed name, and for what is no embeddings model of the simulated
    world."""
    if name == LEXICAL:
        return
    address = parse_model(name)
    if address.provider != "sim":
        return
    from ...sim.embeddings import MODEL

    if address.model != MODEL:
        raise UsageError(
            f"The simulated world has no embeddings model {address.model!r}; it has one, "
            f"sim:{MODEL}."
        )


def _sentence(kind: type[BaseModel], error: ValidationError) -> str:
    fault = error.errors()[0]
    place, rule = place_of(fault), rule_of(fault)
    if not place:
        return rule
    first, _, inside = place.partition(".")
    name = flag_of(kind, first)
    if fault["type"] == "missing":
        return f"{name} is missing{f' {inside}' if inside else ''}: give it."
    within = "" if inside.isdigit() or not inside else f" (at {inside})"
    return f"{name} cannot be {shown_value(fault['input'])}{within}: {rule}."


def flag_of(kind: type[BaseModel], field: str) -> str:
    """What messages call a field: its option, else the argument that it comes from."""
    option = dict(declared(kind)).get(field)
    return option.flag if option else ARGUMENTS.get(field, field)


def shown_value(value: object) -> str:
    """A value for a message."""
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"
