"""What a study from the network may say: each key has its rule, and one without is refused."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import orjson

from ..state.errors import UsageError
from ..tools.files.text import quoted
from ..tools.models.settings import LABEL, variable_of
from ..tools.runs.folders import find_run

MOST_CELLS, MOST_WORDS, MOST_SIGNS = 1000, 1000, 2000
_NAME = re.compile(r"[A-Za-z0-9][\w.:/-]*", re.ASCII)
RUN_NAME = re.compile(r"\w[\w-]{0,199}", re.ASCII)
_TIER = re.compile(r"[A-Za-z_]*")
_REACHES_OUT = re.compile(r"\s*[@~/.-]|.*([${[]|://)", re.DOTALL)
"""What a file, a variable, an address or a nested value begins with or holds."""


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

    def model(self, text: str) -> bool:
        """Whether requests may name the model."""
        if LABEL.fullmatch(text) and self.env.get(variable_of(text), "").strip():
            return True
        return text in self


Rule = Callable[[Allowed, str, Any], Any]
"""The value that is kept. Raises UsageError."""


def _number(_: Allowed, key: str, value: Any) -> Any:
    if isinstance(value, int | float):
        return value
    raise UsageError(f"{key} takes a number or true or false here, not {quoted(str(value), 60)}.")


def _texts(key: str, value: Any) -> list[str]:
    texts = value if isinstance(value, list) else [value]
    if len(texts) > MOST_WORDS or not all(isinstance(text, str) for text in texts):
        raise UsageError(f"{key} takes a text, or a list of at most {MOST_WORDS:,} of them.")
    return texts


def _words(_: Allowed, key: str, value: Any) -> Any:
    pairs = value if isinstance(value, dict) else {}
    texts = [str(each) for pair in pairs.items() for each in pair] if pairs else _texts(key, value)
    for text in texts:
        if len(text) > MOST_SIGNS or not text.isprintable() or _REACHES_OUT.match(text):
            raise UsageError(
                f"{key} cannot be {quoted(text, 60)} here: a request names no file, variable or "
                "address. Write plain words."
            )
    return value


def _word(allowed: Allowed, key: str, value: Any) -> Any:
    if isinstance(value, str):
        return _words(allowed, key, value)
    raise UsageError(f"{key} takes a word here.")


def _models(allowed: Allowed, key: str, value: Any) -> Any:
    for text in _texts(key, value):
        if not allowed.model(text):
            raise UsageError(
                f"{key} cannot be {quoted(text, 60)}: this server does not offer that model. "
                "Its operator offers models with --allow or FATHOM_MODEL_NAME."
            )
    return value


def _sources(allowed: Allowed, key: str, value: Any) -> Any:
    by_tier = value if isinstance(value, dict) else {"": value}
    for tier, sources in by_tier.items():
        for source in re.split("[,+]", ",".join(_texts(key, sources))):
            head, sign, name = source.rpartition("=")
            named = head.strip() if sign and not tier else tier + head
            if name.strip() not in allowed or not _TIER.fullmatch(named):
                raise UsageError(
                    f"{key} cannot be {quoted(source, 60)}: this server does not offer that "
                    "source. Its operator offers sources with --allow."
                )
    return value


def _runs(allowed: Allowed, key: str, value: Any) -> Any:
    return [str(run_of(allowed.runs, text)) for text in _texts(key, value)]


def run_of(runs: Path, name: str) -> Path:
    """The folder of the run of this name or id. Raises UsageError when there is none."""
    if not RUN_NAME.fullmatch(name):
        raise UsageError(f"No run is called {quoted(name, 60)}: give its id.")
    folder = find_run(runs, name)
    if folder.parent != runs:
        raise UsageError(f"No run is called {name}: give its id.")
    return folder


def _policy(_: Allowed, key: str, value: Any) -> Any:
    """Of a decision: numbers and comparisons, which reach nothing."""
    if isinstance(value, dict):
        return value
    raise UsageError(f"{key} must be a mapping, such as {{margin: 0.5}}.")


NUMBERS = """
probes passes threshold max_depth seed verify_questions answer_tokens repeats timeout offline
no_cache as_in_paper limit questions options paraphrases open_book verify_paraphrases attribute
logprobs classify check width score_threshold rounds single_pass use_best sample baseline tolerance
"""
WORDS = """
domains concepts language as_of name mode kinds distractors question_field answer_field
options_field sim
"""
MODELS = "target evaluator judge anchor examiner generator embeddings"
LIMITS = ("budget", "max_calls")
"""They stand above all methods, where the server's own are set against them."""
RULES: Mapping[str, Rule] = {
    **dict.fromkeys(NUMBERS.split(), _number),
    **dict.fromkeys(WORDS.split(), _words),
    **dict.fromkeys(MODELS.split(), _models),
    **dict.fromkeys(("graph", "run"), _runs),
    "method": _word,
    "facts": _sources,
    "decide": _policy,
}


def trusted(content: Any, allowed: Allowed) -> dict[str, Any]:
    """The study, its keys as the program writes them. Raises UsageError with the first thing that
    a request may not say."""
    study = _checked(content, allowed, {**RULES, **dict.fromkeys(LIMITS, _number)})
    cells = 0.0
    for part in study.get("methods") or [study]:
        whole = {**study, **part}
        cells += _cells(whole)
        if part.get("method") == "drill" and "facts" not in whole:
            part["facts"] = _usual_sources(allowed, str(whole.get("evaluator")))
    require_few(cells)
    try:
        orjson.dumps(study)
    except TypeError as error:
        raise UsageError(f"The study cannot be kept: {str(error)[:80]}. Correct it.") from None
    return study


def _cells(part: Mapping[str, Any]) -> float:
    """How many there are at most: each domain with each target, repeated."""
    cells: float = max(1, part.get("repeats") or 1)
    for key in ("domains", "target"):
        if isinstance(part.get(key), list):
            cells *= max(1, len(part[key]))
    return cells


def require_few(cells: float) -> None:
    """Raises UsageError where a study has too many."""
    if cells > MOST_CELLS:
        raise UsageError(f"A study may have {MOST_CELLS:,} cells here, not {cells:,g}.")


def _checked(content: Any, allowed: Allowed, rules: Mapping[str, Rule]) -> dict[str, Any]:
    if not isinstance(content, dict):
        raise UsageError('This is no study: send a JSON object such as {"method": "drill", …}.')
    study = dict[str, Any]()
    for name, value in content.items():
        key = name.replace("-", "_")
        if key == "methods" and isinstance(value, list) and rules is not RULES:
            study[key] = [_checked(part, allowed, RULES) for part in value]
        elif key in rules and key not in study:
            study[key] = rules[key](allowed, key, value) if value is not None else None
        else:
            raise UsageError(
                f"{quoted(key, 60)} cannot be said in a request: it is unknown, stands there "
                "twice, or is for the operator. GET /v1/schema/study names what studies take."
            )
    return study


def _usual_sources(allowed: Allowed, evaluator: str) -> str:
    """Those of a drill that names none, as far as they are offered."""
    if evaluator.startswith("sim:"):
        return "sim"
    return ",".join(name for name in ("wikipedia", "tavily") if name in allowed)
