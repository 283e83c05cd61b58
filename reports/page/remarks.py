"""Sentences that the pages of several methods share."""

from collections.abc import Sequence

from .sanitise import one_line


def sentence(text: str) -> str:
    """The text with a capital at its start and a full stop at its end."""
    capital = text[:1].upper() + text[1:]
    return capital if text.endswith((".", "!", "?")) else f"{capital}."


DEVIATES = "Where this run deviates from the published method"

ACROSS_DOMAINS = (
    "EVD compares models within a domain; it does not compare domains with each other, "
    "because each domain has its own sources and its own questions."
)
FEW = 3
"""Runs up to which each is shown in full; of more, each is a line of a table."""
SIMULATED = "SIMULATED: these numbers come from the simulated world and measure no real model."


def left_out(names: Sequence[str], most: int = 3) -> str:
    """`A, B, C and 9 more`."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(one_line(name) for name in names[:most]) + more
