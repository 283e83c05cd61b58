"""What `fathom depthqa ask` is to run, checked."""

from pathlib import Path
from typing import Any

from ...state.depthqa.spec import GIVEN
from ...state.errors import UsageError
from ...state.question_graph import PROMPT_MODES
from ...tools.files.given_answers import AnswerRow
from ...tools.files.question_graph import NodeRow
from ...tools.files.rows import parse_columns
from ...tools.files.text import STDIN, fold, unseen
from ..request import CommandInput, PlannedRuns
from ..show_options import shown_beside
from .source import material_from

MAX_LABEL = 120


def ask(words: CommandInput) -> PlannedRuns:
    """A run of each target. Raises UsageError with the first fault."""
    targets = _targets(words)
    columns = parse_columns(words["columns"], NodeRow, AnswerRow)
    material = material_from(words["graph"], words["answers"], words.runs, words["limit"], columns)
    shared: dict[str, Any] = {"graph": material.graph.name, "material": material.digest}
    if words["as_in_paper"]:
        shared |= {"judge_temperature": 1.0, "judge_top_p": 0.9}
    specs = words.specs(targets, **shared)
    quoting = next((mode for mode in specs[0].modes if mode in PROMPT_MODES), None)
    if quoting is not None and material.answers is None and not material.graph.edges:
        raise UsageError(
            f"--mode {quoting} asks questions with what leads to them, and no question of this "
            "graph has predecessors: choose another mode, or a graph with edges."
        )
    return PlannedRuns(
        specs,
        material.notices,
        material,
        {"materials": {material.digest: material}},
        shown_beside(words.values),
    )


def _targets(words: CommandInput) -> list[dict[str, Any]]:
    """The models to ask; of answers that are given a name for whose they are."""
    answers: Path | None = words["answers"]
    if answers is None:
        targets = words.targets
        for target in targets:
            if target["target"].startswith(GIVEN):
                raise UsageError(
                    f"--target {target['target']} stands for given answers: name their file with "
                    "--answers."
                )
        return targets
    labels = words["target"] or ["stdin" if answers == STDIN else answers.stem]
    label = fold(labels[0].removeprefix(GIVEN))
    if len(labels) > 1 or not label or len(label) > MAX_LABEL or unseen(label):
        raise UsageError(
            f"--target cannot be {', '.join(labels)!r}: with --answers it names their author, in "
            f"at most {MAX_LABEL} visible characters; judge those of several one by one."
        )
    return [{"target": f"{GIVEN}{label}"}]
