"""What specs of every method share: the simulated world's settings, and the digest of a spec."""

import hashlib
from typing import Annotated

import orjson
from pydantic import BaseModel, ConfigDict, Field

Rate = Annotated[float, Field(ge=0.0, le=1.0)]


def is_simulated(name: str) -> bool:
    """Whether a model or source string names the simulated world: `sim`, `sim:student`, `sim@http://…`."""
    return name == "sim" or name.startswith(("sim:", "sim@"))


class FaultRates(BaseModel):
    """Chance of each fault per request and attempt in the simulated world (0 … 1); see `fathom.sim`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    rate_limit: Rate = 0.0
    """HTTP 429 with a Retry-After header."""
    server_error: Rate = 0.0
    """HTTP 500."""
    hang: Rate = 0.0
    """No reply at all until the caller gives up."""
    malformed: Rate = 0.0
    """A structured reply that is not JSON."""
    refusal: Rate = 0.0
    """A refusal in place of an answer."""
    cut_off: Rate = 0.0
    """An answer that stops in the middle, finish reason `length`."""
    missing_page: Rate = 0.0
    """A wiki page that does not exist (decided per title, never by attempt)."""


class WorldSpec(BaseModel):
    """What decides the simulated world's replies. Latency and order of arrival do not, so they are not here."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seed: int = 0
    sensitivity: Rate = 1.0
    """Chance that the simulated judge accepts a right answer."""
    specificity: Rate = 1.0
    """Chance that the simulated judge rejects a wrong answer."""
    faults: FaultRates = FaultRates()


def digest_of(spec: BaseModel) -> str:
    """Sixteen hex digits over the canonical JSON of a spec."""
    canonical = orjson.dumps(spec.model_dump(mode="json"), option=orjson.OPT_SORT_KEYS)
    return hashlib.sha256(canonical).hexdigest()[:16]
