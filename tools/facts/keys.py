"""What a fact source may send, keep and show: a key never goes in clear to another machine, nor into an address."""

from urllib.parse import urlsplit, urlunsplit

from ...state.errors import UsageError
from ..net import is_loopback


def check_key_way(key: str, variable: str, url: str, *, allow_http: bool) -> None:
    """Raises UsageError when there is a key and the address is plain http beyond this machine, unless `allow_http`
    (the user trusts that network: FATHOM_ALLOW_HTTP_KEYS=1). `variable` is where the key came from."""
    if key and not allow_http and urlsplit(url).scheme == "http" and not is_loopback(url):
        raise UsageError(
            f"{variable} would be sent unencrypted to {bare_address(url)}: use an https:// address, unset {variable},"
            " or set FATHOM_ALLOW_HTTP_KEYS=1 if that network is trusted."
        )


def bare_address(url: str) -> str:
    """The address without user, password, query and fragment: what may be kept and shown."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path.rstrip("/"), "", ""))
