"""`fathom cache`: what it shows, what it takes out, and when it asks or refuses."""

import asyncio
import io
import json
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from fathom.commands.cache import read_age
from fathom.reports.page.cache import size
from fathom.state.errors import UsageError
from fathom.state.tiers import Tier
from fathom.tools.cache.keys import cached_source
from fathom.tools.cache.store import Store
from fathom.tools.facts.base import FactQuery

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
    said = call("cache", "info")
    assert said.code == 0
    assert "There is nothing yet" in said.out
    assert (info(call)["exists"], info(call)["size_bytes"], info(call)["replies"]) == (False, 0, [])
    assert "Removed 0 replies" in call("cache", "clear", "--yes").err
    assert not (call.folder / "cache.sqlite").exists()


def test_info_tells_what_is_kept_by_model_and_by_source(call: Caller, filled: Path) -> None:
    document = info(call)
    assert document["path"] == str(filled)
    assert document["size_bytes"] == filled.stat().st_size
    own, priced = document["replies"]
    assert own | {"oldest": "", "newest": ""} == {
        "place": "http://box/v1",
        "model": "vllm:own\x1b[31m",
        "replies": 2,
        "oldest": "",
        "newest": "",
        "input_tokens": 22,
        "output_tokens": 14,
        "cost_usd": None,
        "unpriced": 2,
    }
    assert (priced["model"], priced["replies"], priced["cost_usd"]) == ("m", 5, pytest.approx(0.01))
    age = datetime.fromisoformat(priced["newest"]) - datetime.fromisoformat(priced["oldest"])
    assert abs(age - timedelta(days=39)) < timedelta(seconds=2)
    (wiki,) = document["lookups"]
    assert (wiki["source"], wiki["lookups"], wiki["empty"]) == ("wikipedia", 4, 2)


def test_info_is_readable(call: Caller, filled: Path) -> None:
    said = call("cache", "info")
    assert said.code == 0
    text = " ".join(said.out.split())
    assert (
        "7 replies · 4 look-ups · 126 tokens · worth USD 0.0100 · 2 replies of unknown price"
        in text
    )
    assert "https://host/v1 5 55 35 USD 0.0100" in text
    assert "http://box/v1 2 22 14 unknown" in text
    assert "wikipedia 4 2" in text
    assert "\x1b" not in said.out
    assert str(filled) in "".join(said.out.split())


def test_prune_takes_out_what_is_older(call: Caller, filled: Path) -> None:
    said = call("cache", "prune", "--older", "30d")
    assert said.code == 0
    assert said.err.startswith("Removed 4 replies and 2 look-ups; the cache is now ")
    text = " ".join(call("cache", "info").out.split())
    assert "3 replies · 2 look-ups" in text
    assert "Removed 0 replies" in call("cache", "prune", "--older", "30d").err
    assert "Removed 3 replies" in call("cache", "prune", "--older", "1h").err


@pytest.mark.parametrize("age", ["", "30", "d", "0d", "-1d", "1.5d", "30m", "999999d", "30 d"])
def test_an_age_that_is_none_is_refused(call: Caller, filled: Path, age: str) -> None:
    said = call("cache", "prune", f"--older={age}")
    assert said.code == 2
    assert "write 12h, 30d or 8w" in said.err
    with pytest.raises(UsageError):
        read_age(age)


def test_ages() -> None:
    spans = [read_age(age) for age in ("12h", "30d", "8W")]
    assert spans == [timedelta(hours=12), timedelta(days=30), timedelta(weeks=8)]


def test_clear_makes_the_file_small(call: Caller, filled: Path) -> None:
    fill(filled, datetime.now(UTC), "many", 500)
    before = filled.stat().st_size
    said = call("cache", "clear", "--yes")
    assert said.code == 0
    assert said.err.startswith("Removed 508 replies and 6 look-ups")
    assert filled.stat().st_size < before / 4
    assert "0 replies · 0 look-ups" in " ".join(call("cache", "info").out.split())


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


@pytest.mark.parametrize("words", [["info"], ["clear", "--yes"], ["prune", "--older", "1d"]])
def test_a_file_that_is_no_cache_is_refused_in_one_sentence(call: Caller, words: list[str]) -> None:
    path = call.folder / "cache.sqlite"
    path.write_bytes(b"a letter to a friend " * 100)
    said = call("cache", *words)
    assert said.code == 2
    assert said.err.startswith(f"Error: The cache {path} is damaged")
    assert path.read_bytes() == b"a letter to a friend " * 100


def test_sizes() -> None:
    said = [size(n) for n in (0, 512, 1000, 24_576, 999_499, 999_500, 1_300_000_000)]
    assert said == ["0 bytes", "512 bytes", "1.0 kB", "25 kB", "999 kB", "1.0 MB", "1.3 GB"]
