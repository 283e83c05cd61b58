"""`fathom replay`: a result computed again, other models on the same questions, another judge on the same answers."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ...state.errors import UsageError
from ...state.option import OUTPUT, Option
from ...state.spec import ReplaySpec
from ..declare import Given
from ..environment import runs_dir
from ..method import SAVE_STUDY, MethodCommand
from ..options.shared import FORCE, LAUNCHING, model

if TYPE_CHECKING:
    from ...tools.runs.bundle import Frozen

EPILOG = """Examples:
  fathom replay last                       compute a result again, offline
  fathom replay run.fathom -t openai:gpt-5 another model, the same questions
  fathom replay A B C -t X -t Y -t Z       who knows whose questions
  fathom replay last --judge openai:gpt-5  the same answers, another judge

Exit codes:
  0 complete (and identical), 1 failed or not identical,
  2 refused before any call, 3 stopped by its budget, 130 interrupted
"""


@dataclass(frozen=True, slots=True)
class Replay(MethodCommand):
    """Without a model nothing is asked: then there is nothing to plan, to limit or to save."""

    @property
    def options(self) -> list[Option]:
        return [*self.own, FORCE, *LAUNCHING, SAVE_STUDY]

    def launch(self, given: Given) -> None:
        if given["target"] or given["judge"] is not None:
            MethodCommand.launch(self, given)
        else:
            _recompute(given)


REPLAY = Replay(
    "replay",
    ReplaySpec,
    ".replay.request:ask",
    """Compute a run's result again from its journal alone; or put its very questions to other models.

Without --target and --judge nothing is asked and no connection is opened: the result must come out byte for byte, for \
runs of any method. --target and --judge are for drills. Several targets or runs make a cross-examination: every model \
on every model's questions.""",
    own=(
        Option(
            "",
            "RUN",
            "Runs: a folder, an id, `last`, or a bundle's file.",
            name="run",
            type=list[str],
            kind="run",
            required=True,
        ),
        model("--target -t", "Put the same questions to this model; may be repeated.", type=list[str]),
        model("--judge", "Judge of all answers, old and new; alone: judge the old ones anew.", default="the drill's"),
        Option("--output -o", "FILE", "Also write the result there, as JSON.", OUTPUT, kind="file"),
    ),
    epilog=EPILOG,
)


def frozen_runs(given: Given, folder: Path) -> "list[Frozen]":
    """The runs that are named, each once, when the result can be written where it is wanted. Raises UsageError."""
    from ...tools.runs.bundle import read_run
    from ...tools.runs.folders import require_not_of_run

    output: Path | None = given["output"]
    if output is not None:
        require_not_of_run(output)
        if not given["force"]:
            _require_free(output)
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


def _require_free(output: Path) -> None:
    if output.is_dir():
        raise UsageError(f"The output {output} is a folder: name a file.")
    if output.exists():
        raise UsageError(f"The output {output} exists already: name another file, or overwrite it with --force.")


def _recompute(given: Given) -> None:
    """Print what the journals alone amount to, and whether it is what was found then; ends the program."""
    from ...graphs.run.folder import result_text
    from ...reports.page.sanitise import one_line
    from ...tools.runs.bundle import differences
    from ..launch import pick_display
    from ..streams import print_json
    from .request import recomputed, show_again, write_result

    _, as_json, output = pick_display(given["display"], given["json"]), bool(given["json"]), given["output"]
    if given["save_study"] is not None:
        raise UsageError("--save-study needs --target or --judge: a result that is computed again asks nobody.")
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
        typer.echo(one_line(f"{run.run_id}: {found or 'identical to the run’s own result.json'}."), err=True)
    raise typer.Exit(1 if different else 0)
