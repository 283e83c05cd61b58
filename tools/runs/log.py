"""Structured logging: one logger for all of Fathom, one `log.jsonl` per run, told apart by context
variables."""

import logging
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import structlog

_STDLIB = logging.getLogger("fathom")
_STDLIB.addHandler(logging.NullHandler())  # a library says nothing unless somebody listens


def get_logger() -> Any:
    """Fathom's logger. Context (run, domain, probe) comes from `structlog.contextvars`."""
    return structlog.wrap_logger(
        _STDLIB,
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(ensure_ascii=True),
        ],
        wrapper_class=structlog.stdlib.BoundLogger,
    )


class RunLog(logging.FileHandler):
    """Writes what is logged while the context variable `run` names this run."""

    def __init__(self, path: Path, run_id: str) -> None:
        super().__init__(path, encoding="utf-8", delay=True)
        self._run_id = run_id
        self.addFilter(self._is_ours)

    def _is_ours(self, record: logging.LogRecord) -> bool:
        return bool(structlog.contextvars.get_contextvars().get("run") == self._run_id)

    def attach(self) -> None:
        _STDLIB.setLevel(logging.INFO)
        _STDLIB.addHandler(self)

    def detach(self) -> None:
        _STDLIB.removeHandler(self)
        with suppress(OSError):  # what is left in its buffer has no room
            self.close()

    def handleError(self, record: logging.LogRecord) -> None:
        """A full disk costs the log, not the run: the journal says so where it matters."""
        if isinstance(sys.exception(), OSError):
            _STDLIB.removeHandler(self)
        else:
            super().handleError(record)
