"""What `fathom depthqa ask` was asked for, checked: the specs, and how they are to be run and shown."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...agents.prompts import DEPTHQA_PROMPTS
from ...graphs.run.launch import Launch, RunReport, check_persona
from ...graphs.run.options import LaunchOptions
from ...reports.live.display import DisplayKind
from ...state.depthqa.items import MODES, Material, Mode
from ...state.depthqa.spec import GIVEN
from ...state.errors import UsageError
from ...state.spec import DepthQASpec
from ...tools.files.text import STDIN, fold, unseen
from ...tools.models.family import related
from ..ended import ended
from ..environment import environment, runs_dir
from ..launch import pick_display, run_launch
from ..options.lists import one_model, several_of
from ..options.models import LAUNCHING, launch_options
from ..options.spec import choose_targets, in_world, make_spec, parse_sim, required
from ..prompt_files import read_prompts
from ..show_options import ShownWith, ShowOptions, read_depthqa_shown_with
from .source import material_from

MEASURING = ("logprobs", "judge_top_p", "judge_tokens", "answer_tokens", "seed")
QUOTING: tuple[Mode, ...] = ("prompt-gold", "prompt-pred")
"""Modes that need predecessors to quote."""
MAX_LABEL = 120


@dataclass(frozen=True, slots=True)
class AskRequest:
    """A checked request."""

    specs: Sequence[DepthQASpec]
    material: Material
    options: LaunchOptions
    display: DisplayKind
    shown_with: ShownWith
    notices: Sequence[str]
    """What the user should know before anything is asked."""


def ask_request(given: dict[str, Any]) -> AskRequest:
    """The request behind the options of `fathom depthqa ask`, by parameter name. Raises UsageError with the first
    fault."""
    shown = pick_display(given["display"], given["as_json"])
    _require_one_stdin(given)
    targets = _targets(given)
    judge = _judge(given["judge"])
    modes = choose_modes(given["mode"] or [])
    _require_together(given, targets, modes)
    world, timing = parse_sim(given["sim"] or [])
    measuring: dict[str, Any] = {name: given[name] for name in MEASURING}
    measuring |= {"judge_temperature": _temperature(given["judge_temperature"]), "modes": modes}
    measuring["prompts"] = read_prompts(given["prompt"] or [], DEPTHQA_PROMPTS)
    env = environment()
    runs = runs_dir(given["runs"], env)
    material = material_from(given["graph"], given["answers"], runs, given["limit"], modes[0])
    _require_askable(material, modes)
    about = {"graph": material.graph.name, "material": material.digest}
    specs = in_world(
        [make_spec(DepthQASpec, target=target, judge=judge, **about, **measuring) for target in targets],
        world,
        given=bool(given["sim"]),
    )
    options_shown = ShowOptions(
        plots=given["plots"], human=given["human"], reference_metrics=given["reference_metrics"]
    )
    shown_with = read_depthqa_shown_with(options_shown, material, modes)
    options = launch_options(env, runs, **{name: given[name] for name in LAUNCHING})
    options = replace(options, timing=timing, materials={material.digest: material})
    told = [*material.notices, *_of_the_judge(specs)]
    return AskRequest(specs, material, options, shown, shown_with, list(dict.fromkeys(told)))


def _require_one_stdin(given: dict[str, Any]) -> None:
    flags = {"GRAPH": Path(given["graph"] or ""), "--answers": given["answers"], "--human": given["human"]}
    reading = [flag for flag, file in flags.items() if file == STDIN]
    if len(reading) > 1:
        raise UsageError(
            f"{' and '.join(f'{flag} -' for flag in reading)} both read stdin: give a file for one of them."
        )


def _targets(given: dict[str, Any]) -> tuple[str, ...]:
    """The models to ask; of answers that are given a name for whose they are."""
    answers: Path | None = given["answers"]
    if answers is None:
        if given["graph"] is None:
            raise UsageError(
                "GRAPH is missing: name a graph's file, a folder of tables or a run of fathom depthqa build; or judge"
                " answers that are there with --answers FILE."
            )
        targets = choose_targets(given["target"] or [])
        for target in targets:
            if target.startswith(GIVEN):
                raise UsageError(f"--target {target} stands for given answers: name their file with --answers.")
            check_persona(target)
        return targets
    named = given["target"] or ["stdin" if answers == STDIN else answers.stem]
    if len(named) > 1:
        raise UsageError(
            f"--answers holds one model's answers, and --target names {len(named)}: judge them one by one."
        )
    label = fold(named[0].removeprefix(GIVEN))
    if not label or len(label) > MAX_LABEL or unseen(label):
        raise UsageError(
            f"--target cannot be {named[0]!r}: say whose the answers are in at most {MAX_LABEL} signs that can be seen."
        )
    return (f"{GIVEN}{label}",)


def _judge(judge: str | None) -> str:
    why = "it rates the answers, and is never chosen for you; as in --judge openai:gpt-5."
    (named,) = required("--judge", [judge or ""], why)
    return one_model("--judge", named)


def choose_modes(words: Iterable[str]) -> tuple[Mode, ...]:
    """The ways of asking, from words that may hold several with commas between; zero-shot without any. Raises
    UsageError for an unknown one, and one that is named twice."""
    return several_of("--mode", words, MODES) or ("zero-shot",)


def _temperature(text: str) -> float | None:
    """Raises UsageError for what is neither `none` nor a number; whether that is in range is the spec's to say."""
    if text.strip().casefold() == "none":
        return None
    try:
        return float(text)
    except ValueError:
        raise UsageError(f"--judge-temperature cannot be {text!r}: it must be a number from 0 to 2, or none.") from None


def _require_together(given: dict[str, Any], targets: Sequence[str], modes: Sequence[Mode]) -> None:
    """Raises UsageError for options that do not go together."""
    if given["human"] is not None and len(targets) > 1:
        raise UsageError(
            f"--human goes with one target, because people rate one model's answers; {len(targets)} are named."
        )
    if given["answers"] is None:
        return
    if len(modes) > 1:
        raise UsageError(
            f"--answers were collected in one way, and --mode names {len(modes)}: name the one they were asked in."
        )
    if given["logprobs"]:
        raise UsageError(
            "--logprobs cannot go with --answers: log-probabilities come with a model's reply, and nobody is asked to"
            " answer; leave it out."
        )


def _require_askable(material: Material, modes: Sequence[Mode]) -> None:
    """Raises UsageError for a mode in which there is nothing to ask."""
    quoting = next((mode for mode in modes if mode in QUOTING), None)
    if quoting is not None and material.answers is None and not material.graph.edges:
        raise UsageError(
            f"--mode {quoting} asks questions with what leads to them, and no question of this graph has predecessors:"
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


def launch_ask(asked: AskRequest, *, as_json: bool) -> int:
    """Run to the end and print what came of it; returns the exit code."""

    def show(reports: Sequence[RunReport[Any]]) -> None:
        runs = [ended(report) for report in reports]
        asked.shown_with.show(runs, as_json=as_json, told=asked.display != "events")
        asked.shown_with.draw(runs, told=asked.display != "none")

    launch: Launch[Any] = Launch(asked.specs, asked.options)
    return run_launch(launch, asked.display, as_json=as_json, show=show)
