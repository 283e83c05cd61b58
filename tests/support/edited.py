"""A recorded result, with a few of its values changed."""

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel

M = TypeVar("M", bound=BaseModel)


def edited(model: M, values: Mapping[str, Any]) -> M:
    """The model with these values at these paths: `modes.0.accuracy.D3.ci`; `*` stands for all of a
    list or a mapping."""
    document = model.model_dump(mode="json", by_alias=True)
    for path, value in values.items():
        *way, last = path.split(".")
        for holder in _at(document, way):
            for key in _keys(holder, last):
                holder[key] = value(holder[key]) if callable(value) else value
    return type(model).model_validate(document)


def _at(document: Any, way: list[str]) -> Iterator[Any]:
    if not way:
        yield document
        return
    for key in _keys(document, way[0]):
        yield from _at(document[key], way[1:])


def _keys(holder: Any, name: str) -> list[Any]:
    if name == "*":
        return list(range(len(holder))) if isinstance(holder, list) else list(holder)
    return [int(name) if isinstance(holder, list) else name]
