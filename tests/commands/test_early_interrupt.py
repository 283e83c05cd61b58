"""Ctrl-C while the program loads: one sentence and the exit code of an interrupt, no traceback."""

import subprocess
import sys

LOADING = """
import signal, sys
from fathom import __main__
sys.modules["fathom.cli"] = None  # whoever imports it now is interrupted
def interrupted(name, *rest):
    if name == "fathom.cli":
        signal.raise_signal(signal.SIGINT)
sys.addaudithook(lambda event, args: interrupted(*args) if event == "import" else None)
del sys.modules["fathom.cli"]
__main__.main()
"""


def test_an_interrupt_while_loading_is_no_traceback() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADING], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "Interrupted.\n")
