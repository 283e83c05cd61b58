"""Keys taken out of what others send back: an endpoint that echoes its key must not put it into what is kept."""

from urllib.parse import quote, quote_plus

HIDDEN = "[key]"
_SHORTEST = 8
"""Characters of a key that is looked for; what is shorter may be an ordinary word."""


def hide(text: str, key: str | None) -> str:
    """The text without the key."""
    return text.replace(key, HIDDEN) if key and len(key) >= _SHORTEST and key in text else text


def hide_bytes(body: bytes, key: str) -> bytes:
    """A response body without the key, as it is or as addresses and JSON spell it."""
    if len(key) < _SHORTEST:
        return body
    for spelling in {key, quote(key), quote(key, safe=""), quote_plus(key), key.replace("/", "\\/")}:
        body = body.replace(spelling.encode(), HIDDEN.encode())
    return body
