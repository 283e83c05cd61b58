"""An endpoint that falters or goes away during an Explain-Query-Test: nothing is held against the model, and what was
lost is asked for once the endpoint is back."""

from collections import Counter
from pathlib import Path
from typing import Any

from fathom.graphs.run.resume_check import is_over
from fathom.state.eqt.items import Choice
from fathom.state.events import Event, ItemFinished
from fathom.state.spec import EqtSpec, FaultRates
from fathom.tools.models.clients import Limits
from fathom.tools.runs.folders import read_events

from ...support.eqt.eqts import ELEMENTS, eqt, eqt_spec, lasting, resumed, whole
from ..run.test_outage import HASTY, a_world, leaving, port_of


def spec_at(api_url: str) -> EqtSpec:
    """A run whose target is at an address; its examiner is in a world of its own."""
    return eqt_spec(*ELEMENTS[:4], target=f"sim@{api_url}:student", examiner="sim:evaluator", judge="sim:evaluator")


async def unharmed() -> Any:
    async with a_world() as world:
        result = lasting(whole(await eqt(spec_at(world.api_url), limits=HASTY)))
    return _anywhere(result, world.api_url)


def _anywhere(result: Any, address: str) -> Any:
    """The result without the target's address, which differs between worlds."""
    result["spec"]["target"] = result["spec"]["target"].replace(address, "HERE")
    return result


async def test_an_endpoint_that_goes_away_ends_the_run_and_nothing_is_lost(tmp_path: Path) -> None:
    answers: list[Event] = []

    def at_the_tenth_answer(event: Event) -> bool:
        answers.extend([event] if isinstance(event, ItemFinished) and isinstance(event.item, Choice) else [])
        return len(answers) >= 10

    async with a_world() as world, leaving(world, at_the_tenth_answer) as listener:
        spec = spec_at(world.api_url)
        report = await eqt(
            spec, runs=tmp_path, limits=Limits(max_connections=2, backoff_s=0, attempts=1), listeners=[listener]
        )
    assert report.exit_code == 1
    assert report.folder is not None
    async with a_world(port=port_of(world)):
        done = whole(await resumed(report, limits=HASTY))
    assert _anywhere(lasting(done), world.api_url) == await unharmed()
    scored = [
        event.item.id
        for event in read_events(report.folder)
        if isinstance(event, ItemFinished) and event.item.fault is None
    ]
    assert Counter(scored).most_common(1)[0][1] == 1, "nothing that was finished was done again"


async def test_a_few_lost_answers_leave_the_run_complete_and_can_be_asked_again(tmp_path: Path) -> None:
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
