"""The services that index literature, at the paths below which their stand-ins answer."""

from collections.abc import Mapping
from datetime import date
from typing import Any, Literal

from . import europepmc, openalex

Json = dict[str, Any]
Service = Literal["europepmc", "openalex"]
PATHS: Mapping[Service, str] = {
    "europepmc": "/europepmc/webservices/rest",
    "openalex": "/openalex",
}
"""Base addresses, as they are written after `europepmc@` and `openalex@`."""
ROUTES: Mapping[Service, str] = {
    "europepmc": f"{PATHS['europepmc']}/search",
    "openalex": f"{PATHS['openalex']}/works",
}


def respond(service: Service, params: Mapping[str, str], today: date) -> Json:
    """The reply to a request. Raises BadQuery."""
    return europepmc.search(params, today) if service == "europepmc" else openalex.works(params, today)


def error(service: Service, status: int, message: str) -> Json:
    """A refusal in the service's own format."""
    return europepmc.error(status, message) if service == "europepmc" else openalex.error(status, message)
