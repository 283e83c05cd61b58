"""What a further method gets from the one table: plan, budget, resume, replay, embedding, comparison,
decision, report, export, and how it is shown."""

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

from ..support.paths import ROOT


def test_a_method_that_is_entered_in_the_table_has_all_that_the_others_have(
    tmp_path: Path,
) -> None:
    words = [sys.executable, "-m", "tests.support.fifth.child", str(tmp_path)]
    path = os.pathsep.join([*filter(None, [os.environ.get("PYTHONPATH")]), str(ROOT)])
    done = subprocess.run(
        words,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    child = json.loads(done.stdout)
    # plan, budget, resume, embedding
    assert child["planned"][1] == 4
    assert child["cut"] in (["partial", 3, 1], ["partial", 3, 2]), (
        "a call may be needed a second time"
    )
    assert child["calls"] == [4, 4], "what the first session paid for is not asked again"
    whole, resumed, embedded = child["answers"]
    assert all(whole)
    assert whole == resumed == embedded
    # screen, help, page, path
    assert "4 of 4 topics closed · 4 said" in child["screen"]
    assert "t2 Neon · " in child["screen"]
    for part in (
        "TOPIC",
        "-t, --target MODEL",
        "--budget USD",
        "--prompt NAME=FILE",
        "toy_symbol",
    ):
        assert part in child["help"]
    assert "answered 100%\n" in child["page"]
    assert "By topic" in child["page"]
    assert "✓ t1 · the target says the symbol" in child["path"]
    # command, study, replay
    command = child["command"]
    assert (command["spec"]["topics"], command["spec"]["seed"]) == (["Gold", "Iron"], 5)
    assert child["plan"]["calls"]["expected"] == 2
    assert child["study"]["spec"] == command["spec"]
    assert child["replay"] == command
    # comparison, decision, export, report
    labels = {"sim:student", "sim:novice"}
    assert {model["label"] for model in child["comparison"]["models"]} == labels
    assert child["comparison"]["pairs"][0]["difference"] == 0
    decision = child["decision"]
    assert decision["verdict"] == "not_certified", "two topics are too few"
    assert {(each["model"], each["state"]) for each in decision["conditions"]} == {
        (label, "met") for label in labels
    }
    rows = list(csv.DictReader(child["export"].splitlines()))
    assert [(row["topic"], row["right"], row["verdict"]) for row in rows] == [
        ("Gold", "1", "right"),
        ("Iron", "1", "right"),
    ]
    for part in ("Toy: the models compared", "Symbols were asked for.", "## Provenance"):
        assert part in child["report"]
