"""A text with headings as its sections, without those that hold no prose about the subject. Pure."""

import re
from dataclasses import dataclass

from .vocabulary import NO_PROSE_HEADINGS

_HEADING = re.compile(r"^(?:(?P<wiki>={2,6})\s*(?P<a>.+?)\s*=+|(?P<md>#{1,6})\s+(?P<b>.+?)\s*#*)$")
_EDGE = " \t:.*_"
_LONGEST_HEADING = 500
"""Characters; in a longer line the search for the end of a heading takes long."""


@dataclass(frozen=True, slots=True)
class Section:
    """`heading` is None before the first heading. `text` excludes sub-sections."""

    heading: str | None
    text: str


def outline(text: str) -> list[Section]:
    """Sections in order, one line per paragraph; `== Heading ==` and `# Heading` count as headings.

    A section such as "See also" or "References" is left out with everything below it.
    """
    sections: list[Section] = []
    heading: str | None = None
    lines: list[str] = []
    barren_level = 0  # level of the section without prose that we are in; 0: in none
    for line in [*text.split("\n"), "== end =="]:
        found = _HEADING.match(line) if len(line) <= _LONGEST_HEADING else None
        if not found:
            if not barren_level:
                lines.append(line)
            continue
        if lines:
            sections.append(Section(heading, "\n".join(lines)))
        lines = []
        heading = (found["a"] or found["b"]).strip(_EDGE)
        level = len(found["wiki"] or found["md"])
        if not barren_level or level <= barren_level:
            barren_level = level if heading.casefold() in NO_PROSE_HEADINGS else 0
    return sections
