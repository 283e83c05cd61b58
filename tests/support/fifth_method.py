"""A fifth method, as small as one can be: the target says of each topic what its chemical symbol
is, and the result is the share of topics on which it said anything. Entered in the tables, it is
planned, paid for, resumed, replayed, embedded, shown and served like the others. To be imported
before all else, since the unions of `state` are closed once they are read.
"""

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from typing import Annotated, Any, ClassVar, Literal, Union, get_args

from pydantic import Field, TypeAdapter

from fathom.state import items, spec
from fathom.state.eqt.items import Item
from fathom.state.worlds import RunSpec, SeedOption, TargetOption, WorldSpec


def extended(union: Any, kind: type, discriminator: str) -> Any:
    """The union with one kind more."""
    return Annotated[
        Union[(*get_args(get_args(union)[0]), kind)], Field(discriminator=discriminator)
    ]


# what is on disk


class ToySpec(RunSpec):
    method: Literal["toy"] = "toy"
    topics: tuple[str, ...]
    target: TargetOption
    seed: SeedOption = 42
    prompts: dict[str, str] = Field(default_factory=dict)
    world: WorldSpec | None = None

    @property
    def domain(self) -> str:
        return ", ".join(self.topics)

    @property
    def models(self) -> dict[str, str]:
        return {"target": self.target}


class ToyAnswer(Item):
    type: Literal["toy_answer"] = "toy_answer"
    text: str = ""


spec.Spec = extended(spec.Spec, ToySpec, "method")
spec.SPEC = TypeAdapter(spec.Spec)
items.AnyItem = extended(items.AnyItem, ToyAnswer, "type")

from fathom.state import events, results  # noqa: E402  # with the unions as they are now
from fathom.state.option import Option  # noqa: E402
from fathom.state.result import Envelope, RoleUsage  # noqa: E402


class ToyClosed(events.PartClosed):
    type: Literal["toy_closed"] = "toy_closed"


class ToyResult(Envelope):
    method: Literal["toy"] = "toy"
    spec: ToySpec
    answered: float | None
    usage: dict[str, RoleUsage]
    cost_usd: float | None
    wall_s: float
    notes: tuple[str, ...]
    provenance: dict[str, Any]


events.Event = extended(events.Event, ToyClosed, "type")
events.EVENT = TypeAdapter(events.Event)

from langgraph.graph import END  # noqa: E402
from langgraph.types import Send  # noqa: E402
from typing_extensions import TypedDict  # noqa: E402

from fathom.agents import prompts  # noqa: E402
from fathom.agents.skill import (  # noqa: E402
    Ask,
    Prompt,
    skill,
)
from fathom.commands.method import MethodCommand  # noqa: E402
from fathom.commands.options.spec import choose_targets  # noqa: E402
from fathom.commands.request import Asked, Said  # noqa: E402
from fathom.graphs import method  # noqa: E402
from fathom.graphs.embed.binding import Embedded  # noqa: E402
from fathom.graphs.run import usual  # noqa: E402
from fathom.graphs.run.deps import Stages, compiled  # noqa: E402
from fathom.graphs.run.due import ONCE, CallStage, FinishedItems, PlannedCall, all_due  # noqa: E402
from fathom.graphs.run.part_graph import PartNodes  # noqa: E402
from fathom.graphs.run.record import (  # noqa: E402
    RunRecord,
    envelope,
    provenance_of,
)
from fathom.graphs.run.spread import Spread  # noqa: E402
from fathom.graphs.step import Steps as Journalled  # noqa: E402
from fathom.reports import step as step_views  # noqa: E402
from fathom.reports.page import figures  # noqa: E402
from fathom.reports.page.blocks import Block, Column, Figures, Table  # noqa: E402
from fathom.reports.page.blocks import Figure as Number  # noqa: E402
from fathom.reports.page.chart.axes import Axis  # noqa: E402
from fathom.reports.page.chart.draw import chart  # noqa: E402
from fathom.reports.page.chart.picture import Picture  # noqa: E402
from fathom.reports.page.chart.runs import named, notes, of_models  # noqa: E402
from fathom.reports.page.view import PageOptions, View  # noqa: E402
from fathom.reports.step import Count, PartName, RunContext, StepView, view_of  # noqa: E402
from fathom.reports.views.steps import Figure, Steps  # noqa: E402
from fathom.state.channels import Stop  # noqa: E402

# the skill, what is asked, the graph, the result

SYMBOL = Prompt(
    "toy_symbol", "Answer from memory.\n=== user ===\n$question", frozenset({"question"})
)


@skill(SYMBOL, role="target", stage="answer", max_tokens=200)
async def say_symbol(ask: Ask, topic: str) -> str:
    return (
        await ask.text(
            bare={"question"}, question=f"What is the chemical symbol of {topic.lower()}?"
        )
    ).text


class ToyCalls:
    def __init__(self, spec: ToySpec, material: Any = None) -> None:
        self.spec = spec

    def parts(self, past: Sequence[Any] = ()) -> list[tuple[int, Spread]]:
        return [(part, ONCE) for part in range(len(self.spec.topics))]

    def due(self, part: int, done: FinishedItems) -> Iterator[PlannedCall]:
        if not done.has(f"{done.short_id}/t{part}"):
            yield PlannedCall("target", "toy_symbol", limit=200)

    def chain(self, parts: Spread) -> list[CallStage]:
        return [CallStage("target", "toy_symbol")]


class ToyState(TypedDict, total=False):
    spec: dict[str, Any]
    run_id: str
    part: int
    result: dict[str, Any]


class Nodes(PartNodes[Journalled]):
    def prepare(self, spec: ToySpec, run_id: str) -> Journalled:
        return Journalled(self.deps, run_id, spec)  # type: ignore[arg-type]

    def stop_of(self, play: Journalled, record: RunRecord) -> Stop:
        return Stop(reason="all_asked", detail="every topic was asked about")

    def result_of(self, record: RunRecord) -> Any:
        return result_of(record)

    async def open(self, state: ToyState) -> dict[str, Any]:
        await self.begin(state, 5)
        return {}

    async def topic(self, state: ToyState) -> dict[str, Any]:
        run_id, part, spec = state["run_id"], state["part"], ToySpec.model_validate(state["spec"])
        steps = self.playing(run_id)

        async def work() -> None:
            async with self.paid(
                all_due(ToyCalls(spec), part, FinishedItems(self.deps.sink, run_id))
            ) as payer:
                item_id, paying = f"{steps.short_id}/t{part}", lambda: nullcontext(payer)
                await steps.do(
                    item_id, lambda step: answer(step, spec.topics[part]), paying, concept=part
                )
                closed: Any = ToyClosed(run_id=run_id, index=part)
                await self.deps.emit(closed)

        return await self.wait_unless(
            await self.play_part(run_id, part, work, topic=spec.topics[part])
        )


async def answer(step: Any, topic: str) -> Any:
    return step.item(ToyAnswer, await step.ask(say_symbol, topic), lambda text: {"text": text})


def recursion_limit(spec: Any) -> int:
    return 5


def build_graph(deps: Any) -> Any:
    nodes = Nodes(deps)
    stages: Stages = {
        "open": (nodes.open, (_topics, ["topic"])),
        "topic": (nodes.topic, "finish"),
        "finish": (nodes.finish, END),
    }
    return compiled("toy", ToyState, deps, stages)


def _topics(state: ToyState) -> list[Send]:
    return [Send("topic", {**state, "part": n}) for n in range(len(state["spec"]["topics"]))]


def result_of(record: RunRecord) -> Any:
    answers: list[Any] = [item for item in record.items if item.fault is None]
    told = [item.text for item in answers]
    calls = [call for item in record.items for call in item.calls]
    return ToyResult(
        **envelope(record, calls),
        answered=sum(map(bool, told)) / len(told) if told else None,
        notes=record.finished.caveats,
        provenance=provenance_of(record, calls, ("target",)),
    )


class EmbeddedToy(Embedded):
    method = "toy"
    roles: ClassVar = {"target": ""}

    def spec(self, *topics: str, **options: Any) -> ToySpec:
        return self._checked(ToySpec, options, topics=topics)




# how its steps are shown


def shown(item: ToyAnswer, scene: RunContext) -> StepView:
    return view_of(
        item,
        "correct" if item.text else "wrong",
        title="the target says the symbol",
        about=scene.spec.topics[item.concept],
        said=item.text,
        fields=lambda: [step_views.Field("answer", item.text, said=True)],
        sent_to="target",
        counts=(Count("answers", "correct" if item.text else "wrong"),),
    )


SHOWN = Steps(
    step=shown,
    part="topic",
    named=lambda scene, index: PartName(f"t{index}", scene.spec.topics[index]),
    parts=lambda scene: len(scene.spec.topics),
    planned=lambda scene, index: 1.0,
    legend={"correct": "said something", "wrong": "said nothing", "unscored": "lost to a fault"},
    figures=lambda run: [Figure(f"{run.steps} said", f"{run.steps}", "said")],
    names=lambda scene: {f"t{number}": f"t{number}" for number in range(len(scene.spec.topics))},
)


# its page, several of them side by side, and its picture

COLUMNS = (
    Column("target", "spec.target", "model"),
    Column("answered", "answered", "percent", style="bold"),
)


def blocks(result: ToyResult, how: PageOptions) -> Iterator[Block]:
    yield Figures(
        [
            Number("topics", len(result.spec.topics), "count"),
            Number("answered", result.answered, "percent"),
        ]
    )


def compare(results: Sequence[ToyResult], _: Any) -> Iterator[Block]:
    yield Table("Side by side", COLUMNS, results)


def pictures(results: Sequence[ToyResult], _: Any) -> Iterator[Picture]:
    runs = named(results)
    series = of_models([*runs])
    rows = [
        {"panel": "", "series": name, "x": "all", "y": run.answered} for name, run in runs.items()
    ]
    words = [f"{name}: {figures.percent(run.answered)}." for name, run in runs.items()]
    axes = Axis(names=["all"]), Axis("answered", high=1.05)
    told = [*notes(results, runs, "runs"), "Share of the topics that were answered."]
    drawn = chart(rows, *axes, series, width=200, height=200)
    yield Picture("answered", "Answered", told, words, 300, drawn, series.legend)


VIEW = View(
    headline=lambda result: f"answered {figures.percent(result.answered)}",
    blocks=blocks,
    compare=compare,
    pictures=pictures,
)


def ask(said: Said) -> Asked:
    topics = tuple(said["topics"])
    return Asked(
        said.specs(
            {"target": target, "topics": topics} for target in choose_targets(said["target"])
        )
    )


TOY = MethodCommand(
    "toy",
    ToySpec,
    f"{__name__}:ask",
    "Ask for chemical symbols.",
    own=(Option("", "TOPIC", "What to ask about.", name="topics", type=list[str], required=True),),
    prompts="toy_symbol",
)

PLACES = {
    "build_graph": "build_graph",
    "recursion_limit": "recursion_limit",
    "result_of": "result_of",
    "calls": "ToyCalls",
    "page": "VIEW",
    "steps": "SHOWN",
    "command": "TOY",
    "embedded": "EmbeddedToy",
}
method.METHODS["toy"] = method.Method(
    "Toy",
    __name__,
    places={part: f"{__name__}:{name}" for part, name in PLACES.items()},
    has_rows=False,
    is_compared=False,
)
prompts.PROMPTS_OF["toy"] = {"toy_symbol": SYMBOL}  # type: ignore[index]
results.RESULTS["toy"] = ToyResult  # type: ignore[index]
usual.USUAL["toy_symbol"] = usual.USUAL["answer"]  # type: ignore[index]  # what its replies are like
