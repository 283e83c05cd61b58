"""The simulated embeddings endpoint: lexical vectors, the same for the same text everywhere."""

from collections.abc import Sequence
from functools import lru_cache
from math import sqrt
from typing import Any

from .corpus import corpus
from .faults import BadRequest
from .foreign import SMALL
from .values import number, tokens

MODEL = "embedding"
DIMENSIONS = 512
_WORD, _FILLER, _NAME, _PIECE = 1.0, 0.2, 1.5, 0.2
"""Weights of a word; of one such as `the`; of an element's name or a figure; of three letters in a
row of a word."""
_SPREAD = 6
_FILLERS = SMALL | frozenset(("briefly", "please", "explain", "describe", "exactly"))


def embed(body: object) -> dict[str, Any]:
    """The reply to a request for embeddings. Raises BadRequest."""
    if not isinstance(body, dict) or body.get("model") != MODEL:
        raise BadRequest(f"The simulated world has one embeddings model, {MODEL!r}.")
    texts = _texts(body.get("input"))
    if body.get("dimensions") or body.get("encoding_format", "float") != "float":
        raise BadRequest(f"The simulated embeddings are {DIMENSIONS} floats and nothing else.")
    data = [
        {"object": "embedding", "index": index, "embedding": vector(text)}
        for index, text in enumerate(texts)
    ]
    used = sum(-(-len(text) // 4) for text in texts)
    usage = {"prompt_tokens": used, "total_tokens": used}
    return {"object": "list", "data": data, "model": f"sim-{MODEL}", "usage": usage}


def _texts(text_or_texts: object) -> Sequence[str]:
    texts = [text_or_texts] if isinstance(text_or_texts, str) else text_or_texts
    if (
        not isinstance(texts, list)
        or not texts
        or not all(isinstance(text, str) and text for text in texts)
    ):
        raise BadRequest("'input' must be a text or a list of texts, none of them empty.")
    return texts


@lru_cache(maxsize=4096)
def vector(text: str) -> list[float]:
    """A unit vector: each word once, fillers lightly, names and figures heavily, and the letters in
    a row of words.

    A text without any word is the vector of its characters.
    """
    features = {word: _weight(word) for word in tokens(text)}
    for word in [word for word, weight in features.items() if weight == _WORD]:
        for start in range(len(word)):
            piece = f"#{f'_{word}_'[start : start + 3]}"
            features[piece] = features.get(piece, 0.0) + _PIECE
    sums = [0.0] * DIMENSIONS
    for feature, weight in (features or dict.fromkeys(text, 1.0)).items():
        for index, sign in _places(feature):
            sums[index] += sign * weight
    length = sqrt(sum(value * value for value in sums))
    return [value / length for value in sums] if length else [1.0] + [0.0] * (DIMENSIONS - 1)


def _weight(word: str) -> float:
    if word in _FILLERS:
        return _FILLER
    return _NAME if word in corpus().symbols or word[0].isdigit() else _WORD


@lru_cache(maxsize=65_536)
def _places(feature: str) -> list[tuple[int, float]]:
    """Dimensions and signs of a feature: several, so that no two features share them all."""
    hashed = [number("embedding", feature, turn) for turn in range(_SPREAD)]
    return [(digest % DIMENSIONS, 1.0 if digest >> 63 else -1.0) for digest in hashed]
