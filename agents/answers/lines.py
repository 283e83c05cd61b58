"""From an answer to its plain lines and to what stands behind a label in one of them; the forms of items and ends."""

import re
import unicodedata
from dataclasses import dataclass

import orjson


def one_of(words: str) -> str:
    """A pattern for any of the words, which are patterns themselves and stand with spaces between them."""
    return f"(?:{'|'.join(words.split())})"


MARKED = one_of("correct right true best final selected chosen my")
LISTED = one_of(r"option\(s\) options? choices? letters? statements? ones?")
ANSWER = one_of(
    r"answer\(s\) answers? ans solutions?(?=\s?:\s?[(\[]?[A-Z][)\]]?\s?(?:[,;&]|and\b|$))"
    r" selections? antwort(?:en)? lösung(?:en)? réponses? respuestas?"
    r" respostas? rispost[ae] antwoord(?:en)? svar(?:et)? odpowied(?:ź|zi) ответы? відповід[ьі] cevap(?:lar)?"
    r" vastaus válasz απάντηση jawaban (?:正确|正確|最终|最終|所以|因此|的|,){0,6}答案 答え 回答 正解 정답 답"
    r" (?:ال)?(?:إجابة|جواب) उत्तर תשובה"
)
_LEAD = one_of(
    f"{MARKED} revised corrected updated new actual the so thus hence therefore then that la le les las el los il die"
    " der het de meine? richtigen? korrekten? juiste bonnes? ma mi"
)
_BEHIND = one_of("correcte?s? correct[ao]s? corret[ao]s? corrett[aeo] letters? key")
_IS = one_of("is are sind ist lautet lauten est sont son es são é sono è zijn är")
_START = "|".join(
    [r"^", r"(?<=[.!?:;,(>{-])", r"(?<=[.!?:;,(>{-]\s)"]
    + [rf"(?<=\b{word}\s)" for word in ("so", "thus", "hence", "therefore", "then", "that", "and", "think", "believe")]
)
_LABEL = re.compile(
    rf"(?:{_START})[\"']?(?:{_LEAD}\s){{0,4}}(?:{ANSWER}|{MARKED}(?:\s{LISTED}|(?=[\"']?\s?:)))"
    rf"(?:\s{_BEHIND})?[\"']?\s?(?:(?P<clause>{_IS}(?!\w)(?!\s?:)|[是为])|(?:{_IS}\s?)?:|=>?|-+>?(?=\s)|$)",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"(?:\b(?:not|never|cannot|doubts?|denies|seems?|could|might|may|argues?|claims?|says?|supposes?|assumes?|if)"
    r"|n't)\b[^.!?;:]*$",
    re.IGNORECASE,
)
_CONCLUDES = re.compile(r"\b(?:so|thus|therefore|hence|final)\b|所以|因此|最终|最終", re.IGNORECASE)
_KEY = re.compile(rf"(?:{_LEAD}[ _])*(?:{ANSWER}|{MARKED}|{LISTED})", re.IGNORECASE)

_SIGNS = str.maketrans("“”„«»‘’´‐–—−。､、", '"""""\'\'\'----.,,')
_COMMAS = str.maketrans(dict.fromkeys("،՝፣߸᠂᠈⸲⹁꓾꘍‚·", ",") | dict.fromkeys("؛፤", ";") | dict.fromkeys("۔।", "."))
_UNSEEN = re.compile("[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufe00-\ufe0f\ufeff]")
_STRUCK = re.compile(
    r"~~(?=\S)[^~\n]++~~|<(s|del|strike)>[^<]*+</\1>|\\(?:sout|st|x?cancel|bcancel)\s?\{[^{}\n]*+\}"
    r"|(?:[^\W_][\u0335-\u0338]|[ ,;.:&()-][\u0335\u0336])+",
    re.IGNORECASE,
)
_JOINED = re.compile(r"(?:\s?[,;،、，/&]\s?(?:and\s|or\s)?|\s(?:and|or)\s)$")
_JOINS = re.compile(r"\s?[,;،、，/&]\s?|\s(?:and|or)\s")
_THOUGHT = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE)
_TOKEN = re.compile(r"<\|[^|<>\n]{1,40}\|>|</s>|<end_of_turn>")  # of chat templates, by which some servers end a reply
_TAGGED = re.compile(r"<(/?)answers?>", re.IGNORECASE)
_TICKS = " ✅✓✔☑"
CROSSES = "✗✘❌✖☐☒□◻⬜"
_UNTICKED = re.compile(r"(?:(?:[-•>]|#+|\d{1,2}[.)]) )*+[\"'(\[]*+[A-Za-z](?![\w'])")
_ORNAMENTS = " 🌱🌿🍃🌞🌍🌟✨🎉👍👉💡🔬🧪🧬🧠📚📝🎯😊🙂"
_FENCE = re.compile(r"(?:```|~~~)[a-z]{2,12}[ \t]*+(?=\n)")
_MARKS = re.compile(r"[*_`~]+")
_BOXED = re.compile(r"\\f?boxed ?\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*+\})*+\})*+)\}")
_FONT = re.compile(r"\\(?:text|math)(?:bf|rm|it|tt|sf)? ?\{([^{}]*+)\}")
_ESCAPE = re.compile(r"\\(?=[()\[\]{}])")
_BULLET = re.compile(r"(?:(?:[-•>]|#+|\d{1,2}[.)])(?: |$))+")

# an item, and what may stand before it and between two
_OPEN = r"[\s\"'(\[{<$]*+"
_CLOSE = r"[\s\"')\]}>$]*+"
EDGES = (" \"'([{<$", " \"')]}>$.")
_AND = r"(?:(?:and|as well as|plus|und|sowie|et|og|och|en|oraz|ve|и|та|và|dan)(?!\w)|[&和及与與跟とو])"
AND_LETTER = re.compile(r"(?<=[A-Z)\]\"]) [yei] (?=[(\[\"]?[A-Z]\b)")  # Spanish, Portuguese and Italian, Polish
LEFT = re.compile(_OPEN)
_TITLE = rf"(?:{LISTED}|answers?)"
OPENING = re.compile(
    rf"{_OPEN}(?:(?:only|both|from|i (?:would |will )?(?:choose|select|pick)) )*+"
    rf"(?:(?:the )?(?:{MARKED} )?(?={_TITLE}))?(?:{_TITLE}: ?)?{_OPEN}"
)
LETTER = re.compile(rf"(?:{_TITLE} {_OPEN})?([a-z])(?!'?(?![和及与與跟とو])\w)")
OWN = re.compile(rf"{_CLOSE}[.:]?{_CLOSE}(?:- )?{_OPEN}")
COMMA = re.compile(rf"{_CLOSE}\.?{_CLOSE}(?:[,;/&|+]\s*+(?:{_AND}\s*+)?|{_AND}\s*+){_OPEN}")
GAP = re.compile(_CLOSE + _OPEN)
THROUGH = re.compile(
    rf"{_CLOSE}\s?(?:-+|~|(?:to|through|thru|up to|until|bis|à|até|hasta|до)(?!\w)|[至到])\s?"
    rf"(?:{_TITLE} )?{_OPEN}([a-z])(?!'?\w)"
)
EITHER = re.compile(rf"{_CLOSE}\s?,?\s?(?:or|nor)\s{_OPEN}")
RUN = re.compile(rf"{_OPEN}([A-Z]{{2,26}}){_CLOSE}\.?{_CLOSE}")
LONE = re.compile(r"(?<!\w)[A-Za-z](?!\w)")

# what may stand behind the last item
_RIGHT = r"(?:correct|right|true)"
_HOLDS = rf"(?:(?:is|are)(?: (?:all|both|the|only))*+ {_RIGHT}(?: (?:{ANSWER}|{LISTED}))?)"
END = re.compile(rf"{_CLOSE}[.!]?{_CLOSE}")
CLAIM = re.compile(rf"{_CLOSE}(?:only|{_HOLDS}){_CLOSE}[.!]?{_CLOSE}")
TITLED = re.compile(rf"{_OPEN}(?:(?:the|only|both) )?(?:{MARKED} )?{_TITLE} ")
BUT_NOT = re.compile(
    rf"{_CLOSE}{_HOLDS}?{_CLOSE}[,;-]?\s?\(?(?:(?:but|and) )?(?:not|neither|except(?: for)?|excluding|rather than"
    rf"|instead of|without)\s{_OPEN}"
)
REASON = re.compile(rf"{_CLOSE}{_HOLDS}?{_CLOSE}[.,;:-]?\s?\(?(?:because|since|explanation|reason)\b")
SENTENCE = re.compile(
    rf"{_CLOSE}{_HOLDS}?{_CLOSE}\.\s(?![a-z] (?:is|may be|might be) (?:also|too|{_RIGHT})\b)(?=.*\w\w)"
)
REMARK = re.compile(rf"{_CLOSE}{_HOLDS}?{_CLOSE}\.\s(?:these|this|it|they|option|the (?:others?|rest|remaining))\b")

BOTH = re.compile(
    rf"{_CLOSE}[,;:-]\s?(?:both|they|these|all (?:of )?(?:these|them)|which are"
    r"|(?:as|for) (?:both|these|they|it|the))\b"
)
TRAILING = re.compile(rf"{_CLOSE},\s*+")
ASIDE = re.compile(r"\s?\(([^()]*+)\)[\s.]*+")
DENIAL = re.compile(
    r"not (.+)|(.+) (?:is|are) (?:(?:all|both) )?(?:wrong|incorrect|false|not (?:correct|right|true))[.!]?"
)
_DOUBTS = (
    "no|not|never|wrong|incorrect|false|untrue|or|but|except|unless|if|only|maybe|perhaps|possibly|probably|partly|"
    "partially|neither|either|though|although|however|unsure|doubtful"
)
DOUBT = re.compile(rf"\b(?:{_DOUBTS})\b|n't|[?✗✘❌]")
VERDICT = re.compile(
    rf"\b(?:{_DOUBTS}|and|plus|correct|right|true|yes|cannot|may|might|could|invalid|valid)\b|n't|[?✗✘❌]"
)

# what is no item
_OF = rf"(?: (?:of )?(?:the )?(?:them|these|above|given|{LISTED}|answers?))"
_HOLD = rf"(?: (?:{_HOLDS}|appl(?:y|ies)|holds?))?"
ALL = re.compile(
    rf"{OPENING.pattern}(?:(?:all{_OF}{{0,3}}|every {LISTED}|everything){_HOLD}|alle|todas|toutes|全部|すべて|全て)"
    rf"{END.pattern}"
)
ALL_BUT = re.compile(
    rf"{OPENING.pattern}(?:all{_OF}{{0,3}}|every (?:{LISTED}|one(?: of (?:these|them))?)|everything|alle|todas|toutes"
    rf"|tutte|все){_HOLD},? \(?(?:but(?: (?:not|for))?|except(?:ing|ed)?(?: for)?|save(?: for)?|other than|apart from"
    r"|aside from|excluding|without|minus|not|ausser|sauf|excepto|exceto|salvo|menos|tranne|кроме)(?!\w)"
    rf" ?(?:options? )?{_OPEN}"
)
NO = re.compile(
    rf"{OPENING.pattern}(?:(?:none{_OF}{{0,3}}|(?:there (?:is|are) )?no (?:{LISTED}|{_RIGHT} (?:{LISTED}|answers?))"
    rf"|nothing){_HOLD}|keine|aucune|ninguna|nenhuma|nessuna|无|沒有|没有|なし|∅){END.pattern}|\[ ?\]|\{{ ?\}}"
)
WAVERS = re.compile(
    r"[\s\"'(\[]*+(?:(?i:not|neither|either|all|any|none|only|maybe|perhaps|probably|possibly|likely|unknown|unclear)\b"
    r"|[A-Za-z][\s\"')\]]*+[,;]?\s*+(?i:or|but|not|except)\b|[A-Z]\W*$)"
)

LISTED_ITEM = re.compile(r"[\"'(\[]*+(?:(?i:option) )?(?:([B-HJ-Z])(?!['\w])|([A-Za-z])(?=[\"')\]]|\s?[.:;,(-]|$))")
EXPLAINS = re.compile(r"(?:explanations?|reason(?:s|ing)?|why|because|note)\b", re.IGNORECASE)


def lines_of(text: str) -> list[str]:
    """The lines of an answer without hidden reasoning, plain and without bullets, blank ones kept.

    What is tagged or boxed as the answer, or the answer in a JSON object, stands behind a label.
    """
    spoken = _unstruck(_spoken(text))
    held = _held(spoken)
    labelled = f"Answer: {held}" if held is not None else _TAGGED.sub(_label_tag, spoken)
    lines = [part for line in plain(labelled.strip()).splitlines() for part in _unboxed(" ".join(line.split()))]
    lines = _unticked([line.strip(_ORNAMENTS) for line in lines])
    return [line[bullet.end() :] if (bullet := _BULLET.match(line)) else line for line in lines]


def _unticked(lines: list[str]) -> list[str]:
    """Lines without ticks where these distinguish nothing: at a label, or at every item of a list."""
    bare = [line.strip(_TICKS) for line in lines]
    ticked = [index for index, line in enumerate(lines) if line != bare[index]]
    if not ticked:
        return lines
    unmarked = (line for line, stripped in zip(lines, bare, strict=True) if line == stripped)
    some = any(sign in line for line in lines for sign in CROSSES) or any(map(_UNTICKED.match, unmarked))
    for index in ticked:
        behind = behind_label(bare[index])
        if not some or (behind is not None and behind.said):
            lines[index] = bare[index]
    return lines


def plain(text: str) -> str:
    """One form of letters, quotes and dashes; no marks of emphasis, no LaTeX commands for fonts."""
    seen = _UNSEEN.sub("", unicodedata.normalize("NFKC", text).translate(_SIGNS))
    unmarked = _MARKS.sub(_unmarked, _FENCE.sub("", _TOKEN.sub("\n", seen)))
    return _ESCAPE.sub("", _FONT.sub(lambda font: font[1], unmarked))


@dataclass(frozen=True, slots=True)
class Behind:
    """What stands behind a label."""

    said: str
    clause: bool
    """The label is "the answer is …", no heading ("Answer: …")."""
    concludes: bool
    """The clause opens its line, or follows a word such as "so"."""


def behind_label(line: str) -> Behind | None:
    """What stands behind the last label of an answer. None: the line has no label."""
    last = None
    for label in _LABEL.finditer(line):
        if not (label["clause"] and _DENIED.search(line, max(label.start() - 80, 0), label.start())):
            last = label
    if last is None:
        return None
    before = line[max(last.start() - 12, 0) : last.end()]
    concludes = not last.start() or _CONCLUDES.search(before) is not None
    return Behind(line[last.end() :].strip(), bool(last["clause"]), concludes)


def _spoken(text: str) -> str:
    """The text without hidden reasoning, whose opening tag may be missing."""
    kept, at, hidden = list[str](), 0, False
    for tag in _THOUGHT.finditer(text):
        closes = bool(tag[1])
        if closes and not hidden:
            kept.clear()
        elif not hidden:
            kept.append(text[at : tag.start()])
        at, hidden = tag.end(), not closes
    return "".join(kept) + ("" if hidden else text[at:])


def _unstruck(text: str) -> str:
    """The text without what is struck out, and without the comma between that and what is left."""
    kept, at = list[str](), 0
    for struck in _STRUCK.finditer(text):
        if struck.span() == (0, len(text)) and (struck[1] or "").casefold() == "s":
            break  # the tokens by which some servers begin and end a reply
        before = text[at : struck.start()]
        joined = _JOINED.search(before[-8:])
        at = struck.end()
        if joined:
            before = before[: len(before) - len(joined[0])]
        elif joins := _JOINS.match(text, at):
            at = joins.end()
        kept.append(before)
    return "".join((*kept, text[at:]))


def one_comma(text: str) -> str:
    """The text with the commas and full stops of all scripts as these."""
    return text.translate(_COMMAS)


def _held(text: str) -> str | None:
    """The answer in JSON: a list of strings, or the one answer in an object, which may have words before it.

    None: there is no such JSON.
    """
    bare = _FENCE.sub("", text).strip("`~. \r\n\t")
    start = 0 if bare.startswith("[") else bare.find("{")
    if start < 0 or bare[-1:] not in ("]", "}"):
        return None
    try:
        value = orjson.loads(bare[start:])
    except orjson.JSONDecodeError:
        return None
    held = [value[key] for key in value if _KEY.fullmatch(key)] if isinstance(value, dict) else [value]
    if len(held) == 1 and isinstance(held[0], list) and all(isinstance(part, str) for part in held[0]):
        return orjson.dumps(held[0]).decode()
    return held[0] if len(held) == 1 and isinstance(held[0], str) else None


def _label_tag(tag: re.Match[str]) -> str:
    return "\n" if tag[1] else "\nAnswer: "


def _unmarked(marks: re.Match[str]) -> str:
    """Nothing for marks at the edge of a word; those within one belong to it."""
    start, end = marks.span()
    before, behind = marks.string[max(start - 1, 0) : start], marks.string[end : end + 1]
    lowers = marks[0] == "_" and behind == "{" and before.strip()  # x_{1}
    return marks[0] if lowers or (before.isalnum() and behind.isalnum()) else ""


def _unboxed(line: str) -> tuple[str, ...]:
    boxes = list(_BOXED.finditer(line))
    if not boxes:
        return (line,)
    first, last = boxes[0], boxes[-1]
    inside = _BOXED.sub(lambda box: box[1], line[first.start() : last.end()])
    return line[: first.start()], f"Answer: {inside}"
