"""What people said of answers, wherever runs are shown: two drills whose answers were all judged
again, every ninth of them otherwise than by the judge."""

import csv
import io
import json
from datetime import UTC, datetime
from pathlib import Path

from fathom.commands.finished import run_in
from fathom.state.review import Label, Sampled
from fathom.stats.correction import LEAST_LABELS
from fathom.tools.runs.reviews import append_review

from ..support.command_line import Caller

DRILL = ["drill", "Chemical elements", "-e", "sim:evaluator", "-n", "10", "--max-depth", "3"]


def review(folder: Path, most: int = 1000) -> int:
    """Two raters, who agree; how many answers they saw."""
    entries: list[Sampled | Label] = []
    rows = [row for row in run_in(folder).rows if row.score is not None][:most]
    for place, row in enumerate(rows):
        about = {"item": row.item, "condition": row.condition}
        right = (row.verdict == "right") != (place % 9 == 4)
        answer = "right" if right else "wrong"
        sound = "sound" if place % 10 else "outdated"
        day = datetime(2026, 3, 1 + place % 5, tzinfo=UTC)
        entries.append(Sampled(**about, stratum=row.verdict, probability=1.0))
        label = {**about, "answer": answer, "question": sound, "at": day, "rule": "r"}
        entries += [Label.model_validate({**label, "rater": name}) for name in ("bob", "ann")]
    append_review(folder, entries)
    return len(rows)


def test_what_people_say_stands_wherever_runs_are_shown(call: Caller) -> None:
    call(*DRILL, "-t", "sim:novice", "-t", "sim:expert", "--seed", "7", "--display", "none")
    drills = [run.name for run in call.runs]
    assert "What people say" not in call("show", drills[0]).out
    review(call.runs[0], most=8)
    found = json.loads(call("compare", *drills, "--json").out)
    assert found["corrected"] is None
    assert any("too few" in note for note in found["notes"])
    assert "too few" in " ".join(call("show", drills[0]).out.split())
    seen = sum(review(folder) for folder in call.runs)
    assert seen >= LEAST_LABELS
    shown = call("show", drills[0]).out
    assert "reviewed by ann, bob (until 2026-03-05)" in " ".join(shown.split())
    found = json.loads(call("compare", *drills, "--json").out)
    corrected = found["corrected"]
    assert {model["label"] for model in corrected["models"]} == {"sim:novice", "sim:expert"}
    assert corrected["models"][0]["estimate"] != found["models"][0]["estimate"]
    assert corrected["judge_points"] is None, "its errors are measured"
    assert "Corrected for the judge's errors" in call("compare", *drills).out
    rows = [*csv.DictReader(io.StringIO(call("export", drills[0]).out))]
    scored = [row for row in rows if row["right"]]
    assert sum(row["human"] != row["right"] for row in scored) == sum(
        place % 9 == 4 for place in range(len(scored))
    )
    assert scored[0]["votes"] in ("right, right", "wrong, wrong")
    decided = json.loads(
        call("decide", *drills, "--must", "corrected_evd >= 0.1", "--must",
             "corrected_accuracy[common] >= 1%", "--json").out
    )  # fmt: skip
    assert {state["state"] for state in decided["conditions"]} <= {"met", "open", "failed"}
    assert all(state["value"] is not None for state in decided["conditions"])
    page = call("report", *drills, "--sheet", "--format", "md", "-o", "-").out
    assert "reviewed by ann, bob" in page
    whole = call("report", *drills, "--format", "md", "-o", "-").out
    assert "What people say" in whole
    question = example_of(call, drills[0])
    (row,) = [row for row in run_in(call.runs[0]).rows if row.texts.get("question") == question]
    fields = {"item": row.item, "condition": row.condition, "question": "sound", "rule": "r"}
    fields |= {"at": "2026-03-09T00:00:00Z", "answer": "right"}
    labels = [Label.model_validate({**fields, "rater": name}) for name in ("bob", "ann")]
    append_review(call.runs[0], labels)
    assert example_of(call, drills[0]) != question, "people say that it was answered rightly"


def example_of(call: Caller, run: str) -> str:
    """The question of the wrong answer that the sheet shows."""
    sheet = call("report", run, "--sheet", "--format", "md", "-o", "-").out
    return sheet.partition("was asked:")[2].splitlines()[0].strip(" *")
