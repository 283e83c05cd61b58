"""A campaign on dask: the same results as in one process, whatever becomes of its workers."""

import asyncio
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psutil  # type: ignore[import-untyped]
import pytest

pytest.importorskip("distributed")

from distributed import Security
from distributed.comm.core import connect

from fathom.sim.server import Timing

from ...support.campaigns import chats, most_at_once, results, statuses, study, until, words
from ...support.command_line import Caller, on_a_thread, world
from ...support.killed import environment
from ...support.postgres import Server
from ...support.programs import PIPE, Program, Programs

pytestmark = pytest.mark.xdist_group("campaigns")
SLOW = Timing(latency_s=0.05)
SIZE: dict[str, Any] = {"repeats": 2, "max_connections": 6, "timeout": 5}


class Cluster:
    """A scheduler and workers, each a process of its own."""

    def __init__(self, programs: Programs, stack: ExitStack, folder: Path) -> None:
        self._programs, self._stack, self._folder = programs, stack, folder
        self._elsewhere = folder / "elsewhere"
        self._elsewhere.mkdir()
        told = folder / "scheduler.json"
        words = [
            "--host",
            "127.0.0.1",
            "--port",
            "0",
            "--no-dashboard",
            "--scheduler-file",
            str(told),
        ]
        self.scheduler = self._start("scheduler", *words)
        until(told.is_file)
        until(lambda: "tcp://" in told.read_text())
        self.address = told.read_text().split('"address": "')[1].split('"')[0]

    def _start(self, kind: str, *words: str, constants: Any = None, **env: str) -> Program:
        started = self._programs.start(
            *words,
            function=f"distributed.cli.dask_{kind}:main",
            env=environment(self._folder) | env,
            cwd=self._elsewhere,
            constants=constants,
        )
        return self._stack.enter_context(started)

    def worker(self, constants: Any = None, **env: str) -> Program:
        words = ["--nthreads", "8", "--no-nanny", "--no-dashboard"]
        return self._start("worker", self.address, *words, constants=constants, **env)


@pytest.fixture
def cluster(tmp_path: Path, programs: Programs) -> Iterator[Cluster]:
    with ExitStack() as stack:
        yield Cluster(programs, stack, tmp_path)


def test_workers_come_and_go_and_are_killed(
    call: Caller, cluster: Cluster, programs: Programs
) -> None:
    with on_a_thread(lambda: world(timing=SLOW)) as at:
        whole = call.folder / "whole"
        whole.mkdir()
        assert call(*words(study(whole, at.base_url, **SIZE, cache=None))).code == 0
        at.log.clear()
        file, env = study(call.folder, at.base_url, **SIZE), environment(call.folder)
        start = words(file, f"dask:{cluster.address}")
        first = cluster.worker()
        with programs.start(*start, stderr=PIPE, env=env) as program:
            until(lambda: len(chats(at.log)) > 15)
            second = cluster.worker()
            until(lambda: len(chats(at.log)) > 40)
            first.kill()
            until(lambda: len(chats(at.log)) > 70)
            program.kill()
        cluster.worker()
        said = programs.run(*start, env=env)
        assert said.returncode == 0, said.stderr
        assert second.poll() is None
        assert statuses(call, file) == {"complete": 8}
        assert results(call.folder / "runs", at.base_url) == results(
            whole / "runs", at.base_url
        )
        assert most_at_once(at.log) <= 6


def test_a_scheduler_that_is_killed(call: Caller, cluster: Cluster, programs: Programs) -> None:
    with on_a_thread(lambda: world(timing=SLOW)) as at:
        file, env = study(call.folder, at.base_url), environment(call.folder)
        waiting = programs.start(
            *words(file, f"dask:{cluster.address}"),
            stderr=PIPE,
            env=env,
            constants={"fathom.graphs.campaign.cluster:WORKERS_S": 0.1},
        )
        with waiting as program:
            _, err = program.communicate()
            assert program.returncode == 2, err
            assert f"`dask worker {cluster.address}`" in err
        cluster.worker()
        with programs.start(
            *words(file, f"dask:{cluster.address}"), stderr=PIPE, env=env
        ) as program:
            until(lambda: len(chats(at.log)) > 20)
            cluster.scheduler.kill()
            _, err = program.communicate()
        assert (program.returncode, err.count("Error: The dask scheduler is gone")) == (1, 1), (
            err
        )
        assert call(*words(file)).code == 0
        assert statuses(call, file) == {"complete": 4}


def test_a_cluster_of_its_own(
    call: Caller, programs: Programs, undisturbed: dict[str, Any]
) -> None:
    """Interrupted while it starts, as a terminal does: all of its processes. It answers nobody
    without its certificate: no scheduler, worker or nanny, no page, and has no file that others may
    open."""
    # sockets have short names, and pytest's folders have long ones
    with (
        on_a_thread(lambda: world(timing=Timing(latency_s=0.02))) as at,
        TemporaryDirectory() as short,
    ):
        start = words(study(call.folder, at.base_url, max_connections=1), "dask")
        env = environment(call.folder) | {"TMPDIR": short}
        with programs.start(*start, stderr=PIPE, env=env) as program:
            until(
                lambda: any("forkserver" in " ".join(each.cmdline()) for each in below(program))
            )
            for process in [*below(program), program]:
                process.send_signal(signal.SIGINT)
            _, err = program.communicate()
        assert (program.returncode, "Traceback" in err) == (130, False), err
        with programs.start(*start, stderr=PIPE, env=env) as program:
            until(lambda: len(chats(at.log)) > 5)
            require_no_answer(program, Path(short))
            _, err = program.communicate()
            assert program.returncode == 0, err
        assert results(call.folder / "runs", at.base_url) == undisturbed


def require_no_answer(program: Program, scratch: Path) -> None:
    processes = [psutil.Process(program.pid), *below(program)]
    sockets = [each for process in processes for each in process.net_connections("all")]
    ports = {each.laddr.port for each in sockets if each.status == psutil.CONN_LISTEN}
    files = [
        Path(each.laddr) for each in sockets if each.family == socket.AF_UNIX and each.laddr
    ]
    assert len(ports) >= 3
    assert not (scratch / "dask-scratch-space").exists()
    folders = [path for path in scratch.iterdir() if path.is_dir()]
    there = [path for path in [*folders, *files] if path.exists()]
    assert [path for path in there if path.stat().st_mode & 0o077] == []
    assert asyncio.run(_answering(ports)) == []


def below(program: Program) -> list[Any]:
    return list(psutil.Process(program.pid).children(recursive=True))


def test_runs_are_kept_in_a_database(
    call: Caller,
    cluster: Cluster,
    programs: Programs,
    server: Server,
    undisturbed: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """By workers with folders of their own, over connections that are cut; from there they are
    brought to any."""
    address = server.new_database()
    with on_a_thread(lambda: world(timing=SLOW)) as at:
        file, env = (
            study(call.folder, at.base_url),
            environment(call.folder) | {"FATHOM_STORE": address},
        )
        for name in ("one", "two"):
            cluster.worker(FATHOM_RUNS=str(call.folder / name))
        with programs.start(
            *words(file, f"dask:{cluster.address}"), stderr=PIPE, env=env
        ) as program:
            until(lambda: len(chats(at.log)) > 40)
            server.cut_off()
            _, err = program.communicate()
        assert program.returncode == 0, err
        assert results(call.folder / "runs", at.base_url) == undisturbed
        assert (
            len(list(call.folder.glob("one/2*"))) + len(list(call.folder.glob("two/2*"))) >= 4
        )
        monkeypatch.setenv("FATHOM_STORE", address)
        assert statuses(call, file) == {"complete": 4}
        report, export = (
            ["report", "-o", "report.html"],
            ["export", "--table", "runs", "--to", "jsonl"],
        )
        for words_of, told in (
            (["compare"], ""),
            (report, "4 runs: report.html"),
            (export, ""),
        ):
            empty = call.folder / f"for {words_of[0]}"
            said = call(words_of[0], str(file), *words_of[1:], "--runs", str(empty))
            assert (said.code, told in said.err) == (0, True), said.err
            assert results(empty, at.base_url) == undisturbed
        assert len(said.out.splitlines()) == 4


async def _answering(ports: set[int]) -> list[str]:
    found = await asyncio.gather(*map(_answers_of, ports))
    return [answer for answers in found for answer in answers]


async def _answers_of(port: int) -> list[str]:
    stranger: Any = Security.temporary()  # type: ignore[no-untyped-call]
    answers = []
    for scheme, args in (("tcp", {}), ("tls", stranger.get_connection_args("client"))):
        with suppress(OSError):
            comm: Any = await connect(f"{scheme}://127.0.0.1:{port}", timeout=1, **args)  # type: ignore[no-untyped-call]
            answers.append(comm.peer_address)
            await comm.close()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    with suppress(OSError, TimeoutError):
        writer.write(b"GET /json/identity.json HTTP/1.0\r\n\r\n")
        if b"HTTP" in await asyncio.wait_for(reader.read(1000), 2):
            answers.append(f"http://127.0.0.1:{port}")
    writer.close()
    return answers
