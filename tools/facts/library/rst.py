"""reStructuredText as plain text: its prose, without directives, code, tables and inline markup. Pure."""

import re
from collections.abc import Sequence

from .document import Document, Labels
from .plaintext import outline_lines

_DESCRIBED = re.compile(
    r"(?:function|data|exception|method|classmethod|staticmethod|attribute|property|decorator|decoratormethod|describe|"
    r"(?:py|c|cpp|js|rst):\w+|c?member|c?macro|c?type|c?function|c?var|struct|enum|enumerator|option|cmdoption|envvar|"
    r"opcode|pdbcommand|coroutinefunction|coroutinemethod|abstractmethod|awaitablefunction|awaitablemethod|2to3fixer|"
    r"class)$"
)
"""Directives that describe what they name."""
_PROSE = re.compile(
    r"(?:note|warning|tip|hint|important|caution|danger|attention|error|seealso|admonition|topic|sidebar|impl-detail|"
    r"versionadded|versionchanged|deprecated|deprecated-removed|container|rst-class|epigraph|highlights|glossary)$"
)
"""Other directives whose indented content is prose; that of any further one is code, a table, a list of files."""
_ONE_LINE_PROSE = frozenset(("note", "warning", "tip", "hint", "important", "caution", "danger", "attention", "error"))
_LONGEST_PARAGRAPH = 20_000
"""Markup is read up to here: a paragraph of more characters is not one that a person wrote."""
_DIRECTIVE = re.compile(r"(?P<indent>\s*)\.\.(?:\s+(?P<name>[\w.:+-]+)::(?:\s+(?P<rest>.*))?|\s.*|)$")
_OPTION = re.compile(r"\s*:[\w-]+(?: [\w*.-]+)*:(?=\s|$)\s*")
_DOCTEST = re.compile(r"\s*>>> ")
_TABLE_ROW = re.compile(r"\s*(?:\+[-=+]+\+|\|.*\||=+(?:\s+=+)+)\s*$")
_ROLE = re.compile(r":[\w:+.-]+:`([^`]+)`")
_CODE = re.compile(r"``([^`]+?)``")
_STRONG = re.compile(r"\*\*(?=\S)([^*]+?)(?<=\S)\*\*")
_EMPHASIS = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*]+?)(?<=[^\s*])\*(?![\w*])")
_LINK = re.compile(r"`([^`<]+?)\s*(?:<[^`>]*>)?`_{0,2}")
_REFERENCE = re.compile(r"\b([A-Za-z][\w-]*)__?(?![\w_(])")
_TARGET = re.compile(r"^(.*\S)\s*<[^<>]*>$", re.DOTALL)
_SUBSTITUTION = re.compile(r"\|([^|\s][^|]*)\|_{0,2}")


def read_rst(text: str, labels: Labels) -> Document:
    return outline_lines(_prose_lines(text.split("\n")), labels, inline=_inline, rst=True)


def _prose_lines(lines: Sequence[str]) -> list[str]:
    """The same number of lines, with all that is no prose blanked."""
    kept, at = list(lines), 0
    while at < len(kept):
        line = kept[at].expandtabs()
        found = _DIRECTIVE.match(line)
        if found:
            at = _directive(kept, at, found)
        elif _DOCTEST.match(line):
            at = _blank_paragraph(kept, at)
        elif line.rstrip().endswith("::"):
            kept[at] = "" if line.strip() == "::" else line.rstrip()[:-1]
            at = _blank_deeper(kept, at + 1, _indent(line))
        else:
            kept[at] = "" if _TABLE_ROW.match(line) else _without_option(line)
            at += 1
    return kept


def _without_option(line: str) -> str:
    found = _OPTION.match(line)
    return line[found.end() :] if found else line


def _directive(kept: list[str], at: int, found: re.Match[str]) -> int:
    """Blanks what is no prose of the directive or comment that begins here; the line to go on with."""
    name, depth = found["name"] or "", len(found["indent"])
    described = _DESCRIBED.match(name)
    if not described and not _PROSE.match(name):
        kept[at] = ""
        return _blank_deeper(kept, at + 1, depth)
    rest = found["rest"] or ""
    kept[at] = " " * (depth + 3) + rest if name in _ONE_LINE_PROSE else ""
    at += 1
    if rest and name not in _ONE_LINE_PROSE:  # further signatures, or the text behind a version number
        at = _blank_paragraph(kept, at) if at < len(kept) and _indent(kept[at]) > depth and kept[at].strip() else at
    while at < len(kept) and _OPTION.match(kept[at]) and _indent(kept[at]) > depth:
        kept[at] = ""
        at += 1
    if described and rest:
        body = next((n for n in range(at, len(kept)) if kept[n].strip()), 0)
        if body and _indent(kept[body]) > depth:
            kept[body - 1] = " " * depth + rest  # a term stands on the line before its definition
            return body - 1
    return at


def _blank_deeper(kept: list[str], at: int, depth: int) -> int:
    while at < len(kept) and (not kept[at].strip() or _indent(kept[at]) > depth):
        kept[at] = ""
        at += 1
    return at


def _blank_paragraph(kept: list[str], at: int) -> int:
    while at < len(kept) and kept[at].strip():
        kept[at] = ""
        at += 1
    return at


def _indent(line: str) -> int:
    line = line.expandtabs()
    return len(line) - len(line.lstrip())


def _inline(text: str) -> str:
    if len(text) > _LONGEST_PARAGRAPH:
        return ""
    text = _ROLE.sub(lambda found: _role(found[1]), text)
    text = _CODE.sub(r"\1", text)
    text = _LINK.sub(r"\1", text)
    text = _EMPHASIS.sub(r"\1", _STRONG.sub(r"\1", text))
    text = _REFERENCE.sub(r"\1", _SUBSTITUTION.sub(r"\1", text))
    return re.sub(r"\\ ?([\\*`|_ ])", r"\1", text)


def _role(content: str) -> str:
    """What a reader sees of a role: the text before a target, the last name behind `~`, no `!`."""
    if named := _TARGET.match(content):
        return named[1]
    return content.rsplit(".", 1)[-1].lstrip("~") if content.startswith("~") else content.lstrip("!")
