"""The index of a folder kept in step with it: what is read again, what survives damage, who may
index at once."""

import asyncio
import os
import threading
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from fathom.state.errors import SourceFailed, UsageError
from fathom.state.records import Evidence
from fathom.tools.facts.base import FactSource
from fathom.tools.facts.folder import FolderSource

from ....support.library_files import NOW, STROKE, opened, query, write

SECOND = STROKE.replace("stroke", "seizure").replace("Stroke", "Seizure")


@pytest.fixture
def library(tmp_path: Path) -> Path:
    return write(
        tmp_path / "lib",
        {"a.md": STROKE, "sub/b.md": SECOND, "c.txt": "A third text mentions a stroke too.\n"},
    )


@pytest.fixture
def index_dir(tmp_path: Path) -> Path:
    return tmp_path / "deep" / "index"


def kept_files(index_dir: Path) -> list[Path]:
    return [*index_dir.iterdir()]


async def everything(source: FactSource) -> list[Evidence]:
    return [
        e
        for concept in ("stroke", "seizure", "clot", "aphasia")
        for e in await source.find(query(concept))
    ]


async def test_only_what_changed_is_read_again(library: Path, index_dir: Path) -> None:
    async with opened(library, index_dir) as source:
        first = await source.prepare()
    assert (first.documents, first.read) == (3, 3)
    write(
        library,
        {
            "a.md": STROKE.replace("Alteplase", "Tenecteplase"),
            "d.md": "A new text on aphasia arrives here.\n",
        },
    )
    (library / "c.txt").unlink()
    os.utime(library / "sub" / "b.md", ns=(1, 1))  # another date, the same content
    async with opened(library, index_dir, now=NOW + timedelta(days=9)) as source:
        second = await source.prepare()
        found = {e.url.split("#")[0]: e for e in await everything(source)}
    assert (second.documents, second.read) == (3, 2)
    assert {path: e.retrieved_at for path, e in found.items()} == {
        "lib/a.md": NOW + timedelta(days=9),
        "lib/d.md": NOW + timedelta(days=9),
        "lib/sub/b.md": NOW,
    }
    async with opened(library, index_dir) as source:
        assert (await source.prepare()).read == 0


async def test_the_fingerprint_follows_content_and_paths_and_nothing_else(
    library: Path, tmp_path: Path
) -> None:
    async def of(folder: Path) -> str:
        async with opened(folder, now=NOW + timedelta(hours=len(str(folder)))) as source:
            return await source.fingerprint()

    whole = await of(library)
    assert len(whole) == 16
    assert int(whole, 16) >= 0
    twin = tmp_path / "another" / "name"
    for path in ("a.md", "sub/b.md", "c.txt"):
        write(twin, {path: (library / path).read_bytes()})
    write(twin, {".git/x.md": STROKE, "picture.png": b"\x89PNG"})
    assert await of(twin) == whole
    (twin / "c.txt").rename(twin / "d.txt")
    assert await of(twin) != whole
    write(library, {"c.txt": "A third text mentions a Stroke too.\n"})
    assert await of(library) != whole


@pytest.mark.parametrize("damage", [b"not JSON", b"", b"[1, 2]"])
async def test_what_is_kept_and_damaged_is_read_anew(
    library: Path, index_dir: Path, damage: bytes
) -> None:
    async with opened(library, index_dir) as source:
        before = await everything(source)
    for file in kept_files(index_dir):
        file.write_bytes(damage)
    async with opened(library, index_dir) as source:
        assert await everything(source) == before
    async with opened(library, index_dir) as source:
        assert (await source.prepare()).read == 0


async def test_what_cannot_be_kept_on_disk_is_read_all_the_same(
    library: Path, tmp_path: Path
) -> None:
    write(tmp_path, {"taken": "a file where the folder of readings should be"})
    async with opened(library, tmp_path / "taken") as source:
        assert len(await everything(source)) > 3


async def test_copies_of_documents_are_for_their_owner_only(
    library: Path, index_dir: Path
) -> None:
    async with opened(library, index_dir) as source:
        await source.prepare()
    files = [index_dir, *kept_files(index_dir)]
    assert len(files) == 4
    assert {os.stat(path).st_mode & 0o077 for path in files} == {0}


async def test_closing_while_indexing_calls_it_off(library: Path) -> None:
    begun, go_on, files = threading.Event(), threading.Event(), []

    def clock() -> datetime:
        files.append(1)  # asked once per file that is read
        begun.set()
        go_on.wait(30)
        return NOW

    source = FolderSource("folder:lib", path=str(library), index_dir=None, clock=clock)
    waiting = asyncio.create_task(source.prepare())
    await asyncio.to_thread(begun.wait, 30)
    await source.aclose()
    go_on.set()
    with pytest.raises(UsageError, match="closed while it was read"):
        await waiting
    await (
        asyncio.get_running_loop().shutdown_default_executor()
    )  # returns when the thread has ended
    assert len(files) == 1


async def test_what_cannot_be_a_library_is_refused_in_one_sentence(tmp_path: Path) -> None:
    def source(path: Path) -> FolderSource:
        return FolderSource("folder:x", path=str(path), index_dir=None, clock=lambda: NOW)

    write(
        tmp_path, {"file.md": STROKE, "pictures/a.png": b"\x89PNG", "empty/.hidden.md": STROKE}
    )
    with pytest.raises(UsageError, match="no folder"):
        source(tmp_path / "nowhere")
    with pytest.raises(UsageError, match="no folder"):
        source(tmp_path / "file.md")
    for path in ("pictures", "empty"):
        with pytest.raises(UsageError, match="holds no readable document"):
            await source(tmp_path / path).prepare()
        with pytest.raises(SourceFailed, match="holds no readable document"):
            await source(tmp_path / path).find(query("stroke"))
    gone = source(write(tmp_path / "gone", {"a.md": STROKE}))
    (tmp_path / "gone" / "a.md").unlink()
    (tmp_path / "gone").rmdir()
    with pytest.raises(UsageError, match="cannot be read"):
        await gone.prepare()
