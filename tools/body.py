"""How much of a reply is read: so many bytes and no more, as sent and as unpacked, whoever sends it."""

import zlib
from collections.abc import AsyncIterable

MOST_BYTES = 16 * 2**20
"""Of one body, as sent and as unpacked."""
MOST_PARTS = 2_000_000
"""Commas and opening brackets of one body: JSON takes up to thirty times its size once it is read."""
ACCEPTED = "gzip, deflate"
"""For the header Accept-Encoding: nothing else is unpacked here."""
PIECE = 2**16
"""Bytes to read at a time."""


class TooLarge(Exception):
    """There is more than is read. The message goes on after the name of whoever sent it."""


class Garbled(Exception):
    """What came cannot be unpacked, or breaks off. The message goes on after the name of whoever sent it."""


async def read_body(
    pieces: AsyncIterable[bytes], encoding: str | None, *, most: int = MOST_BYTES, parts: int = MOST_PARTS
) -> bytes:
    """A body from its pieces as they come over the wire, unpacked from its Content-Encoding. No more is ever held than
    `most` bytes and one piece. Raises TooLarge and Garbled; closing the response is the caller's, as is a time limit.
    """
    body, sent = bytearray(), 0
    packed = _Packed() if _is_packed(encoding) else None
    async for piece in pieces:
        sent += len(piece)
        # one byte over the limit tells that there is more
        body += packed.unpack(piece, most + 1 - len(body)) if packed else piece
        if max(sent, len(body)) > most:
            raise TooLarge(f"sent more than {most / 2**20:g} MB in one reply")
    if packed and sent and not packed.complete:
        raise Garbled("sent a packed reply that breaks off")
    if sum(map(body.count, (b",", b"{", b"["))) > parts:
        raise TooLarge(f"sent more than {parts} values in one reply")
    return bytes(body)


def _is_packed(encoding: str | None) -> bool:
    name = (encoding or "identity").strip().lower()
    if name not in ("identity", "gzip", "x-gzip", "deflate"):  # several, one within the other, are never asked for
        raise Garbled(f"sent a reply packed as {name[:40]}, which nobody asked for")
    return name != "identity"


class _Packed:
    """Gzip or deflate, the latter with its header or, as some servers send it, without."""

    def __init__(self) -> None:
        self._unpacking: zlib._Decompress | None = None

    @property
    def complete(self) -> bool:
        return self._unpacking is not None and self._unpacking.eof

    def unpack(self, piece: bytes, most: int) -> bytes:
        if not piece or self.complete:
            return b""
        if self._unpacking is None:
            headed = piece[0] == 0x1F or piece[0] & 0x0F == 8
            self._unpacking = zlib.decompressobj(zlib.MAX_WBITS | 32 if headed else -zlib.MAX_WBITS)
        try:
            return self._unpacking.decompress(piece, most)
        except zlib.error:
            raise Garbled("sent a packed reply that cannot be unpacked") from None
