"""Repeats: one pool, roots by seed, and the same opening questions for every model of a repeat."""

import json
from pathlib import Path

import pytest

from fathom.graphs.run import Launch, LaunchOptions
from fathom.state.repeats import RepeatsResult
from fathom.state.result import DrillResult
from fathom.stats.repeats import summarise_repeats

from .command_line import Caller
from .drills import sim_spec

MODELS = ("sim:student", "sim:expert")
REPEATS = 3


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Caller:
    return Caller(tmp_path, monkeypatch, capsys)


async def launched(cache: Path | None) -> dict[tuple[str, int], DrillResult]:
    specs = [
        sim_spec(
            target=model,
            n=6,
            max_depth=3,
            repeats=REPEATS,
            repeat=nth + 1,
            seed=42 + nth,
            pool_seed=42,
            threshold=0.001,
        )
        for model in MODELS
        for nth in range(REPEATS)
    ]
    reports = await Launch(specs, LaunchOptions(cache=cache)).run()
    return {(r.spec.target, getattr(r.spec, "repeat", 0)): r.result for r in reports if r.result}


@pytest.mark.parametrize("cached", [True, False])
async def test_what_repeats_and_targets_share(tmp_path: Path, cached: bool) -> None:
    results = await launched(tmp_path / "cache.sqlite" if cached else None)
    assert len(results) == len(MODELS) * REPEATS
    pools = {frozenset(result.aspects) for result in results.values()}
    assert len(pools) == 1, "one pool"
    assert len(pools.pop()) == 4 * 6
    named = [u.calls for result in results.values() for role, u in result.usage.items() if role == "evaluator"]
    probes = {key: sum(1 for p in r.probes for c in p.calls if c.role == "evaluator") for key, r in results.items()}
    assert sum(named) - sum(probes.values()) == 1, "named once"
    roots = {key: result.aspects[:6] for key, result in results.items()}
    for nth in range(1, REPEATS + 1):
        assert roots[MODELS[0], nth] == roots[MODELS[1], nth], "all models open a repeat alike"
        first = [
            [
                (p.slot, p.question.text)
                for p in results[model, nth].probes
                if p.depth == 1 and p.round == 0 and p.question
            ]
            for model in MODELS
        ]
        assert first[0] == first[1]
    assert len({roots[MODELS[0], nth] for nth in range(1, REPEATS + 1)}) == REPEATS, "each repeat draws its own"
    (group, _) = summarise_repeats(list(results.values()))
    assert group.target == "sim:student"
    assert len(group.evds) == REPEATS
    assert group.mean_ci is not None


def test_the_document_of_repeats(call: Caller) -> None:
    words = ["drill", "Chemical elements", "-t", "sim:student", "-t", "sim:novice", "-e", "sim:evaluator"]
    said = call(*words, "-n", "4", "--max-depth", "2", "--repeats", "3", "--json", "--display", "none")
    assert said.code == 0
    told = json.loads(said.out)
    assert told["method"] == "repeats"
    assert [run["spec"]["seed"] for run in told["runs"]] == [42, 43, 44] * 2
    groups = [RepeatsResult.model_validate(group) for group in told["groups"]]
    assert [group.target for group in groups] == ["sim:student", "sim:novice"]
    assert [(pair["one"], pair["other"]) for pair in told["comparisons"]] == [("sim:student", "sim:novice")]
    assert "mean of 3 repeats" in call(*words[:4], *words[6:], "-n", "4", "--max-depth", "1", "--repeats", "3").out


@pytest.mark.parametrize("repeats", ["0", "-1", "1001", "2.5"])
def test_a_number_of_repeats_that_is_none(call: Caller, repeats: str) -> None:
    said = call("drill", "Chemical elements", "-t", "sim:student", "-e", "sim:evaluator", "--repeats", repeats)
    assert said.code == 2
    assert "--repeats" in said.err
