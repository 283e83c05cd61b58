"""What `fathom replay` is to run, checked; and results computed again from their journals."""

import shlex
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import orjson
import typer

from ...agents.skill import override
from ...graphs.method import METHODS
from ...graphs.outcome import recomputed as result_of_events
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
from ...state.replay import ReplayResult
from ...state.result import DrillResult
from ...state.results import Result
from ...state.spec import ReplaySpec
from ...state.worlds import label_of
from ...tools.files.output import write_whole
from ...tools.models.address import parse_model
from ...tools.runs.bundle import Frozen, differences, read_run
from ...tools.runs.folders import require_not_of_run
from ..declare import Given
from ..environment import runs_dir
from ..finished import FinishedRun
from ..judge import CALIBRATED
from ..launch import pick_display
from ..options.shared import FURTHER
from ..print_results import launch_document
from ..request import CommandInput, PlannedRuns
from ..show_options import ShowOptions
from ..streams import print_blocks, print_json
from ..writable import require_file


def _write(output: Path, runs: Sequence[FinishedRun]) -> tuple[str, bool]:
    """Write the result as JSON, if there is one. Raises UsageError when that cannot be."""
    if any(run.result for run in runs):
        document = orjson.dumps(launch_document(runs), option=orjson.OPT_INDENT_2)
        write_whole(output, document + b"\n", "The output")
    return "", True


def frozen_runs(values: Given, folder: Path) -> list[Frozen]:
    """The runs that are named, each once, when the result can be written where it is wanted. Raises
    UsageError."""
    output: Path | None = values["output"]
    if output is not None:
        require_not_of_run(output)
        require_file(output, "--output", force=bool(values["force"]))
    frozen = [read_run(name, folder) for name in values["run"]]
    return [*{run.run_id: run for run in frozen}.values()]


def recompute(values: Given) -> None:
    """Print what the journals alone amount to, and whether it is what was found then; ends the
    program."""
    pick_display(values["display"], values["json"])
    output: Path | None = values["output"]
    frozen = frozen_runs(values, runs_dir(values["runs"]))
    if output is not None and len(frozen) > 1:
        raise UsageError("--output takes the result of one run: name one.")
    results = [recomputed(run) for run in frozen]
    texts = [f"{result_text(result)}\n".encode() for result in results]
    if output is not None:
        write_whole(output, texts[0], "The output")
    if values["json"]:
        documents = [result.model_dump(mode="json", by_alias=True) for result in results]
        print_json(documents[0] if len(documents) == 1 else documents)
    else:
        for result in results:
            blocks = page(METHODS[result.method].page, result, PageOptions())
            print_blocks(blocks)
    code = 0
    for run, text in zip(frozen, texts, strict=True):
        change = differences(run, text)
        words = change or "identical to the run’s own result.json"
        typer.echo(one_line(f"{run.run_id}: {words}."), err=True)
        code = 1 if change else code
    raise typer.Exit(code)


def ask(words: CommandInput) -> PlannedRuns:
    """The specs that put every drill's questions to every target, or have its answers judged anew.

    Raises UsageError for a model that is missing or unknown, and for a run whose
    questions nobody is left to answer.
    """
    frozen, judge = frozen_runs(words.values, words.runs), words["judge"]
    targets = _models("--target", words["target"])
    if judge is not None:
        judge = one_model("--judge", judge)
    elif not targets:
        raise UsageError(
            "--target or --judge is missing: name the model that is to answer, or to judge."
        )
    further = {name: bool(words[name]) for name in FURTHER}
    specs = list[ReplaySpec]()
    drills = [(run, answered(run, "drill")) for run in frozen]
    for run, drill in drills:
        if run.foreign and judge is None:
            require_trusted(run, drill.spec.judge)
        specs += [spec.model_copy(update=further) for spec in _specs(drill, targets, judge)]
    return _planned(words, drills, specs)


def ask_judges(words: CommandInput) -> PlannedRuns:
    """The specs that have every run's answers judged by every judge. Raises UsageError for a model
    that is unknown, and for a run without answers."""
    frozen, judges = frozen_runs(words.values, words.runs), _models("--judge", words["judge"])
    second = words["second_evaluator"]
    named = {"--evaluator": words["evaluator"], "--second-evaluator": second}
    models = {flag: one_model(flag, name) for flag, name in named.items() if name is not None}
    calibration = CALIBRATED if words["calibration"] is None else words["calibration"]
    specs = list[ReplaySpec]()
    runs = [(run, answered(run, "drill", "replay")) for run in frozen]
    for run, result in runs:
        drill = drill_spec(result)
        evaluator = models.get("--evaluator", drill.evaluator)
        taken_over = [] if judges else [drill.judge]
        taken_over += [evaluator] if "--evaluator" not in models else []
        taken_over += [drill.target] if second else []
        for name in taken_over if run.foreign else ():
            require_trusted(run, name)
        further: dict[str, Any] = {"calibration": calibration}
        if second:
            further["second_evaluator"] = models["--second-evaluator"]
        if calibration or second:
            further["evaluator"] = evaluator
        elif judges in ([], [drill.judge]):
            raise UsageError(
                f"{drill.judge} judged {result.run_id} already: name another --judge, or let it be "
                "tried with --calibration."
            )
        for judge in judges or [drill.judge]:
            specs.append(replay_spec(result, drill.target, judge, **further))
    return _planned(words, runs, specs)


def _models(flag: str, names: Sequence[str] | None) -> list[str]:
    """The models that are named, each once. Raises UsageError."""
    return [*dict.fromkeys(one_model(flag, name) for name in names or ())]


def _planned(
    words: CommandInput,
    runs: Sequence[tuple[Frozen, DrillResult | ReplayResult]],
    specs: Sequence[ReplaySpec],
) -> PlannedRuns:
    """The specs over the questions of these runs."""
    notices, questions = list[str](), dict[str, Sequence[Probe]]()
    for run, result in runs:
        probes = questions_of(result)
        questions[digest_of(probes)] = probes
        notices += changed_prompts(run, result)
    write = partial(_write, words["output"]) if words["output"] is not None else None
    return PlannedRuns(
        specs,
        notices,
        material=questions,
        kept={"questions": questions},
        shown_with=ShowOptions(write=write),
    )


def require_trusted(run: Frozen, judge: str) -> None:
    """What anybody may have made must not lead your key to an address of its maker's choice, on
    this machine or elsewhere. Raises UsageError."""
    if parse_model(judge).trusting:
        raise UsageError(
            f"{run.title} names {label_of(judge)}, at an address of its own or with a key or headers "
            f"that it chooses: name it yourself, as in --judge {shlex.quote(judge)}, if you trust "
            "it, or name another model."
        )


def recomputed(run: Frozen) -> Result:
    """The result of a run, from its events alone. Raises RunFailed when they contradict each
    other."""
    return result_of_events(run.events, run.name)


def answered(run: Frozen, *methods: str) -> Any:
    """The result of a run of one of these methods, if it has any scored question. Raises
    UsageError."""
    spec = run.events[0].spec if isinstance(run.events[0], RunStarted) else None
    result = recomputed(run) if spec is not None and spec.method in methods else None
    if result is None or result.method not in ("drill", "replay"):
        allowed = " or ".join(methods)
        raise UsageError(
            f"Only a {allowed} in which a model was asked can be judged or asked again, and {run.name} "
            "is none; `fathom replay` without --target and --judge computes a run of any method again."
        )
    if not questions_of(result):
        raise UsageError(f"{run.name} has no scored question: there is nothing to ask again.")
    return result


def changed_prompts(run: Frozen, drill: DrillResult | ReplayResult) -> list[str]:
    """A notice for each prompt that is not what the drill's target or judge was given, or that
    somebody else has written."""
    digests = drill.provenance.get("prompts", {})
    prompts = override(METHODS["replay"].prompts, drill.spec.prompts)
    notices = list[str]()
    for name in REPLAYED:
        if digests.get(name, prompts[name].digest) != prompts[name].digest:
            notices.append(
                f"The prompt {name!r} is not the one {drill.run_id} was drilled with: old and new "
                "answers differ in that too."
            )
        if run.foreign and name in drill.spec.prompts:
            notices.append(
                f"{run.title} brings its own text for the prompt {name!r}: its verdicts follow it."
            )
    return notices


def _specs(drill: DrillResult, targets: Sequence[str], judge: str | None) -> list[ReplaySpec]:
    by = (judge or drill.spec.judge).strip()
    if not targets:
        if by == drill.spec.judge:
            raise UsageError(f"{by} judged {drill.run_id} already: name another judge.")
        return [replay_spec(drill, drill.spec.target, by)]
    others = [target for target in targets if target != drill.spec.target]
    if not others:
        raise UsageError(
            f"{drill.run_id} is a drill of {drill.spec.target} itself, whose verdicts stand: "
            "name another --target."
        )
    return [replay_spec(drill, target, by) for target in others]
