"""A drill that was made before is served from the cache; two processes share one and do not get in each other's way."""

import json
import subprocess
from collections import Counter
from contextlib import closing
from pathlib import Path
from sqlite3 import connect
from typing import Any

import pytest

from fathom.state.result import DrillResult

from .drills import lasting
from .killed import drill_words, environment, world_process


def drill(words: list[str], folder: Path) -> DrillResult:
    done = subprocess.run(
        [*words, "--json"], env=environment(folder), capture_output=True, text=True, timeout=120, check=True
    )
    assert "lock" not in done.stderr.lower()
    return DrillResult.model_validate_json(done.stdout)


def asked(log: Path) -> Counter[str]:
    """Digest of each chat request → how often it was served."""
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    return Counter(line["digest"] for line in lines if line["kind"] in ("chat", "structured"))


def figures(result: DrillResult) -> dict[str, Any]:
    return {
        role: (used.calls, used.input_tokens + used.cached_input_tokens, used.output_tokens + used.cached_output_tokens)
        for role, used in result.usage.items()
    }


def test_the_same_drill_again_asks_nobody_and_costs_nothing(tmp_path: Path) -> None:
    with world_process(tmp_path) as (base, log):
        words = drill_words(base, tmp_path / "runs", "-n", "30", "--price", "1/4")
        first = drill(words, tmp_path)
        before = asked(log)
        again = drill(words, tmp_path)
        assert asked(log) == before, "no request reached the endpoint"
    assert sum(before.values()) > 500
    assert first.cost_usd is not None
    assert first.cost_usd > 0.5
    assert again.cost_usd == 0.0
    assert lasting(again) == lasting(first) | {"cost_usd": 0.0} | {"probes": lasting(again)["probes"]}
    for one, other in zip(lasting(first)["probes"], lasting(again)["probes"], strict=True):
        assert {**one, "calls": None} == {**other, "calls": None}
    assert figures(again) == figures(first)
    for role, used in again.usage.items():
        assert (used.cached, used.input_tokens, used.output_tokens, used.cost_usd) == (used.calls, 0, 0, 0.0), role
    saved = sum(used.saved_usd or 0.0 for used in again.usage.values())
    assert saved == pytest.approx(first.cost_usd + sum(used.saved_usd or 0.0 for used in first.usage.values()))


def test_without_the_cache_everything_is_asked_again_and_no_file_is_touched(tmp_path: Path) -> None:
    with world_process(tmp_path) as (base, log):
        words = drill_words(base, tmp_path / "runs", "-n", "3", "--max-depth", "1", "--no-cache")
        drill(words, tmp_path)
        before = asked(log)
        drill(words, tmp_path)
        assert asked(log) == before + before
    assert not list(tmp_path.glob("cache.sqlite*"))


@pytest.mark.parametrize("seeds", [("1", "2"), ("1", "1")])
def test_two_processes_drill_at_once_on_one_cache(tmp_path: Path, seeds: tuple[str, str]) -> None:
    with world_process(tmp_path, "latency=0.02") as (base, log):
        commands = [
            [*drill_words(base, tmp_path / f"runs{n}", "-n", "12", "--max-depth", "4", "--seed", seed), "--json"]
            for n, seed in enumerate(seeds)
        ]
        running = [
            subprocess.Popen(c, env=environment(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for c in commands
        ]
        said = [process.communicate(timeout=120) for process in running]
        served = asked(log)
    assert [process.returncode for process in running] == [0, 0], said
    for out, err in said:
        assert "lock" not in err.lower()
        assert "cache" not in " ".join(DrillResult.model_validate_json(out).notes).lower()
    assert max(served.values()) <= 2, "each process asks once for one thing"
    logs = "".join(path.read_text() for path in tmp_path.glob("runs*/*/log.jsonl"))
    assert "lock" not in logs.replace(".lock", "")
    with closing(connect(tmp_path / "cache.sqlite")) as store:
        assert store.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert store.execute("SELECT count(*) FROM replies").fetchone()[0] == len(served)
