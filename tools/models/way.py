"""How an endpoint is spoken to, and the transport that does it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...state.errors import UsageError
from .address import ModelAddress
from .providers import PROVIDERS

if TYPE_CHECKING:
    from .transport import Transport


@dataclass(frozen=True, slots=True)
class Way:
    """By chat completions, or as only langchain-openai does it."""

    responses: bool = False
    """By OpenAI's Responses API."""
    azure_version: str = ""
    """Of Azure's API."""

    @classmethod
    def of(cls, address: ModelAddress, env: Mapping[str, str]) -> "Way":
        """Raises UsageError where Azure's version is not set."""
        variables = PROVIDERS[address.provider].version_variables
        versions = [env[name].strip() for name in variables if env.get(name, "").strip()]
        if variables and not versions:
            named = " or ".join(variables)
            raise UsageError(
                f"{address.label} needs a version of Azure's API: set {named}, as in 2024-10-21."
            )
        return cls(bool(address.settings.api), versions[0] if versions else "")

    @property
    def plain(self) -> bool:
        return not (self.responses or self.azure_version)

    def transport(self, base_url: str, key: str | None, **pool: Any) -> "Transport":
        """The transport of an endpoint, with what `Transport` takes. What it imports is heavy."""
        if self.plain:
            from .transport import Transport

            return Transport(base_url, key, **pool)
        from .sdk import SdkTransport

        return SdkTransport(
            base_url, key, responses=self.responses, azure_version=self.azure_version, **pool
        )
