"""What a journal keeps of the fifth method, and its result. The unions of `state` are closed once they
are read, so that this is imported before all else."""

from typing import Annotated, Any, Literal, Union, get_args

from pydantic import Field, TypeAdapter

from fathom.state import items, spec
from fathom.state.eqt.items import Item
from fathom.state.worlds import RunSpec, SeedOption, TargetOption, WorldSpec


def extended(union: Any, kind: type, discriminator: str) -> Any:
    """The union with one kind more."""
    return Annotated[
        Union[(*get_args(get_args(union)[0]), kind)], Field(discriminator=discriminator)
    ]


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
from fathom.state.result import Envelope, RoleUsage  # noqa: E402


class ToyClosed(events.PartClosed):
    type: Literal["toy_closed"] = "toy_closed"


class ToyResult(Envelope):
    method: Literal["toy"] = "toy"
    spec: ToySpec
    answers: tuple[ToyAnswer, ...]
    usage: dict[str, RoleUsage]
    cost_usd: float | None
    wall_s: float
    notes: tuple[str, ...]
    provenance: dict[str, Any]


events.Event = extended(events.Event, ToyClosed, "type")
events.EVENT = TypeAdapter(events.Event)
results.RESULTS["toy"] = ToyResult  # type: ignore[index]
