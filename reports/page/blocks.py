"""What a page is made of: plain data, with the format each figure is to be written in. Every medium
renders all of it in one place (`terminal`), where foreign text is made harmless too."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table."""

    head: str
    key: str = ""
    """Field of a row, as its JSON names it: `numbers.all.accuracy`; empty for the row itself."""
    form: str = "text"
    """How its values are written; a name of `forms.FORMS`."""
    legend: str = ""
    """What it means, in a few words; said below the table where the column is shown."""
    interval: str = ""
    """Field of its 95% interval, which stands behind it in brackets."""
    style: str = ""
    cut: bool = False
    """Whether a text is cut where there is no room; without, it is folded."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A value that is written in another way than the rest of its column."""

    value: Any
    style: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    title: str
    columns: Sequence[Column]
    rows: Sequence[Any]
    """Records or mappings with the fields that the columns name; a plain text is the heading of
    those below it."""
    said: Sequence[str] = ()
    """What else is to be known, a line each."""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of text, which is folded where it is too long."""

    text: str
    style: str = ""
    lead: str = ""
    """Before it, in a style of its own."""
    lead_style: str = "dim"
    indent: int = 0
    whole: bool = False
    """Never folded, so that it can be copied."""
    ends: bool = False
    """Whether its own line ends are kept."""
    step: str = ""
    """The place of the step that it tells of."""


@dataclass(frozen=True, slots=True)
class Text:
    lines: Sequence[str | Line]
    title: str = ""
    style: str = ""
    """Of lines without one of their own."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure by its name; see `Column`."""

    label: str
    value: Any
    form: str = "text"
    interval: Any = None


@dataclass(frozen=True, slots=True)
class Figures:
    rows: Sequence[Figure]
    title: str = ""


Block: TypeAlias = Table | Text | Figures


def bulleted(title: str, items: Sequence[str]) -> list[Block]:
    """A heading and the items under it, a line each; nothing without any."""
    return [Text([f"· {item}" for item in items], title)] if items else []


def value_of(row: Any, key: str) -> Any:
    """What a row holds under a key; None where there is nothing on the way to it."""
    for name in filter(None, key.split(".")):
        row = row.get(name) if isinstance(row, Mapping) else getattr(row, name, None)
    return row
