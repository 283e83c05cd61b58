"""What `fathom depthqa ask` was asked for, checked."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...graphs.run.checks import check_persona
from ...state.depthqa.spec import GIVEN
from ...state.errors import UsageError
from ...state.question_graph import MODES, Material, Mode
from ...state.spec import DepthQASpec
from ...tools.files.text import STDIN, fold, unseen
from ...tools.models.family import related
from ..options.lists import several_of
from ..options.spec import choose_targets, chosen_model
from ..request import Asked, Said
from ..show_options import shown_beside
from .source import material_from

QUOTING: tuple[Mode, ...] = ("prompt-gold", "prompt-pred")
"""Modes that need predecessors to quote."""
MAX_LABEL = 120


def ask(said: Said) -> Asked:
    """The specs behind what was said. Raises UsageError with the first fault."""
    targets = _targets(said)
    why = "it rates the answers, and is never chosen for you; as in --judge openai:gpt-5."
    judge = chosen_model("--judge", said["judge"], why)
    modes = several_of("--mode", said["modes"] or [], MODES) or ("zero-shot",)
    _require_together(said, modes)
    about: dict[str, Any] = {"judge": judge, "modes": modes}
    if said["as_in_paper"]:
        about |= {"judge_temperature": 1.0, "judge_top_p": 0.9}
    material = material_from(said["graph"], said["answers"], said.runs, said["limit"], modes[0])
    _require_askable(material, modes)
    about |= {"graph": material.graph.name, "material": material.digest}
    specs = said.specs(({"target": target} for target in targets), **about)
    shown_with = shown_beside(said.given)
    notices = [*material.notices, *_of_the_judge(specs)]
    return Asked(specs, notices, material, {"materials": {material.digest: material}}, shown_with)


def _targets(said: Said) -> tuple[str, ...]:
    """The models to ask; of answers that are given a name for whose they are."""
    answers: Path | None = said["answers"]
    if answers is None:
        if said["graph"] is None:
            raise UsageError(
                "GRAPH is missing: name a graph's file, a folder of tables or a run of fathom "
                "depthqa build; or judge"
                " answers that are there with --answers FILE."
            )
        targets = choose_targets(said["target"] or [])
        for target in targets:
            if target.startswith(GIVEN):
                raise UsageError(
                    f"--target {target} stands for given answers: name their file with --answers."
                )
            check_persona(target)
        return targets
    named = said["target"] or ["stdin" if answers == STDIN else answers.stem]
    if len(named) > 1:
        raise UsageError(
            f"--answers holds one model's answers, and --target names {len(named)}: judge "
            "them one by one."
        )
    label = fold(named[0].removeprefix(GIVEN))
    if not label or len(label) > MAX_LABEL or unseen(label):
        raise UsageError(
            f"--target cannot be {named[0]!r}: say whose answers they are in at most "
            f"{MAX_LABEL} visible characters."
        )
    return (f"{GIVEN}{label}",)


def _require_together(said: Said, modes: Sequence[Mode]) -> None:
    """Raises UsageError for options that do not go together."""
    if said["answers"] is None:
        return
    if len(modes) > 1:
        raise UsageError(
            f"--answers were collected in one way, and --mode names {len(modes)}: name the "
            "one they were asked in."
        )
    if said["logprobs"]:
        raise UsageError(
            "--logprobs cannot go with --answers: log-probabilities come with a model's reply, and "
            "nobody is asked to"
            " answer; leave it out."
        )


def _require_askable(material: Material, modes: Sequence[Mode]) -> None:
    """Raises UsageError for a mode in which there is nothing to ask."""
    quoting = next((mode for mode in modes if mode in QUOTING), None)
    if quoting is not None and material.answers is None and not material.graph.edges:
        raise UsageError(
            f"--mode {quoting} asks questions with what leads to them, and no question of this "
            "graph has predecessors:"
            " choose another mode, or a graph with edges."
        )


def _of_the_judge(specs: Sequence[DepthQASpec]) -> list[str]:
    """A judge that is of the target's own family, or the target itself."""
    notices = []
    for spec in specs:
        try:
            notices.append(related(spec.target.removeprefix(GIVEN), spec.judge))
        except UsageError:  # given answers may be called anything
            continue
    return [notice for notice in notices if notice]
