"""Checkpoints in a PostgreSQL that nobody here wrote: a drill is cut off there and goes on."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from fathom.state.result import DrillResult

from .command_line import Caller
from .drills import lasting

BIN = next(iter(sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)), None)
PASSWORD = "canary-of-the-database"
DRILL = ["drill", "Chemical elements", "-t", "sim:student", "-e", "sim:evaluator", "-n", "6", "--max-depth", "3"]
QUIET = ["--threshold", "0.001", "--display", "none", "--json"]

pytestmark = pytest.mark.skipif(
    BIN is None or (os.geteuid() == 0 and shutil.which("runuser") is None),
    reason="needs a PostgreSQL installed on this machine, and a user that may run it",
)


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Caller:
    return Caller(tmp_path, monkeypatch, capsys)


def as_postgres(*words: str | Path) -> list[str]:
    """The database refuses to run as root."""
    return [*(["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []), *map(str, words)]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    assert BIN is not None
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    # its sockets' paths must be short, and its folder must be the other user's
    made = subprocess.run(as_postgres("mktemp", "-d"), capture_output=True, text=True, check=True, cwd="/")
    folder = Path(made.stdout.strip())
    secret = folder / "secret"
    subprocess.run(as_postgres("sh", "-c", f"echo {PASSWORD} > {secret}"), check=True, cwd="/")
    create = as_postgres(
        BIN / "initdb", "-D", folder / "data", "-U", "fathom", "-A", "scram-sha-256", f"--pwfile={secret}"
    )
    subprocess.run(create, check=True, capture_output=True, cwd="/")
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c fsync=off"
    control = as_postgres(BIN / "pg_ctl", "-D", folder / "data", "-w", "-l", folder / "log")
    subprocess.run([*control, "-o", options, "start"], check=True, capture_output=True, cwd="/")
    try:
        yield f"postgresql://fathom:{PASSWORD}@127.0.0.1:{port}/postgres"
    finally:
        subprocess.run([*control, "-m", "immediate", "stop"], check=True, capture_output=True, cwd="/")
        subprocess.run(as_postgres("rm", "-rf", folder), check=True, cwd="/")


def test_a_drill_is_cut_off_and_goes_on_and_the_password_stands_nowhere(call: Caller, address: str) -> None:
    whole = DrillResult.model_validate_json(call(*DRILL, *QUIET, "--runs", "whole", "--no-cache").out)
    cut = call(*DRILL, *QUIET, "--max-calls", "60", "--checkpoint", address)
    assert cut.code == 3
    (run,) = call.runs
    assert not list(run.glob("checkpoint*")), "it is in the database"
    unnamed = call("resume", "last", "--max-calls", "1000")
    assert (unnamed.code, unnamed.err.count("\n")) == (2, 1)
    assert "name it again with --checkpoint" in unnamed.err
    done = call("resume", "last", "--max-calls", "1000", "--checkpoint", address, *QUIET[2:])
    assert done.code == 0
    assert lasting(DrillResult.model_validate_json(done.out)) == lasting(whole)
    kept = b"".join(path.read_bytes() for path in call.folder.rglob("*") if path.is_file())
    for text in (
        kept.decode(errors="replace"),
        *(part for said in (cut, unnamed, done) for part in (said.out, said.err)),
    ):
        assert PASSWORD not in text


@pytest.mark.parametrize(
    "change", [(PASSWORD, "wrong-password"), ("/postgres", "/nothing"), ("127.0.0.1:", "127.0.0.1:1")]
)
def test_an_address_that_does_not_do(call: Caller, address: str, change: tuple[str, str]) -> None:
    said = call(*DRILL, *QUIET, "--checkpoint", address.replace(*change)[: len(address) + 8])
    assert said.code == 2
    assert said.err.count("\n") == 1, said.err
    assert "--checkpoint" in said.err
    assert PASSWORD not in said.err
    assert "wrong-password" not in said.err
    assert not call.runs
