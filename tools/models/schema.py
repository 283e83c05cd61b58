"""A reply's shape as JSON schema: for `response_format`, and in words for the prompt."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import orjson
from pydantic import BaseModel

from .chat import Message

# constraints that strict modes refuse; they are checked when the reply is read
_NOT_STRICT = {
    *("default", "examples", "format", "pattern", "minLength", "maxLength", "minItems", "maxItems", "uniqueItems"),
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}
_NAMED = {"properties", "$defs"}  # below these, keys are names and not keywords


@lru_cache(maxsize=256)
def strict_schema(shape: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a shape as strict modes take it: every field required, none beyond them, no constraints. All
    who ask share it: not to be changed."""
    schema = shape.model_json_schema()
    schema.pop("description", None)  # the class's docstring speaks to programmers
    return _strict_keywords(schema)


def _strict_keywords(node: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: _strict_value(key, value) for key, value in node.items() if key not in _NOT_STRICT}
    if "properties" in kept:
        kept |= {"required": list(kept["properties"]), "additionalProperties": False}
    return kept


def _strict_value(key: str, value: Any) -> Any:
    if isinstance(value, dict):
        if key in _NAMED:
            return {name: _strict_keywords(schema) for name, schema in value.items()}
        return _strict_keywords(value)
    if isinstance(value, list):
        return [_strict_keywords(item) if isinstance(item, dict) else item for item in value]
    return value


def with_schema_block(messages: Sequence[Message], schema: dict[str, Any]) -> tuple[Message, ...]:
    """The conversation with the schema in its last user message: for endpoints that take no schema of their own."""
    last = max((i for i, message in enumerate(messages) if message.role == "user"), default=None)
    if last is None:
        raise ValueError("a request needs at least one user message")
    block = (
        "Reply with one JSON object that fits this JSON schema, and nothing else.\n"
        f"<schema>\n{orjson.dumps(schema).decode()}\n</schema>"
    )
    changed = replace(messages[last], content=f"{messages[last].content}\n\n{block}")
    return (*messages[:last], changed, *messages[last + 1 :])
