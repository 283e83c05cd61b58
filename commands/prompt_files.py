"""Prompts of one's own, from files."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from ..agents.skill import Prompt, override
from ..state.errors import UsageError
from ..tools.files.text import read_patiently

MAX_BYTES = 5_000_000


def read_prompts(pairs: Sequence[str], prompts: Mapping[str, Prompt]) -> dict[str, str]:
    """`--prompt NAME=FILE` pairs as texts, checked against the places each of the method's prompts
    must have."""
    texts = {}
    for pair in pairs:
        name, sign, file = (part.strip() for part in pair.partition("="))
        if not sign or not name or not file:
            raise UsageError(
                f"--prompt {pair!r} is not of the form NAME=FILE; names are "
                f"{', '.join(sorted(prompts))}."
            )
        if name not in prompts:
            override(prompts, {name: ""})
        try:
            raw = read_patiently(Path(file), MAX_BYTES)
            texts[name] = raw.decode().replace("\r\n", "\n").replace("\r", "\n")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
            raise UsageError(f"The prompt file {file} cannot be read: {reason}.") from None
        if len(raw) > MAX_BYTES:
            raise UsageError(
                f"The prompt file {file} is larger than 5 MB: that is no prompt; name another file."
            )
    override(prompts, texts)
    return texts
