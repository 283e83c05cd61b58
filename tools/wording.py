"""What a question asks, apart from how it is worded: for telling near-verbatim repeats from
questions of one pattern.

Likeness of strings would not do: "What is the melting point of iron?" and "… of tin?" agree in
nearly every sign, and so do proton and photon, mitosis and meiosis, 10 and 100. So every word that
carries meaning has to stand on both sides, but for the s of a plural or a verb, and in the same
part of the question: how temperature affects pressure is not how pressure affects temperature. What
counts as one question here is one; what does not may be one all the same.
"""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field

Wording = tuple[tuple[str, tuple[str, ...]], ...]
"""Parts of a question with their words in order: what follows `how`, what follows `of`, …; "" is
the main part."""

_SIGNS = str.maketrans("“”„«»‘’−‐‑–—？！，、。：；؟", '"""""\'\'---,,?!,,.:;?')
_HYPHEN = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")
_OPENING = re.compile(
    r"\W*(?:(?:please,? |(?:can|could|would|will) you |do you know |i (?:want|would like) to know |"
    r"(?:explain|describe|define|clarify|tell (?:me|us))(?: to (?:me|us))? (?:about )?|"
    r"(?:briefly|in your own words),? ))+",
    re.IGNORECASE,
)
_BRACKETED = re.compile(r"[(\[{]*([^\W\d_]+(?:['-][^\W\d_]+)*)[)\]}]*")
_PLAIN_WORD = re.compile(r"[^\W\d_]{4,}")
_SHORT = {
    **{
        f"{word}'s": (word, "is")
        for word in ("what", "who", "where", "when", "how", "why", "that", "it", "there")
    },
    **{
        f"{word}n't": (word, "not")
        for word in ("is", "are", "was", "were", "do", "does", "did", "could", "would")
    },
    "can't": ("can", "not"),
    "cannot": ("can", "not"),
}
_SPELLED = {"were": "was", "has": "have"}
_ARTICLES = frozenset(("a", "an", "the"))
_ASKING = {"what": "", "which": "", "whom": "who"} | {
    word: word for word in ("who", "whose", "when", "where", "why", "how")
}
_HELPING = frozenset(("is", "are", "am", "be", "do", "does", "can", "could", "would", "will"))
"""They only make a sentence of it; `was` and `did` ask about another time, and count."""
_ABLE = frozenset(("can", "could", "would", "will"))
_YES_OR_NO = _HELPING | {
    "was",
    "were",
    "did",
    "has",
    "have",
    "had",
    "should",
    "must",
    "may",
    "might",
}
_ADDRESSED = frozenset(("you", "we"))
_PLACES = (
    "of in on at by for to from with into over under between among through during after before "
    "against about than as "
    "via per within across along upon toward towards until since"
)
_PLACING = frozenset(_PLACES.split())
_UNORDERED = frozenset(("between", "among"))


@dataclass(slots=True)
class _Parts:
    """The parts as they are found. `run`: the words since the last one that is no content."""

    main: str
    part: str = ""
    helped: bool = False
    """Whether an auxiliary verb has come: after one, `do` is what somebody does."""
    run: list[str] = field(default_factory=list)
    found: dict[str, list[str]] = field(default_factory=dict)

    def turn(self, part: str) -> None:
        """The words so far belong to the part so far."""
        self.found.setdefault(self.part, []).extend(self.run)
        self.run = []
        self.part = part

    def owner(self, word: str) -> None:
        """The electric field's strength is the strength of the electric field."""
        self.found.setdefault("of", []).extend([*self.run, word])
        self.run = []


def wording(question: str) -> Wording:
    """The question's parts, equal for questions that differ in the order of parts, in articles,
    auxiliary verbs, plurals, punctuation, quotation marks, or in words such as "Can you explain …"
    only."""
    text = unicodedata.normalize("NFC", question).translate(_SIGNS)
    opening = _OPENING.match(text)
    tokens = list(_tokens(_HYPHEN.sub(" ", text[opening.end() :] if opening else text)))
    usual = _kind(tokens[0][0]) if tokens else ""
    parts = _Parts(main=usual, part=usual)
    for place, (word, ends) in enumerate(tokens):
        _take(parts, word, last=place + 1 == len(tokens))
        if ends:
            parts.main = usual
            parts.turn(usual)
    parts.turn("")
    return tuple(
        (name, tuple(sorted(words) if name in _UNORDERED else words))
        for name, words in sorted(parts.found.items())
        if words or name
    )


def _kind(first: str) -> str:
    """The main part of what is answered by yes or no: whether something can be is not whether it
    is."""
    return "can?" if first in _ABLE else "is?" if first in _YES_OR_NO else ""


def _take(parts: _Parts, word: str, *, last: bool) -> None:
    helping = word in _HELPING and not (parts.helped and (word == "do" or (word == "be" and last)))
    parts.helped |= helping or word == "did"
    if word in _ASKING:
        parts.main = _ASKING[word]
        parts.turn(parts.main)
    elif helping:
        parts.turn(parts.main)
    elif word in _PLACING:
        parts.turn(word)
    elif word in _ADDRESSED or (word in _ARTICLES and not last):  # group a is none of these
        return
    elif word.endswith("'s"):
        parts.owner(_stem(word[:-2]))
    else:
        parts.run.append(_stem(word))


def _tokens(text: str) -> Iterator[tuple[str, bool]]:
    """Words, and whether a pause follows. A capital at the beginning of a sentence is none: In
    (indium) stays In."""
    begins = True
    for raw in text.split():
        bare = raw.lstrip("\"'¿¡")
        word = bare.rstrip('",;:.?…')
        worded = len(word) > 2 and word[-3:-1].islower()
        if (word.endswith("'") and raw[0] == "'") or (worded and word.endswith(("'", "!"))):
            word = word[:-1].rstrip(",;:.?")  # f' and n! keep their signs
        bracketed = _BRACKETED.fullmatch(word)
        word = bracketed[1] if bracketed else word
        ends = bare[-1:] in ",;:.?!…)" and not bare.endswith(word)
        if begins and word[1:].islower():
            word = word.lower()
        begins = bare[-1:] in ".?!:"
        split = _SHORT.get(word, (word,))
        yield from (
            (one, ends and place == len(split)) for place, one in enumerate(split, 1) if one
        )


def _stem(word: str) -> str:
    """Without the s of a plural or a verb, and without case; CO, Co and pH keep theirs, as do signs
    and formulas."""
    if not (word.islower() or (len(word) > 2 and word.istitle())):
        return word
    lower = _SPELLED.get(word, word.casefold())
    if not _PLAIN_WORD.fullmatch(lower) or lower in ("have", "this"):
        return lower
    if lower.endswith("ies") and len(lower) > 4:
        return lower[:-3] + "y"
    if lower.endswith(("sses", "xes", "zes", "ches", "shes")):
        return lower[:-2]
    return lower[:-1] if lower.endswith("s") and lower[-2] not in "siu" else lower


Pairs = dict[tuple[int, int], float]
"""Places of two texts, the smaller first → how alike they are, in order of the places."""
