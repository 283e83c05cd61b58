"""`fathom run STUDY`, `fathom plan STUDY` and `fathom init`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ...graphs.method import METHODS, served
from ...state.errors import UsageError
from ...state.option import OUTPUT, Option
from ...tools.files.text import STDIN
from ...tools.runs.folders import launch_fields, run_paths
from ..declare import Command, Given, require_together
from ..environment import runs_dir, store_of
from ..method import EXIT_CODES
from ..options.shared import FORCE, LAUNCHING, UNTIL_DECIDED

if TYPE_CHECKING:
    from ...state.campaign import CellState
    from ..request import Request

EPILOG = f"""Examples:
  fathom init && fathom plan study.yaml && fathom run study.yaml
  fathom run study.yaml --budget 2

STUDY:
  method: drill              and its options by their long names
  domains: [Cardiology]
  target: [openai:gpt-5-mini, ollama:llama3]
  evaluator: openai:gpt-5
  paths are relative to the file; `fathom schema study` describes all

{EXIT_CODES}"""
STUDY = Option(
    "",
    "STUDY",
    "Study file in YAML or JSON, or - for stdin.",
    name="study",
    required=True,
)
OPTIONS = (STUDY, UNTIL_DECIDED, *LAUNCHING, FORCE)
ENGINE = Option(
    "--engine",
    "ENGINE",
    "local: in this process; dask: in a process per core; dask:ADDRESS: on the workers of that "
    "dask scheduler, for"
    " which whoever reaches it can run code.",
    OUTPUT,
    default="dask for more than 8 cells, if installed",
)
STORE = Option(
    "--store",
    "ADDRESS",
    "postgresql://… database in which workers on several machines keep the runs.",
    OUTPUT,
    env="FATHOM_STORE",
    default="the folder of the runs",
)
RETRY = Option(
    "--retry-failed", "", "Also run cells again that failed in earlier sessions.", OUTPUT
)
_SENT = frozenset({"study", "budget", "max_calls", "display", "json"})
SERVER = Option(
    "--server",
    "URL",
    "Run it at a server of `fathom serve`, and show it live here; the token is in FATHOM_TOKEN.",
    OUTPUT,
    excludes=tuple(
        option.key
        for option in (*OPTIONS, ENGINE, RETRY)
        if option.key not in _SENT and not option.env
    ),
)
OWN = frozenset(
    {"study", *(option.key for option in (UNTIL_DECIDED, ENGINE, STORE, RETRY, SERVER))}
)
"""What is said of the campaign, and not of its methods."""


def _run(values: Given) -> None:
    if values["server"]:
        from ..watch import run_at

        raise typer.Exit(run_at(values["server"], values))
    from .campaign import CampaignOptions, campaigned, chosen_engine

    chosen_engine(values["engine"], 0, values["display"])  # before the index is made
    request = _requested(values, keep=True)
    store, retry = store_of(values["store"]), bool(values["retry_failed"])
    how = CampaignOptions(Path(values["study"]), values["engine"], store, retry)
    raise typer.Exit(campaigned(request, how))


def _plan(values: Given) -> None:
    """Of a campaign that has begun: what is left of it; where nothing is left, all of it."""
    from ..launch import say
    from ..plan.command import print_plan
    from .standing import states_of

    store = store_of(None)
    request = _requested({**values, "store": store})
    states = states_of(request.specs, runs_dir(values["runs"]), store)
    cells = zip(request.specs, states, strict=True)
    left = [spec for spec, state in cells if state.status != "complete"]
    if len(left) < len(states):
        rest = "nothing is left to run, and this is what all of them take"
        what = "the plan is of the others" if left else rest
        say(f"{len(states) - len(left)} of {len(states)} cells are complete: {what}.")
    print_plan(request.of(left or request.specs))


def cells_of(
    study: str, runs: Path, store: str | None, *, there: bool = False
) -> "list[CellState]":
    """How the cells of the file stand; of repeats that are made until it is decided those of the
    looks that have begun. `there`: as for `states_of`. Raises UsageError with the first fault."""
    from ...graphs.drill.paired import looks_until
    from .standing import states_of

    launches = map(launch_fields, reversed(run_paths(runs)))
    newest = next((fields for fields in launches if fields.get("campaign") == study), {})
    most = newest.get("until_decided")
    specs = specs_of(study, runs, store, most)
    states = states_of(specs, runs, store, there=there)
    if not most:
        return states
    first = looks_until(most)[0]  # of the others those are named that have begun
    return [
        state
        for spec, state in zip(specs, states, strict=True)
        if state.run or getattr(spec, "repeat", 1) <= first
    ]


def specs_of(
    study: str, runs: Path, store: str | None = None, until_decided: int | None = None
) -> list[Any]:
    """All that the file asks for, as of its first run. Raises UsageError with the first fault."""
    values = dict.fromkeys(option.key for option in OPTIONS)
    values |= {"study": study, "runs": runs, "store": store, UNTIL_DECIDED.key: until_decided}
    return list(_requested(values, tell=False).specs)


def _requested(values: Given, *, tell: bool = True, keep: bool = False) -> "Request":
    """What the file asks for, checked before anything is asked; it ends with the decision that the
    file states, and keeps this with the runs. What is given on the command line counts instead of
    what stands in the file. Where the file names no day, that of its first run counts; `keep`: this
    is perhaps that run. Raises UsageError with the first fault and the file."""
    from ..decision import measure_of, policy_of, require_margin, scale_of
    from ..request import requested
    from .read import command_of, decide_block, read_file, values_of
    from .standing import as_of

    file = read_file(Path(values["study"]))
    command, block, given = command_of(file), decide_block(file), values_of(file)
    until = UNTIL_DECIDED.key
    most = block.get(until) if values[until] is None else values[until]
    if until in given:
        given[until] = most
    elif most is not None:
        raise UsageError(f"{file.name}: {UNTIL_DECIDED.flag} repeats drills, and this is none.")
    for key, value in values.items():
        if key not in OWN and value is not None:
            given[key] = value
    try:
        require_together(command.options, given)
        request = requested(command, given, file.folder)
    except UsageError as error:
        raise UsageError(f"{file.name}: {error}") from None
    if tell:
        request.tell()
    policy, spec = policy_of({}, block), request.specs[0]
    require_margin(policy.margin, scale_of(spec))
    for condition in policy.must:
        measure_of(condition, spec.method)
    if file.path != STDIN and given.get("as_of", "") is None:
        runs, store = runs_dir(values["runs"]), store_of(values["store"])
        request = request.dated(as_of(file.path, runs, store, keep=keep))
    return request.decided_by(policy)


RUN_STUDY = Command(
    _run,
    """Run what a study file describes: method, domains or material, models, sources, options.

Each of its cells (domain × target × repeat) is run once: run the study again, and what is finished is not asked, \
what was cut off resumes, what was added to the file runs alone. `fathom status STUDY` shows how it stands, from any \
terminal. Limits hold for all sessions together. Options given here override those in the file.""",
    (*OPTIONS, ENGINE, STORE, RETRY, SERVER),
    EPILOG,
)
PLAN_STUDY = Command(
    _plan,
    (
        "Estimate calls, tokens, cost and time of what a study file describes and is still to be "
        "run. Calls no model."
    ),
    OPTIONS,
)


def _init(values: Given) -> None:
    from ..writable import require_file
    from .write import SUFFIXES, commented

    file, method = values["file"] or Path("study.yaml"), values["method"] or "drill"
    if method not in served():
        raise UsageError(
            f"--method {method!r} does not exist; choose one of {', '.join(served())}."
        )
    if file.exists():
        raise UsageError(
            f"FILE {file} exists already, and init overwrites nothing: name another file."
        )
    require_file(file, "FILE", *SUFFIXES, force=False)
    file.write_text(commented(METHODS[method].command, method), encoding="utf-8")
    typer.echo(
        f"Written: {file}. Next: edit it, then fathom plan {file} and fathom run {file}.",
        err=True,
    )


INIT = Command(
    _init,
    "Write a commented study file, ready to run on the simulated world. Overwrites nothing.",
    (
        Option("", "FILE", "File to write.", name="file", kind="file", default="study.yaml"),
        Option("--method", "METHOD", f"{', '.join(served())}.", OUTPUT, default="drill"),
    ),
)
