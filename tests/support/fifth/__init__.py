"""A fifth method, as small as one can be: the target says of each topic what its chemical symbol
is, and is right where it says anything. Entered in the one table of methods, it is planned, paid
for, resumed, replayed, embedded, compared, decided on, shown, reported and exported like the
others.
"""

from . import state  # isort: skip  # before all else

from fathom.graphs.method import METHODS, Method
from fathom.graphs.run import usual

__all__ = ["state"]

METHODS["toy"] = Method("Toy", __name__, "Symbols were asked for.", asks=("topics", ["Tin"]))
usual.USUAL["toy_symbol"] = usual.USUAL["answer"]  # type: ignore[index]  # what its replies are like
