"""From an answer to its plain lines, and to what stands behind a label in one of them."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import eq
from typing import TypeVar

import orjson

from ...tools.models.reading import spoken

Read = TypeVar("Read")


def one_of(words: str) -> str:
    """A pattern for any of the words, which are patterns themselves and stand with spaces between
    them."""
    return f"(?:{'|'.join(words.split())})"


MARKED = one_of("correct right true best final selected chosen my")
LISTED = one_of(r"option\(s\) options? choices? letters? statements? ones?")
ANSWER = one_of(
    r"answer\(s\) answers? ans solutions?(?=\s?:\s?[(\[]?[A-Z][)\]]?\s?(?:[,;&]|and\b|$))"
    r" selections? antwort(?:en)? lösung(?:en)? réponses? respuestas?"
    r" respostas? rispost[ae] antwoord(?:en)? svar(?:et)? odpowied(?:ź|zi) ответы? відповід[ьі] "
    r"cevap(?:lar)?"
    r" vastaus válasz απάντηση jawaban (?:正确|正確|最终|最終|所以|因此|的|,){0,6}答案 答え 回答 正解 정답 답"
    r" (?:ال)?(?:إجابة|جواب) उत्तर תשובה"
)
_LEAD = one_of(
    f"{MARKED} revised corrected updated new actual the so thus hence therefore then that la le "
    "les las el los il die"
    " der het de meine? richtigen? korrekten? juiste bonnes? ma mi"
)
_BEHIND = one_of("correcte?s? correct[ao]s? corret[ao]s? corrett[aeo] letters? key")
_IS = one_of("is are sind ist lautet lauten est sont son es são é sono è zijn är")
_START = "|".join(
    [r"^", r"(?<=[.!?:;,(>{-])", r"(?<=[.!?:;,(>{✅✓✔☑-]\s)"]
    + [
        rf"(?<=\b{word}\s)"
        for word in ("so", "thus", "hence", "therefore", "then", "that", "and", "think", "believe")
    ]
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
_KEY = re.compile(rf"(?:{_LEAD}[ _])*(?:{ANSWER}|{MARKED}|{LISTED}|result)", re.IGNORECASE)

_SIGNS = str.maketrans("“”„«»‘’´‐–—−。､、", '"""""\'\'\'----.,,')
_COMMAS = str.maketrans(
    dict.fromkeys("،՝፣߸᠂᠈⸲⹁꓾꘍‚·", ",") | dict.fromkeys("؛፤", ";") | dict.fromkeys("۔।", ".")
)
_UNSEEN = re.compile(
    "[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060\u2066-\u2069\ufe00-\ufe0f\ufeff]"
)
_STRUCK = re.compile(
    r"(?P<before>,\s*(?:(?:and|or)\s)?|\s(?:and|or)\s)?(?:~~(?=\S)[^~\n]++~~|<(?P<tag>s|del|strike)>[^<]*+</(?P=tag)>"
    r"|\\(?:sout|st|x?cancel|bcancel)\s?\{[^{}\n]*+\}|(?:[^\W_][\u0335-\u0338]|[ "
    r",;.:&()-][\u0335\u0336])+)"
    r"(?(before)|(?:\s?(?:,|(?:and|or)\b))?)",
    re.IGNORECASE,
)
_STRIKES = re.compile(
    "~~|<(?:s|del|strike)>|\\\\(?:sout|st|x?cancel|bcancel)|[\u0335-\u0338]", re.IGNORECASE
)
_HTML = re.compile(r"</?(?:b|i|u|em|strong|p|br|span|div)(?:\s[^<>]{0,80})?/?>")
_TOKEN = re.compile(r"<[|｜][^|｜<>\n]{1,40}[|｜]>|</s>|<end_of_turn>")
"""Of chat templates, by which some servers end a reply."""
_TAGGED = re.compile(r"<(/?)answers?>", re.IGNORECASE)
_ORNAMENTS = " 🌱🌿🍃🌞🌍🌟✨🎉👍👉💡🔬🧪🧬🧠📚📝🎯😊🙂"
_FENCE = re.compile(r"(?:```|~~~)[a-z]{2,12}[ \t]*+(?=\n)")
_MARKS = re.compile(r"[*_`~]+")
_BOXED = re.compile(r"\\f?boxed ?\{((?:[^{}]|\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*+\})*+\})*+\})*+)\}")
_UNIT = re.compile(
    r"[\s$]*(?:\\(?:text|mathrm|,|;| )\s*\{?)*\s*[A-Za-z°%/^0-9{}-]+(?: "
    r"[A-Za-z/^0-9{}-]+){0,2}[\s.})$*\]\\]*"
)
"""What may belong to the box before it."""
_HASHES = re.compile(
    (
        r"^\s*#### "
        r"*(?!(?:step|part|question|problem|case|method|section|example)\b)(?=[^:\n]{0,40}[0-9][^:\n]{0,40}$)"
    ),
    re.MULTILINE | re.IGNORECASE,
)
"""GSM8K's mark of the final answer."""
_FONT = re.compile(r"\\(?:text|math)(?:bf|rm|it|tt|sf)? ?\{([^{}]*+)\}")
_ESCAPE = re.compile(r"\\(?=[()\[\]{}])")
_BULLET = re.compile(r"(?:(?:[-•>]|#+|\d{1,2}[.)])(?: |$))+")

_NEXT_QUESTION = re.compile(
    r"(?:next |another )?(?:question|problem|exercise)\b(?! (?:asks|wants))", re.IGNORECASE
)
_CORRECTS = re.compile(
    r"\b(?:wrong|incorrect|mistake|error|slip|wait|actually|corrected|correction|revised|final|false|no|hasty|instead"
    r"|holds?|does|do|hold on|apologi[sz]e|oops|edit|draft|preliminary|verif\w+|check(?:ing)?)\b",
    re.IGNORECASE,
)
"""Words between two labelled lines by which the second replaces the first."""

_BELOW = 100
"""Lines below a label that count."""


def lines_of(text: str, signs: Callable[[str], str] = str) -> list[str]:
    """The lines of an answer without hidden reasoning, plain and without bullets, blank ones kept.

    What is tagged or boxed as the answer, stands behind ####, or is the answer in a JSON object,
    stands behind a label. `signs` makes mathematics plain, before marks of emphasis go.
    """
    answer = spoken(_UNSEEN.sub("", text)).answer.removeprefix("<s>")
    if _STRIKES.search(answer):
        answer = _STRUCK.sub("", answer)
    answer = _TOKEN.sub("\n", answer)
    held = _held(answer)
    labelled = f"Answer: {held}" if held is not None else _TAGGED.sub(_label_tag, answer)
    labelled = _BOXED.sub(lambda box: box[0].replace("\n", " "), labelled)
    labelled = _HASHES.sub("Answer: ", labelled)
    parts = (part for line in labelled.strip().splitlines() for part in _unboxed(line))
    lines = [
        " ".join(line.split()).strip(_ORNAMENTS)
        for line in plain(signs("\n".join(parts))).splitlines()
    ]
    return [line[bullet.end() :] if (bullet := _BULLET.match(line)) else line for line in lines]


def plain(text: str) -> str:
    """One form of letters, quotes and dashes; no marks of emphasis, no LaTeX commands for fonts."""
    signs = unicodedata.normalize("NFKC", text).translate(_SIGNS)
    visible = _UNSEEN.sub("", signs)
    unfenced = _FENCE.sub("", _HTML.sub("", visible))
    unmarked = _MARKS.sub(_unmarked, unfenced)
    in_one_font = _FONT.sub(lambda font: font[1], unmarked)
    return _ESCAPE.sub("", in_one_font)


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
        if not (
            label["clause"] and _DENIED.search(line, max(label.start() - 80, 0), label.start())
        ):
            last = label
    if last is None:
        return None
    before = line[max(last.start() - 12, 0) : last.end()]
    concludes = not last.start() or _CONCLUDES.search(before) is not None
    return Behind(line[last.end() :].strip(), bool(last["clause"]), concludes)


def labelled(
    lines: Sequence[str],
    read: Callable[[Behind, Sequence[str]], Read | None],
    left_open: Read,
    same: Callable[[Read, Read], bool] = eq,
) -> Read | None:
    """What the last labelled line of an answer says, as `read` has it of what stands behind a label
    and below it: None of a heading and of prose, which decide nothing, `left_open` of what cannot
    be read.

    A heading ("Answer: …") outlasts what is said above it and explained below it. Two that differ
    with no word of correction between them leave it open, and so does a conclusion ("so the answer
    is …") that differs from a heading.
    """
    said: Read | None = None
    heading = -1
    for index, line in enumerate(lines):
        if heading >= 0 and _NEXT_QUESTION.match(line):
            break
        behind = behind_label(line)
        if behind is None or (behind.clause and heading >= 0 and not behind.concludes):
            continue
        found = read(behind, lines[index + 1 : index + _BELOW])
        if found is None or (behind.clause and heading >= 0 and found == left_open):
            continue
        differs = (
            heading >= 0
            and said is not None
            and not same(said, found)
            and not any(map(_CORRECTS.search, lines[heading : index + 1]))
        )
        said, heading = left_open if differs else found, heading if behind.clause else index
    return said


def one_comma(text: str) -> str:
    """The text with the commas and full stops of all scripts as these."""
    return text.translate(_COMMAS)


def _held(text: str) -> str | None:
    """The answer in JSON: a list of strings, or the one answer in an object, which may have words
    before it.

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
    held = (
        [value[key] for key in value if _KEY.fullmatch(key)] if isinstance(value, dict) else [value]
    )
    if len(held) != 1 or isinstance(held[0], bool):
        return None
    if isinstance(held[0], list) and all(isinstance(part, str) for part in held[0]):
        return orjson.dumps(held[0]).decode()
    return str(held[0]) if isinstance(held[0], str | int | float) else None


def _label_tag(tag: re.Match[str]) -> str:
    return "\n" if tag[1] else "\nAnswer: "


def _unmarked(marks: re.Match[str]) -> str:
    """Nothing for marks at the edge of a word; those within one belong to it."""
    start, end = marks.span()
    before = marks.string[max(start - 1, 0) : start]
    behind = marks.string[end : end + 1]
    lowers = marks[0] == "_" and behind == "{" and before.strip()  # x_{1}
    within_word = before.isalnum() and behind.isalnum()
    return marks[0] if lowers or within_word else ""


def _unboxed(line: str) -> tuple[str, ...]:
    boxes = list(_BOXED.finditer(line))
    if not boxes:
        return (line,)
    first, last = boxes[0], boxes[-1]
    inside, behind = (
        _BOXED.sub(lambda box: box[1], line[first.start() : last.end()]),
        line[last.end() :],
    )
    unit = behind if _UNIT.fullmatch(behind) else ""
    return (
        line[: first.start()].rstrip(" $"),
        f"Answer: {inside}{unit.replace('$', ' ').rstrip(' .*_')}",
        behind.removeprefix(unit).lstrip(" $"),
    )
