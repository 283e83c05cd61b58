"""What `fathom replay` and `fathom judge` are to run, checked; and results computed again from their
journals."""

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import typer

from ...agents.skill import override
from ...graphs.method import METHODS
from ...graphs.outcome import recomputed
from ...graphs.replay.question_set import (
    REPLAYED,
    digest_of,
    drill_spec,
    questions_of,
    replay_spec,
)
from ...graphs.run.checks import one_model
from ...graphs.run.folder import result_text
from ...reports.page.sanitise import one_line
from ...reports.page.view import PageOptions, page
from ...state.errors import UsageError
from ...state.events import RunStarted
from ...state.records import Probe
from ...state.spec import ReplaySpec
from ...state.worlds import label_of
from ...tools.models.address import parse_model
from ...tools.runs.bundle import Frozen, differences, read_run
from ..declare import Given
from ..environment import runs_dir
from ..launch import pick_display
from ..options.shared import CALIBRATED, FURTHER
from ..request import CommandInput, PlannedRuns
from ..streams import print_blocks, print_json


def recompute(values: Given) -> None:
    """Print what the journals alone amount to, and whether it is what was found then; ends the
    program."""
    pick_display(values["display"], values["json"])
    runs = _frozen(values["run"], runs_dir(values["runs"]))
    results = [recomputed(run.events, run.name) for run in runs]
    if values["json"]:
        documents = [result.model_dump(mode="json", by_alias=True) for result in results]
        print_json(documents[0] if len(documents) == 1 else documents)
    else:
        for result in results:
            print_blocks(page(METHODS[result.method].page, result, PageOptions()))
    code = 0
    for run, result in zip(runs, results, strict=True):
        change = differences(run, f"{result_text(result)}\n".encode())
        words = change or "identical to the run’s own result.json"
        typer.echo(one_line(f"{run.run_id}: {words}."), err=True)
        code = 1 if change else code
    raise typer.Exit(code)


def ask(words: CommandInput) -> PlannedRuns:
    """The specs that put every drill's questions to every other target. Raises UsageError for a
    model that is unknown, and for a run whose questions nobody is left to answer."""
    judge, targets = words["judge"], _models("--target", words["target"])
    if judge is not None:
        judge = one_model("--judge", judge)
    if not targets:
        raise UsageError(
            "--target is missing: name the model that is to answer; `fathom judge` has other judges "
            "judge the answers there are."
        )
    further: dict[str, Any] = {name: bool(words[name]) for name in FURTHER}
    specs = list[ReplaySpec]()
    drills = [answered(run, "drill") for run in _frozen(words["run"], words.runs)]
    for run, drill in drills:
        others = [target for target in targets if target != drill.spec.target]
        if not others:
            raise UsageError(
                f"{drill.run_id} is a drill of {drill.spec.target} itself, whose verdicts stand: "
                "name another --target."
            )
        if judge is None:
            require_trusted(run, drill.spec.judge)
        for target in others:
            specs.append(replay_spec(drill, target, judge or drill.spec.judge, **further))
    return planned_replays(drills, specs)


def ask_judges(words: CommandInput) -> PlannedRuns:
    """The specs that have every run's answers judged by every judge. Raises UsageError for a model
    that is unknown, and for a run without answers."""
    judges = _models("--judge", words["judge"])
    evaluator = next(iter(_models("--evaluator", [words["evaluator"]])), "")
    second = next(iter(_models("--second-evaluator", [words["second_evaluator"]])), "")
    calibration = CALIBRATED if words["calibration"] is None else words["calibration"]
    specs = list[ReplaySpec]()
    runs = [answered(run, "drill", "replay") for run in _frozen(words["run"], words.runs)]
    for run, result in runs:
        drill = drill_spec(result)
        require_trusted(
            run,
            *([] if judges else [drill.judge]),
            *([] if evaluator else [drill.evaluator]),
            *([drill.target] if second else []),
        )
        further: dict[str, Any] = {"calibration": calibration, "second_evaluator": second}
        if calibration or second:
            further["evaluator"] = evaluator or drill.evaluator
        elif judges in ([], [drill.judge]):
            raise UsageError(
                f"{drill.judge} judged {result.run_id} already: name another --judge, or let it be "
                "tried with --calibration."
            )
        for judge in judges or [drill.judge]:
            specs.append(replay_spec(result, drill.target, judge, **further))
    return planned_replays(runs, specs)


def _frozen(names: Iterable[str], folder: Path) -> list[Frozen]:
    """The runs that are named, each once. Raises UsageError."""
    runs = [read_run(name, folder) for name in names]
    return [*{run.run_id: run for run in runs}.values()]


def _models(flag: str, names: Sequence[str | None] | None) -> list[str]:
    """The models that are named, each once. Raises UsageError."""
    return [*dict.fromkeys(one_model(flag, name) for name in names or () if name is not None)]


def planned_replays(
    runs: Sequence[tuple[Frozen, Any]], specs: Sequence[ReplaySpec]
) -> PlannedRuns:
    """The specs over the questions of these runs, with a notice for each prompt that is not what a
    drill's target or judge was given, or that somebody else has written."""
    notices, questions = list[str](), dict[str, Sequence[Probe]]()
    for run, result in runs:
        probes = questions_of(result)
        questions[digest_of(probes)] = probes
        digests = result.provenance.get("prompts", {})
        prompts = override(METHODS["replay"].prompts, result.spec.prompts)
        for name in REPLAYED:
            if digests.get(name, prompts[name].digest) != prompts[name].digest:
                notices.append(
                    f"The prompt {name!r} is not the one {result.run_id} was drilled with: old and "
                    "new answers differ in that too."
                )
            if run.foreign and name in result.spec.prompts:
                notices.append(
                    f"{run.title} brings its own text for the prompt {name!r}: its verdicts follow "
                    "it."
                )
    return PlannedRuns(specs, notices, questions, {"questions": questions})


def require_trusted(run: Frozen, *models: str) -> None:
    """What anybody may have made must not lead your key to an address of its maker's choice, on
    this machine or elsewhere. Raises UsageError."""
    for model in models if run.foreign else ():
        if parse_model(model).trusting:
            raise UsageError(
                f"{run.title} names {label_of(model)}, at an address of its own or with a key or "
                f"headers that it chooses: name it yourself, as in --judge {shlex.quote(model)}, if "
                "you trust it, or name another model."
            )


def answered(run: Frozen, *methods: str) -> tuple[Frozen, Any]:
    """The run with its result, which is of one of these methods and has a scored question. Raises
    UsageError for any other."""
    spec = run.events[0].spec if isinstance(run.events[0], RunStarted) else None
    is_known = spec is not None and spec.method in methods
    result = recomputed(run.events, run.name) if is_known else None
    if result is None or result.method not in ("drill", "replay"):
        allowed = " or ".join(methods)
        raise UsageError(
            f"Only a {allowed} in which a model was asked can be judged or asked again, and "
            f"{run.name} is none; `fathom replay` without --target computes a run of any method "
            "again."
        )
    if not questions_of(result):
        raise UsageError(f"{run.name} has no scored question: there is nothing to ask again.")
    return run, result
