"""Repeats end to end: one pool of aspects, other roots for each repeat, the same questions for all
targets of one."""

import json
from collections import Counter
from typing import Any

import pytest

from fathom.sim.server import RunningWorld

from ...support.command_line import Caller, on_a_thread, world

N = 5


def words(running: RunningWorld, *more: str, repeats: int = 3) -> list[str]:
    targets = [
        word
        for name in ("expert", "student")
        for word in ("-t", f"sim@{running.api_url}:{name}")
    ]
    size = ["-n", str(N), "--max-depth", "2", "--threshold", "0.001", "--repeats", str(repeats)]
    evaluator = ["-e", f"sim@{running.api_url}:evaluator", "--facts", f"sim@{running.base_url}"]
    return [
        "drill",
        "Chemical elements",
        *targets,
        *evaluator,
        *size,
        "--json",
        "--display",
        "none",
        *more,
    ]


def questions(result: dict[str, Any]) -> dict[tuple[int, int], str]:
    """The first-depth questions by slot and round; of a pool that is large enough each is a root's
    own."""
    asked = [probe for probe in result["probes"] if probe["depth"] == 1 and probe["question"]]
    return {(probe["slot"], probe["round"]): probe["question"]["text"] for probe in asked}


def test_one_pool_other_roots_the_same_questions(call: Caller) -> None:
    with on_a_thread(world) as running:
        said = call(*words(running, "--no-cache", repeats=2))
        purposes = Counter(one.purpose for one in running.log if one.kind == "structured")
        digests = Counter(
            one.digest for one in running.log if one.kind in ("chat", "structured")
        )
    assert said.code == 0, said.err
    assert purposes["aspects"] == 1, "named once for two repeats of two targets"
    assert max(digests.values()) == 1, "and no other call was made twice either"
    runs = json.loads(said.out)["runs"]
    by = {
        (run["spec"]["target"].rpartition(":")[2], run["spec"]["repeat"]): run for run in runs
    }
    assert len(by) == 4
    pools = {frozenset(run["aspects"]) for run in runs}
    assert [len(pool) for pool in pools] == [4 * N]
    orders = set()
    for repeat in (1, 2):
        expert, student = by["expert", repeat], by["student", repeat]
        assert (expert["spec"]["seed"], student["spec"]["seed"]) == (41 + repeat, 41 + repeat)
        assert expert["aspects"] == student["aspects"]
        orders.add(tuple(expert["aspects"][:N]))
        assert len(questions(expert)) >= N
        assert questions(expert) == questions(student)
    assert len(orders) == 2, "each repeat has roots of its own"


@pytest.mark.parametrize("value", ["0", "-1", "1001", "1.5", "many", ""])
def test_numbers_of_repeats_that_make_no_sense(call: Caller, value: str) -> None:
    said = call("drill", "Art", "-t", "sim:student", "-e", "sim:evaluator", "--repeats", value)
    assert (said.code, said.out) == (2, "")
    assert "--repeats" in said.err
    assert call.runs == []
