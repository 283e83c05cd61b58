"""A launch fits into the open files that the system allows, or is refused before anything is
asked."""

import resource
from pathlib import Path

import pytest

from fathom.state.errors import UsageError
from fathom.tools.models.clients import connections_that_fit

from ..support.command_line import STUDENT
from ..support.programs import Programs


@pytest.fixture
def allowed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """The limits that are set; the first is the one there is."""
    limits = [(256, 256)]
    monkeypatch.setattr(resource, "getrlimit", lambda _: limits[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda _, limit: limits.append(limit))
    return limits


@pytest.mark.parametrize(
    ("soft", "hard", "runs", "connections"),
    [
        (256, 256, 1, 50),
        (256, 256, 20, 12),
        (64, 64, 1, 2),
        (256, 4096, 20, 972),
        (256, resource.RLIM_INFINITY, 1, 2034),
    ],
)
def test_connections_fit_and_the_limit_is_raised_where_it_may_be(
    allowed: list[tuple[int, int]], soft: int, hard: int, runs: int, connections: int
) -> None:
    allowed[:] = [(soft, hard)]
    assert connections_that_fit(runs) == connections
    assert (len(allowed) > 1) == (soft != hard)
    assert allowed[-1][1] == hard


def test_more_runs_than_fit_are_refused(allowed: list[tuple[int, int]]) -> None:
    allowed[:] = [(64, 64)]
    with pytest.raises(
        UsageError, match=r"20 runs at once need more open files than the 64 .*ulimit -n 4096"
    ):
        connections_that_fit(20)


def test_without_a_limit_anything_fits(allowed: list[tuple[int, int]]) -> None:
    allowed[:] = [(resource.RLIM_INFINITY, resource.RLIM_INFINITY)]
    assert connections_that_fit(1000) is None


def test_a_drill_with_sixty_four_files_completes(programs: Programs, tmp_path: Path) -> None:
    words = ["drill", "Gold", *STUDENT, "-n", "12", "--max-depth", "1", "--sim", "latency=0.1"]
    done = programs.run(*words, cwd=tmp_path, limits={resource.RLIMIT_NOFILE: 64})
    assert done.returncode == 0, done.stderr
    assert "Too many open files" not in done.stderr
