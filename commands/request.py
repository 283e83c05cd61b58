"""What a method is to run, checked: its specs, and how they are to be run and shown; then run."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..agents.skill import Prompt, override
from ..graphs.method import METHODS
from ..graphs.run.checks import check_models, checked
from ..graphs.run.options import LaunchOptions
from ..reports.live.display import DisplayKind
from ..state.decision import Policy
from ..state.depthqa.spec import GIVEN
from ..state.errors import RunFailed, UsageError
from ..state.spec import Spec, label_of
from ..tools.files.text import read_data
from ..tools.models.family import family_notices
from .declare import Given, options_of
from .environment import environment, runs_dir
from .finished import FinishedRun, run_of_report
from .help import found
from .launch import pick_display, run_launch, tell
from .options.shared import launch_options
from .options.spec import in_world, parse_sim
from .show_options import ShowOptions

MAX_PROMPT = 5_000_000
"""Bytes of a prompt's file."""
if TYPE_CHECKING:  # heavy: what a study asks for is read without it
    from ..graphs.run.launch import RunReport


@dataclass(frozen=True, slots=True)
class CommandInput:
    """The values of a method's options by their keys, with what surrounds them."""

    method: Any
    """The table of its command (`method.MethodCommand`)."""
    values: Given
    env: Mapping[str, str]
    runs: Path
    folder: Path
    """Where relative paths of sources begin."""

    def __getitem__(self, key: str) -> Any:
        return self.values[key]

    @property
    def targets(self) -> list[dict[str, Any]]:
        """The models under test, each as a field. Raises UsageError for one that is named twice."""
        targets = [text.strip() for text in self["target"]]
        labels = [label_of(text) for text in targets]
        for label in labels:
            if labels.count(label) > 1:
                raise UsageError(
                    f"--target names {label} more than once: name each model once, or tell "
                    "them apart by name=LABEL."
                )
        return [{"target": target} for target in targets]

    def specs(self, parts: Iterable[Mapping[str, Any]], **shared: Any) -> list[Any]:
        """Checked specs, one for each of these; `shared`: the fields of all, beside those that
        are options. Raises UsageError with the first fault."""
        kind: Any = self.method.spec
        fields = {option.key: self[option.key] for option in options_of(kind)}
        fields = {name: value for name, value in fields.items() if value is not None}
        prompts = METHODS[kind.model_fields["method"].default].prompts
        fields["prompts"] = _read_prompts(self["prompt"] or [], prompts)
        specs = [checked(kind, {**fields, **shared, **part}) for part in parts]
        for spec in specs:
            check_models(spec)
        return in_world(specs, parse_sim(self["sim"])[0] if self["sim"] else None)


def _read_prompts(pairs: Iterable[str], prompts: Mapping[str, Prompt]) -> dict[str, str]:
    """`--prompt NAME=FILE` pairs as texts, checked against the places each of the method's prompts
    must have."""
    texts = {}
    for pair in pairs:
        name, _, file = (part.strip() for part in pair.partition("="))
        if not name or not file:
            names = ", ".join(sorted(prompts))
            raise UsageError(
                f"--prompt {pair!r} is not of the form NAME=FILE, with one of {names}."
            )
        texts[name] = read_data(Path(file), "a prompt", MAX_PROMPT).text
    override(prompts, texts)
    return texts


@dataclass(frozen=True, slots=True)
class PlannedRuns:
    """What a method's own options amount to. `kept`: the material that the launch keeps, by field
    of its options; `notices`: what the user should know before anything is asked."""

    specs: Sequence[Spec]
    notices: Sequence[str] = ()
    material: Any = None
    kept: Mapping[str, Any] = field(default_factory=dict)
    shown_with: ShowOptions = ShowOptions()  # noqa: RUF009  # frozen


class LaunchCost(NamedTuple):
    """What launches have cost."""

    usd: float = 0.0
    calls: int = 0


@dataclass(frozen=True, slots=True)
class Request:
    """A checked request."""

    planned: PlannedRuns
    options: LaunchOptions
    display: DisplayKind
    as_json: bool

    @property
    def specs(self) -> Sequence[Any]:
        return self.planned.specs

    def of(self, specs: Sequence[Any]) -> "Request":
        """The same of these specs."""
        return replace(self, planned=replace(self.planned, specs=specs))

    def dated(self, day: date) -> "Request":
        """The same as of this day."""
        return self.of([spec.model_copy(update={"as_of": day}) for spec in self.specs])

    def decided_by(self, policy: Policy) -> "Request":
        """The same, which ends with this decision and keeps it with the runs."""
        shown_with = replace(self.planned.shown_with, policy=policy)
        planned = replace(self.planned, shown_with=shown_with)
        return replace(self, planned=planned, options=replace(self.options, policy=policy))

    def after(self, cost: LaunchCost) -> "Request":
        """The same with what this has left of its limits; of nothing it can be resumed later."""
        usd, calls = self.options.budget_usd, self.options.max_calls
        if usd is not None:
            usd = max(0.0, usd - cost.usd)
        if calls is not None:
            calls = max(0, calls - cost.calls)
        return replace(self, options=replace(self.options, budget_usd=usd, max_calls=calls))

    def tell(self) -> None:
        """Say on stderr what is to be known beforehand."""
        from ..tools.env import env_notices

        notices = [*env_notices(Path.cwd(), self.options.env), *self.planned.notices]
        for spec in self.specs:
            notices += _judge_notices(spec)
        tell(list(dict.fromkeys(notices)), self.display)


def _judge_notices(spec: Spec) -> Sequence[str]:
    """What binds the target to those who judge it."""
    models, target = spec.models, spec.target.removeprefix(GIVEN)
    if "judge" not in models or models.get("examiner") == spec.target:  # which tests itself
        return ()
    evaluator = models.get("evaluator", models["judge"])
    return family_notices(target, evaluator, models["judge"], models.get("generator"))


def requested(method: Any, values: Given, folder: Path | None = None) -> Request:
    """The request behind these values. Raises UsageError with the first fault, be it a price or a
    rate of a model that takes no part."""
    from ..tools.models.pricing import PriceList
    from ..tools.models.rates import read_rates

    display = pick_display(values["display"], values["json"])
    env = environment()
    runs = runs_dir(values["runs"], env)
    ask = found(method.ask)
    planned: PlannedRuns = ask(CommandInput(method, values, env, runs, folder or Path.cwd()))
    options = replace(launch_options(env, runs, values), **planned.kept)
    models = [model for spec in planned.specs for model in spec.asked]
    PriceList.parse(options.prices, options.env).require_named(models)
    read_rates(options.limits.rates).require_named(models)
    return Request(planned, options, display, bool(values["json"]))


def launched(request: Request) -> int:
    """Run to the end, and `present` what came of it; returns the exit code, which is not 0 where
    there was nothing to write."""
    from ..graphs.run.launch import Launch

    written = False

    def show(reports: "Sequence[RunReport[Any]]") -> None:
        nonlocal written
        written = present(request, [run_of_report(report) for report in reports])

    launch: Launch[Any] = Launch(request.specs, request.options)
    code = run_launch(launch, request.display, show)
    return code if written else code or 1


def present(
    request: Request,
    runs: Sequence[FinishedRun],
    show: Callable[[], None] | None = None,
) -> bool:
    """Print the runs, perhaps in another way, and write the files that are wanted; returns whether
    there was something for each."""
    shown_with, display = request.planned.shown_with, request.display
    try:
        if show is not None:
            show()
        else:
            shown_with.show(runs, as_json=request.as_json, told=display != "events")
    finally:  # the files are wanted, whether or not anybody reads stdout
        try:
            written = shown_with.save(runs, told=display != "none")
        except UsageError as error:  # which is of no use once models have been called
            raise RunFailed(str(error)) from error
    return written
