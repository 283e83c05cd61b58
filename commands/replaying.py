"""A replay that asks models: what was asked for, checked; and what came of it, printed."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import orjson

from ..agents.prompting import override
from ..agents.prompts import PROMPTS
from ..graphs.history import record_of
from ..graphs.material import REPLAYED, digest_of, questions_of, replay_spec
from ..graphs.options import LaunchOptions
from ..graphs.result import result_of
from ..graphs.run import Launch, RunReport, check_persona
from ..reports.console import stdout_console
from ..reports.display import DisplayKind
from ..reports.replay import cross_summary, replay_headline, summary_of
from ..state.errors import UsageError
from ..state.replay import CrossResult, RejudgeResult, ReplayResult
from ..state.result import DrillResult
from ..state.results import Result
from ..state.spec import DrillSpec, ReplaySpec
from ..stats.crossed import cross_result
from ..tools.bundle import Frozen
from ..tools.models.family import family_notices
from .launch import run_launch
from .show import print_json


@dataclass(frozen=True, slots=True)
class Replaying:
    """Checked, and ready to run."""

    launch: Launch[Any]
    notices: Sequence[str]
    """What the user should know before anything is asked."""
    matrix: bool
    """Whether what comes of it belongs side by side."""
    seed: int

    def run(self, display: DisplayKind, output: Path | None, *, as_json: bool) -> int:
        """Run to the end and print what came of it; returns the exit code."""

        def show(reports: Sequence[RunReport[Any]]) -> None:
            self._show(reports, display, output, as_json=as_json)

        return run_launch(self.launch, display, as_json=as_json, show=show)

    def _show(
        self, reports: Sequence[RunReport[Any]], display: DisplayKind, output: Path | None, *, as_json: bool
    ) -> None:
        kept = {report.run_id: report.folder for report in reports}
        results = [r.result for r in reports if isinstance(r.result, ReplayResult | RejudgeResult)]
        replays = [result for result in results if isinstance(result, ReplayResult)]
        crossed = cross_result(replays, seed=self.seed) if self.matrix and replays else None
        document = _document(crossed, results)
        if output is not None and results:
            write_result(output, orjson.dumps(document, option=orjson.OPT_INDENT_2) + b"\n")
        if as_json:
            print_json(document)
        elif display != "events":
            _print(crossed, results, kept)


def _document(crossed: CrossResult | None, results: Sequence[ReplayResult | RejudgeResult]) -> Any:
    if crossed is not None:
        return crossed.model_dump(mode="json", by_alias=True)
    documents = [result.model_dump(mode="json", by_alias=True) for result in results]
    return documents[0] if len(documents) == 1 else documents


def _print(
    crossed: CrossResult | None, results: Sequence[ReplayResult | RejudgeResult], kept: Mapping[str, Path | None]
) -> None:
    console = stdout_console()
    if crossed is not None:
        for replay in crossed.replays:
            console.print(f"{replay.source.target}'s questions: {replay_headline(replay)}", soft_wrap=True)
        console.print()
        console.print(cross_summary(crossed, width=console.width))
        return
    for result in results:
        console.print(summary_of(result, width=console.width, kept=kept.get(result.run_id)), crop=False)


def show_again(results: Sequence[Result]) -> None:
    """Results that were computed again, on stdout."""
    console = stdout_console()
    for result in results:
        console.print(summary_of(result, width=console.width), crop=False)


def write_result(output: Path, content: bytes) -> None:
    """Atomic. Raises UsageError when the file cannot be written."""
    part = output.with_name(f"{output.name}.part")
    try:
        part.write_bytes(content)
        os.replace(part, output)
    except OSError as error:
        raise UsageError(f"The output {output} cannot be written ({error.strerror or error}).") from error


def make_launch(
    frozen: Sequence[Frozen], targets: Sequence[str], judge: str | None, options: LaunchOptions
) -> Replaying:
    """The launch that puts every drill's questions to every target, or has its answers judged anew.

    Raises UsageError for a model that is missing, unknown or named twice, and for a run whose questions nobody is left
    to answer.
    """
    for name in (*targets, *([judge] if judge is not None else [])):
        if not name.strip():
            raise UsageError("--target and --judge take the name of a model, as in openai:gpt-5-mini.")
        check_persona(name)
    twice = next((name for name in targets if targets.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"--target {twice} is named twice: name each once.")
    drills = [_drill(run) for run in frozen]
    specs = [spec for drill in drills for spec in _specs(drill, targets, judge)]
    questions = {digest_of(own): own for own in (questions_of(drill) for drill in drills)}
    launch: Launch[Any] = Launch(specs, replace(options, questions=questions))
    notices = [text for drill in drills for text in _changed_prompts(drill)]
    notices += [text for spec in specs for text in family_notices(spec.target, spec.judge, spec.judge)]
    seed = drills[0].spec.seed
    return Replaying(launch, list(dict.fromkeys(notices)), matrix=bool(targets) and len(specs) > 1, seed=seed)


def _drill(run: Frozen) -> DrillResult:
    record = record_of(run.events)
    if not isinstance(record.spec, DrillSpec):
        raise UsageError(f"{run.name} is no drill: questions and answers are replayed from the drill they come from.")
    result = result_of(record)
    if not questions_of(result):
        raise UsageError(f"{run.name} has no scored question: there is nothing to replay.")
    return result


def _changed_prompts(drill: DrillResult) -> list[str]:
    """A notice for each prompt that is not what the drill's target or judge was given."""
    then = drill.provenance.get("prompts", {})
    now = {name: prompt.digest for name, prompt in override(PROMPTS, drill.spec.prompts).items()}
    return [
        f"The prompt {name!r} is not the one {drill.run_id} was drilled with: old and new answers differ in that too."
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
            f"{drill.run_id} is a drill of {drill.spec.target} itself, whose verdicts stand: name another --target."
        )
    return [replay_spec(drill, target, by) for target in others]
