"""How alike questions are, for finding repeats: by their words, or by embeddings of a model."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from .wording import content, wording

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from .models.attempts import Limits
    from .models.limiter import Timing

    Matrix = NDArray[np.float64]

LEXICAL = "lexical"
SAME = 0.9
"""From here on two questions of one depth are one (DepthQA, appendix B); a repeat has at least this by its words."""
BELOW = 0.79
"""At most this for any other pair in the lexical measure: it cannot tell a neighbouring question from a repeat."""


class Similarity(Protocol):
    """A measure of how alike questions are."""

    @property
    def name(self) -> str:
        """`lexical`, or the embeddings' model."""
        ...

    async def of(self, texts: Sequence[str]) -> "Matrix":
        """Similarity in 0 … 1 of every text to every other: symmetric, texts × texts, with 1 along the diagonal.

        Raises CallFailed, EndpointRefused or EndpointUnreachable where a model has to be asked and does not answer.
        """
        ...


class LexicalSimilarity:
    """By words alone. Implements Similarity; asks nobody, and is the same everywhere."""

    name = LEXICAL

    async def of(self, texts: Sequence[str]) -> "Matrix":
        return lexical(texts)


def lexical(texts: Sequence[str]) -> "Matrix":
    """The similarity of questions by their words, in 0 … 1, texts × texts.

    Questions with one `wording` have .9 and more, by the likeness of their signs (1: the same but for white space and
    case). Any other pair has .79 · 2·|A ∩ B| / (|A| + |B|), Dice's share of common words, so that nothing lies between
    .79 and .9: a guard against near-verbatim repeats, no more.
    """
    import numpy as np  # heavy: only where questions are compared
    from rapidfuzz import fuzz

    wordings = [wording(text) for text in texts]
    matrix = _shared_words([content(parts) for parts in wordings])
    alike: dict[object, list[int]] = defaultdict(list)
    plain = [" ".join(text.casefold().split()) for text in texts]
    for place, parts in enumerate(wordings):
        alike[parts or plain[place]].append(place)
    for places in alike.values():
        for row in places:
            for column in places:
                matrix[row, column] = SAME + (1 - SAME) * fuzz.ratio(plain[row], plain[column]) / 100
    np.fill_diagonal(matrix, 1.0)
    return matrix


def _shared_words(contents: Sequence[frozenset[str]]) -> "Matrix":
    import numpy as np

    index: dict[str, int] = {}
    for words in contents:
        for word in words:
            index.setdefault(word, len(index))
    held = np.zeros((len(contents), len(index) or 1), dtype=np.float32)
    for place, words in enumerate(contents):
        held[place, [index[word] for word in words]] = 1.0
    sizes = held.sum(axis=1, dtype=np.float64)
    both = np.maximum(sizes[:, None] + sizes[None, :], 1.0)
    shared: Matrix = BELOW * 2.0 * (held @ held.T).astype(np.float64) / both
    return shared


def similarity_of(
    name: str,
    env: Mapping[str, str],
    sim_url: str | None = None,
    *,
    limits: "Limits | None" = None,
    timing: "Timing | None" = None,
) -> Similarity:
    """`lexical`, or the measure by the embeddings model of this name (`embeddings_of`). Raises UsageError."""
    name = name.strip()
    if name == LEXICAL:
        return LexicalSimilarity()
    from .models.embedding_similarity import EmbeddingSimilarity  # heavy: only where a model is asked
    from .models.embeddings import embeddings_of, key_of

    embeddings = embeddings_of(name, env, sim_url, limits=limits, timing=timing)
    return EmbeddingSimilarity(embeddings, name, key=key_of(name, env), limits=limits, timing=timing)
