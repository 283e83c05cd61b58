"""What a question and its reference tell by their words alone, before any model is asked. Pure."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from ...state.text import Word, content, listed
from ...tools.facts.base import bare, sentences

KINDS = listed(
    "temperature point value number name year type kind sort term word title figure amount "
    "quantity date"
)
"""Words for the kind of thing asked for: "the year 1911" says no more than "1911"."""
_COMPARING = listed("than more less better not rather instead both neither either nor only")
_CONTRAST = listed("or not no never nor neither unlike except without rather instead but other")
"""With one of these in a question, a short answer that repeats some of it may mean either side of
it."""
_CHOOSING = listed("or nor neither either unlike except rather instead")
"""With one of these any short answer may."""

_AUXILIARIES = (
    "am is are was were be do does did can could may might must shall should will would has have "
    "had"
    " isn't aren't wasn't weren't don't doesn't didn't can't couldn't won't wouldn't shouldn't "
    "hasn't haven't hadn't"
)
_ASKS = rf"(?:{'|'.join(_AUXILIARIES.split())})\b"
_AUXILIARY = re.compile(_ASKS, re.IGNORECASE)
"""What a question begins with that yes, no or one of the things it names would answer."""
_BINARY = re.compile(
    r"(?:(?:and|but|or|so|then|if so|in that case|in general|in practice)[, ]+)?"
    rf"(?:{_ASKS}|(?:if|when|since|given|because|for|in|at|with|as|suppose)\b[^?]*,\s+{_ASKS})",
    re.IGNORECASE,
)
_OPEN = re.compile(
    r"(?:^|[,;:]\s*|\b(?:and|or|so|but)\s+(?:if so,?\s+)?)(?:in |to |for |under |by |at )?"
    r"(?:what|which|why|how|when|where|who|whom|whose)\b",
    re.IGNORECASE,
)
_REQUEST = re.compile(
    r"(?:can|could|will|would) "
    r"(?:you|someone|somebody|we)\b.*\b(?:explain|describe|tell|show|give|name|list|clarify|"
    r"outline|summari[sz]e|sum "
    r"up|compare|elaborate|help|define|state|write|illustrate|demonstrate|identify|provide|"
    r"derive|prove|calculate|walk)\b",
    re.IGNORECASE,
)
_TAG = re.compile(
    r"(?:,\s*(?:right|correct|true|yes|no|isn't it|aren't they|is it|are they|doesn't it|don't "
    r"they)"
    r"|\b(?:true or false|yes or no))\s*\?*\s*$",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")


def adds(question: str, reference: str) -> tuple[str, ...]:
    """The content words that the reference adds to the question, in order, each in its usual
    spelling."""
    return tuple(word.key for word in added(question, reference))


def added(question: str, reference: str) -> list[Word]:
    """The same as words with what stands around them."""
    asked = roots(question)
    return [word for word in content(reference) if word.root not in asked]


def roots(text: str) -> frozenset[str]:
    """The content words of a text, whatever their form."""
    return frozenset(word.root for word in content(text))


def gives_itself_away(question: str, reference: str) -> bool:
    """Whether the reference adds no content word to the question, so that the question says its
    answer."""
    return not added(question, reference)


def asks_yes_or_no(question: str, reference: str) -> bool:
    """Whether yes or no would answer, as the form of the question or the reference tells."""
    asks = is_binary(question) or _AUXILIARY.match(question.lstrip("\"'“‘(¿")) is not None
    return (
        asks or re.match(r"\W*(?:yes|no)\s*(?:[,.:;!–—-]|$)", reference, re.IGNORECASE) is not None
    )


def offers_answers(question: str, reference: str) -> bool:
    """Whether the question offers alternatives, "A or B", and the reference only says which. One
    that is asked under a condition ("what do infants or toddlers need?") adds what they need."""
    words = content(question)
    for place, word in enumerate(words[1:-1], 1):
        if word.key == "or":
            said = [word.root for word in content(reference)]
            offered = (words[place - 1].root, words[place + 1].root)
            together = any(
                pair == (offered[0], "or", offered[1])
                for pair in zip(said, said[1:], said[2:], strict=False)
            )
            if not together and set(adds(question, reference)) <= _COMPARING:
                return True
    return False


def answered_by_title(question: str, reference: str, title: str) -> bool:
    """Whether all that the reference adds to the question stands in the page's title."""
    new = {word.root for word in added(question, reference)}
    return bool(new) and new <= roots(title)


_EXHIBITS = (
    "option|parameter|setting|table|figure|diagram|graph|chart|image|picture|equation|formula|example|passage|text|"
    "section|chapter|paragraph|excerpt|snippet|extract|code|command|query|statement|list|expression|problem|question|"
    "function|program|step|definition|description|scenario|information|data|article|document|page|study|paper|quote"
)
_SOURCES = "passage|text|excerpt|snippet|extract|paragraph|article|document|page|section|chapter|authors?|study|paper"
_SAYS = (
    "says?|states?|mentions?|describes?|lists?|claims?|discuss(?:es)?|argues?|reports?|notes?|explains?|suggests?|"
    "refers?|gives?|names?|recommends?"
)
_OUTSIDE = re.compile(
    rf"\b(?:according to|based on|as per) (?:the|this|these) (?:{_SOURCES})\b(?! of\b)"
    r"|\b(?:in|from|by) (?:the|this) "
    r"(?:passage|excerpt|snippet|extract|text|article|document)\s*(?=[?,.;]|$)"
    rf"|\b(?:the|this|these) (?:{_SOURCES}) (?:{_SAYS}|(?:is|are) about)\b"
    rf"|\bdo(?:es)? (?:the|this|these) (?:{_SOURCES}) (?:{_SAYS})\b"
    rf"|\b(?:the|these|those) (?:\w+ )?(?:{_EXHIBITS})s? (?:above|below)\b(?!\s+(?:the|a|an|\d))"
    r"|\bthe above\b(?!-ground)|\b(?:all|none|one|which) of the "
    r"above\b|\babove-?mentioned\b|\baforementioned\b"
    r"|\b(?:described|mentioned|shown|listed|defined|stated|discussed|illustrated|depicted|outlined|presented|provided)"
    r" "
    r"(?:above|below|earlier|previously|here|before)\b(?!\s+(?:than\b|the\b|an?\b|that\b|by\b|in\b|[-−\d]))"
    rf"|\bthe following (?:\w+ )?(?:{_EXHIBITS})s?\b(?![^?]*:)|\b(?:of|are|is) the "
    r"following\b(?![^?]*:)"
    rf"|\bthe (?:given|quoted|cited|attached) (?:{_EXHIBITS})s?\b"
    r"|\b(?:in|see|to) (?:Table|Figure|Fig\.) \d",
    re.IGNORECASE,
)
_POINTING = re.compile(r"\b(?:this|these) ((?:[^\W\d_]+-)?[^\W\d_]+)", re.IGNORECASE)
_NO_THING = listed(
    "is was are were does did do can has have happen occur mean to in and or be as of way so"
)
_SHORT_OPENING = 2
"""Content words with which a question says what it wants to know of something, not yet of what."""


def points_outside(question: str) -> bool:
    """Whether an English question points at something that it does not hold: "this option", "the
    table above", "the passage says". "The layer above the troposphere" and what the question itself
    has named before do not."""
    text = " ".join(question.split())
    return _OUTSIDE.search(text) is not None or any(
        _names_nothing_before(text[: found.start()], found[1].casefold())
        for found in _POINTING.finditer(text)
    )


def _names_nothing_before(before: str, thing: str) -> bool:
    """Whether "this thing" comes before the question has named anything that it could be."""
    if thing in _NO_THING or re.search(r"[,;:.?!]", before):
        return False
    words = content(before)
    named = any(not word.first and (not word.written.islower()) for word in words)
    exhibit = re.fullmatch(rf"(?:{_EXHIBITS})s?|year|month|week|century", thing)
    return not named and (
        len(words) <= _SHORT_OPENING or (exhibit is not None and thing not in before.casefold())
    )


def said_before(question: str, reference: str, texts: Iterable[str]) -> bool:
    """Whether one sentence of the texts says what the question asks for: all that the reference
    adds, all the numbers of the question, and at least half of its content words. What adds only a
    kind of thing anything may say."""
    wanted = {word.root for word in added(question, reference) if word.key not in KINDS}
    asked = {word.root for word in content(question) if word.key not in KINDS}
    numbers = {root for root in asked if root.lstrip("+-")[:1].isdigit()}
    if not wanted or not asked:
        return False
    said = (words for text in texts for words in _sentence_roots(text))
    return any(wanted | numbers <= words and 2 * len(asked & words) >= len(asked) for words in said)


@lru_cache(maxsize=2048)  # an answer stands on the lines of many later questions
def _sentence_roots(text: str) -> tuple[frozenset[str], ...]:
    return tuple(roots(text[start:end]) for start, end in sentences(text))


def agrees(question: str, reference: str, other: str) -> bool:
    """Whether two answers to a question are surely one, so that nobody has to be asked: they add
    the same words to the question in the same order, and neither says anything else that the other
    does not. False where there is doubt."""
    asked = roots(question)
    one, two = _ordered(question, reference, asked), _ordered(question, other, asked)
    a, b = one[_span(one, asked)], two[_span(two, asked)]
    if not a or len(a) != len(b) or not _alike(a[0], b[0]) or not all(map(_within, a[1:], b[1:])):
        return False
    keys, others = {word.key for word in one}, {word.key for word in two}
    if _marked(question, reference) != _marked(question, other):
        return False
    bare = len(a) in (len(one), len(two))  # nothing but what was asked for
    if keys != others and (
        asked & (_CHOOSING if bare else _CONTRAST)
        or (keys - others - KINDS and others - keys - KINDS)
    ):
        return False
    shared, again = ([word for word in words if word.key in keys & others] for words in (one, two))
    fewer, more = sorted((shared, again), key=len)
    following = iter(more)
    return all(any(_alike(word, found) for found in following) for word in fewer)


def _marked(question: str, answer: str) -> set[str]:
    """What an answer adds that signs between, before or behind letters belong to: -f, a.b, /etc,
    int[], f(x), 5!"""
    said, asked = (
        {found.rstrip(".,;:?") for found in _MARKED.findall(text)} for text in (answer, question)
    )
    return said - asked


def _ordered(question: str, answer: str, asked: frozenset[str]) -> tuple[Word, ...]:
    """The words of an answer in an order that does not depend on how the sentence is built, where
    that is simple."""
    words = content(answer)
    span = _span(words, asked)
    front, new, behind = words[: span.start], words[span], words[span.stop :]
    if not new:
        return words
    if (
        not front and len(new) > 1 and new[0].key in KINDS and new[1].lead.startswith("be")
    ):  # the value is 5
        return new[1:] + behind
    if behind and not front and behind[0].lead.startswith("be"):  # Paris is the capital
        return behind + new
    if (
        len(front) == 1
        and not behind
        and new[0].lead.startswith("be")
        and front[0].key == _class_asked_for(question)
    ):
        return new  # the gas is helium
    return words


def _class_asked_for(question: str) -> str:
    """Gas, of "which gas …?"."""
    found = re.match(
        r"\W*(?:(?:at|in|on|by|for|of|with|to|from) )?(?:which|what) (\w+)", question, re.IGNORECASE
    )
    return next((word.key for word in content(found[1])), "") if found else ""


def _span(words: Sequence[Word], asked: frozenset[str]) -> slice:
    """From the first to the last word that is not in the question."""
    new = [place for place, word in enumerate(words) if word.root not in asked]
    return slice(new[0], new[-1] + 1) if new else slice(0, 0)


_PARTICIPLE = re.compile(
    r"(?:ed|en|wn|nk|ght|lt|pt|nt|ut|it|ot|et|urt|ung|un|ost|ade|eld|aid|old|und|ood)$"
)
"""Endings of what may be done to something, with "was" in front, or by it, without."""


_MARKED = re.compile(r"\S*[/\\|\[\](){}@&]\S*|(?<!\S)(?:-+[^\W\d]|\.\w)\S*|\w+\.[^\W\d_]\S*|\S*\w!")


def _alike(one: Word, other: Word) -> bool:
    """Whether a word stands for the same in both answers. A preposition may be missing, but not be
    another; "invaded" without the "was" of "was invaded" is another thing, unless a sentence begins
    with it; a name has no plural."""
    names = one.written[:1].isupper() and other.written[:1].isupper()
    if (
        len(one.key) == 1 and one.key.isalpha() and one.written != other.written
    ):  # the alleles A and a
        return False
    if one.key != other.key or (names and one.written.casefold() != other.written.casefold()):
        return False
    a, b = ("" if word.lead.startswith("be") else word.lead for word in (one, other))
    passive = "be" in (one.lead, other.lead) and not one.lead.startswith(
        "be"
    ) & other.lead.startswith("be")
    return (not (a and b) or a == b) and not (
        passive and _PARTICIPLE.search(one.key) and not one.first | other.first
    )


def _within(one: Word, other: Word) -> bool:
    """Whether a word follows the one before it in the same way: salt water, salt and water, salt in
    water."""
    return _alike(one, other) and one.pause == other.pause and one.lead == other.lead


_SEVERAL = re.compile(
    r"^\W*(?:besides|apart from|aside from|in addition to)\b"
    r"|^\W*(?:name|list|give) (?:two|three|four|five|six|several|some|all|\d+)\b"
    r"|\band (?:what|who|when|where|why|how(?: many| much)?|(?:(?:in|at|by|to|for) "
    r")?(?:which|what)(?: [\w-]+){1,5}?)"
    r" (?:is|are|was|were|do|does|did|has|have|had|can|will)\b(?=[^,.]*\?$)",
    re.IGNORECASE,
)


def asks_for_several(question: str, _: str) -> bool:
    """Whether a question asks for what is missing in a list, for a number of things, or is two
    questions in one."""
    return _SEVERAL.search(question) is not None


def names_any(concept: str, domain: str, text: str) -> bool:
    """Whether the text has a word of the concept's name that tells something: what stands in
    brackets behind it, a figure ("part 3" has that of "Group 3") and the words of the field's own
    name do not, unless there is no other."""
    wanted = roots(bare(concept)) or roots(concept)
    telling = {root for root in wanted if not root.isdigit()} - roots(domain)
    return not wanted or bool((telling or wanted) & roots(text))


def form_tells(language: str) -> bool:
    """Whether a question's form tells if yes or no answers it: in English it does."""
    return language.split("-")[0] in ("en", "simple")


def is_binary(question: str, language: str = "en") -> bool:
    """Whether an English question can be answered by yes or no, as far as its form tells: its last
    sentence begins with an auxiliary verb, behind a condition or not, and nothing else is asked; or
    it ends in `right?`. A choice ("is it A or B?") and a request ("can you explain …") are open. No
    other language is found out by form."""
    if not form_tells(language):
        return False
    text = " ".join(question.replace("’", "'").split())
    if _TAG.search(text):
        return True
    sentences = [sentence.lstrip("\"'“‘(") for sentence in _SENTENCE.split(text)]
    last = sentences[-1]
    if not _BINARY.match(last) or _REQUEST.match(last):
        return False
    # "Is it so, and why?" still asks why, and so does another question in front
    asked = [sentence for sentence in sentences[:-1] if sentence.rstrip("\"'”’)").endswith("?")]
    return not any(map(_OPEN.search, [*asked, last])) and not re.search(
        r"\bor\b(?! not\b)", last, re.IGNORECASE
    )
