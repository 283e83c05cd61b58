"""`fathom profile`: one page and one document of runs on disk, and what is refused."""

import json

from fathom.state.profile import ProfileDocument

from ..contracts.recordings import recordings
from ..support.command_line import Caller, assert_refused
from ..support.screen import active_characters


def test_runs_on_disk_become_one_document(call: Caller) -> None:
    runs = call.folder / "runs"
    kept = {
        method: recordings(method)["complete"] for method in ("drill", "eqt", "depthqa_build")
    }
    cut = recordings("eqt")["cut"]
    for run in (*kept.values(), cut):
        run.write(runs)
    words = (
        "profile",
        *(run.short for run in kept.values()),
        cut.short,
        "--domain",
        " Tea\x1b ",
    )
    said = call(*words, "--json")
    assert (said.code, said.err) == (0, "")
    found = ProfileDocument.model_validate_json(said.out)
    assert set(json.loads(said.out)) == set(
        json.loads(call("schema", "profile").out)["properties"]
    )
    (profile,) = found.profiles
    assert {row.method for row in profile.rows} == {"drill", "eqt"}
    assert {note.split()[0] for note in found.notes} == {kept["depthqa_build"].name, cut.name}
    page = call(*words).out
    assert "SIMULATED" in page
    assert not active_characters(page)
    built, drill = kept["depthqa_build"].short, kept["drill"].short
    assert_refused(
        call, ["profile", cut.short, built], "nothing to make a profile of", "no result"
    )
    assert_refused(call, ["profile", drill, "--domain", " "], "--domain is empty")
    (call.folder / "run.fathom").write_text("")
    assert_refused(call, ["profile", "run.fathom"], "run.fathom is a bundle")
