"""Servers that tests start: each ends with the process that started it, however that ends."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

_WATCH = 'read -r _; for pid in "$@"; do kill -s KILL -- "$pid" 2> /dev/null; done'
"""Its input ends when nobody is left who could write to it."""


@contextmanager
def ending_with_us(pid: int) -> Iterator[None]:
    """The process with this id, or with a minus in front the group, is killed should we be killed
    in here."""
    watch = ["sh", "-c", _WATCH, "watch", str(pid)]
    # a session of its own: what is sent to all of our group must not reach it
    with subprocess.Popen(watch, stdin=subprocess.PIPE, start_new_session=True) as watcher:
        try:
            yield
        finally:
            watcher.kill()
