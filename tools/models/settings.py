"""What a user says about one model behind its name: which key it is sent, its label, headers and system prompt.

    openai@https://host/v1:rag key=RAG_API_KEY name="support bot" header="X-Team: $TEAM" system="Answer briefly."

The same words serve in every role, on the command line, in `.env` and in a host's code. Settings are part of the model
as a spec keeps it: two models that differ in a setting are two models.
"""

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from string import Template

from ...state.errors import UsageError
from ..files.text import read_data
from .chat import ChatRequest, Message

DEFINED = "FATHOM_MODEL_"
"""With a name behind it, the variable that defines the model of that name."""
_FORM = 'write key=VARIABLE, name=LABEL, header="Name: value" or system=TEXT behind the model'
LABEL = re.compile(r"[A-Za-z][\w-]*")
"""A model's name of its own, of which `FATHOM_MODEL_…` says what it is."""
_VARIABLE = re.compile(r"[A-Za-z_]\w*")
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_SECRET = re.compile(r"auth|key|token|secret|password|cookie|credential", re.IGNORECASE)
_OURS = frozenset({"accept", "accept-encoding", "connection", "content-length", "content-type", "host", "upgrade"})
"""Headers that a request needs as it sets them itself."""
_MOST_SIGNS = 20_000


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """`key`: the variable that holds the key; `headers`: (name, value), where $VARIABLE stands for that variable's
    value; `system` precedes whatever system prompt a request has. Empty: not set."""

    key: str = ""
    name: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    system: str = ""

    def __str__(self) -> str:
        """The settings as they are written, always in the same order."""
        said = [("key", self.key), ("name", self.name), *(("header", f"{n}: {v}") for n, v in self.headers)]
        return " ".join(f"{what}={shlex.quote(value)}" for what, value in (*said, ("system", self.system)) if value)

    def sent_headers(self, env: Mapping[str, str]) -> dict[str, str]:
        """The headers with their variables' values. Raises UsageError for a variable that is not set, and for a value
        that no header can have; neither is repeated."""
        sent = {}
        for name, value in self.headers:
            wanted = Template(value).get_identifiers()
            missing = next((variable for variable in wanted if not env.get(variable, "").strip()), None)
            if missing:
                raise UsageError(f"The header {name} needs {missing}: set it in the environment or in .env.")
            sent[name] = Template(value).substitute({variable: env[variable].strip() for variable in wanted})
            if not sent[name].isascii() or not sent[name].isprintable():
                raise UsageError(f"The header {name} cannot be sent: its value holds signs that no header can have.")
        return sent

    def secrets(self, env: Mapping[str, str]) -> tuple[str, ...]:
        """What the headers' variables hold: it must not come back in a reply."""
        named = (variable for _, value in self.headers for variable in Template(value).get_identifiers())
        return tuple(value for variable in named if (value := env.get(variable, "").strip()))

    def instructed(self, request: ChatRequest) -> ChatRequest:
        """The request with the model's own system prompt in front of what is there."""
        if not self.system:
            return request
        first, *others = request.messages
        if first.role == "system":
            messages = (Message("system", f"{self.system}\n\n{first.content}"), *others)
        else:
            messages = (Message("system", self.system), *request.messages)
        return replace(request, messages=messages)


PLAIN = ModelSettings()


def parse_settings(text: str) -> ModelSettings:
    """Read what stands behind a model. Raises UsageError, which repeats no value."""
    if len(text) > _MOST_SIGNS:
        raise UsageError(f"A model's settings cannot be {len(text):,} characters long (at most {_MOST_SIGNS:,}).")
    try:
        words = shlex.split(text)
    except ValueError:
        raise UsageError(f"A model's settings have a quote without its other half: {_FORM}.") from None
    found: dict[str, str] = {}
    headers: list[tuple[str, str]] = []
    for word in words:
        setting, sign, value = word.partition("=")
        if not sign or setting not in ("key", "name", "header", "system"):
            raise UsageError(f"A model's name has no blank in it, and its settings have another form: {_FORM}.")
        if not value.strip() or setting in found:
            fault = "stands there twice" if setting in found else "is empty"
            raise UsageError(f"A model's setting {setting}= {fault}: {_FORM}.")
        if setting == "header":
            headers.append(_header(value))
        else:
            found[setting] = value.strip()
    return ModelSettings(headers=tuple(headers), **_checked(found))


def _checked(found: dict[str, str]) -> dict[str, str]:
    if not _VARIABLE.fullmatch(found.get("key", "A")):
        raise UsageError("key= takes the name of the variable that holds the key, as in key=RAG_API_KEY, not the key.")
    name = found.get("name", "")
    if len(name) > 60 or not name.isprintable():
        raise UsageError("name= takes a label of at most 60 characters in one line.")
    if found.get("system", "").startswith("@"):
        raise UsageError("system=@FILE is read on the command line only: give the text itself.")
    return found


def _header(text: str) -> tuple[str, str]:
    name, sign, value = (part.strip() for part in text.partition(":"))
    if not sign or not value or not _HEADER.fullmatch(name) or not value.isprintable():
        raise UsageError('header= takes a name and a value, as in header="X-Team: cardiology".')
    if name.lower() in _OURS:
        raise UsageError(f"The header {name} cannot be chosen: every request sets it itself.")
    if not Template(value).is_valid():
        raise UsageError(
            f"The header {name} has a stray $: write $VARIABLE for what a variable holds, $$ for a dollar."
        )
    if _SECRET.search(name) and not Template(value).get_identifiers():
        raise UsageError(f"The header {name} may hold a secret: put it into a variable and write {name}: $VARIABLE.")
    return name, value


def defined(text: str, env: Mapping[str, str]) -> str:
    """A model that `env` defines under a name of its own, written out: with `FATHOM_MODEL_RAG=…`, `rag` is that model,
    called rag. Any other text as it is. Raises UsageError when a definition is another such name."""
    name, _, more = text.strip().partition(" ")
    variable = DEFINED + name.upper().replace("-", "_")
    if not LABEL.fullmatch(name) or not (definition := env.get(variable, "").strip()):
        return text
    if LABEL.fullmatch(definition.partition(" ")[0]):
        raise UsageError(f"{variable} must name a model as provider:model, not by another name.")
    label = "" if re.search(r"\bname=", f"{definition} {more}") else f" name={name}"
    return f"{definition}{label} {more}".strip()


def with_files(text: str) -> str:
    """The text with the content of the file in place of `system=@FILE`. Raises UsageError when it cannot be read."""
    try:
        head, *words = shlex.split(text) if "system=@" in text else ("",)
    except ValueError:
        head = ""  # `parse_settings` says what is wrong
    if not head:
        return text
    return " ".join((head, *(shlex.quote(_with_file(word)) for word in words)))


def _with_file(word: str) -> str:
    _, file, name = word.partition("system=@")
    return f"system={read_data(Path(name), 'a system prompt').text.strip()}" if file else word
