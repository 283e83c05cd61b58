"""Whether something answers at an address: one GET, a short time limit, no redirects."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from ... import __version__
from ..net import ACCEPTED, PIECE, Garbled, TooLarge, is_loopback, read_body, untrusted

REACH_S = 5.0


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back. `trouble` says in a few words why nothing did; then `status` is 0."""

    status: int
    body: bytes = field(default=b"", repr=False)
    trouble: str | None = None


async def reach(
    url: str, headers: Mapping[str, str] | None = None, *, limit_s: float = REACH_S
) -> Answer:
    """One GET of the URL. What the network does is in the answer, never an exception."""
    import aiohttp

    sent = {"User-Agent": f"fathom/{__version__}", "Accept": "application/json", **(headers or {})}
    sent["Accept-Encoding"] = ACCEPTED
    try:
        async with (
            aiohttp.ClientSession(
                trust_env=not is_loopback(url),
                timeout=aiohttp.ClientTimeout(total=limit_s),
                cookie_jar=aiohttp.DummyCookieJar(),
                auto_decompress=False,  # `read_body` does it, within its limits
            ) as session,
            session.get(url, headers=sent, allow_redirects=False) as reply,
        ):
            pieces, encoding = (
                reply.content.iter_chunked(PIECE),
                reply.headers.get("Content-Encoding"),
            )
            return Answer(reply.status, await read_body(pieces, encoding))
    except (TooLarge, Garbled) as error:
        return Answer(0, trouble=f"it {error}")
    except TimeoutError:
        return Answer(0, trouble=f"no answer within {limit_s:g} s")
    except aiohttp.ClientConnectorDNSError:
        return Answer(0, trouble="its name is not known to this network")
    except aiohttp.ClientConnectorCertificateError as error:
        return Answer(0, trouble=untrusted(error.certificate_error))
    except aiohttp.ClientConnectorError as error:
        return Answer(0, trouble=_in_words(error.os_error))
    except (aiohttp.ClientError, ValueError, OSError) as error:
        return Answer(0, trouble=f"the exchange broke off ({type(error).__name__})")


def _in_words(error: OSError) -> str:
    words = os.strerror(error.errno) if error.errno else type(error).__name__
    return words[:1].lower() + words[1:]
