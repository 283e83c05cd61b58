"""A real MediaWiki (Debian's, on SQLite) for tests: `install` once into a folder, `serve` it as
often as needed."""

import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from xml.sax.saxutils import escape

from .servers import ending_with_us

_ROOT = Path("/usr/share/mediawiki")
_NEEDED = ("pdo_sqlite", "mbstring", "intl", "xml")
_START_WITHIN_S = 20.0
_SETTINGS = """
wfLoadExtensions( [ 'TextExtracts', 'Cite' ] );
$wgServer = getenv( 'WIKI_SERVER' ) ?: 'http://127.0.0.1';
$wgMainCacheType = $wgMessageCacheType = $wgParserCacheType = CACHE_NONE;
$wgJobRunRate = 0;
"""


def missing() -> str | None:
    """Why there is no MediaWiki to run here, or None when there is one."""
    php = shutil.which("php")
    if php is None:
        return "php is not installed"
    if not (_ROOT / "maintenance" / "install.php").is_file():
        return f"MediaWiki is not installed in {_ROOT}"
    if not all((_ROOT / "extensions" / name).exists() for name in ("TextExtracts", "Cite")):
        return "MediaWiki's extensions TextExtracts and Cite are not installed"
    modules = subprocess.run(
        [php, "-m"], capture_output=True, text=True, check=True
    ).stdout.split()
    lacking = [name for name in _NEEDED if name not in modules]
    return f"php lacks {', '.join(lacking)}" if lacking else None


def install(folder: Path, pages: Mapping[str, str], language: str = "en") -> None:
    """A wiki in `folder` with these pages (title → wikitext; `#REDIRECT [[…]]` makes a redirect),
    ready to search."""
    (folder / "data").mkdir(parents=True)
    _run(folder, "install.php", "--dbtype", "sqlite", "--dbpath", str(folder / "data"), "--dbname", "wiki",
         "--confpath", str(folder), "--scriptpath", "", "--server", "http://127.0.0.1", "--skins", "",
         "--lang", language, "--pass", "slow river, tall maple", "Testwiki", "Keeper")  # fmt: skip
    with (folder / "LocalSettings.php").open("a") as settings:
        settings.write(_SETTINGS)
    (folder / "pages.xml").write_text(_dump(pages, language), encoding="utf-8")
    _run(folder, "importDump.php", str(folder / "pages.xml"))
    _run(folder, "rebuildtextindex.php")
    _run(folder, "runJobs.php")


@contextmanager
def serve(folder: Path, workers: int = 4) -> Iterator[str]:
    """Serves an installed wiki on loopback; yields the address of its api.php."""
    log = folder / "server.log"
    for _ in range(3):  # a free port may be taken before php binds it
        port = _free_port()
        address = f"http://127.0.0.1:{port}"
        environment = _environment(folder) | {
            "PHP_CLI_SERVER_WORKERS": str(workers),
            "WIKI_SERVER": address,
        }
        with log.open("w") as output:
            server = subprocess.Popen(
                ["php", "-S", f"127.0.0.1:{port}", "-t", str(_ROOT)],
                env=environment, stdout=output, stderr=output, start_new_session=True,
            )  # fmt: skip
        try:
            with ending_with_us(-server.pid):
                if _started(server, log):
                    yield f"{address}/api.php"
                    return
        finally:
            os.killpg(server.pid, signal.SIGTERM)  # the workers are in the server's own group
            server.wait()
    raise RuntimeError(f"MediaWiki did not start: {log.read_text()}")


def _started(server: "subprocess.Popen[bytes]", log: Path) -> bool:
    deadline = time.monotonic() + _START_WITHIN_S
    while time.monotonic() < deadline and server.poll() is None:
        if "started" in log.read_text():
            return True
        time.sleep(0.02)
    return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _environment(folder: Path) -> dict[str, str]:
    return dict(os.environ) | {"MW_CONFIG_FILE": str(folder / "LocalSettings.php")}


def _run(folder: Path, script: str, *arguments: str) -> None:
    command = ["php", str(_ROOT / "maintenance" / script), *arguments]
    done = subprocess.run(
        command,
        env=_environment(folder),
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
    )
    if done.returncode:
        raise RuntimeError(f"{script} failed: {done.stdout[-500:]} {done.stderr[-500:]}")


def _dump(pages: Mapping[str, str], language: str) -> str:
    return (
        (
            '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" '
            f'xml:lang="{language}">'
        )
        + "".join(_page(title, text) for title, text in pages.items())
        + "</mediawiki>"
    )


def _page(title: str, text: str) -> str:
    return (
        f"<page><title>{escape(title)}</title><ns>0</ns><revision><timestamp>2026-01-01T00:00:00Z</timestamp>"
        "<contributor><username>Keeper</username></contributor><model>wikitext</model><format>text/x-wiki</format>"
        f'<text xml:space="preserve">{escape(text)}</text></revision></page>'
    )
