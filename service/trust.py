"""What a study from the network may say: each key has its rule, and one without is refused."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import Path
from typing import Any

import orjson

from ..state.errors import UsageError
from ..tools.files.text import quoted
from ..tools.models.settings import LABEL, variable_of
from ..tools.runs.folders import find_run

MOST_CELLS, MOST_WORDS, MOST_SIGNS = 1000, 1000, 2000
_NAME = re.compile(r"[A-Za-z0-9][\w.:/-]*", re.ASCII)
_RUN = re.compile(r"\w[\w-]{0,199}", re.ASCII)
_REACHES_OUT = re.compile(r"\s*[@~/.-]|.*([${[]|://)", re.DOTALL)
"""What a file, a variable, an address or a nested value begins with or holds."""
LIMITS = ("budget", "max_calls")
"""The server's own are set against them."""
_NUMBERS = """
probes passes threshold max_depth seed verify_questions answer_tokens repeats timeout offline
no_cache as_in_paper limit questions options paraphrases open_book verify_paraphrases attribute
logprobs classify check width score_threshold rounds single_pass use_best sample baseline tolerance
"""
_WORDS = """
method decide domains concepts language as_of name mode kinds distractors columns sim
"""
_MODELS = "target evaluator judge anchor examiner generator embeddings"
NUMBERS, WORDS, MODELS = (frozenset(keys.split()) for keys in (_NUMBERS, _WORDS, _MODELS))
RUNS = frozenset(("graph", "run"))


@dataclass(frozen=True, slots=True)
class Allowed:
    """`names`: models and sources that requests may name, `*` for any ending; `env`: where
    FATHOM_MODEL_NAME defines more; `runs`: the folder of the runs they may name."""

    names: Sequence[str]
    env: Mapping[str, str]
    runs: Path

    def __contains__(self, text: str) -> bool:
        if text in self.names:
            return True
        if not _NAME.fullmatch(text):
            return False
        return any(fnmatchcase(text, name) for name in self.names)

    def value(self, key: str, value: Any) -> Any:
        """The value that is kept. Raises UsageError for one that a request may not say."""
        if key in NUMBERS | WORDS:
            _require_plain(key, value)
            return value
        if key == "facts":
            self._require_sources(_texts(key, value))
            return value
        if key in RUNS:
            return [str(run_of(self.runs, text)) for text in _texts(key, value)]
        for text in _texts(key, value):
            is_defined = LABEL.fullmatch(text) and self.env.get(variable_of(text), "").strip()
            if not is_defined and text not in self:
                raise UsageError(
                    f"{key} cannot be {quoted(text, 60)}: this server does not offer that model. "
                    "Its operator offers models with --allow or FATHOM_MODEL_NAME."
                )
        return value

    def _require_sources(self, texts: Sequence[str]) -> None:
        for source in re.split("[,+]", ",".join(texts)):
            if source.strip() not in self:
                raise UsageError(
                    f"facts cannot be {quoted(source, 60)}: this server does not offer that "
                    "source. Its operator offers sources with --allow."
                )


def _texts(key: str, value: Any) -> list[str]:
    texts = value if isinstance(value, list) else [value]
    if len(texts) > MOST_WORDS or not all(isinstance(text, str) for text in texts):
        raise UsageError(f"{key} takes a text, or a list of at most {MOST_WORDS:,} of them.")
    return texts


def _require_plain(key: str, value: Any) -> None:
    """Raises UsageError for what may reach out of the study."""
    if key == "decide" and isinstance(value, dict):  # it holds comparisons, which reach nothing
        return
    pairs = value.items() if isinstance(value, dict) else [(value,)]
    parts = value if isinstance(value, list) else [*chain.from_iterable(pairs)]
    if key in NUMBERS or key in ("method", "decide"):
        parts = [value]
    for part in parts[: MOST_WORDS + 1]:
        is_word = isinstance(part, str) and len(part) <= MOST_SIGNS and part.isprintable()
        is_word = is_word and key not in NUMBERS and not _REACHES_OUT.match(part)
        if len(parts) > MOST_WORDS or not (is_word or isinstance(part, int | float)):
            raise UsageError(
                f"{key} cannot be {quoted(str(part), 60)} here: a request names no file, variable "
                "or address. Write plain words, or a number where one is meant."
            )


def run_of(runs: Path, name: str) -> Path:
    """The folder of the run of this name or id. Raises UsageError when there is none."""
    folder = find_run(runs, name) if _RUN.fullmatch(name) else None
    if folder is None or folder.parent != runs:
        raise UsageError(f"No run is called {quoted(name, 60)}: give its id.")
    return folder


def trusted(content: Any, allowed: Allowed) -> dict[str, Any]:
    """The study, its keys as the program writes them. Raises UsageError with the first thing that
    a request may not say."""
    if not isinstance(content, dict):
        raise UsageError('This is no study: send a JSON object such as {"method": "drill", …}.')
    study = dict[str, Any]()
    for name, value in content.items():
        key = name.replace("-", "_")
        if key in LIMITS and isinstance(value, int | float | None):
            study[key] = value
        elif key in NUMBERS | WORDS | MODELS | RUNS | {"facts"} and key not in study:
            study[key] = None if value is None else allowed.value(key, value)
        else:
            raise UsageError(
                f"{quoted(key, 60)} cannot be said in a request: it is unknown, stands there "
                "twice, or is for the operator. GET /v1/schema/study names what studies take."
            )
    require_few(_cells(study))
    if study.get("method") == "drill" and "facts" not in study:
        is_simulated = str(study.get("evaluator")).startswith("sim:")
        offered = [name for name in ("wikipedia", "tavily") if name in allowed]
        study["facts"] = "sim" if is_simulated else ",".join(offered)
    try:
        orjson.dumps(study)
    except TypeError as error:
        raise UsageError(f"The study cannot be kept: {str(error)[:80]}. Correct it.") from None
    return study


def _cells(study: Mapping[str, Any]) -> float:
    """How many there are at most: each domain with each target, repeated."""
    repeats = study.get("repeats")
    cells: float = max(1, repeats if isinstance(repeats, int) else 1)
    for key in ("domains", "target"):
        if isinstance(study.get(key), list):
            cells *= max(1, len(study[key]))
    return cells


def require_few(cells: float) -> None:
    """Raises UsageError where a study has too many."""
    if cells > MOST_CELLS:
        raise UsageError(f"A study may have {MOST_CELLS:,} cells here, not {cells:,g}.")
