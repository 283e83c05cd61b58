"""The clients of one launch: one per endpoint, shared by all models there, closed together, never
module-global; and how many connections fit into what the system lets this process hold open."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...state.errors import UsageError
from ..net import is_loopback
from ..runs.log import get_logger
from .address import (
    Access,
    ModelAddress,
    check_base_url,
    key_of,
    key_origin,
    key_variables,
    locate_model,
    parse_model,
)
from .chat import Chat
from .limiter import DEFAULT_CONNECTIONS, Destination, Limits, Meter, Timing
from .model import EndpointChat
from .providers import INTEGRATIONS, PROVIDERS
from .rates import read_rates
from .settings import defined

if TYPE_CHECKING:
    from .endpoint import Endpoint

__all__ = ["DEFAULT_CONNECTIONS", "Clients", "Limits", "Timing"]

_ENOUGH = 8192
_BASE = 48
"""What the interpreter, the log, the cache and the libraries hold open."""
_PER_RUN = 8
"""Journal, log, lock, and what is opened for a moment."""
_PER_CONNECTION = 4
"""A connection to a model and one to a source, both of which a simulated world holds a second time.
"""


class Clients:
    """Gives out chat models by name. Keys and addresses come from `env`, a plain mapping that is
    never shown.

    `sim_url` is where a `sim:` model without an address of its own is; the runner sets it once the
    world is up. A key is never sent in clear to another machine: an `http://` address beyond
    loopback for which `env` holds a key is refused, unless FATHOM_ALLOW_HTTP_KEYS is 1 in `env` (a
    trusted network, a tunnel).
    """

    def __init__(
        self,
        env: Mapping[str, str],
        limits: Limits | None = None,
        sim_url: str | None = None,
        *,
        timing: Timing | None = None,
    ) -> None:
        self.sim_url = sim_url
        self.limits = limits or Limits()
        self._env = env
        self._timing = timing or Timing()
        self.meter = Meter()
        self._endpoints: dict[tuple[str, str], Endpoint] = {}
        self.destinations: dict[str, Destination] = {}
        """By where they are, an address or a provider's name: what bounds the calls there."""
        self.rates = read_rates(self.limits.rates)
        self._chats: dict[str, Chat] = {}

    @property
    def capacity(self) -> int:
        """Most requests that may be under way at once, over the endpoints of all models given out
        so far."""
        allowed = [destination.places.allowed for destination in self.destinations.values()]
        return sum(allowed) if allowed else self.limits.connections()

    def get(self, text: str) -> Chat:
        """The model named by `text`, or defined under that name in `env`. Raises UsageError for a
        malformed name, a missing key or what cannot be one, or a missing package."""
        address = parse_model(defined(text, self._env))
        if address.text not in self._chats:
            make = (
                self._at_endpoint if address.provider in PROVIDERS else self._through_langchain
            )
            self._chats[address.text] = make(address)
        return self._chats[address.text]

    async def aclose(self) -> None:
        """Close every connection. The models given out are of no use afterwards."""
        endpoints = list(self._endpoints.values())
        self._endpoints.clear()
        self._chats.clear()
        for endpoint in endpoints:
            await endpoint.aclose()

    def _at_endpoint(self, address: ModelAddress) -> Chat:
        provider = PROVIDERS[address.provider]
        base_url, is_own_address = locate_model(address, self._env)
        access = Access.of(address, self._env)
        if access.key is None and not provider.key_optional and not is_own_address:
            _refuse_without_key(address, " or ".join(provider.key_variables))
        self._require_safe_way(address, base_url, access)
        destination = self._destination(
            base_url or address.provider, address, provider.connections
        )

        def locate() -> "Endpoint":
            from .endpoint import Endpoint  # heavy: only when something is really asked

            url = base_url or self._world(address)
            if (url, access.digest) not in self._endpoints:
                self._endpoints[url, access.digest] = Endpoint(url, access, destination)
            return self._endpoints[url, access.digest]

        origin = key_origin(address, self._env)
        return EndpointChat(
            address, provider, locate, own_address=is_own_address, key_origin=origin
        )

    def _destination(
        self,
        where: str,
        address: ModelAddress,
        usual: int | None = None,
    ) -> Destination:
        """The first model there decides how many calls may be under way at once."""
        if where not in self.destinations:
            self.destinations[where] = Destination(
                self.limits.connections(usual),
                self.limits,
                self._timing,
                self.meter,
            )
        rate = self.rates.of_model(address.text) or self.rates.plain
        self.destinations[where].keep_to(address.model, rate)
        return self.destinations[where]

    def _require_safe_way(
        self,
        address: ModelAddress,
        base_url: str | None,
        access: Access,
    ) -> None:
        is_open = base_url is not None and base_url.startswith("http:")
        if not access.secrets or not is_open or is_loopback(base_url or ""):
            return
        if self._env.get("FATHOM_ALLOW_HTTP_KEYS", "").strip() != "1":
            variables = " and ".join(key_variables(address, self._env))
            raise UsageError(
                f"{address.label} would send your key unencrypted to {base_url}: use an https:// "
                f"address, unset {variables or 'the variable of its header'}, or set "
                "FATHOM_ALLOW_HTTP_KEYS=1 if that network is trusted."
            )

    def _world(self, address: ModelAddress) -> str:
        if self.sim_url is None:
            raise UsageError(
                f"{address.label} needs the simulated world, which is not up: write "
                "sim@ADDRESS:model."
            )
        return check_base_url(self.sim_url, "The simulated world's address")

    def _through_langchain(self, address: ModelAddress) -> Chat:
        from .integrations import IntegrationChat  # heavy: only for these providers

        integration = INTEGRATIONS[address.provider]
        key = key_of(address, self._env)
        if integration.key_variable and not key:
            _refuse_without_key(address, integration.key_variable)
        if address.settings.headers:
            raise UsageError(
                f"{address.label} is reached through LangChain, which takes no header= from here."
            )
        destination = self._destination(address.provider, address)
        return IntegrationChat(
            address,
            integration,
            key,
            destination,
        )


def _refuse_without_key(address: ModelAddress, variable: str) -> None:
    raise UsageError(
        f"{address.label} needs a key: set {variable} in the environment or in .env."
    )


def connections_that_fit(runs: int) -> int | None:
    """Most connections for a launch of so many runs, after raising the process's own limit as far
    as it may be.

    None where there is no such limit. Raises UsageError when not even two fit.
    """
    limit = _raised()
    if limit is None:
        return None
    fitting = (limit - _BASE - runs * _PER_RUN) // _PER_CONNECTION
    if fitting < 2:
        raise UsageError(
            f"{runs} runs at once need more open files than the {limit} this system allows: raise "
            "the limit"
            " (ulimit -n 4096), or name fewer domains, targets or repeats at a time."
        )
    if fitting < 200:
        get_logger().warning(
            "few files may be open, so fewer calls go at once", limit=limit, connections=fitting
        )
    return fitting


def _raised() -> int | None:
    try:
        import resource
    except ImportError:  # a system without such limits
        return None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return None
    wanted = _ENOUGH if hard == resource.RLIM_INFINITY else min(hard, _ENOUGH)
    if soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    return max(soft, wanted)
