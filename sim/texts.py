"""What the simulated world says around its facts, by what it belongs to."""

from collections.abc import Mapping, Sequence

import orjson

from .facts import DATA

_TABLE = orjson.loads((DATA / "texts.json").read_bytes())
TEXTS: Mapping[str, Mapping[str, Sequence[str]]] = _TABLE["said"]
"""Openings, forms and reasons, to be drawn from."""
BY_ORDER: Mapping[str, Mapping[str, str]] = _TABLE["by order"]
"""What the words of an order call for: topics of multi-select questions, and ways to reword one."""
