"""Keys: what can be one, and how it is taken out of what others send back, so that an echo is never
kept."""

from collections.abc import Mapping
from urllib.parse import quote, quote_plus

from ..state.errors import UsageError

HIDDEN = "[key]"
_SHORTEST = 8
"""Characters of a key that is looked for; what is shorter may be an ordinary word."""
_NO_KEY = frozenset({"empty", "none", "ollama"})
"""What a local server's clients are told to send in place of a key: no secrets, although they are
short."""


def key_in(env: Mapping[str, str], *variables: str) -> str | None:
    """The key in the first of these variables that holds any, None without one. Raises UsageError,
    with the variable's name and without its value, for what cannot be a key."""
    name = next((name for name in variables if env.get(name, "").strip()), None)
    if name is None:
        return None
    if why := broken_key(env[name]):
        raise UsageError(
            f"{name} cannot be a key: {why}. Set it again, or leave it empty if no key is needed."
        )
    return env[name].strip()


def broken_key(value: str) -> str | None:
    """Why a value that is not blank cannot be a key, in words that do not repeat it; None when it
    can."""
    key = value.strip()
    if key[0] in "\"'`" or key[-1] in "\"'`":
        return "it contains quotation marks"
    if any(sign.isspace() for sign in key):
        return "it contains spaces"
    if not (key.isascii() and key.isprintable()):
        return "it contains characters that no key has"
    short = len(key) < _SHORTEST and key.lower() not in _NO_KEY
    return f"it is shorter than {_SHORTEST} characters" if short else None


Keys = str | tuple[str, ...] | None
"""What must not come back: a key, several secrets, or nothing."""


def hide(text: str, keys: Keys) -> str:
    """The text without the keys."""
    for key in (keys,) if isinstance(keys, str) else keys or ():
        if len(key) >= _SHORTEST:
            text = text.replace(key, HIDDEN)
    return text


def hide_bytes(body: bytes, key: str) -> bytes:
    """A response body without the key, as it is or as addresses and JSON spell it."""
    if len(key) < _SHORTEST:
        return body
    for spelling in {
        key,
        quote(key),
        quote(key, safe=""),
        quote_plus(key),
        key.replace("/", "\\/"),
    }:
        body = body.replace(spelling.encode(), HIDDEN.encode())
    return body
