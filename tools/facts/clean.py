"""What retrieved text is freed of before it is cut: citation marks, formula remains, boilerplate. Pure."""

import re
import unicodedata
from collections.abc import Iterable, Iterator

from .sentences import begins_with_name
from .vocabulary import ABOUT_THE_TEXT, BOILERPLATE_SIGNS

_GAP = "\ufffc"
"""Stands where a formula was: a sentence that holds it has lost a part and is not evidence."""

_SPACES = re.compile(r"[ \t\f\v\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+")
_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u2060-\u2064\ufeff\x00-\x08\x0e-\x1f\x7f]")
# [12] and [1, 2] are citation marks, [18]annulene is a name
_CITATION = re.compile(
    r"\[(?:\d{1,3}(?:\s?[,–-]\s?\d{1,3})*|(?:note|nb|n)\.? ?\d+|citation needed|clarification needed|"
    r"according to whom\?|when\?|who\?|verification needed|edit|update)\](?!\w)",
    re.IGNORECASE,
)
_FORMULA = re.compile(r"\{\\(?:display|text)style\b")
_HAS_END = re.compile(r"""[.!?…。！？｡؟۔।॥։።။។]["'”’»›」』）)\]]*$""")
_BOILERPLATE = re.compile(
    r"\bis a stub\b|\bhelp wikipedia\b|\byou can help\b|\bexpanding it\b|\bmay (?:also )?refer to\b|\bcoordinates ?:|"
    r"\bthis (?:article|section) (?:needs|does not|has multiple issues|relies)|^retrieved\b|\bretrieved (?:on )?\d|"
    r"\barchived from\b|\bisbn\b|\bissn\b|\bdoi ?:|\bpmid\b|\ball rights reserved\b|©|\bcopyright \d{4}\b|"
    r"\b(?:accept|use|uses) cookies\b|\bcookies? (?:policy|consent|settings)\b|\bprivacy policy\b|"
    r"\bterms of (?:use|service)\b|\bsubscribe\b|\bsign (?:up|in)\b|\blog ?in\b|\bclick here\b|\benable javascript\b|"
    r"\bshare this (?:page|article)\b|\bread more\b|"
    r"\bdieser artikel\b.*\b(?:stub|lücke|überarbeit)|\bcet article est une ébauche\b|\bquesta voce\b.*\babbozzo\b|"
    r"\bdit artikel is een beginnetje\b|\beste artículo\b.*\besbozo\b|это заготовка статьи|小作品です|小作品。",
    re.IGNORECASE,
)
_ABOUT_THE_TEXT = re.compile(rf"(?:[^.:]{{1,40}}: ){{0,2}}[(\[\"“‘]*(?:{'|'.join(ABOUT_THE_TEXT)})", re.IGNORECASE)
# a manual writes <file> for what its reader puts in
_MARKUP = re.compile(
    r"\{\\|\\(?:frac|mathrm|mathbf|text|left|right|begin|end)\b|\{\{|\}\}|https?://|\|.*\||"
    r"</\w+\s*>|<\w+(?:\s+[\w:-]+=[^>]*|\s*/)>|<(?:a|abbr|b|big|blockquote|body|br|center|cite|dd|div|dl|dt|em|font|"
    r"gallery|h[1-6]|hr|html|i|iframe|img|li|math|nowiki|ol|p|pre|ref|s|script|small|span|strong|style|su[bp]|syntaxhighlight|"
    r"table|tbody|t[dhrt]|u|ul)>",
    re.IGNORECASE,
)


def clean(page: str) -> str:
    """The text that passages are cut from: one paragraph or heading per line, single spaces, no citation marks.

    Composed forms stay as they are (no NFKC: 10⁵ must not become 105).
    """
    text = unicodedata.normalize("NFC", page.replace("\r\n", "\n").replace("\r", "\n").replace("\u2028", "\n"))
    text = _INVISIBLE.sub("", _without_formulas(text.replace(_GAP, " ")))
    text = _CITATION.sub("", text)
    return "\n".join(_joined(line for raw in text.split("\n") if (line := _SPACES.sub(" ", raw).strip())))


def _joined(lines: Iterable[str]) -> Iterator[str]:
    """Hard-wrapped paragraphs on one line: a line that stops in mid-sentence goes on with the next."""
    held = ""
    for line in lines:
        if held and line[0].islower() and (held[-1].islower() or held[-1] == ",") and held[0] not in "#=":
            held += f" {line}"
            continue
        if held:
            yield held
        held = line
    if held:
        yield held


def _without_formulas(text: str) -> str:
    r"""MediaWiki's plain text of a formula is lines of single indented signs, then `{\displaystyle …}`."""
    kept, position = [], 0
    while found := _FORMULA.search(text, position):
        kept.append(text[position : _block_start(text, position, found.start())] + f" {_GAP} ")
        position = _after_braces(text, found.start())
        # the sentence goes on behind the formula, on a line of its own
        while text[position : position + 1].isspace() and not text.startswith("\n\n=", position):
            position += 1
    return "".join(kept) + text[position:]


def _block_start(text: str, floor: int, brace: int) -> int:
    """Start of the run of blank and indented lines that ends at the brace, not before `floor`."""
    start = brace
    while True:
        line_break = text.rfind("\n", floor, start)
        line = text[line_break + 1 : start]
        if line_break < 0 or (line.strip() and not line.startswith("  ")):
            return start
        start = line_break


def _after_braces(text: str, opening: int) -> int:
    depth = 0
    for position in range(opening, len(text)):
        depth += {"{": 1, "}": -1}.get(text[position], 0)
        if depth == 0:
            return position + 1
    return len(text)


def is_junk(sentence: str) -> bool:
    """Whether a sentence can carry no fact: unfinished, a fragment, boilerplate, markup, mostly figures, or about the
    text itself."""
    if _GAP in sentence or not _HAS_END.search(sentence):
        return True
    folded = sentence.lower()
    if any(sign in folded for sign in BOILERPLATE_SIGNS) and _BOILERPLATE.search(sentence):
        return True
    if _MARKUP.search(sentence) or _ABOUT_THE_TEXT.match(sentence):
        return True
    return _is_fragment(sentence) or not _is_prose(sentence)


def _is_fragment(sentence: str) -> bool:
    return sentence[0].islower() and not begins_with_name(sentence)


def _is_prose(sentence: str) -> bool:
    signs = sum(map(len, sentence.split()))
    letters = sum(map(str.isalpha, sentence))
    if letters < 0.6 * signs:  # vowel signs (Hindi, Burmese) are marks, not letters
        letters += sum(unicodedata.category(char).startswith("M") for char in sentence)
    return letters >= 0.6 * signs
