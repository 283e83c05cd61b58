"""The clients of one launch: one per endpoint, shared by all models there, closed together, never
module-global; and how many connections fit into what the system lets this process hold open."""

from collections.abc import Callable, Mapping

from ...state.errors import UsageError
from ..net import is_loopback
from ..runs.log import get_logger
from .address import (
    Access,
    ModelAddress,
    check_base_url,
    key_of,
    key_said,
    key_variables,
    locate_model,
    parse_model,
)
from .chat import Chat
from .endpoint import Endpoint, EndpointChat
from .limiter import DEFAULT_CONNECTIONS, Limiter, Limits, Meter, Places, Timing
from .providers import INTEGRATIONS, PROVIDERS
from .rates import Throttle, read_rates
from .settings import defined
from .way import Way

__all__ = ["DEFAULT_CONNECTIONS", "Clients", "Limits", "Timing"]

_ENOUGH = 8192
_OWN = 48
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
        self._meter = Meter()
        self._endpoints: dict[tuple[str, str, Way], Endpoint] = {}
        self._places: dict[str, Places] = {}
        """Where → the calls at once there, which are this process's share of `_capacities`."""
        self._capacities: dict[str, int] = {}
        self.rates = read_rates(self.limits.rates)
        self._throttles: dict[str, dict[str, Throttle]] = {}
        """Where → model → what keeps it to its rate, whichever key is used."""
        self._limiters: dict[str, list[Mapping[str, Limiter]]] = {}
        """Where → limiters by model; one mapping for each key that is used there."""
        self.on_refused: Callable[[str, str, float], None] = lambda where, model, pause_s: None
        """Hears of each wave of 429s that begins here: where, the model, and the seconds of the
        pause."""
        self._chats: dict[str, Chat] = {}

    @property
    def in_flight(self) -> int:
        """Requests under way now, over all endpoints."""
        return self._meter.in_flight

    @property
    def capacity(self) -> int:
        """Most requests that may be under way at once, over the endpoints of all models given out
        so far."""
        allowed = [places.allowed for places in self._places.values()]
        return sum(allowed) if allowed else self.limits.connections()

    @property
    def peak_in_flight(self) -> int:
        """Most requests that were under way at once."""
        return self._meter.peak

    @property
    def queued(self) -> int:
        """Requests that wait for a free connection or for the end of a pause."""
        return self._meter.queued

    @property
    def refused(self) -> int:
        """429s so far."""
        return self._meter.refused

    def wanted(self) -> dict[str, int]:
        """Where (an address, or a provider's name) → calls at once that all processes together may
        have there."""
        return dict(self._capacities)

    def allot(self, where: str, connections: int, share: float = 1.0) -> None:
        """From now on this process may have so many calls at once there (0: none may begin), and
        this share (above 0, to 1) of the rate of each model."""
        for throttle in self._throttles.get(where, {}).values():
            throttle.allot(self._timing.clock(), share)
        if where in self._places:
            self._places[where].allot(connections)

    def under_way(self, where: str) -> int:
        """Calls that hold a place there."""
        return self._places[where].held if where in self._places else 0

    def refused_elsewhere(self, where: str, model: str, pause_s: float) -> None:
        """Another process has met a wave of 429s of this model: it is slowed down here too, if it
        is in use."""
        for limiters in self._limiters.get(where, ()):
            if model in limiters:
                limiters[model].refused_elsewhere(pause_s)

    def get(self, text: str) -> Chat:
        """The model named by `text`, or defined under that name in `env`. Raises UsageError for a
        malformed name, a missing key or what cannot be one, or a missing package."""
        address = parse_model(defined(text, self._env))
        if address.text not in self._chats:
            known = address.provider in PROVIDERS
            self._chats[address.text] = (
                self._at_endpoint(address) if known else self._through_langchain(address)
            )
        return self._chats[address.text]

    async def aclose(self) -> None:
        """Close every connection. The models given out are of no use afterwards."""
        endpoints = list(self._endpoints.values())
        self._endpoints.clear()
        self._chats.clear()
        for endpoint in endpoints:
            await endpoint.aclose()

    def _at_endpoint(self, address: ModelAddress) -> EndpointChat:
        provider = PROVIDERS[address.provider]
        base_url, own_address = locate_model(address, self._env)
        access, way = Access.of(address, self._env), Way.of(address, self._env)
        if access.key is None and not provider.key_optional and not own_address:
            raise UsageError(
                f"{address.label} needs a key: set {' or '.join(provider.key_variables)} in "
                "the environment or in .env."
            )
        self._check_way(address, base_url, access)
        if not way.plain:
            from . import sdk  # noqa: F401  # heavy: loaded now, when no call waits for it yet
        where = base_url or address.provider
        self._capacity(where, provider.connections)
        self._throttle(where, address)

        def locate() -> tuple[Endpoint, bool]:
            return self._endpoint(where, base_url or self._world(address), access, way), own_address

        return EndpointChat(address, provider, locate, key_said=key_said(address, self._env))

    def _capacity(self, where: str, usual: int | None) -> int:
        """Calls at once at an endpoint; the first model there decides for all."""
        connections = self._capacities.setdefault(where, self.limits.connections(usual))
        self._places.setdefault(where, Places(connections))
        return connections

    def _throttle(self, where: str, address: ModelAddress) -> Throttle | None:
        """Of two rates for one model there, said of two of its names, the lower one holds."""
        own, rate = (
            self._throttles.setdefault(where, {}),
            self.rates.own(address.text) or self.rates.plain,
        )
        if rate is not None and (address.model not in own or rate < own[address.model].rate):
            own[address.model] = Throttle(rate)
        return own.get(address.model)

    def _check_way(self, address: ModelAddress, base_url: str | None, access: Access) -> None:
        if (
            not access.secrets
            or base_url is None
            or not base_url.startswith("http:")
            or is_loopback(base_url)
        ):
            return
        if self._env.get("FATHOM_ALLOW_HTTP_KEYS", "").strip() != "1":
            variables = " and ".join(key_variables(address, self._env))
            raise UsageError(
                f"{address.label} would send your key unencrypted to {base_url}: use an https:// "
                "address,"
                f"{f' unset {variables},' if variables else ''} or set FATHOM_ALLOW_HTTP_KEYS=1 if "
                "that network is"
                " trusted."
            )

    def _world(self, address: ModelAddress) -> str:
        if self.sim_url is None:
            raise UsageError(
                f"{address.label} needs the simulated world, which is not up: write "
                "sim@ADDRESS:model."
            )
        return check_base_url(self.sim_url, "The simulated world's address")

    def _endpoint(self, where: str, base_url: str, access: Access, way: Way) -> Endpoint:
        identity = (base_url, access.digest, way)
        if identity not in self._endpoints:
            endpoint = self._endpoints[identity] = Endpoint(
                base_url,
                access,
                self.limits,
                self._timing,
                self._meter,
                connections=self._capacities[where],
                way=way,
                places=self._places[where],
                throttles=self._throttles[where],
                on_refused=lambda model, pause_s: self.on_refused(where, model, pause_s),
            )
            self._limiters.setdefault(where, []).append(endpoint.limiters)
        return self._endpoints[identity]

    def _through_langchain(self, address: ModelAddress) -> Chat:
        from .integrations import IntegrationChat  # heavy: only for these providers

        integration = INTEGRATIONS[address.provider]
        key = key_of(address, self._env)
        if integration.key_variable and not key:
            raise UsageError(
                f"{address.label} needs a key: set {integration.key_variable} in the "
                "environment or in .env."
            )
        if address.settings.headers:
            raise UsageError(
                f"{address.label} is reached through LangChain, which takes no header= from here."
            )
        where, model = address.provider, address.model
        limiter = Limiter(
            self._capacity(where, None),
            self._timing,
            self._meter,
            max_pause_s=self.limits.max_wait_s,
            places=self._places[where],
            throttle=self._throttle(where, address),
            on_refused=lambda pause_s: self.on_refused(where, model, pause_s),
        )
        self._limiters.setdefault(where, []).append({model: limiter})
        return IntegrationChat(
            address, integration, key, limiter=limiter, limits=self.limits, timing=self._timing
        )


def connections_that_fit(runs: int) -> int | None:
    """Most connections for a launch of so many runs, after raising the process's own limit as far
    as it may be.

    None where there is no such limit. Raises UsageError when not even two fit.
    """
    limit = _raised()
    if limit is None:
        return None
    fitting = (limit - _OWN - runs * _PER_RUN) // _PER_CONNECTION
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
