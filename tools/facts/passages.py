"""A page's text cut into passages: 1-4 consecutive sentences, at most 800 characters, never
overlapping. Pure.

A passage has to carry a question, so it stays within one paragraph, has two or three sentences
where the paragraph allows it, and would rather not begin with a word that points back. What cannot
carry a fact (headings, reference lists, stub notices, table rows, formula debris) is left out, and
a passage never reaches across what was left out. Rules and tables rather than a model: the same
text gives the same passages everywhere, as a passage's identity is the digest of its text.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby, pairwise
from math import inf

from .base import Passage

MOST_CHARS = 300_000
"""Of one page, some hundred printed ones: to clean and cut the worst of that length takes a few
seconds."""
MAX_CHARS = 800
MAX_SENTENCES = 4
_MIN_CHARS, _MIN_WORDS = 25, 5
_MIN_CHARS_UNSPACED = 10
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u1000-\u109f\u1780-\u17ff]")
_POINTS_BACK = re.compile(
    r"(?:it|its|they|their|he|his|she|her|this|these|that|those|such|however|therefore|thus|also|moreover|but|"
    r"er|sie|es|dies|diese|dieser|il|elle|ils|elles|cela|ello|esto|este|esta|sin|aussi|auch|jedoch)\b",
    re.IGNORECASE,
)
_SIZE_COST = {1: 2.0, 2: 0.0, 3: 0.0, 4: 1.0}
_PENALTY_BACK, _PENALTY_SHORT = 1.5, 5.0
"""For a group that begins with a word that points back, and for one of short sentences only."""
_HEADING = re.compile(
    r"^(?:(?P<wiki>={2,6})\s*(?P<a>.+?)\s*=+|(?P<md>#{1,6})\s+(?P<b>.+?)\s*#*)$"
)
_EDGE = " \t:.*_"
_LONGEST_HEADING = 500
"""Characters; in a longer line the search for the end of a heading takes long."""
LACKS = "\ue0ff"
"""Stands for what could not be read of a page: a sentence that holds it has lost a part and is not
evidence."""
_RAISED = str.maketrans("0123456789+-−=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ")

_ODD_SPACE = r"\t\f\v\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
_SPACES = re.compile(rf"[{_ODD_SPACE}][ {_ODD_SPACE}]*| [ {_ODD_SPACE}]+")
_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u2060-\u2064\ufeff\x00-\x08\x0e-\x1f\x7f]")
# [12] and [1, 2] are citation marks, [18]annulene is a name
_CITATION = re.compile(
    r"\[(?:\d{1,3}(?:\s?[,–-]\s?\d{1,3})*|(?:note|nb|n)\.? ?\d+|citation needed|clarification "
    r"needed|"
    r"according to whom\?|when\?|who\?|verification needed|edit|update)\](?!\w)",
    re.IGNORECASE,
)
_HAS_END = re.compile(r"""[.!?…。！？｡؟۔।॥։።။។]["'”’»›」』）)\]]*$""")
_BOILERPLATE = re.compile(
    r"\b(?:is a stub|may (?:also )?refer to|(?:retrieved|archived) (?:on|from)|isbn|issn|doi ?:|all rights reserved|"
    r"cookies?\b.*\b(?:accept|consent|policy|better)|privacy policy|terms of service|subscribe|sign up|log in|"
    r"click here|enable javascript)(?!\w)",
    re.IGNORECASE,
)
_ABOUT_THE_TEXT = re.compile(
    r"(?:[^.:]{1,40}: )?[(\[\"“‘]*(?:(?:this|the (?:following|next|previous)) (?:\w+ )?"
    r"(?:section|chapter|page|document|manual|tutorial|guide|article|appendix|table|list|example|figure)s? (?:\w+ )?"
    r"(?:explain|describe|discusse?|show|list|present|introduce|document|summari[sz]e|illustrate|cover|outline)s\b|"
    r"in this (?:section|chapter|document|tutorial|guide|article)\b|"
    r"(?:please |also )?see (?:also\b|the\b|section\b|chapter\b|\[)|for (?:more|further) (?:information|details)\b)",
    re.IGNORECASE,
)
"""How a sentence begins that is about the text it stands in and not about the text's subject."""
_NAME = re.compile(
    r"(?=.{2})(?:\D\d|[α-ω]-|(?=(?:.*?[^\W\d_]){2}).+[\d_./(@=]|.*[^\W\d_a-zß-ÿ])\S*"
)
"""A word that no language has but as a name: p53, pg_dump, α-synuclein, os.path, pH."""
_HEADED = re.compile(r"\S{1,120}:\s|(?:[^:!?;.]|\.(?!\s)){1,125}:\s+[^a-zß-ÿ\s]")
"""A term before its definition: one word and a colon, or several when what follows does not go on
in small letters."""
_NO_PROSE = """see also | references | external links | further reading | footnotes | bibliography | citations |
    works cited | acknowledgements | acknowledgments | author contributions | competing interests | funding |
    siehe auch | einzelnachweise | weblinks | literatur | voir aussi | références | liens externes |
    notes et références | véase también | referencias | enlaces externos | см. также | примечания | ссылки |
    参考文献 | 外部链接 | 脚注 | 関連項目 | 外部リンク | 出典"""
NO_PROSE_HEADINGS = frozenset(map(str.strip, _NO_PROSE.split("|")))
"""Sections that hold lists, not prose about the subject."""
# a manual writes <file> for what its reader puts in; each way begins with a sign, so that letters
# are passed over fast
_MARKUP = re.compile(
    r"©|\{\\|\\(?:frac|mathrm|mathbf|text|left|right|begin|end)\b|\{\{|\}\}|:(?<=http:)//|:(?<=https:)//|\|.*\||"
    r"</\w+\s*>|<\w+(?:\s+[\w:-]+=[^>]*|\s*/)>|<(?:a|abbr|b|big|blockquote|body|br|center|cite|dd|div|dl|dt|em|font|"
    r"gallery|h[1-6]|hr|html|i|iframe|img|li|math|nowiki|ol|p|pre|ref|s|script|small|span|strong|style|su[bp]|syntaxhighlight|"
    r"table|tbody|t[dhrt]|u|ul)>",
    re.IGNORECASE,
)


_LONE_SURROGATE = re.compile(r"[\ud800-\udfff]")
_WINDOW = 10_000
_TAIL = 12
"""Characters by which it is seen whether a sentence goes on."""
_ENDS_NONE = re.compile(r"(?:(?<![^\W_])(?<!\.)[^\W\d_]\.\s*|[」』])$")
"""An initial; a quotation that the sentence goes on after."""
_ENDS_NONE_BEFORE_NUMBER = re.compile(r"(?<![^\W_])[^\W\d_]{2,4}\.\s*$")
"""A short word: "vol. 3"."""


def sentences(paragraph: str, language: str = "en") -> list[tuple[int, int]]:
    """Spans (start, end) of the sentences of one paragraph, in order, without the white space
    between them.

    The last span may lack its end mark: the caller decides what an unfinished sentence is worth.
    """
    text = _LONE_SURROGATE.sub("\ufffd", paragraph)
    spans: list[tuple[int, int]] = []
    for start, end in _boundaries(text, language):
        if spans and _goes_on(text[max(0, start - _TAIL) : start], text[start:end]):
            start = spans.pop()[0]
        spans.append((start, end))
    return [trimmed for span in spans if (trimmed := _trim(paragraph, span))[0] < trimmed[1]]


def _boundaries(text: str, language: str) -> Iterator[tuple[int, int]]:
    """What the library takes for sentences, window by window: its time grows by the square."""
    # compiled: loaded only where a page is cut
    from sentencex import get_sentence_boundaries  # type: ignore[import-untyped]  # ships no types

    begin = 0
    while begin < len(text):
        window = text[begin : begin + _WINDOW]
        opening = len(window) - len(window.lstrip("([{ "))  # behind one, it ends no sentence
        boundaries = get_sentence_boundaries(language, window[opening:])
        ends = [boundary["end_index"] + opening for boundary in boundaries] or [len(window)]
        if begin + len(window) < len(text) and len(ends) > 1:
            ends.pop()  # the next window has all of it
        for start, end in pairwise([0, *ends]):
            yield begin + start, begin + end
        begin += ends[-1]


def _goes_on(before: str, after: str) -> bool:
    if after[0].isdigit() and _ENDS_NONE_BEFORE_NUMBER.search(before):
        return True
    return bool(_ENDS_NONE.search(before))


def _trim(text: str, span: tuple[int, int]) -> tuple[int, int]:
    start, end = span
    inner = text[start:end].lstrip()
    start = end - len(inner)
    return start, start + len(inner.rstrip())


@dataclass(frozen=True, slots=True)
class _Sentence:
    start: int
    end: int
    kind: str
    """`full` carries a fact alone, `short` only in company, `junk` never."""


def passages(page: str, language: str = "en") -> list[Passage]:
    """All passages of a page in reading order. `page` is plain text with wiki or Markdown headings.

    Deterministic: the same text gives the same passages. A sentence of more than 800 characters is
    left out whole.
    """
    return list(_passages(page, language))


def in_length(page: str) -> str:
    """A page as far as it is read, without the word that is cut: half a number would be a wrong
    one."""
    if len(page) <= MOST_CHARS:
        return page
    head = page[:MOST_CHARS]
    return head.rsplit(maxsplit=1)[0] if head.strip() else ""


@lru_cache(
    maxsize=256
)  # many concepts lead to one page, and cutting it costs more than fetching it
def _passages(page: str, language: str) -> tuple[Passage, ...]:
    return tuple(
        Passage(passage, section.heading)
        for section in outline(clean(page))
        for paragraph in section.text.split("\n")
        for passage in _cut(paragraph, language)
    )


def _cut(paragraph: str, language: str) -> Iterator[str]:
    cut = [
        _Sentence(a, b, _kind(paragraph[a:b], begins=a == 0))
        for a, b in sentences(paragraph, language)
    ]
    for junk, run in groupby(cut, key=lambda s: s.kind == "junk"):
        if not junk:
            for group in _partition(paragraph, list(run)):
                yield paragraph[group[0].start : group[-1].end]


def _kind(sentence: str, *, begins: bool) -> str:
    """`begins`: the paragraph, where small letters begin no rest of a sentence."""
    if len(sentence) > MAX_CHARS or is_junk(sentence) or (begins and _is_fragment(sentence)):
        return "junk"
    if _UNSPACED.search(sentence):
        return "full" if len(sentence) >= _MIN_CHARS_UNSPACED else "short"
    return (
        "full"
        if len(sentence) >= _MIN_CHARS and len(sentence.split()) >= _MIN_WORDS
        else "short"
    )


def _partition(paragraph: str, run: list[_Sentence]) -> list[list[_Sentence]]:
    """The cheapest cut of a run of sentences into groups; among equals, the one with the longer
    first groups.

    Groups without one full sentence are dropped, and their price keeps the cut from making any that
    it can avoid.
    """
    back = [
        _PENALTY_BACK * bool(_POINTS_BACK.match(paragraph, sentence.start)) for sentence in run
    ]
    short_from = [0] * (len(run) + 1)  # how many short sentences follow one another from here
    best: list[tuple[float, int]] = [
        (0.0, 0)
    ]  # from the end: price of the rest, size of its first group
    for start in range(len(run) - 1, -1, -1):
        if run[start].kind == "short":
            short_from[start] = short_from[start + 1] + 1
        cheapest = (inf, 0)
        for size in range(min(MAX_SENTENCES, len(run) - start), 0, -1):
            if size == 1 or run[start + size - 1].end - run[start].start <= MAX_CHARS:
                price = _SIZE_COST[size] + (back[start] if start else 0.0)
                price += _PENALTY_SHORT if short_from[start] >= size else 0.0
                if price + best[-size][0] < cheapest[0]:
                    cheapest = (price + best[-size][0], size)
        best.append(cheapest)
    groups, start = [], 0
    while start < len(run):
        size = best[len(run) - start][1]
        groups.append(run[start : start + size])
        start += size
    return [group for group in groups if any(s.kind == "full" for s in group)]


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
        title = _HEADING.match(line) if len(line) <= _LONGEST_HEADING else None
        if not title:
            if not barren_level:
                lines.append(line)
            continue
        if lines:
            sections.append(Section(heading, "\n".join(lines)))
        lines = []
        heading = (title["a"] or title["b"]).strip(_EDGE)
        level = len(title["wiki"] or title["md"])
        if not barren_level or level <= barren_level:
            barren_level = level if heading.casefold() in NO_PROSE_HEADINGS else 0
    return sections


def clean(page: str) -> str:
    """The text that passages are cut from: one paragraph or heading per line, single spaces, no
    citation marks.

    Composed forms stay as they are (no NFKC: 10⁵ must not become 105).
    """
    text = unicodedata.normalize(
        "NFC", page.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n")
    )
    text = _CITATION.sub("", _INVISIBLE.sub("", text))
    return "\n".join(
        _joined(line for raw in _SPACES.sub(" ", text).split("\n") if (line := raw.strip()))
    )


def raised(text: str) -> str | None:
    """Signs that stand raised, as raised signs: 10<sup>5</sup> is 10⁵, not 105. None where there
    are none for them."""
    signs = text.strip()
    return (
        signs.translate(_RAISED)
        if signs and all(ord(sign) in _RAISED for sign in signs)
        else None
    )


def _joined(lines: Iterable[str]) -> Iterator[str]:
    """Hard-wrapped paragraphs on one line: a line that stops in mid-sentence goes on with the
    next."""
    joined = ""
    for line in lines:
        if (
            joined
            and line[0].islower()
            and (joined[-1].islower() or joined[-1] == ",")
            and joined[0] not in "#="
        ):
            joined += f" {line}"
            continue
        if joined:
            yield joined
        joined = line
    if joined:
        yield joined


def is_junk(sentence: str) -> bool:
    """Whether a sentence can carry no fact: unfinished, boilerplate, markup, mostly figures, or
    about the text itself."""
    if LACKS in sentence or not _HAS_END.search(sentence):
        return True
    if _MARKUP.search(sentence) or _ABOUT_THE_TEXT.match(sentence):
        return True
    return not _is_prose(sentence) or bool(_BOILERPLATE.search(sentence))


def _is_fragment(sentence: str) -> bool:
    """Whether it begins in small letters, and neither with a name nor with a term that it
    defines."""
    if not sentence[0].islower():
        return False
    word = sentence.split(maxsplit=1)[0].rstrip(".,;:)")
    return not (_NAME.match(word) or _HEADED.match(sentence))


_NO_LETTERS = bytes(code for code in range(128) if not chr(code).isalpha())


def _is_prose(sentence: str) -> bool:
    signs = sum(map(len, sentence.split()))
    if sentence.isascii():  # which is ten times as fast
        letters = len(sentence.encode().translate(None, _NO_LETTERS))
    else:
        letters = sum(map(str.isalpha, sentence))
    if letters < 0.6 * signs:  # vowel signs (Hindi, Burmese) are marks, not letters
        letters += sum(unicodedata.category(char).startswith("M") for char in sentence)
    return letters >= 0.6 * signs
