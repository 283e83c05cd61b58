"""Transformation prompts as files: what a generator was told, to be used again or written by
hand."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

import orjson
from pydantic import AfterValidator, BaseModel, Field

from ....state.deepquestion.items import KINDS, Kind
from ....state.deepquestion.result import PromptHistory
from ....state.errors import UsageError
from ..output import write_whole
from ..table.cells import Text
from ..table.read import checked
from ..text import Data, read_data
from ..trees import parse_json, require_bounded

FORMAT = "fathom-prompts/1"
_YAML = (".yaml", ".yml")
_BREAKS = "\r\x85\u2028\u2029"
"""Line ends of which YAML makes others, unless they are escaped."""
_WANTED = f'{{"format": "{FORMAT}", "prompts": {{"q2s": "…", "q2i": "…"}}}}'


class ReadGuides(NamedTuple):
    prompts: dict[Kind, str]
    notices: tuple[str, ...]
    """Which of them did not reach the threshold when they were drafted, as far as the file says so.
    """


class _File(BaseModel):
    format: Literal["fathom-prompts/1"] = "fathom-prompts/1"
    prompts: dict[Kind, Annotated[Text, AfterValidator(str.strip), Field(min_length=1)]]
    made: Any = None
    """Anything: a person may have written it."""


def read_guides(path: Path) -> ReadGuides:
    """The prompts of a file (JSON; YAML where it is called .yaml or .yml; `-` is the standard
    input), by kind, without white space at their ends.

    The format may be left out of a file that was written by hand. Raises UsageError for what cannot
    be read, has another form, an unknown kind, no prompt, or one that is empty or no text.
    """
    data = read_data(path, f"transformation prompts: {_WANTED}")
    where = f"The file {data.path}"
    content = (
        _of_yaml(data) if data.path.suffix.casefold() in _YAML else parse_json(data.text, where)
    )
    if (
        not isinstance(content, dict)
        or not isinstance(content.get("prompts"), dict)
        or not content["prompts"]
    ):
        raise UsageError(f"{where} holds no transformation prompts: it must hold {_WANTED}.")
    file = checked(_File, content, where)
    held = {kind: file.prompts[kind] for kind in KINDS if kind in file.prompts}
    notices = []
    for kind in held:
        if _told(file.made, "converged", kind) is False:
            score = _told(file.made, "scores", kind)
            told = f" ({score}/10)" if isinstance(score, int) else ""
            notices.append(
                f"The prompt for {kind} in {data.path} did not reach the threshold when it "
                f"was drafted{told}."
            )
    return ReadGuides(held, tuple(notices))


def _told(made: object, what: str, kind: Kind) -> object:
    by_kind = made.get(what) if isinstance(made, dict) else None
    return by_kind.get(kind) if isinstance(by_kind, dict) else None


def _of_yaml(data: Data) -> object:
    import yaml  # only who has such a file waits for it

    try:
        require_bounded(data.text, f"The file {data.path}")
        return yaml.safe_load(data.text)
    except UsageError:
        raise
    except (yaml.YAMLError, ValueError) as error:
        said = " ".join(str(error).split())[:200]
        raise UsageError(f"The file {data.path} is not valid YAML ({said}): fix it.") from None


def write_guides(path: Path, histories: Sequence[PromptHistory], made: Mapping[str, str]) -> None:
    """The prompt of each kind, which `read_guides` reads back, as JSON (YAML where the file is
    called .yaml or .yml).

    `made`: how they came about; source, score, number of drafts of each and whether it converged
    are added. Kinds without a prompt are left out. Raises UsageError when the file cannot be
    written, ValueError when there is no prompt at all.
    """
    written = {history.kind: history for history in histories if history.guide.strip()}
    if not written:
        raise ValueError("there is no prompt to write")
    content = {
        "format": FORMAT,
        "prompts": {kind: history.guide for kind, history in written.items()},
        "made": {
            **made,
            "sources": {kind: history.source for kind, history in written.items()},
            "scores": {kind: history.score for kind, history in written.items()},
            "rounds": {kind: len(history.rounds) for kind, history in written.items()},
            "converged": {kind: history.converged for kind, history in written.items()},
        },
    }
    yaml = path.suffix.casefold() in _YAML
    data = _as_yaml(content) if yaml else orjson.dumps(content, option=orjson.OPT_INDENT_2) + b"\n"
    write_whole(path, data, "The prompts")


def _as_yaml(content: Mapping[str, Any]) -> bytes:
    """With a text of several lines as a block, as a person would write it, unless only escapes can
    tell its lines."""
    import yaml

    class Dumper(yaml.SafeDumper):
        pass

    def block(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
        escaped = any(sign in text for sign in _BREAKS)
        style = '"' if escaped else "|" if "\n" in text else None
        return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)

    Dumper.add_representer(str, block)
    dumped: str = yaml.dump(
        dict(content), Dumper=Dumper, allow_unicode=True, sort_keys=False, width=1000
    )
    return dumped.encode()
