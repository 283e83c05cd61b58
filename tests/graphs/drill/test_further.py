"""What is asked of an answer once it has a verdict: it changes nothing of what came before."""

from pathlib import Path
from typing import Any

from fathom.graphs.answers import estimate, rows_of
from fathom.state.result import DrillResult

from ...support.drill.drills import drill, lasting, sim_spec
from ...support.resuming import SIZE, at_probe, resumed, stopped, whole

FURTHER: dict[str, Any] = {"confidence": True, "classify_errors": True}


def bare(result: DrillResult) -> list[Any]:
    """All probes without what is asked further."""
    probes = []
    for probe in lasting(result)["probes"]:
        asked = [
            call for call in probe["calls"] if call["purpose"] not in ("confidence", "error")
        ]
        kept = {
            name: value for name, value in probe.items() if name not in ("confidence", "error")
        }
        probes.append({**kept, "calls": asked})
    return probes


def requests(result: DrillResult) -> list[Any]:
    """What the target was sent for each answer, by its digest."""
    return [
        (probe.slot, call.request)
        for probe in result.probes
        for call in probe.calls
        if call.purpose == "answer"
    ]


async def test_answers_are_the_same_to_the_byte_with_and_without(tmp_path: Path) -> None:
    cache: dict[str, Any] = {"cache": tmp_path / "cache.sqlite"}
    plain = whole(await drill(sim_spec(**SIZE), **cache))
    asked = whole(await drill(sim_spec(**SIZE, **FURTHER), **cache))
    assert bare(asked) == bare(plain)
    assert requests(asked) == requests(plain)
    assert (asked.evd, asked.evd_ci, asked.depths) == (plain.evd, plain.evd_ci, plain.depths)
    assert not {"confidence", "error"} & {*plain.provenance["prompts"]}
    assert not any(
        {"confidence", "error"} & probe.model_dump().keys() for probe in plain.probes
    )


async def test_each_answer_that_commits_has_a_confidence_and_each_wrong_one_an_error() -> None:
    size = {**SIZE, "n": 8, "threshold": 0.05}
    result = whole(await drill(sim_spec(**size, **FURTHER)))
    for probe in result.probes:
        assert (probe.confidence is not None) == (probe.verdict in ("correct", "wrong"))
        assert (probe.error is not None) == (probe.verdict in ("wrong", "abstained"))
        if probe.error is not None:
            assert (probe.error.kind == "refused") == (probe.verdict == "abstained")
    rows = rows_of(result)
    asked = [row for row in rows if row.tags.get("confidence") is not None]
    assert estimate(rows, "brier")[None].n == len(asked) > 0
    verdicts = [probe.verdict for probe in result.probes]
    calls = [call.purpose for probe in result.probes for call in probe.calls]
    assert calls.count("confidence") == verdicts.count("correct") + verdicts.count("wrong")
    assert calls.count("error") == verdicts.count("wrong")


async def test_a_run_goes_on_as_if_it_had_not_been_cut_off(tmp_path: Path) -> None:
    spec = sim_spec(**SIZE | {"max_depth": 2}, **FURTHER)
    folder = await stopped(tmp_path, at_probe(2, 1), spec)
    assert lasting(whole(await resumed(folder))) == lasting(whole(await drill(spec)))
