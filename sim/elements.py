"""The elements that the simulated world is about."""

from functools import cache

import orjson

from .classes import element_name
from .corpus import DATA
from .facts import Row


@cache
def elements() -> dict[str, Row]:
    """The elements by name, as prose spells it inside a sentence."""
    return {element_name(row): row for row in orjson.loads(DATA.read_bytes())["elements"]}
