"""Rules for building graphs of questions that are not of this world: plain, and the same for the
same text."""

from collections.abc import Sequence

from .. import foreign

_PATTERNS = {2: "How does {t} come into play where {q} is concerned?", 1: "What is meant by {t}?"}
_FURTHER = {2: "What role does {t} have in working out {q}?", 1: "What has to be known of {t}?"}
_SHORTEST_TERM = 4


def depth_of(question: str) -> int:
    """3 for a question that begins with why or has thirty words, 2 for one that begins with how,
    else 1."""
    words = question.casefold().split()
    if words[:1] == ["why"] or len(words) >= 30:
        return 3
    return 2 if words[:1] == ["how"] else 1


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
            sentence = next((one for one in said if term in one.casefold()), said[0])
            found.setdefault(pattern.format(t=term, q=topic), sentence)
    return list(found.items())


def opened(question: str) -> str:
    """The question so that yes or no is no answer to it."""
    bare = " ".join(question.split()).rstrip("?")
    return f"To what extent, and for which reasons, does this hold: {bare}?"


def relation(listed: Sequence[tuple[int, str, str]]) -> dict[str, object]:
    """All is asked for and nothing given away: this world cannot tell."""
    rated = [{"number": place, "rating": "implicit"} for place, _, _ in listed]
    return {
        "comprehensive": "comprehensive",
        "missing": "",
        "implicit": rated,
    }


def _terms(text: str) -> list[str]:
    """The longest words, none of them part of another."""
    terms: list[str] = []
    for word in sorted(foreign.content(text), key=lambda word: (-len(word), word)):
        if len(word) >= _SHORTEST_TERM and not any(word in other for other in terms):
            terms.append(word)
    return terms
