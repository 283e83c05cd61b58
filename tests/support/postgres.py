"""A PostgreSQL server that the tests start, with a password that nobody may hear."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from .servers import ending_with_us

PASSWORD = "canary-s3cret/with:odd@signs"
WRITTEN = "canary-s3cret%2Fwith%3Aodd%40signs"
_COUNT = count()
USER = "postgres"
"""initdb refuses to run as root; Debian's package brings this user along."""


@dataclass(frozen=True)
class Server:
    """A cluster of its own; `program` runs one of its tools."""

    home: Path
    port: int
    bin: Path

    @property
    def address(self) -> str:
        return f"postgresql://fathom:{WRITTEN}@127.0.0.1:{self.port}/fathom"

    def program(self, *words: str) -> None:
        as_user: dict[str, Any] = (
            {"user": USER, "group": USER, "extra_groups": []} if os.geteuid() == 0 else {}
        )
        subprocess.run(
            [str(self.bin / words[0]), *words[1:]],
            check=True,
            capture_output=True,
            cwd="/",
            **as_user,
        )

    def rows(self, table: str) -> int:
        import psycopg

        with psycopg.connect(self.address) as connection:
            found = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
        return int(found[0]) if found else 0

    def new_database(self, options: str = "") -> str:
        """The address of one with nothing in it."""
        import psycopg

        name = f"new{next(_COUNT)}"
        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} {options}")
        return self.address.rpartition("/")[0] + f"/{name}"

    def cut_off(self) -> None:
        """End every connection there is."""
        import psycopg

        with psycopg.connect(self.address) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> "
                "pg_backend_pid()"
            )


def _binaries() -> Path:
    pytest.importorskip("psycopg")
    found = shutil.which("initdb") or next(
        map(str, sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))), None
    )
    if found is None:
        pytest.skip("PostgreSQL is not installed: no initdb")
    return Path(found).resolve().parent


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


@contextmanager
def serving() -> Iterator[Server]:
    """Skips the test where PostgreSQL is not installed."""
    binaries = _binaries()
    import psycopg

    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        server = Server(home, _free_port(), binaries)
        secret = home / "password"
        secret.write_text(PASSWORD)
        if os.geteuid() == 0:
            try:
                shutil.chown(home, USER, USER)
                shutil.chown(secret, USER, USER)
            except LookupError:
                pytest.skip(f"root cannot run initdb, and there is no user {USER}")
        data = str(home / "data")
        server.program(
            *(
                "initdb",
                "-D",
                data,
                "-U",
                "fathom",
                f"--pwfile={secret}",
                "-A",
                "scram-sha-256",
                "--no-sync",
            ),
            *("-E", "UTF8", "--locale=C"),
        )
        options = f"-p {server.port} -k {home} -c listen_addresses=127.0.0.1 -c fsync=off"
        server.program(
            "pg_ctl", "-D", data, "-o", options, "-l", str(home / "log"), "-w", "start"
        )
        try:
            admin = server.address.rpartition("/")[0] + "/postgres"
            with psycopg.connect(admin, autocommit=True) as connection:
                connection.execute("CREATE DATABASE fathom")
            with ending_with_us(int((home / "data" / "postmaster.pid").read_text().split()[0])):
                yield server
        finally:
            server.program("pg_ctl", "-D", data, "-m", "immediate", "stop")


def nowhere(text: str) -> None:
    """No part of the password is in the text."""
    for part in (PASSWORD, WRITTEN, "canary-s3cret", "odd@signs", "odd%40signs"):
        assert part not in text
