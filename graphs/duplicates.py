"""When two questions ask for one fact: near in words, with the same normalised reference."""

from collections.abc import Iterable

from rapidfuzz import fuzz

from ..state.text import digest, normalise

NEAR = 85.0
"""rapidfuzz token-set ratio (0 … 100) from which two questions are near."""

Fact = tuple[str, str]
"""Digest of the reference, and the question."""


def fact_of(question: str, reference: str) -> Fact:
    return digest(reference), question


def is_duplicate(fact: Fact, ledger: Iterable[Fact]) -> bool:
    """Whether the ledger holds the same fact: an equal reference alone is not enough ("Period 4" answers many)."""
    reference, question = fact
    words = normalise(question)
    return any(ref == reference and fuzz.token_set_ratio(words, normalise(asked)) >= NEAR for ref, asked in ledger)
