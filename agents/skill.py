"""A skill: one prompt, and the async function that fills it in and reads the reply.

`@skill(VERDICT, role="judge", stage="judge")` says once who is asked and at which stage a call that
fails is counted. `await judge(model, question, reference, answer)` asks a model as it is, `await
judge(Ask(model, seed=7), …)` one with settings, and a run's step asks with those of the run
(`graphs.step`).
"""

import hashlib
import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from string import Template
from typing import TYPE_CHECKING, Annotated, Any, Concatenate, Generic, ParamSpec, Self, TypeVar

from pydantic import BaseModel, StringConstraints

from ..state.errors import UsageError
from ..state.records import Role, Stage
from ..tools.models.chat import Chat, ChatReply, ChatRequest, Message
from ..tools.models.replies import prose, structured

if TYPE_CHECKING:
    from langchain_core.tools import BaseTool

    from ..tools.models.as_chat import Model
    from ..tools.models.clients import Clients
    from .graph_of import Graph

__all__ = ["Prompt", "block", "lines", "override", "restore"]

USER_PART = "=== user ==="


def lines(items: Iterable[str]) -> str:
    """One item per line, line breaks inside an item flattened."""
    return "\n".join(" ".join(item.split()) for item in items)


@dataclass(frozen=True, slots=True)
class Shown:
    """A value of a prompt with a form of its own: the text, and the parts it was made of, as JSON
    has them."""

    text: str
    parts: Any


Value = str | int | Sequence[str] | Shown


def _text_of(value: Value) -> str:
    if isinstance(value, str | int):
        return str(value)
    return value.text if isinstance(value, Shown) else lines(value)


@dataclass(frozen=True, slots=True)
class Prompt:
    """A system part and a user part, split by a line `=== user ===`."""

    name: str
    text: str

    def __post_init__(self) -> None:
        if not Template(self.text).is_valid():
            raise UsageError(
                f"The prompt {self.name!r} has a stray $; write $$ for a dollar sign."
            )
        if self.text.count(USER_PART) != 1:
            raise UsageError(
                f"The prompt {self.name!r} needs exactly one line {USER_PART!r} between its "
                "two parts."
            )

    def render(self, *, bare: Collection[str] = (), **values: Value) -> tuple[Message, ...]:
        """System and user message, each value as a block named after its place, a list with an item
        per line; those named in `bare` as they are.

        A missing value is a KeyError.
        """
        blocks = {
            name: text if name in bare else block(name, text)
            for name, text in ((name, _text_of(values[name])) for name in self.fields)
        }
        system, user = self.text.split(USER_PART)
        messages = [Message("user", Template(user).substitute(blocks).strip())]
        if system.strip():
            messages.insert(0, Message("system", Template(system).substitute(blocks).strip()))
        return tuple(messages)

    @property
    def fields(self) -> frozenset[str]:
        """The places of its text, to be filled with values."""
        return frozenset(Template(self.text).get_identifiers())

    def reworded(self, text: str) -> Self:
        """The prompt with another text. Raises UsageError where its places are others."""
        prompt = replace(self, text=text)
        missing, unknown = self.fields - prompt.fields, prompt.fields - self.fields
        faults = [f"lacks ${name}" for name in sorted(missing)]
        faults += [f"has an unknown ${name}" for name in sorted(unknown)]
        if faults:
            places = ", ".join(f"${name}" for name in sorted(self.fields)) or "none"
            raise UsageError(
                f"The prompt {self.name!r} {' and '.join(faults)}; its places are {places}."
            )
        return prompt

    @property
    def digest(self) -> str:
        """Sixteen hex digits over the text as written."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]


def override(prompts: Mapping[str, Prompt], texts: Mapping[str, str]) -> dict[str, Prompt]:
    """The prompts with some texts replaced. Raises UsageError for an unknown name or an unusable
    text."""
    unknown = sorted(set(texts) - set(prompts))
    if unknown:
        raise UsageError(
            f"There is no prompt {unknown[0]!r}; the prompts are {', '.join(sorted(prompts))}."
        )
    return {
        name: prompt.reworded(texts[name]) if name in texts else prompt
        for name, prompt in prompts.items()
    }


# Unicode's default-ignorable signs, controls, and marks that sit on the sign before them
_HIDDEN = (
    r"\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\u0300-\u036f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u202a-\u202e\u2060-\u206f\u20d0-\u20f0\u2800\u3164\ufe00-\ufe0f\ufe20-\ufe2f\ufeff\uffa0\ufff0-\ufffb"
    r"\U000e0000-\U000e0fff"
)
_Z = f"[{_HIDDEN}]*+"
_GAP = rf"[\s{_HIDDEN}]*+"


def _parts(*parts: str) -> str:
    """The parts in a row, with anything invisible between them. Possessive, so that a long run
    costs its length."""
    return _Z.join(parts)


_ENCODED = "|".join(
    [
        _parts("&", f"(?:{_parts('a', 'm', 'p', ';', '',)})*+(?:{_parts('l', 't')}|{_parts('#', '0*+', '6', '0',)}"
               f"|{_parts('#', 'x', '0*+', '3', 'c',)})", ";?+"),
        _parts(r"\\", "(?:u00|x)", "3", "c",),
    ]
)  # fmt: skip
_LESS = f"(?:[<\uff1c\ufe64]|{_ENCODED})"
_LESS_BY_LOOK = f"(?:{_LESS}|[\u02c2\u2039\u2329\u276e\u2770\u27e8\u3008])"
_GREATER = r"(?:[>\uff1e\ufe65]|&|\\)"
_SLASH = r"(?:[/\uff0f\u2044\u2215\u29f8\u2571]|&(?:sol|frasl|#0*47|#x0*2f)|\\(?:u00|x)2f)"
_BAR = r"[|\uff5c\u00a6\u01c0]"
_WORD = rf"[^\W\d](?:[\w.:-]|[{_HIDDEN}])*+"
_REST = rf"(?:\s[^<>]{{0,200}}=[^<>]{{0,200}})?{_GAP}(?:{_SLASH}{_GAP})?"
_CLOSES = rf"{_LESS_BY_LOOK}(?=\\*+{_GAP}{_SLASH})"
_OPENS = rf"{_LESS}(?=\\*+{_GAP}(?:{_BAR}|{_WORD}{_REST}{_GREATER}))"
_TAG = re.compile(f"{_CLOSES}|{_OPENS}", re.IGNORECASE)
_MAY_BEGIN = re.compile(r"[<\uff1c\ufe64\u02c2\u2039\u2329\u276e\u2770\u27e8\u3008&\\]")
"""The first sign of every tag, however it is spelled; most texts have none."""
_DEFUSED = re.compile(rf"({_CLOSES}|{_OPENS})\\".replace(r"(?=\\*+", r"(?=\\++"), re.IGNORECASE)


def defuse(text: str) -> str:
    """The text with a backslash in every tag, however it is spelled."""
    return _TAG.sub(lambda tag: tag[0] + "\\", text) if _MAY_BEGIN.search(text) else text


def restore(text: str) -> str:
    """What was given to `defuse`."""
    return _DEFUSED.sub(lambda tag: tag[1], text) if _MAY_BEGIN.search(text) else text


def block(tag: str, text: str) -> str:
    """The text, bare at both ends, on lines of its own between `<tag>` and `</tag>`."""
    return f"<{tag}>\n{defuse(text).strip()}\n</{tag}>"


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
    prompt: Prompt | None = None
    """That of the skill that is asked."""
    max_tokens: int = 0

    async def __call__(
        self,
        schema: type[T],
        *,
        bare: Collection[str] = (),
        before: tuple[Message, ...] = (),
        after: tuple[Message, ...] = (),
        max_tokens: int | None = None,
        temperature: float | None = 0.0,
        top_p: float | None = None,
        **values: Value,
    ) -> T:
        """One object of the shape. `values`: what stands in the prompt's places (`$language` is
        known), those named in `bare` as they are; `before`, `after`: turns before and behind the
        prompt; `max_tokens`: None for the skill's own limit."""
        settings = {
            "temperature": temperature,
            "top_p": top_p,
            "schema": schema,
        }
        request = self._request(
            values,
            bare,
            after,
            max_tokens,
            **settings,
        )
        request = replace(request, messages=(*before, *request.messages))
        return await structured(self.model, request, schema)

    async def text(
        self,
        *,
        bare: Collection[str] = (),
        after: tuple[Message, ...] = (),
        logprobs: bool = False,
        **values: Value,
    ) -> ChatReply:
        """A reply in prose; a refusal is one too."""
        return await prose(
            self.model,
            self._request(
                values,
                bare,
                after,
                None,
                logprobs=logprobs,
            ),
        )

    def _request(
        self,
        values: dict[str, Value],
        bare: Collection[str],
        after: tuple[Message, ...],
        max_tokens: int | None,
        **settings: Any,
    ) -> ChatRequest:
        assert self.prompt is not None  # a skill was called
        messages = (
            *self.prompt.render(bare=bare, **{"language": self.language, **values}),
            *after,
        )
        limit = self.max_tokens if max_tokens is None else max_tokens
        about = {
            name: value.parts if isinstance(value, Shown) else value
            for name, value in values.items()
        }
        return ChatRequest(
            messages, self.prompt.name, limit, seed=self.seed, about=about, **settings
        )


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
        asking = replace(
            asking,
            seed=seed,
            prompt=prompt,
            max_tokens=self.max_tokens,
        )
        return await self.work(asking, *args, **kwargs)

    def graph(
        self,
        model: "Ask | Model",
        clients: "Clients | None" = None,
        *,
        output: str = "result",
    ) -> "Graph":
        """A node for other LangGraph apps: its channels are the arguments, and `output`. A model
        that is named by a string is reached through `clients`."""
        from .graph_of import graph_of

        return graph_of(self.work, partial(self, ask_of(model, clients)), output)

    def tool(
        self,
        model: "Ask | Model",
        clients: "Clients | None" = None,
    ) -> "BaseTool":
        """A LangChain tool, which returns the result."""
        from .graph_of import tool_of

        return tool_of(self.work, partial(self, ask_of(model, clients)))

    def by(
        self,
        role: Role,
        stage: Stage,
    ) -> Self:
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
    prompt: Prompt,
    *,
    role: Role,
    stage: Stage,
    max_tokens: int = 2000,
) -> Callable[[Callable[Concatenate[Ask, P], Awaitable[R]]], Skill[P, R]]:
    """Makes a skill of a function that takes an `Ask` first. `max_tokens`: limit of a reply, unless
    the work or `up_to` says another."""

    def skill_of(work: Callable[Concatenate[Ask, P], Awaitable[R]]) -> Skill[P, R]:
        return Skill(
            work,
            prompt,
            role,
            stage,
            max_tokens,
        )

    return skill_of
