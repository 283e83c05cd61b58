"""What a value must be, in plain words, for a fault that pydantic reports."""

from collections.abc import Mapping
from typing import Any

_WHOLE, _NUMBER, _TEXT = "it must be a whole number", "it must be a number", "it must be a text"
_LIST, _OBJECT, _DATE = (
    "it must be a list",
    "it must be an object, as in {{…}}",
    "it must be a date",
)
_RULES: Mapping[str, str] = {
    "missing": "it is missing",
    "extra_forbidden": "there is no such field",
    "greater_than_equal": "it must be at least {ge}",
    "greater_than": "it must be above {gt}",
    "less_than_equal": "it must be at most {le}",
    "less_than": "it must be below {lt}",
    "multiple_of": "it must be a multiple of {multiple_of}",
    "finite_number": "it must be a number that is not endless",
    "literal_error": "it must be {expected}",
    "enum": "it must be {expected}",
    "none_required": "it must be null",
    "too_short": "it has too few entries (at least {min_length})",
    "too_long": "it is too long (at most {max_length})",
    "string_too_short": "it is too short (at least {min_length})",
    "string_too_long": "it is too long (at most {max_length})",
    "string_pattern_mismatch": "it must have the form {pattern}",
    "string_unicode": "it must be a text in UTF-8",
    "json_invalid": "it is not JSON ({error})",
    "union_tag_invalid": "{discriminator} must be {expected_tags}",
    "union_tag_not_found": "{discriminator} is missing",
    "value_error": "{error}",
    "assertion_error": "{error}",
}
_FAMILIES: Mapping[str, str] = {
    "int": _WHOLE,
    "float": _NUMBER,
    "decimal": _NUMBER,
    "string": _TEXT,
    "bytes": _TEXT,
    "bool": "it must be true or false",
    **dict.fromkeys(("list", "tuple", "set", "frozen", "iterable"), _LIST),
    **dict.fromkeys(("dict", "mapping", "model", "dataclass"), _OBJECT),
    **dict.fromkeys(("date", "datetime", "time", "timezone"), _DATE),
}
"""How the names of further kinds begin."""


def rule_of(fault: Mapping[str, Any]) -> str:
    """Say what the value must be; the wording of the library never reaches a screen."""
    kind = str(fault["type"])
    rule = _RULES.get(kind) or _FAMILIES.get(kind.partition("_")[0], "it has another form")
    return rule.format(**fault.get("ctx", {}))


def place_of(fault: Mapping[str, Any]) -> str:
    """Where the fault stands, as `cells.3.label`; empty for the value as a whole."""
    return ".".join(str(part) for part in fault["loc"])
