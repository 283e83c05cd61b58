"""What a method was asked for, checked: its specs, and how they are to be run and shown; then
run."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..agents.prompts import PROMPTS_OF
from ..graphs.run.options import LaunchOptions
from ..reports.live.display import DisplayKind
from ..state.errors import UsageError
from ..state.spec import Spec
from ..tools.files.text import STDIN
from .declare import Given, options_of
from .environment import environment, runs_dir
from .finished import run_of_report
from .help import found
from .launch import pick_display, run_launch, say, tell
from .methods import MethodTable
from .options.shared import launch_options
from .options.spec import in_world, make_spec, parse_sim
from .prompt_files import read_prompts
from .show_options import ShowOptions

if TYPE_CHECKING:  # heavy: what a study asks for is read without it
    from ..graphs.run.launch import RunReport


MANY = 5000
"""Runs from which a person is told that it takes a while."""


@dataclass(frozen=True, slots=True)
class Said:
    """What was said, by the keys of the options, with what surrounds it."""

    method: MethodTable
    given: Given
    env: Mapping[str, str]
    runs: Path
    folder: Path
    """Where relative paths of sources begin."""

    def __getitem__(self, key: str) -> Any:
        return self.given[key]

    def specs(self, each: Iterable[Mapping[str, Any]], **about: Any) -> list[Any]:
        """Checked specs, one for each of these; `about`: the fields that all share, beside those
        that were said. Raises UsageError with the first fault."""
        kind: Any = self.method.spec
        said = {
            option.key: self[option.key]
            for option in options_of(kind)
            if self[option.key] is not None
        }
        wanted = list(each)
        if len(wanted) > MANY:
            say(f"{len(wanted):,} runs are looked at one by one, which takes a while.")
        prompts = read_prompts(
            self["prompt"] or [], PROMPTS_OF[kind.model_fields["method"].default]
        )
        world, _ = parse_sim(self["sim"] or [])
        specs = [make_spec(kind, **{**said, "prompts": prompts, **about, **own}) for own in wanted]
        return in_world(specs, world, given=bool(self["sim"]))


@dataclass(frozen=True, slots=True)
class Asked:
    """What a method's own options amount to. `kept`: the material that the launch keeps, by field
    of its options; `notices`: what the user should know before anything is asked."""

    specs: Sequence[Spec]
    notices: Sequence[str] = ()
    material: Any = None
    kept: Mapping[str, Any] = field(default_factory=dict)
    shown_with: ShowOptions = ShowOptions()  # noqa: RUF009  # frozen


class Spent(NamedTuple):
    """What launches have cost."""

    usd: float = 0.0
    calls: int = 0


@dataclass(frozen=True, slots=True)
class Request:
    """A checked request."""

    asked: Asked
    options: LaunchOptions
    display: DisplayKind
    as_json: bool

    @property
    def specs(self) -> Sequence[Any]:
        return self.asked.specs

    def of(self, specs: Sequence[Any]) -> "Request":
        """The same of these specs."""
        return replace(self, asked=replace(self.asked, specs=specs))

    def dated(self, day: date) -> "Request":
        """The same as of this day."""
        return self.of([spec.model_copy(update={"as_of": day}) for spec in self.specs])

    def within(self, limits: Mapping[str, float], spent: Spent) -> "Request":
        """The same with what is left of limits that hold for several requests; of nothing it can be
        resumed later."""
        usd, calls = self.options.budget_usd, self.options.max_calls
        if "budget" in limits:
            usd = min(max(0.0, limits["budget"] - spent.usd), usd if usd is not None else inf)
        if "max_calls" in limits:
            left = max(0, int(limits["max_calls"]) - spent.calls)
            calls = left if calls is None else min(left, calls)
        return replace(self, options=replace(self.options, budget_usd=usd, max_calls=calls))

    def tell(self) -> None:
        """Say on stderr what is to be known beforehand."""
        from ..tools.env import env_notices

        tell(
            list(dict.fromkeys([*env_notices(Path.cwd(), self.options.env), *self.asked.notices])),
            self.display,
        )


def requested(method: MethodTable, given: Given, folder: Path | None = None) -> Request:
    """The request behind what was said. Raises UsageError with the first fault."""
    display = pick_display(given["display"], given["json"])
    _require_one_stdin(method, given)
    _, timing = parse_sim(given.get("sim") or [])
    env = environment()
    runs = runs_dir(given["runs"], env)
    asked: Asked = found(method.ask)(Said(method, given, env, runs, folder or Path.cwd()))
    options = replace(launch_options(env, runs, given), timing=timing, **asked.kept)
    require_named(asked.specs, options)
    return Request(asked, options, display, bool(given["json"]))


def require_named(specs: Sequence[Spec], options: LaunchOptions) -> None:
    """Raises UsageError for a price or a rate that is none, or that is of a model which takes no
    part."""
    from ..tools.models.pricing import PriceList
    from ..tools.models.rates import read_rates

    models = [model for spec in specs for model in spec.asked]
    PriceList.parse(options.prices, options.env).require_named(models)
    read_rates(options.limits.rates).require_named(models)


def _require_one_stdin(method: MethodTable, given: Given) -> None:
    """Raises UsageError where two options read the same input."""
    read = [option for option in method.options if option.kind in ("file", "material")]
    reading = [
        option.flag
        for option in read
        if given[option.key] is not None and Path(given[option.key]) == STDIN
    ]
    if len(reading) > 1:
        raise UsageError(
            f"{' and '.join(f'{flag} -' for flag in reading)} both read stdin: give a file "
            "for one of them."
        )


def launched(request: Request, documents: list[Any] | None = None) -> tuple[int, Spent]:
    """Run to the end, print what came of it (or add its document to these) and write the files that
    are wanted; returns the exit code, which is not 0 where there was nothing to write, and what was
    spent."""
    from ..graphs.run.launch import Launch

    shown_with, kept = request.asked.shown_with, False

    def show(reports: "Sequence[RunReport[Any]]") -> None:
        nonlocal kept
        runs = [run_of_report(report) for report in reports]
        try:
            if documents is not None:
                documents.append(shown_with.document(runs))
            else:
                shown_with.show(runs, as_json=request.as_json, told=request.display != "events")
        finally:  # the files are wanted, whether or not anybody reads stdout
            try:
                shown_with.draw(runs, told=request.display != "none")
            finally:
                kept = shown_with.save(runs, told=request.display != "none")

    launch: Launch[Any] = Launch(request.specs, request.options)
    code = run_launch(launch, request.display, show)
    return code if kept else code or 1, Spent(*launch.spent)
