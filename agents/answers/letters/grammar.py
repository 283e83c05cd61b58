"""What one line of an answer chooses: the words of a selection, and in which order they are one.

A line is read from its beginning, one piece after the other: options by letter or text, what joins,
excludes or denies them, and words that say nothing. What comes to another piece than these has to
explain the selection, or the line is none: whatever the grammar does not know is not guessed.
"""

import re
from typing import NamedTuple

from ..lines import ANSWER, LISTED, MARKED
from .options import UNREADABLE, Options, Place, Selection, core, folded, stands

_TITLE = rf"(?:{LISTED}|answers?)"
_RIGHT = r"(?:correct|right|true)"
_OF = rf"(?:(?: of)?(?: the| them| these| above| given|(?<=all) \d\d?| {LISTED}| answers?){{0,4}})"
_HOLD = rf"(?: (?:is|are)(?: all)? {_RIGHT}| appl(?:y|ies)| holds?)?"
_ALL = rf"(?:all{_OF}|every (?:{LISTED}|one{_OF})|everything|alle|todas|toutes|tutte|все|全部|すべて|全て)(?!\w){_HOLD}"
_EXCEPT = (
    r"(?:but(?: (?:not|for))?|except(?:ing|ed)?(?: for)?|save(?: for)?|other than|apart from|aside "
    r"from|excluding"
    r"|without|minus|not|außer|ausser|sauf|excepto|exceto|salvo|menos|tranne|кроме)(?!\w)"
)
_PIECES = re.compile(
    "|".join(
        f"(?P<{kind}>{pattern})"
        for kind, pattern in {
            "but": rf"{_ALL},? \(?{_EXCEPT}",
            "all": _ALL,
            "none": rf"(?:none{_OF}|(?:there (?:is|are) )?no (?:{LISTED}|{_RIGHT} (?:{LISTED}|answers?))|nothing"
            rf"|keine|aucune|ninguna|nenhuma|nessuna|无|沒有|没有|なし|∅)(?!\w){_HOLD}",
            "without": r",? ?(?:but )?(?:except(?: for)?|excluding)(?!\w)",
            "not": (
                r"[,;-]? ?(?:(?:but|and) )?(?:not|neither|rather than|instead of|without)(?! "
                r"only| always)(?!\w)"
            ),
            "or": r",? ?(?:or|nor)(?!\w)",
            "and": r"(?:,\s*)?(?:(?:and|as well as|plus|und|sowie|et|og|och|en|oraz|ve|и|та|và|dan)(?!\w)"
            r"|[&和及与與跟とو])|[,;/|+]",
            "to": r"-+|~|(?:to|through|thru|up to|until|bis|à|até|hasta|до)(?!\w)|[至到]",
            "word": rf"(?:the|only|just|both|from|these|i (?:would |will )?(?:choose|select|pick)|{MARKED}|{_TITLE}"
            rf"|(?:is|are)(?: (?:all|both|the|only))* {_RIGHT}(?: (?:{ANSWER}|{LISTED}))?)(?!\w)",
            "letter": r"[a-z](?!'?(?![和及与與跟とو])\w)",
        }.items()
    )
)
_CODES = {
    "but": "x", "all": "*", "none": "0", "without": "e", "not": "!", "or": "|", "and": ",", "to": "-", "word": "",
    "letter": "i",
}  # fmt: skip
_ONE = r"i(?:-i)?"
_SELECTION = re.compile(
    rf"(?P<all>\*)|(?P<none>0)|(?P<but>x)?(?P<chosen>{_ONE}(?:,+{_ONE})*|i(?:si)+)"
    rf"(?:!(?P<denied>i(?:\|i)*)|e(?P<left>i(?:[,|]i)*))?"
)
_LAST = re.compile(rf"[\s\"'(\[{{<$]*(?:{_TITLE} )?[a-z](?!'?\w)")
_SKIP = re.compile(r"[\s\"'(\[{<$)\]}>]+|\.(?=[\"')\]]*\s*[,;])")
_APART = re.compile(r"\s+|[\"')\]}>$]\s*[\"'(\[{<$]")
_OWN = re.compile(r"[\s\"')\]}>$]*[.:]?[\s\"')\]}>$]*(?:- ?)?[\s\"'(\[{<$]*")
_AND_LETTER = re.compile(
    r"(?<=[A-Z)\]\"]) [yei] (?=[(\[\"]?[A-Z]\b)"
)  # Spanish, Portuguese and Italian, Polish
_RUN = re.compile(r"[\s\"'(\[{<$]*([A-Z]{2,26})[\s\"')\]}>$]*\.?")
LONE = re.compile(r"(?<!\w)[A-Za-z](?!\w)")

# what may follow a selection
_END = re.compile(r"[\s\"')\]}>$✅✓✔☑]*[.!]?[\s\"')\]}>$✅✓✔☑]*")
_ASIDE_LAST = re.compile(r"^[^(]*,\s*\([A-Z]\)\W*$")
_MORE = re.compile(r"[,;&]\s*[\"'(\[]*[A-Z](?!\w)\s*(?:[(),;.]|$)")
_EMPTY = re.compile(r"\[ ?\]|\{ ?\}")
_REASON = re.compile(r"[\"')\]}>$]*\s?[.,;:-]?\s?\(?(?:because|since|explanation|reason)\b")
_REMARK = re.compile(
    r"[\"')\]}>$]*\.\s(?:these|this|it|they|option|because|since|the (?:others?|rest|remaining))\b"
)
_SENTENCE = re.compile(
    r"[\"')\]}>$]*\.\s(?=.*\w\w)(?![a-z] (?:is|may be|might be) (?:also|too|correct|right|true)\b)"
)
_BOTH = re.compile(
    r"[\"')\]}>$]*\s?[,;:-]?\s?(?:both|they|these|which are|(?:as|for) "
    r"(?:both|these|they|it|the))\b"
)
_ASIDE = re.compile(r"[\s\"']*\(([^()]*)\)[\s.]*")
_DOUBTS = (
    "no|not|never|wrong|incorrect|false|untrue|or|but|except|unless|if|only|maybe|perhaps|possibly|probably|partly|"
    "partially|neither|either|though|although|however|unsure|doubtful"
)
_DOUBT = re.compile(rf"\b(?:{_DOUBTS})\b|n't|[?✗✘❌]")
_DENIAL = re.compile(
    r"not (?P<not>.+)|(?P<wrong>.+) (?:is|are) (?:(?:all|both) )?(?:wrong|incorrect|false|not "
    r"(?:correct|right|true))"
    r"[.!]?"
)
_TITLED = re.compile(rf"[\s\"'(\[]*(?:(?:the|only|both) )?(?:{MARKED} )?{_TITLE} ")
_LISTED_ITEM = re.compile(
    r"[\"'(\[]*(?:(?i:option) )?(?:([B-HJ-Z])(?!['\w])|([A-Za-z])(?=[\"')\]]|\s?[.:;,(-]|$))"
)


class _Read(NamedTuple):
    """The pieces of a line: their codes, the options among them, and where what is no piece
    begins."""

    codes: str
    places: list[int]
    end: int
    mixed: bool = False
    """Some are named by letters alone, others by their texts."""


def chosen_by(line: str, options: Options, place: Place) -> Selection | None:
    """What one line chooses; None when it is no selection. Letters count before the texts of
    options."""
    if _EMPTY.search(line):
        return Selection("none") if _EMPTY.fullmatch(line) else None
    if (chosen := letters_of(line, options, place)) is not None:
        return Selection("letters", chosen)
    read = [
        found
        for found in (_read(line, options, place, texts=True), _run(line, options, place))
        if found
    ]
    return read[0] if len(set(read)) == 1 else UNREADABLE if read else None


def letters_of(line: str, options: Options, place: Place) -> frozenset[int] | None:
    """The options that a line chooses by their letters."""
    selection = _read(line, options, place, texts=False)
    if not selection or selection.reading != "letters":
        return None
    return selection.places if LONE.search(line) else None


def denied_by(said: str, options: Options) -> frozenset[int] | None:
    """The options that "not B" or "B and D are wrong" denies; None for other words."""
    denial = _DENIAL.fullmatch(said)
    return (
        letters_of((denial["not"] or denial["wrong"]).upper(), options, "bare") if denial else None
    )


def begins(line: str, options: Options) -> int | None:
    """The option whose letter a line begins with, as the items of a list do; None for other
    lines."""
    item = _LISTED_ITEM.match(line)
    place = ord((item[1] or item[2]).casefold()) - 97 if item else options.count
    return place if place < options.count else None


def _run(line: str, options: Options, place: Place) -> Selection | None:
    """The letters of a label's `AC`; in a sentence only in the order of the alphabet, as other
    capitals are words."""
    run = _RUN.fullmatch(line)
    if run is None or place == "bare":
        return None
    places = [ord(letter) - 65 for letter in run[1]]
    in_order = place != "clause" or places == sorted(places)
    known = in_order and len(set(places)) == len(places) and max(places) < options.count
    return Selection("letters", frozenset(places)) if known else None


def _read(line: str, options: Options, place: Place, *, texts: bool) -> Selection | None:
    line = _AND_LETTER.sub(", ", line)
    said = folded(line)
    capitals = {letter.isupper() for letter in LONE.findall(line)}
    # of letters with nothing but spaces between them only those that no sentence holds
    spaced = not texts and (capitals == {True} or (place != "bare" and len(capitals) == 1))
    read = _pieces(said, options, texts)
    trails = said[: read.end].endswith(",") and (
        len(read.places) > 1 or _REASON.match(said, read.end)
    )
    codes = read.codes.removesuffix(",") if trails else read.codes
    found = _SELECTION.fullmatch(codes)
    if not texts and core(said) in options.own and set("-x") & set(codes):
        return None  # neither a range nor "all but …": it is that option's text
    if read.mixed or _ASIDE_LAST.search(line):
        return UNREADABLE
    if found is None or (found["chosen"] and "s" in found["chosen"] and not spaced):
        return None
    if found["all"] or found["none"]:
        every = (
            Selection("letters", frozenset(range(options.count)))
            if found["all"]
            else Selection("none")
        )
        return every if _END.fullmatch(said, read.end) and texts else None
    if max(read.places) >= options.count:
        return None
    split = found["chosen"].count("i")
    chosen, taken = _span(read.places[:split], found["chosen"]), frozenset(read.places[split:])
    ranged = "-" in found["chosen"]
    if chosen is None or (taken and (found["but"] or (taken & chosen and not ranged))):
        return None
    chosen = frozenset(range(options.count)) - chosen if found["but"] else chosen - taken
    explained = chosen and _explains(line, read.end, chosen, options, place, ranged=ranged)
    return Selection("letters", chosen) if explained else None


def _span(places: list[int], codes: str) -> frozenset[int] | None:
    """The options of a list with its ranges; None for a range that runs backwards."""
    chosen, rest = set[int](), list(places)
    for item in re.findall(_ONE, codes):
        first = rest.pop(0)
        last = rest.pop(0) if "-" in item else first
        if last < first or ("-" in item and last == first):
            return None
        chosen |= set(range(first, last + 1))
    return frozenset(chosen)


def _pieces(said: str, options: Options, texts: bool) -> _Read:
    """The pieces of a line up to the first sign that is none."""
    codes, places, at, end, last, named = "", list[int](), 0, 0, 0, set[str]()
    whole = core(said)
    while (at := _skip(said, at)) < len(said):
        piece = _PIECES.match(said, at)
        own = option = None
        if piece and piece.lastgroup == "letter":
            own = option = _lettered(said, ord(piece[0]) - 97, piece.end(), options, texts)
        if texts and (option is None or option[1] == at + 1):
            option = options.text_at(said, at) or option
        if option and texts and not codes and whole == options.own[option[0] % options.count]:
            return _Read("i", [option[0]], len(said))
        if option is not None:
            if codes[-1:] == "i" and not _APART.fullmatch(said, last, at):
                return _Read(codes, places, last)
            codes += "s" * (codes[-1:] == "i") + "i"
            places.append(option[0])
            in_full = "text" if own is None else "both"
            named.add("letter" if option[1] == at + 1 else in_full)
            at = last = option[1]
        elif piece is not None:
            code = _CODES[piece.lastgroup or ""]
            if code == "-" and not _LAST.match(said, piece.end()):
                break
            codes += "e" if code == "!" and said[:at].endswith("(") else code
            at = piece.end() + (not codes and said.startswith(":", piece.end()))
        else:
            break
        end = at
    return _Read(codes, places, end, texts and {"letter", "text"} <= named)


def _skip(said: str, at: int) -> int:
    skipped = _SKIP.match(said, at)
    return skipped.end() if skipped else at


def _lettered(said: str, place: int, end: int, options: Options, texts: bool) -> tuple[int, int]:
    """The option that a letter says, and where it ends: behind its own text, where that follows."""
    gap = _OWN.match(said, end)
    text = options.own[place] if place < options.count else ""
    if not gap or not text or options.own.count(text) > 1:
        return place, end
    if not stands(said, text, gap.end()):
        return place, end
    if texts:
        return place, gap.end() + len(text)
    return options.count, end


def _explains(
    line: str, at: int, chosen: frozenset[int], options: Options, place: Place, *, ranged: bool
) -> bool:
    """Whether what follows a selection says nothing else about it. `ranged`: a range is in it, of
    which the dash may as well have stood before a sentence (A – C. elegans)."""
    said, several = folded(line), len(chosen) > 1
    if _END.fullmatch(said, at):
        worded = said[:at].rstrip(" \"')]}>$").endswith(("correct", "right", "true", "only"))
        return several or place != "bare" or not worded or _TITLED.match(said) is not None
    gap = _OWN.match(said, at)
    text = options.text_at(said, gap.end()) if gap else None
    if place == "bare" or (text and text[0] not in chosen):
        return False
    if _REMARK.match(said, at) or (several and not ranged and _SENTENCE.match(said, at)):
        return True
    if place == "clause":
        return False
    if _REASON.match(said, at):
        return not _MORE.search(line, at)
    return several and _confirms(said, at, chosen, options)


def _confirms(said: str, at: int, chosen: frozenset[int], options: Options) -> bool:
    """Whether what follows options holds for all of them: a reason, or in brackets their texts or
    the others."""
    if _BOTH.match(said, at):
        return not _DOUBT.search(said, at)
    aside = _ASIDE.fullmatch(said, at)
    if aside is None:
        return False
    denied = denied_by(aside[1], options)
    inside = _read(aside[1], options, "bare", texts=True)
    return not denied & chosen if denied else inside is not None and inside.places == chosen
