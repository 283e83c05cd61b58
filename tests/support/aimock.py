"""aimock, an OpenAI-compatible mock server from npm (@copilotkit/aimock) that nobody here wrote:
find it and serve it.

It is looked for in the folder named by FATHOM_AIMOCK and in the repository's node_modules.
"""

import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from .paths import ROOT
from .servers import ending_with_us

_PACKAGE = Path("node_modules", "@copilotkit", "aimock")
_OLDEST_NODE = 20
_START_WITHIN_S = 20.0


def missing() -> str | None:
    """Why there is no aimock to run here, or None when there is one."""
    node = shutil.which("node")
    if node is None:
        return "node is not installed"
    version = subprocess.run(
        [node, "--version"], capture_output=True, text=True, check=True
    ).stdout.strip()
    if int(version.lstrip("v").partition(".")[0]) < _OLDEST_NODE:
        return f"node {version} is too old for aimock, which needs {_OLDEST_NODE} or newer"
    if _package() is None:
        return (
            "aimock is not installed: npm install @copilotkit/aimock, or name its folder in "
            "FATHOM_AIMOCK"
        )
    return None


@contextmanager
def serve(folder: Path, *options: str, key: str | None = None) -> Iterator[str]:
    """Runs `llmock` with these options on a free port of loopback; yields its address without a
    path.

    Its output goes to a file in `folder`. With `key`, requests without it are refused.
    """
    package = _package()
    assert package is not None, missing()
    command = [
        "node",
        str(package / json.loads((package / "package.json").read_text())["bin"]["llmock"]),
    ]
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("AIMOCK_")
    }
    if key is not None:
        environment["AIMOCK_API_KEYS"] = key
    log = folder / "aimock.log"
    with log.open("w") as output:
        server = subprocess.Popen(
            [*command, "-p", "0", *options], env=environment, stdout=output, stderr=output
        )
    try:
        with ending_with_us(server.pid):
            yield _address(server, log)
    finally:
        server.terminate()
        server.wait()


def journal(address: str, key: str | None = None) -> list[dict[str, Any]]:
    """Every chat request the server has had, in order of arrival, with what it replied."""
    request = Request(
        f"{address}/__aimock/journal?path=/chat/completions",
        headers={"Authorization": f"Bearer {key}"},
    )
    with urlopen(request, timeout=10) as reply:
        entries: list[dict[str, Any]] = json.load(reply)
    return entries


def _package() -> Path | None:
    named = os.environ.get("FATHOM_AIMOCK")
    folders = [Path(named)] if named else []
    folders += [ROOT]
    return next(
        (folder / _PACKAGE for folder in folders if (folder / _PACKAGE / "package.json").is_file()),
        None,
    )


def _address(server: "subprocess.Popen[bytes]", log: Path) -> str:
    deadline = time.monotonic() + _START_WITHIN_S
    while time.monotonic() < deadline and server.poll() is None:
        if found := re.search(r"listening on (http://\S+)", log.read_text()):
            return found[1]
        time.sleep(0.02)
    raise RuntimeError(f"aimock did not start: {log.read_text()}")
