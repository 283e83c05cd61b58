"""How fast a folder of documents is indexed and searched. Prints figures, asserts nothing.

    python bench/sources.py [FOLDER …]

Without a folder: the sources of Python's documentation and its HTML, where Debian's python3-doc is
installed.
"""

import argparse
import asyncio
import resource
import tempfile
import time
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from statistics import median, quantiles

from rich.console import Console
from rich.table import Table

from fathom.graphs.run.deps import utc_now
from fathom.state.tiers import Tier
from fathom.tools.facts.base import FactQuery
from fathom.tools.facts.folder import FolderSource

CONCEPTS = (
    "asyncio event loop", "garbage collection", "descriptor protocol", "context managers", "regular expressions",
    "list", "function", "module", "string", "weak reference", "abstract base classes", "no such thing at all",
)  # fmt: skip
TIERS_ASKED = (Tier.COMMON, Tier.TEXTBOOK, Tier.SPECIALIST)
ROUNDS = 10


def standard_folders() -> list[Path]:
    found = [
        path.resolve()
        for path in sorted(Path("/usr/share/doc").glob("python3*/html/_sources"))[:1]
    ]
    return [*found, *(path.parent / name for path in found for name in ("library", "whatsnew"))]


def megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


async def measure(folder: Path, index_dir: Path) -> list[str]:
    """One row: what was read and how fast, opening it again, and the latency of look-ups (ms)."""
    source = FolderSource(
        f"folder:{folder}", path=str(folder), index_dir=index_dir, clock=utc_now
    )
    begin = time.perf_counter()
    held = await source.prepare()
    index_s = time.perf_counter() - begin
    await source.aclose()
    source = FolderSource(
        f"folder:{folder}", path=str(folder), index_dir=index_dir, clock=utc_now
    )
    begin = time.perf_counter()
    again = await source.prepare()
    open_s = time.perf_counter() - begin
    assert again.read == 0, "an unchanged folder was read again"
    times = await look_ups(source)
    await source.aclose()
    size = megabytes(folder)
    index_mb = megabytes(index_dir)
    return [
        str(folder), str(held.documents), f"{size:.1f}", f"{index_s:.2f}",
        f"{held.documents / index_s:.0f}", f"{size / index_s:.1f}", f"{index_mb:.1f}", f"{open_s * 1000:.0f}",
        f"{median(times):.1f}", f"{quantiles(times, n=20)[-1]:.1f}",
    ]  # fmt: skip


async def look_ups(source: FolderSource) -> list[float]:
    times = []
    for _ in range(ROUNDS):
        for concept in CONCEPTS:
            for tier in TIERS_ASKED:
                begin = time.perf_counter()
                await source.find(FactQuery(concept, "Python", tier, date(2026, 1, 1)))
                times.append((time.perf_counter() - begin) * 1000)
    return times


async def main(folders: Sequence[Path]) -> None:
    table = Table(title="folder: sources")
    for head in (
        "folder",
        "documents",
        "MB",
        "index s",
        "documents/s",
        "MB/s",
        "index MB",
    ):
        table.add_column(head, justify="left" if head == "folder" else "right", overflow="fold")
    for head in ("open again ms", "look-up ms, median", "95%"):
        table.add_column(head, justify="right")
    for folder in folders:
        with tempfile.TemporaryDirectory() as index_dir:
            table.add_row(*await measure(folder, Path(index_dir)))
    Console(width=150).print(table)
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3:.0f} MB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="*", type=Path)
    chosen = parser.parse_args().folder or standard_folders()
    if chosen:
        asyncio.run(main(chosen))
    else:
        print("Debian's python3-doc is not installed: name a folder of documents.")
