"""Which world this is: one name for all places and times at which the very same replies are given."""

from datetime import date
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

from .. import __version__
from ..state.spec import WorldSpec


def identity(spec: WorldSpec, today: date) -> str:
    """Thirty-two hex digits over what decides the replies: the spec, the day that dates the newest literature, and the
    program, by its version and its own text."""
    told = (spec.model_dump_json(), today.isoformat(), __version__, _program())
    return blake2b("\0".join(told).encode(), digest_size=16).hexdigest()


@lru_cache(maxsize=1)
def _program() -> str:
    """Digest of the modules and data of the world: whoever works on them must not meet yesterday's replies."""
    here = Path(__file__).parent
    digest = blake2b(digest_size=16)
    for path in sorted(here.rglob("*")):
        if path.is_file() and path.suffix != ".pyc":
            digest.update(path.relative_to(here).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
