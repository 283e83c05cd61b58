"""An endpoint that falters a little during an Explain-Query-Test: nothing is held against the
model, and what was lost is asked for once the endpoint is back. One that fails most calls is in
`run/test_faltering`, for every method."""

from pathlib import Path
from typing import Any

from fathom.graphs.run.resume_check import is_over
from fathom.state.spec import EqtSpec, FaultRates

from ...support.eqt.eqts import ELEMENTS, eqt, eqt_spec, lasting, resumed, whole
from ..run.test_outage import HASTY, a_world, port_of


def spec_at(api_url: str) -> EqtSpec:
    """A run whose target is at an address; its examiner is in a world of its own."""
    return eqt_spec(
        *ELEMENTS[:4],
        target=f"sim@{api_url}:student",
        examiner="sim:evaluator",
        judge="sim:evaluator",
    )


async def unharmed() -> Any:
    async with a_world() as world:
        result = lasting(whole(await eqt(spec_at(world.api_url), limits=HASTY)))
    return _anywhere(result, world.api_url)


def _anywhere(result: Any, address: str) -> Any:
    """The result without the target's address, which differs between worlds."""
    result["spec"]["target"] = result["spec"]["target"].replace(address, "HERE")
    return result


async def test_a_few_lost_answers_leave_the_run_complete_and_can_be_asked_again(
    tmp_path: Path,
) -> None:
    async with a_world(FaultRates(server_error=0.35)) as world:
        report = await eqt(spec_at(world.api_url), runs=tmp_path, limits=HASTY)
    result = whole(report)
    assert (report.exit_code, result.stop_reason) == (0, "all_asked")
    lost = result.numbers.unscored["answer"]
    assert result.numbers.all.scored == 36 - lost
    assert any(f"`fathom resume` tries {lost} of them again" in note for note in result.notes)
    assert report.folder is not None
    assert not is_over(report.folder)
    async with a_world(port=port_of(world)):
        done = whole(await resumed(report, limits=HASTY))
    assert _anywhere(lasting(done), world.api_url) == await unharmed()
    assert is_over(report.folder)
