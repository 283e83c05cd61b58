"""The log-probabilities of a reply's tokens, as endpoints and LangChain's models list them."""

from collections.abc import Mapping, Sequence
from typing import Any

_BEYOND = 1e300
"""No logarithm is as large: infinity, and whole numbers that no float can hold."""


def read_logprobs(
    listed: object,
    text: str,
    *,
    thought: bool,
) -> tuple[float, ...] | None:
    """The natural logarithm of each content token's probability, as it came; None when there is
    nothing usable.

    `listed` is `{"content": [{"token": …, "logprob": …}]}` as in chat completions, that list alone
    (as LangChain has it for some providers), or `{"tokens": […], "token_logprobs": […]}` as in the
    older completions. One entry without a finite number spoils them all, because nobody could say
    whose the others are.

    `thought`: the reply also held hidden reasoning. Some servers list its tokens among those of the
    content, so they are then taken only if they spell `text`, the visible reply, and nothing else.
    """
    entries = _entries(listed)
    values: list[Any] = [entry.get("logprob") for entry in entries]
    if (
        not values
        or not all(map(_is_number, values))
        or (thought and _spelt(entries) != text.strip())
    ):
        return None
    return tuple(float(value) for value in values)


def _entries(listed: object) -> Sequence[Mapping[str, Any]]:
    """One mapping per token; an empty one where none was given."""
    if isinstance(listed, Mapping):
        listed = listed.get("content") or _older(listed)
    if not isinstance(listed, list):
        return ()
    return [entry if isinstance(entry, Mapping) else {} for entry in listed]


def _older(listed: Mapping[str, Any]) -> list[dict[str, Any]]:
    values, tokens = listed.get("token_logprobs"), listed.get("tokens")
    if not isinstance(values, list):
        return []
    named = (
        tokens
        if isinstance(tokens, list) and len(tokens) == len(values)
        else [""] * len(values)
    )
    return [
        {"token": token, "logprob": value} for token, value in zip(named, values, strict=True)
    ]


def _is_number(value: object) -> bool:
    return (
        isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < _BEYOND
    )


def _spelt(entries: Sequence[Mapping[str, Any]]) -> str:
    spelling = b"".join(map(_bytes, entries))
    return spelling.decode("utf-8", "replace").strip()


def _bytes(entry: Mapping[str, Any]) -> bytes:
    """A token's bytes; a character that several tokens share has no token of its own that could be
    written."""
    raw, token = entry.get("bytes"), entry.get("token")
    if isinstance(raw, list) and all(isinstance(byte, int) and 0 <= byte < 256 for byte in raw):
        return bytes(raw)
    return token.encode("utf-8", "replace") if isinstance(token, str) else b""
