"""From an answer to its plain lines, and to what stands behind the label of an answer in one of them."""

import re
import unicodedata

import orjson


def one_of(words: str) -> str:
    """A pattern for any of the words, which are patterns themselves and stand with spaces between them."""
    return f"(?:{'|'.join(words.split())})"


MARKED = one_of("correct right true best final selected chosen my")
LISTED = one_of(r"option\(s\) options? choices? letters? statements? ones?")
ANSWER = one_of(
    r"answer\(s\) answers? selections? antwort(?:en)? lösung(?:en)? réponses? respuestas?"
    r" respostas? rispost[ae] antwoord(?:en)? svar(?:et)? odpowied(?:ź|zi) ответы? відповід[ьі] cevap(?:lar)?"
    r" vastaus válasz απάντηση jawaban (?:正确|正確|最终|最終|所以|因此|的|,)*答案 答え 回答 正解 정답 답"
    r" (?:ال)?إجابة उत्तर תשובה"
)
_LEAD = one_of(
    f"{MARKED} the so thus hence therefore then that la le les las el los il die der het de meine? richtigen?"
    " korrekten? juiste bonnes? ma mi"
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
_KEY = re.compile(rf"(?:{_LEAD}[ _])*(?:{ANSWER}|{MARKED}|{LISTED})", re.IGNORECASE)

_SIGNS = str.maketrans("“”„«»‘’´‐–—−。､、", '"""""\'\'\'----.,,')
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u2060\ufe00-\ufe0f\ufeff]")
_THOUGHT = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE)
_TOKEN = re.compile(r"<\|[^|<>\n]{1,40}\|>|</s>|<end_of_turn>")  # of chat templates, by which some servers end a reply
_TAGGED = re.compile(r"<(/?)answers?>", re.IGNORECASE)
_FENCE = re.compile(r"(?:```|~~~)[a-z]{2,12}[ \t]*+(?=\n)")
_MARKS = re.compile(r"[*_`~]+")
_BOXED = re.compile(r"\\f?boxed ?\{((?:[^{}]|\{[^{}]*+\})*+)\}")
_FONT = re.compile(r"\\(?:text|math)(?:bf|rm|it|tt|sf)? ?\{([^{}]*+)\}")
_ESCAPE = re.compile(r"\\(?=[()\[\]{}])")
_BULLET = re.compile(r"(?:(?:[-•>]|#+|\d{1,2}[.)]) )+")


def lines_of(text: str) -> list[str]:
    """The lines of an answer without hidden reasoning, plain and without bullets, blank ones kept.

    What is tagged or boxed as the answer, or the answer in a JSON object, stands behind a label.
    """
    spoken = _spoken(text)
    held = _held(spoken)
    labelled = f"Answer: {held}" if held is not None else _TAGGED.sub(_label_tag, spoken)
    lines = [part for line in plain(labelled.strip()).splitlines() for part in _unboxed(" ".join(line.split()))]
    return [line[bullet.end() :] if (bullet := _BULLET.match(line)) else line for line in lines]


def plain(text: str) -> str:
    """One form of letters, quotes and dashes; no marks of emphasis, no LaTeX commands for fonts."""
    seen = _UNSEEN.sub("", unicodedata.normalize("NFKC", text).translate(_SIGNS))
    unmarked = _MARKS.sub(_unmarked, _FENCE.sub("", _TOKEN.sub("\n", seen)))
    return _ESCAPE.sub("", _FONT.sub(lambda font: font[1], unmarked))


def behind_label(line: str) -> tuple[str, bool] | None:
    """What stands behind the last label of an answer, and whether that is a clause ("the answer is …"), no heading
    ("Answer: …"). None: the line has no label."""
    last = None
    for label in _LABEL.finditer(line):
        if not (label["clause"] and _DENIED.search(line, max(label.start() - 80, 0), label.start())):
            last = label
    return None if last is None else (line[last.end() :].strip(), bool(last["clause"]))


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
    return marks[0] if before.isalnum() and behind.isalnum() else ""


def _unboxed(line: str) -> tuple[str, ...]:
    boxes = list(_BOXED.finditer(line))
    if not boxes:
        return (line,)
    first, last = boxes[0], boxes[-1]
    inside = _BOXED.sub(lambda box: box[1], line[first.start() : last.end()])
    return line[: first.start()], f"Answer: {inside}"
