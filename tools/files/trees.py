"""JSON and YAML that somebody hands over: bounded before anything walks through it."""

import json
from collections.abc import Sequence
from typing import Any

import orjson

from ...state.errors import UsageError

MAX_DEPTH = 100
"""Levels of lists and objects within each other."""
MAX_NODES = 1_000_000
"""Values of a YAML file, with every alias written out."""


def parse_json(text: str | bytes, where: str) -> Any:
    """Parse JSON; NaN is kept, since data frames mean null by it. Raises UsageError, beginning with
    `where`, for what is no JSON, and for more than 100 levels."""
    try:
        value = _loaded(text)
    except RecursionError:
        raise _too_deep(where) from None
    except ValueError as error:
        reason = str(error)[:120]
        raise UsageError(f"{where} is not valid JSON ({reason}): was it cut off?") from error
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        children = list[object]()
        for node in level:
            if isinstance(node, dict):
                children += node.values()
            elif isinstance(node, list):
                children += node
        level = children
    if level:
        raise _too_deep(where)
    return value


def _loaded(text: str | bytes) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:  # it knows no NaN
        return json.loads(text)


def _too_deep(where: str) -> UsageError:
    return UsageError(f"{where} is nested too deeply: use at most {MAX_DEPTH} levels.")


def require_bounded(text: str, where: str) -> None:
    """Raises UsageError, beginning with `where`, for YAML of more than 100 levels, or of more than
    a million values once its aliases are written out; yaml.YAMLError for what is none. Nothing is
    built for that."""
    import yaml  # only who has such a file waits for it

    sizes: dict[str | None, int] = {}
    open_collections = list[tuple[str | None, int]]()
    nodes = 0
    for event in yaml.parse(text, Loader=yaml.CSafeLoader):
        if isinstance(event, yaml.AliasEvent):
            nodes += sizes.get(event.anchor, MAX_NODES)  # one that holds itself never ends
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, before = open_collections.pop()
            sizes[anchor] = nodes - before
        elif isinstance(event, yaml.NodeEvent):
            nodes += 1
            sizes[event.anchor] = 1
            if isinstance(event, yaml.CollectionStartEvent):
                open_collections.append((event.anchor, nodes - 1))
                sizes.pop(event.anchor)
        if len(open_collections) > MAX_DEPTH:
            raise _too_deep(where)
        if nodes >= MAX_NODES:
            raise UsageError(
                f"{where} holds too much once its aliases (*) are written out: write the "
                "values themselves."
            )


def twice(names: Sequence[str]) -> str:
    """The first name that stands there a second time; empty without one."""
    return next((name for index, name in enumerate(names) if name in names[:index]), "")
