"""What tests of campaigns begin with."""

from collections.abc import Iterator
from typing import Any

import pytest

from fathom.sim.server import RunningWorld

from ...support.campaigns import results, study, words
from ...support.command_line import on_a_thread, world
from ...support.killed import environment
from ...support.programs import Programs


@pytest.fixture
def at() -> Iterator[RunningWorld]:
    with on_a_thread(world) as running:
        yield running


@pytest.fixture(scope="session")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, programs: Programs) -> dict[str, Any]:
    """The results of a study of four cells in one process."""
    folder = tmp_path_factory.mktemp("undisturbed")
    with on_a_thread(world) as running:
        assert (
            programs.run(
                *words(study(folder, running.base_url)), env=environment(folder)
            ).returncode
            == 0
        )
        return results(folder / "runs", running.base_url)
