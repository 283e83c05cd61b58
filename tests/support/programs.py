"""Programs in processes of their own that cost no start: forks of one process that has imported the
whole program.

A fork gets the descriptors, the environment and the working folder of a fresh start, and ends as a
program ends. What the start itself does (the interpreter's options, imports) is for the few tests
that run `python -m fathom`.

Run as a program, this is the process that forks; it imports and does nothing else. `serving` is its
other end: all workers of the suite share one process, which ends with the last of them.
"""

import asyncio
import fcntl
import gc
import importlib
import json
import os
import pkgutil
import resource
import select
import signal
import socket
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from subprocess import DEVNULL, CompletedProcess
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, Any

from filelock import FileLock

ROOT = Path(__file__).parents[2]
FATHOM = "fathom.__main__:main"
PIPE = subprocess.PIPE
Stream = int | IO[Any] | None
"""A descriptor or a file, PIPE, or None for os.devnull."""


class Program:
    """One that was started: in the shape of `subprocess.Popen`, as far as tests need it."""

    def __init__(
        self, server: socket.socket, pid: int, stdout: IO[str] | None, stderr: IO[str] | None
    ) -> None:
        self._server = server
        self.pid, self.stdout, self.stderr = pid, stdout, stderr
        self.returncode: int | None = None

    def __enter__(self) -> "Program":
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        self.wait()
        for stream in (self.stdout, self.stderr):
            if stream is not None:
                stream.close()

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def poll(self) -> int | None:
        """The exit code, −9 when it was killed; None while it runs."""
        if self.returncode is None:
            self.returncode = _told(self._server, {"ended": self.pid})
        return self.returncode

    def wait(self) -> int:
        if self.poll() is None:
            ended = os.pidfd_open(self.pid)
            select.select([ended], [], [])
            os.close(ended)
        while (code := self.poll()) is None:
            time.sleep(0.001)
        return code

    def communicate(self) -> tuple[str, str]:
        """What is still to be read of stdout and stderr, to their ends."""
        with ThreadPoolExecutor(1) as beside:
            try:
                err = beside.submit(_rest, self.stderr)
                out = _rest(self.stdout)
                self.wait()
            except BaseException:  # the time of the test is up
                self.kill()
                raise
            return out, err.result()


def _rest(stream: IO[str] | None) -> str:
    if stream is None or stream.closed:
        return ""
    with stream:
        return stream.read()


class Programs:
    """Starts programs, of which several may run at once."""

    def __init__(self, server: socket.socket) -> None:
        self._server = server

    @property
    def pid(self) -> int:
        """Of the process that forks."""
        pid = _told(self._server, {"who": "you"})
        assert pid is not None
        return pid

    def start(
        self,
        *words: str,
        function: str = FATHOM,
        stdin: Stream = None,
        stdout: Stream = None,
        stderr: Stream = None,
        env: Mapping[str, str] = os.environ,
        cwd: Path = Path(),
        limits: Mapping[int, int] | None = None,
        constants: Mapping[str, float] | None = None,
    ) -> Program:
        """Call the function in a process of its own, with the words as arguments. `limits`: by
        number, of `resource`; `constants`: those of the program that have another value in it, as
        `MODULE:NAME`."""
        about: dict[str, Any] = {
            "function": function,
            "words": words,
            "env": dict(env),
            "cwd": str(cwd.absolute()),
        }
        about |= {"limits": list((limits or {}).items()), "constants": dict(constants or {})}
        with ExitStack() as files:
            theirs, ours = zip(
                *(_ends(stream, files) for stream in (stdin, stdout, stderr)), strict=True
            )
            pid = _told(self._server, about, list(theirs))
        assert pid is not None
        return Program(self._server, pid, *ours[1:])

    def run(self, *words: str, **options: Any) -> "CompletedProcess[str]":
        with self.start(*words, **{"stdout": PIPE, "stderr": PIPE, **options}) as program:
            out, err = program.communicate()
            return CompletedProcess(words, program.wait(), out, err)


class Child:
    """A program in the shape of `asyncio.subprocess.Process`."""

    def __init__(self, program: Program, *streams: IO[bytes] | None) -> None:
        self._program, self._streams, self.pid = program, streams, program.pid

    @property
    def returncode(self) -> int | None:
        return self._program.poll()

    def kill(self) -> None:
        self._program.kill()

    async def wait(self) -> int:
        return await asyncio.to_thread(self._program.wait)

    async def communicate(self) -> tuple[bytes | None, ...]:
        await self.wait()
        return tuple(_whole(stream) for stream in self._streams)


def _whole(file: IO[bytes] | None) -> bytes | None:
    if file is None:
        return None
    with file:
        file.seek(0)
        return file.read()


def _file_of(stream: Any) -> IO[bytes] | None:
    if stream in (PIPE, DEVNULL):
        return TemporaryFile() if stream == PIPE else None  # closed when it is read
    file: IO[bytes] = stream
    return file


def children_of_a_server(programs: Programs) -> Callable[..., Awaitable[Child]]:
    """In place of `create_subprocess_exec` where a server starts commands: the words are those
    of a child, with the number of its server as the first."""

    async def start(*words: str, stdout: Any, stderr: Any, **_: object) -> Child:
        module, _server, *command = words[words.index("-m") + 1 :]
        out, err = (_file_of(stream) for stream in (stdout, stderr))
        program = programs.start(
            *(str(programs.pid), *command), function=f"{module}:main", stdout=out, stderr=err
        )
        return Child(program, out, err)

    return start


def _ends(stream: Stream, files: ExitStack) -> tuple[int, IO[str] | None]:
    """The program's end of a stream, and of a pipe ours."""
    if isinstance(stream, int) and stream != PIPE:
        return stream, None
    if stream is None or isinstance(stream, int):
        reading, theirs = (
            os.pipe() if stream == PIPE else (None, os.open(os.devnull, os.O_RDWR))
        )
        files.callback(os.close, theirs)
        return theirs, None if reading is None else os.fdopen(reading, encoding="utf-8")
    return stream.fileno(), None


_ONE_AT_A_TIME = threading.Lock()


def _told(
    server: socket.socket, question: object, files: list[int] | None = None
) -> int | None:
    with _ONE_AT_A_TIME:
        socket.send_fds(server, [json.dumps(question).encode() + b"\n"], files or [])
        answer: int | None = json.loads(server.recv(100))
    return answer


@contextmanager
def serving(shared: Path) -> Iterator[Programs]:
    """`shared`: a folder of all workers. The first to come starts the process."""
    address = str(shared / "programs")
    with socket.socket(socket.AF_UNIX) as client:
        with FileLock(f"{address}.lock"):
            try:
                client.connect(address)
            except (FileNotFoundError, ConnectionRefusedError):
                _start(address)
                client.connect(address)
        yield Programs(client)


def _start(address: str) -> None:
    clean = {
        name: os.environ[name] for name in ("HOME", "PATH", "PYTHONPATH") if name in os.environ
    }
    clean["PYTHONSAFEPATH"] = "1"
    with socket.socket(socket.AF_UNIX) as listening:
        Path(address).unlink(missing_ok=True)
        listening.bind(address)
        listening.listen()
        listening.set_inheritable(True)
        words = [sys.executable, str(Path(__file__)), str(listening.fileno())]
        os.posix_spawn(sys.executable, words, clean)


def serve(listening: socket.socket) -> None:
    """Until all who came are gone and nobody waits to come."""
    address, clients = listening.getsockname(), [listening.accept()[0]]
    while clients:
        ready, _, _ = select.select([listening, *clients], [], [])
        for client in ready:
            if client is listening:
                clients.append(listening.accept()[0])
            elif (request := _next(client)) is None:
                clients.remove(client)
                client.close()
            elif not _answer(client, *request):
                for each in (listening, *clients):
                    each.close()
                about, files = request
                return _become(files, **about)
        if not clients:
            Path(address).unlink(missing_ok=True)
            if select.select([listening], [], [], 0)[0]:
                clients.append(listening.accept()[0])
    return None


def _answer(client: socket.socket, about: dict[str, Any], files: list[int]) -> bool:
    """Whether this is still the process that forks."""
    answer: int | None = os.getpid()
    if "ended" in about:
        pid, status = os.waitpid(about["ended"], os.WNOHANG)
        answer = os.waitstatus_to_exitcode(status) if pid else None
    elif "who" not in about and (answer := os.fork()) == 0:
        return False
    for file in files:
        os.close(file)
    client.sendall(json.dumps(answer).encode())
    return True


def _next(client: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    text, files, _, _ = socket.recv_fds(client, 2**20, 3)
    while text and not text.endswith(b"\n"):
        text += client.recv(2**20)
    return (json.loads(text), files) if text else None


def _become(
    files: list[int],
    function: str,
    words: list[str],
    env: dict[str, str],
    cwd: str,
    limits: list[tuple[int, int]],
    constants: dict[str, float],
) -> None:
    os.setsid()
    for stream, file in enumerate(files):
        os.dup2(file, stream)
        os.close(file)
    if os.isatty(0):
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    sys.stderr = os.fdopen(
        2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False
    )
    sys.argv = ["fathom", *words]
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    for number, limit in limits:
        resource.setrlimit(number, (limit, limit))
    for constant, value in constants.items():
        module, _, name = constant.partition(":")
        setattr(importlib.import_module(module), name, value)
    module, _, name = function.partition(":")
    getattr(importlib.import_module(module), name)()


OF_EXTRAS = {"fathom.graphs.embed.inspect_log", "fathom.graphs.embed.inspect_task"}
"""Modules that only an extra's own program imports."""


def warm() -> None:
    """Import all rooms of the program, and run it once: what it imports or works out only when it
    is wanted is ready too."""
    import fathom
    from fathom.cli import main

    for module in pkgutil.walk_packages(fathom.__path__, "fathom."):
        if module.name not in OF_EXTRAS:
            importlib.import_module(module.name)
    importlib.import_module("openai.resources.chat")
    sys.argv = [
        "fathom",
        "drill",
        "Chemical elements",
        "-t",
        "sim:student",
        "-e",
        "sim:evaluator",
    ]
    sys.argv += ["-n", "2", "--max-depth", "2", "--display", "tree"]
    with (
        TemporaryDirectory() as folder,
        redirect_stdout(StringIO()),
        redirect_stderr(StringIO()),
    ):
        os.environ |= {
            "FATHOM_RUNS": f"{folder}/runs",
            "FATHOM_CACHE": f"{folder}/cache.sqlite",
        }
        try:
            main()
        except SystemExit as end:
            assert not end.code, "the drill failed"  # noqa: PT017
    assert threading.active_count() == 1, "a fork has one thread"
    gc.freeze()


if __name__ == "__main__":
    os.setsid()
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))
    with socket.socket(fileno=int(sys.argv[1])) as listening:
        listening.set_inheritable(False)
        warm()
        serve(listening)
