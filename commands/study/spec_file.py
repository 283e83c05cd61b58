"""The spec.json of a run as a study: the same run once more."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ...state.errors import RunFailed, UsageError
from ...state.spec import SPEC
from ...tools.files.text import shown
from ..declare import Given
from ..ended import material_in, problems_in
from ..environment import environment, runs_dir
from ..launch import pick_display
from ..options.shared import launch_options
from ..options.spec import require_bounds, rule_of
from ..request import Asked, Request
from .read import StudyFile

MATERIAL: Mapping[str, tuple[Callable[[Path | None], Any], str]] = {
    "depthqa": (material_in, "materials"),
    "deepquestion": (problems_in, "problem_sets"),
}
"""Method → what reads its questions from the journal of a run, and where a launch keeps them."""


def is_spec(file: StudyFile) -> bool:
    """Whether it is the spec of a run: those name the simulated world, even where there is none."""
    return "method" in file.content and "world" in file.content


def request_of_spec(file: StudyFile, given: Given) -> Request:
    """The run of a spec once more. Raises UsageError for what is no spec, and where its questions
    are not beside it."""
    called = shown(file.path)
    try:
        spec = SPEC.validate_python(dict(file.content))
    except ValidationError as error:
        fault = error.errors()[0]
        where = ".".join(map(str, fault["loc"][1:]))
        raise UsageError(
            f"{called} is no spec of a run: {where} is wrong ({rule_of(fault)})."
        ) from None
    require_bounds(spec)
    if spec.method == "replay":
        raise UsageError(
            f"{called} is of a replay, whose questions come from {spec.source_run}: fathom replay "
            f"{spec.source_run}"
            f" --target {spec.target} asks them again."
        )
    material: Any = None
    kept: dict[str, Any] = {}
    if spec.method in MATERIAL:
        read, where = MATERIAL[spec.method]
        try:
            material = read(file.folder)
        except RunFailed:
            raise UsageError(
                f"{called} names its questions by a digest, and they stand in its run's journal: "
                "give the spec.json in"
                " the run's own folder."
            ) from None
        kept = {where: {material.digest: material}}
    env = environment()
    display = pick_display(given["display"], given["json"])
    options = launch_options(env, runs_dir(given["runs"], env), given)
    asked = Asked([spec], material=material, kept=kept)
    return Request(asked, replace(options, **kept), display, bool(given["json"]))
