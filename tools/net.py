"""What an address says about the way to it, and what whoever listens there says about when to come back."""

import ipaddress
import os
import ssl
from datetime import UTC
from email.utils import parsedate_to_datetime
from functools import cache
from urllib.parse import urlsplit


def is_loopback(url: str) -> bool:
    """Whether a URL's host is this machine: no proxy belongs between, and what is sent there crosses no network.

    A name below localhost is none: whom it leads to is for DNS to say.
    """
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def told_wait_s(header: str, now_s: float) -> float | None:
    """Seconds that a Retry-After header asks for, a number or a date against `now_s` (POSIX seconds); negative for a
    date in the past, None without a readable one."""
    try:
        wait_s = float(header)
    except ValueError:
        until_s = timestamp(header)
        return None if until_s is None else until_s - now_s
    return wait_s if wait_s >= 0 else None


def timestamp(date: str) -> float | None:
    """The POSIX seconds of a date as headers have it, in UTC unless it says otherwise; None for one that is none, or
    beyond all calendars."""
    try:
        told = parsedate_to_datetime(date)
        return (told if told.tzinfo else told.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def certificates() -> ssl.SSLContext:
    """The authorities that a source's address is checked against: those of SSL_CERT_FILE or SSL_CERT_DIR, else
    certifi's. Read once, as that takes 0.1 s."""
    return _read_certificates(os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR"))


@cache
def _read_certificates(_file: str | None, _folder: str | None) -> ssl.SSLContext:
    import httpx

    return httpx.create_ssl_context()
