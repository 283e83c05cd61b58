"""What every later version is held against: the numbers of recorded journals, of this version and
of earlier ones, whose runs and bundles open, are computed again and replayed."""

import gzip
import json
import math
import socket
from pathlib import Path
from typing import Any

import pytest
import typer

from fathom import cli
from fathom.state.errors import RunFailed

from ..support.command_line import Caller
from .numbers import (
    OLD,
    Figures,
    journals,
    numbers_of,
    numbers_of_journal,
    old_bundles,
    old_runs,
    read,
)
from .recordings import METHODS

WITHOUT_RESULT = {"depthqa_build.stopped"}
"""A graph that its budget has left in pieces."""
CHANGED = {
    "drill": {"censored"},
    "replay": {"accuracy_ci_clustered low", "accuracy_ci_clustered high"},
}
"""Method → figures that METHODS.md has changed since the older commits: a drill that reached the
deepest depth allowed is complete to that depth; clustered intervals of a share rest on Student's t
at K − 1 degrees of freedom."""
ANOTHER = {"eqt", "replay"}
"""Methods whose results of the version before differ in such a figure, or in what they say of the
published method."""
LATER = {
    *("refused", "withdrawn"),
    *("missing", "unread", "acs_missing"),
}
"""Figures that 589b6b2 did not have."""
PROGRAM: Any = typer.main.get_command(cli.app)
each_old = pytest.mark.parametrize(
    ("commit", "method"), [(commit, method) for commit in OLD for method in METHODS]
)


def same(one: Any, other: Any) -> bool:
    if isinstance(one, str) or isinstance(other, str) or one is None or other is None:
        return bool(one == other)
    return math.isclose(one, other, rel_tol=0, abs_tol=1e-12)


def differing(before: Figures, now: Figures) -> dict[str, Any]:
    """The figures that are not the same."""
    return {
        name: (before.get(name), now.get(name))
        for name in before.keys() | now.keys()
        if name not in before
        or name not in now
        or len(before[name]) != len(now[name])
        or not all(map(same, before[name], now[name]))
    }


@pytest.mark.parametrize("name", sorted(journals()))
def test_the_numbers_follow_from_the_journal(name: str) -> None:
    if name in WITHOUT_RESULT:
        with pytest.raises(RunFailed):
            numbers_of_journal(journals()[name])
        return
    assert differing(read(name), numbers_of_journal(journals()[name])) == {}


@each_old
def test_an_older_run_has_the_numbers_that_it_had(commit: str, method: str) -> None:
    run = old_runs(commit)[method]
    then = numbers_of(json.loads(run.files["result.json"]))
    changed = differing(then, numbers_of_journal(run.journal))
    names = {
        name.rpartition(": ")[2] for name in changed if name in then or commit != "589b6b2"
    }
    new = {name.rpartition(": ")[2] for name in changed if name not in then}
    assert names - CHANGED.get(method, set()) == set()
    assert new <= LATER


@pytest.fixture
def offline(call: Caller, monkeypatch: pytest.MonkeyPatch) -> Caller:
    monkeypatch.setattr(cli, "app", PROGRAM)
    monkeypatch.setattr(socket.socket, "connect", None)
    return call


@each_old
def test_an_older_run_opens_and_is_computed_again(
    commit: str, method: str, offline: Caller
) -> None:
    run = old_runs(commit)[method]
    run.write(offline.folder / "runs")
    shown = offline("show", run.name, "--json")
    assert shown.code == 0, shown.err
    assert differing(read(f"{method}.{commit}"), numbers_of(json.loads(shown.out))) == {}
    assert offline("show", run.name).code == 0
    assert run.short in offline("list").out
    again = offline("replay", run.name, "--json")
    assert again.code == ("NOT identical" in again.err), again.err
    assert json.loads(again.out) == json.loads(shown.out)


@pytest.mark.parametrize("method", METHODS)
def test_a_run_of_the_version_before_is_identical(method: str, offline: Caller) -> None:
    run = old_runs("354218c")[method]
    run.write(offline.folder / "runs")
    assert offline("replay", run.name).code == (method in ANOTHER)


@pytest.mark.parametrize(
    ("commit", "method"), [(commit, method) for commit in OLD for method in old_bundles(commit)]
)
def test_an_older_bundle_is_computed_again(
    commit: str, method: str, offline: Caller, tmp_path: Path
) -> None:
    file = tmp_path / "run.fathom"
    file.write_bytes(gzip.compress(old_bundles(commit)[method]))
    again = offline("replay", str(file), "--json")
    assert again.code == ("NOT identical" in again.err), again.err
    assert differing(read(f"{method}.{commit}"), numbers_of(json.loads(again.out))) == {}


@pytest.mark.parametrize("commit", OLD)
def test_an_older_drill_is_put_to_another_model(commit: str, call: Caller) -> None:
    run = old_runs(commit)["drill"]
    run.write(call.folder / "runs")
    words = ("-t", "sim:expert", "--judge", "sim:evaluator", "--display", "none", "--json")
    asked = call("replay", run.name, *words)
    assert asked.code == 0, asked.err
    questions = numbers_of(json.loads(asked.out))["source: questions"]
    assert questions == read(f"replay.{commit}")["source: questions"]
