"""`fathom run STUDY`, `fathom plan STUDY` and `fathom init`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ...state.errors import UsageError
from ...state.option import OUTPUT, Option
from ..declare import Command, Given
from ..method import EXIT_CODES
from ..methods import HOMES, command_of
from ..options.shared import FORCE, LAUNCHING

if TYPE_CHECKING:
    from ..request import Request

EPILOG = f"""Examples:
  fathom init && fathom plan study.yaml && fathom run study.yaml
  fathom eqt Entropy -t openai:gpt-5 --save-study entropy.yaml
  fathom run entropy.yaml --budget 2
  fathom run runs/RUN/spec.json             the same run once more

STUDY:
  method: drill              and its options by their long names
  domains: [Cardiology]
  target: [openai:gpt-5-mini, ollama:llama3]
  evaluator: openai:gpt-5
  or several under methods:, run one after the other, with what they share
  above (budget and max_calls hold for all of them together); paths are
  relative to the file; `fathom schema study` describes all

{EXIT_CODES}"""
STUDY = Option(
    "", "STUDY", "Study file in YAML or JSON, the spec.json of a run, or - for stdin.", name="study", required=True
)
OPTIONS = (STUDY, *LAUNCHING, FORCE)


def _run(given: Given) -> None:
    from ..launch import WORST_FIRST
    from ..request import Spent, launched
    from ..streams import print_json

    requests, limits = _requests(given)
    together: list[object] | None = [] if given["json"] and len(requests) > 1 else None
    codes, spent = list[int](), Spent()
    for request in requests:
        code, cost = launched(request.within(limits, spent), together)
        codes.append(code)
        spent = Spent(spent.usd + cost.usd, spent.calls + cost.calls)
        if code == 130:
            break
    if together is not None:
        print_json(together)
    raise typer.Exit(next(code for code in WORST_FIRST if code in codes))


def _plan(given: Given) -> None:
    from ..plan.command import print_plans

    print_plans(_requests(given)[0])


def specs_of(study: str) -> list[Any]:
    """All that the file asks for. Raises UsageError with the first fault."""
    given = dict.fromkeys(option.key for option in OPTIONS) | {"study": study}
    return [spec for request in _requests(given)[0] for spec in request.specs]


def _requests(given: Given) -> "tuple[list[Request], dict[str, float]]":
    """All that the file asks for, checked before anything is asked, and the limits of all together. What is given on
    the command line counts instead of what stands in the file. Raises UsageError with the first fault and the file."""
    from ..request import requested
    from .read import parts_of, read_file
    from .spec_file import is_spec, request_of_spec

    file = read_file(Path(given["study"]))
    if is_spec(file):
        return [request_of_spec(file, given)], {}
    requests = []
    over = {key: value for key, value in given.items() if value is not None and key != "study"}
    for part in parts_of(file):
        try:
            requests.append(requested(part.command, part.given | over, part.folder))
        except UsageError as error:
            raise UsageError(f"{part.called}: {error}") from None
        requests[-1].tell()
    return requests, file.limits(given)


RUN_STUDY = Command(
    _run,
    """Run what a study file describes: methods, domains or material, models, sources, options.

It launches as the method's own command would: the same plan, limits, run folders, exit codes and `fathom resume`. \
Options given here count instead of what stands in the file.""",
    OPTIONS,
    EPILOG,
)
PLAN_STUDY = Command(
    _plan, "Estimate calls, tokens, cost and time of what a study file describes. Calls no model.", OPTIONS
)


def _init(given: Given) -> None:
    from ..writable import require_file
    from .write import SUFFIXES, commented

    file, method = given["file"] or Path("study.yaml"), given["method"] or "drill"
    if method not in HOMES:
        raise UsageError(f"--method {method!r} does not exist; choose one of {', '.join(HOMES)}.")
    if file.exists():
        raise UsageError(f"FILE {file} exists already, and init overwrites nothing: name another file.")
    require_file(file, "FILE", *SUFFIXES, force=False)
    file.write_text(commented(command_of(method), method), encoding="utf-8")
    typer.echo(f"Written: {file}. Next: edit it, then fathom plan {file} and fathom run {file}.", err=True)


INIT = Command(
    _init,
    "Write a commented study file, ready to run on the simulated world. Overwrites nothing.",
    (
        Option("", "FILE", "File to write.", name="file", kind="file", default="study.yaml"),
        Option("--method", "METHOD", f"{', '.join(HOMES)}.", OUTPUT, default="drill"),
    ),
)
