"""What the wording of a question and its options gives away: a text that nobody sees, other
options, the options."""

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction

from ...state.problems import Distractor, Dropped, Problem
from ...state.text import contains, normalise
from ..answers.final_answer import final_stands_in
from ..answers.quantity import read_quantity


def _any(*patterns: str, flags: re.RegexFlag = re.IGNORECASE) -> re.Pattern[str]:
    return re.compile("|".join(patterns), flags)


_GIVEN = "(?:given|provided|above|preceding|following|accompanying|present)"
_SAID = (
    "(?:described|stated|mentioned|explained|discussed|noted|given|provided|used|cited|listed|named|presented|outlined"
    "|introduced|covered|highlighted|identified)"
)
_PASSAGE = "(?:passage|excerpt)"
_TEXT = f"(?:text|explanation|{_PASSAGE})"
# not meant: the text of a statute, a text box, the passage of a law or through a wall, the
# explanation Lamarck offered
_OURS = (
    r"\b(?! "
    r"(?:of|from|through|to|between|into|across|over|along|by|for|that|why|how|in|on|at|about|offered|proposed)\b"
    r"| (?:given|provided) (?:by|in|to|for)\b| (?:box|message|field|editor|file|mode)\b)"
)
_FROM = f"(?:according to|based on|{_SAID} (?:in|by))"
_TELLS = _any(
    rf"\b{_FROM} the (?:{_GIVEN} )?{_PASSAGE}{_OURS}",
    rf"\b{_FROM} the (?:{_GIVEN} (?:text|paragraph)|(?:text|paragraph) (?:above|below|given|provided)){_OURS}",
    rf"\b(?:in|from|by) (?:the|this) (?:{_GIVEN} {_TEXT}|{_PASSAGE}){_OURS}",
    rf"\b(?:according to|based on) the (?:given|provided|above|preceding) (?:information|material|context){_OURS}",
    rf"\b(?:according to|based on) the (?:information|material|context) (?:given|provided|above){_OURS}",
    (
        r"\b(?:described|stated|mentioned|explained|discussed|noted) (?:above|below)\b(?! "
        r"(?:\d|the\b|a\b|zero\b|room\b))"
    ),
    (
        r"\b(?:described|stated|mentioned|explained|discussed|noted) earlier\b(?! "
        r"(?:by|in|than|and|that|this|work)\b)"
    ),
)
"""A text that candidates do not see, wherever it is spoken of."""
_TELLS_IN_QUESTION = _any(
    r"\b(?:according to|based on) (?:the|this) text(?=\W*$|,|:| (?:is|are|was|were|which|what)\b)",
    rf"\b{_SAID} (?:in|by) (?:the|this) text{_OURS}",
    rf"\b{_FROM} the (?:{_GIVEN} )?explanation{_OURS}",
    r"^in (?:the|this) text,",
    r"\b(?:according to|based on) this (?:passage|excerpt)\b",
    rf"\b(?:the|this) {_TEXT} (?:mentions|discusses|highlights|lists)\b",
    rf"\b(?:does|did) (?:the|this)(?: {_GIVEN})? {_TEXT} (?:say|state|mention|describe|explain|list)\b",
    rf"\baccording to the author\b(?! of|'s)|\bthe author of (?:the|this) {_TEXT}\b",
    r"\b(?:laut|gemäß)(?: dem)? text\b(?! de[rs]\b)|\bim text (?:genannt|erwähnt|beschrieben)",
    (
        r"\b(?:selon|d'après) le (?:texte|passage)\b(?! d)|\bsegún el texto\b(?! d)|\bsecondo il "
        r"testo\b(?! d)"
    ),
)
"""The same where only a question can mean it: an option may hold that a judge decides according to
the text."""
_TOLD = "(?:described|stated|mentioned|explained|discussed|noted)"
_TELLS_IN_OPTION = _any(
    rf"\b(?:according to|{_TOLD} (?:in|by)) the (?:{_GIVEN} )?{_PASSAGE}{_OURS}",
    rf"\b(?:according to|{_TOLD} (?:in|by)) the {_GIVEN} (?:text|paragraph|explanation){_OURS}",
    rf"\baccording to the (?:(?:given|provided|above) information|information (?:given|provided|above)){_OURS}",
    rf"\bthe (?:above {_TEXT}|(?:{_TEXT}|paragraph) above)\b",
    rf"\bas {_TOLD} (?:above|earlier)\b(?! (?:\d|the\b|a\b|zero\b|room\b|by\b|in\b|than\b))",
)
"""What no option may say either: models of language do answer from a given text, and from the
provided context."""

_RIGHTLY = r"(?:is|are) (?:all )?(?:correct|true|right|wrong|false|incorrect|valid)\b"
# not meant: a choice that is right in all cases, for everyone, under uncertainty
_HERE = r"(?! (?:in|for|when|if|under|unless|by) (?!this\b|the (?:question|case above)\b))"
_MANY = "(?:all|none|any|some|most|each|both|neither|either|two|three|one|more than one)"
_CHOICE = "(?:options?|answers?|choices?)"
_LISTED = "(?:above|below|listed|given|here|apply|applies)"
_REFERS = _any(
    rf"\b{_MANY} of the above\b(?!-)|\ball the above(?=\W*$| {_RIGHTLY}| {_CHOICE}\b)|^\W*(?:all|none) above\W*$",
    rf"\b{_MANY} of the (?:other )?(?:{_CHOICE}|statements)(?=\W*$| {_RIGHTLY}| {_LISTED}\b)",
    rf"^\W*{_MANY} of (?:these|them|those|the others?)(?: {_CHOICE}| statements)?(?=\W*$| {_RIGHTLY}| appl(?:y|ies)\b)",
    rf"^\W*(?:all|both|every) (?:the |other )?{_CHOICE}(?=\W*$| {_RIGHTLY}{_HERE}| apply\b)",
    rf"^\W*(?:no|neither) {_CHOICE} {_RIGHTLY}{_HERE}",
    r"\bthe (?:previous|preceding) (?:two |three )?options?\b",
    rf"\bthe above {_CHOICE}\b|\b{_CHOICE} above(?=\W*$| {_RIGHTLY})",
    r"^\W*(?:alle|keine|beide)(?: der| die)?(?: oben)? genannten\b",
    (
        r"^\W*(?:todas|ninguna|ambas)(?: de)? las anteriores\b|^\W*(?:tutte|nessuna)(?: del)?le "
        r"precedenti\b"
    ),
    r"^\W*(?:toutes|aucune)(?: de)? ces (?:réponses|options)\b",
)
_NAMED_OPTION = rf"\b(?i:{_CHOICE}) \(?(?!I [a-z])[A-Z]\)?(?![\w-])"
_REFERS_BY_LETTER = _any(
    _NAMED_OPTION,
    rf"^\W*(?i:both|either|neither|only) \(?[A-Z]\)? (?i:and|or|nor) \(?[A-Z]\)?(?=\W*$| (?i:{_RIGHTLY}))",
    r"^\W*[A-Z]\)?(?:, \(?[A-Z]\)?)*,? (?i:and|or|&) \(?[A-Z]\)? (?i:only)\W*$",
    flags=re.RegexFlag(0),
)
_NAMED = re.compile(_NAMED_OPTION)
_BARE = re.compile(r"\W*(?:both|neither)\W*", re.IGNORECASE)
_SPEAKS_OF_TWO = re.compile(
    r"\b(?:two|both|either|neither|party|parties|sides?|pair|how many)\b", re.IGNORECASE
)
# not meant: E. coli, B. F. Skinner, D-glucose, 5 A, 20 °C
_LONE = re.compile(r"(?<![\w.°'’-])(?<!\d )[A-HJ-Z](?![\w-]|\. ?[A-Z]\.|\. [a-z]| [A-Z][a-z])")
_ARTICLE = re.compile(
    r"(?:^|[.?!:;] )\W*(A)(?= (?!(?:and|or|nor|only|to|is|has|was|does|will)\b)[a-z])"
)
_LETTERED_THINGS = re.compile(
    (
        r"\b(?:hepatitis|influenza|vitamins?|ha?emophilia|(?:blood|ABO) "
        r"(?:groups?|types?|antigens?))\b"
    ),
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{4,}|\b[A-Z][a-z]{2}\b|\b[A-Z][a-z](?= )|^[A-Z](?= [a-z])")
_CASE_MATTERS = re.compile(
    r"\b(?:names?|nouns?|codes?|(?:case|letter)[- ]sensitiv\w+|(?:upper|lower)[- ]?case|capital "
    r"letters?"
    r"|capitali[sz]\w+|spell(?:ing|ings|ed|s)?|spelt|notations?|symbols?|identifiers?|keywords?|built-?ins?|genes?|proteins?"
    r"|python|javascript|java|sql|html|bash|unix|linux)\b",
    re.IGNORECASE,
)
_CODE = re.compile(
    r"\S*(?:[a-z][A-Z]|[\w)\]](?:::|->|=)\w|[A-Za-z]_[A-Za-z]|\w\[|<\w)\S*|.*(?:\w\(\)|[;{}`]).*"
)


def same_text(text: str, question: str = "") -> str:
    """What two options share that are the same.

    The case of short names counts, as in Co and CO, mW and MW, and all case in code and where the
    question is about names, code, spelling or notation.
    """
    plain = " ".join(text.split()).rstrip(".")
    if _CODE.fullmatch(plain) or _CASE_MATTERS.search(question):
        return plain
    return _WORD.sub(lambda word: word[0].casefold(), plain)


def speaks_of_text(question: str, options: Sequence[str]) -> bool:
    """Whether question or options speak of a text that candidates do not see."""
    asked = " ".join(question.split())
    in_question = _TELLS.search(asked) or _TELLS_IN_QUESTION.search(asked)
    return bool(in_question) or any(_TELLS_IN_OPTION.search(text) for text in options)


def speaks_of_others(option: str, question: str) -> bool:
    """Whether an option speaks of others. Letters and both may be things of the question's own:
    firms A and B."""
    if _BARE.fullmatch(option):
        return not _SPEAKS_OF_TWO.search(question)
    if _REFERS.search(option):
        return True
    return bool(_REFERS_BY_LETTER.search(option)) and not _has_letters(question, option)


def _has_letters(question: str, option: str) -> bool:
    """Whether the letters of an option are things that the question names, or things of a sort that
    has letters."""
    if _NAMED.search(question) or _LETTERED_THINGS.search(question):
        return True
    return bool(_lone_capitals(question) & _lone_capitals(option))


def _lone_capitals(text: str) -> set[str]:
    articles = {found.start(1) for found in _ARTICLE.finditer(text)}
    return {found[0] for found in _LONE.finditer(text) if found.start() not in articles}


def lists_options(question: str, options: Sequence[str]) -> bool:
    """Whether all options stand in the question, perhaps under other letters; a comparison may name
    two or three."""
    return len(options) > 3 and all(contains(question, option) for option in options)


TELLING_WORDS = 3
"""Words from which an option's text is told from a name or a term that a question may well hold."""


def holds_any(wording: str, options: Iterable[str]) -> bool:
    """Whether the wording holds the text of one of these options, of three words or more, word for
    word."""
    return any(
        len(option.split()) >= TELLING_WORDS and contains(wording, option) for option in options
    )


_LONG_WORD = re.compile(r"[^\W\d_]{4}")


def usable(
    problem: Problem, sentences: Iterable[str], question: str, written: Sequence[Distractor]
) -> tuple[list[Distractor], list[Dropped]]:
    """Distractors in their order, and those that are dropped: where the final answer stands, unless
    it stands in the problem or is too plain to say anything (`is_telling`); what is there already,
    among the scenario's sentences, in its question or before."""
    kept, dropped = list[Distractor](), list[Dropped]()
    there = {normalise(text) for text in (*sentences, question)}
    answer = problem.final_answer
    tells = is_telling(answer) and not final_stands_in(problem.question, answer)
    for each in written:
        plain = normalise(each.text)
        if plain in there:
            dropped.append(Dropped(text=each.text, why="repeats"))
        elif tells and final_stands_in(each.text, answer):
            dropped.append(Dropped(text=each.text, why="gives away"))
        else:
            kept.append(each)
        there.add(plain)
    return kept, dropped


def is_telling(answer: str) -> bool:
    """Whether an answer hardly stands anywhere by chance: a number of at least two significant
    digits, zeros at the end not counted, or words of which one has at least four letters."""
    number = read_quantity(answer)
    if number is None:
        return _LONG_WORD.search(answer) is not None
    return _significant(number.value) >= 2


def _significant(value: Fraction) -> int:
    """Digits of a number without the zeros around them; of 1/3 very many."""
    return len(str(abs(round(value * 10**40))).strip("0"))
