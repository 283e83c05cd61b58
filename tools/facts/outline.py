"""A text with headings as its sections, without those that hold no prose about the subject. Pure."""

import re
from dataclasses import dataclass

_HEADING = re.compile(r"^(?:(?P<wiki>={2,6})\s*(?P<a>.+?)\s*=+|(?P<md>#{1,6})\s+(?P<b>.+?)\s*#*)$")
_EDGE = " \t:.*_"

_NO_PROSE = frozenset(
    # English, German, French, Spanish, Italian, Portuguese, Dutch, Russian, Chinese, Japanese, Arabic
    """see also|references|external links|further reading|notes|footnotes|notes and references|bibliography|sources|
    citations|cited sources|works cited|general references|gallery|literature cited|references and notes|
    acknowledgements|acknowledgments|author contributions|conflict of interest|competing interests|funding|related articles|
    siehe auch|einzelnachweise|weblinks|literatur|quellen|anmerkungen|belege|fußnoten|
    voir aussi|références|liens externes|bibliographie|notes et références|articles connexes|lien externe|
    véase también|referencias|enlaces externos|bibliografía|notas|notas y referencias|
    note|bibliografia|voci correlate|altri progetti|collegamenti esterni|
    ver também|referências|ligações externas|notas e referências|zie ook|externe links|bronnen, noten en/of referenties|
    см. также|примечания|литература|ссылки|источники|
    参见|参看|參見|参考文献|參考文獻|参考资料|外部链接|外部連結|注释|脚注|関連項目|外部リンク|出典|
    انظر أيضا|انظر أيضًا|مراجع|المراجع|وصلات خارجية|روابط خارجية""".replace("\n", "").split("|")
)


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
        found = _HEADING.match(line)
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
            barren_level = level if heading.casefold() in _NO_PROSE else 0
    return sections
