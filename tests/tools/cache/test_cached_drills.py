"""One cache under whole drills: none where none is wanted, one for two programs at once. That a run
which is started again asks nothing is in `graphs/run/test_paid`."""

import sqlite3
from collections import Counter
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from fathom.sim.server import Timing
from fathom.tools.runs.folders import read_result

from ...support.command_line import Caller, on_a_thread, world
from ...support.drill.drills import lasting
from ...support.killed import environment
from ...support.programs import PIPE, Programs

DRILL = ["drill", "Chemical elements", "-n", "5", "--max-depth", "2", "--display", "none"]
SMALL = ("-n", "4", "--max-depth", "2", "--threshold", "0.001")


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Caller:
    monkeypatch.setenv("FATHOM_CACHE", str(tmp_path / "kept" / "cache.sqlite"))
    return Caller(tmp_path, monkeypatch, capsys)


def models(base: str) -> list[str]:
    return [
        "-t",
        f"sim@{base}/v1:student",
        "-e",
        f"sim@{base}/v1:evaluator",
        "--facts",
        f"sim@{base}",
    ]


def test_without_a_cache_no_file_is_touched(call: Caller) -> None:
    with on_a_thread(world) as running:
        for _ in range(2):
            said = call(
                *DRILL[:3], "4", "--max-depth", "1", *models(running.base_url), "--no-cache"
            )
            assert said.code == 0, said.err
        digests = Counter(one.digest for one in running.log if one.kind == "chat")
    assert set(digests.values()) == {2}, "each run asked for everything, once"
    assert sorted(path.name for path in call.folder.iterdir()) == ["runs"]


@pytest.mark.parametrize("seeds", [("1", "1"), ("1", "2")], ids=["same seed", "other seed"])
def test_two_processes_on_one_cache(
    programs: Programs, tmp_path: Path, seeds: tuple[str, str]
) -> None:
    homes = [tmp_path / name for name in ("one", "other")]
    with on_a_thread(partial(world, timing=Timing(latency_s=0.02, jitter_s=0.05))) as running:
        words = [*DRILL[:2], *SMALL, *models(running.base_url), "--display", "none"]
        drills = [
            programs.start(
                *words, "--seed", seed, "--runs", str(home), stderr=PIPE, env=environment(tmp_path)
            )
            for home, seed in zip(homes, seeds, strict=True)
        ]
        for process in drills:
            assert (process.communicate()[1], process.returncode) == ("", 0)
        chats = [one for one in running.log if one.kind in ("chat", "structured")]
    digests = Counter(one.digest for one in chats)
    assert max(digests.values()) <= 2, "no process asked for one thing twice"
    results = [read_result(next(home.iterdir())) for home in homes]
    assert all(result is not None and result.status == "complete" for result in results)
    for home in homes:
        (run,) = home.iterdir()
        assert "lock" not in (run / "log.jsonl").read_text().lower()
        assert '"level": "error"' not in (run / "log.jsonl").read_text()
    with closing(sqlite3.connect(tmp_path / "cache.sqlite")) as cache:
        assert cache.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        kept = cache.execute("SELECT count(*), count(DISTINCT key) FROM replies").fetchone()
    assert kept == (len(digests), len(digests))
    if seeds[0] == seeds[1]:
        one, other = (lasting(result) for result in results if result is not None)
        assert one == other
