"""What `fathom replay` was asked for, checked; and results computed again from their journals."""

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import orjson
import typer
from pydantic import BaseModel

from ...agents.prompts import PROMPTS_OF
from ...agents.skill import override
from ...graphs.method import METHODS
from ...graphs.outcome import recomputed as result_of_events
from ...graphs.replay.question_set import REPLAYED, digest_of, questions_of, replay_spec
from ...graphs.run.folder import result_text
from ...reports.page.console import stdout_console
from ...reports.page.sanitise import one_line
from ...reports.page.terminal import rendered
from ...reports.page.view import PageOptions, page
from ...state.errors import UsageError
from ...state.events import RunStarted
from ...state.result import DrillResult
from ...state.results import Result
from ...state.spec import ReplaySpec, Spec
from ...state.worlds import label_of
from ...tools.models.address import parse_model
from ...tools.models.family import family_notices
from ...tools.runs.bundle import Frozen, differences, read_run
from ...tools.runs.folders import require_not_of_run
from ..declare import Given
from ..environment import runs_dir
from ..finished import FinishedRun
from ..launch import pick_display
from ..options.lists import one_model
from ..options.spec import require_bounds
from ..print_results import launch_document
from ..request import Asked, Said
from ..show_options import ShowOptions
from ..streams import print_json
from ..writable import require_file


@dataclass(frozen=True, slots=True)
class ResultFile:
    """Where the result is wanted as JSON."""

    output: Path | None

    def save(self, runs: Sequence[FinishedRun], *, told: bool = True) -> bool:
        """Write it, if there is one. Raises UsageError when that cannot be."""
        if self.output is not None and any(run.result for run in runs):
            write_result(
                self.output, orjson.dumps(launch_document(runs), option=orjson.OPT_INDENT_2) + b"\n"
            )
        return True


def frozen_runs(given: Given, folder: Path) -> list[Frozen]:
    """The runs that are named, each once, when the result can be written where it is wanted. Raises
    UsageError."""
    output: Path | None = given["output"]
    if output is not None:
        require_not_of_run(output)
        require_file(output, "--output", force=bool(given["force"]))
    frozen = [read_run(text, folder) for text in _several(given["run"] or [""])]
    _distinct([(run.run_id, run.name) for run in frozen], "RUN")
    return frozen


def _several(runs: list[str]) -> list[str]:
    if not all(text.strip() for text in runs):
        raise UsageError("RUN is empty: give a run's folder, its id, `last`, or a bundle's file.")
    return runs


def _distinct(named: list[tuple[str, str]], what: str) -> None:
    """Raises UsageError when one key comes twice."""
    seen: set[str] = set()
    for key, name in named:
        if key in seen:
            raise UsageError(f"{what} {name} is named twice: name each once.")
        seen.add(key)


def recompute(given: Given) -> None:
    """Print what the journals alone amount to, and whether it is what was found then; ends the
    program."""
    _, as_json, output = (
        pick_display(given["display"], given["json"]),
        bool(given["json"]),
        given["output"],
    )
    frozen = frozen_runs(given, runs_dir(given["runs"]))
    if output is not None and len(frozen) > 1:
        raise UsageError("--output takes the result of one run: name one.")
    results = [recomputed(run) for run in frozen]
    texts = [f"{result_text(result)}\n".encode() for result in results]
    if output is not None:
        write_result(output, texts[0])
    if as_json:
        documents = [result.model_dump(mode="json", by_alias=True) for result in results]
        print_json(documents[0] if len(documents) == 1 else documents)
    else:
        show_again(results)
    different = 0
    for run, text in zip(frozen, texts, strict=True):
        found = differences(run, text)
        different += bool(found)
        typer.echo(
            one_line(f"{run.run_id}: {found or 'identical to the run’s own result.json'}."),
            err=True,
        )
    raise typer.Exit(1 if different else 0)


def show_again(results: Sequence[Result]) -> None:
    """Results that were computed again, on stdout."""
    console = stdout_console()
    for result in results:
        blocks = page(METHODS[result.method].page, result, PageOptions())
        console.print(rendered(blocks, console.width), crop=False)


def write_result(output: Path, content: bytes) -> None:
    """Atomic. Raises UsageError when the file cannot be written."""
    part = output.with_name(f"{output.name}.part")
    try:
        part.write_bytes(content)
        os.replace(part, output)
    except OSError as error:
        raise UsageError(
            f"The output {output} cannot be written ({error.strerror or error})."
        ) from error


def ask(said: Said) -> Asked:
    """The specs that put every drill's questions to every target, or have its answers judged anew.

    Raises UsageError for a model that is missing, unknown or named twice, and for a run whose
    questions nobody is left to answer.
    """
    frozen, judge = frozen_runs(said.given, said.runs), said["judge"]
    if not said["target"] and judge is None:
        raise UsageError(
            "--target or --judge is missing: name the model that is to answer, or to judge."
        )
    targets = [" ".join(name.split()) for name in said["target"] or []]
    for name in (*targets, *([judge] if judge is not None else [])):
        if not name.strip():
            raise UsageError(
                "--target and --judge take the name of a model, as in openai:gpt-5-mini."
            )
        one_model("--target or --judge", name)
    twice = next((name for name in targets if targets.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"--target {twice} is named twice: name each once.")
    drills = [_drill(run) for run in frozen]
    for run, drill in zip(frozen, drills, strict=True):
        if run.foreign and judge is None:
            _require_trusted(run, drill.spec.judge)
    specs = [spec for drill in drills for spec in _specs(drill, targets, judge)]
    questions = {digest_of(own): own for own in (questions_of(drill) for drill in drills)}
    notices = [text for drill in drills for text in _changed_prompts(drill)]
    notices += [
        f"{run.title} brings its own text for the prompt {name!r}: its verdicts follow that."
        for run, drill in zip(frozen, drills, strict=True)
        for name in sorted(set(drill.spec.prompts) & set(REPLAYED))
        if run.foreign
    ]
    notices += [
        text for spec in specs for text in family_notices(spec.target, spec.judge, spec.judge)
    ]
    return Asked(
        specs,
        notices,
        kept={"questions": questions},
        shown_with=ShowOptions(files=ResultFile(said["output"])),
    )


def _require_trusted(run: Frozen, judge: str) -> None:
    """What anybody may have made must not lead your key to an address of its maker's choice, on
    this machine or elsewhere. Raises UsageError."""
    if parse_model(judge).trusting:
        raise UsageError(
            f"{run.title} was judged by {label_of(judge)}, at an address of its own or with a key "
            "or headers that it"
            f" chooses: name it with --judge {shlex.quote(judge)} if you trust it, or name another "
            "judge."
        )


def recomputed(run: Frozen) -> Result:
    """The result of a run, from its events alone. Raises RunFailed when they contradict each other,
    UsageError for one of somebody else with numbers that no command takes."""
    if run.foreign:
        _require_bounds(run)
    return result_of_events(run.events, run.name)


def _require_bounds(run: Frozen) -> None:
    """What anybody may have made may hold numbers that no command takes, and that would never be
    counted to. Raises UsageError."""
    spec = run.events[0].spec if isinstance(run.events[0], RunStarted) else None
    for asked in (spec, getattr(spec, "source", None)):
        try:
            if isinstance(asked, BaseModel):
                require_bounds(asked)
        except UsageError as error:
            raise UsageError(f"{run.title} is of no run that could be started: {error}") from None


def _drill(run: Frozen) -> DrillResult:
    spec = run.events[0].spec if isinstance(run.events[0], RunStarted) else None
    result = recomputed(run) if spec is not None and spec.method == "drill" else None
    if result is None or result.method != "drill":
        raise UsageError(_no_drill(run.name, spec))
    if not questions_of(result):
        raise UsageError(f"{run.name} has no scored question: there is nothing to replay.")
    return result


_INSTEAD = {
    "eqt": (
        "is an Explain-Query-Test, whose questions replay puts to no other model and gives to no "
        "other judge: test"
        " another one with fathom eqt --examiner {spec.examiner} --target MODEL, on the same "
        "concepts"
    ),
    "depthqa": (
        "is a DepthQA run, whose questions replay puts to no other model and gives to no other "
        "judge: do that with"
        " fathom depthqa ask RUN --target MODEL --judge {spec.judge}, which takes the graph of a "
        "run"
    ),
    "depthqa_build": "has built a graph: put it to models with fathom depthqa ask RUN --target MODEL",
    "deepquestion": (
        "is a DeepQuestion run, whose texts replay puts to no other model: write them with fathom "
        "show RUN -o"
        " FILE, and ask others with fathom deepquestion --from FILE --target MODEL --evaluator "
        "{spec.evaluator}"
    ),
}
"""Method → why the questions of a run go to nobody else, and what does what was meant."""


def _no_drill(name: str, spec: Spec | None) -> str:
    if spec is not None and spec.method in _INSTEAD:
        instead = _INSTEAD[spec.method].format(spec=spec)
        return f"{name} {instead}; without --target and --judge the result is computed again."
    return (
        f"{name} is no drill: --target and --judge go with the drill that the questions come from; "
        "without them"
        " a run of any method is computed again."
    )


def _changed_prompts(drill: DrillResult) -> list[str]:
    """A notice for each prompt that is not what the drill's target or judge was given."""
    then = drill.provenance.get("prompts", {})
    now = {
        name: prompt.digest
        for name, prompt in override(PROMPTS_OF["drill"], drill.spec.prompts).items()
    }
    return [
        (
            f"The prompt {name!r} is not the one {drill.run_id} was drilled with: old and new "
            "answers differ in that too."
        )
        for name in REPLAYED
        if then.get(name, now[name]) != now[name]
    ]


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
