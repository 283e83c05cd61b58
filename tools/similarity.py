"""How alike questions are."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class Similarity(Protocol):
    """What tells how alike texts are."""

    @property
    def name(self) -> str:
        """As a spec names it: `lexical`, or an embeddings model."""
        ...

    async def of(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Likeness of each text to each, 0 … 1: a matrix of shape (n, n). Raises CallFailed, EndpointRefused."""
        ...


class Lexical:
    """By words."""

    name = "lexical"

    async def of(self, texts: Sequence[str]) -> NDArray[np.float64]:
        return np.array([[float(a == b) for b in texts] for a in texts])
