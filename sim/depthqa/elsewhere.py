"""Rules for building graphs of questions that are not of this world: plain, and the same for the
same text."""

import re
from collections.abc import Sequence

from .. import foreign

_DEEP = re.compile(
    r"\b(?:why|evaluate|assess|judge|justify|critici[sz]e|argue|should|best|better|trade-?offs?|my "
    r"understanding|"
    r"significance|implications?|reconcile|suppose|to what extent)\b",
    re.IGNORECASE,
)
_STEPS = re.compile(
    r"\b(?:how|explain|describe|compare|calculate|derive|differ\w*|relat\w+|process|steps?|procedure|show|prove)\b",
    re.IGNORECASE,
)
_LONG = 30
"""Words from which a question is taken for one of depth 3."""
_REASONINGS = (
    ("comparative", r"compar\w*|differ\w*|versus|than|better"),
    ("causal", r"why|cause\w*|because|leads? to"),
    ("quantitative", r"how (?:many|much)|calculate|comput\w*|number"),
    ("evaluative", r"evaluate|assess|judge|correct|right|my understanding|think"),
    ("example", r"examples?|instance"),
    ("criteria", r"when|under wh\w+ conditions?|criteri\w+"),
    ("procedural", r"how|steps?|procedure|derive"),
)
_PATTERNS = {2: "How does {t} come into play where {q} is concerned?", 1: "What is meant by {t}?"}
_FURTHER = {2: "What role does {t} have in working out {q}?", 1: "What has to be known of {t}?"}
_SHORTEST_TERM = 4


def depth_of(question: str) -> int:
    """3 for a long question, and for one with a word of judgement; 2 for one with a word of
    procedure; else 1."""
    if _DEEP.search(question) or len(question.split()) >= _LONG:
        return 3
    return 2 if _STEPS.search(question) else 1


def reasoning(question: str) -> list[str]:
    """The types of reasoning that the question's words point to."""
    return [
        name
        for name, words in _REASONINGS
        if re.search(rf"\b(?:{words})\b", question, re.IGNORECASE)
    ] or ["other"]


def reference(question: str, key_points: str) -> str:
    """The key points as sentences; without any, what the question is about."""
    points = [line.strip().lstrip("-*• ").rstrip(".") for line in key_points.splitlines()]
    said = " ".join(f"{point[:1].upper()}{point[1:]}." for point in points if point)
    return said or f"The answer turns on {', '.join(_terms(question)[:3]) or 'what is asked'}."


def questions(
    question: str, answer: str, depth: int, *, further: bool = False
) -> list[tuple[str, str]]:
    """Questions about what the reference answer mentions, each with the sentence that mentions it
    as its reference; `further`: in other words, behind those."""
    topic = " and ".join(_terms(question)[:2]) or "the matter"
    said = foreign.sentences(answer) or [answer.strip() or question]
    found: dict[str, str] = {}
    for pattern in (_PATTERNS[depth], _FURTHER[depth])[: 1 + further]:
        for term in _terms(answer) or _terms(question) or ["the matter"]:
            sentence = next(
                (sentence for sentence in said if term.casefold() in sentence.casefold()), said[0]
            )
            found.setdefault(pattern.format(t=term, q=topic), sentence)
    return list(found.items())


def opened(question: str) -> str:
    """The question so that yes or no is no answer to it."""
    return (
        "To what extent, and for which reasons, does this hold: "
        f"{' '.join(question.split()).rstrip('?')}?"
    )


def relation(
    question: str, answer: str, listed: Sequence[tuple[int, str, str]]
) -> dict[str, object]:
    """By how many of the reference's words the references of its predecessors have, together and
    each."""
    wanted = foreign.content(answer) - foreign.content(question)
    each = {place: foreign.content(said) & wanted for place, _, said in listed}
    covered = set().union(*each.values()) if each else set()
    share = len(covered) / len(wanted) if wanted else 1.0
    return {
        "comprehensive": "comprehensive"
        if share >= 0.5
        else "partial"
        if share >= 0.25
        else "insufficient",
        "missing": "" if share >= 0.5 else f"Nothing is asked about {min(wanted - covered)}.",
        "implicit": [
            {"number": place, "rating": _rating(len(words) / len(wanted) if wanted else 0.0)}
            for place, words in each.items()
        ],
    }


def _rating(share: float) -> str:
    return "revealing" if share >= 0.6 else "partial" if share >= 0.35 else "implicit"


def _terms(text: str) -> list[str]:
    """Names inside sentences, then the longest words, none of them part of another."""
    named = [name for name in foreign.names(text, ()) if not text.startswith(name)]
    words = sorted(foreign.content(text), key=lambda word: (-len(word), word))
    terms: list[str] = []
    for term in (*named, *(word for word in words if len(word) >= _SHORTEST_TERM)):
        if not any(
            term.casefold() in other.casefold() or other.casefold() in term.casefold()
            for other in terms
        ):
            terms.append(term)
    return terms
