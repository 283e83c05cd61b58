"""JSON and YAML that somebody hands over: bounded before anything walks through it."""

import json
from collections.abc import Sequence
from typing import Any

import orjson

from ...state.errors import UsageError
from .text import quoted

MAX_DEPTH = 100
"""Levels of lists and objects within each other."""
MAX_NODES = 1_000_000
"""Values of a YAML file, with every alias written out."""


class Malformed(ValueError):
    """The rest of a sentence on what a file of ours never holds, though it can be parsed."""


def parse_json(text: str | bytes, where: str, *, foreign: bool = False) -> Any:
    """Parse JSON; NaN is kept, since data frames mean null by it. Raises UsageError, beginning with
    `where`, for what is no JSON, more than 100 levels, and unless another program wrote it
    (`foreign`) for a key twice in one object, and an endless number."""
    try:
        if foreign:
            value = _loaded_fast(text)
        else:
            value = json.loads(text, object_pairs_hook=_unique_members, parse_constant=_constant)
        _require_shallow(value)
    except Malformed as error:
        raise UsageError(f"{where} {error}.") from error
    except (ValueError, RecursionError) as error:
        deep = isinstance(error, RecursionError)
        reason = "it is nested too deeply" if deep else str(error)[:120]
        hint = "was the file cut off?" if foreign else "correct it."
        raise UsageError(f"{where} is not valid JSON ({reason}): {hint}") from error
    return value


def _loaded_fast(text: str | bytes) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:  # it knows neither NaN nor numbers of 400 digits
        return json.loads(text)


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
            raise UsageError(f"{where} is nested too deeply: use at most {MAX_DEPTH} levels.")
        if nodes >= MAX_NODES:
            raise UsageError(
                f"{where} holds too much once its aliases (*) are written out: write the "
                "values themselves."
            )


def twice(names: Sequence[str]) -> str:
    """The first name that stands there a second time; empty without one."""
    return next((name for index, name in enumerate(names) if name in names[:index]), "")


def _require_shallow(value: object) -> None:
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        children = list[object]()
        for node in level:
            if isinstance(node, dict):
                children += node.values()
            elif isinstance(node, list):
                children += node
        level = children
        if not level:
            return
    raise RecursionError


def _unique_members(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) < len(pairs):
        name = twice([name for name, _ in pairs])
        raise Malformed(f"has the key {quoted(name)} twice in one object: keep one of them")
    return members


def _constant(name: str) -> float:
    if name != "NaN":
        raise Malformed(f"holds a number that cannot be used, {name}: correct it")
    return float(name)
