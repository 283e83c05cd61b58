"""What a further method gets from the tables: plan, budget, resume, replay, embedding, and how it is shown."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from ..support.depthqa.pictures import description, texts
from ..support.paths import ROOT


def test_a_method_that_is_entered_in_the_tables_has_all_that_the_others_have(
    tmp_path: Path,
) -> None:
    words = [sys.executable, "-m", "tests.support.fifth_child", str(tmp_path)]
    path = os.pathsep.join([*filter(None, [os.environ.get("PYTHONPATH")]), str(ROOT)])
    done = subprocess.run(
        words, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout)
    assert found["planned"][1] == 4
    assert found["cut"] in (["partial", 3, 1], ["partial", 3, 2]), (
        "a call may be needed a second time"
    )
    assert found["calls"] == [4, 4], "what the first session paid for is not asked again"
    assert found["answered"] == [1.0] * 4
    assert found["replayed"]
    screen, lines, trace = found["shown"]
    assert "4 of 4 topics closed · 4 said" in screen
    assert "✓ said something ✗ said nothing" in screen
    assert "t2 Neon · " in screen
    assert lines.count(" ✓ t") == 4
    assert "✓ t2 · the target says the symbol" in trace
    assert "sent to the target, user:" in trace
    for part in (
        "TOPIC",
        "-t, --target MODEL",
        "--seed SEED",
        "--budget USD",
        "--prompt NAME=FILE",
        "toy_symbol",
    ):
        assert part in found["help"]
    command, study = found["command"], found["study"]
    assert (command["answered"], command["spec"]["topics"], command["spec"]["seed"]) == (
        1.0,
        ["Gold", "Iron"],
        5,
    )
    assert study["spec"] == command["spec"]
    assert found["plan"]["calls"]["expected"] == 2
    page, picture = found["page"], found["picture"]
    assert "answered 100%\n" in page
    assert re.search(r"^topics +2\nanswered +100%$", page, re.MULTILINE)
    assert re.search(
        r"Side by side\ntarget +answered\n─+\nsim:student +100%\nsim:novice +100%\n", page
    )
    assert {"Answered", "sim:student", "sim:novice"} <= {*texts(picture)}
    assert description(picture).endswith(
        "Share of the topics that were answered. sim:student: 100%. sim:novice: 100%."
    )
