"""Addresses and language codes that a user writes: refused here, in one sentence, before anything is asked."""

import re
from urllib.parse import urlsplit

from ...state.errors import UsageError

_LANGUAGE = re.compile(r"[a-z]{2,12}(?:-[a-z0-9]{1,12})*")


def check_language(code: str) -> str:
    """The code, when it can be part of a wiki's host name: `en`, `zh-yue`, `simple`. Raises UsageError otherwise."""
    if not _LANGUAGE.fullmatch(code):
        raise UsageError(f"{code!r} is not a language code: use one such as en, de or simple, in small letters.")
    return code


def check_address(address: str, what: str, *, needs_path: bool = False) -> str:
    """The address, when it is http or https with a host, without a password and without a query, both of which would be
    kept with every result. Raises UsageError otherwise.

    `what` names it in the message: "the address in mediawiki:…". With `needs_path` a bare host is refused too.
    """
    # what stands before an @ may be a password, behind a ? a key: neither they nor a parser's words are repeated
    hidden = re.search("[@?#]", address) is not None
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        why = "" if hidden else f" ({error})"
        raise UsageError(f"{what} is malformed{why}: write it as https://host/path.") from None
    if parts.scheme not in ("http", "https") or not host or re.search(r"\s", address):
        named = what if hidden else f"{what}, {address!r},"
        raise UsageError(f"{named} is malformed: write it as https://host/path.")
    if "@" in parts.netloc:
        raise UsageError(f"{what} holds a user name or password: it would be kept with every result. Leave it out.")
    if "?" in address or "#" in address:
        raise UsageError(f"{what} has a query or a fragment, which would be kept with every result: leave it out.")
    if needs_path and not parts.path.strip("/"):
        raise UsageError(
            f"{what}, {address!r}, lacks a path: a wiki answers at its api.php, as in {address}/w/api.php."
        )
    return address
