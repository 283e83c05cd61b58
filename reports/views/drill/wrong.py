"""The wrong answers of a drill that count."""

from collections.abc import Sequence

from ....state.records import Probe
from .steps import mark_of


def wrong_probes(probes: Sequence[Probe]) -> list[Probe]:
    """The shallowest first."""
    held = [probe for probe in probes if mark_of(probe) == "wrong" and probe.excluded is None]
    return sorted(held, key=lambda probe: (probe.depth, probe.slot, probe.round))
