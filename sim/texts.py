"""What the simulated world says around its facts: openings, forms and reasons, by what they belong to."""

from collections.abc import Mapping
from typing import Any

import orjson

from .facts import DATA

TEXTS: Mapping[str, Mapping[str, Any]] = orjson.loads((DATA / "texts.json").read_bytes())
