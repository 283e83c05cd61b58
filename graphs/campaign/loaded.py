"""What the process loads once that the workers of an own cluster, and those that come in the place of dead ones, are
forked from."""

import gc
import signal

signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the coordinator, which tells the workers
gc.set_threshold(1_000_000)  # nothing that is being loaded is garbage

import distributed.nanny  # noqa: E402, F401

from ...tools.facts import mediawiki, tavily  # noqa: E402, F401
from ...tools.models import transport  # noqa: E402, F401
from . import worker  # noqa: E402, F401

gc.set_threshold(700)
