"""Which simulated world listens at an address: what it says of itself, whatever port it has today."""

import asyncio

import orjson

from .net import ACCEPTED, PIECE, Garbled, TooLarge, is_loopback, read_body

_LIMIT_S = 5.0


class WorldName:
    """The name of the world served below an address such as `http://127.0.0.1:8788/v1`. Asked for until there is an
    answer, which is then remembered; those who want it at the same time share one request."""

    def __init__(self, api_url: str, key: str | None = None) -> None:
        self._api_url = api_url
        self._key = key
        self._name: str | None = None
        self._asking: asyncio.Task[str | None] | None = None

    async def get(self) -> str:
        """The digest of the world; empty when whoever answers there names none, or nobody answers."""
        if self._name is None:
            if self._asking is None or self._asking.done():
                self._asking = asyncio.ensure_future(_asked(self._api_url, self._key))
            self._name = await asyncio.shield(self._asking)
        return self._name or ""


async def _asked(api_url: str, key: str | None) -> str | None:
    """None when nobody answered."""
    import aiohttp  # heavy: only where a simulated world is used

    headers = {"Authorization": f"Bearer {key or 'none'}", "Accept-Encoding": ACCEPTED}
    limit = aiohttp.ClientTimeout(_LIMIT_S)
    try:
        async with (
            aiohttp.ClientSession(
                trust_env=not is_loopback(api_url), headers=headers, timeout=limit, auto_decompress=False
            ) as session,
            session.get(f"{api_url.rstrip('/')}/models", allow_redirects=False) as response,
        ):
            if response.status != 200:
                return ""
            pieces = response.content.iter_chunked(PIECE)
            body = orjson.loads(await read_body(pieces, response.headers.get("Content-Encoding")))
    except (aiohttp.ClientError, TimeoutError):
        return None
    except (ValueError, TooLarge, Garbled):
        return ""
    world = body.get("world") if isinstance(body, dict) else None
    return world if isinstance(world, str) else ""
