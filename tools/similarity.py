"""How alike questions are, for finding repeats: by their words, or by embeddings of a model."""

import unicodedata
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Protocol

from ..state.depthqa.spec import LEXICAL as LEXICAL
from ..state.text import SAME_SIGN

if TYPE_CHECKING:
    from .models.limiter import Limits, Timing

Pairs = dict[tuple[int, int], float]
"""Places of two texts, the smaller first → how alike they are, in order of the places."""
SAME = 0.9
"""From here on two questions of one depth are one (DepthQA, appendix B); a repeat has at least this
by its words."""


class Similarity(Protocol):
    """A measure of how alike questions are."""

    @property
    def name(self) -> str:
        """`lexical`, or the embeddings' model."""
        ...

    async def pairs(self, texts: Sequence[str], least: float) -> Pairs:
        """The pairs of texts with a similarity of at least `least` (above 0, up to 1).

        Raises CallFailed, EndpointRefused or EndpointUnreachable where a model has to be asked and
        does not answer.
        """
        ...


class LexicalSimilarity:
    """By words alone. Implements Similarity; asks nobody, and is the same everywhere."""

    name = LEXICAL

    async def pairs(self, texts: Sequence[str], least: float) -> Pairs:
        return lexical(texts, least)


def lexical(texts: Sequence[str], least: float) -> Pairs:
    """The pairs of questions with a similarity by their words of at least `least` (above 0, up to
    1).

    Questions of the same words in the same order have .9 and more, by the likeness of their signs
    (1: the same but for white space and case). Any other pair has 0: a guard against near-verbatim
    repeats, no more. Likeness of strings would not do: proton and photon, 10 and 100 agree in nearly
    every sign.
    """
    from rapidfuzz import fuzz  # heavy: only where questions are compared

    plain = [" ".join(text.casefold().split()) for text in texts]
    repeats: dict[object, list[int]] = defaultdict(list)
    for index, text in enumerate(texts):
        repeats[_words(text) or plain[index]].append(index)
    pairs: Pairs = {}
    for indexes in repeats.values():
        for first, second in combinations(indexes, 2):
            likeness = SAME + (1 - SAME) * fuzz.ratio(plain[first], plain[second]) / 100
            if likeness >= least:
                pairs[first, second] = likeness
    return dict(sorted(pairs.items()))


def _words(question: str) -> tuple[str, ...]:
    """Its words as they stand; the case of a word says nothing but in names of one or two letters
    and in what is written in capitals."""
    text = unicodedata.normalize("NFKC", question).translate(SAME_SIGN).replace('"', "")
    words = text.rstrip(" ?.").split()
    return tuple(word.lower() if len(word) > 2 and word.istitle() else word for word in words)


def similarity_of(
    name: str,
    env: Mapping[str, str],
    sim_url: str | None = None,
    *,
    limits: "Limits | None" = None,
    timing: "Timing | None" = None,
) -> Similarity:
    """`lexical`, or the measure by the embeddings model of this name (`EndpointEmbeddings`). Raises
    UsageError."""
    name = name.strip()
    if name == LEXICAL:
        return LexicalSimilarity()
    from .models.address import key_of, parse_model
    from .models.embeddings import (  # heavy: only where a model is asked
        EmbeddingSimilarity,
        EndpointEmbeddings,
    )

    embeddings = EndpointEmbeddings(name, env, sim_url, limits=limits, timing=timing)
    return EmbeddingSimilarity(
        embeddings, name, key=key_of(parse_model(name), env), limits=limits, timing=timing
    )
