"""Plain text: paragraphs by blank lines, headings by underlines or `#`. Pure."""

import re
from dataclasses import dataclass, field

from .document import Document

_ADORNMENT = re.compile(r"([=\-~^\"'`#*+:.<>_])\1{2,}\s*$")
_MARKED_HEADING = re.compile(r"(#{1,6})\s+(\S.*?)\s*#*$")
_ITEM = re.compile(r"(?P<mark>(?:[-*+•]|\(?(?:\d{1,3}|#|[a-z])[.)])\s+)\S")
_SHORT_LINE = 50
_GOES_ON = re.compile(
    r"[,;:(–—-]$|\b(?:the|a|an|of|and|or|in|to|for|with|by|on|at|from)$", re.IGNORECASE
)


def read_text(text: str) -> Document:
    """A plain text: hard-wrapped lines are joined, a short line without punctuation stays alone."""
    return _Reader(text.split("\n")).read()


@dataclass
class _Reader:
    lines: list[str]
    out: Document = field(default_factory=Document)
    held: list[str] = field(default_factory=list)
    first: int = 0
    levels: dict[str, int] = field(default_factory=dict)

    def read(self) -> Document:
        at = 0
        while at < len(self.lines):
            at += self._heading(at) or self._line(at)
        self._flush()
        return self.out

    def _heading(self, at: int) -> int:
        """How many lines a heading at this line takes; 0 when there is none."""
        line = self.lines[at]
        if marked := _MARKED_HEADING.match(line):
            self._flush()
            self.out.heading(len(marked[1]), marked[2])
            return 1
        over = bool(_ADORNMENT.match(line)) and at + 2 < len(self.lines)
        title, under = (at + 1, at + 2) if over else (at, at + 1)
        if (
            under >= len(self.lines)
            or (self.held and not over)
            or not self._underlines(title, under)
        ):
            return 0
        if over and self.lines[under].strip() != line.strip():
            return 0
        self._flush()
        style = line.strip()[0] * 2 if over else self.lines[under][0]
        level = self.levels.setdefault(style, len(self.levels) + 1)
        self.out.heading(level, self.lines[title].strip())
        return under - at + 1

    def _underlines(self, title: int, under: int) -> bool:
        text = self.lines[title].strip()
        if not text or _ADORNMENT.match(text) or not _ADORNMENT.match(self.lines[under]):
            return False
        return len(self.lines[under].strip()) >= min(len(text), 80) - 2

    def _line(self, at: int) -> int:
        line = self.lines[at].expandtabs()
        text = line.strip()
        if not text or _ADORNMENT.match(text):
            self._flush()
            return 1
        item = _ITEM.match(text)
        if item or self._begins(text):
            self._flush()
        if not self.held:
            self.first = at + 1
        self.held.append(text[len(item["mark"]) :] if item else text)
        return 1

    def _begins(self, text: str) -> bool:
        """Whether this line begins a paragraph although no blank line stands before it."""
        if not self.held:
            return False
        before = self.held[-1]
        unfinished = (
            len(before) < _SHORT_LINE and before[-1].isalnum() and not _GOES_ON.search(before)
        )
        return unfinished and not text[0].islower()

    def _flush(self) -> None:
        if self.held:
            self.out.block(
                " ".join(self.held),
                line=self.first,
                lines=self.held,
            )
        self.held = []
