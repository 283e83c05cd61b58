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
    """Shown as required. The parser insists on arguments, a command on options: it says what to do.
    """
    least: float | None = None
    most: float | None = None
    """Beyond this a number is a slip of the finger, and the statistics would run out of memory."""
    env: str = ""
    """The environment variable that says the same."""
    study: str = ""
    """Its name in a study file; empty: that of the long flag; `-`: it has none."""

    @property
    def long(self) -> str:
        """The long flag as a word; of an argument its key."""
        return (
            max(self.flags.split() or [""], key=len).partition("/")[0].lstrip("-").replace("-", "_")
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
