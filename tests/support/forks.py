"""Run as a program, `MODULE:FUNCTION…`: imports the functions, then calls one for each line of its input in a process
of its own. A fork, so that a test which kills ten programs pays for their imports once. `Forks` is its other end."""

import importlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

FATHOM = "fathom.cli:main"
WARM = (
    "fathom.graphs.run.launch",
    "fathom.commands.launch",
    "fathom.commands.print_results",
    "fathom.tools.models.transport",
)
"""What the program imports only when it is wanted."""


class Forks:
    """Starts programs; one at a time."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self.pid = 0
        """Of the program that was started last."""

    def start(self, function: str, *words: str, log: Path, **env: str) -> None:
        """`words` are its arguments; what it prints is appended to the file `log`."""
        assert self._process.stdin is not None
        print(json.dumps([function, words, str(log), env]), file=self._process.stdin, flush=True)
        self.pid = self._number()

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        """The exit code of the program that was started last; −9 when it was killed."""
        return self._number()

    def _number(self) -> int:
        assert self._process.stdout is not None
        return int(self._process.stdout.readline())


@contextmanager
def forks(*functions: str) -> Iterator[Forks]:
    words = [sys.executable, str(Path(__file__)), *functions]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Forks(process)
        process.communicate()


def serve(functions: dict[str, Callable[[], object]]) -> None:
    for line in sys.stdin:
        name, words, log, env = json.loads(line)
        if (pid := os.fork()) == 0:
            _become(words, log, env)
            functions[name]()
            return
        print(pid, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


def _become(words: list[str], log: str, env: dict[str, str]) -> None:
    os.setsid()
    os.environ.update(env)
    sys.argv = ["fathom", *words]
    said = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    for stream, file in enumerate((os.open(os.devnull, os.O_RDONLY), said, said)):
        os.dup2(file, stream)


def imported(function: str) -> Callable[[], object]:
    module, _, name = function.partition(":")
    found: Callable[[], object] = getattr(importlib.import_module(module), name)
    return found


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))
    called = {function: imported(function) for function in sys.argv[1:]}
    for each in WARM:
        importlib.import_module(each)
    serve(called)
