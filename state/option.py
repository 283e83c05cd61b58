"""What the command line says of a field, or of anything else that can be asked for: its names, its
help, its bounds."""

from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

MODELS, METHOD, LIMITS, OUTPUT, ADVANCED = PANELS = (
    "Models",
    "Method",
    "Limits",
    "Output",
    "Advanced",
)
"""The panels of a command's help, in their order."""
Kind = Literal["text", "model", "file", "sources", "pair", "material", "run"]
"""What a word is: `pair` NAME=FILE, `material` a file or a run. A shell completes it and a study
file reads it by that."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option, or, without flags, an argument."""

    flags: str
    """With blanks between them; messages use the first."""
    metavar: str
    """Empty for a switch."""
    help: str
    panel: str = METHOD
    _: KW_ONLY
    name: str = ""
    """The key of its value; empty: the spec's field, else the long flag."""
    type: Any = None
    """`list[str]` when it may be repeated; None: the type of the spec's field, else by what it is.
    """
    kind: Kind = "text"
    default: str = ""
    """What is shown as the default; empty: the default of the spec's field, if there is one."""
    required: bool = False
    """The parser insists on arguments, a command on options: it says what to do."""
    instead: str = ""
    """The key of the option of which one of the two is required."""
    excludes: tuple[str, ...] = ()
    """Keys of options that cannot be given beside it."""
    least: float | None = None
    most: float | None = None
    """Bounds of a number that is no field of a spec: those stand in the field."""
    env: str = ""
    """The environment variable that says the same."""
    study: str = ""
    """Its name in a study file; empty: that of the long flag; `-`: it has none."""

    @property
    def long(self) -> str:
        """The long flag as a word; of an argument its key."""
        return (
            max(self.flags.split() or [""], key=len)
            .partition("/")[0]
            .lstrip("-")
            .replace("-", "_")
            or self.name
        )

    @property
    def key(self) -> str:
        """The key of its value."""
        return self.name or self.long

    @property
    def flag(self) -> str:
        """What messages call it."""
        return self.flags.split()[0].partition("/")[0] if self.flags else self.metavar


def words_in(value: Any) -> Any:
    """The words of a list, of which each may be several with commas between them. Raises ValueError
    where one stands there twice."""
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list | tuple) or not all(isinstance(text, str) for text in value):
        return value
    words = [word.strip().casefold() for text in value for word in text.split(",")]
    if len(set(words)) < len(words):
        raise ValueError("a word is named twice: name each once")
    return words
