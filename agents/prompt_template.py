"""Prompts: text with `$name` places, rendered strictly in one pass, overridable, with a digest.

Data never mixes with instructions: every value is rendered as a tagged block that nothing inside it can end, and in
which nothing can pass for a block of its own (`agents.blocks`).
"""

import hashlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from string import Template

from ..state.errors import UsageError
from ..tools.models.chat import Message
from .blocks import block, restore

__all__ = ["Prompt", "block", "lines", "override", "restore"]

USER_PART = "=== user ==="


def lines(items: Iterable[str]) -> str:
    """One item per line, line breaks inside an item flattened."""
    return "\n".join(" ".join(item.split()) for item in items)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A system part and a user part, split by a line `=== user ===`; `fields` are the places it must have."""

    name: str
    text: str
    fields: frozenset[str]

    def __post_init__(self) -> None:
        template = Template(self.text)
        if not template.is_valid():
            raise UsageError(f"The prompt {self.name!r} has a stray $; write $$ for a dollar sign.")
        found = set(template.get_identifiers())
        if found != self.fields:
            missing, unknown = sorted(self.fields - found), sorted(found - self.fields)
            faults = [f"lacks ${name}" for name in missing] + [f"has an unknown ${name}" for name in unknown]
            raise UsageError(f"The prompt {self.name!r} {' and '.join(faults)}; its places are {_places(self.fields)}.")
        if self.text.count(USER_PART) != 1:
            raise UsageError(f"The prompt {self.name!r} needs exactly one line {USER_PART!r} between its two parts.")

    def render(self, *, bare: Collection[str] = (), **values: str) -> tuple[Message, ...]:
        """System and user message, each value as a block named after its place; those named in `bare` as they are.

        A missing value is a KeyError.
        """
        blocks = {name: values[name] if name in bare else block(name, values[name]) for name in self.fields}
        system, user = self.text.split(USER_PART)
        messages = [Message("user", Template(user).substitute(blocks).strip())]
        if system.strip():
            messages.insert(0, Message("system", Template(system).substitute(blocks).strip()))
        return tuple(messages)

    @property
    def digest(self) -> str:
        """Sixteen hex digits over the text as written."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]


def _places(fields: Iterable[str]) -> str:
    return ", ".join(f"${name}" for name in sorted(fields)) or "none"


def override(prompts: Mapping[str, Prompt], texts: Mapping[str, str]) -> dict[str, Prompt]:
    """The prompts with some texts replaced. Raises UsageError for an unknown name or an unusable text."""
    unknown = sorted(set(texts) - set(prompts))
    if unknown:
        raise UsageError(f"There is no prompt {unknown[0]!r}; the prompts are {', '.join(sorted(prompts))}.")
    return {name: replace(prompt, text=texts.get(name, prompt.text)) for name, prompt in prompts.items()}
