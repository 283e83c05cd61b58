"""The methods of evaluation: the one table that names them. Each is a folder; its parts are loaded
one by one, when they are first asked for."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from ..state.results import Result
from ..state.rows import AnswerRow, Measure

if TYPE_CHECKING:
    from ..agents.skill import Prompt, Skill
    from ..reports.page.view import View
    from ..reports.views.steps import Steps
    from .run.record import RunRecord

T = TypeVar("T")


class Part(Generic[T]):
    """A part of a method, by where it mostly stands: `module:NAME`, seen from the method's
    folder."""

    def __init__(self, home: str) -> None:
        self._home = home

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, method: "Method", owner: type) -> T:
        module, _, name = method.places.get(self._name, self._home).partition(":")
        part: Any = getattr(import_module(module, method.folder), name) if module else None
        method.__dict__[self._name] = part  # from here on found without looking
        return cast("T", part)


class Parts:
    """What a method consists of."""

    build_graph: Part[Callable[[Any], Any]] = Part(".graph:build_graph")
    """Builds its graph, bound to the `RunDeps`; its channels are `spec`, `run_id` in, `result` out."""
    recursion_limit: Part[Callable[[Any], int]] = Part(".graph:recursion_limit")
    """Supersteps a run of a spec can take at most."""
    result_of: "Part[Callable[[RunRecord], Result]]" = Part(".result:result_of")
    """The result, as a pure function of what the journal holds. Raises RunFailed when there is
    nothing to report."""
    skills: "Part[tuple[Skill[Any, Any], ...]]" = Part(".skills:SKILLS")
    """What its agents are asked to do."""
    calls: Part[Callable[[Any, Any], Any]] = Part(".calls:CALLS")
    """What a run asks (`run.due.Calls`), by its spec and what it asks about."""
    rows_of: Part[Callable[[Any], list[AnswerRow]]] = Part(".rows:rows_of")
    """One row per question put to the target, of a result."""
    measures: Part[tuple[Measure, ...]] = Part(".measures:MEASURES")
    """What is measured over the rows, the headline first."""
    ranked: Part[Any] = Part("")
    """Its own way to compare results, where it has one."""
    page: "Part[View]" = Part(".page:VIEW")
    """How its results are told."""
    steps: "Part[Steps]" = Part(".steps:STEPS")
    """How the steps of its runs are shown."""
    embedded: Part[Any] = Part(".embedded:EMBEDDED")
    """Its graph inside another app: a kind of `embed.binding.Embedded`."""
    command: Part[Any] = Part(".command:COMMAND")
    """The table of its command (`commands.method.MethodCommand`)."""


@dataclass(frozen=True)
class Method(Parts):
    """One method."""

    title: str
    folder: str
    about: str = ""
    """The paragraph on it in a report's methods section; what is in braces is the run's."""
    places: Mapping[str, str] = field(default_factory=dict)
    """Part → where it stands, of those that stand elsewhere than they mostly do."""
    is_run: bool = True
    """Whether runs are of it; else only results are."""
    has_rows: bool = True
    """Whether what it asks comes to a table of answers, with measures over it."""
    is_compared: bool = True
    """Whether the models of its runs are ranked."""
    is_embedded: bool = True
    """Whether it asks questions of its own, so that hosts and LangGraph's server have it."""
    asks: tuple[str, Any] = ("", None)
    """The field of a served graph's input that says what to measure, with an example."""
    material: str = ""
    """The setting of a served graph that says what it is bound to besides models."""
    figure: tuple[str, str] = ("accuracy", "percent")
    """What a run's first figure is called in lists, and how it is written."""
    subject: str = "domain"
    """The field of its spec that says what a run is about."""
    listed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Figure of a run in lists → where a result has it, and its interval: the first that is there.
    `some|-1`: of a list the member with that mode or load, else the one at that place."""

    @cached_property
    def prompts(self) -> "dict[str, Prompt]":
        """Those of its skills, by name."""
        return {skill.prompt.name: skill.prompt for skill in self.skills}


_EVD = {"evd": ("evd", "evd_ci")}
METHODS: dict[str, Method] = {
    "drill": Method(
        "Drill",
        f"{__package__}.drill",
        """Depth of knowledge was measured by adaptive drilling (DepthCharge). At each depth
        {spec.n} questions, written by {evaluator} from retrieved passages, were put to the model;
        {judge} judged the answers against the passages. Follow-up questions ask about what correct
        answers mention, in harder tiers of sources every {spec.passes} depths. A drill ends when
        survival, the product of the accuracies so far, falls below {spec.threshold:.0%}, or at
        depth {spec.max_depth}. Expected Valid Depth (EVD) is the sum of survival over depths; its
        95% interval simulates this protocol and allows for questions that share an opening
        sub-topic.""",
        {
            "calls": ".calls:DrillCalls",
            "ranked": ".comparison:compare_drills",
            "embedded": "..embed.methods:EmbeddedDrill",
            "command": "...commands.drill.command:DRILL",
        },
        asks=("domain", "Cardiology"),
        material="facts",
        figure=("EVD", "number"),
        listed=_EVD,
    ),
    "eqt": Method(
        "Explain-Query-Test",
        f"{__package__}.eqt",
        """Self-consistency was measured by Explain-Query-Test: {examiner} explained each concept
        and wrote {spec.questions} multiple-choice questions from its explanation, which the model
        answered without it, each also in {spec.paraphrases} other wordings. Intervals are clustered
        by concept.""",
        {
            "calls": ".calls:EqtCalls",
            "embedded": "..embed.methods:EmbeddedEqt",
            "command": "...commands.eqt.command:EQT",
        },
        asks=("concepts", ["Gold", "Neon"]),
        listed={
            "accuracy": ("numbers.all.accuracy", "numbers.all.ci_clustered", "numbers.all.ci"),
            "acs": ("numbers.consistency.acs", "numbers.consistency.acs_ci"),
        },
    ),
    "depthqa": Method(
        "DepthQA",
        f"{__package__}.depthqa",
        """Whether knowledge hangs together was measured by DepthQA: questions of three depths form
        a graph, {judge} scored the answers from 1 to 5 against references, and discrepancies
        compare each question with those it rests on. Intervals are clustered by tree.""",
        {
            "calls": ".calls:DepthQACalls",
            "embedded": "..embed.methods:EmbeddedDepthQA",
            "command": "...commands.depthqa.command:ASK",
        },
        asks=("modes", ["zero-shot"]),
        material="question_graph",
        figure=("mean score", "number"),
        subject="graph",
        listed={
            "mean": (
                "modes.zero-shot|0.accuracy.overall.mean",
                "modes.zero-shot|0.accuracy.overall.ci",
            ),
            "mean_d3": (
                "modes.zero-shot|0.accuracy.D3.mean",
                "modes.zero-shot|0.accuracy.D3.ci",
            ),
        },
    ),
    "depthqa_build": Method(
        "DepthQA build",
        f"{__package__}.depthqa.building",
        "The graph of questions was built by {evaluator} (DepthQA).",
        {
            "calls": ".calls:BuildCalls",
            "steps": "..steps:BUILD_STEPS",
            "embedded": "...embed.methods:EmbeddedDepthQABuild",
            "command": "....commands.depthqa.command:BUILD",
        },
        has_rows=False,
        is_compared=False,
        asks=("questions", ["Why do metals conduct?"]),
        material="similarity",
        subject="name",
    ),
    "deepquestion": Method(
        "DeepQuestion",
        f"{__package__}.deepquestion",
        """Use of knowledge was measured by DeepQuestion: {generator} wrapped each problem in a
        scenario (Q2S) and in the instruction to write such a problem (Q2I), {evaluator} verified
        what was written, and the model answered both. Drops are paired by problem.""",
        {
            "calls": ".calls:DeepQuestionCalls",
            "embedded": "..embed.methods:EmbeddedDeepQuestion",
            "command": "...commands.deepquestion.command:DEEPQUESTION",
        },
        material="benchmark",
        subject="benchmark",
        listed={
            "original": ("original.share", "original.ci"),
            "q2s": ("q2s.some|-1.accuracy.share", "q2s.some|-1.accuracy.ci"),
            "q2i": ("q2i.accuracy.share", "q2i.accuracy.ci"),
        },
    ),
    "ask": Method(
        "Own questions",
        f"{__package__}.ask",
        """Questions that were brought from elsewhere were put to the model, closed book; {judge}
        judged the answers against their references. Differences are paired by question.""",
        {"calls": ".calls:AskCalls", "command": "...commands.ask.command:ASK"},
        is_embedded=False,
        listed={"accuracy": ("accuracy", "accuracy_ci")},
    ),
    "replay": Method(
        "Replay",
        f"{__package__}.replay",
        """The questions of a finished drill were put to another model, in the same wording;
        differences are paired by question.""",
        {
            "calls": ".calls:ReplayCalls",
            "command": "...commands.replay.command:REPLAY",
        },
        is_embedded=False,
        figure=("EVD", "number"),
        listed=_EVD,
    ),
    "rejudge": Method(
        "Rejudgement",
        f"{__package__}.replay",
        "The answers of a finished drill were judged again by {judge}.",
        {
            "calls": ".calls:ReplayCalls",
            "page": ".page:REJUDGE",
            "command": "...commands.replay.command:JUDGE",
        },
        is_run=False,
        is_compared=False,
        is_embedded=False,
    ),
}
"""By the `method` of a spec or of a result; a further method is entered here."""


def runnable() -> list[str]:
    """The methods that runs are of."""
    return [name for name, method in METHODS.items() if method.is_run]


def served() -> list[str]:
    """Those that hosts and LangGraph's server have."""
    return [name for name, method in METHODS.items() if method.is_embedded]


def result_of(record: "RunRecord") -> Result:
    """The result of a run by whatever method. Raises RunFailed when there is nothing to report."""
    return METHODS[record.spec.method].result_of(record)


def figure_of(method: str) -> tuple[str, str]:
    """What the first figure of a method's runs is called, and how it is written; of a run that
    cannot be read what most have."""
    return METHODS[method].figure if method in METHODS else Method.figure


def title_of(method: str) -> str:
    """What a reader calls it."""
    return METHODS[method].title


def steps_of(method: str) -> "Steps":
    """How the steps of a method's runs are shown."""
    return METHODS[method].steps


ONLY_WITH = {
    "confidence": "confidence",
    "error": "classify_errors",
    "restatement": "calibration",
}
"""Prompt → the field of a spec without which nobody is asked with it."""


def prompts_of(spec: Any) -> "dict[str, Prompt]":
    """The prompts that a run of the spec may use, in its own texts. Raises UsageError for a text
    that cannot be used."""
    from ..agents.skill import override

    texts = override(METHODS[spec.method].prompts, getattr(spec, "prompts", {}))
    return {
        name: prompt
        for name, prompt in texts.items()
        if name not in ONLY_WITH or getattr(spec, ONLY_WITH[name], False)
    }
