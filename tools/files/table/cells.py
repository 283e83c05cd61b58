"""Cells of a table as types. A fault is the rest of a sentence that begins with the row; `{}` is
the column's name."""

import re
from typing import Annotated, Any, Literal

import orjson
from pydantic import AfterValidator, BeforeValidator, Field

from ..text import fold, quoted, unseen

MAX_ID = 120
_HALF = re.compile("[\ud800-\udfff]")
_NO_ID = re.compile(r"[\s/@]")
_KINDS: dict[type, str] = {
    dict: "an object",
    list: "a list",
    str: "a text",
    bool: "true or false",
    type(None): "null",
}


def kind(value: object) -> str:
    """What a value is, for a message."""
    return _KINDS.get(
        type(value), "a number" if isinstance(value, int | float) else f"a {type(value).__name__}"
    )


def text(value: object) -> str:
    """A text, a number as it is written (data frames write 18 as 18.0), yes or no as `true` or
    `false`; of a list with one entry that entry."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, int):
        return str(value)
    if not isinstance(value, str):
        raise ValueError(f"has {kind(value)} as its {{}}: it must be a text")
    if not value.isascii() and (half := _HALF.search(value)):
        raise ValueError(f"has a broken sign (U+{ord(half[0]):04X}) in its {{}}: take it out")
    return value


def listed(value: object) -> object:
    """The list whose JSON a text is; any other value as it is."""
    loaded = from_json(value)
    return loaded if isinstance(loaded, list) else value


def _parted(signs: str) -> BeforeValidator:
    def parts(value: object) -> list[str]:
        value = listed(value)
        if isinstance(value, list):
            return [text(entry) for entry in value]
        return [entry for entry in re.split(signs, text(value)) if entry.strip()]

    return BeforeValidator(parts)


def _unmarked(value: str) -> str:
    if mark := _NO_ID.search(value):
        raise ValueError(
            f"has the {{}} {quoted(value)}, which holds {mark[0]!r}: use no white space, no / "
            "and no @"
        )
    return value


def _depth(value: object) -> object:
    """Also as D1, D2, D3; spreadsheets and data frames write 1 as 1.0 where another cell of the
    column is empty."""
    if isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        return value
    bare = re.fullmatch(r"\s*[Dd]?([0-9])(?:[.,]0+)?\s*", value)
    return int(bare[1]) if bare else value


def from_json(value: object) -> Any:
    """The value whose JSON a text is; None for a blank one, and any other text as it is."""
    if not isinstance(value, str):
        return value
    try:
        return orjson.loads(value) if value.strip() else None
    except orjson.JSONDecodeError:
        return value


def _visible(value: object) -> str:
    loaded = text(value)
    if sign := unseen(loaded):
        raise ValueError(f"holds the invisible sign {sign} in its {{}}: take it out")
    return loaded


Text = Annotated[str, BeforeValidator(text)]
Visible = Annotated[str, BeforeValidator(_visible)]
Name = Annotated[Visible, AfterValidator(fold)]
"""Words with single spaces between them."""
Id = Annotated[
    Visible,
    AfterValidator(str.strip),
    Field(min_length=1, max_length=MAX_ID),
    AfterValidator(_unmarked),
]
Ids = Annotated[tuple[str, ...], _parted(r"[;\s]+")]
"""A list of ids, `listed` or with semicolons or blanks between them."""
Labels = Annotated[tuple[str, ...], _parted(";")]
Depth = Annotated[Literal[1, 2, 3], BeforeValidator(_depth)]
