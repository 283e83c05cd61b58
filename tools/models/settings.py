"""What a user says about one model behind its name: which key it is sent, its label, headers, system prompt, and how it
is sampled.

    openai@https://host/v1:rag key=RAG_API_KEY name="support bot" header="X-Team: $TEAM" system="Answer briefly."
    openai:gpt-5 reasoning_effort=high max_tokens=32000 body.service_tier="flex"

The same words serve in every role, on the command line, in `.env` and in a host's code. Settings are part of the model
as a spec keeps it: two models that differ in a setting are two models.
"""

import io
import json
import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Annotated, Any, Literal

import orjson
from pydantic import Field, TypeAdapter, ValidationError

from ...state.errors import UsageError
from ...state.worlds import label_of
from ..files.text import read_data
from .faults import redact

DEFINED = "FATHOM_MODEL_"
"""With a name behind it, the variable that defines the model of that name."""
_FORM = (
    'settings behind a model are key=VARIABLE, name=LABEL, header="Name: value", system=TEXT, '
    "temperature=NUMBER,"
    " top_p=NUMBER, reasoning_effort=WORD, max_tokens=NUMBER, api=responses and body.KEY=JSON"
)
LABEL = re.compile(r"[A-Za-z][\w-]*")
"""A model's name of its own, of which `FATHOM_MODEL_…` says what it is."""
_VARIABLE = re.compile(r"[A-Za-z_]\w*")
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_SECRET = re.compile(r"auth|key|token|secret|password|cookie|credential", re.IGNORECASE)
_SENT = "accept accept-encoding connection content-length content-type host upgrade"
_OURS = frozenset(_SENT.split())
"""Headers that a request needs as it sets them itself."""
_MOST_SIGNS = 20_000
_BODY = re.compile(r"\s*(body\.[A-Za-z_][\w-]*=)")
_FIELDS = """model messages input stream n seed random_seed logprobs response_format temperature top_p
reasoning_effort max_tokens max_completion_tokens max_output_tokens"""
_FATHOM_SETS = frozenset(_FIELDS.split())
_NEVER_KEPT = re.compile(r"api_?key|secret|password|authorization", re.IGNORECASE)


_FORMS: Mapping[str, tuple[Any, str]] = {
    "key": (
        Annotated[str, Field(pattern=r"^[A-Za-z_]\w*$")],
        "the name of the variable that holds the key, as in key=RAG_API_KEY, not the key",
    ),
    "name": (
        Annotated[str, Field(max_length=60, pattern=r"^[^\x00-\x1f\x7f]*$")],
        "a label of at most 60 characters in one line",
    ),
    "system": (
        Annotated[str, Field(pattern="^[^@]")],
        "the text itself; a file as @FILE is read on the command line only",
    ),
    "temperature": (Annotated[float, Field(ge=0, le=2)], "a number from 0 to 2"),
    "top_p": (Annotated[float, Field(gt=0, le=1)], "a number above 0, at most 1"),
    "reasoning_effort": (
        Annotated[str, Field(pattern=r"^[A-Za-z][\w-]{0,19}$")],
        "one word, as in reasoning_effort=high",
    ),
    "max_tokens": (Annotated[int, Field(ge=1, le=10**6)], "a whole number from 1 to 1,000,000"),
    "api": (Literal["responses"], "responses, or is left out"),
}
"""What a setting may be; the words complete "temperature= takes …"."""
_SAMPLING = ("temperature", "top_p", "reasoning_effort", "max_tokens", "api")


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """`key`: the variable that holds the key; `headers`: (name, value), where $VARIABLE stands for
    that variable's value; `system` precedes whatever system prompt a request has; `body`: (field,
    JSON) of the request. Temperature, top_p and token limit count instead of the request's. Empty
    or None: not set."""

    key: str = ""
    name: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    system: str = ""
    temperature: float | None = None
    top_p: float | None = None
    reasoning_effort: str = ""
    max_tokens: int | None = None
    api: str = ""
    body: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        """The settings as they are written, always in the same order."""
        sampling = self._sampling()
        values = [
            ("key", self.key),
            ("name", self.name),
            *(("header", f"{name}: {value}") for name, value in self.headers),
            *((name, str(value)) for name, value in sampling.items()),
            ("system", self.system),
        ]
        words = [f"{name}={shlex.quote(value)}" for name, value in values if value]
        return " ".join((*words, *(f"body.{name}={value}" for name, value in self.body)))

    def _sampling(self) -> dict[str, Any]:
        values = {name: getattr(self, name) for name in _SAMPLING}
        return {name: value for name, value in values.items() if value not in (None, "")}

    @property
    def chosen(self) -> tuple[str, ...]:
        """The parameters that the user chose: an endpoint that refuses one is not asked without
        it."""
        names = (name for name in self._sampling() if name != "api")
        return (*names, *(name for name, _ in self.body))

    @property
    def fields(self) -> dict[str, Any]:
        """What every request carries beside what it says itself."""
        effort = {"reasoning_effort": self.reasoning_effort} if self.reasoning_effort else {}
        return effort | {name: orjson.loads(value) for name, value in self.body}

    def sent_headers(self, env: Mapping[str, str]) -> dict[str, str]:
        """The headers with their variables' values. Raises UsageError for a variable that is not
        set, and for a value that no header can have; neither is repeated."""
        headers = {}
        for name, value in self.headers:
            wanted = Template(value).get_identifiers()
            missing = next(
                (variable for variable in wanted if not env.get(variable, "").strip()), None
            )
            if missing:
                raise UsageError(
                    f"The header {name} needs {missing}: set it in the environment or in .env."
                )
            headers[name] = Template(value).substitute(
                {variable: env[variable].strip() for variable in wanted}
            )
            if not headers[name].isascii() or not headers[name].isprintable():
                raise UsageError(
                    f"The header {name} cannot be sent: its value contains characters that no "
                    "header can have."
                )
        return headers

    @property
    def variables(self) -> tuple[str, ...]:
        """Those that its headers take values from."""
        return tuple(
            name for _, value in self.headers for name in Template(value).get_identifiers()
        )


PLAIN = ModelSettings()


def parse_settings(text: str) -> ModelSettings:
    """Read what stands behind a model. Raises UsageError, which repeats no value."""
    if len(text) > _MOST_SIGNS:
        raise UsageError(
            f"A model's settings cannot be {len(text):,} characters long (at most {_MOST_SIGNS:,})."
        )
    try:
        words = list(_words(text))
    except ValueError:
        raise UsageError(
            f"A model's settings have a quote without its other half; {_FORM}."
        ) from None
    values: dict[str, Any] = {}
    headers, body = list[tuple[str, str]](), dict[str, str]()
    for word in words:
        setting, sign, value = word.partition("=")
        is_field = setting.startswith("body.")
        if not sign or not (is_field or setting in (*_FORMS, "header")):
            raise UsageError(f"Model names contain no spaces; {_FORM}.")
        if not value.strip() or setting in values:
            fault = "stands there twice" if setting in values else "is empty"
            raise UsageError(f"A model's setting {setting}= {fault}; {_FORM}.")
        if setting == "header":
            headers.append(_header(value))
        elif is_field:
            name = setting.removeprefix("body.")
            if name in body:
                raise UsageError(f"A model's setting {setting}= stands there twice; {_FORM}.")
            body[name] = _field(name, value.strip())
        else:
            values[setting] = _checked(setting, value.strip())
    return ModelSettings(headers=tuple(headers), body=tuple(sorted(body.items())), **values)


def _words(text: str) -> Iterator[str]:
    """The words as a shell reads them, but that the JSON behind `body.KEY=` keeps its quotes.
    Raises ValueError for a quote without its other half."""
    stream = io.StringIO(text)
    lexer = shlex.shlex(stream, posix=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    while True:
        match = _BODY.match(text, stream.tell())
        end = _end_of_json(text, match.end()) if match else None
        if match and end:
            yield match[1] + text[match.end() : end]
            stream.seek(end)
        elif (word := lexer.get_token()) is not None:
            yield word
        else:
            return


def _end_of_json(text: str, start: int) -> int | None:
    """Where the JSON that begins at `start` ends; None where it is none, or where the word goes on
    behind it."""
    try:
        _, end = json.JSONDecoder().raw_decode(text, start)
    except (ValueError, RecursionError):
        return None
    return None if text[end : end + 1].strip() else end


def _checked(setting: str, text: str) -> Any:
    kind, words = _FORMS[setting]
    try:
        return TypeAdapter(kind).validate_python(text)
    except ValidationError:
        raise UsageError(f"A model's setting {setting}= takes {words}; {_FORM}.") from None


def _field(name: str, text: str) -> str:
    """A field of the request's body, with its JSON in one form."""
    fault = None
    if not _BODY.fullmatch(f"body.{name}="):
        fault = "takes the name of one field of the request"
    elif name in _FATHOM_SETS:
        fault = f"cannot be chosen: Fathom sets {name} itself"
    elif _NEVER_KEPT.search(name) or redact(text) != text:
        fault = "may hold a secret, and settings are recorded: send it by header="
    if fault:
        raise UsageError(f"A model's setting body.{name}= {fault}; {_FORM}.")
    try:
        return orjson.dumps(orjson.loads(text), option=orjson.OPT_SORT_KEYS).decode()
    except orjson.JSONDecodeError:
        example = 'body.service_tier="flex" or body.top_k=40'
        raise UsageError(
            f"A model's setting body.{name}= takes JSON, as in {example}; {_FORM}."
        ) from None


def _header(text: str) -> tuple[str, str]:
    name, sign, value = (part.strip() for part in text.partition(":"))
    if not sign or not value or not _HEADER.fullmatch(name) or not value.isprintable():
        raise UsageError('header= takes a name and a value, as in header="X-Team: cardiology".')
    if name.lower() in _OURS:
        raise UsageError(f"The header {name} cannot be chosen: every request sets it itself.")
    if not Template(value).is_valid():
        raise UsageError(
            f"The header {name} has a stray $: write $VARIABLE for what a variable holds, $$ "
            "for a dollar."
        )
    if _SECRET.search(name) and not Template(value).get_identifiers():
        raise UsageError(
            f"The header {name} may hold a secret: put it into a variable and write {name}: "
            "$VARIABLE."
        )
    return name, value


def variable_of(name: str) -> str:
    """The one that defines a model of this name."""
    return DEFINED + name.upper().replace("-", "_")


def defined(text: str, env: Mapping[str, str]) -> str:
    """A model that `env` defines under a name of its own, written out: with `FATHOM_MODEL_RAG=…`,
    `rag` is that model, called rag. Any other text as it is. Raises UsageError when a definition is
    another such name."""
    name, _, more = text.strip().partition(" ")
    variable = variable_of(name)
    if not LABEL.fullmatch(name) or not (definition := env.get(variable, "").strip()):
        return text
    if LABEL.fullmatch(definition.partition(" ")[0]):
        raise UsageError(
            f"{variable} must name a model as provider:model, not by another name."
        )
    if not re.search(r"\bname=", f"{definition} {more}"):
        definition += f" name={shlex.quote(label_of(text.strip()))}"
    return f"{definition} {more}".strip()


def with_files(text: str) -> str:
    """The text with the content of the file in place of `system=@FILE`. Raises UsageError when it
    cannot be read."""
    try:
        head, *words = _words(text) if "system=@" in text else ("",)
    except ValueError:
        head = ""  # `parse_settings` says what is wrong
    if not head:
        return text
    return " ".join((head, *(shlex.quote(_with_file(word)) for word in words)))


def _with_file(word: str) -> str:
    _, file, name = word.partition("system=@")
    return f"system={read_data(Path(name), 'a system prompt').text.strip()}" if file else word
