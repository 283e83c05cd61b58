"""The fifth method inside another app."""

from typing import Any, ClassVar

from fathom.graphs.embed.binding import Embedded

from .state import ToySpec


class EmbeddedToy(Embedded):
    method = "toy"
    roles: ClassVar = {"target": ""}

    def spec(self, *topics: str, **options: Any) -> ToySpec:
        return self._checked(ToySpec, options, topics=topics)


EMBEDDED = EmbeddedToy
