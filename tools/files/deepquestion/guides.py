"""Transformation prompts as files: what a generator was told, to be used again or written by hand."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from ....state.deepquestion.items import KINDS, Kind
from ....state.deepquestion.result import PromptHistory
from ....state.errors import UsageError
from ..output import write_whole
from ..table.row import Row
from ..table.row import kind as kind_of
from ..table.row import text as checked
from ..text import quoted, read_text, shown, some_of

FORMAT = "fathom-prompts/1"
MAX_GUIDE = 20_000
"""Characters of a prompt."""
_YAML = (".yaml", ".yml")
_BREAKS = "\r\x85\u2028\u2029"
"""Line ends of which YAML makes others, unless they are escaped."""
_WANTED = f'{{"format": "{FORMAT}", "prompts": {{"q2s": "…", "q2i": "…"}}}}'


class ReadGuides(NamedTuple):
    prompts: dict[Kind, str]
    notices: tuple[str, ...]
    """Which of them did not reach the threshold when they were drafted, as far as the file says so."""


def read_guides(path: Path) -> ReadGuides:
    """The prompts of a file (JSON; YAML where it is called .yaml or .yml; `-` is the standard input), by kind, without
    white space at their ends.

    The format may be left out of a file that was written by hand. Raises UsageError for what cannot be read, has
    another form, an unknown kind, no prompt, or one that is empty, over 20,000 characters long or no text.
    """
    text, path = read_text(path, "transformation prompts"), shown(path)
    if not text.strip():
        raise UsageError(f"The file {path} is empty: it must hold {_WANTED}.")
    content = _of_yaml(text, path) if path.suffix.casefold() in _YAML else _of_json(text, path)
    prompts = content.get("prompts") if isinstance(content, dict) else None
    if not isinstance(content, dict) or not isinstance(prompts, dict):
        raise UsageError(f"The file {path} holds no transformation prompts: it must hold {_WANTED}.")
    if content.get("format", FORMAT) != FORMAT:
        said = quoted(str(content["format"]))
        raise UsageError(f"The file {path} has the format {said}: this version of Fathom reads {FORMAT}.")
    if unknown := [str(name) for name in prompts if name not in KINDS]:
        raise UsageError(f"The file {path} has a prompt for {some_of(unknown)}: there are {' and '.join(KINDS)}.")
    if not prompts:
        raise UsageError(f"The file {path} holds no prompt: it needs one for {' or '.join(KINDS)}.")
    held = {name: _guide(prompts[name], f"The prompt for {name} in {path}") for name in KINDS if name in prompts}
    return ReadGuides(held, tuple(_not_converged(held, content.get("made"), path)))


def _not_converged(held: Iterable[Kind], made: object, path: Path) -> Iterator[str]:
    """`made` may be anything: a person may have written it."""
    for kind in held:
        if _told(made, "converged", kind) is False:
            score = _told(made, "scores", kind)
            told = f" ({score}/10)" if isinstance(score, int) else ""
            yield f"The prompt for {kind} in {path} did not reach the threshold when it was drafted{told}."


def _told(made: object, what: str, kind: Kind) -> object:
    by_kind = made.get(what) if isinstance(made, dict) else None
    return by_kind.get(kind) if isinstance(by_kind, dict) else None


def write_guides(path: Path, histories: Sequence[PromptHistory], made: Mapping[str, str]) -> tuple[str, ...]:
    """The prompt of each kind, which `read_guides` reads back, as JSON (YAML where the file is called .yaml or .yml).

    `made`: how they came about; source, score, number of drafts of each and whether it converged are added. Kinds
    without a prompt are left out, and those whose prompt is longer than `read_guides` takes, on which a sentence is
    returned. Raises UsageError when the file cannot be written or nothing is left, ValueError when there is no prompt
    at all.
    """
    drafted = [history for history in histories if history.guide.strip()]
    if not drafted:
        raise ValueError("there is no prompt to write")
    written = [history for history in drafted if len(history.guide) <= MAX_GUIDE]
    notices = tuple(
        f"The prompt for {history.kind} has {len(history.guide):,} characters and is left out: --prompts takes at most "
        f"{MAX_GUIDE:,}."
        for history in drafted
        if history not in written
    )
    if not written:
        raise UsageError(" ".join(notices))
    content = {
        "format": FORMAT,
        "prompts": {history.kind: history.guide for history in written},
        "made": {
            **made,
            "sources": {history.kind: history.source for history in written},
            "scores": {history.kind: history.score for history in written},
            "rounds": {history.kind: len(history.rounds) for history in written},
            "converged": {history.kind: history.converged for history in written},
        },
    }
    yaml = path.suffix.casefold() in _YAML
    data = _as_yaml(content) if yaml else orjson.dumps(content, option=orjson.OPT_INDENT_2) + b"\n"
    write_whole(path, data, "The prompts")
    return notices


def _guide(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise UsageError(f"{where} is {kind_of(value)}: it must be a text.")
    guide = (checked(Row(where, {"text": value}), where, "text") or "").strip()
    if not guide:
        raise UsageError(f"{where} is empty: write it, or take it out to have one drafted.")
    if len(guide) > MAX_GUIDE:
        raise UsageError(f"{where} is {len(guide):,} characters long: use at most {MAX_GUIDE:,}.")
    return guide


def _of_json(text: str, path: Path) -> object:
    try:
        return json.loads(text, object_pairs_hook=_told_apart)
    except (ValueError, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else error
        raise UsageError(f"The file {path} is not valid JSON ({why}): mend it; YAML is to be called .yaml.") from None


def _told_apart(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _of_yaml(text: str, path: Path) -> object:
    import yaml  # only who has such a file waits for it

    try:
        return yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        said = " ".join(str(error).split())[:200]
        raise UsageError(f"The file {path} is not valid YAML ({said}): mend it.") from None


def _as_yaml(content: Mapping[str, Any]) -> bytes:
    """With a text of several lines as a block, as a person would write it, unless only escapes can tell its lines."""
    import yaml

    class Dumper(yaml.SafeDumper):
        pass

    def block(dumper: yaml.SafeDumper, text: str) -> yaml.ScalarNode:
        escaped = any(sign in text for sign in _BREAKS)
        return dumper.represent_scalar(
            "tag:yaml.org,2002:str", text, style='"' if escaped else "|" if "\n" in text else None
        )

    Dumper.add_representer(str, block)
    dumped: str = yaml.dump(dict(content), Dumper=Dumper, allow_unicode=True, sort_keys=False, width=1000)
    return dumped.encode()
