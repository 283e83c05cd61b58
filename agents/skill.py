"""A skill: one prompt, and the async function that fills it in and reads the reply.

`@skill(VERDICT, role="judge", stage="judge")` says once who is asked and at which stage a call that
fails is counted. `await judge(model, question, reference, answer)` asks a model as it is, `await
judge(Ask(model, seed=7), …)` one with settings, and a run's step asks with those of the run
(`graphs.step`).
"""

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Concatenate, Generic, ParamSpec, Self, TypeVar

from pydantic import BaseModel, StringConstraints

from ..state.records import Role, Stage
from ..tools.models.bound import prose, structured
from ..tools.models.chat import Chat, ChatReply, ChatRequest, Message
from .prompt_template import Prompt

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from ..tools.models.as_chat import Model
    from ..tools.models.clients import Clients
    from .graph_of import Graph

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
"""A text with a word in it, where a skill is a node or a tool."""
P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Ask:
    """What a skill's call needs besides its texts. Calling it renders the prompt, sends it and
    reads the reply.

    Raises CallFailed, ReplyUnreadable, EndpointRefused, EndpointUnreachable, as every skill does.
    """

    model: Chat
    seed: int | None = None
    language: str = "en"
    prompts: Mapping[str, Prompt] = field(default_factory=dict)
    """In place of the skills' own, by name."""
    own: Prompt | None = None
    """That of the skill that is asked."""
    max_tokens: int = 0

    async def __call__(
        self,
        schema: type[T],
        *,
        bare: Collection[str] = (),
        after: tuple[Message, ...] = (),
        max_tokens: int | None = None,
        temperature: float | None = 0.0,
        top_p: float | None = None,
        **values: str,
    ) -> T:
        """One object of the shape. `values`: what stands in the prompt's places (`$language` is
        known), those named in `bare` as they are; `after`: turns behind the prompt; `max_tokens`:
        None for the skill's own limit."""
        settings = {"temperature": temperature, "top_p": top_p, "schema": schema}
        return await structured(
            self.model, self._request(values, bare, after, max_tokens, **settings), schema
        )

    async def text(
        self,
        *,
        bare: Collection[str] = (),
        after: tuple[Message, ...] = (),
        logprobs: bool = False,
        **values: str,
    ) -> ChatReply:
        """A reply in prose; a refusal is one too."""
        return await prose(self.model, self._request(values, bare, after, None, logprobs=logprobs))

    def _request(
        self,
        values: dict[str, str],
        bare: Collection[str],
        after: tuple[Message, ...],
        max_tokens: int | None,
        **settings: Any,
    ) -> ChatRequest:
        assert self.own is not None  # a skill was called
        messages = (*self.own.render(bare=bare, **{"language": self.language, **values}), *after)
        limit = self.max_tokens if max_tokens is None else max_tokens
        return ChatRequest(messages, self.own.name, limit, seed=self.seed, **settings)


@dataclass(frozen=True, slots=True)
class Skill(Generic[P, R]):
    """What an agent can be asked to do."""

    work: Callable[Concatenate[Ask, P], Awaitable[R]]
    prompt: Prompt
    role: Role
    """Who is asked in a run."""
    stage: Stage
    """Where a run counts a call that failed."""
    max_tokens: int = 2000
    turn: int = 0
    """How often a run has asked the same; it is added to the seed, which would bring the same
    reply."""

    @property
    def name(self) -> str:
        return self.work.__name__

    async def __call__(self, ask: "Ask | Model", /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Ask a model, as it is or with settings."""
        asking = ask_of(ask)
        seed = None if asking.seed is None else asking.seed + self.turn
        prompt = asking.prompts.get(self.prompt.name, self.prompt)
        own = Ask(asking.model, seed, asking.language, asking.prompts, prompt, self.max_tokens)
        return await self.work(own, *args, **kwargs)

    def graph(
        self, model: "Ask | Model", clients: "Clients | None" = None, *, output: str = "result"
    ) -> "Graph":
        """A node for other LangGraph apps: its channels are the arguments, and `output`. A model
        that is named by a string is reached through `clients`."""
        from .graph_of import graph_of

        return graph_of(self.work, partial(self, ask_of(model, clients)), output)

    def tool(self, model: "Ask | Model", clients: "Clients | None" = None) -> "BaseTool":
        """A LangChain tool, which returns the result."""
        from .graph_of import tool_of

        return tool_of(self.work, partial(self, ask_of(model, clients)))

    def by(self, role: Role, stage: Stage) -> Self:
        """The skill of somebody else, who is asked at another stage."""
        return replace(self, role=role, stage=stage)

    def up_to(self, max_tokens: int) -> Self:
        """The skill with another limit of its replies."""
        return replace(self, max_tokens=max_tokens)

    def again(self, turn: int) -> Self:
        """The skill, asked for the same once more."""
        return replace(self, turn=turn)


def ask_of(model: "Ask | Model", clients: "Clients | None" = None) -> Ask:
    """A model in whatever form a host has it, as a skill asks it. Raises UsageError."""
    if isinstance(model, Ask):
        return model
    if isinstance(model, Chat):
        return Ask(model)
    from ..tools.models.as_chat import as_chat

    return Ask(as_chat(model, clients))


def skill(
    prompt: Prompt, *, role: Role, stage: Stage, max_tokens: int = 2000
) -> Callable[[Callable[Concatenate[Ask, P], Awaitable[R]]], Skill[P, R]]:
    """Makes a skill of a function that takes an `Ask` first. `max_tokens`: limit of a reply, unless
    the work or `up_to` says another."""

    def made(work: Callable[Concatenate[Ask, P], Awaitable[R]]) -> Skill[P, R]:
        return Skill(work, prompt, role, stage, max_tokens)

    return made
