"""Small parts of what `fathom show --path` prints of a step."""

from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from ..agents.addressed import addressed
from ..state.eqt import Sent
from ..state.records import Unscored
from .rows import STYLES
from .sanitise import paragraphs

INDENT = 4


def line(text: Text, depth: int = 1) -> RenderableType:
    """The text, indented."""
    return Padding(text, (0, 0, 0, INDENT * depth), expand=False)


def field(name: str, text: str, style: str = "", depth: int = 1) -> RenderableType:
    """`name: text`, the text made harmless, with its line ends."""
    return line(Text.assemble((f"{name}: ", "dim"), (paragraphs(text), style)), depth)


def fault_lines(fault: Unscored | None, depth: int = 1) -> list[RenderableType]:
    """Why there is nothing; nothing without a fault."""
    if fault is None:
        return []
    why = f"{fault.stage}: {fault.kind}. {fault.message}"
    return [field("nothing came of it, for a fault that counts against nobody", why, STYLES["unscored"], depth)]


def pointed_out(text: str, depth: int = 1) -> list[RenderableType]:
    """A line under a text that speaks to a model or a marker; nothing is decided by it."""
    phrase = addressed(text)
    return [field("speaks to a model or a marker", f"“{phrase}”", STYLES["warning"], depth)] if phrase else []


def sent_lines(prompt: tuple[Sent, ...], what: str, depth: int = 1) -> list[RenderableType]:
    """What was sent first for a step, word for word."""
    lines: list[RenderableType] = []
    for sent in prompt:
        lines.append(line(Text(f"{what}, {sent.role}:", "dim"), depth))
        lines.append(line(Text(paragraphs(sent.text)), depth + 1))
    return lines
