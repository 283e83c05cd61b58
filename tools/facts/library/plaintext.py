"""Plain text and reStructuredText: paragraphs by blank lines, headings by underlines or `#`; of the
latter its prose, without directives, code, tables and inline markup. Pure."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from .document import Document, term

_ADORNMENT = re.compile(r"([=\-~^\"'`#*+:.<>_])\1{2,}\s*$")
_MARKED_HEADING = re.compile(r"(#{1,6})\s+(\S.*?)\s*#*$")
_ITEM = re.compile(r"(?P<mark>(?:[-*+•]|\(?(?:\d{1,3}|#|[a-z])[.)])\s+)\S")
_SHORT_LINE, _LONGEST_TERM = 50, 120
_GOES_ON = re.compile(
    r"[,;:(–—-]$|\b(?:the|a|an|of|and|or|in|to|for|with|by|on|at|from)$", re.IGNORECASE
)
_LONGEST_PARAGRAPH = 20_000
"""Markup is read up to here: a paragraph of more characters is not one that a person wrote."""
_DESCRIBED = (
    r"function|data|exception|method|classmethod|staticmethod|attribute|property|decorator|decoratormethod|describe|"
    r"(?:py|c|cpp|js|rst):\w+|c?member|c?macro|c?type|c?function|c?var|struct|enum|enumerator|option|cmdoption|envvar|"
    r"opcode|pdbcommand|coroutinefunction|coroutinemethod|abstractmethod|awaitablefunction|awaitablemethod|2to3fixer|"
    r"class"
)
"""Directives that describe what they name."""
_SPOKEN = "note|warning|tip|hint|important|caution|danger|attention|error"
_READ = (
    rf"(?:{_DESCRIBED}|{_SPOKEN}|seealso|admonition|topic|sidebar|impl-detail|versionadded|versionchanged|deprecated|"
    "deprecated-removed|container|rst-class|epigraph|highlights|glossary)::"
)
"""With others whose indented content is prose; that of any further one is code, a table, a list of
files."""
_DEEPER = r"(?:\1 +\S.*\n| *\n)*+"
_OPTION = r" *:[\w-]+(?: [\w*.-]+)*:(?=\s)"


def _blank(found: re.Match[str]) -> str:
    return "\n" * found[0].count("\n")


_BLOCKS: tuple[tuple[str, Callable[[re.Match[str]], str]], ...] = (
    (  # a term stands on the line before its definition
        rf"^( *+)\.\. +(?:{_DESCRIBED}):: +(\S.*)\n((?:\1 +\S.*\n)*(?: *\n)+)(?=\1 +\S)",
        lambda found: "\n" * found[3].count("\n") + f"{found[1]}{found[2]}\n",
    ),
    (rf"^( *+)\.\.(?! +{_READ})(?: .*)?\n{_DEEPER}", _blank),
    (
        rf"^( *+)(?!\.\. )(.*):: *\n{_DEEPER}",
        lambda found: f"{found[1]}{found[2]}:" * bool(found[2]) + _blank(found),
    ),
    (rf"^( *+)\.\. +(?:{_SPOKEN}):: +(\S.*\n)", lambda found: f"{found[1]}   {found[2]}"),
    (rf"^( *+)\.\. +{_READ}(?: +\S.*\n(?:\1 +\S.*\n)*| *\n(?:\1 {_OPTION}.*\n)*)", _blank),
    (r"^ *>>> .*\n(?: *\S.*\n)*", _blank),
    (r"^ *(?:\+[-=+]+\+|\|.*\||=+(?: +=+)+) *\n", _blank),
    (rf"^{_OPTION} *", lambda found: ""),
)
"""What is no prose in reStructuredText, in the order in which it goes; every line keeps its number.
"""
_INLINE: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (r":[\w:+.-]+:`([^`]+)`", lambda found: _role(found[1])),
    (r"``([^`]+?)``", r"\1"),
    (r"`([^`<]+?)\s*(?:<[^`>]*>)?`_{0,2}", r"\1"),
    (r"\*\*(?=\S)([^*]+?)(?<=\S)\*\*", r"\1"),
    (r"(?<![\w*])\*(?=[^\s*])([^*]+?)(?<=[^\s*])\*(?![\w*])", r"\1"),
    (r"\|([^|\s][^|]*)\|_{0,2}", r"\1"),
    (r"\b([A-Za-z][\w-]*)__?(?![\w_(])", r"\1"),
    (r"\\ ?([\\*`|_ ])", r"\1"),
)
_TARGET = re.compile(r"^(.*\S)\s*<[^<>]*>$", re.DOTALL)


def read_text(text: str) -> Document:
    """A plain text: hard-wrapped lines are joined, a short line without punctuation stays alone."""
    return _Reader(text.split("\n"), str, rst=False).read()


def read_rst(text: str) -> Document:
    """Indentation separates paragraphs, `#` is no heading, and a level is whatever underline comes
    first."""
    text = text.expandtabs() + "\n"
    for pattern, put in _BLOCKS:
        text = re.sub(pattern, put, text, flags=re.MULTILINE)
    return _Reader(text.split("\n"), _inline, rst=True).read()


@dataclass
class _Reader:
    lines: list[str]
    inline: Callable[[str], str]
    """Frees a paragraph of its markup."""
    rst: bool
    out: Document = field(default_factory=Document)
    held: list[str] = field(default_factory=list)
    first: int = 0
    indent: int = 0
    item: bool = False
    levels: dict[str, int] = field(default_factory=dict)
    terms: list[tuple[int, str]] = field(default_factory=list)
    """What is being defined, outermost first, each with how far it is indented."""
    begins: bool = False

    def read(self) -> Document:
        at = 0
        while at < len(self.lines):
            at += self._heading(at) or self._line(at)
        self._flush()
        return self.out

    def _heading(self, at: int) -> int:
        """How many lines a heading at this line takes; 0 when there is none."""
        line = self.lines[at]
        if not self.rst and (marked := _MARKED_HEADING.match(line)):
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
        self.terms = []
        style = line.strip()[0] * 2 if over else self.lines[under][0]
        level = self.levels.setdefault(style, len(self.levels) + 1)
        self.out.heading(level, self.inline(self.lines[title].strip()))
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
        indent = len(line) - len(line.lstrip())
        item = _ITEM.match(text)
        if not item and self._is_defined_by(text, indent):
            self.terms = [known for known in self.terms if known[0] < self.indent]
            self.terms.append((self.indent, term(self.inline(held) for held in self.held)))
            self.held, self.begins = [], True
        if item or self._begins(text, indent):
            self._flush()
        if not self.held:
            self.first, self.indent, self.item = (
                at + 1,
                indent + (len(item["mark"]) if item else 0),
                bool(item),
            )
        self.held.append(text[len(item["mark"]) :] if item else text)
        return 1

    def _is_defined_by(self, text: str, indent: int) -> bool:
        """Whether what is held is a term, or several, and this deeper line begins its
        definition."""
        if not self.held or indent <= self.indent or text[0].islower() or self.item:
            return False
        marked = self.rst or all(
            held.endswith("::") for held in self.held
        )  # AsciiDoc marks its terms so
        longest, most = (_LONGEST_TERM, 3) if marked else (_SHORT_LINE, 1)
        names = [held.removesuffix("::") for held in self.held]
        return len(names) <= most and all(
            name and len(name) <= longest and name[-1] not in ".!?;," and not _GOES_ON.search(name)
            for name in names
        )

    def _begins(self, text: str, indent: int) -> bool:
        """Whether this line begins a paragraph although no blank line stands before it."""
        if not self.held:
            return False
        if self.terms and indent <= self.terms[-1][0] < self.indent:
            return True
        if self.rst:
            return indent > self.indent
        before = self.held[-1]
        unfinished = (
            len(before) < _SHORT_LINE and before[-1].isalnum() and not _GOES_ON.search(before)
        )
        return unfinished and not text[0].islower()

    def _flush(self) -> None:
        if self.held:
            self.terms = [known for known in self.terms if known[0] < self.indent]
            self.out.block(
                self.inline(" ".join(self.held)),
                line=self.first,
                lines=self.held,
                terms=tuple(name for _, name in self.terms),
                begins=self.begins and bool(self.terms),
            )
        self.held, self.begins = [], False


def _inline(text: str) -> str:
    if len(text) > _LONGEST_PARAGRAPH:
        return ""
    for pattern, put in _INLINE:
        text = re.sub(pattern, put, text)
    return text


def _role(content: str) -> str:
    """What a reader sees of a role: the text before a target, the last name behind `~`, no `!`."""
    if named := _TARGET.match(content):
        return named[1]
    return (
        content.rsplit(".", 1)[-1].lstrip("~") if content.startswith("~") else content.lstrip("!")
    )
