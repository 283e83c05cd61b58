"""The tasks that Inspect AI finds, over its own models."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("inspect_ai", reason="the extra [inspect] is not installed")
PROGRAM = """
import json, sys
import inspect_ai
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from fathom.graphs.embed.inspect_task import drill, eqt

def reply(*_):
    output = ModelOutput.from_content("mockllm/model", "I do not know.")
    output.usage = ModelUsage(input_tokens=10, output_tokens=4, total_tokens=14)
    return output

model = get_model("mockllm/model", custom_outputs=reply)
tasks = [
    drill("Noble gases", evaluator="sim:evaluator", facts="sim", n=4, max_depth=2),
    eqt("Iron", examiner="sim:evaluator", questions=2, options=5, paraphrases=1),
]
found = []
for task in tasks:
    (log,) = inspect_ai.eval(task, model=model, log_dir=sys.argv[1], display="none")
    scores = {score.name: score.metrics["mean"].value for score in log.results.scores}
    events = [event for event in log.samples[0].events if event.event == "info"]
    found.append([log.status, scores, sorted({event.source for event in events})])
(log,) = inspect_ai.eval(tasks[0], model=model, log_dir=sys.argv[1], display="none", token_limit=20)
found.append([log.status, log.samples[0].limit.type])
print(json.dumps(found))
"""


def test_a_drill_and_an_exam_over_inspects_own_models(tmp_path: Path) -> None:
    # in a process of its own: Inspect leaves a stream unclosed
    ran = subprocess.run(
        [sys.executable, "-P", "-c", PROGRAM, str(tmp_path)], capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    asked, exam, limited = json.loads(ran.stdout.splitlines()[-1])
    assert (asked[0], asked[1]["evd"], asked[2]) == ("success", 0.0, ["fathom"])
    assert (exam[0], exam[1]["accuracy"], exam[2]) == ("success", 0.0, ["fathom"])
    assert limited == ["success", "token"], (
        "Inspect's own limit ends the sample, and is no failure"
    )
