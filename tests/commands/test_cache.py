"""`fathom cache`: what it shows, what it takes out, and when it asks or refuses."""

import asyncio
import io
import json
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from fathom.state.tiers import Tier
from fathom.tools.cache.store import Store
from fathom.tools.facts.base import FactQuery
from fathom.tools.facts.registry import cached_source

from ..support.cached import REPLY, PlacedChat, ask, cached
from ..support.command_line import Caller
from ..tools.cache.test_facts import Source, passage


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Caller:
    monkeypatch.setenv("FATHOM_CACHE", "")
    caller = Caller(tmp_path, monkeypatch, capsys)
    monkeypatch.setenv("FATHOM_CACHE", str(tmp_path / "cache.sqlite"))
    return caller


def fill(path: Path, when: datetime, run_id: str, count: int) -> None:
    """So many priced replies, one unpriced, and two look-ups, one of them empty; all of this
    moment."""

    async def work() -> None:
        store = await Store.open(path, now=lambda: when)
        for n in range(count):
            await cached(PlacedChat(), store, run_id).complete(ask(f"{run_id} {n}"))
        free = PlacedChat(
            replace(REPLY, cost_usd=None), name="vllm:own\x1b[31m", place="http://box/v1"
        )
        await cached(free, store, run_id).complete(ask(run_id))
        query = FactQuery(run_id, "Chemical elements", Tier.TEXTBOOK, date(2026, 11, 20))
        await cached_source(Source([passage(retrieved_at=when)]), store).find(query)
        await cached_source(Source([]), store).find(replace(query, limit=1))
        await store.aclose()

    asyncio.run(work())


@pytest.fixture
def filled(call: Caller) -> Path:
    path, now = call.folder / "cache.sqlite", datetime.now(UTC)
    fill(path, now - timedelta(days=40), "old", 3)
    fill(path, now - timedelta(days=1), "new", 2)
    return path


def info(call: Caller) -> dict[str, Any]:
    said = call("cache", "info", "--json")
    assert (said.code, said.err) == (0, "")
    document: dict[str, Any] = json.loads(said.out)
    return document


def test_without_a_cache_there_is_nothing_and_none_is_made(call: Caller) -> None:
    assert info(call) == {
        "path": str(call.folder / "cache.sqlite"), "replies": 0, "lookups": 0, "size_bytes": 0
    }  # fmt: skip
    assert "Removed 0 replies" in call("cache", "clear", "--yes").err
    assert not (call.folder / "cache.sqlite").exists()


def test_info_tells_how_much_there_is(call: Caller, filled: Path) -> None:
    document = info(call)
    assert (document["replies"], document["lookups"]) == (7, 4)
    assert document["size_bytes"] == filled.stat().st_size
    assert call("cache", "info").out.endswith(" MB, 7 replies, 4 look-ups\n")


def test_clear_makes_the_file_small(call: Caller, filled: Path) -> None:
    fill(filled, datetime.now(UTC), "many", 500)
    before = filled.stat().st_size
    said = call("cache", "clear", "--yes")
    assert said.code == 0
    assert said.err == "Removed 508 replies, 6 look-ups.\n"
    assert filled.stat().st_size < before / 4
    assert (info(call)["replies"], info(call)["lookups"]) == (0, 0)


def test_clear_takes_out_what_was_read_of_folders_and_nothing_else(
    call: Caller, filled: Path
) -> None:
    folders = filled.parent / "folders"
    folders.mkdir()
    (folders / f"{'0a' * 32}.json").write_text("{}")
    (folders / "mine.json").write_text("{}")
    assert call("cache", "clear", "--yes").code == 0
    assert [file.name for file in folders.iterdir()] == ["mine.json"]


def test_clear_needs_a_yes(call: Caller, filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said = call("cache", "clear")
    assert said.code == 2
    assert "add --yes" in said.err

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stdin", Terminal("n\n"))
    assert "Nothing was removed" in call("cache", "clear").err
    assert "7 replies" in call("cache", "info").out
    monkeypatch.setattr("sys.stdin", Terminal("y\n"))
    assert "Removed 7 replies" in call("cache", "clear").err


@pytest.mark.parametrize("words", [["info"], ["clear", "--yes"]])
def test_a_file_that_is_no_cache_is_refused_in_one_sentence(
    call: Caller, words: list[str]
) -> None:
    path = call.folder / "cache.sqlite"
    path.write_bytes(b"a letter to a friend " * 100)
    said = call("cache", *words)
    assert said.code == 2
    assert said.err.startswith(f"Error: The cache {path} is damaged")
    assert path.read_bytes() == b"a letter to a friend " * 100
