"""Servers of tests end with whoever started them, also when that is killed."""

import subprocess
import sys
import time

import psutil  # type: ignore[import-untyped]
import pytest

_STARTS = """
import subprocess, time
from tests.support.servers import ending_with_us
server = subprocess.Popen(["sleep", "600"], start_new_session=True)
with ending_with_us({sign}server.pid):
    print(server.pid, flush=True)
    time.sleep(600)
"""


@pytest.mark.parametrize("sign", ["", "-"], ids=["process", "group"])
def test_a_server_ends_with_whoever_started_it(sign: str, pytestconfig: pytest.Config) -> None:
    words = [
        sys.executable,
        "-c",
        f"import sys; sys.path.insert(0, '.'){_STARTS.format(sign=sign)}",
    ]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, text=True, cwd=pytestconfig.rootpath
    ) as starter:
        assert starter.stdout is not None
        server = psutil.Process(int(starter.stdout.readline()))
        assert server.is_running()
        starter.kill()
    end = time.monotonic() + 10
    while psutil.pid_exists(server.pid) and server.status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < end
        time.sleep(0.01)
